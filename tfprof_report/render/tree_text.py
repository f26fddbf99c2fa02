"""The table of the scope view as tfprof prints it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.ingest.arrays import Ints
from tfprof_report.model.node_table import NodeTable, sorted_types
from tfprof_report.model.schema import ROOT
from tfprof_report.model.values import Measure
from tfprof_report.options import Options
from tfprof_report.render.node_text import device_lists, input_shape_texts, shape_texts
from tfprof_report.render.text import chunks, columns_of, format_each, header, join, lines_of, preamble
from tfprof_report.semantics import Semantics
from tfprof_report.views.scope import SCOPE_TYPE, Tree
from tfprof_report.views.selection import Bools, Selection

_COLUMNS = (
    "params",
    "float_ops",
    "bytes",
    "peak_bytes",
    "residual_bytes",
    "output_bytes",
    "micros",
    "accelerator_micros",
    "cpu_micros",
    "device",
    "op_types",
    "occurrence",
    "input_shapes",
)
_KIND = {"params": "count", "float_ops": "count", "micros": "time", "accelerator_micros": "time", "cpu_micros": "time"}
_SUFFIX = {"params": " params", "float_ops": " flops"}
_NOT_ACCOUNTED = "--"


def scope_text(
    table: NodeTable, tree: Tree, selection: Selection, options: Options, semantics: Semantics
) -> Iterator[str]:
    """Yield tfprof's text of a scope view: doc lines, header, the root row, then the shown rows."""
    columns = columns_of(options, _COLUMNS)
    yield preamble("scope", options, semantics, misses_stream=table.misses_stream)
    yield header(columns, occurrence="op count (run|defined)")
    root = _Rows(
        nodes=np.array([-1]),
        accounted=np.array([False]),
        own=selection.root,
        total=selection.root,
    )
    yield lines_of(join([ROOT, " (", _cells(table, root, columns, semantics), ")\n"]))
    names = tree.names
    for piece in chunks(len(selection.rows)):
        rows = selection.rows[piece]
        shown = _Rows(
            nodes=tree.node[rows],
            accounted=selection.accounted[rows],
            own={stem: measure.take(piece) for stem, measure in selection.self_shown.items()},
            total={stem: measure.take(piece) for stem, measure in selection.total_shown.items()},
        )
        cells = _cells(table, shown, columns, semantics)
        yield lines_of(join([_indents(selection.depth[piece]), names.take(pa.array(rows)), " (", cells, ")\n"]))


class _Rows:
    """Some rows of the view on their way to text."""

    def __init__(self, *, nodes: Ints, accounted: Bools, own: dict[str, Measure], total: dict[str, Measure]) -> None:
        self.nodes, self.accounted, self.own, self.total = nodes, accounted, own, total


def _indents(depth: Ints) -> pa.Array:
    distinct, code = np.unique(depth, return_inverse=True)
    return pa.array([" " * (2 * level) for level in distinct.tolist()], pa.string()).take(pa.array(code))


def _cells(table: NodeTable, rows: _Rows, columns: list[str], semantics: Semantics) -> pa.Array:
    cells: list[pa.Array] = []
    for column in columns:
        match column:
            case "device":
                cells.append(_devices(table, rows.nodes, semantics))
            case "op_types":
                cells.append(_types(table, rows.nodes, semantics))
            case "occurrence":
                runs = _pair("run_count", "count", rows)
                defined = _pair("definition_count", "count", rows)
                cells.append(join([runs, defined], "|"))
            case "input_shapes":
                cells.append(input_shape_texts(table, rows.nodes, "|", semantics))
            case _:
                if column == "params":
                    cells.append(shape_texts(table.column("shape").take(_index(rows.nodes))))
                pair = _pair(column, _KIND.get(column, "memory"), rows)
                cells.append(join([pair, _SUFFIX.get(column, "")]))
    return join(cells, ", ") if cells else pa.array([""] * len(rows.nodes))


def _pair(stem: str, kind: str, rows: _Rows) -> pa.Array:
    own = pc.if_else(pa.array(rows.accounted), format_each(rows.own[stem], kind), _NOT_ACCOUNTED)
    return join([own, format_each(rows.total[stem], kind)], "/")


def _index(nodes: Ints) -> pa.Array:
    """Return row numbers to take, NULL for rows that are no node."""
    return pa.array(nodes, mask=nodes < 0)


def _devices(table: NodeTable, nodes: Ints, semantics: Semantics) -> pa.Array:
    devices = device_lists(table, semantics).take(_index(nodes))
    if pa.types.is_list(devices.type):
        devices = pc.binary_join(devices, "|")
        devices = pc.if_else(pc.equal(devices, ""), pa.scalar(None, pa.string()), devices)
    return devices


def _types(table: NodeTable, nodes: Ints, semantics: Semantics) -> pa.Array:
    index = _index(nodes)
    parts = [table.ops.take(index), device_lists(table, semantics).take(index), table.log_types.take(index)]
    types = pc.binary_join(sorted_types(parts, len(nodes)), "|")
    return pc.if_else(pa.array(nodes >= 0), types, SCOPE_TYPE)
