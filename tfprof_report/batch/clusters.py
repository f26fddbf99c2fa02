"""The workers of a batch, which dask.distributed keeps: processes of this machine, or a cluster at an address."""

from __future__ import annotations

import logging
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from importlib import import_module, metadata
from importlib.util import find_spec
from typing import Any

import dask

from tfprof_report import __version__
from tfprof_report.errors import InputError, OptionError
from tfprof_report.record import record

PATIENCE = 60.0
"""Seconds that a scheduler that was lost, or one without workers, has to come back."""

_ENVIRON = "distributed.nanny.pre-spawn-environ"
"""What workers have in their environment. It is set after distributed is imported, which adds MALLOC_TRIM_THRESHOLD_ to
it: with that, workers keep no freed memory, which costs a third of the time of a large report."""

_CONNECT = 10.0
"""Seconds in which a scheduler has to answer at first."""

_OPTION = "--scheduler"
_DISTRIBUTION = "tfprof-report"

_LOGGERS = ("distributed", "bokeh", "tornado", "asyncio")
_SILENT = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {"none": {"class": "logging.NullHandler"}},
    "loggers": {name: {"handlers": ["none"], "propagate": False} for name in _LOGGERS},
}
_CONFIG: Mapping[str, Any] = {
    "logging": _SILENT,
    "distributed.scheduler.allowed-failures": 0,  # who waits counts, by what really ran on a worker that was lost
    "distributed.scheduler.worker-saturation": 1.0,  # a task is sent to a worker that is free
    "distributed.scheduler.worker-ttl": None,  # native code may keep a worker from answering for long
    "distributed.worker.profile.enabled": False,  # it keeps call stacks of each second, 100 kB for each report
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": 0.95,
    "distributed.comm.timeouts.connect": "30s",
}
"""What a batch sets in the configuration of distributed, before that is imported."""


@record
class Workers:
    """Workers that are ready.

    client : distributed's client of them
    count : how many tasks they run at the same time
    memory_bytes : what each task may use, by address of its worker; empty where there is no limit
    dashboard : address of the page that shows what they do; None if there is none
    """

    client: Any
    count: int
    memory_bytes: Mapping[str, int]
    dashboard: str | None = None


@cache
def _distributed() -> Any:
    """Return the package distributed, which reads our configuration when it is imported."""
    dask.config.set(_CONFIG)
    return import_module("distributed")


def available_memory() -> int:
    """Return the bytes of memory that this process and its children may still take, those of a container included."""
    _distributed()
    import psutil  # noqa: PLC0415 (comes with distributed)
    from distributed.system import MEMORY_LIMIT  # noqa: PLC0415

    return min(int(psutil.virtual_memory().available), int(MEMORY_LIMIT))


@contextmanager
def local_workers(count: int, memory_bytes: int, setup: str) -> Iterator[Workers]:
    """Yield `count` processes of this machine, each of which ends when it has more than its part of the memory.

    `setup` is the name of a module with a function ``dask_setup``, which each calls before its first task.
    """
    distributed = _distributed()

    has_dashboard = find_spec("bokeh") is not None
    with (
        tempfile.TemporaryDirectory(prefix="tfprof-report-", ignore_cleanup_errors=True) as scratch,
        dask.config.set({"temporary-directory": scratch, _ENVIRON: {"OPENBLAS_NUM_THREADS": "1"}}),
        _without_words(),
        distributed.LocalCluster(
            n_workers=count,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            memory_limit=memory_bytes // count,
            dashboard_address="127.0.0.1:0" if has_dashboard else None,
            worker_dashboard_address=None,
            local_directory=scratch,
            silence_logs=logging.CRITICAL,
            preload=[setup],
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        limits = dict.fromkeys(cluster.scheduler_info["workers"], memory_bytes // count)
        yield Workers(
            client=client,
            count=count,
            memory_bytes=limits,
            dashboard=cluster.dashboard_link if has_dashboard else None,
        )


def remote_workers(address: str, patience: float = _CONNECT) -> Workers:
    """Return the workers of the scheduler at an address; close their client when they are no longer needed.

    Raises
    ------
    InputError
        No scheduler answers there in `patience` seconds, or it has no workers in that time.
    OptionError
        The address is none, or scheduler or workers have another version of distributed or of this tool.
    """
    distributed = _distributed()

    with _without_words():
        try:
            client = distributed.Client(address, timeout=patience)
        except ValueError as error:
            raise OptionError(
                "is not an address", option=f"{_OPTION} {address}", advice="write tcp://HOST:PORT"
            ) from error
        except Exception as error:  # distributed raises many, those of a peer that is no scheduler included
            reason = "no scheduler answers"
            raise InputError(reason, option=f"{_OPTION} {address}", advice="start it with: dask scheduler") from error
        try:
            _wait_for_workers(client, address, patience)
            _check_versions(client, address)
        except BaseException:
            client.close()
            raise
    return described(client)


def described(client: Any) -> Workers:
    """Return the workers of a client's scheduler as they are now."""
    found = client.scheduler_info(n_workers=-1)
    listed = found["workers"]
    threads = {name: max(int(worker["nthreads"]), 1) for name, worker in listed.items()}
    limits = {name: int(worker["memory_limit"] or 0) // threads[name] for name, worker in listed.items()}
    return Workers(
        client=client,
        count=sum(threads.values()),
        memory_bytes={name: limit for name, limit in limits.items() if limit},
        dashboard=client.dashboard_link if "dashboard" in found.get("services", {}) and _has_pages(client) else None,
    )


def _has_pages(client: Any) -> bool:
    """Return whether a scheduler has what draws its dashboard; without that its address has a page that says so."""
    with suppress(Exception):  # it may run nothing for others
        client.run_on_scheduler(metadata.version, "bokeh")
        return True
    return False


def _wait_for_workers(client: Any, address: str, patience: float) -> None:
    try:
        client.wait_for_workers(1, timeout=patience)
    except TimeoutError as error:
        raise InputError(
            "the scheduler has no workers", option=f"{_OPTION} {address}", advice="start some with: dask worker ADDRESS"
        ) from error


def _check_versions(client: Any, address: str) -> None:
    """Raise OptionError unless scheduler and workers have our versions of distributed and of this tool."""
    ours = metadata.version("distributed")
    found = client.get_versions()
    theirs = {
        "the scheduler": found["scheduler"],
        **{f"worker {name}": each for name, each in found["workers"].items()},
    }
    for who, each in theirs.items():
        version = (each or {}).get("packages", {}).get("distributed")
        if version != ours:
            raise _other_version(address, who, "distributed", version, ours)
    for name, version in client.run(metadata.version, _DISTRIBUTION, on_error="return").items():
        if version != __version__:
            missing = isinstance(version, metadata.PackageNotFoundError)
            raise _other_version(address, f"worker {name}", _DISTRIBUTION, None if missing else version, __version__)


def _other_version(address: str, who: str, package: str, version: object, ours: str) -> OptionError:
    has = f"has {package} {version}, this command {ours}" if version is not None else f"has no {package}"
    return OptionError(f"{who} {has}", option=f"{_OPTION} {address}", advice="install the same version there")


@contextmanager
def _without_words() -> Iterator[None]:
    """Keep warnings of libraries from standard error; what matters in them is checked and said in our own words."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
