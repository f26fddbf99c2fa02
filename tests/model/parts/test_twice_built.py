"""A model that was built twice is detected; layers that feed each other, or are parts of one model, are not copies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from messages import graph, inputs_of, node
from repository import DATA

from tfprof_report.arrays import Bools, Ints
from tfprof_report.diagnostics import Diagnostic
from tfprof_report.ingest.paths import resolve_paths
from tfprof_report.ingest.read import read_inputs
from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.execution_counts import INLINED
from tfprof_report.model.flops.node_flops import use_rules
from tfprof_report.model.graph import reach
from tfprof_report.model.node_table import NodeTable
from tfprof_report.model.parts.leave_out import LeaveOut, split_table
from tfprof_report.model.parts.twice_built import LEAST_NODES, find_copies
from tfprof_report.semantics import CORRECTED


def read(path: str) -> NodeTable:
    return build_node_table(
        read_inputs(resolve_paths(str(DATA / path))), use_rules("tfprof", CORRECTED), CORRECTED, INLINED
    )


def found(*nodes: Any) -> tuple[Diagnostic, ...]:
    return find_copies(build_node_table(inputs_of(graph(*nodes))))


def model(scope: str, start: str, *, variables: str = "", layers: int = LEAST_NODES) -> list[Any]:
    """Return layers one after the other; with a `variables` scope they multiply by the variable there."""
    nodes: list[Any] = []
    for place in range(layers):
        last = f"{scope}/n{place - 1}" if place else start
        nodes.append(node(f"{scope}/n{place}", "Mul", last, *([f"{variables}/w"] if variables else [])))
    return nodes


def variable(scope: str) -> Any:
    return node(f"{scope}/w", "VarHandleOp", shape=[3, 2])


X, Z = node("x", "Placeholder"), node("z", "Placeholder")


def test_a_graph_that_trains_and_evaluates_builds_its_model_twice() -> None:
    table = read("parts/train_eval.pb.gz")
    [said] = find_copies(table)
    below = table.nodes["name"].str.startswith("model_1/")
    weights = 100 * 64 + 3 * 64 * 64 + 64 * 10
    float_ops = int(table.nodes["float_ops"][below].sum())
    assert 2 * 8 * weights < float_ops < 2 * 8 * weights * 1.1  # a batch of 8; biases and moments are small
    assert (said.code, said.count, said.examples) == ("built_twice", below.sum(), ("model_1",))
    assert said.text == (
        f"nodes are a copy of model with the same variables; totals have its {float_ops:,} FLOPs too; "
        "--outputs keeps one"
    )


def test_outputs_leave_one_of_them() -> None:
    table = read("parts/train_eval.pb.gz")
    assert find_copies(split_table(table, LeaveOut(outputs=("accuracy",)))[0]) == ()


def test_what_saves_the_variables_is_no_copy_of_what_restores_them() -> None:
    """An exported model has a function for each; only its signatures, which call one function, are copies."""
    [said] = find_copies(read("parts/export.pb.gz"))
    assert said.examples == ("StatefulPartitionedCall_1",)


@pytest.mark.parametrize("other", ["resnet/base", "functions/nested.pb.gz"])
def test_no_repeated_layer_is_taken_for_a_model(other: str) -> None:
    assert find_copies(read(other)) == ()


def test_copies_with_variables_of_their_own_say_how_many_parameters_they_add() -> None:
    [said] = found(
        X,
        *(each for scope in ("m", "m_1") for each in [variable(scope), *model(scope, "x", variables=scope)]),
    )
    assert said.text == (
        "nodes are a copy of m with variables of its own; totals have its 6 parameters too; --outputs keeps one"
    )
    assert said.count == LEAST_NODES + 1


def test_copies_below_another_scope_are_found() -> None:
    [said] = found(X, Z, *model("net/tower_0", "x"), *model("net/tower_2", "z"))
    assert said.examples == ("net/tower_2",)
    assert said.text == "nodes are a copy of net/tower_0; totals have both; --outputs keeps one"


def test_a_copy_may_lack_what_only_training_needs() -> None:
    dropout = [node(f"m/drop{place}", "Mul", "x") for place in range(30)]
    assert found(X, Z, *model("m", "x"), *dropout, *model("m_1", "z"))


def test_layers_that_follow_each_other_are_no_copies() -> None:
    assert found(X, *model("layer", "x"), *model("layer_1", f"layer/n{LEAST_NODES - 1}")) == ()


def test_parts_of_one_model_are_no_copies_but_twins_that_share_variables_are() -> None:
    end = node("sum", "AddN", f"expert/n{LEAST_NODES - 1}", f"expert_1/n{LEAST_NODES - 1}")
    own = [each for scope in ("expert", "expert_1") for each in [variable(scope), *model(scope, "x", variables=scope)]]
    assert found(X, *own, end) == ()
    shared = [*model("expert", "x", variables="expert"), *model("expert_1", "z", variables="expert")]
    assert found(X, Z, variable("expert"), *shared, end)


def test_small_or_different_scopes_are_no_copies() -> None:
    assert found(X, *model("m", "x", layers=LEAST_NODES - 1), *model("m_1", "x", layers=LEAST_NODES - 1)) == ()
    other = [node(each.name.replace("m/", "m_1/"), "Add", "x") for each in model("m", "x")]
    assert found(X, *model("m", "x"), *other) == ()


def test_copies_that_are_a_small_part_of_the_graph_are_layers() -> None:
    assert found(X, *model("m", "x"), *model("m_1", "x"), *model("rest", "x", layers=3 * LEAST_NODES)) == ()


def test_a_table_without_nodes_has_no_copies() -> None:
    assert found() == ()


# Without any connection --------------------------------------------------------------------------------------------


def small(scope: str, weights: str, start: str = "") -> list[Any]:
    """Return two ops below a scope, with an input of their own by default."""
    made = [node(f"{scope}x", "Placeholder")] if not start else []
    product = node(f"{scope}product", "MatMul", start or f"{scope}x", f"{weights}/w")
    return [*made, product, node(f"{scope}relu", "Relu", f"{scope}product")]


@pytest.mark.parametrize("scopes", [("model/", "model_1/"), ("import/", "import_1/", "import_2/")])
def test_however_small_copies_with_inputs_of_their_own_are_found(scopes: tuple[str, ...]) -> None:
    [said] = found(variable("v"), *(each for scope in scopes for each in small(scope, "v")))
    assert (said.code, said.count) == ("built_twice", 3 * (len(scopes) - 1))
    assert said.text.startswith(f"nodes are a copy of {scopes[0][:-1]} with the same variables; ")
    assert said.examples == tuple(scope[:-1] for scope in scopes[1:])


def test_copies_without_a_scope_are_found_by_names_that_differ_in_numbers() -> None:
    nodes = []
    for part in range(2):
        last = node(f"x_{part}", "Placeholder") if part else X
        nodes.append(last)
        for layer in range(3):
            scope = f"dense_{3 * part + layer}" if part + layer else "dense"
            nodes += [variable(scope), node(f"{scope}/MatMul", "MatMul", last.name, f"{scope}/w")]
            last = nodes[-1]
    [said] = found(*nodes)
    assert said.text.startswith("nodes are a copy of what leads to dense_2/MatMul with variables of its own; ")
    assert (said.examples, said.count) == (("dense_5/MatMul",), 7)


def test_small_copies_on_one_input_are_copies_if_they_have_the_same_variables() -> None:
    [said] = found(X, variable("v"), *small("m/", "v", "x"), *small("m_1/", "v", "x"))
    assert said.count == 2
    assert found(X, variable("v"), variable("u"), *small("m/", "v", "x"), *small("m_1/", "u", "x")) == ()


def test_unconnected_parts_of_other_names_or_ops_are_no_copies() -> None:
    assert found(variable("v_1"), *small("user/", "v_1"), *small("item/", "v_1")) == ()
    other = [
        node("m_1/x", "Placeholder"),
        node("m_1/product", "Mul", "m_1/x", "v/w"),
        node("m_1/relu", "Relu", "m_1/product"),
    ]
    assert found(variable("v"), *small("m/", "v"), *other) == ()


def test_small_copies_beside_a_larger_model_are_no_copies_of_it() -> None:
    rest = model("net", "z", layers=30)
    assert found(Z, *rest, variable("v"), *small("m/", "v"), *small("m_1/", "v")) == ()


@pytest.mark.parametrize("odd", ["", "line\nbreak", "_"])
def test_scopes_of_any_name_are_compared(odd: str) -> None:
    """An empty name, or one with a line break, has a number as well, or none."""
    lone = [node("in", "Placeholder"), *model("m", "in"), node("o", "Placeholder"), *model(odd, "o")]
    assert found(*lone, node("x_1/y", "Relu")) == ()
    (copied,) = found(node("in", "Placeholder"), *model(odd, "in"), node("o", "Placeholder"), *model(f"{odd}_2", "o"))
    assert copied.examples == (f"{odd}_2",)


# Growth --------------------------------------------------------------------------------------------------------------


def unrolled(scopes: int) -> list[Any]:
    """Each step reads the one before."""
    return [
        X,
        *(each for k in range(scopes) for each in model(f"rnn/step_{k}", f"rnn/step_{k - 1}/n19" if k else "x")),
    ]


def parallel(scopes: int) -> list[Any]:
    return [X, *(each for k in range(scopes) for each in model(f"tower/t_{k}", "x"))]


def joined(scopes: int) -> list[Any]:
    return [*parallel(scopes), node("sum", "AddN", *(f"tower/t_{k}/n19" for k in range(scopes)))]


def heads(scopes: int) -> list[Any]:
    """Each head reads another node of one trunk, with a weight of its own, and a loss joins all of them."""
    trunk = [node(f"trunk/n{k}", "Relu", f"trunk/n{k - 1}" if k else "x") for k in range(scopes)]
    tops = (
        each
        for k in range(scopes)
        for each in [variable(f"heads/h_{k}"), *model(f"heads/h_{k}", f"trunk/n{k}", variables=f"heads/h_{k}")]
    )
    return [X, *trunk, *tops, node("loss", "AddN", *(f"heads/h_{k}/n19" for k in range(scopes)))]


def apart(scopes: int) -> list[Any]:
    return [variable("v"), *(each for k in range(scopes) for each in small(f"import_{k}/", "v"))]


@pytest.mark.parametrize("kind", [unrolled, parallel, joined, heads, apart])
def test_many_like_scopes_take_no_more_searches_than_a_few(
    kind: Callable[[int], list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search for each scope would make the work grow with the square of their number."""
    searches: list[int] = []
    real = reach.reachable

    def counted(start: Bools, source: Ints, target: Ints) -> Bools:
        searches.append(len(start))
        return real(start, source, target)

    monkeypatch.setattr(reach, "reachable", counted)
    copies, counts = {}, {}
    for scopes in (5, 40):
        searches.clear()
        copies[scopes], counts[scopes] = found(*kind(scopes)), len(searches)
    assert counts[40] == counts[5]
    expected = {unrolled: 0, parallel: 39 * LEAST_NODES, joined: 0, heads: 0, apart: 39 * 3}[kind]
    assert sum(said.count for said in copies[40]) == expected
