"""The parts of a graph that are not the model: recognised by op types and what they feed, then by names."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Any

import pytest
from graph_nodes import op
from messages import call, function, graph, inputs_of, node, with_library
from repository import DATA

from tfprof_report.ingest.paths import resolve_paths
from tfprof_report.ingest.read import read_inputs
from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.execution_counts import INLINED
from tfprof_report.model.flops.node_flops import use_rules
from tfprof_report.model.functions.inline import expand_functions
from tfprof_report.model.node_table import NodeTable
from tfprof_report.model.parts.parts import MODEL, Part, parts_of
from tfprof_report.semantics import CORRECTED


def of(*nodes: Any) -> dict[str, str]:
    """Return the part of each node by its name; those of the model are ``model``."""
    return parts(build_node_table(inputs_of(graph(*nodes))))


def parts(table: NodeTable) -> dict[str, str]:
    words = ["model" if part == MODEL else str(list(Part)[part]) for part in parts_of(table)]
    return dict(zip(table.column("name").to_pylist(), words, strict=True))


def read(path: str) -> NodeTable:
    return build_node_table(read_inputs(resolve_paths(str(DATA / path))), functions=INLINED)


def variable(name: str) -> list[Any]:
    """Return a variable with its initial value and its read, as TensorFlow's Python layer makes them."""
    return [
        node(name, "VariableV2"),
        node(f"{name}/Initializer/zeros", "Const"),
        node(f"{name}/Assign", "Assign", name, f"{name}/Initializer/zeros"),
        node(f"{name}/read", "Identity", name),
    ]


FORWARD = [
    node("x", "Placeholder"),
    *variable("w"),
    node("y", "MatMul", "x", "w/read"),
    node("loss", "Mean", "y"),
]
TRAINING = [
    node("gradients/ys", "Const"),
    node("gradients/y_grad/MatMul", "MatMul", "x", "gradients/ys"),
    *variable("w/Momentum"),
    node("rate", "Const"),
    node("step/update_w", "ApplyMomentum", "w", "w/Momentum", "rate", "gradients/y_grad/MatMul"),
    node("train", "NoOp", "^step/update_w"),
]
OF_TRAINING = {
    "gradients/ys": "gradients",
    "gradients/y_grad/MatMul": "gradients",
    "w/Momentum": "optimizer",
    "w/Momentum/Initializer/zeros": "initializers",
    "w/Momentum/Assign": "initializers",
    "w/Momentum/read": "optimizer",
    "rate": "optimizer",
    "step/update_w": "optimizer",
    "train": "optimizer",
}
OF_FORWARD = {
    "x": "model",
    "w": "model",
    "w/Initializer/zeros": "initializers",
    "w/Assign": "initializers",
    "w/read": "model",
    "y": "model",
    "loss": "model",
}


def test_each_node_of_a_training_graph_is_the_models_or_in_one_part() -> None:
    assert of(*FORWARD, *TRAINING) == {**OF_FORWARD, **OF_TRAINING}


@pytest.mark.parametrize("scope", ["replica_0", "a/b"])
def test_names_count_with_any_scopes_before_them(scope: str) -> None:
    def below(each: Any) -> Any:
        inputs = [f"^{scope}/{name[1:]}" if name.startswith("^") else f"{scope}/{name}" for name in each.input]
        return node(f"{scope}/{each.name}", each.op, *inputs)

    found = of(*(below(each) for each in (*FORWARD, *TRAINING)))
    assert found == {f"{scope}/{name}": part for name, part in {**OF_FORWARD, **OF_TRAINING}.items()}


def test_a_loss_that_only_gradients_use_is_the_model_still() -> None:
    scaled = [
        node("scaled", "Mul", "loss", "scale"),
        node("scale", "Const"),
        node("gradients/z", "ZerosLike", "scaled"),
        node("gradients/y_grad/Mul", "Mul", "gradients/z", "gradients/y_grad/MatMul"),
    ]
    found = of(*FORWARD, *scaled, *TRAINING)
    assert {name: found[name] for name in OF_FORWARD} == OF_FORWARD
    assert found["scaled"] == found["scale"] == "model"
    assert found["gradients/z"] == found["gradients/y_grad/Mul"] == "gradients"


def test_what_stands_between_gradients_and_optimizer_is_of_gradients() -> None:
    *before, apply, train = TRAINING
    clip = [
        node("limit", "Const"),
        node("norm", "L2Loss", "gradients/y_grad/MatMul"),
        node("factor", "Minimum", "norm", "limit"),
        node("clipped", "Mul", "gradients/y_grad/MatMul", "factor"),
    ]
    del apply.input[:]
    apply.input.extend(["w", "w/Momentum", "rate", "clipped"])
    found = of(*FORWARD, *before, *clip, apply, train)
    assert {found[each.name] for each in clip} == {"gradients"}
    apply.input[3] = "gradients/y_grad/MatMul"


