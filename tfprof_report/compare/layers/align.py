"""Aligns the layers of two sides by their order, structure and names.

Names of many layers are numbers that count them (``batch_normalization_3``), so that each moves up by one when an
earlier one is removed. Where the numbers differ, layers are aligned like two texts: the pairs chosen keep their order,
and together are alike in as many respects as possible.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Floats, Ints, to_ints
from tfprof_report.compare.matching.structure import hash_lists

_NUMBERS = r"_?[0-9]+"

_STEM, _NAME, _SHAPES, _WEIGHTS = 1.0, 1.5, 2.0, 0.5
"""What it counts that two layers have the same name but for numbers; the same name; op and shapes; ranks of weights."""

_MOST_PAIRS = 2**24
"""Most pairs of layers that are weighed up; beyond, layers are matched by name alone."""


def align_layers(base: pa.Table, head: pa.Table) -> Ints:
    """Return per layer of base the layer of head that it became, -1 for none; rows of nodes in no layer are one, too.

    Layers are matched by name, unless the names of either side differ in numbers only.

    Parameters
    ----------
    base, head : the tables of layers of both sides (`layer_table.make_layer_table`)
    """
    names = [pc.fill_null(side["layer"].combine_chunks(), "") for side in (base, head)]
    by_name = to_ints(pc.fill_null(pc.index_in(names[0], value_set=names[1]), -1))
    if not _are_renumbered(names[0], names[1]):
        return by_name
    start, end = _same_ends(names[0], names[1])
    old, new = base.slice(start, base.num_rows - end - start), head.slice(start, head.num_rows - end - start)
    if old.num_rows * new.num_rows > _MOST_PAIRS:
        return by_name
    aligned = np.full(len(by_name), -1)
    aligned[:start] = np.arange(start)
    aligned[len(aligned) - end :] = len(names[1]) - end + np.arange(end)
    pairs = _best_path(_likeness(old, new))
    aligned[start + pairs[0]] = start + pairs[1]
    free = np.flatnonzero((aligned < 0) & (by_name >= 0) & ~np.isin(by_name, aligned[aligned >= 0]))
    aligned[free] = by_name[free]
    return aligned


def _are_renumbered(base: pa.Array, head: pa.Array) -> bool:
    """Return whether a name that one side lacks is like one of the other side but for its numbers."""
    alone = [one.filter(pc.invert(pc.is_in(one, value_set=other))) for one, other in ((base, head), (head, base))]
    every = [_stems(side) for side in (base, head)]
    return any(
        pc.any(pc.is_in(_stems(lone), value_set=other)).as_py() or False
        for lone, other in zip(alone, reversed(every), strict=True)
        if len(lone)
    )


def _stems(names: pa.Array) -> pa.Array:
    return pc.replace_substring_regex(names, _NUMBERS, "")


def _same_ends(base: pa.Array, head: pa.Array) -> tuple[int, int]:
    """Return how many names are the same at the beginning, and of the rest at the end."""
    most = min(len(base), len(head))
    ahead = np.flatnonzero(np.asarray(pc.not_equal(base.slice(0, most), head.slice(0, most))))
    start = int(ahead[0]) if len(ahead) else most
    behind = np.asarray(pc.not_equal(base.slice(len(base) - most), head.slice(len(head) - most)))[::-1]
    last = np.flatnonzero(behind)
    return start, min(int(last[0]) if len(last) else most, most - start)


def _likeness(base: pa.Table, head: pa.Table) -> Floats:
    """Return how much each pair of layers is alike, 0 for layers of different kinds."""
    both = pa.concat_tables([base, head], promote_options="permissive").unify_dictionaries().combine_chunks()
    names = pc.fill_null(both["layer"].combine_chunks(), "")
    words = [to_ints(each.dictionary_encode().indices) for each in (_stems(names), names)]
    op = to_ints(pc.fill_null(both["op"].cast(pa.string()).combine_chunks().dictionary_encode().indices, -1))
    shapes = [
        hash_lists(both[column].combine_chunks()).view(np.int64)
        for column in ("weights", "op_input_shapes", "output_shape")
    ]
    exact = np.unique(np.stack([op, *shapes]), axis=1, return_inverse=True)[1]
    weights = to_ints(pc.list_value_length(both["weights"]))
    count = base.num_rows

    def same(column: Ints) -> Floats:
        equal: Bools = column[:count, None] == column[None, count:]
        return equal.astype(np.float64)

    found: Floats = same(words[0]) * (_STEM + _NAME * same(words[1]) + _SHAPES * same(exact) + _WEIGHTS * same(weights))
    return found


def _best_path(likeness: Floats) -> tuple[Ints, Ints]:
    """Return the pairs of rows and columns, both ascending, with the largest sum of likeness."""
    rows, columns = likeness.shape
    best = np.zeros((rows + 1, columns + 1))
    for row in range(rows):
        taken = np.maximum(best[row, 1:], best[row, :-1] + likeness[row])
        np.maximum.accumulate(taken, out=best[row + 1, 1:])
    pairs, row, column = [], rows, columns
    while row and column:
        if best[row, column] == best[row, column - 1]:
            column -= 1
        elif best[row, column] == best[row - 1, column]:
            row -= 1
        else:
            row, column = row - 1, column - 1
            pairs.append((row, column))
    found = np.array(pairs[::-1], dtype=np.int64).reshape(-1, 2)
    return found[:, 0], found[:, 1]
