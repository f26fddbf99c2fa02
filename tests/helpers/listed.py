"""Rows of the index page of many reports, made by hand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa

from tfprof_report.render.reports_index.index_page import render_reports_index
from tfprof_report.schema.listed_columns import LISTED

WHEN = "2024-05-02T08:30:00Z"
START = datetime(2024, 1, 1, 3, tzinfo=UTC)


def listed_row(number: int, **columns: Any) -> dict[str, Any]:
    """Return the row of a report of one of 40 models, an hour after the one before; `columns` are other values."""
    return {
        "model": f"model-{number % 40:02}",
        "commit": f"{number:07x}{'0' * 33}",
        "time": START + timedelta(hours=number),
        "branch": "main" if number % 3 else "next",
        "label": f"batch {8 << number % 3}",
        "outcome": ("ok", "ok", "failed", "inconclusive")[number % 4],
        "float_ops": 1_000_003 * (number * 7919 % 2000),
        "params": 1000 + number,
        "device_peak_bytes": (1 << 20) + number,
        "wall_micros": 10_000.5 + number,
        "definition_count": 1000,
        "link": f"{number}/report.html",
        **columns,
    }


def odd_rows() -> list[dict[str, Any]]:
    """Return a usual row, one whose names are hostile, one that is known in part, and one without a report."""
    name = "</script><b>|"
    partly = {"float_ops": None, "float_ops_at_least": 500, "float_ops_unknown": 2, "wall_micros": None}
    return [
        listed_row(1),
        listed_row(2, model=name, label=name, branch=name, commit=name, link="a%22b/report.html", problem=None),
        listed_row(3, **partly),
        {"model": "broken", "outcome": "no report", "problem": "graph.pb: is not a GraphDef"},
    ]


def index_page(rows: list[dict[str, Any]], title: str = "runs") -> str:
    """Return the page of rows."""
    return render_reports_index(pa.Table.from_pylist(rows, schema=LISTED), title=title, timestamp=WHEN)


def write_index_page(rows: list[dict[str, Any]], folder: Path) -> Path:
    """Write the page of rows under the name that tests open, and return its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "report.html").write_text(index_page(rows))
    return folder
