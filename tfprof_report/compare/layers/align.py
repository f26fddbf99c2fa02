"""Aligns the layers of two sides by their order, structure and names.

Names of many layers are numbers that count them (``batch_normalization_3``), so that each moves up by one when an
earlier one is removed. Where the numbers differ, layers are aligned like two texts: the pairs chosen keep their order,
and together are alike in as many respects as possible.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Floats, Ints, to_ints, whole
from tfprof_report.compare.matching.structure import hash_lists

_NUMBERS = r"_?[0-9]+"

_STEM, _NAME, _OUTPUT, _SHAPES, _OPS = 1.0, 0.4, 2.0, 1.0, 1.0
"""What it counts that two layers have the same name but for numbers; the same name; op and output; all shapes; ops.

The name alone decides only between layers that are equally alike.
"""

_MOST_PAIRS = 2**24
"""Most pairs of layers that are weighed up; beyond, layers are matched by name alone."""


def align_layers(base: pa.Table, head: pa.Table) -> Ints:
    """Return per layer of base the layer of head that it became, -1 for none; rows of nodes in no layer are one, too.

    Layers are matched by name, unless the names of either side differ in numbers only.

    Parameters
    ----------
    base, head : the tables of layers of both sides (`layer_table.make_layer_table`)
    """
    names = [pc.fill_null(whole(side["layer"]), "") for side in (base, head)]
    by_name = to_ints(pc.fill_null(pc.index_in(names[0], value_set=names[1]), -1))
    if not _are_renumbered(names[0], names[1]):
        return _with_swaps(by_name, base, head, names)
    start, end = _same_ends(base, head, names)
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


def _with_swaps(by_name: Ints, base: pa.Table, head: pa.Table, names: list[pa.Array]) -> Ints:
    """Return partners by name, but for layers that have traded their numbers: each is of the form that another had."""
    both = _both(base, head)
    form, count = _forms(both)[1], base.num_rows
    stem = to_ints(_stems(pa.concat_arrays(names)).dictionary_encode().indices)
    rows = np.flatnonzero(by_name >= 0)
    other = rows[form[:count][rows] != form[count:][by_name[rows]]]
    keys = [np.stack([stem[at], form[at]]) for at in (other, count + by_name[other])]
    orders = [np.lexsort(each) for each in keys]
    if not len(other) or not np.array_equal(keys[0][:, orders[0]], keys[1][:, orders[1]]):
        return by_name
    swapped = by_name.copy()
    swapped[other[orders[0]]] = by_name[other][orders[1]]
    return swapped


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


def _same_ends(base: pa.Table, head: pa.Table, names: list[pa.Array]) -> tuple[int, int]:
    """Return how many layers are the same at the beginning, in name and form, and of the rest at the end."""
    form = _forms(_both(base, head))[1]
    code = to_ints(pa.concat_arrays(names).dictionary_encode().indices)
    old, new = (np.stack([form[part], code[part]]) for part in (slice(0, base.num_rows), slice(base.num_rows, None)))
    most = min(base.num_rows, head.num_rows)
    ahead = np.flatnonzero((old[:, :most] != new[:, :most]).any(axis=0))
    start = int(ahead[0]) if len(ahead) else most
    behind = np.flatnonzero((old[:, ::-1][:, :most] != new[:, ::-1][:, :most]).any(axis=0))
    return start, min(int(behind[0]) if len(behind) else most, most - start)


def _both(base: pa.Table, head: pa.Table) -> pa.Table:
    return pa.concat_tables([base, head], promote_options="permissive").unify_dictionaries().combine_chunks()


def _likeness(base: pa.Table, head: pa.Table) -> Floats:
    """Return how much each pair of layers is alike, 0 for layers of different kinds."""
    both = _both(base, head)
    names = pc.fill_null(whole(both["layer"]), "")
    stem, name = (to_ints(each.dictionary_encode().indices) for each in (_stems(names), names))
    ops = to_ints(pc.binary_join(whole(both["ops"]), ",").dictionary_encode().indices)
    output, exact = _forms(both)
    count = base.num_rows

    def same(column: Ints) -> Floats:
        equal: Bools = column[:count, None] == column[None, count:]
        return equal.astype(np.float64)

    alike = _STEM + _NAME * same(name) + _OUTPUT * same(output) + _SHAPES * same(exact) + _OPS * same(ops)
    found: Floats = same(stem) * alike
    return found


def _forms(layers: pa.Table) -> tuple[Ints, Ints]:
    """Return a number per layer for its main op and output shape, and one for all its shapes besides."""
    op = to_ints(pc.fill_null(whole(layers["op"].cast(pa.string())).dictionary_encode().indices, -1))
    shapes = [
        hash_lists(whole(layers[column])).view(np.int64) for column in ("output_shape", "weights", "op_input_shapes")
    ]
    output = np.unique(np.stack([op, shapes[0]]), axis=1, return_inverse=True)[1]
    return output, np.unique(np.stack([op, *shapes]), axis=1, return_inverse=True)[1]


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
