"""Tells folders of reports from those of models, also where a report is not finished: its run or its copy goes on."""

from __future__ import annotations

import os
from pathlib import Path

from tfprof_report.ingest.files.file_bytes import unreadable
from tfprof_report.ingest.files.folders import is_file, join, list_folder
from tfprof_report.ingest.paths import find_in_folder
from tfprof_report.record import record
from tfprof_report.schema.files import SUMMARY, UNFINISHED, table_file
from tfprof_report.urls import is_url


@record
class HalfWritten:
    """What is wrong with a folder, and what to do."""

    problem: str
    advice: str


_KILLED = HalfWritten(
    problem="is half written: the run that writes this report was killed, or is still running",
    advice="write the report to the same folder again, which cleans up",
)
_COPIED = HalfWritten(
    problem=f"is half there: it has files of a report, but no {SUMMARY}",
    advice=f"copy the report again, {SUMMARY} last",
)


def is_report_folder(path: str) -> bool:
    """Return whether `path` is a report folder, complete or not: it has a summary or is half written, and no graph.

    A model folder into which a report was written is still a model folder: the report may be out of date.

    Raises
    ------
    InputError
        The folder cannot be entered.
    """
    try:
        return _has_report(path) and find_in_folder(path).graph is None
    except OSError as error:
        raise unreadable(error, path) from error


def _has_report(path: str) -> bool:
    """Return whether a folder has a report, complete or not; OSError if it cannot be entered."""
    if not is_url(path):
        return is_file(join(path, SUMMARY)) or why_half_written(path) is not None
    try:
        return not is_file(path) and not {SUMMARY, table_file("nodes")}.isdisjoint(list_folder(path).files)
    except FileNotFoundError:
        return False


def why_half_written(folder: str) -> HalfWritten | None:
    """Return what is wrong with a folder without a summary that has what a run keeps until its report is finished.

    For the folder of one of several models that is in the folder above. In a bucket, where reports are copied to, it is
    the table of nodes. None for any other folder; OSError if a bucket cannot be listed.
    """
    if is_url(folder):
        return _COPIED if _is_half_there(folder) else None
    path = Path(os.path.abspath(folder))  # noqa: PTH100 (resolve() would follow links)
    if os.path.lexists(path / SUMMARY):
        return None
    above = path.parent / UNFINISHED
    # os.path.isdir is False for what cannot be entered, where Path.is_dir raises
    is_there = any(map(os.path.isdir, (path / UNFINISHED, above / "new" / path.name, above / "old" / path.name)))
    return _KILLED if is_there else None


def _is_half_there(url: str) -> bool:
    try:
        names = list_folder(url).files
    except FileNotFoundError:
        return False
    return SUMMARY not in names and table_file("nodes") in names
