"""What is read from lists and TensorArrays: TensorFlow's results (`ci/build_list_cases.py`), and cases by hand."""

from __future__ import annotations

import gzip
from functools import cache
from typing import Any

import pytest
from graph_nodes import const, last, op, tensor
from messages import call, function, graph, inputs_of, new, with_library
from repository import DATA

from tfprof_report.model.build_table import ShapeUse, build_node_table
from tfprof_report.model.execution_counts import INLINED

Shape = list[int] | None
GENERATIONS = ("v1", "v2")
OPEN_ROWS = ("split", "grown")
"""Programs whose elements have a number of rows, or whose list has a number of elements, that only a run tells."""


def inferred(made: Any) -> dict[str, list[Shape] | None]:
    """Return the shapes of the outputs of all nodes, with the bodies of functions inlined."""
    columns = build_node_table(inputs_of(made), functions=INLINED, shapes=ShapeUse.TABLES).columns
    return dict(zip(columns["name"].to_pylist(), columns["output_shapes"].to_pylist(), strict=True))


@cache
def programs(generation: str) -> dict[str, tuple[Shape, Shape]]:
    """Return TensorFlow's shape of each result and ours, which is inferred from the shapes of the inputs alone."""
    made = new("tensorflow.GraphDef")
    made.ParseFromString(gzip.decompress((DATA / "op_shapes" / f"lists_{generation}.pb.gz").read_bytes()))
    theirs: dict[str, Shape] = {}
    for each in (*made.node, *(node for body in made.library.function for node in body.node_def)):
        if "/result" in each.name:
            (shape,) = each.attr["_output_shapes"].list.shape
            theirs[each.name] = None if shape.unknown_rank else [size.size for size in shape.dim]
        each.attr["_output_shapes"].Clear()
    for body in made.library.function:
        for arg in body.arg_attr.values():
            arg.attr.clear()
    ours = inferred(made)
    return {name: (shape, (ours[name] or [None])[0]) for name, shape in theirs.items()}


@pytest.mark.parametrize("generation", GENERATIONS)
def test_results_of_programs_have_the_shape_that_they_had_when_tensorflow_ran_them(generation: str) -> None:
    ran = {name: pair for name, pair in programs(generation).items() if "/full/" in name}
    assert len(ran) >= 13
    assert {
        name: pair for name, pair in ran.items() if name.split("/")[1] not in OPEN_ROWS and pair[0] != pair[1]
    } == {}


@pytest.mark.parametrize("generation", GENERATIONS)
def test_what_tensorflow_infers_is_inferred_and_never_contradicted(generation: str) -> None:
    for name, (theirs, ours) in programs(generation).items():
        if "/full/" in name and name.split("/")[1] not in OPEN_ROWS:
            continue
        if theirs is None:
            continue
        assert ours is not None, name
        assert len(ours) == len(theirs), name
        open_rows = "/full/" in name  # TensorFlow ran these; nothing but a run tells their number of rows
        for mine, known in zip(ours, theirs, strict=True):
            assert mine in (known, -1) if open_rows else known in (mine, -1), name


@pytest.mark.parametrize("generation", ["", "V2", "V3"])
def test_every_version_of_the_ops_of_a_tensorarray_has_the_same_rules(generation: str) -> None:
    def of(name: str) -> str:
        return f"TensorArray{name}{generation}"

    array = [tensor("x", 2, 3), const("n", 4), op("array", of(""), "n"), op("w", of("Write"), "array", "i", "x", "f")]
    assert last(*array, op("y", of("Read"), "array", "i", "w")) == [[2, 3]]
    assert last(*array, const("at", [0, 2, 1]), op("y", of("Gather"), "array", "at", "w")) == [[3, 2, 3]]
    assert last(*array, op("y", of("Concat"), "array", "w")) == [[8, 3], [4]]
    rows = [tensor("x", 5, 2, 3), const("n", 4), op("array", of(""), "n")]
    assert last(*rows, op("w", of("Scatter"), "array", "i", "x", "f"), op("y", of("Read"), "array", "i", "w")) == [
        [2, 3]
    ]
    assert last(*rows, op("w", of("Split"), "array", "x", "l", "f"), op("y", of("Read"), "array", "i", "w")) == [
        [-1, 2, 3]
    ]
    gradient = op("g", of("Grad"), "array", "w"), op("y", of("Read"), "g", "i", "w")
    assert last(*array, *gradient) == [[2, 3]]


