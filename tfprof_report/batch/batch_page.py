"""The page that lists the reports in the folder of a batch, and the entries that have none."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow as pa

from tfprof_report.batch.outcome import DONE, Row, State
from tfprof_report.clock import now
from tfprof_report.errors import shown
from tfprof_report.render.reports_index.index_page import render_reports_index
from tfprof_report.report.store.summary_row import NoRowError, row_of_summary
from tfprof_report.schema.files import HTML, SUMMARY
from tfprof_report.schema.listed_columns import LISTED
from tfprof_report.urls import show_names

_NO_REPORT = "no report"
"""The outcome of an entry that failed: that of a report whose gates do not hold is "failed"."""


def render_batch_page(rows: Iterable[Row], folder: str) -> bytes:
    """Return the page, to be read in `folder`, which has the reports; an entry without one is a row with the reason."""
    listed = pa.Table.from_pylist([_listed(row, folder) for row in rows], schema=LISTED)
    return render_reports_index(listed, title=shown(folder), timestamp=now()).encode()


def _listed(row: Row, folder: str) -> dict[str, Any]:
    entry, result = row.entry, row.result
    labels = ", ".join(f"{name}={value}" for name, value in sorted(entry.labels.items()))
    known = {"model": entry.name, "commit": entry.commit, "branch": entry.branch, "label": labels or None}
    if result.state not in DONE:
        outcome = _NO_REPORT if result.state is State.FAILED else str(result.state)
        return known | {"outcome": outcome, "problem": shown(show_names(result.reason or ""))}
    try:
        found = row_of_summary(Path(folder, entry.name, SUMMARY).read_bytes())
    except (NoRowError, OSError) as problem:
        return known | {"outcome": result.verdict, "problem": str(problem)}
    link = quote(os.fsencode(f"{entry.name}/{HTML}"))
    own = {name: value for name, value in known.items() if value is not None}
    return found | own | {"link": link}
