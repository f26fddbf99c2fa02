"""What counts as parameters, what is trainable, and what lies unused beside it."""

from __future__ import annotations

from typing import Any

from messages import entry, graph, inputs_of, node, op_log

from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.flops.evaluate import capable_nodes
from tfprof_report.model.node_table import NodeTable
from tfprof_report.model.values import node_measures
from tfprof_report.semantics import CORRECTED, TFPROF

FLOAT, BFLOAT16 = 1, 14
STEMS = ("params", "param_bytes", "trainable_params", "unused_params", "unused_param_bytes")


def variable(name: str, *shape: int, dtype: int = FLOAT) -> Any:
    made = node(name, "VariableV2", shape=shape)
    made.attr["dtype"].type = dtype
    return made


def used(*variables: Any) -> list[Any]:
    return [*variables, *(node(f"use_{each.name}", "Neg", each.name) for each in variables)]


def figures_of(table: NodeTable) -> dict[str, tuple[int | None, ...]]:
    rows = table.columns.select(["name", "param_kind", *STEMS]).to_pylist()
    return {row["name"]: tuple(row[stem] for stem in STEMS) for row in rows if row["param_kind"]}


def table_of(*nodes: Any, log: Any = None) -> NodeTable:
    return build_node_table(inputs_of(graph(*nodes), op_log=log))


def test_unused_parameters_stand_in_a_column_of_their_own() -> None:
    copy = [variable("copy", 2, 3), node("copy/Assign", "Assign", "copy", "w"), node("save", "SaveV2", "copy")]
    table = table_of(*used(variable("w", 2, 3)), *copy)
    assert figures_of(table) == {"w": (6, 24, 6, 0, 0), "copy": (0, 0, 0, 6, 24)}
    assert table.column("name").filter(capable_nodes(table.columns, "params")).to_pylist() == ["w"]


def test_text_as_of_tfprof_counts_them_all_the_same() -> None:
    table = table_of(*used(variable("w", 2, 3)), variable("copy", 2, 3))
    values = {
        semantics: node_measures(table, step=-1, semantics=semantics)["params"].values.sum()
        for semantics in (CORRECTED, TFPROF)
    }
    assert values == {CORRECTED: 6, TFPROF: 12}


def test_an_unknown_number_of_unused_parameters_stays_unknown() -> None:
    assert figures_of(table_of(*used(variable("w", 2)), variable("copy", -1)))["copy"] == (None, None, 0, None, None)


def test_where_no_variable_is_used_none_is_unused() -> None:
    assert figures_of(table_of(variable("v", 2), variable("w", 3))) == {"v": (2, 8, 2, 0, 0), "w": (3, 12, 3, 0, 0)}


def test_only_trainable_parameters_are_trainable() -> None:
    log = op_log(entry("w", types=["_trainable_variables"]))
    table = table_of(*used(variable("w", 2, 3), variable("mean", 5), variable("open", -1)), log=log)
    assert figures_of(table) == {
        "w": (6, 24, 6, 0, 0),
        "mean": (5, 20, 0, 0, 0),
        "open": (None, None, 0, 0, 0),
    }


def test_nobody_knows_what_was_trainable_of_frozen_weights() -> None:
    made = node("k/ReadVariableOp/resource", "Const")
    made.attr["dtype"].type = FLOAT
    made.attr["value"].tensor.tensor_shape.dim.add(size=4)
    table = table_of(made, node("k/ReadVariableOp", "Identity", made.name), node("use", "Neg", "k/ReadVariableOp"))
    assert figures_of(table) == {made.name: (4, 16, None, 0, 0)}
    measure = node_measures(table, step=-1, semantics=CORRECTED)["trainable_params"]
    assert (measure.counted.sum(), measure.unknown.sum()) == (0, 1)


def test_half_the_bits_are_half_the_bytes() -> None:
    tables = [table_of(*used(variable("w", 8, dtype=dtype))) for dtype in (FLOAT, BFLOAT16)]
    assert [figures_of(table)["w"][:2] for table in tables] == [(8, 32), (8, 16)]
