"""What the memo gives is what rules give: with it for all nodes, for none, and for narrow levels alone."""

from __future__ import annotations

import gzip
from importlib import import_module

import pytest
from graph_nodes import const, last, op, shapes_of, tensor
from hypothesis import given, settings
from hypothesis import strategies as st
from messages import inputs_of, new
from repository import DATA

from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.execution_counts import FunctionUse
from tfprof_report.model.shapes.resolve import ShapeUse

MODULES = [import_module(f"tfprof_report.model.shapes.{name}") for name in ("infer", "plan")]
ALWAYS, NEVER = 10**9, 1


def widths(patch: pytest.MonkeyPatch, wide: int) -> None:
    for module in MODULES:
        patch.setattr(module, "WIDE", wide)


@pytest.mark.parametrize("name", ["op_shapes/graph.pb.gz", "op_shapes/lists_v1.pb.gz", "op_shapes/lists_v2.pb.gz"])
def test_real_graphs_have_the_same_shapes_with_the_memo_and_without(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = new("tensorflow.GraphDef")
    made.ParseFromString(gzip.decompress((DATA / name).read_bytes()))
    for each in made.node:
        each.attr["_output_shapes"].Clear()
    found = []
    for wide in (ALWAYS, NEVER):
        widths(monkeypatch, wide)
        table = build_node_table(inputs_of(made), functions=FunctionUse(), shapes=ShapeUse.RULES)
        found.append([table.columns[name].to_pylist() for name in ("output_shapes", "shape_conflict")])
    assert found[0] == found[1]


OPS = ("Neg", "AddV2", "MatMul", "Transpose", "ConcatV2")


@settings(deadline=None, max_examples=15)
@given(st.lists(st.tuples(st.sampled_from(OPS), st.integers(1, 6), st.integers(1, 6)), min_size=1, max_size=30))
def test_random_graphs_have_the_same_shapes_with_the_memo_and_without(drawn: list[tuple[str, int, int]]) -> None:
    nodes = [tensor("x", 3, 3), const("turn", [1, 0]), const("axis", 0)]
    names = ["x"]
    for kind, first, second in drawn:
        one, two, name = names[-min(first, len(names))], names[-min(second, len(names))], f"n{len(names)}"
        inputs, attrs = {
            "Neg": ([one], {}),
            "AddV2": ([one, two], {}),
            "MatMul": ([one, two], {"transpose_a": first > second}),
            "Transpose": ([one, "turn"], {}),
            "ConcatV2": ([one, two, "axis"], {"N": 2}),
        }[kind]
        nodes.append(op(name, kind, *inputs, **attrs))
        names.append(name)
    found = []
    for wide in (ALWAYS, NEVER):
        with pytest.MonkeyPatch.context() as patch:
            widths(patch, wide)
            found.append(shapes_of(*nodes))
    assert found[0] == found[1]


def test_a_state_before_a_rule_is_applied_is_no_example_of_what_comes_after() -> None:
    # "a" has an unknown shape before its rule is applied, as the result of "b" stays: it must not be copied from "a".
    nodes = [tensor("x", 2, 3), op("a", "Neg", "x"), op("b", "Unheard", "x"), op("c", "Neg", "b"), op("d", "Neg", "b")]
    assert last(*nodes) in ([None], None)
    assert shapes_of(*nodes)["a"] == [[2, 3]]


def test_attributes_tell_nodes_apart() -> None:
    nodes = [
        tensor("x", 2, 3),
        op("a", "MatMul", "x", "x", transpose_b=True),
        op("b", "MatMul", "x", "x", transpose_a=True),
    ]
    found = shapes_of(*nodes)
    assert (found["a"], found["b"]) == ([[2, 2]], [[3, 3]])


@pytest.mark.parametrize("depth", [200, 3000])
def test_a_repeated_chain_of_any_depth_is_inferred_by_a_few_applications(
    depth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MODULES[0], "MOST_STEPS", 40)
    kinds = ("Relu", "Tanh", "Neg", "Identity")
    chain = [op(f"n{i}", kinds[i % 4], f"n{i - 1}" if i else "x") for i in range(depth)]
    assert last(tensor("x", 2, 3), *chain) == [[2, 3]]


def test_a_graph_whose_shapes_are_all_given_is_not_walked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MODULES[0], "Plan", None)
    given = [op("a", "Neg", "x", _output_shapes=[[2, 3]]), op("b", "Unheard", "a")]
    x = op("x", "PlaceholderV2", shape=[2, 3], _output_shapes=[[2, 3]])
    found = shapes_of(x, *given)
    assert (found["a"], found["b"]) == ([[2, 3]], None)
    with pytest.raises(TypeError):
        shapes_of(x, *given, op("c", "Neg", "a"))
