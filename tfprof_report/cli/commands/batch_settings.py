"""How many tasks run at once, with how much memory, and where: from the options of commands that run on workers."""

from __future__ import annotations

from tfprof_report.batch.clusters import available_memory
from tfprof_report.batch.run_batch import Settings
from tfprof_report.clock import parse_duration
from tfprof_report.errors import OptionError
from tfprof_report.ingest.packed import parse_size
from tfprof_report.threads import usable_cores


def settings_of(
    jobs: int | None,
    memory: str | None = None,
    retries: int = 2,
    time_limit: str | None = None,
    scheduler: str | None = None,
) -> Settings:
    """Return the settings that the options of the same names ask for; an OptionError for a value that cannot be."""
    jobs = usable_cores() if jobs is None else jobs
    if jobs < 1:
        raise OptionError(f"{jobs} is no number of jobs", option="--jobs", advice="give 1 or more")
    if retries < 0:
        raise OptionError(f"{retries} is no number of tries", option="--retries", advice="give 0 or more")
    limit = None if time_limit is None else parse_duration(time_limit, option="--time-limit")
    memory_bytes = available_memory() if memory is None else parse_size(memory, option="--memory")
    if memory_bytes < 1:
        raise OptionError("is no memory at all", option=f"--memory {memory}", advice="give some, such as 8GiB")
    return Settings(
        jobs=jobs,
        memory_bytes=memory_bytes,
        setup="tfprof_report.cli.worker_setup",
        retries=retries,
        limit=limit.total_seconds() if limit else None,
        scheduler=scheduler,
    )
