"""The result of a query: the shown rows in display order with their figures; and minimums and sort keys for queries."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, to_ints
from tfprof_report.limits import INT64_LIMIT
from tfprof_report.model.values import Measure, Measures
from tfprof_report.options import Options
from tfprof_report.record import record
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
"""The figure by which each value of order_by sorts, descending; ``name`` and ``occurrence`` are handled separately."""

TOTAL_MINIMUMS = {
    "bytes": "min_bytes",
    "peak_bytes": "min_peak_bytes",
    "residual_bytes": "min_residual_bytes",
    "output_bytes": "min_output_bytes",
    "micros": "min_micros",
    "accelerator_micros": "min_accelerator_micros",
    "cpu_micros": "min_cpu_micros",
}
"""Minimums that are compared with totals in every view."""

STATIC_MINIMUMS = {"params": "min_params", "float_ops": "min_float_ops"}
"""Minimums that are compared with a node's own figure in scope and graph view, with totals in the others."""


@record
class Selection:
    """The rows of a view that a query accounts and shows.

    accounted : per row of the view, whether its nodes are counted
    self_all, total_all : per row of the view, figures by stem, whether the row is shown or not
    rows : the shown rows of the view in display order
    depth : of the shown rows: 1 at the top, one more below each shown row
    self_shown, total_shown : figures of the shown rows; with account_displayed_op_only totals over shown rows only
    root : the root's totals by stem, one row each
    """

    accounted: Bools
    self_all: Measures
    total_all: Measures
    rows: Ints
    depth: Ints
    self_shown: Measures
    total_shown: Measures
    root: Measures


def passes_minimum(figures: Measures, stem: str, minimum: int, semantics: Semantics) -> Bools | bool:
    """Return which figures are at least `minimum`; an unknown figure passes only a minimum of 0."""
    if minimum == 0 and not semantics.hide_negative_values:
        return True
    measure = figures[stem]
    # A measure with a divisor holds sums, so the minimum is scaled up, within int64.
    limit = min(max(minimum * measure.divisor, -INT64_LIMIT), INT64_LIMIT - 1)
    return measure.known & (measure.values >= limit)


def passes_minimums(
    figures: Measures,
    minimums: dict[str, str],
    options: Options,
    semantics: Semantics,
    never_negative: frozenset[str] = frozenset(),
) -> Bools | bool:
    """Return which rows pass all `minimums` (option names by stem).

    `never_negative` are those of `values.never_negative`: a minimum of 0 need not look at them, nor compute them.
    """
    result: Bools | bool = True
    for stem, option in minimums.items():
        minimum = getattr(options, option)
        if minimum or stem not in never_negative:
            result = passes_minimum(figures, stem, minimum, semantics) & result
    return result


def descending(measure: Measure) -> list[Ints | Bools]:
    """Return sort keys for `numpy.lexsort`: known figures first, the largest first."""
    return [~measure.values, ~measure.known]  # ~x is -x - 1, which cannot overflow as -x does for the smallest int64


def name_rank(names: pa.Array) -> Ints:
    """Return the rank of each name in byte order."""
    return to_ints(pc.rank(names, sort_keys="ascending", tiebreaker="first"))
