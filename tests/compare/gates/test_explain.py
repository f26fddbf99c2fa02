from __future__ import annotations

from datetime import date
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from measured import Figures, side_of

from tfprof_report.compare.compare import compare
from tfprof_report.compare.gates.explain import Explanation, explain
from tfprof_report.compare.gates.grammar import parse_gate
from tfprof_report.compare.gates.judge import judge
from tfprof_report.compare.gates.policy import Acknowledgement, Gate, Policy, Subject
from tfprof_report.compare.gates.verdict import GateStatus
from tfprof_report.errors import OptionError

BASE: dict[str, Figures] = {"head/a": {"params": 10, "float_ops": 5}, "head/b": {"params": 1}}
HEAD: dict[str, Figures] = {"head/a": {"params": 12, "float_ops": 5}, "head/b": {"params": 1}, "new": {"params": 3}}


def gate(text: str, glob: str, subject: Subject = Subject.NODE) -> Gate:
    return parse_gate(text, subject=subject, glob=glob, source=f"rules.toml: {glob}")


def explained(name: str, *gates: Gate, accepted: tuple[Acknowledgement, ...] = ()) -> tuple[Explanation, ...]:
    base, head = side_of(BASE), side_of(HEAD)
    policy = Policy(gates=gates, acknowledged=accepted)
    return explain(head, compare(base, head), policy, name, today=date(2026, 1, 1))


def test_a_node_is_explained_by_the_gate_that_judged_it_those_that_lost_and_the_numbers() -> None:
    gates = (gate("params == +0", "**"), gate("params <= +5", "head/*"), gate("params <= +10%", "head/a"))
    found = {each.metric: each for each in explained("head/a", *gates) if each.subject is Subject.NODE}
    params = found["params"]
    assert (params.gate, params.earlier) == (gates[2], (gates[1], gates[0]))
    assert (params.row.status, params.row.base, params.row.head, params.row.delta) == (GateStatus.FAILED, 10, 12, 2)
    assert params.row.text == "10 -> 12 (+2, +20.00 %), allowed at most 11"
    assert params.row.allowed == "at most 11"


def test_a_metric_that_no_gate_judges_is_there_with_its_figures_if_it_is_known() -> None:
    found = {each.metric: each for each in explained("head/a") if each.subject is Subject.NODE}
    assert list(found) == ["params", "float_ops", "definition_count"]
    assert (found["float_ops"].gate, found["float_ops"].row.text) == (None, "5 -> 5 (+0, +0.00 %)")


def test_a_scope_is_explained_with_all_that_is_below_it() -> None:
    found = explained("head", gate("params <= +0", "*", Subject.SCOPE), gate("params <= +0", "*"))
    params = next(each for each in found if each.metric == "params")
    assert (params.subject, params.row.base, params.row.head, params.earlier) == (Subject.SCOPE, 11, 13, ())


def test_a_name_of_a_node_and_an_op_type_explains_both() -> None:
    side = side_of({"Add": {"params": 1}, "x": {"params": 2}}, ops={"Add": "Add", "x": "Add"})
    found = explain(side, compare(side, side), Policy(), "Add")
    assert [(each.subject, each.row.head) for each in found if each.metric == "params"] == [
        (Subject.NODE, 1),
        (Subject.OP, 3),
    ]


def test_a_scope_without_anything_below_it_is_explained_only_where_a_gate_judged_it() -> None:
    gates = (gate("params <= +0", "head/*", Subject.SCOPE),)
    scopes = [each.metric for each in explained("head/a", *gates) if each.subject is Subject.SCOPE]
    assert scopes == ["params"]


def test_a_row_is_explained_as_the_verdict_judged_it() -> None:
    gates = (gate("params <= +0", "**"), gate("params <= 2", "**"))
    accepted = (
        Acknowledgement(metric="params", value=Fraction(12), reason="x", expires=date(2027, 1, 1), node="head/a"),
    )
    found = [each for each in explained("head/a", *gates, accepted=accepted) if each.subject is Subject.NODE]
    base, head = side_of(BASE), side_of(HEAD)
    verdict = judge(head, compare(base, head), Policy(gates=gates, acknowledged=accepted), today=date(2026, 1, 1))
    rows = [next(row for row in result.rows if row.name == "head/a") for result in verdict.gates]
    assert [each.row for each in found if each.gate] == rows
    assert [row.status for row in rows] == [GateStatus.ACKNOWLEDGED, GateStatus.FAILED]


