"""Whether a report has news. Times alone are none."""

from __future__ import annotations

import dataclasses

import pytest
from report_builders import make_report, make_total_delta
from scopes import Nodes, report_of

from tfprof_report.compare.comparison import MatchedBy, Matching
from tfprof_report.compare.gates.policy import Level
from tfprof_report.compare.gates.verdict import GateResult, GateStatus, Outcome, Verdict
from tfprof_report.report.breakdowns import ParamTotal
from tfprof_report.report.changed import changed_stems, has_changed, has_news
from tfprof_report.report.report import Report

SAME: Nodes = {"a": {"float_ops": 4, "params": 2, "micros": 10}, "b": {"params": 1}}


def compared(head: Nodes, base: Nodes = SAME, verdict: Verdict | None = None) -> Report:
    return dataclasses.replace(report_of(head, base), verdict=verdict or Verdict(text="OK: fine.", outcome=Outcome.OK))


def judged(status: GateStatus, level: Level = Level.FAIL) -> Verdict:
    gate = GateResult(gate="params <= +0", status=status, text="why", level=level)
    return Verdict(text="OK: fine.", outcome=Outcome.OK, gates=(gate,))


def test_equal_sides_have_not_changed() -> None:
    report = compared(SAME)
    assert has_changed(report) is False
    assert not has_news(report)


@pytest.mark.parametrize(
    "head",
    [
        {**SAME, "b": {"params": 2}},
        {**SAME, "b": {"params": None}},
        {**SAME, "c": {}},
        {"a": SAME["a"]},
    ],
    ids=["another figure", "an unknown figure", "a new node", "a removed node"],
)
def test_any_difference_between_nodes_is_a_change(head: Nodes) -> None:
    report = compared(head)
    assert has_changed(report) is True
    assert has_news(report)


def test_time_alone_is_no_change() -> None:
    report = compared({**SAME, "a": {"float_ops": 4, "params": 2, "micros": 99}})
    assert report.comparison
    assert changed_stems(report.comparison) == ("micros",)
    assert has_changed(report) is False


def test_changes_that_cancel_out_in_the_totals_are_changes() -> None:
    assert has_changed(compared({"a": {"params": 3}}, {"a": {"params": 2}, "b": {"params": 1}}))


def test_another_op_type_is_a_change() -> None:
    report = compared(SAME)
    assert report.comparison
    ops = report.comparison.nodes["head_op"].to_pylist()
    nodes = report.comparison.nodes
    for column in (["Other", ops[1]], [None, ops[1]]):
        place = nodes.column_names.index("head_op")
        other = nodes.set_column(place, "head_op", [column])
        assert has_changed(dataclasses.replace(report, comparison=dataclasses.replace(report.comparison, nodes=other)))


def test_another_name_is_a_change() -> None:
    report = compared(SAME)
    assert report.comparison
    matching = Matching(counts={**dict.fromkeys(MatchedBy, 0), MatchedBy.PREFIX: 2})
    assert has_changed(
        dataclasses.replace(report, comparison=dataclasses.replace(report.comparison, matching=matching))
    )


def test_another_peak_of_a_device_is_a_change() -> None:
    report = compared(SAME)
    assert report.comparison
    for head, expected in ((7, False), (8, True)):
        peak = make_total_delta("device_peak_bytes", 7, head)
        comparison = dataclasses.replace(report.comparison, device_peak=peak)
        assert has_changed(dataclasses.replace(report, comparison=comparison)) is expected


def test_parameters_of_another_kind_are_a_change() -> None:
    kinds = [
        (ParamTotal(kind=kind, nodes=1, guesses=0, known=1, params=3, param_bytes=12),)
        for kind in ("trainable", "frozen")
    ]
    report = dataclasses.replace(compared(SAME), param_totals=kinds[0], base_param_totals=kinds[1])
    assert has_changed(report)
    assert not has_changed(dataclasses.replace(report, base_param_totals=kinds[0]))


def test_a_report_without_a_base_is_news_and_no_change() -> None:
    assert has_changed(make_report()) is None
    assert has_news(make_report())


def test_new_nodes_change_every_figure() -> None:
    report = report_of({"a": {}, "b": {}}, {"a": {}})
    assert report.comparison
    assert "definition_count" in changed_stems(report.comparison)


@pytest.mark.parametrize(
    ("verdict", "expected"),
    [
        (judged(GateStatus.PASSED), False),
        (judged(GateStatus.SKIPPED), False),
        (judged(GateStatus.INCONCLUSIVE, Level.INFORM), False),
        (judged(GateStatus.FAILED, Level.INFORM), True),
        (judged(GateStatus.ACKNOWLEDGED), True),
        (Verdict(text="FAILED: x.", outcome=Outcome.FAILED), True),
        (Verdict(text="INCONCLUSIVE: x.", outcome=Outcome.INCONCLUSIVE), True),
        (Verdict(text="NO BASELINE: x.", outcome=Outcome.NO_BASELINE), True),
        (Verdict(text="NOT JUDGED: x.", outcome=Outcome.NOT_JUDGED), False),
    ],
)
def test_a_gate_that_speaks_up_is_news_where_nothing_changed(verdict: Verdict, *, expected: bool) -> None:
    assert has_news(compared(SAME, verdict=verdict)) is expected
