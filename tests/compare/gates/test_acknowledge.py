"""Accepted changes: when they make a gate hold, and when they do not."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from fractions import Fraction
from typing import Any

import pytest
from measured import Figures, side_of

from tfprof_report.compare.compare import compare
from tfprof_report.compare.gates.acknowledge import stale_notes
from tfprof_report.compare.gates.grammar import parse_gate
from tfprof_report.compare.gates.judge import judge
from tfprof_report.compare.gates.policy import Acknowledgement, Gate, Policy, Subject
from tfprof_report.compare.gates.verdict import AcknowledgedStatus, GateStatus, Verdict
from tfprof_report.compare.side import Side

PASSED, FAILED, INCONCLUSIVE, ACKNOWLEDGED, SKIPPED, _ = GateStatus
TODAY = date(2026, 10, 1)
Params = Mapping[str, int | None]


def accepted(value: int, node: str = "**", metric: str = "params", expires: date = TODAY) -> Acknowledgement:
    return Acknowledgement(metric=metric, value=Fraction(value), reason="wider head", expires=expires, node=node)


def side(params: Params) -> Side:
    nodes: dict[str, Figures] = {name: {"params": value} for name, value in params.items()}
    return side_of(nodes | {"same": {"params": 0}})


def verdict_of(base: Side, head: Side, gates: list[Gate], *changes: Acknowledgement) -> Verdict:
    policy = Policy(gates=tuple(gates), acknowledged=changes)
    return judge(head, compare(base, head), policy, today=TODAY)


def on(subject: Subject, glob: str, text: str = "params <= +0") -> Gate:
    return parse_gate(text, subject=subject, glob=glob)


MODEL = parse_gate("params <= +0")
EVERYWHERE = [MODEL, on(Subject.NODE, "**"), on(Subject.SCOPE, "**"), on(Subject.OP, "**")]


@pytest.mark.parametrize(
    ("base", "head", "node", "value"),
    [
        ({"head/a": 10, "b": 5}, {"head/a": 12, "b": 5}, "head/a", 12),
        ({"head/a": 10, "head/b": 5}, {"head/a": 12, "head/b": 6}, "head/**", 18),
        ({"b": 5}, {"head/a": 12, "b": 5}, "head/*", 12),
    ],
)
def test_an_accepted_change_holds_on_nodes_scopes_op_types_and_the_model(
    base: Params, head: Params, node: str, value: int
) -> None:
    verdict = verdict_of(side(base), side(head), EVERYWHERE, accepted(value, node))
    assert [gate.status for gate in verdict.gates] == [ACKNOWLEDGED] * 4
    assert (verdict.exit_code, {gate.failed for gate in verdict.gates}) == (0, {0})
    assert verdict.text.endswith("figures compared, 4 gates acknowledged.")
    assert verdict.gates[1].rows[0].reason == "wider head"
    assert verdict_of(side(base), side(head), EVERYWHERE, accepted(value + 1, node)).exit_code == 1


def test_an_acknowledged_gate_says_the_change_the_reason_and_the_last_day() -> None:
    verdict = verdict_of(side({"a": 10}), side({"a": 12}), [MODEL, on(Subject.NODE, "?")], accepted(12, "a"))
    change = "10 -> 12 (+2, +20.00 %), allowed at most 10, acknowledged until 2026-10-01: wider head"
    assert [gate.text for gate in verdict.gates] == [change, f"1 of 1 node holds as acknowledged: a: {change}"]
    assert verdict.gates[0].rows[0].status is ACKNOWLEDGED


def test_a_lost_layer_can_be_accepted() -> None:
    gates = [parse_gate("params == +0"), on(Subject.SCOPE, "old", "params == +0")]
    verdict = verdict_of(side({"old/a": 10}), side({}), gates, accepted(0, "old/**"))
    assert [gate.status for gate in verdict.gates] == [ACKNOWLEDGED, ACKNOWLEDGED]


def test_what_is_accepted_of_one_node_does_not_cover_another() -> None:
    verdict = verdict_of(side({"a": 10, "b": 10}), side({"a": 12, "b": 13}), EVERYWHERE[:2], accepted(12, "a"))
    assert [gate.status for gate in verdict.gates] == [FAILED, FAILED]
    assert verdict.gates[0].text == "20 -> 25 (+5, +25.00 %), allowed at most 20, +2 of it acknowledged"
    assert [(row.name, row.status) for row in verdict.gates[1].rows] == [("b", FAILED), ("a", ACKNOWLEDGED)]
    assert (verdict.gates[1].failed, verdict.gates[1].judged) == (1, 3)


def test_an_acknowledgement_counts_on_its_last_day_and_fails_on_the_next() -> None:
    base, head, day_before = side({"a": 10}), side({"a": 12}), date(2026, 9, 30)
    assert verdict_of(base, head, [MODEL], accepted(12, "a")).exit_code == 0
    late = verdict_of(base, head, [MODEL], accepted(12, "a", expires=day_before))
    assert late.exit_code == 1
    assert late.gates[0].text == (
        "10 -> 12 (+2, +20.00 %), allowed at most 10, the acknowledgement for a expired on 2026-09-30 (wider head)"
    )


def test_another_value_than_the_accepted_one_fails_and_says_both() -> None:
    verdict = verdict_of(side({"a": 10}), side({"a": 14}), EVERYWHERE[:2], accepted(12, "a"))
    assert [gate.status for gate in verdict.gates] == [FAILED, FAILED]
    assert verdict.gates[0].text.endswith("allowed at most 10, the acknowledged value for a is 12, head has 14")
    assert verdict.gates[1].text.endswith("allowed at most 10, the acknowledged value for a is 12, head has 14")


@pytest.mark.parametrize(("head", "status"), [(198, ACKNOWLEDGED), (202, ACKNOWLEDGED), (197, FAILED), (203, FAILED)])
def test_bytes_may_be_one_percent_off_the_accepted_value(head: int, status: GateStatus) -> None:
    base, now = (
        side_of({"a": {}}, runs=[("a", step, {"bytes": value}) for step in range(4)], steps=range(4))
        for value in (100, head)
    )
    verdict = verdict_of(base, now, [parse_gate("bytes == +0")], accepted(200, "a", "bytes"))
    assert verdict.gates[0].status is status


def test_a_device_peak_is_accepted_for_the_whole_model() -> None:
    base, head = (side_of({"a": {}}, steps=range(4), peaks=[peak] * 4) for peak in (100, 150))
    gate = parse_gate("device_peak_bytes <= +1%")
    assert verdict_of(base, head, [gate], accepted(150, metric="device_peak_bytes")).exit_code == 0
    assert verdict_of(base, head, [gate], accepted(120, metric="device_peak_bytes")).exit_code == 1


def test_a_budget_cannot_be_acknowledged() -> None:
    gates = [parse_gate("params <= 11"), on(Subject.NODE, "a", "params <= 11")]
    verdict = verdict_of(side({"a": 10}), side({"a": 12}), gates, accepted(12, "a"))
    assert [(gate.status, gate.text) for gate in verdict.gates] == [
        (FAILED, "12, allowed at most 11"),
        (FAILED, "1 of 1 node fails, the worst a: 12, allowed at most 11"),
    ]


def test_a_node_that_lost_its_figure_is_not_hidden_by_an_acknowledgement() -> None:
    verdict = verdict_of(side({"a": 10, "b": 1}), side({"a": None, "b": 2}), [MODEL], accepted(2, "[ab]"))
    assert (verdict.gates[0].status, verdict.exit_code) == (INCONCLUSIVE, 5)


def test_an_acknowledgement_of_another_metric_does_not_count() -> None:
    assert verdict_of(side({"a": 10}), side({"a": 12}), [MODEL], accepted(12, "a", "float_ops")).exit_code == 1


def test_several_acknowledgements_add_up() -> None:
    changes = [accepted(12, "a"), accepted(13, "b")]
    verdict = verdict_of(side({"a": 10, "b": 10}), side({"a": 12, "b": 13}), EVERYWHERE, *changes)
    assert [gate.status for gate in verdict.gates] == [ACKNOWLEDGED] * 4


def test_a_gate_that_holds_anyway_is_not_called_acknowledged() -> None:
    gates = [parse_gate("params <= +50%")]
    assert verdict_of(side({"a": 10}), side({"a": 12}), gates, accepted(12, "a")).gates[0].status is PASSED


def test_an_accepted_mean_over_steps_is_compared_exactly_where_the_sides_have_other_steps() -> None:
    base = side_of({"a": {}, "b": {}}, runs=[("a", 1, {"run_count": 3}), ("b", 1, {"run_count": 1})], steps=[1, 2, 3])
    head = side_of({"a": {}, "b": {}}, runs=[("a", 1, {"run_count": 4}), ("b", 1, {"run_count": 1})], steps=[1, 2])
    gates = [on(Subject.NODE, "a", "run_count == +0"), on(Subject.NODE, "**", "run_count == +0")]
    verdict = verdict_of(base, head, gates, accepted(2, "a", "run_count"))
    assert [gate.status for gate in verdict.gates] == [ACKNOWLEDGED, FAILED]


@pytest.mark.parametrize(
    ("change", "status", "text"),
    [
        (accepted(12, "a"), AcknowledgedStatus.HOLDS, "acknowledged until 2026-10-01: wider head"),
        (accepted(13, "a"), AcknowledgedStatus.OTHER_VALUE, "the acknowledged value for a is 13, head has 12"),
        (accepted(1, "none"), AcknowledgedStatus.NOTHING, "no node of base or head has a name that none matches"),
        (accepted(5, "b"), AcknowledgedStatus.NOT_NEEDED, "base has the accepted 5 already"),
        (
            accepted(12, "a", expires=date(2026, 1, 1)),
            AcknowledgedStatus.EXPIRED,
            "the acknowledgement for a expired on 2026-01-01 (wider head)",
        ),
        (
            accepted(3, "a", "float_ops"),
            AcknowledgedStatus.OTHER_VALUE,
            "the acknowledged value for a is 3, float_ops of head is unknown",
        ),
    ],
)
def test_the_verdict_says_which_acknowledgements_count(
    change: Acknowledgement, status: AcknowledgedStatus, text: str
) -> None:
    found = verdict_of(side({"a": 10, "b": 5}), side({"a": 12, "b": 5}), [], change).acknowledged[0]
    assert (found.status, found.text, found.value, found.expires) == (
        status,
        text,
        change.value,
        change.expires.isoformat(),
    )


def test_acknowledgements_that_do_not_count_are_warned_about_by_cause() -> None:
    changes = [accepted(12, "a"), accepted(5, "b"), accepted(1, "none"), accepted(1, "nobody")]
    verdict = verdict_of(side({"a": 10, "b": 5}), side({"a": 12, "b": 5}), [], *changes)
    assert [(note.code, note.count, note.examples) for note in stale_notes(verdict.acknowledged)] == [
        ("acknowledged_nothing", 2, ("params of none", "params of nobody")),
        ("acknowledged_not_needed", 1, ("params of b",)),
    ]


def test_without_a_comparison_there_is_nothing_to_accept() -> None:
    policy: dict[str, Any] = {"acknowledged": (accepted(12, "a"),)}
    assert judge(side({"a": 12}), None, Policy(**policy)).acknowledged == ()


def test_new_nodes_are_accepted_by_how_many_they_are() -> None:
    gates = [parse_gate("definition_count == +0"), on(Subject.SCOPE, "new", "definition_count == +0")]
    base, head = side({"a": 1}), side({"a": 1, "new/a": 0, "new/b": 0})
    for count, status in ((2, ACKNOWLEDGED), (3, FAILED)):
        verdict = verdict_of(base, head, gates, accepted(count, "new/**", "definition_count"))
        assert [gate.status for gate in verdict.gates] == [status, status]
