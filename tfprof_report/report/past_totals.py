"""The totals of an earlier report in its row of an index, and whether they can be compared with those of head."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from tfprof_report.compare.gates.policy import Gate
from tfprof_report.compare.gates.reference import PastTotal, PastTotals
from tfprof_report.compare.side import Side
from tfprof_report.model.flops.evaluate import FLOP_STEMS
from tfprof_report.model.shapes.basis import basis_of
from tfprof_report.report.store.summary_row import counting_columns
from tfprof_report.schema.index_columns import FIGURES, SPREAD, figure_columns, spread_columns
from tfprof_report.schema.metrics import NANOS, NANOS_PER_MICRO, STEP_TIMES, Number

_BATCH = re.compile(r"at batch ([\d,]+) of ")


def totals_of_row(columns: Mapping[str, Any]) -> PastTotals:
    """Return the totals in a row of the index; a metric whose columns were not read is left out."""
    steps = int(columns["steps"] or 0)
    figures = {}
    for metric in FIGURES:
        if metric not in columns:
            continue
        names = figure_columns(metric)
        value, at_least, unknown = (columns[name] for name in names)
        low, high = (columns[name] for name in spread_columns(metric)) if metric in SPREAD else (None, None)
        figures[metric] = PastTotal(
            value=_exact(at_least if value is None else value, metric, steps),
            unknown=unknown or 0,
            low=_exact(low, metric, 1),
            high=_exact(high, metric, 1),
        )
    return PastTotals(steps=steps, figures=figures)


def _exact(value: Number | None, metric: str, steps: int) -> Fraction | None:
    """Return a figure exactly: a mean in float64 is the nearest to one of whole parts over `steps`."""
    if value is None or isinstance(value, int):
        return None if value is None else Fraction(value)
    parts = max(steps, 1) * (NANOS_PER_MICRO if metric in (*NANOS, *STEP_TIMES) else 1)
    nearest = Fraction(round(Fraction(value) * parts), parts)
    return nearest if float(nearest) == value else Fraction(value)


def counting_of(side: Side) -> dict[str, Any]:
    """Return the columns of the index that say how a side is counted."""
    measurement = side.measurement
    return counting_columns(
        {
            "semantics": measurement.semantics_name,
            "options": measurement.as_dict(),
            "counting_version": side.counting_version,
            "rules": side.rules,
        }
    )


def why_unlike(gate: Gate, columns: Mapping[str, Any], head: Side, counting: Mapping[str, Any]) -> str:
    """Return why figures of a report cannot be compared with those of head; empty if they can."""
    if columns["counting"] != counting["counting"]:
        return f"it is counted otherwise, {' and '.join(differences(columns, counting).values())}"
    if gate.metric not in FLOP_STEMS or gate.needs_report:  # a comparison of nodes finds out itself
        return ""
    then, now = columns["basis"] or "", basis_of(head.nodes).words
    if same_sizes(then, now):
        return ""
    return f"FLOPs rest on unlike sizes: it is {then or 'at no assumed batch'}, head {now or 'at no assumed batch'}"


def differences(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, str]:
    """Return in what a report is counted otherwise than another, in words, by the name of the column or option."""
    named = [name for name in ("counting_version", "rules", "semantics") if one[name] != other[name]]
    mine, others = options_of(one), options_of(other)
    options = sorted(name for name in {**mine, **others} if mine.get(name) != others.get(name) and name not in named)
    return {
        **{name: f"by the {name.replace('_', ' ')} {one[name]}, not {other[name]}" for name in named},
        **{name: f"with another --{name.replace('_', '-')}" for name in options},
    }


def options_of(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that change how a report is counted, by name; as one if the index has no JSON of them."""
    text = columns["options"]
    try:
        found = json.loads(text or "{}")
    except ValueError:
        return {"options": text}
    return found if isinstance(found, dict) else {"options": text}


def same_sizes(then: str, now: str) -> bool:
    """Return whether FLOPs rest on alike sizes, by the words of what they rest on (`Basis.words`)."""
    return _sizes(then) == _sizes(now)


def _sizes(words: str) -> tuple[str | None, bool]:
    """Return the batch in the words of a `Basis`, and whether a run is in them."""
    batch = _BATCH.match(words)
    return batch[1] if batch else None, words.endswith("sizes from a run")
