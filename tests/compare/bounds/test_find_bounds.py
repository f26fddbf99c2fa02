"""Rates and bounds worked out by hand. A product of 100 x 200 and 200 x 50 takes 2 MFLOPs and moves 140 kB."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from messages import ran
from rated import CPU, GPU, HALF, KERNELS, product, rated, took, typed

from tfprof_report.compare.bounds.find_bounds import find_bounds
from tfprof_report.compare.bounds.speeds import DeviceSpeed
from tfprof_report.compare.side import Side

SPEED = DeviceSpeed(device="cpu:0", float_ops_per_second={"default": 1e12}, bytes_per_second=100e9)
"""The ridge is at 10 FLOPs per byte."""

X, W = typed("fc/x", "Placeholder", shape=[100, 200]), typed("fc/w", "Const", shape=[200, 50])
Y, Z = product("fc/y", "fc/x", "fc/w", shape=[100, 50]), typed("fc/z", "Relu", "fc/y", shape=[100, 50])
MODEL = [X, W, Y, Z]


def rows(side: Side, *speeds: DeviceSpeed, level: str = "op") -> dict[Any, dict[str, Any]]:
    """Return the rows of a level by name, layer or step."""
    key = {"op": "node", "layer": "layer", "step": "step"}[level]
    names = side.nodes["name"].to_pylist()
    found = [row for row in find_bounds(side, speeds).to_pylist() if row["level"] == level]
    return {names[row[key]] if level == "op" else row[key]: row for row in found}


def part(row: dict[str, Any], *names: str) -> tuple[Any, ...]:
    return tuple(row[name] for name in names)


RATES = ("run_float_ops", "run_moved_bytes", "float_ops_per_second", "float_ops_per_byte")


def test_rates_of_an_op_are_its_figures_over_its_exact_time() -> None:
    found = rows(rated(MODEL, {CPU: [took("fc/y", 10_000), took("fc/z", 500)]}))
    assert part(found["fc/y"], *RATES) == (2e6, 140e3, 2e11, pytest.approx(2e6 / 140e3))
    assert part(found["fc/z"], *RATES) == (5000, 40e3, 1e10, 0.125)
    assert part(found["fc/y"], "micros", "run_count", "device", "dtype") == (10, 1, CPU, "float32")
    assert found["fc/z"]["micros"] == 0.5


def test_without_a_device_there_is_neither_a_share_nor_a_bound() -> None:
    found = rows(rated(MODEL, {CPU: [took("fc/y", 10_000)]}))["fc/y"]
    assert part(found, "share_of_peak", "bound", "peak_bytes_per_second") == (None, None, None)


@pytest.mark.parametrize(
    ("bandwidth", "bound", "share"),
    [(100e9, "arithmetic", 2 / 10), (70e9, "arithmetic", 2 / 10), (50e9, "memory", 2.8 / 10)],
)
def test_the_ridge_decides_what_bounds_an_op(bandwidth: float, bound: str, share: float) -> None:
    speed = DeviceSpeed(device="cpu:*", float_ops_per_second={"float32": 1e12}, bytes_per_second=bandwidth)
    found = rows(rated(MODEL, {CPU: [took("fc/y", 10_000)]}), speed)["fc/y"]
    assert part(found, "bound", "share_of_peak") == (bound, pytest.approx(share))
    attainable = min(1e12, 2e6 / 140e3 * bandwidth)
    assert found["share_of_peak"] == pytest.approx(found["float_ops_per_second"] / attainable)


def test_an_op_without_arithmetic_is_bound_by_memory() -> None:
    turned = typed("t", "Transpose", "fc/x", "p", shape=[200, 100])
    side = rated([X, typed("p", "Const", shape=[2], dtype=3), turned], {CPU: [took("t", 4000)]})
    found = rows(side, SPEED)["t"]
    assert part(found, *RATES) == (0, 160_008, 0, 0)
    assert part(found, "bound", "share_of_peak") == ("memory", pytest.approx(160_008 / 100e9 / 4e-6))


def test_each_type_has_its_peak() -> None:
    nodes = [
        typed("a", "Placeholder", shape=[100, 200], dtype=HALF),
        typed("b", "Const", shape=[200, 50], dtype=HALF),
        product("c", "a", "b", shape=[100, 50], dtype=HALF),
    ]
    side = rated([*MODEL, *nodes], {CPU: [took("c", 10_000), took("fc/y", 10_000)]})
    peaks = {"float16": 4e12, "default": 1e12}
    found = rows(side, DeviceSpeed(device="cpu:0", float_ops_per_second=peaks, bytes_per_second=1e15))
    assert [found[name]["peak_float_ops_per_second"] for name in ("c", "fc/y")] == [4e12, 1e12]
    assert [found[name]["share_of_peak"] for name in ("c", "fc/y")] == [pytest.approx(0.05), pytest.approx(0.2)]
    alone = DeviceSpeed(device="cpu:0", float_ops_per_second={"float16": 4e12}, bytes_per_second=1e15)
    assert rows(side, alone)["fc/y"]["bound"] is None


def test_short_executions_are_bound_by_their_launch() -> None:
    speed = DeviceSpeed(device="cpu:0", float_ops_per_second={"default": 1e12}, bytes_per_second=100e9, launch_micros=6)
    twice = rated(MODEL, {CPU: [took("fc/y", 5000), took("fc/y", 5000), took("fc/z", 7000)]})
    assert {name: row["bound"] for name, row in rows(twice, speed).items()} == {"fc/y": "launch", "fc/z": "memory"}


@pytest.mark.parametrize("op", ["_Recv", "IteratorGetNext", "CollectiveReduceV2", "PartitionedCall"])
def test_what_waits_is_bound_by_that_without_any_peak(op: str) -> None:
    found = rows(rated([X, typed("get", op, shape=[5])], {CPU: [took("get", 3000)]}))["get"]
    assert part(found, "bound", "share_of_peak", "run_moved_bytes") == ("waiting", None, None)
    assert part(found, "unknown_run_moved_bytes", "waiting_micros") == (0, None)


def test_unknown_figures_give_no_bound() -> None:
    nodes = [X, typed("odd", "MyOp", "fc/x", shape=[10]), typed("open", "Mul", "fc/x", "fc/x", shape=[-1])]
    found = rows(rated(nodes, {CPU: [took("odd", 1000), took("open", 1000)]}), SPEED)
    assert part(found["odd"], "run_float_ops", "run_moved_bytes", "bound") == (None, 80_040, None)
    assert found["open"]["run_moved_bytes"] is None
    assert part(found["open"], "bound", "unknown_run_moved_bytes", "float_ops_per_byte") == (None, 1, None)


def test_a_gpu_counts_with_its_kernels() -> None:
    meta = {GPU: [took("fc/y", 90_000), took("fc/x", 1000)], KERNELS: [took("fc/y:MatMul", 10_000)]}
    found = rows(rated(MODEL, meta), DeviceSpeed(device="gpu:0", float_ops_per_second={"default": 1e12}))
    assert list(found) == ["fc/y"]
    assert part(found["fc/y"], "micros", "run_count", "device", "float_ops_per_second") == (10, 1, GPU, 2e11)
    assert found["fc/y"]["peak_float_ops_per_second"] == 1e12


def test_a_gpu_without_a_trace_of_its_kernels_has_no_rates() -> None:
    assert rows(rated(MODEL, {GPU: [took("fc/y", 90_000)]})) == {}


def test_a_node_has_a_row_for_each_device_that_executed_it() -> None:
    other = CPU.replace("task:0", "task:1")
    side = rated(MODEL, {CPU: [took("fc/y", 10_000)], other: [took("fc/y", 5000), took("fc/y", 5000)]})
    found = [row for row in find_bounds(side, []).to_pylist() if row["level"] == "op"]
    figures = ("device", "run_count", "micros", "float_ops_per_second")
    assert [part(row, *figures) for row in found] == [(CPU, 1, 10, 2e11), (other, 2, 10, 4e11)]


def test_a_trace_of_kernels_may_name_no_task() -> None:
    meta = {GPU: [took("fc/y", 90_000)], "/device:gpu:0/stream:all": [took("fc/y:MatMul", 10_000)]}
    found = rows(rated(MODEL, meta), DeviceSpeed(device="gpu:0", float_ops_per_second={"default": 1e12}))
    assert part(found["fc/y"], "device", "run_count", "float_ops_per_second") == ("/device:gpu:0", 1, 2e11)


def test_a_kernel_of_several_nodes_has_the_flops_of_all() -> None:
    labels = [took(name, 100) for name in ("fc/x", "fc/w")]
    meta = {CPU: [*labels, took("fc/z", 10_000, "fc/z = _FusedMatMul(fc/x, fc/w)")]}
    found = rows(rated(MODEL, meta))
    assert part(found["fc/z"], *RATES[:3]) == (2_005_000, 140e3, pytest.approx(2.005e11))
    assert "fc/y" not in found


def test_figures_are_means_and_rates_are_over_all_steps() -> None:
    first, second = ({CPU: [took("fc/y", nanos)]} for nanos in (10_000, 30_000))
    found = rows(rated(MODEL, first, second, {CPU: [took("fc/x", 1000)]}), SPEED)["fc/y"]
    assert found["run_float_ops"] == pytest.approx(4e6 / 3)
    assert part(found, "float_ops_per_second", "share_of_peak") == (1e11, pytest.approx(0.1))


def test_a_layer_sums_its_ops() -> None:
    weights = typed("fc/w", "VariableV2", shape=[200, 50])
    read = typed("fc/read", "Identity", "fc/w", shape=[200, 50])
    nodes = [weights, read, X, product("fc/y", "fc/x", "fc/read", shape=[100, 50]), Z]
    side = rated(nodes, {CPU: [took("fc/y", 6000), took("fc/z", 2000)]})
    found = rows(side, SPEED, level="layer")
    layer = found[side.nodes["layer"].to_pylist()[3]]
    assert part(layer, *RATES) == (2_005_000, 180e3, 2_005_000 / 8e-6, 2_005_000 / 180e3)
    # 2 us of arithmetic at best, 1.8 us of bytes
    assert part(layer, "bound", "share_of_peak") == ("arithmetic", pytest.approx(2.005 / 8))
    assert part(layer, "arithmetic_micros", "memory_micros", "micros") == (6, 2, 8)


def test_a_layer_says_what_its_sums_lack() -> None:
    odd = typed("fc/odd", "MyOp", "fc/y", shape=[-1])
    side = rated([*MODEL, odd], {CPU: [took("fc/y", 6000), took("fc/odd", 1000)]})
    layer = next(iter(rows(side, SPEED, level="layer").values()))
    assert part(layer, "run_float_ops", "unknown_run_float_ops", "unknown_run_moved_bytes") == (2e6, 1, 1)
    assert part(layer, "float_ops_per_second", "bound") == (2e6 / 7e-6, "arithmetic")
    slow = rated([*MODEL, odd], {CPU: [took("fc/y", 6000), took("fc/odd", 9000)]})
    assert next(iter(rows(slow, SPEED, level="layer").values()))["bound"] is None


def test_a_layer_that_mostly_waits_is_bound_by_that() -> None:
    get = typed("fc/get", "IteratorGetNext", shape=[5])
    side = rated([*MODEL, get], {CPU: [took("fc/y", 6000), took("fc/get", 9000)]})
    assert next(iter(rows(side, SPEED, level="layer").values()))["bound"] == "waiting"


def test_a_step_has_the_rate_of_its_wall_time() -> None:
    metas = [{CPU: [ran("fc/y", start=1, micros=5, nanos=5000), ran("fc/z", start=7, micros=2, nanos=2000)]}]
    metas += [{CPU: [ran("fc/y", start=1, micros=4, nanos=4000)]}]
    found = rows(rated(MODEL, *metas), SPEED, level="step")
    assert part(found[0], "micros", "run_float_ops", "float_ops_per_second") == (8, 2_005_000, 2_005_000 / 8e-6)
    assert part(found[0], "arithmetic_micros", "memory_micros", "bound") == (5, 2, "arithmetic")
    assert found[0]["share_of_peak"] == pytest.approx(2.005 / 8)
    assert part(found[1], "micros", "float_ops_per_second") == (4, 5e11)


def test_without_run_metadata_there_is_nothing() -> None:
    side = rated(MODEL)
    assert find_bounds(side, [SPEED]).num_rows == 0


sizes = st.integers(1, 60)


@settings(max_examples=examples(100), deadline=None)
@given(
    st.lists(st.tuples(sizes, sizes, sizes, st.integers(1, 10**6)), min_size=1, max_size=4),
    st.floats(1e6, 1e15),
    st.floats(1e6, 1e15),
)
def test_shares_are_of_what_the_roof_allows(
    products: list[tuple[int, int, int, int]], peak: float, bandwidth: float
) -> None:
    nodes, runs = [], []
    for place, (rows_, inner, columns, nanos) in enumerate(products):
        nodes += [typed(f"x{place}", "Placeholder", shape=[rows_, inner])]
        nodes += [typed(f"w{place}", "Placeholder", shape=[inner, columns])]
        nodes += [product(f"y{place}", f"x{place}", f"w{place}", shape=[rows_, columns])]
        runs.append(took(f"y{place}", nanos))
    speed = DeviceSpeed(device="cpu:0", float_ops_per_second={"default": peak}, bytes_per_second=bandwidth)
    side = rated(nodes, {CPU: runs})
    for row in find_bounds(side, [speed]).to_pylist():
        rate, intensity = row["float_ops_per_second"], row["float_ops_per_byte"]
        if row["level"] == "op":
            assert row["bound"] == ("arithmetic" if intensity >= peak / bandwidth else "memory") or np.isclose(
                intensity, peak / bandwidth
            )
            assert row["share_of_peak"] == pytest.approx(rate / min(peak, intensity * bandwidth))
        if rate <= peak and row["run_moved_bytes"] / row["micros"] * 1e6 <= bandwidth:
            assert row["share_of_peak"] <= 1 + 1e-9
