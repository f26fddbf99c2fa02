"""The comparison in one straight line: match, subtract, add up. Judging is in `gates`."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.compare.comparison import Comparison, RowStatus
from tfprof_report.compare.count_split import split_by_count
from tfprof_report.compare.delta import diff_nodes, diff_view
from tfprof_report.compare.exact_totals import compare_device_peak, compare_totals
from tfprof_report.compare.matching.name_map import NameMap
from tfprof_report.compare.matching.nodes import match_nodes
from tfprof_report.compare.matching.pairs import Partners, match_rows, pair_rows
from tfprof_report.compare.matching.view_rows import match_view
from tfprof_report.compare.side import Side
from tfprof_report.compare.step_times import compare_times
from tfprof_report.compare.union import union_forest
from tfprof_report.schema.metrics import METRICS, NODE_VIEWS
from tfprof_report.schema.tables import diff_schema, freeze


def compare(base: Side, head: Side, name_map: NameMap | None = None) -> Comparison:
    """Compare two sides: every node, every row of the views that both have, and the totals.

    Nodes belong together as `match_nodes` says. Nothing is judged: a comparison without a single matched row
    is returned like any other.

    Raises
    ------
    InputError
        A name stands twice on one side, or a difference leaves int64.
    OptionError
        `name_map` makes one node of head out of two.
    """
    partners, matching = match_nodes(base.nodes, head.nodes, name_map)
    pairs = pair_rows(base.nodes["name"], head.nodes["name"], partners)
    nodes = _freeze("nodes", diff_nodes(base.nodes, head.nodes, pairs))
    views = {
        name: _compare_view(name, view.rows, head.views[name].rows, partners)
        for name, view in base.views.items()
        if name in head.views
    }
    return Comparison(
        base=base,
        head=head,
        totals=compare_totals(base, head, pairs),
        device_peak=compare_device_peak(base, head),
        times=compare_times(base, head),
        nodes=nodes,
        views={name: diff for name, (diff, _) in views.items()},
        forests={name: forest for name, (_, forest) in views.items()},
        counts=_count_rows(nodes),
        matching=matching,
    )


def _compare_view(name: str, base: pa.Table, head: pa.Table, nodes: Partners) -> tuple[pa.Table, pa.Table]:
    """Return the differences of a view, and the forest of its rows on either side."""
    if name in NODE_VIEWS:
        pairs = pair_rows(base["name"], head["name"], match_view(base, head, nodes))
    else:
        key = "path" if "path" in base.column_names else "name"  # a line of code view stands in many call stacks
        pairs = match_rows(base[key], head[key])
    diff = diff_view(base, head, pairs)
    if name == "op":
        diff = split_by_count(diff)
    return _freeze(name, diff), union_forest(base, head, pairs, diff["status"])


def _freeze(name: str, diff: pa.Table) -> pa.Table:
    """Return differences with the columns of their Parquet file, for the figures that they have."""
    stems = [stem for stem in METRICS if f"delta_{stem}" in diff.column_names]
    return freeze(diff, diff_schema(name, stems))


def _count_rows(nodes: pa.Table) -> dict[RowStatus, int]:
    """Return the rows by status, 0 for a status that no row has."""
    counted = {row["values"]: row["counts"] for row in pc.value_counts(nodes["status"]).to_pylist()}
    return {status: counted.get(status.value, 0) for status in RowStatus}
