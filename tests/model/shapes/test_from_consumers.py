"""A graph ``x, w -> mm -> relu`` of open shapes, and what a trace says that mm and relu took."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from messages import graph, inputs_of, node

from tfprof_report.ingest.run_meta import ALLOCATIONS, EXECUTIONS, OUTPUTS, TAKEN, RunMetaColumns
from tfprof_report.model.graph.edges import read_edges
from tfprof_report.model.shapes.from_consumers import add_taken


def took(*executions: tuple[str, str, list[Any]]) -> RunMetaColumns:
    """Return a step of executions: name, kernel and the shapes of the inputs, None where not told."""
    defaults = {"int64": 0, "string": "", "binary": b"", "bool": False}
    rows = [
        {field.name: defaults[str(field.type)] for field in EXECUTIONS}
        | {"node_name": name, "label": f"{name} = {kernel}".encode()}
        for name, kernel, _ in executions
    ]
    inputs = [
        {"execution": row, "position": position, "count": len(shapes), "shape": shape}
        for row, (_, _, shapes) in enumerate(executions)
        for position, shape in enumerate(shapes)
    ]
    return RunMetaColumns(
        executions=pa.Table.from_pylist(rows, schema=EXECUTIONS),
        allocations=ALLOCATIONS.empty_table(),
        outputs=OUTPUTS.empty_table(),
        devices=(),
        has_step_stats=True,
        inputs=pa.Table.from_pylist(inputs, schema=OUTPUTS),
    )


def taken(*executions: tuple[str, str, list[Any]]) -> list[tuple[str, int, Any]]:
    nodes = inputs_of(
        graph(
            node("x", "Placeholder"),
            node("w", "Unpack"),
            node("mm", "MatMul", "x", "w:1", "^x"),
            node("relu", "Relu", "mm"),
        )
    ).graph.nodes
    names = nodes["name"].combine_chunks()
    edges = read_edges(nodes["inputs"].combine_chunks(), names)
    ops = nodes["op"].cast(pa.string()).combine_chunks()
    ((_, columns),) = add_taken(((0, took(*executions)),), names=names, ops=ops, edges=edges)
    assert columns.taken.schema == TAKEN
    return [(row["node_name"], row["position"], row["shape"]) for row in columns.taken.to_pylist()]


def test_inputs_of_an_op_are_outputs_of_others() -> None:
    assert taken(("mm", "MatMul", [[8, 4], [4, 2]]), ("relu", "Relu", [[8, 2]])) == [
        ("x", 0, [8, 4]),
        ("w", 1, [4, 2]),
        ("mm", 0, [8, 2]),
    ]


def test_kernels_of_onednn_do_the_same_as_the_op() -> None:
    assert taken(("mm", "_MklMatMul", [[8, 4], None])) == [("x", 0, [8, 4])]
    assert taken(("relu", "_MklNativeRelu", [[]])) == [("mm", 0, [])]


def test_a_fused_kernel_has_inputs_of_its_own() -> None:
    assert taken(("relu", "_MklNativeFusedMatMul", [[8, 4], [4, 2]])) == []
    assert taken(("relu", "_FusedMatMul", [[8, 4]])) == []


def test_another_number_of_inputs_or_another_node_does_not_count() -> None:
    assert taken(("mm", "MatMul", [[8, 4]])) == []
    assert taken(("gone", "MatMul", [[8, 4], [4, 2]])) == []


def test_run_metadata_without_inputs_is_left_as_it_is() -> None:
    steps = ((0, took()),)
    assert add_taken(steps, names=pa.array([], pa.string()), ops=pa.array([], pa.string()), edges=pa.table({})) is steps
