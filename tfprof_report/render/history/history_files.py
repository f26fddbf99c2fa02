"""The history of models for programs: a table with a row for each report and figure, and JSON with all of it."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import datetime
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

from tfprof_report.clock import in_utc
from tfprof_report.compare.gates.verdict import Verdict
from tfprof_report.formatting import unit_of
from tfprof_report.history.budgets import Budget
from tfprof_report.history.changes import Change
from tfprof_report.history.figures_over_time import FigureOverTime
from tfprof_report.history.history_data import History, Line, ModelHistory
from tfprof_report.history.in_order import COMMIT_NUMBER, ERA
from tfprof_report.history.nets import Net, Stretch
from tfprof_report.history.steps import Step
from tfprof_report.render.machine.parquet import parquet_bytes

HISTORY_VERSION = 1
"""Version of history.json and history.parquet, increased by changes that break existing readers."""

POINTS = pa.schema(
    [
        ("model", pa.string()),
        ("figure", pa.string()),
        ("unit", pa.string()),
        ("commit_number", pa.int64()),
        ("commit", pa.string()),
        ("time", pa.timestamp("us", tz="UTC")),
        ("tags", pa.list_(pa.string())),
        ("report", pa.string()),
        ("is_held", pa.bool_()),
        ("outcome", pa.string()),
        ("counting", pa.string()),
        ("era", pa.int64()),
        ("value", pa.float64()),
        ("exact", pa.int64()),
        ("at_least", pa.float64()),
        ("unknown", pa.int64()),
        ("level", pa.float64()),
        ("is_step", pa.bool_()),
    ]
)
"""The columns of history.parquet: a row for each figure of each report, in the order of models, figures, commits."""


def points_table(history: History) -> pa.Table:
    """Return the points of all lines; value is float64, exact is the same as int64 where it is a whole number."""
    tables = [_points(model, line) for model in history.models for line in model.lines]
    return pa.concat_tables([POINTS.empty_table(), *tables])


def render_history_parquet(history: History) -> bytes:
    """Return the points of all lines as a Parquet file."""
    metadata = {"history_version": str(HISTORY_VERSION), "tool_version": history.tool_version}
    return parquet_bytes(points_table(history), metadata, history.tool_version)


def _points(model: ModelHistory, line: Line) -> pa.Table:
    rows, count = model.rows, model.rows.num_rows
    value = rows[line.stem]
    is_whole = pa.types.is_integer(value.type)
    level = np.full(count, np.nan)
    for each in line.moves.levels:
        level[each.first : each.last + 1] = each.value
    steps = np.zeros(count, dtype=bool)
    steps[[step.row for step in line.moves.steps]] = True
    return pa.table(
        {
            "model": pa.array([model.name] * count, pa.string()),
            "figure": pa.array([line.stem] * count, pa.string()),
            "unit": pa.array([unit_of(line.stem).value] * count, pa.string()),
            "commit_number": rows[COMMIT_NUMBER],
            "commit": rows["commit"],
            "time": pa.array(model.times, POINTS.field("time").type),
            "tags": pa.array([list(names) for names in model.tags], POINTS.field("tags").type),
            "report": rows["report"],
            "is_held": pa.array(model.held, pa.bool_()),
            "outcome": rows["outcome"],
            "counting": rows["counting"],
            "era": rows[ERA],
            "value": value.cast(pa.float64(), safe=False),
            "exact": value if is_whole else pa.nulls(count, pa.int64()),
            "at_least": rows[f"{line.stem}_at_least"].cast(pa.float64(), safe=False),
            "unknown": rows[f"{line.stem}_unknown"],
            "level": pa.array(level, pa.float64(), from_pandas=True),
            "is_step": steps,
        },
        schema=POINTS,
    )


def render_history_json(history: History) -> str:
    """Return all of a history but its points, which are in history.parquet."""
    content = {
        "history_version": HISTORY_VERSION,
        "tool": "tfprof-report",
        "tool_version": history.tool_version,
        "timestamp": history.timestamp,
        "store": history.store,
        "commits": len(history.commits),
        "since": history.since,
        "exit_code": int(history.exit_code),
        "models": [_model(model) for model in history.models],
        "failed": [
            {"name": model.name, "exit_code": int(model.exit_code), "reason": model.reason} for model in history.failed
        ],
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _model(model: ModelHistory) -> dict[str, Any]:
    return {
        "name": model.name,
        "reports": model.rows.num_rows,
        "newest": _place(model, model.rows.num_rows - 1) if model.rows.num_rows else None,
        "figures": [_line(model, line) for line in model.lines],
        "changes": [_change(model, change) for change in model.changes],
        "stretches": [_stretch(model, stretch) for stretch in model.stretches],
        "left_out": [asdict(each) for each in model.left_out],
        "reports_of_other_commits": model.elsewhere,
        "replaced_reports": model.earlier,
        "verdict": model.verdict and _verdict(model.verdict),
    }


def _verdict(verdict: Verdict) -> dict[str, Any]:
    return {
        "outcome": verdict.outcome,
        "exit_code": verdict.exit_code,
        "text": verdict.text,
        "gates": [
            {
                "gate": result.gate,
                "status": result.status,
                "level": result.level,
                "metric": result.metric,
                "text": result.text,
                "owner": result.owner,
                "reference": result.reference and result.reference.words,
            }
            for result in verdict.gates
        ],
    }


def _line(model: ModelHistory, line: Line) -> dict[str, Any]:
    table = line.over_time
    return {
        "figure": line.stem,
        "unit": unit_of(line.stem).value,
        "is_noisy": line.moves.is_noisy,
        **{name: _figure(model, table, name) for name in ("now", "week", "month", "release", "best")},
        "budget": table.budget and _budget(table.budget),
        "distance": _number(table.distance),
        "drift": line.drift and asdict(line.drift),
        "levels": [
            {"from": _place(model, level.first), "to": _place(model, level.last), "value": level.value}
            for level in line.moves.levels
        ],
    }


def _budget(budget: Budget) -> dict[str, Any]:
    return {"gate": budget.text, "most": _number(budget.most), "owner": budget.owner, "since_commit": budget.since}


def _figure(model: ModelHistory, table: FigureOverTime, name: str) -> dict[str, Any]:
    figure = getattr(table, name)
    return {
        "of": None if figure.row is None else _place(model, figure.row),
        "value": figure.value,
        "at_least": figure.at_least,
        "reason": figure.reason or None,
    }


def _change(model: ModelHistory, change: Change) -> dict[str, Any]:
    why = change.why
    return {
        "after": _place(model, change.before),
        "at": _place(model, change.row),
        "commits": change.commits,
        "steps": [_step(step) for step in change.steps],
        "sentence": why.sentence if why and not why.problem else None,
        "problem": why.problem if why else "not compared",
        "layers": [asdict(layer) for layer in why.layers] if why else [],
    }


def _step(step: Step) -> dict[str, Any]:
    return {
        "figure": step.stem,
        "base": step.base,
        "head": step.head,
        "delta": step.delta,
        "percent": step.percent,
        "is_noisy": step.is_noisy,
    }


def _stretch(model: ModelHistory, stretch: Stretch) -> dict[str, Any]:
    nets = [_net(model, net) for net in stretch.nets]
    return {"words": stretch.words, "from": _place(model, stretch.start), "nets": nets}


def _net(model: ModelHistory, net: Net) -> dict[str, Any]:
    return {
        "figure": net.stem,
        "base": net.base,
        "head": net.head,
        "delta": net.delta,
        "steps": net.count,
        "is_drift": net.is_drift,
        "largest": [{"at": _place(model, step.row), "delta": step.delta} for step in net.largest],
    }


def _place(model: ModelHistory, row: int) -> dict[str, Any]:
    """Return the commit of a row, its number among the commits, and its date."""
    commit, number = model.rows["commit"][row].as_py(), model.rows[COMMIT_NUMBER][row].as_py()
    return {"commit": commit, "number": number, "time": _time(model.times[row])}


def _time(time: datetime | None) -> str | None:
    return None if time is None else in_utc(time)


def _number(value: Fraction | None) -> int | float | None:
    if value is None:
        return None
    return value.numerator if value.denominator == 1 else float(value)
