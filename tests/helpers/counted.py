"""Counts the FLOPs of single nodes by the extended rules."""

from __future__ import annotations

from typing import Any

from messages import decoded, graph, node

from tfprof_report.ingest.graph_def import RULE_ATTRS, read_graph
from tfprof_report.ingest.sniff import Kind
from tfprof_report.model.flops.evaluate import count_float_ops
from tfprof_report.model.flops.rule_sets import rule_set
from tfprof_report.model.graph.edges import read_edges
from tfprof_report.semantics import CORRECTED


def figures(op: str, *inputs: list[int], out: list[int], **attrs: Any) -> tuple[int | None, int | None]:
    """Return FLOPs and multiply-adds of a node with inputs of these shapes."""
    sources = [node(f"x{number}", "Placeholder", output_shapes=[shape]) for number, shape in enumerate(inputs)]
    made = node("n", op, *(source.name for source in sources), output_shapes=[out])
    for name, value in attrs.items():
        if isinstance(value, bool):
            made.attr[name].b = value
        elif isinstance(value, str):
            made.attr[name].s = value.encode()
        elif isinstance(value, int):
            made.attr[name].i = value
        elif value and isinstance(value[0], str):
            made.attr[name].list.s.extend(word.encode() for word in value)
        else:
            made.attr[name].list.i.extend(value)
    table = read_graph(decoded(graph(*sources, made), Kind.GRAPH)).nodes
    counted = count_float_ops(
        ops=table["op"].combine_chunks().cast("string"),
        edges=read_edges(table["inputs"].combine_chunks(), table["name"].combine_chunks()),
        output_shapes=table["output_shapes"].combine_chunks(),
        attrs={name: table[name].combine_chunks() for name in RULE_ATTRS},
        semantics=CORRECTED,
        rules=rule_set("extended"),
    )
    return counted.values[-1].as_py(), counted.macs[-1].as_py()
