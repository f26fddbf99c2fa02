"""The verdict as an answer, who to ask, and the command that accepts a change."""

from __future__ import annotations

import dataclasses
import shlex

import pytest
from report_builders import make_comparison_report, make_report
from scopes import report_of

from tfprof_report.compare.gates.grammar import parse_gate
from tfprof_report.compare.gates.policy import Level, Policy, Subject
from tfprof_report.compare.gates.verdict import GateResult, GateStatus, Outcome, Verdict
from tfprof_report.render.content.verdict_words import accept_command, owners_of, verdict_words
from tfprof_report.report.report import Report

PASSED, FAILED, OPEN = GateStatus.PASSED, GateStatus.FAILED, GateStatus.INCONCLUSIVE
ACCEPTED, SKIPPED, LOST = GateStatus.ACKNOWLEDGED, GateStatus.SKIPPED, GateStatus.NO_REFERENCE


def judged(outcome: Outcome, *gates: GateResult) -> Report:
    return make_comparison_report(verdict=Verdict(text="why", outcome=outcome, gates=gates))


def gates(*statuses: GateStatus, level: Level = Level.FAIL) -> tuple[GateResult, ...]:
    return tuple(
        GateResult(gate=f"gate {place}", status=status, text="why", level=level)
        for place, status in enumerate(statuses)
    )


@pytest.mark.parametrize(
    ("outcome", "statuses", "words"),
    [
        (Outcome.FAILED, (FAILED,), "Do not merge yet: the gate fails"),
        (Outcome.FAILED, (FAILED, FAILED), "Do not merge yet: both gates fail"),
        (Outcome.FAILED, (FAILED,) * 3, "Do not merge yet: all 3 gates fail"),
        (Outcome.FAILED, (FAILED, PASSED, OPEN, FAILED), "Do not merge yet: 2 of 4 gates fail"),
        (Outcome.FAILED, (FAILED, PASSED), "Do not merge yet: 1 of 2 gates fails"),
        (Outcome.INCONCLUSIVE, (OPEN, PASSED), "Undecided: 1 of 2 gates can't be judged"),
        (Outcome.NO_BASELINE, (SKIPPED, PASSED), "Not compared: there is no baseline, 1 gate that needs none holds"),
        (Outcome.NO_BASELINE, (SKIPPED,), "Not compared: there is no baseline"),
        (Outcome.NOT_JUDGED, (), "Nothing was judged: no gates were set"),
        (Outcome.NOT_JUDGED, (SKIPPED,), "Nothing was judged: the gate had nothing to judge"),
        (Outcome.NOT_JUDGED, (SKIPPED, SKIPPED), "Nothing was judged: no gate had anything to judge"),
        (Outcome.OK, (PASSED,), "May be merged: the gate holds"),
        (Outcome.OK, (PASSED,) * 4, "May be merged: all 4 gates hold"),
        (Outcome.OK, (PASSED, PASSED, SKIPPED), "May be merged: 2 of 3 gates hold, 1 had nothing to judge"),
        (Outcome.OK, (PASSED, PASSED, LOST), "May be merged: 2 of 3 gates hold, 1 has no reference"),
        (
            Outcome.OK,
            (PASSED, SKIPPED, LOST, LOST),
            "May be merged: 1 of 4 gates holds, 1 had nothing to judge, 2 have no reference",
        ),
        (Outcome.NOT_JUDGED, (LOST,), "Nothing was judged: the gate has no reference"),
        (Outcome.NOT_JUDGED, (LOST, LOST), "Nothing was judged: all 2 gates have no reference"),
        (Outcome.NOT_JUDGED, (LOST, SKIPPED), "Nothing was judged: no gate had anything to judge"),
        (Outcome.OK, (PASSED, ACCEPTED), "May be merged: both gates hold, 1 of them by an accepted change"),
        (Outcome.OK, (ACCEPTED,), "May be merged: the gate holds by an accepted change"),
    ],
)
def test_the_outcome_is_an_answer(outcome: Outcome, statuses: tuple[GateStatus, ...], words: str) -> None:
    assert verdict_words(judged(outcome, *gates(*statuses))) == words


