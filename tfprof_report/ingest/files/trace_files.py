"""Finds the XPlane files of one run in a folder: the run's own, or a log directory of TensorBoard with runs in it.

A run is a folder with one ``HOST.xplane.pb`` per host, mostly ``LOGDIR/plugins/profile/2026_11_30_12_00_00``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from tfprof_report.errors import InputError, OptionError, shown
from tfprof_report.ingest.files.file_bytes import STDIN, unreadable
from tfprof_report.ingest.files.folders import (
    Listing,
    is_folder,
    join,
    last_name,
    list_below,
    list_folder,
    real_path,
)
from tfprof_report.record import record
from tfprof_report.urls import name_of

SUFFIX = ".xplane.pb"

_PLUGIN = "plugins/profile"
_PLACES = ("*", "profile/*", f"{_PLUGIN}/*", f"*/{_PLUGIN}/*")
"""Where runs are in a folder: it is that of the plugin or of all plugins, a log directory, or the parent of several."""


@record
class TraceFiles:
    """The files of one run, sorted by name, and which other runs there are, if any."""

    run: str
    files: tuple[str, ...]
    others: tuple[str, ...] = ()

    def note(self, folder: str) -> str:
        """Return a line on which run of `folder` is read, and which are not."""
        others = f", not {', '.join(self.others)}" if self.others else ""
        return f"{name_of(folder)}: reading the trace of run {self.run}{others}"


def is_trace_name(path: str) -> bool:
    """Return whether a file's name is that of an XPlane trace, packed or not."""
    plain = last_name(path).removesuffix(".gz")
    return plain.endswith(SUFFIX) or plain == SUFFIX[1:]


def find_traces(folder: str, run: str | None = None, *, option: str = "--run") -> TraceFiles | None:
    """Return the files of one run in a folder, the newest unless `run` names another; None if there is none.

    The profiler names runs by the time they began, so the newest is the last by name. A folder that has trace files
    itself is a run. Runs of one name in several log directories are named with theirs: ``train/2026_11_30_12_00_00``.

    Raises
    ------
    InputError
        The folder can't be listed, or no run has this name, for which `option` asks.
    """
    try:
        top = list_folder(folder)
    except OSError as error:
        raise unreadable(error, folder) from error
    own = _traces_in(folder, top)
    runs: dict[tuple[str, ...], tuple[str, ...]]
    runs = {(last_name(real_path(folder)),): own} if own else dict(_runs_in(folder, top))
    if not runs:
        return None
    several = Counter(place[-1] for place in runs)
    names = {"/".join(place if several[place[-1]] > 1 else place[-1:]): place for place in runs}
    if run is not None and run not in names:
        raise InputError(
            f'has no run "{run}"', file=folder, option=option, advice=f"name one of {', '.join(sorted(names))}"
        )
    chosen = run if run is not None else max(names, key=lambda name: names[name][::-1])
    return TraceFiles(run=chosen, files=runs[names[chosen]], others=tuple(sorted(set(names) - {chosen})))


def choose_traces(
    xplanes: Sequence[str], run: str | None, *, has_folder: bool, side: str
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the files of the traces that options name, and notes on which run of a log directory they are.

    `has_folder` is whether the run may be of a folder that is no option; `side` is as in `paths.resolve_paths`.

    Raises
    ------
    OptionError
        A run is named without a log directory, or a file twice, which would count as two hosts.
    InputError
        A folder has no trace, or no such run.
    """
    files: list[str] = []
    notes: list[str] = []
    for path in xplanes:
        if path == STDIN or not is_folder(path):
            files.append(path)
            continue
        traces = find_traces(path, run, option=f"--{side}run")
        if traces is None:
            advice = "give a file *.xplane.pb, or a folder with plugins/profile/RUN in it"
            raise InputError("the folder has no XPlane trace", file=path, option=f"--{side}xplane", advice=advice)
        files += traces.files
        notes.append(traces.note(path))
    if run is not None and not notes and not has_folder:
        raise OptionError("no log directory is named", option=f"--{side}run", advice="give one with --xplane")
    places = Counter(real_path(file) for file in files if file != STDIN)
    twice = next((file for file in files if places[real_path(file)] > 1), None)
    if twice is not None:
        raise OptionError(
            f"{shown(name_of(twice))} is named twice", option=f"--{side}xplane", advice="name each file once"
        )
    return tuple(files), tuple(notes)


def _runs_in(folder: str, top: Listing) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Yield log directory, if it is below `folder`, and name of each run, with its files."""
    seen: dict[tuple[str, ...], Listing] = {(): top}
    for place in _PLACES:
        found: list[tuple[str, ...]] = [()]
        for part in place.split("/"):
            seen |= list_below(folder, [parts for parts in found if parts not in seen], _listed)
            inner = ((parts, name) for parts in found for name in seen[parts].folders)
            found = [(*parts, name) for parts, name in inner if part in ("*", name)]
        seen |= list_below(folder, [parts for parts in found if parts not in seen], _listed)
        for parts in found:
            if files := _traces_in(join(folder, "/".join(parts)), seen[parts]):
                yield (*parts[: -1 - len(_PLUGIN.split("/"))], parts[-1]), files


def _listed(folder: str) -> Listing:
    """Return what is in a folder; nothing if nobody lets us read it."""
    try:
        return list_folder(folder)
    except OSError:
        return Listing(files=(), folders=())


def _traces_in(folder: str, listing: Listing) -> tuple[str, ...]:
    """Return the traces in a folder; of one that is there packed and unpacked the unpacked one."""
    names = {name for name in listing.files if is_trace_name(name)}
    kept = sorted(name for name in names if name.removesuffix(".gz") == name or name.removesuffix(".gz") not in names)
    return tuple(join(folder, name) for name in kept)


def host_names(files: Sequence[str]) -> list[str]:
    """Return the name of the host of each file, which is the file's: several hosts of one machine have its name inside.

    Files of the same name are told apart by their place.
    """
    names = [last_name(file).removesuffix(".gz").removesuffix(SUFFIX) for file in files]
    return [name if names.count(name) == 1 else f"{name}-{place}" for place, name in enumerate(names)]
