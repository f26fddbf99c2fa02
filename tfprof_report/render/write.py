"""Writes the files of a report of one model."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from tfprof_report.render.html import render_html
from tfprof_report.render.markdown import render_markdown
from tfprof_report.render.parquet import render_parquet, tables_of
from tfprof_report.render.staging import Staging
from tfprof_report.render.summary import render_summary
from tfprof_report.report.folder import SUMMARY
from tfprof_report.report.model import Report


def write_report(report: Report, folder: str, *, progress: Callable[[str], None] | None = None) -> tuple[str, ...]:
    """Write all files of a report into a folder, the summary last, and return their names.

    A report that was there before is replaced; other files of the folder stay.

    Raises
    ------
    OutputError
        The folder or a file cannot be written.
    """
    with Staging(folder) as staging:
        files = stage_report(report, staging, staging.top, progress=progress)
        staging.commit()
    return tuple(files)


def stage_report(
    report: Report, staging: Staging, folder: Path, *, progress: Callable[[str], None] | None = None
) -> dict[str, dict[str, Any]]:
    """Stage all files of a report for a folder, the summary last; return ``{"sha256", "bytes"}`` of each by name."""
    renderers: dict[str, Callable[[], bytes]] = {
        "report.html": lambda: render_html(report).encode(),
        "report.md": lambda: render_markdown(report).encode(),
        **{name: partial(render_parquet, table, report) for name, table in tables_of(report).items()},
    }
    files: dict[str, dict[str, Any]] = {}
    for name, render in renderers.items():
        if progress:
            progress(name)
        files[name] = staging.add(folder / name, render)
    listed = dict(files)
    files[SUMMARY] = staging.add(folder / SUMMARY, lambda: render_summary(report, listed).encode())
    return files
