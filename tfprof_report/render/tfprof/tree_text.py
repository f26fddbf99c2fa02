"""The tables of scope, graph and code view as tfprof prints them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, list_offsets, list_values, make_lists, number_distinct, to_ints
from tfprof_report.model.join.log_entries import sorted_types
from tfprof_report.model.node_table import NodeTable
from tfprof_report.model.values import Measures
from tfprof_report.options import Options
from tfprof_report.record import record
from tfprof_report.render.tfprof.tensor_text import with_values
from tfprof_report.render.tfprof.text import chunks, columns_of, format_codes, header, join, lines_of, preamble, rows_of
from tfprof_report.schema.metrics import ROOT
from tfprof_report.semantics import Semantics
from tfprof_report.views.graph import GRAPH_TYPE
from tfprof_report.views.layout import Layout
from tfprof_report.views.members import Members, device_lists
from tfprof_report.views.result_rows import shown_inputs
from tfprof_report.views.scope import SCOPE_TYPE
from tfprof_report.views.selection import Selection


def word_texts(lists: pa.ListArray) -> pa.Array:
    """Return each list of words joined by ``|``, as tfprof joins devices and types."""
    return pc.binary_join(lists, "|")


def shape_texts(shapes: pa.ListArray) -> pa.Array:
    """Return each shape as ``2x3``, ``1`` for a scalar, NULL for NULL."""
    sizes = list_values(shapes).cast(pa.string())
    offsets = list_offsets(shapes)
    texts = pc.binary_join(make_lists(sizes, np.diff(offsets)), "x")
    texts = pc.if_else(pc.equal(texts, ""), "1", texts)
    return pc.if_else(pc.is_valid(shapes), texts, pa.scalar(None, pa.string()))


def input_shape_texts(table: NodeTable, nodes: Ints, separator: str, semantics: Semantics) -> pa.Array:
    """Return for each node row its inputs' shapes as ``0:2x3|1:unknown``, joined by `separator`; ``""`` for row -1."""
    inputs = shown_inputs(table, nodes, semantics)
    positions = pa.array(inputs.positions).cast(pa.string())
    texts = pc.binary_join_element_wise(positions, pc.fill_null(shape_texts(inputs.shapes), "unknown"), ":")
    return pc.binary_join(make_lists(texts, np.diff(inputs.offsets)), separator)


_STATIC = ("params", "float_ops", "macs")


_RUN = ("bytes", "peak_bytes", "residual_bytes", "output_bytes", "micros", "accelerator_micros", "cpu_micros")


_WORDS = ("device", "op_types", "occurrence", "input_shapes")


_COLUMNS = {
    "scope": (*_STATIC, *_RUN, *_WORDS),
    "graph": (*_STATIC, *_RUN, *_WORDS),
    "code": (*_RUN, *_STATIC, *_WORDS),
}


_PARENT_TYPE = {"scope": SCOPE_TYPE, "graph": GRAPH_TYPE}


_OCCURRENCE = {
    "scope": "op count (run|defined)",
    "graph": "op count (run|defined)",
    "code": "op occurrence (run|defined)",
}


_KIND = {
    **dict.fromkeys((*_STATIC, "run_count", "definition_count"), "count"),
    **dict.fromkeys(("micros", "accelerator_micros", "cpu_micros"), "time"),
}


_SUFFIX = {"params": " params", "float_ops": " flops", "macs": " macs"}


_NOT_ACCOUNTED = "--"


_INDENT_BYTES = 2**24
"""Bytes of indentation rendered at a time: a chain of 200,000 nodes has 40 GB of it."""


def tree_text(
    table: NodeTable,
    layout: Layout,
    selection: Selection,
    options: Options,
    semantics: Semantics,
    *,
    is_terminal: bool = False,
) -> Iterator[str]:
    """Yield tfprof's text of a tree view: doc lines, header, the root row, then the shown rows."""
    view = layout.view
    columns = columns_of(options, _COLUMNS[view])
    yield preamble(view, options, semantics, misses_stream=table.misses_stream)
    yield header(columns, occurrence=_OCCURRENCE[view])
    none = np.zeros(0, dtype=np.int64)
    root = _Rows(
        nodes=np.array([-1]),
        pairs=_Pairs(selection.root, selection.root, np.array([False])),
        members=Members(table, layout, none, options, semantics) if view == "code" else None,
    )
    cells = _Cells(table, view, columns, semantics)
    yield lines_of(rows_of([ROOT, " (", cells.of(root), ")"], is_terminal=is_terminal))
    pairs = _Pairs(selection.self_shown, selection.total_shown, selection.accounted[selection.rows])
    node = layout.node if view != "code" else np.full(len(layout), -1)
    for piece in chunks(len(selection.rows)):
        rows = selection.rows[piece]
        shown = _Rows(
            nodes=node[rows],
            pairs=pairs,
            first=int(piece[0]),
            members=Members(table, layout, rows, options, semantics) if view == "code" else None,
        )
        names = layout.names.take(pa.array(rows))
        texts = rows_of([names, " (", cells.of(shown), ")"], is_terminal=is_terminal)
        for start, lines in _indented(texts, selection.depth[piece]):
            if table.checkpoint and "tensor_value" in options.select and view != "code":
                yield from with_values(lines, names.slice(start, len(lines)), table.checkpoint, semantics)
            else:
                yield lines_of(lines)


