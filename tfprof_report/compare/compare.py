"""The comparison in one straight line: match, subtract, add up. Judging is in `gates`."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.compare.count_split import split_by_count
from tfprof_report.compare.delta import diff_nodes, diff_view
from tfprof_report.compare.match import match_rows
from tfprof_report.compare.result import Comparison, Measured, RowStatus
from tfprof_report.compare.step_times import compare_times
from tfprof_report.compare.totals import compare_device_peak, compare_totals
from tfprof_report.compare.union import union_forest


def compare(base: Measured, head: Measured) -> Comparison:
    """Compare two sides by name: every node, every row of the views that both have, and the totals.

    Nothing is judged: a comparison without a single matched row is returned like any other.

    Raises
    ------
    InputError
        A name stands twice on one side, or a difference leaves int64.
    """
    pairs = match_rows(base.nodes["name"], head.nodes["name"])
    nodes = diff_nodes(base.nodes, head.nodes, pairs)
    views = {name: _compare_view(rows, head.views[name]) for name, rows in base.views.items() if name in head.views}
    return Comparison(
        base=base.side,
        totals=compare_totals(base, head, pairs),
        device_peak=compare_device_peak(base, head),
        times=compare_times(base, head),
        nodes=nodes,
        views={name: split_by_count(diff) if name == "op" else diff for name, (diff, _) in views.items()},
        forests={name: forest for name, (_, forest) in views.items()},
        base_views=base.views,
        base_nodes=base.nodes,
        base_steps=base.steps,
        base_step_numbers=base.step_numbers,
        base_devices=base.devices,
        counts=_count_rows(nodes),
        base_rules=base.rules,
        head_rules=head.rules,
        base_left_out=base.left_out,
    )


def _compare_view(base: pa.Table, head: pa.Table) -> tuple[pa.Table, pa.Table]:
    """Return the differences of a view, and the forest of its rows on either side."""
    key = "path" if "path" in base.column_names else "name"  # a line of code view stands in many call stacks
    pairs = match_rows(base[key], head[key])
    diff = diff_view(base, head, pairs)
    return diff, union_forest(base, head, pairs, diff["status"])


def _count_rows(nodes: pa.Table) -> dict[RowStatus, int]:
    """Return the rows by status, 0 for a status that no row has."""
    counted = {row["values"]: row["counts"] for row in pc.value_counts(nodes["status"]).to_pylist()}
    return {status: counted.get(status.value, 0) for status in RowStatus}
