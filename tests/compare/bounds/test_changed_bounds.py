"""What became bound by something else: layers first, then ops, with the figures of both sides."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest
from rated import CPU, product, rated, took, typed

from tfprof_report.compare.bounds.changed_bounds import Bounds, compare_bounds
from tfprof_report.compare.bounds.speeds import DeviceSpeed
from tfprof_report.compare.compare import compare
from tfprof_report.compare.side import Side

SPEED = DeviceSpeed(device="cpu:0", float_ops_per_second={"default": 1e12}, bytes_per_second=100e9, launch_micros=5)
"""The ridge is at 10 FLOPs per byte."""


def model(*nanos: int, inner: int = 200, extra: int = 0) -> Side:
    """Return a layer of one product, 2 `inner` x 5000 FLOPs, with an execution of so many nanoseconds in each step."""
    nodes = [
        typed("fc/w", "VariableV2", shape=[inner, 50]),
        typed("fc/read", "Identity", "fc/w", shape=[inner, 50]),
        typed("fc/x", "Placeholder", shape=[100, inner]),
        product("fc/y", "fc/x", "fc/read", shape=[100, 50]),
        typed("fc/z", "Relu", "fc/y", shape=[100, 50]),
    ]
    rest = [took("fc/z", extra)] if extra else []
    return rated(nodes, *({CPU: [took("fc/y", each), *rest]} for each in nanos))


def changed(base: Side, head: Side, *speeds: DeviceSpeed) -> list[dict[str, Any]]:
    return compare_bounds(head, compare(base, head), speeds).changed.to_pylist()


def test_a_layer_and_its_op_became_memory_bound() -> None:
    # inner 200: 2 MFLOPs and 140 kB; inner 20: 200 kFLOPs and 32 kB, 6.25 FLOPs per byte
    found = changed(model(10_000), model(8000, inner=20), SPEED)
    assert [(row["level"], row["base_bound"], row["head_bound"]) for row in found] == [
        ("layer", "arithmetic", "memory"),
        ("op", "arithmetic", "memory"),
    ]
    op = found[1]
    assert (op["name"], op["base_name"], op["base_micros"], op["head_micros"]) == ("fc/y", "fc/y", 10, 8)
    assert (op["base_float_ops_per_second"], op["head_float_ops_per_second"]) == (2e11, 2.5e10)
    assert (op["base_float_ops_per_byte"], op["head_float_ops_per_byte"]) == (pytest.approx(100 / 7), 6.25)
    assert (op["base_share_of_peak"], op["head_share_of_peak"]) == (pytest.approx(0.2), pytest.approx(0.04))


def test_machines_may_have_other_names() -> None:
    base, head = model(10_000), model(8000, inner=20)
    there = replace(base, steps=base.steps.set_column(2, "device", pa.array(["/job:other/cpu:0"]).dictionary_encode()))
    assert len(changed(there, head, SPEED)) == 2


def test_each_worker_is_compared_with_itself() -> None:
    def at(device: str, side: Side) -> Side:
        return replace(side, steps=side.steps.set_column(2, "device", pa.array([device]).dictionary_encode()))

    def both(*sides: Side) -> Side:
        places = ("/job:worker/task:0/cpu:0", "/job:worker/task:1/cpu:0")
        steps = [at(place, side).steps for place, side in zip(places, sides, strict=False)]
        return replace(sides[0], steps=pa.concat_tables(steps).unify_dictionaries().combine_chunks())

    short, long = model(4000), model(10_000)
    assert changed(both(short, long), both(short, long), SPEED) == []
    found = changed(both(short, long), both(short, model(4000)), SPEED)
    assert {(row["base_bound"], row["base_micros"]) for row in found} == {("arithmetic", 10)}
    # which of two the only worker was is not known
    assert changed(both(short, long), at("/job:other/task:0/cpu:0", long), SPEED) == []


def test_what_stays_bound_by_the_same_is_not_named() -> None:
    assert changed(model(10_000), model(9000, inner=150), SPEED) == []


def test_a_change_to_launch_needs_another_time() -> None:
    assert changed(model(5100), model(4900), SPEED) == []
    found = changed(model(7000), model(4000), SPEED)
    assert {(row["base_bound"], row["head_bound"]) for row in found} == {("arithmetic", "launch")}


def test_ops_that_take_next_to_nothing_are_not_named() -> None:
    base, head = model(900_000, extra=7000), model(900_000, extra=4000)
    assert changed(base, head, SPEED) == []


def test_without_peaks_a_base_or_run_metadata_nothing_changed() -> None:
    assert changed(model(10_000), model(8000, inner=20)) == []
    assert changed(model(), model(8000, inner=20), SPEED) == []
    assert compare_bounds(model(8000), None, [SPEED]).changed.num_rows == 0
    assert Bounds().changed.num_rows == 0


def test_peaks_are_known_if_a_device_that_ran_has_some() -> None:
    assert compare_bounds(model(8000), None, [SPEED]).has_speeds
    assert not compare_bounds(model(8000), None, []).has_speeds
    assert not Bounds().has_speeds
