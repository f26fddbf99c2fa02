"""Matches the rows of a view: rows of matched nodes, scopes by their children, and the rest by name."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tfprof_report.arrays import Bools, Ints, marks, number_distinct, to_ints
from tfprof_report.compare.comparison import MatchedBy
from tfprof_report.compare.matching.pairs import WORDS, Partners, match_names

_NAME = WORDS.index(MatchedBy.NAME)


def match_view(base: pa.Table, head: pa.Table, nodes: Partners) -> Partners:
    """Return the partners of the rows of scope or graph view, given those of the nodes.

    A scope that is not a node follows its children: two scopes without a partner are matched if they share more than
    half of the children of each.
    """
    if "node" not in base.column_names or "node" not in head.column_names:
        return match_names(base["name"], head["name"])
    old, new = (to_ints(side["node"].fill_null(-1)) for side in (base, head))
    row_of_node = np.full(int(max(new.max(initial=-1), nodes.head_row.max(initial=-1))) + 1, -1)
    row_of_node[new[new >= 0]] = np.flatnonzero(new >= 0)
    head_row, why = _match_by_name(base, head, nodes, (old, row_of_node))
    if nodes.is_by_name:
        return Partners(head_row=head_row, matched_by=why)
    rows = np.flatnonzero((old >= 0) & (nodes.matched_by[old] > _NAME))
    found = row_of_node[nodes.head_row[old[rows]]]
    rows, found = rows[found >= 0], found[found >= 0]  # under tfprof's semantics graph view lacks some nodes
    lost = np.flatnonzero(np.isin(head_row, found))
    head_row[lost], why[lost] = -1, -1
    head_row[rows], why[rows] = found, nodes.matched_by[old[rows]]
    _follow(head_row, why, base, head, is_scope=(old < 0, new < 0))
    return Partners(head_row=head_row, matched_by=why)


def _match_by_name(
    base: pa.Table, head: pa.Table, nodes: Partners, rows: tuple[Ints, Ints]
) -> tuple[Ints, npt.NDArray[np.int8]]:
    """Return the partners by name: those of nodes that were matched by name, then of all other rows.

    `rows` are the node of each row of base, and the row of head that each node has. A row of a node has its name, so
    that only the names of other rows are hashed.
    """
    old, row_of_node = rows
    head_row = np.full(len(old), -1)
    known = np.flatnonzero(old >= 0)
    known = known[nodes.matched_by[old[known]] == _NAME]
    head_row[known] = row_of_node[nodes.head_row[old[known]]]
    rest, rest_of_head = np.flatnonzero(head_row < 0), np.flatnonzero(~marks(head_row[head_row >= 0], head.num_rows))
    found = match_names(base["name"].take(pa.array(rest)), head["name"].take(pa.array(rest_of_head)))
    is_matched = found.head_row >= 0
    head_row[rest[is_matched]] = rest_of_head[found.head_row[is_matched]]
    return head_row, np.where(head_row >= 0, _NAME, -1).astype(np.int8)


def _follow(
    head_row: Ints, why: npt.NDArray[np.int8], base: pa.Table, head: pa.Table, *, is_scope: tuple[Bools, Bools]
) -> None:
    """Match scopes by their children, the innermost first; change the arrays in place."""
    above, above_head = (to_ints(side["parent"].fill_null(-1)) for side in (base, head))
    children, children_head = (np.bincount(up[up >= 0], minlength=len(up) or 1) for up in (above, above_head))
    is_taken = np.zeros(len(above_head) + 1, dtype=bool)
    is_taken[head_row] = True  # -1, no partner, sets the extra last entry
    depth = to_ints(base["depth"])
    is_open = is_scope[0] & (head_row < 0)
    # Only levels with children of open scopes are visited: a graph may be very deep, its open scopes are not.
    below = np.flatnonzero((above >= 0) & is_open[above])
    below = below[np.argsort(-depth[below], kind="stable")]
    for level in np.split(below, np.flatnonzero(np.diff(depth[below])) + 1):
        inner = level[head_row[level] >= 0]
        rows = inner[above_head[head_row[inner]] >= 0]
        old, new = above[rows], above_head[head_row[rows]]
        is_free = ~is_taken[new] & is_scope[1][new]
        old, new, reason = old[is_free], new[is_free], why[rows[is_free]]
        pair, first = number_distinct(old * len(above_head) + new)
        old, new, votes = first // len(above_head), first % len(above_head), np.bincount(pair)
        weakest = np.full(len(first), -1, dtype=why.dtype)
        np.maximum.at(weakest, pair, reason)
        is_most = (2 * votes > children[old]) & (2 * votes > children_head[new])
        old, new = old[is_most], new[is_most]
        head_row[old], why[old] = new, weakest[is_most]
        is_taken[new] = True
