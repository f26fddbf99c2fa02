"""What a page tells of one node beside its figures: devices, shapes, sources of figures, neighbours and place in code.

The block of head has the nodes that are rows of the page's views, that of base those of them that head lacks, and what
consumes their outputs; in the order of the node table, in the encoding of `packed_columns`. Columns: ``node`` (how much
the row in the node table is above that of the node before, the first above -1); for each of `TEXTS` its codes, -1 for
unknown, and in ``X_words`` the distinct texts; ``rule`` (index into the texts ``rules``, -1 without a rule);
``multiplicity`` (executions of one execution of the graph); ``input_count``; and, in the order of the inputs of all
these nodes, ``input`` (how much the row of the producer is below that of the node, 0 for one that the graph lacks) and
``is_control``. Of texts and inputs, those that the whole node table lacks are left out.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import (
    Ints,
    distinct,
    encode_codes,
    list_offsets,
    list_values,
    marks,
    to_bools,
    to_ints,
    whole,
)
from tfprof_report.compare.comparison import RowStatus
from tfprof_report.compare.side import Side
from tfprof_report.model.flops.rule_sets import rule_set
from tfprof_report.model.graph.edges import read_edges
from tfprof_report.model.measurement import Measurement
from tfprof_report.render.html.packed_columns import Packer
from tfprof_report.render.html.page_data import MAX_ROWS, cut_rows, rows_of
from tfprof_report.report.report import Report

NAME, BASE_NAME = "nodes", "base-nodes"
"""The names of the blocks of head and of base; no view is called that."""

TEXTS = (
    "device",
    "input_shapes",
    "output_shapes",
    "shape_source",
    "float_ops_source",
    "float_ops_reason",
    "float_ops_assumes",
    "layer",
    "phase",
    "code_line",
)
"""Columns of the node table, as text. ``device`` is where a node was placed, else where it ran."""


def node_block(report: Report, *, max_rows: int = MAX_ROWS) -> str:
    """Return the block of head's nodes in base64; `max_rows` is that of the views."""
    rows = (cut_rows(rows_of(report, name), max_rows) for name in report.head.views)
    return _block(NAME, report.head, _distinct(view.sides["head"].column("node") for view in rows))


def base_node_block(report: Report, *, max_rows: int = MAX_ROWS) -> str:
    """Return the block of base's nodes that head lacks, and of their consumers; empty text if there are none."""
    if report.comparison is None:
        return ""
    base = report.comparison.base
    rows = [cut_rows(rows_of(report, name), max_rows) for name in report.head.views]
    gone = _distinct(
        view.sides["base"].column("node").filter(pc.equal(view.status, RowStatus.REMOVED))
        for view in rows
        if view.status is not None
    )
    return _block(BASE_NAME, base, _with_consumers(base, gone)) if len(gone) else ""


def _distinct(columns: Iterable[pa.Array]) -> Ints:
    found = [to_ints(column.drop_null()) for column in columns]
    return distinct(np.concatenate(found)) if found else np.zeros(0, np.int64)


def _with_consumers(side: Side, chosen: Ints) -> Ints:
    """Return the chosen nodes and those that take an output of them or wait for them."""
    if not _has_inputs(side.nodes):
        return chosen
    edges = _edges(side)
    source = to_ints(pc.fill_null(edges["source"], -1))
    takes = (source >= 0) & marks(chosen, side.nodes.num_rows)[source]
    return distinct(np.concatenate([chosen, to_ints(edges["node"])[takes]]))


def _block(name: str, side: Side, kept: Ints) -> str:
    every, rows = side.nodes, pa.array(kept)
    packer = Packer()
    packer.add_codes("node", np.diff(kept, prepend=-1))
    for column in filter(every.column_names.__contains__, TEXTS):
        texts = _text_of(every, column)
        if texts.null_count < every.num_rows:
            _add_texts(packer, column, texts if len(rows) == len(texts) else texts.take(rows))
    _add_rules(packer, side.measurement, every["op"].take(rows))
    if "multiplicity" in every.column_names:
        packer.add_figures("multiplicity", whole(every["multiplicity"].take(rows)))
    if _has_inputs(every):
        _add_inputs(packer, side, kept)
    return base64.b64encode(packer.to_bytes({"view": name, "rows": len(kept)})).decode("ascii")


