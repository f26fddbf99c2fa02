"""Finds parts of a graph that are equal and have nothing in common but variables: one model, built several times."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Floats, Ints, marks, mix, number_distinct, to_ints
from tfprof_report.graph_search import components
from tfprof_report.model.graph.reach import Flow

LEAST_OPS = 2
"""Fewest ops with inputs of a part that counts as a model."""

_NUMBER = r"_[0-9]+(/|$)"
"""What TensorFlow appends to a name that is taken."""


def equal_parts(names: pa.Array, ops: pa.Array, data: Flow, among: Bools, float_ops: Floats) -> list[Ints]:
    """Return the parts with the same ops under the same names, apart from their numbers; the largest group of them.

    A part is a set of the nodes `among`, as rows in graph order, that data connects, in either direction and through
    these nodes alone. It has at least `LEAST_OPS` ops with inputs.
    """
    rows = np.flatnonzero(among)
    place = np.cumsum(among) - 1
    inside = among[data.source] & among[data.target]
    count, part = components(place[data.source[inside]], place[data.target[inside]], len(rows))
    has_inputs = marks(data.target, len(names))[rows]
    computes = np.bincount(part[has_inputs], minlength=count) >= LEAST_OPS
    kind = _alike(part, ops.take(pa.array(rows)), count)
    computes &= (np.bincount(kind[computes], minlength=count) > 1)[kind]
    kept = marks(kind[computes], count)[kind][part]
    rows, part = rows[kept], part[kept]
    if not len(rows):
        return []
    # Names come last, since they take longest: few graphs have two parts with the same ops.
    plain = pc.replace_substring_regex(names.take(pa.array(rows)), _NUMBER, r"\1")
    group = _alike(part, pc.binary_join_element_wise(plain, ops.take(pa.array(rows)), " "), count)
    weight = np.bincount(group[part], weights=1.0 + float_ops[rows], minlength=count)
    is_group = np.bincount(group[computes], minlength=count) > 1
    if not is_group.any():
        return []
    largest = np.argmax(np.where(is_group, weight, -1))
    order = np.argsort(part, kind="stable")
    bounds = np.searchsorted(part[order], np.arange(count + 1))
    return [rows[order[bounds[each] : bounds[each + 1]]] for each in np.flatnonzero((group == largest) & computes)]


def _alike(part: Ints, words: pa.Array, count: int) -> Ints:
    """Return for each of `count` parts the number of its group: parts with the same `words`, one for each node."""
    prints = np.zeros(count, dtype=np.uint64)
    np.add.at(prints, part, mix(to_ints(words.dictionary_encode().indices)))
    return number_distinct(prints.view(np.int64))[0]
