"""Columns of reports side by side, made by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from tfprof_report.render.side_by_side.content import side_by_side_content
from tfprof_report.render.side_by_side.side_by_side_page import render_side_by_side_html
from tfprof_report.schema.index_columns import INDEX
from tfprof_report.side_by_side.build import SideBySide, put_side_by_side
from tfprof_report.side_by_side.report_column import Column, column_of

WHEN = "2024-05-02T08:30:00Z"


def row_of(**columns: Any) -> dict[str, Any]:
    """Return a row of the index of a report of 3 nodes, counted as usual; `columns` are further ones."""
    way = {"counting_version": 3, "rules": "extended 3", "semantics": "corrected", "options": "{}", "counting": "a"}
    made = {"outcome": "not judged", "steps": 2, "tool_version": "1", "definition_count": 3}
    return {**dict.fromkeys(INDEX.names), **way, **made, **columns}


def column(name: str, layers: Mapping[str | None, int | None] | None = None, **columns: Any) -> Column:
    """Return a column with these figures, and layers with these FLOPs."""
    table = None
    if layers is not None:
        counts = [*layers.values()]
        table = pa.table(
            {
                "layer": pa.array([*layers], pa.string()),
                "float_ops": pa.array(counts, pa.int64()),
                "unknown_float_ops": pa.array([int(count is None) for count in counts]),
            }
        )
    why = "" if layers is not None else "nobody wrote them"
    return column_of(name, f"runs/{name}", row_of(**columns), layers=table, no_layers=why)


def side_by_side(*columns: Column) -> SideBySide:
    """Return columns side by side."""
    return put_side_by_side(columns, tool_version="1", timestamp=WHEN)


def four_models() -> Sequence[Column]:
    """Return four models: the second needs less FLOPs and more parameters, the third is beaten, the fourth untimed."""
    inputs = iter("abcd")
    return [
        column(
            "wide",
            {"stem": 600, "head": 400},
            float_ops=1000,
            params=100,
            device_peak_bytes=4096,
            wall_micros=500.0,
            inputs=next(inputs),
        ),
        column(
            "deep",
            {"stem": 600, "tail": 200},
            float_ops=800,
            params=150,
            device_peak_bytes=4096,
            wall_micros=600.5,
            inputs=next(inputs),
        ),
        column(
            "</script><b>|",
            {"stem": 1200, "head": None},
            float_ops=1200,
            params=150,
            device_peak_bytes=8192,
            wall_micros=600.5,
            inputs=next(inputs),
        ),
        column(
            "untimed",
            float_ops_at_least=500,
            float_ops_unknown=2,
            params=50,
            device_peak_bytes=2048,
            inputs=next(inputs),
        ),
    ]


def write_page(folder: Path, *columns: Column) -> Path:
    """Write the page of columns side by side under the name that tests open, and return its folder."""
    result = side_by_side(*columns)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "report.html").write_text(render_side_by_side_html(result, side_by_side_content(result)))
    return folder
