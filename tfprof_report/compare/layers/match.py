"""Matches the layers of two sides by their matched nodes, so that a layer keeps its partner when its name changes."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Ints, to_ints
from tfprof_report.compare.comparison import MatchedBy
from tfprof_report.compare.matching.pairs import WORDS, Pairs, Partners, pair_rows

_NAME, _PREFIX = WORDS.index(MatchedBy.NAME), WORDS.index(MatchedBy.PREFIX)


def match_layers(base: tuple[Ints, pa.Array], head: tuple[Ints, pa.Array], nodes: Partners) -> Pairs:
    """Return the rows of both tables of layers, in pairs.

    Two layers match if most of their matched nodes are in one another; nodes in no layer are a layer here.

    Parameters
    ----------
    base, head : per node the number of its layer (`layer_table.layer_codes`), and the names of layers
    nodes : the partners of the nodes of base
    """
    (old, old_names), (new, new_names) = base, head
    rows = np.flatnonzero(nodes.head_row >= 0)
    pairs = old[rows] * len(new_names) + new[nodes.head_row[rows]]
    keys, votes = np.unique(pairs, return_counts=True)
    old_of, new_of = np.divmod(keys, max(len(new_names), 1))
    best_old, best_new = _best(old_of, votes, len(old_names)), _best(new_of, votes, len(new_names))
    mutual = np.flatnonzero((best_old[old_of] == np.arange(len(keys))) & (best_new[new_of] == np.arange(len(keys))))
    head_row = np.full(len(old_names), -1)
    head_row[old_of[mutual]] = new_of[mutual]
    _match_by_name(head_row, old_names, new_names)
    is_same = pc.equal(old_names, new_names.take(pa.array(head_row, mask=head_row < 0)))
    why = np.where(np.asarray(pc.fill_null(is_same, fill_value=False)), _NAME, _PREFIX)
    partners = Partners(head_row=head_row, matched_by=np.where(head_row < 0, -1, why).astype(np.int8))
    return pair_rows(pa.chunked_array([old_names]), pa.chunked_array([new_names]), partners)


def _best(layer: Ints, votes: Ints, count: int) -> Ints:
    """Return per layer the pair with the most votes, the first of equal ones; -1 without any."""
    order = np.lexsort((-np.arange(len(layer)), votes))
    best = np.full(count, -1)
    best[layer[order]] = order
    return best


def _match_by_name(head_row: Ints, old_names: pa.Array, new_names: pa.Array) -> None:
    """Pair layers without a partner that have the same name, in place: all their nodes may be new."""
    free = np.flatnonzero(head_row < 0)
    by_name = to_ints(pc.fill_null(pc.index_in(old_names.take(pa.array(free)), value_set=new_names), -1))
    is_free = (by_name >= 0) & ~np.isin(by_name, head_row[head_row >= 0])
    head_row[free[is_free]] = by_name[is_free]
