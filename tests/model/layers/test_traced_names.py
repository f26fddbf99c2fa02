from __future__ import annotations

import pyarrow as pa
import pytest

from tfprof_report.model.layers.traced_names import assign_traced


@pytest.mark.parametrize(
    ("name", "layer", "phase"),
    [
        ("jit(step)/jvp(Dense_0)/dot_general", "Dense_0", "forward"),
        ("jit(step)/transpose(jvp(Dense_0))/dot_general", "Dense_0", "backward"),
        ("jit(step)/jvp(MLP)/Dense_1/dot_general", "MLP/Dense_1", "forward"),
        ("jit(step)/jvp(hidden)/jit(relu)/max", "hidden", "forward"),
        (
            "jit(step)/jit(main)/transpose(jvp(vmap(block)))/while/body/closed_call/attention/add",
            "block/attention",
            "backward",
        ),
        ("jit(step)/while/body/while/body/tanh", None, "forward"),
        ("jit(step)/jvp()/mul", None, "forward"),
        ("jit(step)/sub", None, "forward"),
        ("jit(step)/transpose(jvp())/mul;jit(step)/transpose(jvp())/broadcast_in_dim", None, "backward"),
        ("jit(step)/transpose(jvp(a))/mul;jit(step)/transpose(jvp(b))/add", "a", "backward"),
        ("pjit(step)/checkpoint/rematted_computation/layer_3/exp", "layer_3", "forward"),
        ("gradient_tape/net/dense/MatMul", "net/dense", "backward"),
        ("gradients/net/dense/MatMul_grad/MatMul_1", "net/dense/MatMul_grad", "backward"),
        ("StatefulPartitionedCall/net/dense/Relu", "net/dense", "forward"),
        ("StatefulPartitionedCall/gradient_tape/net/dense/Relu", "net/dense", "backward"),
        ("body/of/work", "of", "forward"),
        ("Mean", None, "forward"),
        ("", None, "forward"),
    ],
)
def test_scopes_without_transformations_are_layers(name: str, layer: str | None, phase: str) -> None:
    found = assign_traced(pa.array(["a/b", name], pa.string()))
    assert found.layer.to_pylist() == ["a", layer]
    assert found.phase.to_pylist() == ["forward", phase]
    assert found.is_output.null_count == 2


def test_many_transformations_end() -> None:
    name = "jvp(" * 200 + "x" + ")" * 200 + "/op"
    assert assign_traced(pa.array([name], pa.string())).phase.to_pylist() == ["forward"]