class _Pairs:
    """The texts ``<own>/<total>`` of figures, with ``--`` for the own figure of a row that is not accounted.

    Each figure is formatted when it is first asked for, once for all rows, and every distinct pair once.
    """

    def __init__(self, own: Measures, total: Measures, accounted: Bools) -> None:
        self._own, self._total, self._accounted = own, total, accounted
        self._found: dict[str, pa.DictionaryArray] = {}

    def of(self, stem: str) -> pa.DictionaryArray:
        """Return the texts of all rows, as codes of the distinct ones."""
        if stem not in self._found:
            self._found[stem] = self._format(stem)
        return self._found[stem]

    def _format(self, stem: str) -> pa.DictionaryArray:
        own, total, kind = self._own[stem], self._total[stem], _KIND.get(stem, "memory")
        # Most rows are leaves, whose total is their own figure: only the pairs of the others have to be looked for.
        other = np.flatnonzero(~self._accounted | own.differs_from(total))
        own_texts, total_texts = format_codes(own, kind), format_codes(total.take(other), kind)
        words, code = own_texts.dictionary, to_ints(own_texts.indices).copy()
        own_words, total_words = pa.concat_arrays([words, pa.array([_NOT_ACCOUNTED])]), total_texts.dictionary
        first = np.where(self._accounted[other], code[other], len(words))
        found, pairs = number_distinct(first * len(total_words) + to_ints(total_texts.indices))
        code[other] = len(words) + found
        first, second = (pa.array(part) for part in np.divmod(pairs, max(len(total_words), 1)))
        left = pa.concat_arrays([words, own_words.take(first)])
        right = pa.concat_arrays([words, total_words.take(second)])
        return pa.DictionaryArray.from_arrays(pa.array(code), join([left, "/", right, _SUFFIX.get(stem, "")]))


@record
class _Rows:
    """Some rows of a view to render.

    pairs : the figures of all rows of the selection, of which these are the rows from `first` on
    members : the nodes of lines of code view, else None
    """

    nodes: Ints
    pairs: _Pairs
    members: Members | None
    first: int = 0

    def pair(self, stem: str) -> pa.Array:
        """Return the texts of a figure of these rows."""
        return self.pairs.of(stem).slice(self.first, len(self.nodes)).dictionary_decode()


def _indented(texts: pa.Array, depth: Ints) -> Iterator[tuple[int, pa.Array]]:
    """Yield the indented texts in pieces of bounded size, each with the place of its first row."""
    part = np.cumsum(2 * depth) // _INDENT_BYTES
    starts = np.flatnonzero(np.diff(part, prepend=-1)).tolist()
    for start, end in pairwise([*starts, len(depth)]):
        yield start, join([_indents(depth[start:end]), texts.slice(start, end - start)])


def _indents(depth: Ints) -> pa.Array:
    distinct, code = np.unique(depth, return_inverse=True)
    return pa.array([" " * (2 * level) for level in distinct.tolist()], pa.string()).take(pa.array(code))


@dataclass(frozen=True, slots=True)
class _Cells:
    """The cells of one table, column by column."""

    table: NodeTable
    view: str
    columns: list[str]
    semantics: Semantics

    def of(self, rows: _Rows) -> pa.Array:
        """Return the joined cells of each row; a NULL cell is left out."""
        cells = [cell for column in self.columns for cell in self._column(column, rows)]
        return join(cells, ", ") if cells else pa.array([""] * len(rows.nodes))

    def _column(self, column: str, rows: _Rows) -> list[pa.Array]:
        if column in _WORDS:
            return [self._line_words(column, rows.members) if rows.members else self._node_words(column, rows)]
        pair = rows.pair(column)
        if column == "params" and not rows.members:
            return [shape_texts(self.table.column("shape").take(_index(rows.nodes))), pair]
        return [pair]

    def _line_words(self, column: str, members: Members) -> pa.Array:
        match column:
            case "device":
                has_nodes = np.bincount(members.row, minlength=members.count) > 0
                return pc.if_else(pa.array(has_nodes), word_texts(members.devices()), pa.scalar(None, pa.string()))
            case "op_types":
                return word_texts(members.types())
        return pa.array([f"{column} N/A in code view"] * members.count)

    def _node_words(self, column: str, rows: _Rows) -> pa.Array:
        match column:
            case "device":
                return self._devices(rows.nodes)
            case "op_types":
                return self._types(rows.nodes)
            case "input_shapes":
                return input_shape_texts(self.table, rows.nodes, "|", self.semantics)
        return join([rows.pair("run_count"), rows.pair("definition_count")], "|")

    def _devices(self, nodes: Ints) -> pa.Array:
        devices = device_lists(self.table, self.semantics).take(_index(nodes))
        if pa.types.is_list(devices.type):
            devices = word_texts(devices)
            devices = pc.if_else(pc.equal(devices, ""), pa.scalar(None, pa.string()), devices)
        return devices

    def _types(self, nodes: Ints) -> pa.Array:
        index = _index(nodes)
        devices = device_lists(self.table, self.semantics).take(index)
        parts = [self.table.ops.take(index), devices, self.table.log_types.take(index)]
        types = word_texts(sorted_types(parts, len(nodes)))
        return pc.if_else(pa.array(nodes >= 0), types, _PARENT_TYPE[self.view])


def _index(nodes: Ints) -> pa.Array:
    """Return node rows as indices to take, NULL for rows that are not a node."""
    return pa.array(nodes, mask=nodes < 0)
