"""Which figures of two reports cannot be subtracted, since they are counted in different ways.

The rules are those of `diff` and of drift gates. Other options, semantics or counting versions concern every figure;
other rules for FLOPs only FLOPs; another batch or other input shapes what is counted from sizes. Another signature is
another part of the model, which is said, and subtracted all the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from tfprof_report.model.flops.counting import Counting
from tfprof_report.model.flops.evaluate import FLOP_STEMS
from tfprof_report.record import record
from tfprof_report.report.past_totals import differences, same_sizes
from tfprof_report.schema.index_columns import FIGURES
from tfprof_report.schema.metrics import ESTIMATED_PEAK

_OF_FLOPS = frozenset(FLOP_STEMS)
_OF_SIZES = frozenset((*FLOP_STEMS, ESTIMATED_PEAK))
_NONE: frozenset[str] = frozenset()
_ALL = frozenset(FIGURES)

_CONCERNED = {
    **dict.fromkeys((field.name for field in fields(Counting)), _OF_FLOPS),
    **dict.fromkeys(("batch", "input_shape"), _OF_SIZES),
    "signature": _NONE,
}
"""The figures that a difference concerns, by the option; any other concerns all."""


@record
class Otherwise:
    """One way in which a report is counted otherwise than the first: in words, and the figures that it concerns."""

    words: str
    stems: frozenset[str]


def counted_otherwise(first: Mapping[str, Any], other: Mapping[str, Any]) -> tuple[Otherwise, ...]:
    """Return in what a report is counted otherwise than the first one, by their rows of the index."""
    found = [
        Otherwise(words=words, stems=_CONCERNED.get(name, _ALL)) for name, words in differences(other, first).items()
    ]
    then, now = first["basis"] or "", other["basis"] or ""
    if not same_sizes(then, now):
        words = f"{_of_sizes(now)}, not {_of_sizes(then)}"
        found.append(Otherwise(words=words, stems=_OF_SIZES))
    return tuple(found)


def _of_sizes(basis: str) -> str:
    return basis or "with the sizes of the graph alone"
