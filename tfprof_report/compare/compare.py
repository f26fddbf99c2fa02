"""Compares two sides: match nodes and rows, subtract figures, add up totals. Gates are judged in `gates`."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.compare.comparison import Comparison, RowStatus
from tfprof_report.compare.count_split import split_by_count
from tfprof_report.compare.delta import Open, diff_nodes, diff_view
from tfprof_report.compare.exact_totals import compare_device_peak, compare_estimate, compare_steps, compare_totals
from tfprof_report.compare.layers.diff_layers import diff_layers
from tfprof_report.compare.layers.renumbered import find_moved
from tfprof_report.compare.matching.code_lines import match_code
from tfprof_report.compare.matching.name_map import NameMap
from tfprof_report.compare.matching.nodes import match_nodes
from tfprof_report.compare.matching.pairs import Partners, match_rows, pair_rows
from tfprof_report.compare.matching.view_rows import match_view
from tfprof_report.compare.peak import compare_peaks
from tfprof_report.compare.side import Side
from tfprof_report.compare.step_times import compare_times
from tfprof_report.compare.union import union_forest
from tfprof_report.compare.unknown import open_nodes, open_of_sides, open_rows
from tfprof_report.compare.unlike_sizes import find_unlike_sizes
from tfprof_report.schema.metrics import METRICS, NODE_VIEWS, OF_STEPS
from tfprof_report.schema.tables import diff_schema, freeze
from tfprof_report.threads import Threads


def compare(base: Side, head: Side, name_map: NameMap | None = None, *, jobs: int = 1) -> Comparison:
    """Compare two sides: every node, every row of the views that both have, and the totals.

    Nodes are matched by `match_nodes`. Nothing is judged here: a comparison without any matched row is returned like
    any other. Up to `jobs` tables are compared at the same time.

    Raises
    ------
    InputError
        A name is not unique on its side, or a difference does not fit into int64.
    OptionError
        `name_map` maps two nodes of base to one node of head.
    """
    partners, matching = match_nodes(base.nodes, head.nodes, name_map, find_moved(base, head))
    pairs = pair_rows(base.nodes["name"], head.nodes["name"], partners)
    unlike = find_unlike_sizes(base.nodes, head.nodes, pairs)
    unknown = open_nodes(base, head, pairs, unlike=unlike.nodes)
    base_open, head_open = open_of_sides(unknown, pairs, base, head)
    with Threads(jobs, rows=head.nodes.num_rows) as threads:
        subtracted = threads.start(diff_nodes, base.nodes, head.nodes, pairs, base_open, head_open)
        compared = {
            name: threads.start(_compare_view, name, (base, base_open), (head, head_open), partners)
            for name in base.views
            if name in head.views
        }
        of_layers = threads.start(diff_layers, (base, base_open), (head, head_open), partners)
        added = threads.start(compare_totals, base, head, pairs, unknown)
        nodes = _freeze("nodes", subtracted())
        views = {name: result() for name, result in compared.items()}
        totals, layers = added(), of_layers()
    return Comparison(
        base=base,
        head=head,
        totals=totals,
        device_peak=compare_device_peak(base, head),
        of_steps=tuple(found for stem in OF_STEPS if (found := compare_steps(stem, base, head))),
        estimate=compare_estimate(base, head),
        times=compare_times(base, head),
        nodes=nodes,
        layers=layers,
        views={name: diff for name, (diff, _) in views.items()},
        forests={name: forest for name, (_, forest) in views.items()},
        counts=_count_rows(nodes),
        matching=matching,
        open_nodes=unknown,
        unlike_sizes=unlike.reasons,
        peak=compare_peaks(base, head, partners),
    )


def _compare_view(
    name: str, base_side: tuple[Side, Open], head_side: tuple[Side, Open], nodes: Partners
) -> tuple[pa.Table, pa.Table]:
    """Return the differences of a view, and the forest that merges the rows of both sides."""
    (base, base_open), (head, head_open) = base_side, head_side
    old, new = base.views[name].rows, head.views[name].rows
    if name in NODE_VIEWS:
        pairs = pair_rows(old["name"], new["name"], match_view(old, new, nodes))
    elif "path" in old.column_names:  # a line of code appears in many call stacks
        pairs = pair_rows(old["path"], new["path"], match_code(old, new))
    else:
        pairs = match_rows(old["name"], new["name"])
    diff = diff_view(old, new, pairs, open_rows(name, base, base_open), open_rows(name, head, head_open))
    if name == "op":
        diff = split_by_count(diff)
    return _freeze(name, diff), union_forest(old, new, pairs, diff["status"])


def _freeze(name: str, diff: pa.Table) -> pa.Table:
    """Return differences in the schema of their Parquet file, restricted to the metrics that they have."""
    stems = [stem for stem in METRICS if f"delta_{stem}" in diff.column_names]
    return freeze(diff, diff_schema(name, stems))


def _count_rows(nodes: pa.Table) -> dict[RowStatus, int]:
    """Return the number of rows per status, with 0 for statuses that do not occur."""
    counted = {row["values"]: row["counts"] for row in pc.value_counts(nodes["status"]).to_pylist()}
    return {status: counted.get(status.value, 0) for status in RowStatus}
