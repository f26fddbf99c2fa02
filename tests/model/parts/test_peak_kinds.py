from __future__ import annotations

from typing import Any

import pyarrow.compute as pc
import pytest
from messages import graph, inputs_of, node, ran, run_meta, used
from repository import DATA

from tfprof_report.ingest.paths import resolve_paths
from tfprof_report.ingest.read import read_inputs
from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.execution_counts import INLINED
from tfprof_report.model.parts import peak_kinds
from tfprof_report.model.parts.peak_kinds import RULES, BufferKind, kinds_at_peak

CPU = "/job:x/device:CPU:0"
MODEL = graph(
    node("x", "Placeholder"),
    node("w", "VariableV2"),
    node("w/Initializer/zeros", "Fill"),
    node("w/Assign", "Assign", "w", "w/Initializer/zeros"),
    node("w/read", "Identity", "w"),
    node("half", "Cast", "w/read"),
    node("y", "MatMul", "x", "half"),
    node("gradients/y_grad/MatMul", "MatMul", "x", "y"),
    node("w/Momentum", "VariableV2"),
    node("step/mul", "Mul", "gradients/y_grad/MatMul", "gradients/y_grad/MatMul"),
    node("step/update_w", "ApplyMomentum", "w", "w/Momentum", "step/mul"),
)


def held(name: str, **run: Any) -> Any:
    return ran(name, memory=[used("cpu", records=[(20, 8), *run.pop("more", ())])], **run)


def kinds_of(*nodes: Any) -> dict[tuple[str | None, int | None], str]:
    table = kinds_at_peak(build_node_table(inputs_of(MODEL, [(1, run_meta({CPU: nodes}))])))
    rows = table.select(["name", "bytes", "kind"]).to_pylist()
    return {(row["name"], row["bytes"]): row["kind"] for row in rows}


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("w", "weights"),
        ("w/read", "weights"),
        ("half", "weights"),
        ("w/Momentum", "weights"),
        ("w/Initializer/zeros", "weights"),
        ("y", "activations"),
        ("x", "activations"),
        ("gradients/y_grad/MatMul", "gradients"),
        ("step/update_w", "optimizer"),
        ("_SOURCE", "unknown"),
        ("only/in/the/run", "unknown"),
    ],
)
def test_a_buffer_has_the_kind_of_its_node(name: str, kind: str) -> None:
    assert kinds_of(held(name)) == {(name, 8): kind, (None, None): "not recorded"}


def test_workspace_is_of_no_other_kind() -> None:
    node = held("w/read", start=10, micros=20, more=[(21, 5), (22, -5), (90, -8)])
    assert kinds_of(node) == {("w/read", 8): "weights", ("w/read", 5): "workspace", (None, None): "not recorded"}


def test_every_kind_is_defined() -> None:
    assert list(RULES) == list(BufferKind)


def test_the_parts_of_a_graph_are_not_looked_for_without_buffers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peak_kinds, "later_parts", None)
    assert kinds_of(ran("y", memory=[used("cpu", in_use=7)])) == {(None, 7): "not recorded"}
    assert kinds_of(ran("y")) == {}


def test_the_kinds_of_a_training_step() -> None:
    table = build_node_table(read_inputs(resolve_paths(str(DATA / "resnet" / "head"))), functions=INLINED)
    peak = kinds_at_peak(table)
    peak = peak.set_column(peak.column_names.index("kind"), "kind", peak["kind"].cast("string"))
    sums = peak.group_by(["step", "kind"]).aggregate([("bytes", "sum")]).to_pylist()
    found: dict[int, dict[str, int]] = {}
    for row in sums:
        found.setdefault(row["step"], {})[row["kind"]] = row["bytes_sum"]
    assert found == {
        1: {"activations": 332_415_680, "gradients": 10_916_544, "not recorded": 16_329_344},
        2: {"activations": 332_415_680, "gradients": 10_916_544, "not recorded": 9_513_600},
    }
    assert pc.sum(peak["bytes"]).as_py() == sum(each.device_peak_bytes or 0 for each in table.devices)
