"""Reports side by side for programs: a tidy table with a row for each figure and layer of each report, and JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pyarrow as pa

from tfprof_report.clock import in_utc
from tfprof_report.compare.exact_totals import as_number
from tfprof_report.formatting import unit_of
from tfprof_report.limits import INT64_LIMIT
from tfprof_report.render.machine.parquet import PREFIX, parquet_bytes
from tfprof_report.render.machine.summary_json import bounded, json_text
from tfprof_report.report.past_totals import options_of
from tfprof_report.schema.index_columns import FIGURES
from tfprof_report.schema.metrics import UNIT_CONVENTIONS
from tfprof_report.side_by_side.build import SideBySide
from tfprof_report.side_by_side.differences import Figure
from tfprof_report.side_by_side.front import Front
from tfprof_report.side_by_side.layers import STEM

COMPARE_VERSION = 1
"""Version of compare.json and compare.parquet, increased by changes that break existing readers."""

TIDY = pa.schema(
    [
        ("column", pa.int64()),
        ("name", pa.string()),
        ("source", pa.string()),
        ("model", pa.string()),
        ("label", pa.string()),
        ("commit", pa.string()),
        ("branch", pa.string()),
        ("time", pa.timestamp("us", tz="UTC")),
        ("counting", pa.string()),
        ("level", pa.string()),
        ("layer", pa.string()),
        ("figure", pa.string()),
        ("unit", pa.string()),
        ("value", pa.float64()),
        ("exact", pa.int64()),
        ("at_least", pa.float64()),
        ("unknown", pa.int64()),
        ("standing", pa.string()),
        ("delta", pa.float64()),
        ("exact_delta", pa.int64()),
        ("percent", pa.float64()),
        ("is_on_front", pa.bool_()),
    ]
)
"""The columns of compare.parquet: a row for each figure of each column, then for each layer of each column.

``is_on_front`` is that of the column on the front of all figures, in the rows of these figures; NULL in others.
"""

_FACTS = ("model", "label", "commit", "branch", "time", "counting")


def render_side_by_side_parquet(result: SideBySide) -> bytes:
    """Return the figures; value is float64, exact is the same as int64 where it is a whole number."""
    table = pa.Table.from_pylist(list(_rows(result)), schema=TIDY)
    metadata = {
        "compare_version": str(COMPARE_VERSION),
        "tool_version": result.tool_version,
        "timestamp": result.timestamp,
        "units": json.dumps({stem: unit_of(stem).value for stem in FIGURES}, sort_keys=True),
        "conventions": json.dumps(UNIT_CONVENTIONS, sort_keys=True),
    }
    return parquet_bytes(table, {PREFIX + key: value for key, value in metadata.items()}, result.tool_version)


def _rows(result: SideBySide) -> Iterator[dict[str, Any]]:
    front = result.fronts.whole
    for number, column in enumerate(result.columns):
        facts = {"column": number, "name": column.name, "source": column.source}
        facts |= {name: column.row[name] for name in _FACTS}
        for row in result.rows:
            is_on = front.places[number].is_on if row.stem in front.stems else None
            yield facts | {"level": "model", "is_on_front": is_on} | _tidy(row.stem, row.figures[number])
        for layer in result.layers.rows:
            if (figure := layer.figures[number]) is not None:
                yield facts | {"level": "layer", "layer": layer.name} | _tidy(STEM, figure)


def _tidy(stem: str, figure: Figure) -> dict[str, Any]:
    total = figure.total
    value = None if total.unknown else total.value
    return {
        "figure": stem,
        "unit": unit_of(stem).value,
        "value": _float(value),
        "exact": _whole(value),
        "at_least": _float(total.value) if total.unknown else None,
        "unknown": total.unknown,
        "standing": str(figure.standing),
        "delta": _float(figure.delta),
        "exact_delta": _whole(figure.delta),
        "percent": figure.percent,
    }


def _float(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def _whole(value: Fraction | None) -> int | None:
    is_whole = value is not None and value.denominator == 1 and abs(value) < INT64_LIMIT
    return value.numerator if value is not None and is_whole else None


def render_side_by_side_json(result: SideBySide) -> str:
    """Return all of it as JSON; integers beyond 2^53 are strings."""
    fronts = result.fronts
    content: dict[str, Any] = {
        "compare_version": COMPARE_VERSION,
        "tool": "tfprof-report",
        "tool_version": result.tool_version,
        "timestamp": result.timestamp,
        "is_conclusive": result.is_conclusive,
        "exit_code": int(result.exit_code),
        "conventions": UNIT_CONVENTIONS,
        "columns": [_column(result, number) for number in range(len(result.columns))],
        "figures": [
            {"figure": row.stem, "unit": unit_of(row.stem).value, "of_columns": [*map(_figure, row.figures)]}
            for row in result.rows
        ],
        "front": _front(fronts.whole),
        "fronts_of_two": [_front(front) for front in fronts.pairs],
        "unused": list(fronts.unused),
        "layers": {
            "figure": STEM,
            "count": result.layers.count,
            "in_all": result.layers.shared,
            "rows": [
                {"layer": row.name, "of_columns": [None if each is None else _figure(each) for each in row.figures]}
                for row in result.layers.rows
            ],
        },
    }
    return json_text(content)


def _column(result: SideBySide, number: int) -> dict[str, Any]:
    column, row = result.columns[number], result.columns[number].row
    return {
        "name": column.name,
        "source": column.source,
        **{name: row[name] for name in ("model", "label", "commit", "branch", "outcome", "tool_version")},
        "time": in_utc(row["time"]) if row["time"] else None,
        **{name: row[name] for name in ("counting_version", "rules", "semantics", "basis", "steps", "counting")},
        "options": options_of(row),
        "counted_otherwise": [
            {"words": each.words, "figures": [stem for stem in FIGURES if stem in each.stems]}
            for each in result.otherwise[number]
        ],
        "same_inputs_as": result.same_as[number],
        "compared_figures": result.compared[number],
        "no_layers": None if column.layers is not None else column.no_layers,
    }


def _figure(figure: Figure) -> dict[str, Any]:
    total = figure.total
    return {
        **bounded("value", as_number(total.value), total.unknown),
        "standing": str(figure.standing),
        "delta": as_number(figure.delta),
        "percent": figure.percent,
    }


def _front(front: Front) -> dict[str, Any]:
    return {
        "figures": list(front.stems),
        "on": list(front.on),
        "of_columns": [
            {"is_on": place.is_on, "beaten_by": list(place.beaten_by), "lacks": list(place.lacks)}
            for place in front.places
        ],
    }
