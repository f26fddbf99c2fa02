from __future__ import annotations

import dataclasses
from fractions import Fraction

import pytest
from measured import Figures, side_of

from tfprof_report.compare.compare import compare
from tfprof_report.compare.comparison import Comparison, State, TotalDelta
from tfprof_report.compare.exact_totals import exact_total
from tfprof_report.model.totals import PeakEstimate
from tfprof_report.schema.metrics import METRICS


def total(comparison: Comparison, stem: str) -> TotalDelta:
    return next(total for total in comparison.totals if total.stem == stem)


def test_totals_stand_in_the_order_of_every_report() -> None:
    assert [total.stem for total in compare(side_of({}), side_of({})).totals] == list(METRICS)


def test_a_total_says_what_matched_rows_new_rows_and_removed_rows_did() -> None:
    base = side_of({"same": {"params": 10}, "gone": {"params": 3}})
    head = side_of({"new": {"params": 5}, "same": {"params": 11}})
    params = total(compare(base, head), "params")
    assert (params.matched_base, params.removed, params.base) == (10, 3, 13)
    assert (params.matched_head, params.added, params.head) == (11, 5, 16)
    assert (params.delta, params.percent, params.state) == (3, 300 / 13, State.CHANGED)


def test_the_count_of_nodes_is_a_total_too() -> None:
    count = total(compare(side_of({"a": {}, "b": {}, "c": {}}), side_of({"c": {}, "d": {}})), "definition_count")
    assert (count.base, count.matched_base, count.removed) == (3, 1, 2)
    assert (count.head, count.matched_head, count.added) == (2, 1, 1)


def test_sums_beyond_64_bits_are_exact() -> None:
    side = side_of({f"n{i}": {"params": 2**63 - 1} for i in range(5)})
    assert total(compare(side, side), "params").base == 5 * (2**63 - 1)


def test_a_mean_over_steps_comes_from_exact_integers() -> None:
    runs = [("a", 1, {"micros": 2**53 + 1}), ("a", 2, {"micros": 0}), ("b", 3, {"micros": 1})]
    side = side_of({"a": {}, "b": {}}, runs=runs, steps=[1, 2, 3])
    micros = total(compare(side, side), "micros")
    assert micros.exact_base == Fraction(2**53 + 2, 3)
    assert micros.base == float(Fraction(2**53 + 2, 3))


def test_a_whole_mean_is_an_int_and_any_other_a_float() -> None:
    even = side_of({"a": {}}, runs=[("a", 1, {"micros": 6})], steps=[1, 2])
    odd = side_of({"a": {}}, runs=[("a", 1, {"micros": 7})], steps=[1, 2])
    micros = total(compare(even, odd), "micros")
    assert [(type(figure), figure) for figure in (micros.base, micros.head)] == [(int, 3), (float, 3.5)]


def test_records_on_several_devices_are_summed() -> None:
    side = side_of({"a": {}}, runs=[("a", 1, {"bytes": 6}), ("a", 1, {"bytes": 7})], steps=[1])
    assert exact_total(side, "bytes") == 13


def test_operations_run_are_operations_times_executions_even_beyond_64_bits() -> None:
    nodes: dict[str, Figures] = {"a": {"float_ops": 2**62}, "b": {"float_ops": None}, "c": {"float_ops": 3}}
    runs = [(name, step, {"run_count": 1000 * step}) for name in nodes for step in (1, 2)]
    assert exact_total(side_of(nodes, runs=runs, steps=[1, 2]), "run_float_ops") == Fraction(3000 * (2**62 + 3), 2)


def test_run_time_totals_are_unknown_without_a_step() -> None:
    micros = total(compare(side_of({"a": {}}), side_of({"a": {}}, runs=[("a", 1, {"micros": 1})], steps=[1])), "micros")
    assert (micros.base, micros.matched_base, micros.removed, micros.head) == (None, None, None, 1)
    assert (micros.delta, micros.percent, micros.state) == (None, None, State.NOW_KNOWN)


