"""Gates on times relative to base: by medians over steps, and only with enough steps."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import pytest
from measured import side_of

from tfprof_report.compare.compare import compare
from tfprof_report.compare.exact_totals import exact_total
from tfprof_report.compare.gates.grammar import parse_gate
from tfprof_report.compare.gates.judge import judge
from tfprof_report.compare.gates.policy import Gate, Level, Policy, Subject
from tfprof_report.compare.gates.verdict import GateStatus, Verdict
from tfprof_report.compare.side import Side

PASSED, FAILED, INCONCLUSIVE, _, SKIPPED, _ = GateStatus
MODEL = parse_gate("micros <= +5%")


def side(**times: Sequence[int]) -> Side:
    """Return a side whose nodes take these times in its steps."""
    steps = max(map(len, times.values()))
    runs = [(name, step, {"micros": micros}) for name, column in times.items() for step, micros in enumerate(column)]
    return side_of({name: {} for name in times}, runs=runs, steps=range(steps))


def verdict_of(base: Side, head: Side, *gates: Gate) -> Verdict:
    return judge(head, compare(base, head), Policy(gates=gates))


def on(subject: Subject, glob: str, text: str = "micros <= +5%") -> Gate:
    return parse_gate(text, subject=subject, glob=glob, source="rules.toml")


QUIET, SLOW = [100, 101, 99, 100], [120, 121, 119, 122]


def test_a_clear_slowdown_fails_on_the_model_its_scopes_and_its_nodes() -> None:
    gates = (MODEL, on(Subject.NODE, "a"), on(Subject.SCOPE, "a"), on(Subject.OP, "Op"))
    results = verdict_of(side(a=QUIET), side(a=SLOW), *gates).gates
    assert [result.status for result in results] == [FAILED] * 4
    # 100 and 120.5 are the medians; 4 + 4 steps are separated like this in 2 of 70 orders.
    change = "100 -> 120.5 (+20.5, +20.50 %), allowed at most 105 microseconds, by medians over steps (p = 0.029)"
    assert results[0].text == change
    assert results[1].text == f"1 of 1 node fails, the worst a: {change}"


@pytest.mark.parametrize(("base", "head"), [(3, 4), (4, 3), (1, 1), (9, 2)])
def test_fewer_than_four_steps_on_a_side_are_never_a_regression(base: int, head: int) -> None:
    gates = (MODEL, on(Subject.NODE, "a"))
    verdict = verdict_of(side(a=[100] * base), side(a=[900] * head), *gates)
    words = f"not enough steps ({base} and {head}, 4 are needed)"
    assert [(result.status, result.text, result.failed) for result in verdict.gates] == [(INCONCLUSIVE, words, 0)] * 2
    assert verdict.exit_code == 5


def test_a_median_that_chance_explains_holds_and_says_so() -> None:
    base, head = side(a=[100, 100, 150, 90]), side(a=[120, 110, 95, 140])
    results = verdict_of(base, head, MODEL, on(Subject.NODE, "a")).gates
    assert [result.status for result in results] == [PASSED, PASSED]
    assert results[0].text.startswith("100 -> 115 (+15, +15.00 %), allowed at most 105 microseconds, by medians")
    assert "which chance explains (p = " in results[0].text


def test_one_slow_step_moves_the_mean_and_not_the_median() -> None:
    base, head = side(a=QUIET), side(a=[100, 100, 100, 99_000])
    assert verdict_of(base, head, MODEL).gates[0].text == ("100 -> 100 (+0, +0.00 %), allowed at most 105 microseconds")


def test_a_faster_model_fails_only_a_gate_that_forbids_it() -> None:
    base, head = side(a=SLOW), side(a=QUIET)
    assert verdict_of(base, head, MODEL).exit_code == 0
    assert verdict_of(base, head, parse_gate("micros >= -5%")).exit_code == 1


def test_a_budget_on_time_is_held_to_the_mean_of_any_number_of_steps() -> None:
    head = side(a=[100, 200])
    gates = [parse_gate("micros <= 149"), parse_gate("micros <= 150us")]
    assert [judge(head, None, Policy(gates=(gate,))).exit_code for gate in gates] == [1, 0]


def test_only_the_rows_that_the_steps_tell_apart_fail() -> None:
    base = side(a=QUIET, b=QUIET, c=[100, 100, 150, 90])
    head = side(a=SLOW, b=QUIET, c=[120, 110, 95, 140])
    result = verdict_of(base, head, on(Subject.NODE, "?")).gates[0]
    assert (result.status, result.judged, result.failed) == (FAILED, 3, 1)
    assert [(row.name, row.status) for row in result.rows] == [("a", FAILED)]
    unclear = verdict_of(base, head, on(Subject.NODE, "[bc]")).gates[0]
    assert unclear.text.startswith("2 nodes hold, the closest c: 100 -> 115 (+15, +15.00 %), allowed at most 105")
    assert "which chance explains" in unclear.text


def test_times_of_a_scope_are_added_up_before_the_median_is_taken() -> None:
    # Each node has a median of 100, their sum one of 200, then 210.
    base = side(**{"s/a": [100, 0, 100, 200], "s/b": [100, 200, 100, 0]})
    head = side(**{"s/a": [110, 0, 110, 200], "s/b": [100, 210, 100, 10]})
    row = verdict_of(base, head, on(Subject.SCOPE, "s", "micros <= +0")).gates[0].rows[0]
    assert (row.base, row.head, row.status) == (200, 210, FAILED)


def test_a_new_node_grew_from_0_in_every_step() -> None:
    base, head = side(a=QUIET), side(a=QUIET, b=[1, 1, 1, 1])
    assert verdict_of(base, head, on(Subject.NODE, "**")).gates[0].status is FAILED


def test_an_optional_gate_on_times_that_nobody_measured_is_skipped() -> None:
    side = side_of({"a": {}})
    gates = (
        parse_gate("micros <= +0%", is_optional=True, level=Level.INFORM),
        parse_gate("micros <= +0%", is_optional=True, subject=Subject.NODE, glob="**"),
    )
    assert [result.status for result in verdict_of(side, side, *gates).gates] == [SKIPPED, SKIPPED]


def test_absurd_times_are_judged_like_others() -> None:
    base, head = side(a=QUIET), side(a=[2**53] * 4)
    gates = (MODEL, on(Subject.NODE, "a"), on(Subject.SCOPE, "**"))
    assert [result.status for result in verdict_of(base, head, *gates).gates] == [FAILED] * 3


def test_times_of_a_node_on_many_devices_are_exact_beyond_64_bits_of_nanoseconds() -> None:
    # The second record of a step is from another device. If the sum wrapped, head would look faster.
    base, head = (
        side_of({"a": {}}, runs=[("a", step, {"micros": time}) for step in range(4) for _ in "01"], steps=range(4))
        for time in (2**52, 2**53)
    )
    gates = (on(Subject.NODE, "a"), on(Subject.SCOPE, "a"), on(Subject.OP, "Op"))
    results = verdict_of(base, head, *gates).gates
    assert [(result.status, result.rows[0].head) for result in results] == [(FAILED, 2**54)] * 3


def test_a_gate_on_wall_time_compares_the_steps_and_is_inconclusive_where_one_is_unknown() -> None:
    quiet, busy = [1_000_000, 1_100_000, 1_200_000, 1_300_500], [9_000_000] * 4
    runs = [("a", step, {"micros": 1}) for step in range(4)]
    sides = {
        name: side_of({"a": {}}, runs=runs, steps=range(4), walls=walls)
        for name, walls in {"quiet": quiet, "busy": busy, "open": [*quiet[:3], None]}.items()
    }
    gate = parse_gate("wall_micros <= +5%")
    assert [verdict_of(sides["quiet"], sides[head], gate).gates[0].status for head in ("quiet", "busy", "open")] == [
        PASSED,
        FAILED,
        INCONCLUSIVE,
    ]
    assert exact_total(sides["quiet"], "wall_micros") == Fraction(4_600_500, 4000)