ANY, ROW = const("any", -1), tensor("x", 2, 3)
RESERVED = const("n", 4), op("list", "TensorListReserve", "any", "n")
CASES: dict[str, tuple[list[Any], list[Shape] | None]] = {
    "stacked, with the length that was reserved": (
        [*RESERVED, op("w", "TensorListSetItem", "list", "i", "x"), op("y", "TensorListStack", "w", "any")],
        [[4, 2, 3]],
    ),
    "nothing is written": ([*RESERVED, op("y", "TensorListGetItem", "list", "i", "any")], None),
    "an empty list grows": (
        [
            op("list", "EmptyTensorList", "any", "n"),
            op("w", "TensorListPushBack", "list", "x"),
            op("y", "TensorListStack", "w", "any"),
        ],
        [[-1, 2, 3]],
    ),
    "popped": (
        [
            op("list", "EmptyTensorList", "any", "n"),
            op("w", "TensorListPushBack", "list", "x"),
            op("y", "TensorListPopBack", "w", "any"),
        ],
        [[], [2, 3]],
    ),
    "a reserved list that is resized": (
        [
            *RESERVED,
            op("r", "TensorListResize", "list", "m"),
            op("w", "TensorListSetItem", "r", "i", "x"),
            op("y", "TensorListStack", "w", "any"),
        ],
        [[-1, 2, 3]],
    ),
    "elements of different sizes": (
        [
            *RESERVED,
            tensor("z", 5, 3),
            op("v", "TensorListSetItem", "list", "i", "x"),
            op("w", "TensorListSetItem", "v", "j", "z"),
            op("y", "TensorListGetItem", "w", "i", "any"),
        ],
        [[-1, 3]],
    ),
    "one unknown element of a list that is stacked": (
        [
            *RESERVED,
            op("z", "MyOp"),
            op("v", "TensorListSetItem", "list", "i", "x"),
            op("w", "TensorListSetItem", "v", "j", "z"),
            op("y", "TensorListStack", "w", "any"),
        ],
        [[4, 2, 3]],
    ),
    "one unknown element of a list that is read": (
        [
            *RESERVED,
            op("z", "MyOp"),
            op("v", "TensorListSetItem", "list", "i", "x"),
            op("w", "TensorListSetItem", "v", "j", "z"),
            op("y", "TensorListGetItem", "w", "i", "any"),
        ],
        None,
    ),
    "a list that two loops share after Grappler merged equal nodes": (
        [
            *RESERVED,
            tensor("z", 7, 7, 7),
            op("v", "TensorListSetItem", "list", "i", "x"),
            op("w", "TensorListSetItem", "list", "j", "z"),
            op("y", "TensorListStack", "v", "any"),
        ],
        [[4, 2, 3]],
    ),
    "rows of a tensor": (
        [op("list", "TensorListFromTensor", "x", "any"), op("y", "TensorListStack", "list", "any")],
        [[2, 3]],
    ),
    "gathered": (
        [
            op("list", "TensorListFromTensor", "x", "any"),
            const("at", [1, 0, 1, 0]),
            op("y", "TensorListGather", "list", "at", "any"),
        ],
        [[4, 3]],
    ),
    "an element that is made of earlier ones": (
        [
            *RESERVED,
            op("v", "TensorListSetItem", "list", "i", "x"),
            op("r", "TensorListGetItem", "v", "i", "any"),
            op("z", "Neg", "r"),
            op("w", "TensorListSetItem", "v", "j", "z"),
            op("y", "TensorListStack", "w", "any"),
        ],
        [[4, 2, 3]],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_lists_worked_out_by_hand(case: str) -> None:
    nodes, shapes = CASES[case]
    assert last(ANY, ROW, *nodes) == shapes


def test_the_length_of_a_list_is_folded() -> None:
    made = op("list", "TensorListFromTensor", "x", "any"), op("n", "TensorListLength", "list")
    assert last(ANY, tensor("x", 6, 3), *made, op("s", "Pack", "n", "n", N=2), op("y", "Fill", "s", "z")) == [[6, 6]]


def test_a_list_comes_out_of_a_loop_of_a_function_with_what_its_body_writes() -> None:
    body = function(
        "body",
        ["i", "list", "x"],
        {"i_out": "next:z:0", "list_out": "w:output_handle:0", "x_out": "x"},
        const("one", 1),
        op("next", "AddV2", "i", "one:output:0"),
        op("z", "MatMul", "x", "x"),
        op("w", "TensorListSetItem", "list", "i", "z:product:0"),
    )
    cond = function(
        "cond", ["i", "list", "x"], {"go": "less:z:0"}, const("most", 4), op("less", "Less", "i", "most:output:0")
    )
    made = graph(
        ANY,
        tensor("x", 3, 3),
        *RESERVED,
        const("zero", 0),
        call("loop", "While", "zero", "list", "x", body="body", cond="cond"),
        op("y", "TensorListStack", "loop:1", "any"),
    )
    assert inferred(with_library(made, body, cond))["y"] == [[4, 3, 3]]


def test_a_list_with_more_readers_and_writers_than_are_looked_at_is_unknown() -> None:
    writes = [op(f"w{i}", "TensorArrayWriteV3", "array", "i", "x", "f") for i in range(130)]
    reads = [op(f"r{i}", "TensorArrayReadV3", "array", "i", "f") for i in range(130)]
    assert last(ROW, const("n", 4), op("array", "TensorArrayV3", "n"), *writes, *reads[:100]) == [[2, 3]]
    assert last(ROW, const("n", 4), op("array", "TensorArrayV3", "n"), *writes, *reads) is None
