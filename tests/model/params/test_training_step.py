"""What a training step of plain assignments trains; the optimizers of Keras are in ``test_real_params``."""

from __future__ import annotations

from typing import Any

from messages import graph, inputs_of, node

from tfprof_report.model.build_table import build_node_table

FLOAT = 1


def handle(name: str, *shape: int) -> Any:
    made = node(name, "VarHandleOp", shape=shape)
    made.attr["dtype"].type = FLOAT
    return made


def read(name: str, of: str, *after: str) -> Any:
    return node(name, "ReadVariableOp", of, *(f"^{each}" for each in after))


def kinds_of(*nodes: Any) -> dict[str, str]:
    columns = build_node_table(inputs_of(graph(*nodes))).columns
    rows = zip(columns["name"].to_pylist(), columns["param_kind"].to_pylist(), strict=True)
    return {name: kind for name, kind in rows if kind}


def momentum(of: str, gradient: str, reads: str) -> list[Any]:
    """Return the nodes that update a variable with momentum; its new value is read from the slot."""
    return [
        handle(f"{of}_m", 3), read(f"{of}_m/read", f"{of}_m"), node(f"{of}_m/new", "AddV2", f"{of}_m/read", gradient),
        node(f"{of}_m/set", "AssignVariableOp", f"{of}_m", f"{of}_m/new"),
        read(f"{of}_m/late", f"{of}_m", f"{of}_m/set"),
        node(f"{of}/new", "Sub", reads, f"{of}_m/late"), node(f"{of}/set", "AssignVariableOp", of, f"{of}/new"),
    ]  # fmt: skip


def step(*more: Any) -> list[Any]:
    """Return a step that trains ``w`` and the bias ``b``, in which the loss is linear."""
    return [
        node("x", "Placeholder"), handle("w", 3), read("w/read", "w"), handle("b", 3), read("b/read", "b"),
        node("y", "Mul", "x", "w/read"), node("z", "Square", "y"), node("loss", "BiasAdd", "z", "b/read"),
        node("result", "Identity", "loss"),
        node("gradient_tape/b", "OnesLike", "z"), node("gradient_tape/w", "Mul", "gradient_tape/b", "y"),
        *momentum("w", "gradient_tape/w", "w/read"), *momentum("b", "gradient_tape/b", "b/read"), *more,
    ]  # fmt: skip


TRAINED = {"w": "trainable", "b": "trainable", "w_m": "slot", "b_m": "slot"}


def test_a_weight_goes_into_gradients_or_results_and_a_slot_only_into_weights() -> None:
    assert kinds_of(*step()) == TRAINED


def test_rates_and_averages_are_neither() -> None:
    rate = [handle("rate"), read("rate/read", "rate"), node("w_m/decay", "Mul", "w_m/new", "rate/read")]
    average = [
        handle("average", 3), read("average/read", "average"), node("average/new", "AddV2", "average/read", "y"),
        node("average/set", "AssignVariableOp", "average", "average/new"),
    ]  # fmt: skip
    assert kinds_of(*step(*rate, *average)) == TRAINED | {"rate": "not_trainable", "average": "not_trainable"}


def test_a_second_model_that_is_trained_on_the_first_one_after_its_update_leaves_the_slots_of_the_first() -> None:
    second = [
        handle("d", 3), read("d/read", "d"), read("w/late", "w", "w/set"), node("seen", "Mul", "w/late", "d/read"),
        node("gradient_tape/d", "Mul", "seen", "seen"), *momentum("d", "gradient_tape/d", "d/read"),
    ]  # fmt: skip
    assert kinds_of(*step(*second)) == TRAINED | {"d": "trainable", "d_m": "slot"}


def test_the_mean_of_a_metric_that_depends_on_gradients_is_no_weight() -> None:
    metric = [
        handle("norm"), node("norm/add", "AssignAddVariableOp", "norm", "gradient_tape/w"),
        read("norm/late", "norm", "norm/add"), node("norm/result", "Neg", "norm/late"),
    ]  # fmt: skip
    assert kinds_of(*step(*metric)) == TRAINED | {"norm": "not_trainable"}


def test_assignments_without_gradients_train_nothing() -> None:
    state = [
        handle("state", 3), read("old", "state"), node("new", "Tanh", "old"),
        node("set", "AssignVariableOp", "state", "new"),
        handle("w", 3), read("w/read", "w"), node("y", "Mul", "new", "w/read"),
    ]  # fmt: skip
    assert kinds_of(*state) == {"state": "trainable", "w": "trainable"}
