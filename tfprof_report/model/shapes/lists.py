"""Tensor lists and TensorArrays: the tensors that may be among the elements that a node reads, and the length.

A list flows from the op that creates it through calls, loops and ops that write to it. All tensors that are linked this
way are one list. An op that creates a list makes another one for each op that uses it, because lists are values:
Grappler merges the empty lists of two loops into one. A TensorArray is a resource, one for each op that creates it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from enum import IntEnum

import numpy as np

from tfprof_report.arrays import Bools, Ints, marks, prefix_sums, take_ranges
from tfprof_report.graph_search import components
from tfprof_report.model.graph.op_types import op_types
from tfprof_report.model.shapes.padded import Shapes, agreed_by_segment, by_segment, choose, column, drop, insert
from tfprof_report.record import record


class Form(IntEnum):
    """What of a tensor becomes an element: the tensor, one of its rows, or a slice of rows."""

    WHOLE = 0
    ROW = 1
    ROWS = 2


_MOST_PAIRS = 2**14
"""Most pairs of a writing and a reading node of a list; nothing is known of the elements of a list with more."""

_GENERATIONS = ("", "V2", "V3")


def _arrays(*names: str) -> tuple[str, ...]:
    return tuple(f"TensorArray{name}{generation}" for name in names for generation in _GENERATIONS)


_LIST_READS = op_types("TensorListGetItem TensorListPopBack TensorListStack TensorListGather TensorListConcatV2")
_READS = (*_LIST_READS, "TensorListConcat", "TensorListLength", *_arrays("Read", "Gather", "Concat", "Size", "Pack"))

_WRITES = {
    **dict.fromkeys(("TensorListSetItem", *_arrays("Write")), (2, Form.WHOLE)),
    "TensorListPushBack": (1, Form.WHOLE),
    **dict.fromkeys(_arrays("Scatter"), (2, Form.ROW)),
    **dict.fromkeys(("TensorListScatterIntoExistingList", *_arrays("Unpack")), (1, Form.ROW)),
    **dict.fromkeys(_arrays("Split"), (1, Form.ROWS)),
}
"""By op type that writes to a list: the input that it writes, and what of it becomes an element."""

_MADE_OF = {
    **dict.fromkeys(("TensorListFromTensor", "TensorListScatter", "TensorListScatterV2"), Form.ROW),
    "TensorListSplit": Form.ROWS,
}
"""By op type that creates a list from its first input: what of it becomes an element."""

_LISTS = (*_MADE_OF, "TensorListReserve", "EmptyTensorList")
_ARRAYS = _arrays("")
_GRADIENTS = _arrays("Grad")

_LENGTHS = {"TensorListReserve": 1, **dict.fromkeys(_ARRAYS, 0)}
"""By op type that creates a list: the input that holds its length."""

_RESIZES = op_types("TensorListPushBack TensorListPopBack TensorListResize")
_RETURNS = (*_RESIZES, "TensorListSetItem", "TensorListScatterIntoExistingList")
"""Op types that output the list that they take."""

_USERS = (*_RETURNS, *_READS, *_WRITES, *_GRADIENTS)
"""Op types that take a list as their first input."""

LIST_USERS = frozenset((*_USERS, *_LENGTHS))
"""Op types that take a list as their first input, and those that create one of a given length."""

LIST_OPS = frozenset((*_LISTS, *_ARRAYS))
"""Op types that create a list or a TensorArray."""


@record
class Links:
    """A graph for tracing lists: ops by their code, and its links, each from a tensor to one that holds the same.

    first, edge_start, tensor : as in `state.State`
    source, target : the tensors of each link
    """

    ops: Sequence[str]
    op: Ints
    first: Ints
    edge_start: Ints
    tensor: Ints
    source: Ints
    target: Ints

    def rows(self, ops: Collection[str]) -> Ints:
        """Return the nodes of these op types that have inputs and outputs."""
        codes = marks(np.flatnonzero([op in ops for op in self.ops]), len(self.ops))
        is_whole = (np.diff(self.edge_start) > 0) & (np.diff(self.first) > 0)
        return np.flatnonzero(codes[self.op] & is_whole)

    def input(self, rows: Ints, place: Ints | int) -> Ints:
        """Return the tensor at an input, the one that does not exist where there is none."""
        at = self.edge_start[rows] + place
        there = at < self.edge_start[rows + 1]
        found = column(len(rows), int(self.first[-1]))
        found[there] = self.tensor[at[there]]
        return found

    def per_op(self, rows: Ints, values: dict[str, int]) -> Ints:
        """Return a number for each row by its op type."""
        return np.array([values.get(op, -1) for op in self.ops], dtype=np.int64)[self.op[rows]]


@record
class Lists:
    """What nodes read from lists.

    start, element, form : n + 1 offsets; the elements that node i may read are made of the tensors
        ``element[start[i]:start[i + 1]]``
    is_even : per node whether all elements of the list that it reads have the same shape, or else writing fails
    length : per node the tensor that holds the length of the list that it reads as its value, -1 where there is none
    rows : likewise the tensor that has a row for each element
    """

    start: Ints
    element: Ints
    form: Ints
    is_even: Bools
    length: Ints
    rows: Ints

    @classmethod
    def nothing(cls, count: int) -> Lists:
        """Return that no node reads a list."""
        none, absent = column(0, 0), column(count, -1)
        return cls(start=column(count + 1, 0), element=none, form=none, is_even=absent > 0, length=absent, rows=absent)

    @property
    def waits(self) -> tuple[Ints, Ints]:
        """Reading nodes, and tensors that have to be known before them."""
        count = len(self.length)
        node = [np.repeat(np.arange(count), np.diff(self.start))]
        tensor = [self.element]
        for each in (self.length, self.rows):
            node.append(np.flatnonzero(each >= 0))
            tensor.append(each[each >= 0])
        return np.concatenate(node), np.concatenate(tensor)

    def without(self, cut: Bools, nothing: int) -> Lists:
        """Return the same with the tensor `nothing`, of which nothing is known, where `cut` marks pairs of `waits`."""
        count, pairs = len(self.length), len(self.element)
        node, _ = self.waits
        ends = marks(node[pairs:][cut[pairs:]], count)
        return Lists(
            start=self.start,
            element=np.where(cut[:pairs], nothing, self.element),
            form=self.form,
            is_even=self.is_even,
            length=np.where(ends, -1, self.length),
            rows=np.where(ends, -1, self.rows),
        )

    def elements(self, rows: Ints, shapes: Shapes, *, are_equal: bool) -> Shapes:
        """Return the shape of the elements that nodes read, given the shapes of all tensors.

        It is what all tensors agree on. Where all elements have the same shape, or else the op fails (`are_equal`), it
        is what is known of any.
        """
        counts = self.start[rows + 1] - self.start[rows]
        found = Shapes.unknown(len(rows))
        some = counts > 0
        if not some.any():
            return found
        at = take_ranges(self.start[rows], counts)
        made, form = shapes.take(self.element[at]), self.form[at]
        row = drop(made.where(made.rank > 0), column(len(at), 0))
        # A slice has an open number of rows.
        pieces = insert(row, column(len(at), 0), column(len(at), -1))
        element = choose(form == Form.WHOLE, made, choose(form == Form.ROW, row, pieces))
        starts = (np.cumsum(counts) - counts)[some]
        joined, clash = by_segment(element, starts)
        equal = (self.is_even[rows] | are_equal)[some]
        known = choose(equal, joined.where(~clash), agreed_by_segment(element, starts))
        found.rank[some], found.dims[some] = known.rank, known.dims
        return found


def find_lists(links: Links, *, grows: Bools, is_even: Bools) -> Lists:
    """Return what each node reads from the lists of the graph.

    Parameters
    ----------
    grows : nodes that create a TensorArray that grows, or that may write past the end of a list
    is_even : nodes that create a TensorArray whose elements must all have the same shape
    """
    groups = _group(links)
    owner, element, form = _written(links, groups)
    length, rows = _lengths(links, groups, grows)
    arrays = links.rows(_ARRAYS)
    even = marks(groups.of_tensor[links.first[arrays[is_even[arrays]]]], groups.count)

    reads = links.rows(_READS)
    # Elements of a gradient's TensorArray have the shape of those of the TensorArray that it belongs to.
    group = _homes(links, groups)[groups.of_user(reads)]
    start, end = np.searchsorted(owner, group), np.searchsorted(owner, group, side="right")
    counts = end - start
    counts[counts * np.bincount(group, minlength=groups.count)[group] > _MOST_PAIRS] = 0
    at = take_ranges(start, counts)
    per_node, of_node, rows_of_node = (column(len(links.op), value) for value in (0, -1, -1))
    per_node[reads], of_node[reads], rows_of_node[reads] = counts, length[group], rows[group]
    return Lists(
        start=prefix_sums(per_node),
        element=element[at],
        form=form[at],
        is_even=marks(reads[even[group]], len(links.op)),
        length=of_node,
        rows=rows_of_node,
    )


@record
class _Groups:
    """The lists: all that is linked with each other has the number of one list.

    of_tensor : per tensor its list
    users, taken : the nodes that take a list, in order, and the list that each takes
    makers, made : for each use of a new list, the node that creates it and the list
    """

    count: int
    of_tensor: Ints
    users: Ints
    taken: Ints
    makers: Ints
    made: Ints

    def of_user(self, rows: Ints) -> Ints:
        """Return the lists that nodes take, all of them `users`."""
        return self.taken[np.searchsorted(self.users, rows)]


def _group(links: Links) -> _Groups:
    tensors = int(links.first[-1]) + 1
    makers, users, returns = links.rows(_LISTS), links.rows(_USERS), links.rows(_RETURNS)
    made_by = column(tensors, -1)
    made_by[links.first[makers]] = makers
    source = np.append(links.source, links.input(users, 0))
    # Each use of a new list gets a number of its own, past those of the tensors; so does one that does not exist.
    is_own = (made_by[source] >= 0) | (source == tensors - 1)
    own = np.flatnonzero(is_own)
    makers = made_by[source[own]]
    source[own] = tensors + np.arange(len(own))
    taken = source[len(links.source) :]
    returned = taken[np.searchsorted(users, returns)]
    size = tensors + len(own)
    pairs = np.append(source[: len(links.source)], returned), np.append(links.target, links.first[returns])
    count, group = components(*pairs, size)
    return _Groups(
        count=count,
        of_tensor=group[:tensors],
        users=users,
        taken=group[taken],
        makers=makers[makers >= 0],
        made=group[tensors:][makers >= 0],
    )


def _homes(links: Links, groups: _Groups) -> Ints:
    """Return per list the one whose elements have the same shape: for a gradient's, that of the forward pass."""
    home = np.arange(groups.count)
    gradients = links.rows(_GRADIENTS)
    home[groups.of_tensor[links.first[gradients]]] = groups.of_user(gradients)
    for _ in range(len(gradients).bit_length()):  # pointer jumping: gradients of gradients
        home = home[home]
    return home


