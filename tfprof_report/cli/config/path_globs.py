"""Globs that name the inputs of many entries, and the names that their matches have."""

from __future__ import annotations

import os
import re
from itertools import islice
from pathlib import Path, PurePath

from tfprof_report.cli.config.manifest import MOST_ENTRIES
from tfprof_report.ingest.files.folders import last_name
from tfprof_report.record import record
from tfprof_report.urls import is_url

_MAGIC = re.compile(r"[*?\[]")
_ENDINGS = re.compile(r"(\.(pb|pbtxt|gz|txt))+$")
_NOT_IN_NAMES = re.compile(r"[^\w.-]+")


class GlobError(Exception):
    """A glob cannot be used; the text says why, the second argument what to do."""


@record
class Match:
    """A file or folder that a glob matches, and what the glob leaves open of it, as a name."""

    path: str
    name: str


def is_glob(path: str) -> bool:
    """Return whether a path has the characters of a glob and is not itself there."""
    return bool(_MAGIC.search(path)) and not is_url(path) and not os.path.lexists(path)


def name_of(path: str) -> str:
    """Return the name of a model after its file or folder."""
    return cleaned_name(last_name(path) or Path(path).resolve().name)


def expand(pattern: str, out: str | None) -> list[Match]:
    """Return what a glob matches, sorted; hidden files and folders only where it asks for them.

    ``**`` stands for any number of folders, and does not follow symbolic links. With a slash at its end a glob matches
    folders only.

    Raises
    ------
    GlobError
        It matches nothing, too much, the folder `out` that the batch writes, or one folder twice.
    """
    if out is not None:
        _check_beside(pattern, out)
    parts = Path(pattern).parts
    first = next(at for at, part in enumerate(parts) if _MAGIC.search(part))
    last = max(at for at, part in enumerate(parts) if _MAGIC.search(part))
    start = Path(*parts[:first])
    try:
        found = list(islice(start.glob(str(Path(*parts[first:]))), MOST_ENTRIES + 1))
    except (OSError, ValueError, NotImplementedError) as error:
        raise GlobError(f"is not a glob ({error})", "write a glob such as runs/*") from error
    if len(found) > MOST_ENTRIES:
        raise GlobError(f"matches more than {MOST_ENTRIES:,} files", "use several batches")
    if pattern.endswith("/"):
        found = [path for path in found if path.is_dir()]
    shown = [path for path in sorted(found) if not _is_hidden(path.parts[first:], parts[first:])]
    if not shown:
        raise GlobError("matches nothing", "check the path")
    _check_loops(shown, out)
    after = len(parts) - 1 - last
    return [Match(path=str(path), name=_open_part(path, first, after)) for path in shown]


def _is_hidden(found: tuple[str, ...], asked: tuple[str, ...]) -> bool:
    return any(part.startswith(".") for part in found) and not any(part.startswith(".") for part in asked)


def _open_part(path: Path, first: int, after: int) -> str:
    """Return the parts of a match that the glob leaves open, joined to a name."""
    parts = path.parts[first : len(path.parts) - after]
    return cleaned_name("-".join(parts)) or cleaned_name(path.name)


def cleaned_name(name: str) -> str:
    """Return a name without the endings of files, and with a hyphen for what no name has."""
    return _NOT_IN_NAMES.sub("-", _ENDINGS.sub("", name)).strip("-.")


def _check_loops(found: list[Path], out: str | None) -> None:
    """Refuse matches that are the output of the batch, hold it or lie in it, and two that are one through a link."""
    written = None if out is None else os.path.realpath(out)
    seen: dict[str, Path] = {}
    for path in found:
        real = os.path.realpath(path)
        if written is not None and os.path.commonpath([real, written]) in (real, written):
            raise _of_output(path)
        above = os.path.realpath(path.parent)
        if os.path.commonpath([real, above]) == real:
            advice = "name the folders that are meant"
            raise GlobError(f"matches {path}, which leads back to a folder above it through a symbolic link", advice)
        if real in seen:
            words = f"matches {seen[real]} and {path}, which are the same through a symbolic link"
            raise GlobError(words, "name the folders that are meant")
        seen[real] = path


def _check_beside(pattern: str, out: str) -> None:
    """Raise GlobError if a glob matches the folder `out`, or one that it is in, though it may not be there yet.

    Of a glob with ``**`` only what it matches now is looked at.
    """
    asked, written = (PurePath(os.path.abspath(path)) for path in (pattern, out))  # noqa: PTH100 (links stay)
    if "**" not in asked.parts and any(folder.match(str(asked)) for folder in (written, *written.parents)):
        raise _of_output(out)


def _of_output(path: object) -> GlobError:
    return GlobError(f"matches {path}, where the batch writes", "write to a folder that it does not match")
