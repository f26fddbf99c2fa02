"""Tiny models that ran, whose times, FLOPs and bytes are easy to work out."""

from __future__ import annotations

from typing import Any

from messages import graph, inputs_of, node, ran, run_meta

from tfprof_report.compare.side import Side
from tfprof_report.ingest.origin import Origin
from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.execution_counts import INLINED
from tfprof_report.model.flops.node_flops import RuleUse
from tfprof_report.model.flops.rule_sets import rule_set
from tfprof_report.model.shapes.resolve import ShapeUse
from tfprof_report.report.measure import measure
from tfprof_report.semantics import CORRECTED
from tfprof_report.vocabulary import FlopsRules

CPU = "/job:localhost/replica:0/task:0/device:cpu:0"
GPU = "/job:localhost/replica:0/task:0/device:gpu:0"
KERNELS = f"{GPU}/stream:all"
FLOAT, HALF = 1, 19


def typed(name: str, op: str, *inputs: str, shape: list[int] | None = None, dtype: int = FLOAT) -> Any:
    """Return a node with one output, of a type and, if it is known, a shape."""
    made = node(name, op, *inputs, **({} if shape is None else {"output_shapes": [shape]}))
    made.attr["dtype"].type = made.attr["T"].type = dtype
    return made


def product(name: str, left: str, right: str, *, shape: list[int], dtype: int = FLOAT) -> Any:
    """Return a matrix product."""
    return typed(name, "MatMul", left, right, shape=shape, dtype=dtype)


def rated(nodes: list[Any], *metas: dict[str, list[Any]]) -> Side:
    """Return a side with the executions of each step by device."""
    table = build_node_table(
        inputs_of(graph(*nodes), [(step, run_meta(devices)) for step, devices in enumerate(metas)]),
        RuleUse(rules=rule_set(FlopsRules.EXTENDED), semantics=CORRECTED),
        functions=INLINED,
        shapes=ShapeUse.RULES,
    )
    return measure(table, {}, Origin(inputs=()))


def took(name: str, nanos: int, label: str = "") -> Any:
    """Return an execution of so many nanoseconds."""
    return ran(name, micros=max(nanos // 1000, 1), nanos=nanos, label=label)
