"""Writes a report whole or not at all: all files under temporary names first, then a rename of each."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from tfprof_report.errors import OutputError
from tfprof_report.render.files import write_beside
from tfprof_report.render.html import render_html
from tfprof_report.render.markdown import render_markdown
from tfprof_report.render.parquet import render_parquet, tables_of
from tfprof_report.render.summary import render_summary
from tfprof_report.report.folder import SUMMARY
from tfprof_report.report.model import Report
from tfprof_report.views.build import VIEWS

_TABLES = [f"{prefix}{name}.parquet" for prefix in ("", "diff_") for name in ("nodes", "steps", *VIEWS)]
OURS = frozenset(("report.html", "report.md", *_TABLES))
"""Files of a report but its summary. Those that a new report does not write are removed with the earlier one."""


def write_report(report: Report, folder: str, *, progress: Callable[[str], None] | None = None) -> tuple[str, ...]:
    """Write all files of a report into a folder, the summary last, and return their names.

    A report that was there before is replaced; other files of the folder stay.

    Raises
    ------
    OutputError
        The folder or a file cannot be written.
    """
    renderers: dict[str, Callable[[], bytes]] = {
        "report.html": lambda: render_html(report).encode(),
        "report.md": lambda: render_markdown(report).encode(),
        **{name: partial(render_parquet, table, report) for name, table in tables_of(report).items()},
    }
    target = Path(folder)
    files: dict[str, dict[str, Any]] = {}
    written: dict[str, Path] = {}
    try:
        target.mkdir(parents=True, exist_ok=True)
        for name, render in renderers.items():
            if progress:
                progress(name)
            data = render()
            files[name] = {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
            written[name] = write_beside(target / name, [data])
        written[SUMMARY] = write_beside(target / SUMMARY, [render_summary(report, files).encode()])
        # From here on an earlier report is incomplete, until the summary, which comes last, stands for the new one.
        for name in (SUMMARY, *(OURS - written.keys())):
            (target / name).unlink(missing_ok=True)
        for name, temporary in written.items():
            temporary.replace(target / name)
    except OSError as error:
        raise OutputError(
            f"cannot be written ({error.strerror or error})",
            file=str(error.filename2 or folder),  # the target of a rename; a temporary name would say little
            option="--out",
            advice="give a folder that can be written",
        ) from error
    finally:
        for temporary in written.values():
            temporary.unlink(missing_ok=True)
    return tuple(written)
