"""What a page tells of one node beside its figures: devices, shapes, sources of figures, neighbours and place in code.

The block has the nodes of head that are rows of the page's views, in the order of the node table, in the encoding of
`packed_columns`. Columns: ``node`` (how much the row in the node table is above that of the node before, the first
above -1); for each of `TEXTS` its codes, -1 for unknown, and in ``X_words`` the distinct texts; ``rule`` (index into
the texts ``rules``, -1 without a rule); ``multiplicity`` (executions of one execution of the graph);
``input_count``; and, in the order of the inputs of all these nodes, ``input`` (how much the row of the producer is
below that of the node, 0 for one that the graph lacks) and ``is_control``.
"""

from __future__ import annotations

import base64

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Ints, distinct, list_offsets, list_values, marks, to_bools, to_ints
from tfprof_report.model.flops.rule_sets import rule_set
from tfprof_report.model.graph.edges import read_edges
from tfprof_report.render.html.packed_columns import Packer
from tfprof_report.render.html.page_data import MAX_ROWS, cut_rows, rows_of
from tfprof_report.render.tables.cells import visible_names
from tfprof_report.report.report import Report

NAME = "nodes"
"""The name of the block; no view is called that."""

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
    """Return the block of this module's docstring in base64; `max_rows` is that of the views."""
    kept = _carried(report, max_rows)
    every = report.head.nodes
    needed = [name for name in ("op", "run_devices", "multiplicity", *TEXTS) if name in every.column_names]
    nodes = every.select(needed).take(pa.array(kept))
    packer = Packer()
    packer.add_codes("node", np.diff(kept, prepend=-1))
    for name in filter(nodes.column_names.__contains__, TEXTS):
        _add_texts(packer, name, _text_of(nodes, name))
    _add_rules(packer, report, nodes["op"])
    if "multiplicity" in nodes.column_names:
        packer.add_figures("multiplicity", nodes["multiplicity"].combine_chunks())
    if "inputs" in every.column_names:
        _add_inputs(packer, every, kept)
    return base64.b64encode(packer.to_bytes({"view": NAME, "rows": len(kept)})).decode("ascii")


def _carried(report: Report, max_rows: int) -> Ints:
    """Return the rows of head's nodes that some view of the page has."""
    views = (cut_rows(rows_of(report, name), max_rows) for name in report.head.views)
    found = [to_ints(view.sides["head"].column("node").drop_null()) for view in views]
    return distinct(np.concatenate(found)) if found else np.zeros(0, np.int64)


def _text_of(nodes: pa.Table, name: str) -> pa.Array:
    column = nodes[name].combine_chunks()
    if name.endswith("_shapes"):
        return _shape_texts(column)
    texts = column.cast(pa.string())
    if name == "device" and "run_devices" in nodes.column_names:
        ran = pc.binary_join(nodes["run_devices"].combine_chunks(), ", ")
        texts = pc.coalesce(texts, pc.if_else(pc.equal(ran, ""), None, ran))
    return texts


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
    coded = texts.dictionary_encode()
    packer.add_codes(name, to_ints(coded.indices.fill_null(-1)))
    packer.add_texts(f"{name}_words", visible_names(coded.dictionary))


def _add_rules(packer: Packer, report: Report, ops: pa.ChunkedArray) -> None:
    """Add for each node the rule that counts its op type, as people read it."""
    measurement = report.head.measurement
    counting = measurement.counting
    rules = rule_set(counting.rules, measurement.semantics, counting.user_rules)
    types = ops.cast(pa.string()).combine_chunks().dictionary_encode()
    found = np.append(rules.find(types.dictionary.to_pylist()), -1)[to_ints(types.indices.fill_null(-1))]
    texts = pa.array([rule.text for rule in rules.rules], pa.string()).take(pa.array(found, mask=found < 0))
    coded = texts.dictionary_encode()
    packer.add_codes("rule", to_ints(coded.indices.fill_null(-1)))
    packer.add_texts("rules", visible_names(coded.dictionary))


def _add_inputs(packer: Packer, nodes: pa.Table, kept: Ints) -> None:
    edges = read_edges(nodes["inputs"].combine_chunks(), nodes["name"].combine_chunks())
    consumer = to_ints(edges["node"])
    is_kept = marks(kept, nodes.num_rows)[consumer]
    source = to_ints(pc.fill_null(edges["source"], -1))
    packer.add_codes("input_count", np.bincount(consumer, minlength=nodes.num_rows)[kept])
    packer.add_codes("input", np.where(source < 0, 0, consumer - source)[is_kept])
    packer.add_codes("is_control", to_bools(edges["is_control"])[is_kept].astype(np.int64))