def test_without_a_baseline_budgets_are_explained_and_relative_gates_skipped() -> None:
    head = side_of(HEAD)
    policy = Policy(gates=(gate("params <= +0", "**"), gate("params <= 2", "**")))
    found = [each for each in explain(head, None, policy, "new") if each.metric == "params" and each.gate]
    assert [(each.row.status, each.row.text) for each in found] == [
        (GateStatus.SKIPPED, "there is no baseline to measure it against"),
        (GateStatus.FAILED, "3, allowed at most 2"),
    ]
    ungated = next(each for each in explain(head, None, Policy(), "new") if each.metric == "params")
    assert (ungated.row.base, ungated.row.text) == (None, "3")


@pytest.mark.parametrize(
    ("name", "advice"), [("head/aa", "did you mean head/a?"), ("?", "give the name of a node, a scope")]
)
def test_a_name_that_no_side_has_is_refused_with_the_closest_one(name: str, advice: str) -> None:
    with pytest.raises(OptionError) as caught:
        explained(name)
    assert str(caught.value).startswith(f'--explain "{name}": neither side has a node, scope or op type of this name; ')
    assert advice in str(caught.value)


FIGURES = st.dictionaries(st.sampled_from(["a", "a/b", "a/b/c", "a/d", "e"]), st.none() | st.integers(0, 3), min_size=1)
CONDITIONS = st.sampled_from(
    ["<= +0", "== +0", ">= +0", "<= +50%", ">= -50%", "<= 1", ">= 1", "== 2", "-1 <= params <= +1", "1 <= params <= 2"]
)


@pytest.mark.thorough
@given(
    base=FIGURES,
    head=FIGURES,
    condition=CONDITIONS,
    subject=st.sampled_from([Subject.NODE, Subject.SCOPE, Subject.OP]),
    value=st.none() | st.integers(0, 3),
)
def test_a_gate_counts_what_its_rows_say_one_by_one(
    base: dict[str, int | None], head: dict[str, int | None], condition: str, subject: Subject, value: int | None
) -> None:
    old, new = (side_of({name: {"params": figure} for name, figure in side.items()}) for side in (base, head))
    text = condition if "params" in condition else f"params {condition}"
    accepted = Acknowledgement(
        metric="params", value=Fraction(value or 0), reason="x", expires=date(2027, 1, 1), node="a/**"
    )
    policy = Policy(gates=(gate(text, "**", subject),), acknowledged=(accepted,) if value is not None else ())
    comparison, today = compare(old, new), date(2026, 1, 1)
    result = judge(new, comparison, policy, today=today).gates[0]
    names = ["Op"] if subject is Subject.OP else sorted({*base, *head})
    if subject is Subject.SCOPE:
        names = sorted({name[:end] for name in names for end in (1, 3, 5)})
    rows = [
        each.row
        for name in names
        for each in explain(new, comparison, policy, name, today=today)
        if each.gate and each.subject is subject
    ]
    count = {status: sum(row.status is status for row in rows) for status in GateStatus}
    assert result.failed == count[GateStatus.FAILED]
    assert result.judged == len(rows) - count[GateStatus.INCONCLUSIVE]
    named = {row.name: row for row in rows}
    assert all(named[row.name] == row for row in result.rows)
    worst = [
        status for status in (GateStatus.FAILED, GateStatus.INCONCLUSIVE, GateStatus.ACKNOWLEDGED) if count[status]
    ]
    unknown = sum(row.base is None and row.head is None for row in rows)
    if worst and (worst[0] is GateStatus.FAILED or count[GateStatus.INCONCLUSIVE] > unknown):
        assert result.status is worst[0]


def test_an_optional_gate_on_a_metric_of_which_nothing_is_known_is_skipped_as_in_the_verdict() -> None:
    gates = tuple(
        parse_gate(text, subject=Subject.NODE, glob="**", is_optional=True, source="rules.toml")
        for text in ("micros <= +0", "bytes <= +0", "bytes <= 5")
    )
    found = [each.row for each in explained("head/a", *gates) if each.gate]
    assert [(row.status, row.text) for row in found] == [
        (GateStatus.SKIPPED, "neither side knows bytes"),
        (GateStatus.SKIPPED, "neither side knows bytes"),
        (GateStatus.SKIPPED, "neither side knows micros"),
    ]