def _written(links: Links, groups: _Groups) -> tuple[Ints, Ints, Ints]:
    """Return the list, the tensor and the form of all that is written, sorted by list."""
    writes = links.rows(_WRITES)
    makes = links.per_op(groups.makers, {op: int(form) for op, form in _MADE_OF.items()})
    of_tensor = makes >= 0
    slot = links.per_op(writes, {op: slot for op, (slot, _) in _WRITES.items()})
    owner = np.append(groups.of_user(writes), groups.made[of_tensor])
    element = np.append(links.input(writes, slot), links.input(groups.makers[of_tensor], 0))
    form = np.append(links.per_op(writes, {op: int(form) for op, (_, form) in _WRITES.items()}), makes[of_tensor])
    order = np.argsort(owner, kind="stable")
    return owner[order], element[order], form[order]


def _lengths(links: Links, groups: _Groups, grows: Bools) -> tuple[Ints, Ints]:
    """Return per list the tensor whose value is its length, and the one with a row for each element; -1 if unknown.

    The length is known if one op creates the list and none resizes it.
    """
    arrays = links.rows(_ARRAYS)
    arrays = arrays[~grows[arrays]]
    resizes = np.append(links.rows(_RESIZES), np.intersect1d(groups.users, np.flatnonzero(grows)))
    makers = np.append(groups.makers, arrays)
    made = np.append(groups.made, groups.of_tensor[links.first[arrays]])
    is_known = np.bincount(made, minlength=groups.count) == 1
    is_known[groups.of_user(resizes)] = False
    found = []
    for inputs in (_LENGTHS, {"TensorListFromTensor": 0}):
        slot = links.per_op(makers, inputs)
        fits = (slot >= 0) & is_known[made]
        tensor = links.input(makers[fits], slot[fits])
        held = column(groups.count, -1)
        held[made[fits]] = np.where(tensor == links.first[-1], -1, tensor)
        found.append(held)
    return found[0], found[1]
