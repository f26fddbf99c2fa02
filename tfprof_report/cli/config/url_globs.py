"""Globs of paths and URLs; in a bucket one level of folders after the other: a store cannot be asked for a glob."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from urllib.parse import unquote

from tfprof_report.cli.config.manifest import MOST_ENTRIES
from tfprof_report.cli.config.path_globs import GlobError, Match, cleaned_name, expand, is_glob
from tfprof_report.ingest.files.file_bytes import unreadable
from tfprof_report.ingest.files.folders import Listing, Place, join, list_below, list_folder
from tfprof_report.urls import is_url, name_of, split_parameters

_MAGIC = re.compile(r"[*\[]")
"""``?`` begins the parameters of a URL."""


def is_url_glob(url: str) -> bool:
    """Return whether a text is a URL with the characters of a glob in the path of an object."""
    return is_url(url) and _MAGIC.search(split_parameters(url)[0]) is not None


def names_many(source: str) -> bool:
    """Return whether a path or a URL is a glob."""
    return is_glob(source) or is_url_glob(source)


def matches_of(pattern: str, out: str | None = None) -> list[Match]:
    """Return what a glob of paths or URLs matches, sorted; `out` is a folder that must not be among them.

    Raises
    ------
    GlobError, InputError
        As in `expand` and `expand_url`.
    """
    return expand_url(pattern) if is_url(pattern) else expand(pattern, out)


def expand_url(pattern: str) -> list[Match]:
    """Return what a glob matches, sorted by name; ``**`` stands for any number of folders.

    With a slash at its end it matches folders only.

    Raises
    ------
    GlobError
        It matches nothing or too much, or leaves the bucket open.
    InputError
        A folder cannot be listed.
    """
    plain, parameters = split_parameters(pattern)
    scheme, rest = plain.split("://", 1)
    bucket, *parts = rest.rstrip("/").split("/")
    if _MAGIC.search(bucket):
        raise GlobError("leaves the bucket open", "name the bucket")
    first = next(at for at, part in enumerate(parts) if _MAGIC.search(part))
    last = max(at for at, part in enumerate(parts) if _MAGIC.search(part))
    start = f"{scheme}://{'/'.join([bucket, *parts[:first]])}{parameters}"
    folders, files = _matches(start, [unquote(part) for part in parts[first:]])
    found = sorted((folders if rest.endswith("/") else folders | files) - {()})
    if not found:
        raise GlobError("matches nothing", "check the URL")
    if len(found) > MOST_ENTRIES:
        raise GlobError(f"matches more than {MOST_ENTRIES:,} objects", "use several batches")
    after = len(parts) - 1 - last
    return [Match(path=join(start, "/".join(each)), name=_open_part(each, after)) for each in found]


def _matches(start: str, wanted: Sequence[str]) -> tuple[set[Place], set[Place]]:
    """Return the folders and the objects below `start` that are wanted, as the parts of their paths."""
    folders: set[Place] = {()}
    files: set[Place] = set()
    for part in wanted:
        if part == "**":
            folders, files = _below(start, folders), set()
            continue
        listed = list_below(start, folders, _listed)
        folders = {(*above, name) for above in folders for name in listed[above].folders if _is_meant(name, part)}
        files = {(*above, name) for above in listed for name in listed[above].files if _is_meant(name, part)}
    return folders, files


def _below(start: str, folders: set[Place]) -> set[Place]:
    """Return folders and all folders below them."""
    found, new = set(folders), folders
    while new:
        listed = list_below(start, new, _listed)
        new = {(*above, name) for above in new for name in listed[above].folders if name[0] != "."} - found
        found |= new
    return found


def _is_meant(name: str, part: str) -> bool:
    """Return whether a name matches a part of the glob; hidden ones only where it asks for them."""
    return fnmatchcase(name, part) and (name[0] != "." or part[0] == ".")


def _listed(folder: str) -> Listing:
    try:
        return list_folder(folder)
    except FileNotFoundError:
        return Listing(files=(), folders=())
    except OSError as error:
        raise unreadable(error, name_of(folder)) from error


def _open_part(parts: Place, after: int) -> str:
    """Return the parts of a match that the glob leaves open, joined to a name."""
    return cleaned_name("-".join(parts[: len(parts) - after])) or cleaned_name(parts[-1])