def _has_inputs(nodes: pa.Table) -> bool:
    return "inputs" in nodes.column_names and nodes["inputs"].null_count < nodes.num_rows


def _text_of(nodes: pa.Table, name: str) -> pa.Array:
    """Return a column as text, or as a dictionary of texts."""
    column = whole(nodes[name])
    if name.endswith("_shapes"):
        return _shape_texts(column)
    if name == "device" and "run_devices" in nodes.column_names:
        ran = pc.binary_join(whole(nodes["run_devices"]), ", ")
        return pc.coalesce(column.cast(pa.string()), pc.if_else(pc.equal(ran, ""), None, ran))
    return column if pa.types.is_dictionary(column.type) else column.cast(pa.string())


def _shape_texts(shapes: pa.ListArray) -> pa.Array:
    """Return lists of shapes as text, such as ``[128,?,3] []``; ``?`` is what is unknown, NULL for an empty list."""
    inner = list_values(shapes)
    sizes = list_values(inner)
    words = pc.if_else(pc.less(sizes, 0), "?", sizes.cast(pa.string()))
    each = pc.binary_join(pa.ListArray.from_arrays(pa.array(list_offsets(inner), pa.int32()), words), ",")
    each = pc.if_else(inner.is_null(), "?", pc.binary_join_element_wise("[", each, "]", ""))
    texts = pc.binary_join(pa.ListArray.from_arrays(pa.array(list_offsets(shapes), pa.int32()), each), " ")
    return pc.if_else(pc.equal(texts, ""), None, texts)


def _add_texts(packer: Packer, name: str, texts: pa.Array) -> None:
    if pa.types.is_dictionary(texts.type):
        coded = encode_codes(to_ints(texts.indices.fill_null(-1)), texts.dictionary.cast(pa.string()))
    else:
        coded = texts.dictionary_encode()
    packer.add_codes(name, to_ints(coded.indices.fill_null(-1)))
    packer.add_names(f"{name}_words", coded.dictionary)


def _add_rules(packer: Packer, measurement: Measurement, ops: pa.ChunkedArray) -> None:
    """Add for each node the rule that counts its op type, as people read it."""
    counting = measurement.counting
    rules = rule_set(counting.rules, measurement.semantics, counting.user_rules)
    types = whole(ops.cast(pa.string())).dictionary_encode()
    found = np.append(rules.find(types.dictionary.to_pylist()), -1)[to_ints(types.indices.fill_null(-1))]
    texts = pa.array([rule.text for rule in rules.rules], pa.string()).take(pa.array(found, mask=found < 0))
    coded = texts.dictionary_encode()
    packer.add_codes("rule", to_ints(coded.indices.fill_null(-1)))
    packer.add_names("rules", coded.dictionary)


def _add_inputs(packer: Packer, side: Side, kept: Ints) -> None:
    edges, count = _edges(side), side.nodes.num_rows
    consumer = to_ints(edges["node"])
    is_kept = marks(kept, count)[consumer]
    source = to_ints(pc.fill_null(edges["source"], -1))
    packer.add_codes("input_count", np.bincount(consumer, minlength=count)[kept])
    packer.add_codes("input", np.where(source < 0, 0, consumer - source)[is_kept])
    packer.add_codes("is_control", to_bools(edges["is_control"])[is_kept].astype(np.int64))


def _edges(side: Side) -> pa.Table:
    if side.edges is not None:
        return side.edges
    return read_edges(whole(side.nodes["inputs"]), whole(side.nodes["name"]))
