"""The folder of a capture: which files it has, and how a new capture replaces an earlier one."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from errno import EACCES, ENOTDIR
from pathlib import Path

from tfprof_report.errors import OutputError
from tfprof_report.profiler.api import LOG_NAME
from tfprof_report.render.files.replacement import JournalError, Replacement
from tfprof_report.schema.files import UNFINISHED

GRAPH = "graph.pb"
RUN = "plugins/profile/capture"
"""The folder of the trace, as TensorBoard finds it; its name shows that a capture wrote it."""

_PIECE = 1 << 20
_ELSEWHERE = "give a folder that can be written"


def check_folder(folder: Path) -> None:
    """Raise an OutputError unless the folder can be made, is empty, or is one that a capture has written."""
    try:
        names = _files_of(folder)
    except NotADirectoryError as error:
        what = "is a file, not a folder" if folder.exists() else "is below a file"
        raise OutputError(what, file=str(folder), advice="give another path") from error
    except OSError as error:
        raise OutputError(f"cannot be used ({error.strerror})", file=str(folder), advice=_ELSEWHERE) from error
    foreign = next((name for name in names if not _is_ours(name)), None)
    if foreign is None and names and not any(name.startswith(f"{RUN}/") for name in names):
        foreign = names[0]
    if foreign is not None:
        raise OutputError(
            f"the folder holds {foreign}, which no capture wrote",
            file=str(folder),
            advice="give a new folder, or remove it",
        )


def replace_folder(folder: Path, files: Mapping[str, bytes], logs: Path) -> None:
    """Replace an earlier capture by `files` and by the trace that a profiler wrote into the folder `logs`, all or none.

    Raises
    ------
    OutputError
        There is no trace, the folder holds other files by now, or it cannot be written.
    """
    trace = sorted(path for path in logs.rglob("*") if path.is_file() and path.parent.parent.name == "profile")
    if not any(path.name.endswith(".xplane.pb") for path in trace):
        raise OutputError("the profiler wrote no trace", file=str(folder), advice="see what it logged")
    check_folder(folder)
    replacement = Replacement(folder, UNFINISHED, _is_ours)
    try:
        replacement.open()
        for name, content in files.items():
            replacement.stage(name, [content])
        for path in trace:
            replacement.stage(f"{RUN}/{path.name}", _pieces(path))
        replacement.commit(_files_of(folder))
    except BlockingIOError as error:
        raise OutputError("another run is writing there", file=str(folder), advice="give another folder") from error
    except JournalError as error:
        raise OutputError("another version left what is there", file=str(error), advice="remove the folder") from error
    except OSError as error:
        raise OutputError(f"cannot be written ({error.strerror})", file=str(folder), advice=_ELSEWHERE) from error
    finally:
        replacement.close()


def _files_of(folder: Path) -> list[str]:
    """Return the paths of all files in a folder, sorted; empty if it is not there."""
    above = next(each for each in (folder, *folder.parents) if each.exists())
    if not above.is_dir():
        raise NotADirectoryError(ENOTDIR, os.strerror(ENOTDIR))
    if not os.access(above, os.W_OK | os.X_OK):
        raise PermissionError(EACCES, os.strerror(EACCES))
    if above != folder:
        return []
    found = (path.relative_to(folder) for path in folder.rglob("*") if not path.is_dir() or path.is_symlink())
    return sorted(path.as_posix() for path in found if path.parts[0] != UNFINISHED)


def _is_ours(path: str) -> bool:
    """Return whether a relative path can be of a capture, or with a slash at its end of a folder of one."""
    if path.endswith("/"):
        return f"{RUN}/".startswith(path)
    parent, _, name = path.rpartition("/")
    return path in (GRAPH, LOG_NAME) or (parent == RUN and name != "")


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            yield piece
