"""What commands write about a store: outside of it, with links to the reports in it (--store-url)."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from tfprof_report.cli.commands.named_files import real_path
from tfprof_report.errors import OptionError
from tfprof_report.report.links import read_links
from tfprof_report.report.store.place import Place

_OPTION = "--store-url"
_NONE = "none"
"""The value if the store is published nowhere."""


def check_outside(place: Place, paths: Mapping[str, Sequence[str]]) -> None:
    """Raise an OptionError for an output, by its option, in a store: readers would take it for a part of that."""
    if place.is_local:
        root = real_path(str(place.root))
        for option, path in ((option, path) for option, those in paths.items() for path in those):
            if real_path(path).is_relative_to(root):
                raise OptionError("is in the store", file=path, option=option, advice="write it to another folder")


def check_store_url(given: str | None) -> str | None:
    """Return the address that is given for a store, None without one or if it is published nowhere.

    Raises
    ------
    OptionError
        It is not an address of http or https.
    """
    return read_links(None if given == _NONE else given, None, option=_OPTION).report


def store_address(given: str | None, place: Place, folder: str) -> str:
    """Return the address of a store, empty if there is none; by default that of a local store, seen from a folder."""
    if given == _NONE:
        return ""
    if given is not None or not place.is_local:
        return given or ""
    return quote(os.fsencode(Path(os.path.relpath(place.root, Path(folder).absolute())).as_posix()))
