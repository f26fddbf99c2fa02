"""What a query shows of a view: rows in display order with their own and total figures. The result of `select`."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, to_ints
from tfprof_report.model.values import Measure
from tfprof_report.options import Options
from tfprof_report.semantics import Semantics

ORDER_STEMS = {
    word: word
    for word in (
        "bytes",
        "peak_bytes",
        "residual_bytes",
        "output_bytes",
        "micros",
        "accelerator_micros",
        "cpu_micros",
        "params",
        "float_ops",
        "macs",
    )
}
"""The figure that each order_by sorts by, descending; ``name`` and ``occurrence`` are special."""

TOTAL_MINIMUMS = {
    "bytes": "min_bytes",
    "peak_bytes": "min_peak_bytes",
    "residual_bytes": "min_residual_bytes",
    "output_bytes": "min_output_bytes",
    "micros": "min_micros",
    "accelerator_micros": "min_accelerator_micros",
    "cpu_micros": "min_cpu_micros",
}
"""Minimums that are held against totals in every view."""

STATIC_MINIMUMS = {"params": "min_params", "float_ops": "min_float_ops"}
"""Minimums that are held against a node's own figure in scope and graph view, against totals elsewhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The rows of a view that an option set accounts and shows.

    accounted : per row of the view, whether its nodes are counted
    self_all, total_all : per row of the view, figures by stem, before rows were chosen
    rows : rows of the view in display order
    depth : 1 at the top, one more below each shown row
    is_accounted : of the shown rows
    self_shown, total_shown : figures of the shown rows; with account_displayed_op_only totals of shown rows only
    root : the root's totals by stem, one row each
    """

    accounted: Bools
    self_all: dict[str, Measure]
    total_all: dict[str, Measure]
    rows: Ints
    depth: Ints
    self_shown: dict[str, Measure]
    total_shown: dict[str, Measure]
    root: dict[str, Measure]

    @property
    def is_accounted(self) -> Bools:
        """Which of the shown rows are accounted."""
        return self.accounted[self.rows]


def passes_minimum(measure: Measure, minimum: int, semantics: Semantics) -> Bools | bool:
    """Return which figures reach a minimum; an unknown figure reaches none but 0."""
    if minimum == 0 and not semantics.hide_negative_values:
        return True
    limit = min(max(minimum * measure.divisor, -(2**63)), 2**63 - 1)
    return measure.known & (measure.values >= limit)


def passes_minimums(
    figures: dict[str, Measure], minimums: dict[str, str], options: Options, semantics: Semantics
) -> Bools | bool:
    """Return which rows reach all of `minimums` (stem to option name)."""
    result: Bools | bool = True
    for stem, option in minimums.items():
        result = passes_minimum(figures[stem], getattr(options, option), semantics) & result
    return result


def descending(measure: Measure) -> list[Ints | Bools]:
    """Return sort keys for `numpy.lexsort`: known figures first, the largest first."""
    return [~measure.values, ~measure.known]  # as -values, but safe for the least int64


def name_rank(names: pa.Array) -> Ints:
    """Return the place of each name in byte order."""
    return to_ints(pc.rank(names, sort_keys="ascending", tiebreaker="first"))
