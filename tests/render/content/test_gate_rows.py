"""The rows of gates on the first screen: what is judged, where it is on its limit, and what no gate judges."""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import pytest
from report_builders import make_comparison_report
from scopes import Nodes, report_of

from tfprof_report.compare.gates.grammar import parse_gate
from tfprof_report.compare.gates.judge import judge
from tfprof_report.compare.gates.policy import Level, Policy, Subject
from tfprof_report.compare.gates.reference import Found, NotFound, PastTotal, PastTotals
from tfprof_report.compare.gates.verdict import GateResult, GateStatus, JudgedRow, Outcome, Verdict
from tfprof_report.render.content.cards import CARDS
from tfprof_report.render.content.gate_rows import MOST_GATES, GateRow, GateRows, Track, gate_rows
from tfprof_report.render.tables.cells import ABSENT
from tfprof_report.report.report import Report

BASE = {"a/conv": {"float_ops": 1000, "params": 40, "micros": 50}, "b/dense": {"float_ops": 200, "params": 60}}
HEAD = {"a/conv": {"float_ops": 1500, "params": 40, "micros": 60}, "b/dense": {"float_ops": 100, "params": 30}}


def judged(*texts: str, head: Nodes = HEAD, base: Nodes | None = BASE, **about: object) -> Report:
    gates = tuple(dataclasses.replace(parse_gate(text), **about) for text in texts)  # type: ignore[arg-type]
    report, policy = report_of(head, base), Policy(gates=gates)
    verdict = judge(report.head, report.comparison, policy, base_missing=base is None)
    return dataclasses.replace(report, policy=policy, verdict=verdict)


def rows_of(*texts: str, **about: object) -> list[GateRow]:
    return list(gate_rows(judged(*texts, **about), CARDS).rows)  # type: ignore[arg-type]


def texts_of(row: GateRow) -> list[str]:
    return [cell.text for cell in (row.outcome, row.figure, row.base, row.head, row.change, row.rule)]


def test_rows_have_both_sides_and_failed_gates_come_first_then_unknown_ones() -> None:
    rows = rows_of("params <= +0", "micros <= +5%", "float_ops <= +1%")
    minus = "\N{MINUS SIGN}"
    assert [texts_of(row) for row in rows] == [
        ["failed", "FLOPs", "1.20 k", "1.60 k", "+33.33 %", "float_ops <= +1%"],
        ["unknown", "Op time", "50 us", "60 us", "+20.00 %", "micros <= +5%"],
        ["held", "Parameters", "100", "70", f"{minus}30.00 %", "params <= +0"],
    ]
    assert [row.symbol for row in rows] == ["\N{MULTIPLICATION X}", "?", "\N{CHECK MARK}"]
    assert [row.note for row in rows] == ["388 over", "1 step each; trace 4 to judge", "70 % of 100"]


@pytest.mark.parametrize(
    ("gate", "note", "track"),
    [
        ("params <= 50", "20 over", (1, (50 / 70,))),
        ("params <= 140", "50 % of 140", (0.5, (1,))),
        ("params <= 100k", "0.07 % of 100.00 k", (0.0007, (1,))),
        ("params <= 70", "100 % of 70", (1, (1,))),
        ("params >= 90", "20 under", (70 / 90, (1,))),
        ("params >= 20", "50 to spare", (1, (20 / 70,))),
        ("params == +0", "30 under", (0.7, (1,))),
        ("60 <= params <= 140", "10 to spare", (0.5, (60 / 140, 1))),
        ("float_ops == +400", "", (1, (1,))),
    ],
)
def test_a_figure_is_placed_on_its_limits(gate: str, note: str, track: tuple[float, tuple[float, ...]]) -> None:
    (row,) = rows_of(gate)
    assert row.note == note
    assert row.track is not None
    assert (row.track.figure, row.track.limits) == (pytest.approx(track[0]), pytest.approx(track[1]))


def test_a_figure_that_must_not_change_and_did_not_is_as_it_was() -> None:
    (row,) = rows_of("params == +0", head=BASE)
    assert (row.note, row.track, row.change.text) == ("as it was", Track(1, (1,), "passed"), "0 %")


def test_growth_from_zero_has_no_bar_that_means_anything() -> None:
    (row,) = rows_of("params <= +5%", base={"a": {"params": 0}}, head={"a": {"params": 7}})
    assert (row.outcome.text, row.change.text, row.note) == ("failed", "new from 0", "7 over")


def test_where_figures_are_unknown_the_reason_stands_in_place_of_a_bar() -> None:
    (row,) = rows_of("float_ops <= +0", base={"a": {"float_ops": 5}}, head={"a": {"float_ops": None}})
    assert (row.outcome.text, row.base.text, row.track) == ("unknown", "5", None)
    assert row.note == "unknown in head"
    partly = {"a": {"float_ops": 5}, "b": {"float_ops": None}}
    (row,) = rows_of("float_ops <= +0", base={"a": {"float_ops": 5}, "b": {"float_ops": 2}}, head=partly)
    assert (row.base.text, row.head.text, row.change.text) == ("7", "at least 5", "unknown")
    assert row.note == "1 node of head has no figure, such as b (Op)"


