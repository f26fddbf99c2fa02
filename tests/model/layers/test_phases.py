"""Which nodes compute forward, gradients and updates."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tfprof_report.model.graph.reach import Flow
from tfprof_report.model.layers.phases import Phase, find_phases


def phases_of(
    nodes: dict[str, tuple[str, tuple[str, ...]]], *, slots: tuple[str, ...] = (), updates: tuple[str, ...] = ()
) -> dict[str, str]:
    names = list(nodes)
    edges = [(names.index(source), row) for row, (_, inputs) in enumerate(nodes.values()) for source in inputs]
    source, target = (np.array([edge[end] for edge in edges], dtype=np.int64) for end in (0, 1))
    found = find_phases(
        pa.array(names),
        pa.array([op for op, _ in nodes.values()]),
        Flow(source=source, target=target),
        slots=np.isin(names, slots),
        updates=np.isin(names, updates),
    )
    return dict(zip(names, found.words.to_pylist(), strict=True))


def test_a_graph_without_gradients_is_forward() -> None:
    found = phases_of({"x": ("Placeholder", ()), "y": ("Relu", ("x",)), "w/Assign": ("Assign", ("y",))})
    assert set(found.values()) == {Phase.FORWARD}


def test_updates_and_what_feeds_only_them_are_the_optimizer() -> None:
    found = phases_of(
        {
            "x": ("Placeholder", ()),
            "loss": ("Square", ("x",)),
            "gradients/loss_grad/Mul": ("Mul", ("x",)),
            "rate": ("Const", ()),
            "step": ("Const", ()),
            "clip": ("Minimum", ("gradients/loss_grad/Mul",)),
            "update": ("ApplyGradientDescent", ("rate", "clip")),
            "used": ("Identity", ("step",)),
        }
    )
    assert found == {
        "x": "forward",
        "loss": "forward",
        "gradients/loss_grad/Mul": "backward",
        "rate": "optimizer",
        "step": "forward",
        "clip": "optimizer",
        "update": "optimizer",
        "used": "forward",
    }


def test_what_only_sums_gradients_for_gradients_is_backward() -> None:
    found = phases_of(
        {
            "gradient_tape/a/Mul": ("Mul", ()),
            "gradient_tape/b/Mul": ("Mul", ()),
            "AddN": ("AddN", ("gradient_tape/a/Mul", "gradient_tape/b/Mul")),
            "gradient_tape/c/Mul": ("Mul", ("AddN",)),
            "AddN_1": ("AddN", ("gradient_tape/a/Mul", "gradient_tape/b/Mul")),
        }
    )
    assert (found["AddN"], found["AddN_1"]) == ("backward", "optimizer")


def test_values_of_slots_reach_the_update_through_state() -> None:
    nodes: dict[str, tuple[str, tuple[str, ...]]] = {
        "gradient_tape/Mul": ("Mul", ()),
        "m": ("Placeholder", ()),
        "m/new": ("Sub", ("gradient_tape/Mul",)),
        "m/set": ("AssignVariableOp", ("m/new",)),
        "m/late": ("ReadVariableOp", ("m",)),
        "w/step": ("Sqrt", ("m/late",)),
        "w/set": ("AssignSubVariableOp", ("w/step",)),
    }
    assert {word for name, word in phases_of(nodes, slots=("m",)).items() if name != "gradient_tape/Mul"} == {
        "optimizer"
    }
    assert phases_of(nodes)["w/step"] == "forward"  # nothing shows that it has to do with gradients


def test_a_decay_that_depends_on_no_gradient_is_told_by_the_caller() -> None:
    nodes: dict[str, tuple[str, tuple[str, ...]]] = {
        "gradient_tape/Mul": ("Mul", ()),
        "w/decay": ("Mul", ()),
        "w/set": ("AssignSubVariableOp", ("w/decay",)),
    }
    found = phases_of(nodes, updates=("w/set",))
    assert (found["w/decay"], found["w/set"]) == ("optimizer", "optimizer")
