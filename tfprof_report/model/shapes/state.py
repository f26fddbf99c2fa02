"""The state of inference, which is shapes and folded values of all tensors, and the view that a rule gets of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import (
    Bools,
    Ints,
    list_offsets,
    list_values,
    row_of_value,
    take_ranges,
    to_bools,
    to_ints,
    whole,
)
from tfprof_report.ingest.attrs.shape_attrs import MOST_ELEMENTS, NUMBERS
from tfprof_report.model.shapes.lists import Lists
from tfprof_report.model.shapes.padded import Shapes, by_segment, column

OPEN = np.iinfo(np.int64).min
"""Marks an unknown element in a tensor with known ones."""

_ABSENT = np.iinfo(np.int64).min
_PLACE = np.arange(MOST_ELEMENTS, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Values:
    """Elements of n small integer tensors, one per row.

    count : number of elements, -1 where nothing is known
    items : the elements in row-major order, `OPEN` where unknown and as padding
    """

    count: Ints
    items: Ints

    @classmethod
    def unknown(cls, count: int) -> Values:
        """Return values that are unknown altogether."""
        return cls(column(count, -1), np.full((count, MOST_ELEMENTS), OPEN, dtype=np.int64))

    @classmethod
    def from_lists(cls, lists: pa.ListArray) -> Values:
        """Return the values of an Arrow column of lists; NULL, and a list that is too long, is unknown."""
        offsets, elements = list_offsets(lists), to_ints(list_values(lists))
        counts = np.diff(offsets)
        values = cls.unknown(len(lists))
        known = ~to_bools(lists.is_null()) & (counts <= MOST_ELEMENTS)
        values.count[known] = counts[known]
        rows = np.flatnonzero(known)
        place = take_ranges(column(len(rows), 0), counts[rows])
        values.items[np.repeat(rows, counts[rows]), place] = elements[take_ranges(offsets[rows], counts[rows])]
        return values

    def where(self, mask: Bools) -> Values:
        """Return the values where `mask` is true, unknown ones elsewhere."""
        return Values(np.where(mask, self.count, -1), np.where(mask[:, None], self.items, OPEN))

    def take(self, rows: Ints | Bools) -> Values:
        """Return some of the values."""
        return Values(self.count[rows], self.items[rows])

    def at(self, place: Ints | int) -> Ints:
        """Return one element per row; `OPEN` where there is none."""
        place = np.broadcast_to(np.asarray(place, dtype=np.int64), len(self.count))
        there = (place >= 0) & (place < self.count)
        return np.where(there, self.items[np.arange(len(self.count)), np.where(there, place, 0)], OPEN)

    @property
    def is_full(self) -> Bools:
        """Which values are fully known."""
        full: Bools = (self.count >= 0) & ((self.count[:, None] <= _PLACE) | (self.items != OPEN)).all(axis=1)
        return full


class Attrs:
    """The attributes of all nodes; the column of an attribute is built when a rule first asks for it, and cached."""

    def __init__(self, nodes: pa.Table) -> None:
        self.nodes = {name: whole(nodes[name]) for name in nodes.column_names}
        self._pairs = list_values(self.nodes["numbers"])
        self._node = row_of_value(list_offsets(self.nodes["numbers"]))
        self._columns: dict[str, Ints] = {}
        self._words: dict[str, Bools] = {}
        self._lists: dict[str, tuple[Ints, Values]] = {}

    def number(self, name: str) -> Ints:
        """Return a number per node, `_ABSENT` where a node lacks it."""
        if name not in self._columns:
            found = np.flatnonzero(to_bools(pc.equal(self._pairs.field("key"), NUMBERS.index(name))))
            numbers = column(len(self.nodes["numbers"]), _ABSENT)
            numbers[self._node[found]] = to_ints(self._pairs.field("value").take(pa.array(found)))
            self._columns[name] = numbers
        return self._columns[name]

    def word(self, name: str, word: str) -> Bools:
        """Return at which nodes the attribute has this value."""
        key = f"{name}={word}"
        if key not in self._words:
            self._words[key] = to_bools(pc.equal(self.nodes[name], word))
        return self._words[key]

    def list(self, name: str, rows: Ints) -> Values:
        """Return a list of numbers for each of some nodes. Few nodes have any, so only these are unpacked."""
        if name not in self._lists:
            has = to_bools(pc.is_valid(self.nodes[name]))
            place = np.where(has, np.cumsum(has) - 1, -1)
            lists = self.nodes[name].filter(pa.array(has))
            self._lists[name] = place, Values.from_lists(pa.concat_arrays([lists, pa.nulls(1, lists.type)]))
        place, values = self._lists[name]
        return values.take(place[rows])


class State:
    """Shapes, folded values and variables of all tensors, by number; the last one is a tensor that does not exist.

    first : n + 1 offsets; the outputs of node i are the tensors ``first[i]`` to ``first[i + 1]``
    edge_start, tensor : n + 1 offsets, m tensors; the data inputs of node i are
        ``tensor[edge_start[i]:edge_start[i + 1]]``
    lists : what nodes read from lists and TensorArrays
    """

    def __init__(
        self, *, attrs: Attrs, first: Ints, edge_start: Ints, tensor: Ints, shapes: Shapes, lists: Lists
    ) -> None:
        self.attrs, self.first, self.edge_start, self.tensor = attrs, first, edge_start, tensor
        self.shapes, self.lists = shapes, lists
        count = len(shapes)
        self.variable = column(count, -1)  # per handle of a variable or queue, the node that creates it
        self._value_row = column(count, -1)
        self._values = Values.unknown(64)
        self._used = 0
        self.contradicted = np.zeros(len(first) - 1, dtype=bool)

    def set_values(self, tensors: Ints, values: Values) -> None:
        """Store the elements of tensors where they are known.

        Few tensors have any, so the rows of `_values` are allocated on demand, doubling as they run out.
        """
        known = values.count >= 0
        tensors, count = tensors[known], int(known.sum())
        while self._used + count > len(self._values.count):
            more = Values.unknown(len(self._values.count))
            self._values = Values(
                np.concatenate([self._values.count, more.count]), np.concatenate([self._values.items, more.items])
            )
        rows = np.arange(self._used, self._used + count)
        self._values.count[rows], self._values.items[rows] = values.count[known], values.items[known]
        self._value_row[tensors] = rows
        self._used += count

    def values(self, tensors: Ints) -> Values:
        """Return the elements of tensors."""
        rows = self._value_row[tensors]
        return Values(self._values.count[rows], self._values.items[rows]).where(rows >= 0)

    def fingerprint(self, tensor: int) -> tuple[int, bytes, bytes, int]:
        """Return all that is known of a tensor: rank, sizes, elements, and the variable whose handle it is."""
        row = self._value_row[tensor]
        values = b"" if row < 0 else self._values.count[row].tobytes() + self._values.items[row].tobytes()
        shapes = self.shapes
        return int(shapes.rank[tensor]), shapes.dims[tensor].tobytes(), values, int(self.variable[tensor])

    def copy(self, tensors: Ints, examples: Ints) -> None:
        """Make all that is known of tensors that of other ones."""
        self.shapes.rank[tensors], self.shapes.dims[tensors] = self.shapes.rank[examples], self.shapes.dims[examples]
        self.variable[tensors], self._value_row[tensors] = self.variable[examples], self._value_row[examples]


@dataclass(frozen=True, slots=True)
class Flat:
    """The inputs of several nodes, one after the other: tensor, node (`row`) and index (`place`) of each input.

    `starts` is the index of each node's first input.
    """

    row: Ints
    place: Ints
    starts: Ints
    tensors: Ints


class Nodes:
    """The nodes that a rule is applied to; every result has a row per node."""

    def __init__(self, state: State, rows: Ints) -> None:
        self.state, self.rows = state, rows
        self._start = state.edge_start[rows]
        self.inputs = state.edge_start[rows + 1] - self._start
        self.outputs = state.first[rows + 1] - state.first[rows]

    def __len__(self) -> int:
        return len(self.rows)

    def tensor(self, place: Ints | int) -> Ints:
        """Return the number of the tensor at an input, counted from the end if negative; -1 if there is none."""
        place = np.broadcast_to(np.asarray(place, dtype=np.int64), len(self))
        place = np.where(place < 0, place + self.inputs, place)
        there = (place >= 0) & (place < self.inputs)
        found = column(len(self), -1)
        found[there] = self.state.tensor[(self._start + place)[there]]
        return found

    def shape(self, place: Ints | int = 0) -> Shapes:
        """Return the shape of an input."""
        return self.state.shapes.take(self.tensor(place))

    def value(self, place: Ints | int = 0) -> Values:
        """Return the elements of an input."""
        return self.state.values(self.tensor(place))

    def number(self, name: str, default: int = 0) -> Ints:
        """Return an attribute that is a number, a boolean or a type."""
        numbers = self.state.attrs.number(name)[self.rows]
        return np.where(numbers == _ABSENT, default, numbers)

    def flag(self, name: str) -> Bools:
        """Return a boolean attribute."""
        flags: Bools = self.number(name) != 0
        return flags

    def list(self, name: str) -> Values:
        """Return an attribute that is a list of numbers."""
        return self.state.attrs.list(name, self.rows)

    def own_shape(self) -> Shapes:
        """Return the shape in the node's attribute ``shape``, or that of its constant."""
        return Shapes.from_lists(self.state.attrs.nodes["own_shape"].take(pa.array(self.rows)))

    def of_variable(self) -> Shapes:
        """Return the shape of the variable whose handle is the first input."""
        variable = self.state.variable[self.tensor(0)]
        return Nodes(self.state, np.maximum(variable, 0)).own_shape().where(variable >= 0)

    def of_queue(self, place: int) -> Shapes:
        """Return the shape of a component as declared by the queue whose handle is the first input."""
        queue = self.state.variable[self.tensor(0)]
        declared = self.state.attrs.nodes["declared_shapes"].take(pa.array(np.maximum(queue, 0)))
        has = (queue >= 0) & to_bools(pc.greater(pc.list_value_length(declared), place))
        component = pc.list_element(declared.filter(pa.array(has)), place)
        shapes, known = Shapes.unknown(len(self)), Shapes.from_lists(component)
        shapes.rank[has], shapes.dims[has] = known.rank, known.dims
        return shapes

    def elements(self, *, are_equal: bool = False) -> Shapes:
        """Return the shape of the elements of the list or TensorArray that the nodes read, as `Lists.elements` does."""
        return self.state.lists.elements(self.rows, self.state.shapes, are_equal=are_equal)

    def list_length(self) -> Ints:
        """Return the number of elements of the list or TensorArray that the nodes read, -1 where it is not known."""
        lists = self.state.lists
        by_value = np.maximum(self.state.values(lists.length[self.rows]).at(0), -1)
        by_rows = self.state.shapes.take(lists.rows[self.rows])
        return np.where(lists.length[self.rows] >= 0, by_value, np.where(by_rows.rank > 0, by_rows.dims[:, 0], -1))

    def is_word(self, name: str, word: str) -> Bools:
        """Return at which nodes the attribute has this value."""
        return self.state.attrs.word(name, word)[self.rows]

    def has(self, name: str) -> Bools:
        """Return which nodes have the attribute, a string or a list."""
        return to_bools(pc.is_valid(self.state.attrs.nodes[name].take(pa.array(self.rows))))

    def flat(self, begin: int = 0, end: int = 0) -> Flat:
        """Return the inputs from index `begin` on, without the last `end`; at least one of each node must be left."""
        counts = np.maximum(self.inputs - begin - end, 0)
        place = take_ranges(column(len(self), begin), counts)
        row = np.repeat(np.arange(len(self)), counts)
        return Flat(
            row=row,
            place=place - begin,
            starts=np.cumsum(counts) - counts,
            tensors=self.state.tensor[self._start[row] + place],
        )

    def alike(self, begin: int = 0, end: int = 0) -> Shapes:
        """Return the combined knowledge of the shapes of inputs, which must be equal."""
        some = self.inputs - begin - end > 0
        result = Shapes.unknown(len(self))
        if some.any():
            part = Nodes(self.state, self.rows[some])
            flat = part.flat(begin, end)
            shape, clash = by_segment(self.state.shapes.take(flat.tensors), flat.starts)
            shape = shape.where(~clash)
            result.rank[some], result.dims[some] = shape.rank, shape.dims
        return result