def test_a_learning_rate_that_depends_on_the_step_is_of_the_optimizer_with_the_counter() -> None:
    counter = [
        *variable("global_step"),
        node("decay", "Mul", "global_step/read", "decay/factor"),
        node("decay/factor", "Const"),
        node("step/w", "ApplyGradientDescent", "w", "decay", "gradients/y_grad"),
        node("gradients/y_grad", "MatMul", "x", "y"),
        node("step/wait", "NoOp", "^step/w"),
        node("step/one", "Const", "^step/wait"),
        node("step", "AssignAdd", "global_step", "step/one"),
    ]
    found = of(*FORWARD, *counter)
    others = {name for name, part in found.items() if part == "optimizer"}
    assert others == {
        "global_step",
        "global_step/read",
        "decay",
        "decay/factor",
        "step/w",
        "step/wait",
        "step/one",
        "step",
    }
    assert {name: found[name] for name in OF_FORWARD} == OF_FORWARD


def test_an_update_that_is_made_of_gradients_is_an_optimizer_without_its_name() -> None:
    own = [
        node("gradients/y_grad/MatMul", "MatMul", "x", "y"),
        node("rate", "Placeholder"),
        node("change", "Mul", "gradients/y_grad/MatMul", "rate"),
        node("learn", "AssignSub", "w", "change"),
        node("rows", "ScatterSub", "w", "x", "change"),
    ]
    found = of(*FORWARD, *own)
    assert [found[name] for name in ("change", "learn", "rows")] == ["gradients", "optimizer", "optimizer"]
    assert {name: found[name] for name in OF_FORWARD} == OF_FORWARD


def test_updates_that_do_not_wait_for_the_optimizer_are_the_models() -> None:
    moving = [*variable("mean"), node("mean/update", "AssignSub", "mean", "y"), node("all", "NoOp", "^mean/update")]
    found = of(*FORWARD, *moving)
    assert [found[name] for name in ("mean", "mean/update", "all", "mean/Assign")] == [
        "model",
        "model",
        "model",
        "initializers",
    ]


def test_a_model_that_only_feeds_summaries_is_the_model() -> None:
    summaries = [
        node("tag", "Const"),
        node("s", "ScalarSummary", "tag", "loss"),
        node("summaries/deviation", "Sub", "y", "y"),
        node("h", "HistogramSummary", "tag", "summaries/deviation"),
        node("merge", "MergeSummary", "s", "h"),
    ]
    found = of(*FORWARD, *summaries)
    assert {name: found[name] for name in OF_FORWARD} == OF_FORWARD
    assert {found[each.name] for each in summaries} == {"summaries"}


def test_savers_are_with_what_they_restore_and_the_names_of_their_files() -> None:
    savers = [
        node("save/filename", "PlaceholderWithDefault", "save/filename/input"),
        node("save/filename/input", "Const"),
        node("save/names", "Const"),
        node("save/SaveV2", "SaveV2", "save/filename", "save/names", "w"),
        node("save/done", "Identity", "save/filename", "^save/SaveV2"),
        node("save/RestoreV2", "RestoreV2", "save/filename", "save/names"),
        node("save/Assign", "Assign", "w", "save/RestoreV2"),
        node("save/restore_all", "NoOp", "^save/Assign"),
    ]
    found = of(*FORWARD, *savers)
    assert {found[each.name] for each in savers} == {"savers"}
    assert {name: found[name] for name in OF_FORWARD} == OF_FORWARD


def test_restored_values_that_the_model_uses_do_not_make_it_a_saver() -> None:
    found = of(
        node("x", "Placeholder"),
        node("file", "Const"),
        node("restored", "RestoreV2", "file"),
        node("y", "MatMul", "x", "restored"),
    )
    assert found == {"x": "model", "file": "savers", "restored": "savers", "y": "model"}


def test_a_value_that_depends_on_an_input_initializes_only_by_name() -> None:
    def assign(name: str) -> dict[str, str]:
        nodes = [node("x", "Placeholder"), node("v", "VariableV2"), node("twice", "Add", "x", "x")]
        return of(*nodes, node(name, "Assign", "v", "twice"))

    assert assign("v/Assign") == dict.fromkeys(("x", "twice", "v/Assign"), "initializers") | {"v": "model"}
    assert set(assign("feed").values()) == {"model"}


def test_calls_and_groups_are_where_all_that_they_do_is() -> None:
    back = function("back", ["a"], {"r": "g:y:0"}, node("g", "ReluGrad", "a", "a"))
    both = function("both", ["a"], {"r": "m:y:0"}, node("g", "ReluGrad", "a", "a"), node("m", "Relu", "a"))
    made = graph(
        node("x", "Placeholder"),
        call("only", "PartitionedCall", "x", f="back"),
        call("also", "PartitionedCall", "x", f="both"),
        node("inner", "NoOp", "^only"),
        node("group", "NoOp", "^inner"),
        node("mixed", "NoOp", "^inner", "^also"),
    )
    table = build_node_table(inputs_of(with_library(made, back, both)), functions=INLINED)
    assert parts(table) == {
        "x": "model",
        "only": "gradients",
        "also": "model",
        "inner": "gradients",
        "group": "gradients",
        "mixed": "model",
        "only/g": "gradients",
        "also/g": "gradients",
        "also/m": "model",
    }


