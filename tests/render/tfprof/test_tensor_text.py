"""Values of a checkpoint in scope and graph view (spec of tfprof, 6.6): brackets, digits and truncation."""

from __future__ import annotations

import numpy as np
import pytest
from messages import graph, inputs_of, node
from queries import text_of
from repository import DATA

from tfprof_report.ingest.checkpoint import open_checkpoint
from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.node_table import NodeTable
from tfprof_report.render.tfprof.tensor_text import LIMIT, tensor_text, unprinted_types
from tfprof_report.semantics import CORRECTED, TFPROF, Semantics

CHECKPOINTS = DATA / "checkpoints"


@pytest.mark.parametrize(
    ("values", "text"),
    [
        (np.float32(1.5), "[1.50 ],\n"),
        (np.array([1, -2], np.int64), "[1 -2 ],\n"),
        (np.array([[1, 2], [3, 4]], np.int32), "[[1 2 ],\n[3 4 ],\n],\n"),
        (np.zeros((1, 2, 1)), "[[[0.00 ],\n[0.00 ],\n],\n],\n"),
        (np.zeros((2, 0, 3)), "[[],\n[],\n],\n"),
        (np.zeros(0), "[],\n"),
        (np.array([b"a", b"\xc3\xa9", b"\xff"], object), "['a' 'é' '\\xff' ],\n"),
        (np.array([1234567.0, 0.005, 1e300, -0.0]), f"[1234570.00 0.01 {1e300:.2f} -0.00 ],\n"),
        (np.array([np.nan, -np.nan, np.inf, -np.inf]), "[nan -nan inf -inf ],\n"),
        (np.array([True, False]), "[True False ],\n"),
        (np.array([1 - 2j], np.complex64), "[1.00-2.00j ],\n"),
    ],
)
def test_values_are_in_nested_brackets(values: np.ndarray, text: str) -> None:
    assert tensor_text(np.asarray(values)) == text


@pytest.mark.parametrize(
    ("count", "length", "is_cut"),
    [(4997, 9998, False), (4998, 10000, True), (4999, 10002, True), (5000, 10003, True), (9000, 10003, True)],
)
def test_a_text_of_ten_thousand_characters_is_cut_and_says_so(count: int, length: int, *, is_cut: bool) -> None:
    text = tensor_text(np.zeros(count, np.int32))
    values, omitted, rest = text.partition("...omitted from display\n\n")
    assert (len(values), bool(omitted), rest) == (length, is_cut, "")
    assert values.endswith("],\n")


def test_the_cut_of_a_deep_tensor_keeps_one_last_bracket() -> None:
    values = np.zeros((40, 50, 3), np.int32)
    whole = "[" + ("[" + "[0 0 0 ],\n" * 50 + "],\n") * 40 + "],\n"
    assert tensor_text(values) == whole[:LIMIT] + "],\n...omitted from display\n\n"


@pytest.mark.parametrize("shape", [(10**12, 0), (0,) * 60])
def test_shapes_without_end_are_no_work(shape: tuple[int, ...]) -> None:
    assert len(tensor_text(np.zeros(shape))) < LIMIT + 100


def table_with(name: str) -> NodeTable:
    checkpoint = open_checkpoint(str(CHECKPOINTS / name), option="")
    names = list(checkpoint.variables)
    made = inputs_of(graph(*(node(each, "VariableV2") for each in names), node("part/a/part_0", "VariableV2")))
    inputs = type(made)(graph=made.graph, run_metas=(), op_log=None, files=(), diagnostics=(), checkpoint=checkpoint)
    return build_node_table(inputs)


@pytest.mark.parametrize("view", ["scope", "graph"])
def test_values_follow_the_row_of_their_variable(view: str) -> None:
    text = text_of(table_with("sharded"), view, TFPROF, select=("tensor_value",), show_name_regexes=("c|plain",))
    assert text.endswith(
        "\n_TFProfRoot ()\n  c ()\n[[0 1 2 3 ],\n[4 5 6 7 ],\n[8 9 10 11 ],\n],\n  plain ()\n[3.00 ],\n"
    )


def test_nothing_is_printed_unless_it_is_selected() -> None:
    assert "[" not in text_of(table_with("sharded"), "scope", TFPROF, select=("params",))


@pytest.mark.parametrize(("semantics", "shown"), [(TFPROF, ""), (CORRECTED, "[[0 1 2 ],\n[3 4 5 ],\n],\n")])
def test_types_that_tfprof_does_not_print_are_printed_under_corrected(semantics: Semantics, shown: str) -> None:
    text = text_of(table_with("dtypes"), "scope", semantics, select=("tensor_value",), show_name_regexes=("quint8",))
    assert text.endswith(f"  quint8 ()\n{shown}")


def test_the_types_without_values_are_named_as_tfprof_names_them() -> None:
    checkpoint = open_checkpoint(str(CHECKPOINTS / "dtypes"), option="")
    assert unprinted_types(checkpoint, CORRECTED) == []
    assert unprinted_types(checkpoint, TFPROF)[:2] == ["Not Supported type 4", "Not Supported type 5"]
    assert unprinted_types(open_checkpoint(str(CHECKPOINTS / "sharded"), option=""), TFPROF) == []


def test_variables_are_accounted_by_their_checkpoint_type() -> None:
    table = table_with("sharded")
    text = text_of(table, "scope", TFPROF, select=("op_types",), account_type_regexes=("_checkpoint_variables",))
    rows = text.partition("Profile:\n")[2].splitlines()[2:]
    assert rows == [
        "  c (VariableV2|_checkpoint_variables)",
        "  part (_kTFScopeParent)",
        "    part/a (VariableV2|_checkpoint_variables)",
        "    part/b (VariableV2|_checkpoint_variables)",
        "  plain (VariableV2|_checkpoint_variables)",
    ]
