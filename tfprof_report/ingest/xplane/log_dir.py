"""Finds the XPlane files of one run in a folder: a run's own folder, or a log directory with runs of TensorBoard's plugin.

A run is a folder with one ``HOST.xplane.pb`` per host, mostly ``LOGDIR/plugins/profile/2026_11_30_12_00_00``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from tfprof_report.errors import InputError
from tfprof_report.record import record

SUFFIX = ".xplane.pb"

_PLUGIN = "plugins/profile"
_PLACES = ("*", f"{_PLUGIN}/*", f"*/{_PLUGIN}/*")
"""Where runs are in a folder: it is that of the plugin, the log directory, or the parent of log directories."""


@record
class TraceFiles:
    """The files of one run, sorted by name, and which other runs there are, if any."""

    run: str
    files: tuple[str, ...]
    others: tuple[str, ...] = ()


def is_trace_name(name: str) -> bool:
    """Return whether a file's name is that of an XPlane trace, packed or not."""
    return name.removesuffix(".gz").endswith(SUFFIX)


def find_traces(folder: str, run: str | None = None) -> TraceFiles | None:
    """Return the files of one run in a folder, the newest unless `run` names another; None if there is none.

    The profiler names runs by the time they began, so the newest is the last by name. A folder that has trace files
    itself is a run.

    Raises
    ------
    InputError
        The folder can't be listed, or no run has this name.
    """
    try:
        own = _files_of(Path(folder))
        runs = {} if own else dict(_runs_in(Path(folder)))
    except OSError as error:
        reason = f"cannot be read ({error.strerror or error})"
        raise InputError(reason, file=folder, advice="check its permissions and those of its folder") from error
    if own:
        runs = {Path(folder).resolve().name: own}
    if not runs:
        return None
    if run is not None and run not in runs:
        names = ", ".join(sorted(runs))
        raise InputError(f'has no run "{run}"', file=folder, option="--run", advice=f"name one of {names}")
    chosen = run if run is not None else max(runs)
    return TraceFiles(run=chosen, files=runs[chosen], others=tuple(sorted(set(runs) - {chosen})))


def _runs_in(folder: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
    for place in _PLACES:
        for each in sorted(folder.glob(place)):
            if each.is_dir() and (files := _files_of(each)):
                yield each.name, files


def _files_of(folder: Path) -> tuple[str, ...]:
    """Return the traces in a folder; of one that is there packed and unpacked the unpacked one."""
    names = {each.name for each in folder.iterdir() if is_trace_name(each.name) and each.is_file()}
    kept = sorted(name for name in names if name.removesuffix(".gz") == name or name.removesuffix(".gz") not in names)
    return tuple(str(folder / name) for name in kept)


def host_names(files: Sequence[str]) -> list[str]:
    """Return the name of the host of each file, which is the file's: several hosts of one machine have its name inside.

    Files of the same name are told apart by their place.
    """
    names = [Path(file).name.removesuffix(".gz").removesuffix(SUFFIX) for file in files]
    return [name if names.count(name) == 1 else f"{name}-{place}" for place, name in enumerate(names)]
