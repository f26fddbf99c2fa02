"""Finds the reports in a folder and in the folders below it, by their summaries alone."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tfprof_report.errors import InputError
from tfprof_report.record import record
from tfprof_report.report.store.summary_row import NoRowError, row_of_summary
from tfprof_report.report.unfinished import why_half_written
from tfprof_report.schema.files import HTML, SUMMARY


@record
class FoundReport:
    """A report folder: its path below the folder that was searched, with slashes, and its row, or why it has none.

    row : columns of `schema.index_columns.INDEX`, as `row_of_summary` gives them
    has_page : whether it has a page
    """

    path: str
    row: Mapping[str, Any] | None = None
    problem: str = ""
    has_page: bool = False


def reports_below(folder: str) -> Iterator[FoundReport]:
    """Yield the reports in a folder and below it, by path; of a report of several models each of them.

    Hidden folders and symbolic links to folders are left out. The tables of reports are neither read nor checked.

    Raises
    ------
    InputError
        The folder cannot be read.
    """
    for path, folders, files in os.walk(folder, onerror=_raise):
        folders[:] = sorted(name for name in folders if name[0] != ".")
        name, half_written = Path(path).relative_to(folder).as_posix(), why_half_written(path)
        if SUMMARY not in files and half_written is None:
            continue
        found = FoundReport(path=name, problem=half_written.problem) if half_written else _found(Path(path), name)
        if found is not None:
            folders.clear()
            yield found


def _raise(error: OSError) -> None:
    raise InputError(f"cannot be read ({error.strerror})", file=str(error.filename), advice="check the path") from error


def _found(folder: Path, path: str) -> FoundReport | None:
    """Return the report in a folder; None for the folder of several, which are below it."""
    try:
        summary = (folder / SUMMARY).read_bytes()
        if _has_several(summary):
            return None
        return FoundReport(path=path, row=row_of_summary(summary), has_page=(folder / HTML).is_file())
    except OSError as error:
        return FoundReport(path=path, problem=f"cannot be read ({error.strerror})")
    except NoRowError as error:
        return FoundReport(path=path, problem=error.why)


def _has_several(summary: bytes) -> bool:
    try:
        content = json.loads(summary)
    except (RecursionError, ValueError):
        return False
    return isinstance(content, dict) and isinstance(content.get("models"), list)
