"""A baseline that is not there: a first run has none, and a job says whether that is all right."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tfprof_report.cli.main import say
from tfprof_report.cli.report_params import BaselineMissing
from tfprof_report.ingest.files import STDIN


def goes_without(values: dict[str, Any], path: str | None, of: str | None = None) -> bool:
    """Return whether the baseline at `path` is not there and need not be; with a warning where one is asked for.

    A baseline that is there and cannot be read is no missing one. `of` is the name of one of several models.
    """
    path = path if path is not None else named_file(values)
    if values["baseline_missing"] == BaselineMissing.FAIL or not path or not is_missing(path):
        return False
    if values["baseline_missing"] == BaselineMissing.WARN:
        say(f"{f'{of}: ' if of else ''}warning: {path}: there is no baseline, the report is without one")
    return True


def named_file(values: dict[str, Any]) -> str | None:
    """Return the file that stands for a base whose files are named one by one."""
    graph: str | None = next(iter(values["base_graph"] or ()), values["base_profile"])
    return graph


def is_missing(path: str) -> bool:
    """Return whether nothing is at `path`; standard input always is."""
    try:
        Path(path).stat()
    except (FileNotFoundError, NotADirectoryError):
        return path != STDIN
    except (OSError, ValueError):
        return False
    return False