def test_a_gate_on_rows_shows_the_worst_of_them() -> None:
    (row,) = rows_of("float_ops <= +10%", subject=Subject.NODE, glob="**")
    assert row.place is not None
    assert [row.place.text, *texts_of(row)] == [
        "a/conv",
        *("failed", "FLOPs", "1.00 k", "1.50 k", "+50.00 %", "float_ops <= +10% (node **)"),
    ]
    assert row.note == "400 over; 1 of 2 nodes fails, this one by most"
    (held,) = rows_of("params <= +0", subject=Subject.NODE, glob="**")
    assert held.note.endswith("; 2 nodes judged, this one is the closest")
    (nothing,) = rows_of("params <= +0", subject=Subject.NODE, glob="z*")
    assert nothing.place is not None
    assert (nothing.place.text, nothing.outcome.text) == ("z*", "unknown")


def test_gates_that_inform_come_last_and_do_not_look_like_failures() -> None:
    (over,) = rows_of("float_ops <= +1%", level=Level.INFORM)
    assert (over.outcome.text, over.outcome.tone, over.symbol) == ("over, informs", "inconclusive", "!")
    report = judged("params <= +0", "float_ops <= +1%", "micros <= +5%", "params <= 99")
    failed, unknown, *held = sorted(report.verdict.gates, key=lambda gate: gate.metric or "")
    gates = (held[0], *(dataclasses.replace(gate, level=Level.INFORM) for gate in (failed, unknown, held[1])))
    report = dataclasses.replace(report, verdict=dataclasses.replace(report.verdict, gates=gates))
    found = gate_rows(report, CARDS)
    assert [row.outcome.text for row in found.rows] == ["held", "over, informs"]
    assert found.sentences[0] == "2 more gates that only inform: 1 unknown, 1 held."


def test_an_accepted_change_says_why_it_was_accepted() -> None:
    row = JudgedRow(name=None, status=GateStatus.ACKNOWLEDGED, base=1, head=3, most=1, percent=200.0, reason="wider")
    gate = GateResult(gate="params <= +0", status=GateStatus.ACKNOWLEDGED, text="why", metric="params", rows=(row,))
    verdict = Verdict(text="why", outcome=Outcome.OK, gates=(gate,))
    (found,) = gate_rows(make_comparison_report(verdict=verdict), CARDS).rows
    assert (found.outcome.text, found.note) == ("accepted", "2 over; accepted: wider")


def test_a_budget_needs_no_base() -> None:
    report = judged("params <= 140", base=None)
    (row,) = gate_rows(report, CARDS).rows
    assert [cell.text for cell in (row.base, row.head, row.change)] == ["\N{EN DASH}", "70", "\N{EN DASH}"]


def test_figures_without_a_gate_are_in_a_sentence_with_what_is_counted() -> None:
    found = gate_rows(judged("params <= +0"), CARDS)
    ungated = "Not gated: FLOPs +33.33 %, op time +20.00 %, requested memory not fully known, nodes unchanged."
    assert found.sentences == (f"{ungated} All FLOPs are counted (2 of 2 nodes).",)


def test_without_gates_the_figures_themselves_are_the_rows() -> None:
    found = gate_rows(report_of(HEAD, BASE), CARDS)
    assert (found.caption, [row.figure.text for row in found.rows]) == (
        "Figures",
        ["FLOPs", "Parameters", "Requested memory", "Op time", "Nodes"],
    )
    assert {row.outcome.text for row in found.rows} == {"not gated"}
    assert gate_rows(report_of(HEAD), CARDS) == GateRows(caption="Figures", rows=())


def test_many_gates_are_counted_instead_of_shown() -> None:
    found = gate_rows(judged(*(f"params <= {number}" for number in range(60, 60 + MOST_GATES + 3))), CARDS)
    assert len(found.rows) == MOST_GATES
    assert found.sentences[0] == "3 more gates: 3 held."


def test_a_drift_gate_shows_the_figure_of_its_reference_and_which_that_is() -> None:
    gates = tuple(parse_gate(f"params <= +2% since {tag}") for tag in ("v1", "v9"))
    totals = PastTotals(steps=1, figures={"params": PastTotal(value=Fraction(60))})
    found = Found(words="since v1 (commit 3f2a, 41 commits back)", report="net/3f2a", totals=totals)
    report, policy = report_of(HEAD, None), Policy(gates=gates)
    references = {gates[0]: found, gates[1]: NotFound(reason="nobody was there")}
    verdict = judge(report.head, None, policy, references=references)
    rows = gate_rows(dataclasses.replace(report, policy=policy, verdict=verdict), CARDS).rows
    assert [(*texts_of(row), row.note) for row in rows] == [
        (
            *("failed", "Parameters", "60", "70", "+16.67 %", "params <= +2% since v1"),
            "8.80 over; since v1 (commit 3f2a, 41 commits back)",
        ),
        (
            *("no reference", "Parameters", ABSENT.text, ABSENT.text, ABSENT.text, "params <= +2% since v9"),
            "nobody was there",
        ),
    ]
