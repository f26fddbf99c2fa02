"""Unknown figures of two sides: which of them cancel in a difference, and which leave it open."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, to_bools, to_ints, whole
from tfprof_report.compare.cancel import CANCELLING_STEMS, cancelling
from tfprof_report.compare.comparison import OpenNodes
from tfprof_report.compare.matching.pairs import Pairs
from tfprof_report.compare.side import Side
from tfprof_report.model.flops.evaluate import FLOP_STEMS, unknown_nodes
from tfprof_report.schema.metrics import SUMMED_STEMS
from tfprof_report.views.forest import Forest, sum_subtrees


def open_nodes(base: Side, head: Side, pairs: Pairs, *, unlike: Bools) -> dict[str, OpenNodes]:
    """Return for each metric that is a sum the nodes that leave its difference open.

    `unlike` are the pairs whose FLOPs can't be compared though they are known (`unlike_sizes`).
    """
    places = [to_ints(rows.fill_null(-1)) for rows in (pairs.base_rows, pairs.head_rows)]
    unknown = {
        stem: [
            in_pairs(unknown_nodes(side.nodes, stem), place) for side, place in zip((base, head), places, strict=True)
        ]
        for stem in SUMMED_STEMS
    }
    on_both = {stem: old & new for stem, (old, new) in unknown.items()}
    wanted = np.logical_or.reduce([on_both[stem] for stem in CANCELLING_STEMS])
    cancels = cancelling(base.nodes, head.nodes, pairs, wanted)
    base_row, head_row = places
    found = {}
    for stem, (old, new) in unknown.items():
        others = unlike & (stem in FLOP_STEMS)
        cancelled = on_both[stem] & cancels.of(stem) & ~others
        found[stem] = OpenNodes(
            base=(old & ~cancelled) | (others & (base_row >= 0)),
            head=(new & ~cancelled) | (others & (head_row >= 0)),
            cancelled=cancelled,
        )
    return found


def open_of_sides(
    found: Mapping[str, OpenNodes], pairs: Pairs, base: Side, head: Side
) -> tuple[dict[str, Bools], dict[str, Bools]]:
    """Return the open nodes of base and of head by metric, one element per node of the side."""
    old = {
        stem: _on_side(nodes.base, pairs.base_rows, base.nodes.num_rows)
        for stem, nodes in found.items()
        if nodes.base.any()
    }
    new = {
        stem: _on_side(nodes.head, pairs.head_rows, head.nodes.num_rows)
        for stem, nodes in found.items()
        if nodes.head.any()
    }
    return old, new


def open_rows(view: str, side: Side, found: Mapping[str, Bools]) -> dict[str, Bools]:
    """Return by metric which rows of a view have an open node in their total.

    Rows of scope and graph view are nodes, those of op view have all nodes of a type. A row of code view does not name
    its nodes: there every node without a figure, or with a figure other than 0, counts as open if any of the model is.
    """
    rows = side.views[view].rows
    masks = {}
    for stem, is_open in found.items():
        has_unknown = pc.fill_null(pc.greater(rows[f"unknown_{stem}"], 0), fill_value=True)  # NULL in an older report
        may_be = to_bools(has_unknown)
        if (is_open & ~unknown_nodes(side.nodes, stem)).any():  # known figures that can't be compared
            may_be |= to_bools(pc.fill_null(pc.not_equal(rows[f"total_{stem}"], 0), fill_value=True))
        masks[stem] = may_be & _holds(view, rows, side.nodes, is_open)
    return masks


def _holds(view: str, rows: pa.Table, nodes: pa.Table, is_open: Bools) -> Bools:
    """Return which rows of a view have an open node among their nodes."""
    if view == "code":
        return np.ones(rows.num_rows, dtype=bool)
    if view == "op":
        ops = whole(pc.coalesce(nodes["op"].cast(pa.string()), nodes["name"])).filter(pa.array(is_open))
        return to_bools(pc.is_in(rows["name"], value_set=ops))
    node = to_ints(rows["node"].fill_null(-1))
    own = (node >= 0) & to_bools(rows["accounted"])
    own[own] = is_open[node[own]]
    holds: Bools = sum_subtrees(Forest.of_rows(rows), own.astype(np.int64)) > 0
    return holds


def in_pairs(mask: Bools, place: Ints) -> Bools:
    """Return a side's mask in the order of pairs; place -1 is a node that the side lacks."""
    placed = place >= 0
    placed[placed] = mask[place[placed]]
    return placed


def _on_side(is_open: Bools, rows: pa.Array, count: int) -> Bools:
    """Return which of a side's `count` nodes are open; `rows` are its nodes in the order of pairs."""
    row = to_ints(rows.fill_null(-1))
    found = np.zeros(count, dtype=bool)
    found[row[is_open & (row >= 0)]] = True
    return found