def test_what_a_later_call_hands_to_a_shared_body_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tfprof_report.model.joined_nodes.expand_functions", partial(expand_functions, limit=0))
    layer = function("layer", ["a"], {"r": "m:y:0"}, node("m", "Relu", "a"))
    made = graph(
        node("x", "Placeholder"),
        call("one", "PartitionedCall", "x", f="layer"),
        node("gradients/g", "Const"),
        node("clip", "Mul", "gradients/g", "gradients/g"),
        call("two", "PartitionedCall", "clip", f="layer"),
        node("apply", "ApplyGradientDescent", "two"),
    )
    table = build_node_table(inputs_of(with_library(made, layer)), functions=INLINED)
    assert "two/m" not in parts(table)
    assert parts(table)["clip"] == "gradients"


def test_a_cycle_and_a_deep_chain_are_walked_without_recursion() -> None:
    chain = [op(f"n{place}", "Relu", f"n{place - 1}" if place else "gradients/loop") for place in range(3000)]
    found = of(node("gradients/loop", "Merge", "n2999"), *chain)
    assert Counter(found.values()) == {"gradients": 3001}


def test_a_table_without_nodes_has_no_parts() -> None:
    assert of() == {}


@pytest.mark.parametrize(
    ("model", "trainable", "moving"), [("resnet/base", 464_154, 2272), ("resnet/head", 766_714, 2848)]
)
def test_the_parts_of_a_resnet(model: str, trainable: int, moving: int) -> None:
    table = read(model)
    found = parts_of(table)
    counts = {part: int((found == place).sum()) for place, part in enumerate(Part)}
    # 253 variables have an assignment each; 95 of them are trainable and have a momentum each, 62 are moving averages
    assert counts == {"savers": 0, "summaries": 0, "initializers": 727, "gradients": 2352, "optimizer": 292}
    ops = Counter(table.ops.filter(found == list(Part).index(Part.OPTIMIZER)).to_pylist())
    assert ops["ApplyMomentum"] == 95
    assert ops["VariableV2"] == 95 + 1  # and the step counter
    assert params_of(table, MODEL) == trainable + moving
    assert params_of(table, list(Part).index(Part.OPTIMIZER)) == trainable + 1


def params_of(table: NodeTable, part: int) -> int:
    return int(table.nodes["params"][parts_of(table) == part].sum())


def test_the_parts_of_a_graph_that_trains_and_evaluates() -> None:
    table = read("parts/train_eval.pb.gz")
    found = parts_of(table)
    weights = (100 + 1) * 64 + 3 * (64 + 1) * 64 + (64 + 1) * 10
    assert params_of(table, MODEL) == weights
    slots = 2 * weights + 3  # Adam's, its two powers of beta, and the step counter
    assert params_of(table, list(Part).index(Part.OPTIMIZER)) == slots
    names = table.nodes["name"][found == MODEL]
    scopes = {name.partition("/")[0] for name in names}
    assert {name.rpartition("_")[0] or name for name in scopes} >= {"model", "accuracy", "loss"}
    assert not [name for name in names if "Adam" in name or "save" in name or "Initializer" in name]


def test_saving_and_restoring_in_an_exported_model_is_left_to_savers() -> None:
    table = read("parts/export.pb.gz")
    found = parts(table)
    ops = dict(zip(table.column("name").to_pylist(), table.column("op").to_pylist(), strict=True))
    left = {ops[name] for name, part in found.items() if part == "model"}
    assert left == {
        "VarHandleOp",
        "ReadVariableOp",
        "Placeholder",
        "StatefulPartitionedCall",
        "Identity",
        "NoOp",
        "MatMul",
        "BiasAdd",
        "Relu",
    }
    assert [name for name, part in found.items() if ops[name] == "StatefulPartitionedCall" and part == "savers"]


def test_gradients_in_the_bodies_of_functions_are_told_from_the_model() -> None:
    # four layers of 16 x 16 on a batch of 8, each in its own function; both inputs of each product have a gradient, but
    # TensorFlow does not compute that of the first layer's input, which nothing uses (seen in run metadata)
    inputs = read_inputs(resolve_paths(str(DATA / "parts" / "nested_step.pb.gz")))
    table = build_node_table(inputs, use_rules("tfprof", CORRECTED), functions=INLINED)
    found, products = parts_of(table), (table.nodes["op"] == "MatMul").to_numpy(dtype=bool, na_value=False)
    float_ops = {
        part: int(table.nodes["float_ops"][(found == part) & products].sum()) for part in range(MODEL, len(Part))
    }
    product = 2 * 8 * 16 * 16
    assert float_ops.pop(MODEL) == 4 * product
    assert float_ops.pop(list(Part).index(Part.GRADIENTS)) == 7 * product
    assert set(float_ops.values()) == {0}
    applied = table.nodes["op"] == "ResourceApplyMomentum"
    assert set(found[applied.to_numpy(dtype=bool, na_value=False)]) == {list(Part).index(Part.OPTIMIZER)}
