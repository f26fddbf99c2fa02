"""The command `batch`: many reports at once, each as `report` makes it."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path

from tfprof_report.batch.batch_page import render_batch_page
from tfprof_report.batch.clusters import Workers
from tfprof_report.batch.entry import Entry, Target, Task
from tfprof_report.batch.outcome import (
    BATCH_JSON,
    BATCH_PAGE,
    BATCH_PARQUET,
    DONE,
    Result,
    Row,
    counts_of,
    exit_code_of,
)
from tfprof_report.batch.run_batch import Settings, run_batch
from tfprof_report.batch.task import run_task
from tfprof_report.batch.worktrees import without_leftovers
from tfprof_report.cli.call import call_quietly
from tfprof_report.cli.commands.backfill import backfill_from, check_alone, find_and_say
from tfprof_report.cli.commands.batch_entries import entries_from
from tfprof_report.cli.commands.batch_settings import settings_of
from tfprof_report.cli.console import echo, finishing, has_progress, say
from tfprof_report.cli.params.batch_options import BatchValues
from tfprof_report.errors import OptionError, log_line
from tfprof_report.formatting import format_number, plural
from tfprof_report.render.files.atomic import write_folder
from tfprof_report.report.store.place import open_place
from tfprof_report.report.store.store import commit_to_save
from tfprof_report.schema.metrics import Unit

_LINE_EVERY = 10.0
"""Seconds from one line about the progress to the next, where there is no terminal."""


def run_batches(values: BatchValues) -> int:
    """Make the reports; return the worst exit code of all."""
    check_alone(values)
    target = _target(values)
    settings = settings_of(values.jobs, values.memory, values.retries, values.time_limit, values.scheduler)
    past = backfill_from(values) if values.git_range is not None else None
    entries = past.entries if past else entries_from(values)
    _check_commits(entries, target)
    if values.dry_run:
        for cells in _plan(entries):
            echo("\t".join(map(log_line, cells)))
        return 0
    make = partial(run_entries, target=target, settings=settings)
    with without_leftovers(past.repository) if past else nullcontext():
        if past and values.bisect is not None:
            rows = find_and_say(past, values.bisect, make, target, settings.jobs)
        else:
            rows = make(entries)
    if target.folder is not None and target.store is None:
        write_folder(target.folder, {BATCH_PAGE: render_batch_page(rows, target.folder)}, option="--out")
    _print_outcome(rows, target)
    return exit_code_of(rows)


def run_entries(entries: Sequence[Entry], target: Target, settings: Settings) -> list[Row]:
    """Make the reports of entries, with their progress on standard error; return a row for each, in their order.

    Raises
    ------
    TfprofReportError
        As `run_batch` does, before anything is started.
    """
    with finishing(len(entries)) as show:
        shown = _Shown(len(entries), show)
        return run_batch(entries, target, settings, make_report, ready=shown.ready, finished=shown.finished)


def make_report(task: Task) -> Result:
    """Make the report of a task in this process: what workers find by this name and run."""
    return run_task(task, call_quietly)


def _target(values: BatchValues) -> Target:
    if values.out is None and values.store is None:
        raise OptionError("Missing option '--out'", advice="name the folder to write, or a --store")
    if values.store is not None:
        open_place(values.store)
    return Target(folder=values.out, store=values.store)


def _check_commits(entries: Sequence[Entry], target: Target) -> None:
    """Refuse entries that a store cannot take."""
    for entry in entries if target.store is not None else ():
        if entry.commit is None:
            advice = "name it in the manifest, or with --commit"
            raise OptionError(f"{entry.name} has no commit, which a store needs", option="--store", advice=advice)
        commit_to_save(entry.commit, None)


def _plan(entries: Sequence[Entry]) -> Iterator[tuple[str, str, str]]:
    """Yield the name of each entry, the memory that it needs, and its command line."""
    for entry in entries:
        need = "unknown" if entry.need_bytes is None else format_number(entry.need_bytes, Unit.BYTES)
        yield entry.name, need, shlex.join(("tfprof-report", *entry.command))


class _Shown:
    """Shows a batch: failures in a line each; how many are done, how fast, and the time that is left."""

    def __init__(self, total: int, show: Callable[[str], None]) -> None:
        self._total, self._show = total, show
        self._start = self._said = time.monotonic()
        self._done = self._failed = 0

    def ready(self, workers: Workers) -> None:
        """Say where workers can be watched; the first of them begin to work now."""
        if self._done == 0:
            self._start = self._said = time.monotonic()
        if workers.dashboard:
            say(f"{plural(workers.count, 'worker')}, dashboard at {workers.dashboard}")

    def finished(self, row: Row) -> None:
        """Show that an entry is done."""
        self._done += 1
        if row.result.state not in DONE:
            self._failed += 1
        if row.result.reason is not None:
            say(f"{row.entry.name}: {row.result.state}: {row.result.reason}")
        now = time.monotonic()
        rate = self._done / max(now - self._start, 1e-3)
        failed = f"{self._failed:,} failed"
        self._show(f"{rate:,.1f}/s, {failed}")
        if not has_progress() and now - self._said >= _LINE_EVERY and self._done < self._total:
            self._said = now
            done, left = f"{self._done:,} of {self._total:,} done", _time(round((self._total - self._done) / rate))
            say(f"{done}, {rate:,.1f} per second, {failed}, {left} left")


def _time(seconds: int) -> str:
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s" if minutes else f"{rest} s"


def _print_outcome(rows: Sequence[Row], target: Target) -> None:
    if target.folder is not None:
        echo(f"Outcome   {Path(target.folder, BATCH_JSON)}, {Path(target.folder, BATCH_PARQUET)}")
    if target.store is not None:
        echo(log_line(f"Store     {open_place(target.store).name}"))
    elif target.folder is not None:
        echo(f"Index     {Path(target.folder, BATCH_PAGE)}")
    counts = ", ".join(f"{count:,} {state}" for state, count in counts_of(rows).items())
    echo(f"{plural(len(rows), 'report'):<9} {counts}")