def test_gates_that_inform_are_not_counted() -> None:
    informs = gates(FAILED, OPEN, level=Level.INFORM)
    assert verdict_words(judged(Outcome.OK, *gates(PASSED), *informs)) == "May be merged: the gate holds"
    assert verdict_words(judged(Outcome.NOT_JUDGED, *informs)) == "Nothing was judged: all 2 gates only inform"
    assert verdict_words(judged(Outcome.NOT_JUDGED, *informs[:1])) == "Nothing was judged: the gate only informs"


def test_what_keeps_any_gate_from_deciding_comes_first() -> None:
    def words(report: Report) -> str:
        verdict = Verdict(text="why", outcome=Outcome.INCONCLUSIVE, gates=gates(OPEN))
        return verdict_words(dataclasses.replace(report, verdict=verdict))

    assert words(make_report(nodes=make_report().head.nodes.slice(0, 0))) == "Undecided: head has no nodes"
    assert words(report_of({"a": {}}, {"b": {}})) == "Undecided: no node of head has a name that base knows"
    assert words(report_of({name: {} for name in "abcd"}, {"a": {}})) == "Undecided: too many nodes have no partner"
    assert words(report_of({"a": {}}, {"a": {}})) == "Undecided: the gate can't be judged"


def failed(text: str, *, level: Level = Level.FAIL, status: GateStatus = FAILED, model: str | None = None) -> Report:
    gate = parse_gate(text, level=level)
    result = GateResult(gate=gate.text, status=status, text="why", metric=gate.metric, level=level)
    report = judged(Outcome.FAILED, result)
    return dataclasses.replace(report, policy=Policy(gates=(gate,)), model=model, timestamp="2024-05-02T08:30:00Z")


def test_the_command_accepts_for_thirty_days() -> None:
    command = 'tfprof-report accept tfprof-report --reason "why it is meant" --expires 2024-06-01'
    assert accept_command(failed("params <= +0")) == command
    assert accept_command(dataclasses.replace(failed("params <= +0"), timestamp="nightly")).endswith(" YYYY-MM-DD")


def test_of_several_models_it_names_this_one_whatever_its_name() -> None:
    for name in ("encoder", "a b; rm -rf ~", "it's"):
        words = shlex.split(accept_command(failed("params <= +0", model=name)))
        assert words[2:5] == ["tfprof-report", "--model", name]
    assert "--model" not in accept_command(failed("params <= +0", model="two\nlines"))


def test_nothing_is_offered_that_can_not_be_accepted() -> None:
    assert accept_command(failed("params <= 25M")) == ""
    assert accept_command(failed("micros <= +5%")) == ""
    assert accept_command(failed("params <= +0", level=Level.INFORM)) == ""
    assert accept_command(failed("params <= +0", status=OPEN)) == ""
    assert accept_command(make_report()) == ""


def test_owners_are_those_of_gates_that_do_not_hold() -> None:
    def owners(*found: tuple[str, GateStatus]) -> list[tuple[str, list[str]]]:
        results = (
            GateResult(gate=f"gate {place}", status=status, text="why", owner=owner, subject=Subject.NODE, glob="**")
            for place, (owner, status) in enumerate(found)
        )
        owned = owners_of(judged(Outcome.FAILED, *results))
        return [(owner.name.text, [rule.text for rule in owner.rules]) for owner in owned]

    assert owners(("@a", FAILED), ("@b", PASSED), ("@a", OPEN)) == [("@a", [])]
    assert owners(("@a", FAILED), ("", FAILED)) == [("@a", ["gate 0 (node **)"])]
    assert owners(("@a", FAILED), ("@b", FAILED)) == [("@a", ["gate 0 (node **)"]), ("@b", ["gate 1 (node **)"])]
    assert owners(("@a", PASSED)) == []
