"""Gates on idle time, judged as other times are, and on what is moved between devices, judged exactly."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import pytest
from measured import side_of

from tfprof_report.compare.compare import compare
from tfprof_report.compare.exact_totals import exact_total
from tfprof_report.compare.gates.grammar import parse_gate
from tfprof_report.compare.gates.judge import judge
from tfprof_report.compare.gates.policy import Policy, Subject
from tfprof_report.compare.gates.verdict import GateStatus
from tfprof_report.compare.side import Side
from tfprof_report.errors import OptionError

PASSED, FAILED, INCONCLUSIVE = GateStatus.PASSED, GateStatus.FAILED, GateStatus.INCONCLUSIVE


def side(*, idle: Sequence[int | None] = (), moved: Sequence[int | None] = ()) -> Side:
    steps = max(len(idle), len(moved))
    runs = [("a", step, {"micros": 1}) for step in range(steps)]
    return side_of({"a": {}}, runs=runs, steps=range(steps), idle=idle, moved=moved)


def judged(gate: str, base: Side | None, head: Side) -> tuple[GateStatus, str]:
    comparison = compare(base, head) if base else None
    (result,) = judge(head, comparison, Policy(gates=(parse_gate(gate),))).gates
    return result.status, result.text


QUIET, IDLE = [100_000, 101_000, 99_000, 100_000], [120_000, 121_000, 119_000, 122_000]


def test_more_idle_time_fails_by_medians_and_a_rank_test() -> None:
    assert judged("idle_micros <= +5%", side(idle=QUIET), side(idle=IDLE)) == (
        FAILED,
        "100 -> 120.5 (+20.5, +20.50 %), allowed at most 105 microseconds, by medians over steps (p = 0.029)",
    )
    assert judged("idle_micros <= +5%", side(idle=QUIET), side(idle=QUIET[::-1]))[0] is PASSED


def test_few_steps_are_no_regression_of_idle_time() -> None:
    few = judged("idle_micros <= +5%", side(idle=QUIET[:3]), side(idle=IDLE))
    assert few == (INCONCLUSIVE, "not enough steps (3 and 4, 4 are needed)")


def test_bytes_moved_are_compared_exactly_even_of_one_step() -> None:
    assert judged("transfer_bytes <= +0", side(moved=[1000]), side(moved=[1000]))[0] is PASSED
    status, text = judged("transfer_bytes <= +0", side(moved=[1000]), side(moved=[1001]))
    assert (status, text) == (FAILED, "1,000 -> 1,001 (+1, +0.10 %), allowed at most 1,000 bytes")
    assert judged("transfer_bytes <= 1k", None, side(moved=[1001]))[0] is FAILED
    assert judged("transfer_bytes <= 1k", None, side(moved=[1000, 999]))[0] is PASSED


@pytest.mark.parametrize("gate", ["transfer_bytes <= +0", "idle_micros <= +5%"])
def test_an_unknown_step_passes_no_gate(gate: str) -> None:
    whole, part = side(idle=QUIET, moved=[5] * 4), side(idle=[*QUIET[:3], None], moved=[5, 5, 5, None])
    assert judged(gate, whole, part)[0] is INCONCLUSIVE
    assert judged(gate, part, whole)[0] is INCONCLUSIVE
    assert judged(gate, side(), whole)[0] is INCONCLUSIVE  # a report of an earlier version


def test_the_totals_are_means_over_steps() -> None:
    found = side(idle=[1_000, 2_500], moved=[3, 4])
    assert exact_total(found, "idle_micros") == Fraction(7, 4)
    assert exact_total(found, "transfer_bytes") == Fraction(7, 2)
    changes = {total.stem: total.delta for total in compare(found, side(idle=[4_000], moved=[4])).all_totals}
    assert (changes["idle_micros"], changes["transfer_bytes"]) == (2.25, 0.5)


def test_they_belong_to_steps_and_not_to_nodes() -> None:
    with pytest.raises(OptionError, match="transfer_bytes belongs to a step, not to a node"):
        parse_gate("transfer_bytes <= +0", subject=Subject.NODE, glob="a")
