"""The result of a query as objects with the fields of tfprof's messages, each a view of one row of the columns.

They can be read, copied, pickled, compared and printed like protobuf messages, but not changed; and they can be nested
as deeply as a graph.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn, overload

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from tfprof_report.arrays import Ints
from tfprof_report.ingest.descriptors import message_class
from tfprof_report.schema.metrics import Number
from tfprof_report.views.forest import depths_of
from tfprof_report.views.result_rows import ResultRows

if TYPE_CHECKING:
    import pandas as pd

Shape = tuple[int, ...]

_LENGTH_DELIMITED = 2
_MAX_LEVELS = 100
"""Messages that are nested as deeply as this or deeper can be made, but protobuf cannot print or parse them."""

_NEVER_SET = ("shapes", "tensor_value")
"""Fields of GraphNodeProto that the profiler leaves empty."""


class _Table:
    """The rows of a result, with an index of children and lazily computed lookups."""

    def __init__(self, rows: ResultRows) -> None:
        self.rows = rows
        order = np.argsort(rows.parent, kind="stable")
        self.children = order
        self.child_offsets = np.searchsorted(rows.parent[order], np.arange(len(rows) + 1))
        self.message: Any = message_class(f"tensorflow.tfprof.{rows.message}")
        fields = self.message.DESCRIPTOR.fields_by_name
        self.constants = {name for name in _NEVER_SET if name in fields}
        self.constants |= {f"{name.upper()}_FIELD_NUMBER" for name in fields}

    def __reduce__(self) -> tuple[type[_Table], tuple[ResultRows]]:
        return _Table, (self.rows,)

    @cached_property
    def size(self) -> Ints:
        """Number of rows of each subtree."""
        return self.rows.forest.size

    @cached_property
    def members(self) -> _Table:
        """The nodes of rows that are groups."""
        if self.rows.members is None:
            raise AttributeError("graph_nodes")
        return _Table(self.rows.members)

    def figure(self, field: str, row: int) -> Number | None:
        """Return a figure, None if it is unknown or a lower bound."""
        return None if self.rows.figures[field].unknown[row] else self.known_sum(field, row)

    def known_sum(self, field: str, row: int) -> Number | None:
        """Return the sum of what is known, None if nothing is."""
        measure = self.rows.figures[field]
        if not measure.known[row]:
            return None
        value = int(measure.values[row])  # noqa: PD011 (a Measure, not pandas)
        return value // measure.divisor if value % measure.divisor == 0 else value / measure.divisor

    def shapes(self, row: int) -> dict[int, Shape | None]:
        inputs = self.rows.inputs
        if inputs is None:
            return {}
        part = slice(inputs.offsets[row], inputs.offsets[row + 1])
        sizes = inputs.shapes.slice(part.start, part.stop - part.start).to_pylist()
        return {
            int(position): None if shape is None else tuple(shape)
            for position, shape in zip(inputs.positions[part], sizes, strict=True)
        }

    def own_message(self, row: int) -> Any:
        """Return the message of a row without its children; fractions are cut off, since the fields are integers."""
        figures = {field: int(value) for field in self.rows.figures if (value := self.figure(field, row))}
        made = self.message(name=self.rows.names[row].as_py(), **figures)
        if self.rows.devices is not None:
            made.devices.extend(self.rows.devices[row].as_py() or ())
        for position, shape in self.shapes(row).items():
            message = made.input_shapes[position]
            message.unknown_rank = shape is None
            for size in _native(shape):
                message.dim.add(size=size)
        if self.rows.member_offsets is not None:
            start, end = self.rows.member_offsets[row : row + 2]
            made.graph_nodes.extend(self.members.own_message(member) for member in range(start, end))
        return made

    def depths(self, first: int) -> Ints:
        """Return the depth of a row, which is 1, and of all rows below it, in preorder."""
        return depths_of(self.rows.parents_below(first, int(self.size[first])))


def _native(shape: Shape | None) -> Shape:
    """Return a shape as tfprof has it: a scalar is (1), an unknown shape is empty."""
    return () if shape is None else shape or (1,)


class _Nodes(Sequence["ResultNode"]):
    """Some rows of a result."""

    def __init__(self, table: _Table, rows: Ints) -> None:
        self._table, self._rows = table, rows

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> ResultNode: ...
    @overload
    def __getitem__(self, index: slice) -> _Nodes: ...
    def __getitem__(self, index: int | slice) -> ResultNode | _Nodes:
        if isinstance(index, slice):
            return _Nodes(self._table, self._rows[index])
        return ResultNode(self._table, int(self._rows[index]))

    def __iter__(self) -> Iterator[ResultNode]:
        return (ResultNode(self._table, row) for row in self._rows.tolist())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(mine == theirs for mine, theirs in zip(self, other, strict=True))

    def __hash__(self) -> int:
        raise TypeError("rows of a result cannot be hashed")

    def __repr__(self) -> str:
        return f"[{', '.join(node.name for node in self[:5])}{', ...' if len(self) > 5 else ''}]"  # noqa: PLR2004


class ResultNode(Message):
    """One row of a result, with the fields of tfprof's GraphNodeProto (scope, graph) or MultiGraphNodeProto (op, code).

    It can be used like such a message wherever that is only read: by ``copy``, ``pickle``, ``==``, `HasField`,
    `ListFields`, ``text_format`` and ``json_format``. `to_proto` returns a message to change or to copy from.

    Numbers are attributes: ``total_float_ops``, ``total_parameters``, ``exec_micros`` ... An unknown number is None,
    except under tfprof's semantics, where it is 0. So is a sum that lacks nodes without a figure: `at_least` has what
    is known of it, `unknown_nodes` how many nodes it lacks. ``children`` are the rows below, ``graph_nodes`` the nodes
    of a row of op or code view. `to_pandas` returns a table of the row and all below it.
    """

    __slots__ = ("DESCRIPTOR", "_row", "_table")

    def __init__(self, table: _Table, row: int) -> None:
        self._table, self._row = table, row
        self.DESCRIPTOR = table.message.DESCRIPTOR

    def __getattr__(self, field: str) -> Any:
        if field.startswith("_"):
            raise AttributeError(field)
        if field in self._table.constants:
            return getattr(self._table.message(), field)
        self._check(field)
        return self._table.figure(field, self._row)

    def __dir__(self) -> list[str]:
        return [*object.__dir__(self), *self.DESCRIPTOR.fields_by_name]

    def __str__(self) -> str:
        if self._table.depths(self._row).max() >= _MAX_LEVELS:
            return repr(self)
        return str(self.to_proto())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ResultNode):
            is_same = self._table is other._table and self._row == other._row
            return is_same or (self.DESCRIPTOR, self.SerializeToString()) == (
                other.DESCRIPTOR,
                other.SerializeToString(),
            )
        return self.to_proto() == other if isinstance(other, Message) else NotImplemented

    def __hash__(self) -> int:
        raise TypeError("a result cannot be hashed")

    def __copy__(self) -> ResultNode:
        return ResultNode(self._table, self._row)

    def __deepcopy__(self, memo: Any = None) -> ResultNode:
        return ResultNode(self._table, self._row)  # rows do not change

    def __reduce__(self) -> tuple[Any, tuple[ResultRows]]:
        return result_node, (self._table.rows.part(self._row, int(self._table.size[self._row])),)

    def __repr__(self) -> str:
        numbers = {field: value for field in self._table.rows.figures if (value := getattr(self, field))}
        words = "".join(f" {field}={value}" for field, value in numbers.items())
        return f"<{self._table.rows.message} {self.name!r}{words}, {len(self.children)} children>"

    def at_least(self, field: str) -> Number | None:
        """Return the sum over the nodes that have a figure, None if none has; AttributeError for an unknown field."""
        self._check(field)
        return self._table.known_sum(field, self._row)

    def unknown_nodes(self, field: str) -> int:
        """Return how many nodes of a sum could have a figure but have none; AttributeError for an unknown field."""
        self._check(field)
        return int(self._table.rows.figures[field].unknown[self._row])

    def _check(self, field: str) -> None:
        if field not in self._table.rows.figures:
            raise AttributeError(f"{self._table.rows.message} has no field {field}")

    @property
    def name(self) -> str:
        """The name of the row."""
        name: str = self._table.rows.names[self._row].as_py()
        return name

    @property
    def children(self) -> Sequence[ResultNode]:
        """The rows below this one, in display order."""
        first, end = self._table.child_offsets[self._row : self._row + 2]
        return _Nodes(self._table, self._table.children[first:end])

    @property
    def graph_nodes(self) -> Sequence[ResultNode]:
        """The nodes of a row of op or code view, in name order."""
        offsets = self._table.rows.member_offsets
        if offsets is None:
            raise AttributeError(f"{self._table.rows.message} has no field graph_nodes")
        return _Nodes(self._table.members, np.arange(offsets[self._row], offsets[self._row + 1]))

    @property
    def devices(self) -> list[str]:
        """The devices that the node ran on."""
        devices = self._table.rows.devices
        if devices is None:
            raise AttributeError(f"{self._table.rows.message} has no field devices")
        return list(devices[self._row].as_py() or ())

    @property
    def input_shapes(self) -> Mapping[int, Any]:
        """The shape of each input by its position, as tfprof has it: a scalar is (1)."""
        shapes: Mapping[int, Any] = self._table.own_message(self._row).input_shapes
        return shapes

    def HasField(self, field_name: str) -> bool:  # noqa: N802 (protobuf's name, as are the following)
        """Return False for a field of messages, which the profiler leaves unset; ValueError for other fields."""
        is_set: bool = self._table.message().HasField(field_name)
        return is_set

    __contains__ = HasField

    def WhichOneof(self, oneof_group: str) -> str | None:  # noqa: N802
        """Raise ValueError: the message has no oneof."""
        member: str | None = self._table.message().WhichOneof(oneof_group)
        return member

    def ListFields(self) -> list[tuple[FieldDescriptor, Any]]:  # noqa: N802
        """Return descriptor and value of all fields that are set, by number; ``children`` are rows of the result."""
        fields = self._table.own_message(self._row).ListFields()
        if len(self.children):
            fields.append((self.DESCRIPTOR.fields_by_name["children"], self.children))
        return sorted(fields, key=lambda each: each[0].number)

    def IsInitialized(self) -> bool:  # noqa: N802
        """Return True: no field is required."""
        return True

    def ByteSize(self) -> int:  # noqa: N802
        """Return the number of bytes of the message."""
        return len(self.SerializeToString())

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("results cannot be changed; to_proto() returns a message that can")

    MergeFrom = CopyFrom = MergeFromString = ParseFromString = _refuse
    Clear = ClearField = SetInParent = DiscardUnknownFields = _refuse

    def to_proto(self) -> Any:
        """Return the row and all below it as a message; protobuf cannot serialize or parse 100 or more levels."""
        first = self._row
        parents = self._table.rows.parent
        made = {first: self._table.own_message(first)}
        for row in range(first + 1, first + int(self._table.size[first])):
            made[row] = made[int(parents[row])].children.add()
            made[row].CopyFrom(self._table.own_message(row))
        return made[first]

    def SerializeToString(self, **_: Any) -> bytes:  # noqa: N802
        """Return the bytes of the message, however deeply it is nested; they are always deterministic.

        Own fields come before the children, so the bytes of all rows follow each other in preorder. Each child starts
        with a header that has its size, which depends on all rows below it: sizes are computed from the last row up.
        """
        first, count = self._row, int(self._table.size[self._row])
        own = [
            self._table.own_message(row).SerializeToString(deterministic=True) for row in range(first, first + count)
        ]
        sizes = [len(data) for data in own]
        tag = _varint(self._table.message.DESCRIPTOR.fields_by_name["children"].number << 3 | _LENGTH_DELIMITED)
        parts = [own[0]]
        headers = [b""] * count
        for row in range(count - 1, 0, -1):
            headers[row] = tag + _varint(sizes[row])
            sizes[int(self._table.rows.parent[first + row]) - first] += len(headers[row]) + sizes[row]
        parts += [headers[row] + own[row] for row in range(1, count)]
        return b"".join(parts)

    SerializePartialToString = SerializeToString

    def to_pandas(self) -> pd.DataFrame:
        """Return a table of this row and all below it, in display order.

        Columns: row, parent (NULL for the first one), depth (1 for the first one), name, devices (if the rows are
        nodes), and one column per numeric field, NULL where unknown. A field that is a lower bound in any row is NULL
        there, and has two more columns: ``at_least_`` and ``unknown_nodes_`` before its name.
        """
        import pandas as pd  # noqa: PLC0415 (takes a third of a second, and nothing else needs it)

        rows, count = self._table.rows, int(self._table.size[self._row])
        part = slice(self._row, self._row + count)
        parent = rows.parents_below(self._row, count)
        columns: dict[str, Any] = {
            "row": np.arange(len(parent)),
            "parent": pa.array(parent, mask=parent < 0),
            "depth": depths_of(parent),
            "name": rows.names.slice(part.start, len(parent)),
        }
        if rows.devices is not None:
            columns["devices"] = rows.devices.slice(part.start, len(parent))
        for field, measure in rows.figures.items():
            sums, lacks = measure.to_arrow().slice(part.start, len(parent)), measure.unknown[part]
            columns[field] = pc.if_else(pa.array(lacks > 0), pa.scalar(None, sums.type), sums)
            if ((lacks > 0) & measure.known[part]).any():
                columns |= {f"at_least_{field}": sums, f"unknown_nodes_{field}": lacks}
        table: pd.DataFrame = pa.table(columns).to_pandas(types_mapper=pd.ArrowDtype)
        return table


def result_node(rows: ResultRows) -> ResultNode:
    """Return the root of a result."""
    return ResultNode(_Table(rows), 0)


def _varint(value: int) -> bytes:
    parts = bytearray()
    while value > 0x7F:  # noqa: PLR2004 (seven bits a byte)
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    parts.append(value)
    return bytes(parts)