def test_a_trace_without_memory_leaves_memory_unknown_and_time_known() -> None:
    side = side_of({"a": {}}, runs=[("a", 1, {"micros": 1})], steps=[1])
    assert exact_total(side, "micros") == 1
    assert exact_total(side, "bytes") is None


def test_a_step_in_which_no_node_ran_has_totals_of_0() -> None:
    side = side_of({"a": {"float_ops": 2}}, steps=[1])
    assert [exact_total(side, stem) for stem in ("micros", "run_float_ops")] == [0, 0]


def test_unknown_figures_among_known_ones_add_nothing() -> None:
    assert exact_total(side_of({"a": {"params": None}, "b": {"params": 4}}), "params") == 4


def test_a_record_of_no_node_is_in_no_total() -> None:
    side = side_of({"a": {}}, runs=[("a", 1, {"micros": 1}), ("a", 1, {"micros": 2})], steps=[1])
    steps = side.steps.set_column(0, "node", [[0, None]])
    unmatched = dataclasses.replace(side, steps=steps)
    assert exact_total(unmatched, "micros") == 1


def test_the_known_shares_count_nodes_with_a_figure_among_capable_ones() -> None:
    base = side_of({"a": {"float_ops": 1}, "b": {}, "c": {}}, capable={"float_ops": 2})
    float_ops = total(compare(base, side_of({"a": {"float_ops": 1}})), "float_ops")
    assert (float_ops.base_known, float_ops.base_capable) == (1, 2)
    assert (float_ops.head_known, float_ops.head_capable) == (1, 1)


@pytest.mark.parametrize(
    ("base", "head", "expected"),
    [
        ([5, 9, 4], [3], (9, 3, -6, State.CHANGED)),
        ([5, 9, None], [3], (9, 3, None, State.NOW_KNOWN)),
        ([5], [None, 3], (5, 3, None, State.LOST)),
        ([5, None], [None, 3], (5, 3, None, State.NOT_COMPARABLE)),
        ([None], [3], (None, 3, None, State.NOW_KNOWN)),
        ([], [3], (None, 3, None, State.NOW_KNOWN)),
    ],
)
def test_the_device_peak_is_the_largest_known_one(
    base: list[int | None], head: list[int | None], expected: tuple[int | None, int | None, int | None, State]
) -> None:
    peak = compare(side_of({}, peaks=base), side_of({}, peaks=head)).device_peak
    assert peak is not None
    assert (peak.base, peak.head, peak.delta, peak.state) == expected
    assert (peak.matched_base, peak.matched_head, peak.added, peak.removed) == (None, None, None, None)


def test_there_is_no_device_peak_without_devices() -> None:
    assert compare(side_of({}), side_of({})).device_peak is None


@pytest.mark.parametrize(
    ("base", "head", "expected"),
    [
        ((90, 3, 3), (60, 2, 2), (90, 60, -30, State.CHANGED)),
        ((90, 3, 3), (60, 2, 4), (90, 60, None, State.LOST)),
        ((90, 1, 3), (60, 2, 4), (90, 60, None, State.NOT_COMPARABLE)),
        ((None, 0, 3), (60, 2, 2), (None, 60, None, State.NOW_KNOWN)),
    ],
)
def test_estimated_peaks_are_compared_and_lower_bounds_are_not(
    base: tuple[int | None, int, int],
    head: tuple[int | None, int, int],
    expected: tuple[int | None, int | None, int | None, State],
) -> None:
    sides = [
        dataclasses.replace(side_of({}), estimate=PeakEstimate(bytes=size, known=known, capable=capable))
        for size, known, capable in (base, head)
    ]
    found = compare(*sides)
    estimate = found.total_of("estimated_peak_bytes")
    assert estimate is found.estimate is not None
    assert (estimate.base, estimate.head, estimate.delta, estimate.state) == expected
    assert (estimate.base_known, estimate.head_capable) == (base[1], head[2])


def test_a_side_without_an_estimate_is_not_compared() -> None:
    known = dataclasses.replace(side_of({}), estimate=PeakEstimate(bytes=9, known=1, capable=1))
    assert compare(known, side_of({})).estimate is compare(side_of({}), known).estimate is None
