from __future__ import annotations

from tfprof_report.compare.gates.grammar import DEFAULT_GATES
from tfprof_report.compare.gates.policy import Level, Subject


def test_the_default_gates_hold_counts_exactly_and_bytes_within_half_a_percent_and_times_inform() -> None:
    assert [(gate.text, gate.level) for gate in DEFAULT_GATES] == [
        ("params == +0", Level.FAIL),
        ("float_ops == +0", Level.FAIL),
        ("macs == +0", Level.FAIL),
        ("run_float_ops == +0", Level.FAIL),
        ("bytes <= +0.5% or +4KiB", Level.FAIL),
        ("peak_bytes <= +0.5% or +4KiB", Level.FAIL),
        ("residual_bytes <= +0.5% or +4KiB", Level.FAIL),
        ("output_bytes <= +0.5%", Level.FAIL),
        ("micros <= +0%", Level.INFORM),
        ("accelerator_micros <= +0%", Level.INFORM),
        ("cpu_micros <= +0%", Level.INFORM),
        ("run_count == +0", Level.FAIL),
        ("definition_count == +0", Level.FAIL),
        ("device_peak_bytes <= +5% or +64KiB", Level.FAIL),
        ("wall_micros <= +0%", Level.INFORM),
        ("idle_micros <= +0%", Level.INFORM),
        ("transfer_bytes <= +0.5%", Level.INFORM),
    ]


def test_the_default_gates_are_on_the_whole_model_and_skip_what_neither_side_knows() -> None:
    assert {(gate.subject, gate.glob, gate.is_optional) for gate in DEFAULT_GATES} == {(Subject.MODEL, "", True)}
