"""Which report a drift gate is relative to, and what it finds there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from measured import side_of
from past_reports import START, commit_id, indexed, of_commit, past, row_of_side

from tfprof_report.compare.compare import compare
from tfprof_report.compare.gates.grammar import parse_gate
from tfprof_report.compare.gates.judge import judge
from tfprof_report.compare.gates.policy import Acknowledgement, Gate, Level, Policy
from tfprof_report.compare.gates.reference import Found, NotFound
from tfprof_report.compare.gates.verdict import GateResult, GateStatus, Outcome, Verdict
from tfprof_report.compare.side import Side
from tfprof_report.errors import OptionError
from tfprof_report.report import find_references as module
from tfprof_report.report.find_references import find_references
from tfprof_report.report.starts import Past, start_of

PASSED, FAILED, INCONCLUSIVE, ACKNOWLEDGED, SKIPPED, NO_REFERENCE = GateStatus


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The rows of an index, in the order in which they were saved."""
    rows: list[dict[str, Any]] = []
    monkeypatch.setattr(module, "read_index", lambda *_: indexed(rows))
    return rows


def params(value: int | None, **others: int | None) -> Side:
    return side_of({"n": {"params": value}, **{name: {"params": each} for name, each in others.items()}})


def found_for(gate: str, head: Side, where: Past) -> Found | NotFound:
    (found,) = find_references(Policy(gates=(parse_gate(gate),)), head, where).references.values()
    return found


def judged(head: Side, where: Past, *gates: str | Gate, **policy: Any) -> Verdict:
    parsed = tuple(parse_gate(gate) if isinstance(gate, str) else gate for gate in gates)
    rules = Policy(gates=parsed, **policy)
    return judge(head, None, rules, references=find_references(rules, head, where).references)


def one(verdict: Verdict) -> GateResult:
    (result,) = verdict.gates
    return result


@pytest.mark.parametrize(
    ("gate", "number"),
    [
        ("params <= +1% since v1", 3),  # tagged, and it has a report
        ("params <= +1% since v2", 5),  # tagged commit 6 has none, 5 is the nearest before it
        (f"params <= +1% since {commit_id(3)}", 3),
        (f"params <= +1% since {commit_id(6)[:8]}", 5),
        ("params <= +1% since 5d", 5),
        ("params <= +1% since 4d", 5),  # commit 6 has no report
        ("params <= +1% since 96h", 5),
        ("params <= +1% since 3d", 7),
        ("params <= +1% since 1w", 3),
        ("params <= +1% since 0d", 7),  # never the commit of the report itself
        ("params <= +1% against best", 5),
        ("params >= -1% against best", 1),
    ],
)
def test_the_report_is_the_one_that_the_gate_says(store: list[dict[str, Any]], gate: str, number: int) -> None:
    for at, value in ((1, 140), (3, 120), (5, 100), (7, 130), (10, 90)):
        store.append(row_of_side(params(value), at))
    found = found_for(gate, of_commit(params(100), 10), past(10, {3: "v1", 6: "v2"}))
    assert isinstance(found, Found)
    assert (found.commit, found.commits_back) == (commit_id(number), 10 - number)
    assert found.age_seconds == (10 - number) * 86_400
    days = f"{10 - number} days old" if number < 9 else "24 hours old"
    before = "1 commit before it, " if "v2" in gate or commit_id(6)[:8] in gate else ""
    what = gate.split("% ")[1]
    assert found.words == f"{what} (commit {commit_id(number)[:12]}, {before}{10 - number} commits back, {days})"


@pytest.mark.parametrize(
    ("gate", "reason"),
    [
        ("params <= +1% since 30d", "no report is 30 days old, the oldest is 7 days old"),
        ("params <= +1% since v0", "neither commit 00000001abab nor any before it has a report"),
        ("params <= +1% since v9", "this report is of commit 00000010abab itself"),
        ("float_ops <= +1% against best", "of 2 reports of ancestors, none knows all of float_ops"),
    ],
)
def test_without_such_a_report_a_gate_has_no_reference(store: list[dict[str, Any]], gate: str, reason: str) -> None:
    unknown = side_of({"n": {"params": 1, "float_ops": None}}, ops={"n": "MatMul"})
    store += [row_of_side(unknown, 3), row_of_side(unknown, 5)]
    where = past(10, {1: "v0", 10: "v9"})
    head = of_commit(params(100), 10)
    assert found_for(gate, head, where) == NotFound(reason=reason)
    verdict = judged(head, where, gate)
    assert (one(verdict).status, one(verdict).text) == (NO_REFERENCE, reason)
    assert (verdict.outcome, verdict.exit_code) == (Outcome.NOT_JUDGED, 0)
    assert judged(head, where, gate, "params <= 100").outcome is Outcome.OK
    assert judged(head, where, gate, "params <= 99").exit_code == 1


def test_a_store_without_reports_of_these_commits_says_so(store: list[dict[str, Any]]) -> None:
    head, where = of_commit(params(1), 10), past(10)
    assert found_for("params <= +1% since 1d", head, where) == NotFound(
        reason="the store holds no report of the model net"
    )
    store += [row_of_side(params(1), 30), row_of_side(params(1), 10)]
    words = "of the 11 commits in the list, none before this one is of the 2 reports in the store"
    assert found_for("params <= +1% against best", head, where) == NotFound(reason=words)


def test_ages_run_from_the_date_of_the_commit_else_from_the_time_of_the_report(store: list[dict[str, Any]]) -> None:
    store += [row_of_side(params(1), number, time=START) for number in (3, 8)]
    late = of_commit(params(1), 10, "2026-03-01T00:00:00Z")
    assert isinstance(found_for("params <= +1% since 30d", late, past(10)), NotFound)
    unlisted = of_commit(params(1), None, "2026-02-05T00:00:00Z")
    found = found_for("params <= +1% since 30d", unlisted, past(10))
    assert isinstance(found, Found)
    assert (found.commit, found.age_seconds) == (commit_id(3), 32 * 86_400)
    # without dates in the list, those of the reports count
    found = found_for("params <= +1% since 30d", unlisted, past(10, has_times=False))
    assert isinstance(found, Found)
    assert (found.commit, found.age_seconds) == (commit_id(8), 35 * 86_400)


@pytest.mark.parametrize(
    ("text", "tags", "words"),
    [
        ("v2", {3: "v1"}, "v2 is no tag, no commit and no age; write since v1.2 or since 30d"),
        ("v2", None, "v2 is no tag, no commit and no age; tags are read from --tags FILE"),
        (
            "abcdef0",
            None,
            "the commit abcdef0 is not in the list of ancestors; in a shallow clone the list",
        ),
        ("v1", {99: "v1"}, "the tag v1 is of commit 00000099abab, which is not in the list of ancestors"),
        ("0000000", None, "0000000 means 10 commits; give more digits"),
    ],
)
def test_what_is_not_in_the_lists_is_a_mistake(text: str, tags: dict[int, str] | None, words: str) -> None:
    where = past(9, tags)
    with pytest.raises(OptionError) as error:
        start_of(parse_gate(f"params <= +1% since {text}"), where.commits, where.tags)
    assert str(error.value).startswith(f'--gate "params <= +1% since {text}": {words}')


def test_a_tag_may_look_like_an_age_or_a_commit() -> None:
    for name in ("30d", "abcdef012"):
        where = past(9, {4: name})
        assert start_of(parse_gate(f"params <= +1% since {name}"), where.commits, where.tags) == 5


def test_the_measured_commit_may_be_abbreviated(store: list[dict[str, Any]]) -> None:
    store += [row_of_side(params(1), 3), row_of_side(params(1), 9)]
    side = params(1)
    head = replace(side, origin=replace(side.origin, commit=commit_id(9)[:10], timestamp="2030-01-01T00:00:00Z"))
    found = found_for("params <= +1% since 1d", head, past(9))
    assert isinstance(found, Found)
    assert (found.commit, found.age_seconds) == (commit_id(3), 6 * 86_400)


def test_ten_steps_of_which_each_passes_fail_since_the_first(store: list[dict[str, Any]]) -> None:
    values = [100_000]
    for _ in range(10):
        values.append(values[-1] * 1009 // 1000)
    store += [row_of_side(params(value), number) for number, value in enumerate(values[:-1])]
    sides = [of_commit(params(value), number) for number, value in enumerate(values)]
    for base, head in pairwise(sides):
        assert judge(head, compare(base, head), Policy(gates=(parse_gate("params <= +1%"),))).exit_code == 0
    verdict = judged(sides[10], past(10, {0: "v1.0"}), "params <= +1% since v1.0")
    assert verdict.exit_code == 1
    assert one(verdict).text == (
        "100,000 -> 109,369 (+9,369, +9.37 %), allowed at most 101,000, since v1.0 (commit 00000000abab, "
        "10 commits back, 10 days old)"
    )


@pytest.mark.parametrize(("head", "status"), [(102_000, PASSED), (102_001, FAILED)])
def test_the_limit_itself_is_allowed(store: list[dict[str, Any]], head: int, status: GateStatus) -> None:
    store.append(row_of_side(params(100_000), 0))
    result = one(judged(of_commit(params(head), 1), past(1), "params <= +2% against best"))
    assert (result.status, result.rows[0].base, result.rows[0].most) == (status, 100_000, 102_000)


def test_only_reports_that_are_counted_alike_are_compared(store: list[dict[str, Any]]) -> None:
    other = {"counting": "0" * 16, "rules": "extended 1"}
    store += [row_of_side(params(10), 1, **other), row_of_side(params(90), 2), row_of_side(params(100), 3)]
    store += [row_of_side(params(100), 4), row_of_side(params(50), 4, **other)]
    head = of_commit(params(95), 10)
    where = past(10, {1: "v1", 4: "v4"})
    assert one(judged(head, where, "params <= +6% against best")).rows[0].base == 90
    assert one(judged(head, where, "params <= +6% since v4")).rows[0].base == 100, "the one that is counted alike"
    verdict = judged(head, where, "params <= +6% since v1")
    assert (one(verdict).status, verdict.exit_code) == (INCONCLUSIVE, 5)
    assert one(verdict).text == (
        "params cannot be compared: it is counted otherwise, by the rules extended 1, not none, since v1 (commit "
        "00000001abab, 9 commits back, 9 days old)"
    )


def test_what_is_counted_otherwise_names_options_once(store: list[dict[str, Any]]) -> None:
    other = {"counting": "0" * 16, "rules": "tfprof 1", "options": '{"cond":"all","rules":"tfprof"}'}
    store.append(row_of_side(params(10), 1, **other))
    text = one(judged(of_commit(params(10), 3), past(3, {1: "v1"}), "params <= +6% since v1")).text
    assert "counted otherwise, by the rules tfprof 1, not none and with another --cond, since v1 (" in text


def test_figures_that_are_not_wholly_known_leave_a_gate_open(store: list[dict[str, Any]]) -> None:
    part = side_of({"n": {"float_ops": 5}, "m": {"float_ops": None}}, ops={"n": "MatMul", "m": "MatMul"})
    whole = side_of({"n": {"float_ops": 5}}, ops={"n": "MatMul"})
    store += [row_of_side(part, 1), row_of_side(whole, 2), row_of_side(params(1), 3)]
    where = past(10, {1: "v1", 2: "v2", 3: "v3"})
    texts = {
        "v1": "at least 5 in the reference, 5 in head, but 1 node of the reference has no figure",
        "v2": "5 in the reference, at least 5 in head, but 1 node of head has no figure, such as m (MatMul)",
    }
    for tag, head in (("v1", whole), ("v2", part)):
        result = one(judged(of_commit(head, 10), where, f"float_ops <= +1% since {tag}"))
        assert result.status is INCONCLUSIVE
        assert result.text.startswith(f"{texts[tag]}, since {tag} (")


def test_flops_at_another_batch_are_not_compared(store: list[dict[str, Any]]) -> None:
    side = side_of({"n": {"float_ops": 5, "params": 3}})
    store.append(row_of_side(side, 1, basis="at batch 1 of x"))
    result, other = judged(of_commit(side, 2), past(2), "float_ops <= +1% since 1d", "params <= +1% since 1d").gates
    assert result.status is INCONCLUSIVE
    assert "FLOPs rest on unlike sizes: it is at batch 1 of x, head at no assumed batch" in result.text
    assert other.status is PASSED


def times(*steps: int) -> Side:
    nanos = [1000 * micros for micros in steps]
    return side_of({"n": {}}, steps=range(len(steps)), walls=nanos, runs=_runs("micros", steps))


def memory(*steps: int) -> Side:
    return side_of({"n": {}}, steps=range(len(steps)), peaks=steps, runs=_runs("bytes", steps))


def _runs(stem: str, steps: Sequence[int]) -> list[Any]:
    return [("n", number, {stem: value}) for number, value in enumerate(steps)]


@pytest.mark.parametrize(
    ("metric", "steps", "result", "words"),
    [
        ("wall_micros", ((100, 101, 99, 100), (120, 121, 119, 122)), (FAILED, Level.FAIL), ", by means over steps, "),
        ("wall_micros", ((100, 101, 99, 100), (103, 102, 104, 103)), (PASSED, Level.FAIL), ", by means over steps, "),
        (
            "wall_micros",
            ((100, 121, 99, 100), (120, 121, 119, 122)),
            (FAILED, Level.INFORM),
            "whether chance explains it",
        ),
        (
            "wall_micros",
            ((100, 101, 99), (120, 121, 119, 122)),
            (INCONCLUSIVE, Level.FAIL),
            "not enough steps (3 and 4",
        ),
        (
            "micros",
            ((100, 101, 99, 100), (120, 121, 119, 122)),
            (FAILED, Level.INFORM),
            "do not say how far steps differ",
        ),
        (
            "bytes",
            ((100, 100, 100, 100), (110, 110, 110, 110)),
            (FAILED, Level.INFORM),
            "do not say how far steps differ",
        ),
        ("device_peak_bytes", ((100, 100, 101, 100), (110, 110, 111, 110)), (FAILED, Level.FAIL), "allowed at most"),
        ("device_peak_bytes", ((100, 90, 100, 95), (110, 120, 110, 115)), (PASSED, Level.FAIL), "differ as much"),
        (
            "device_peak_bytes",
            ((100, 100, 100), (110, 110, 110, 110)),
            (FAILED, Level.INFORM),
            "not enough steps (3 and 4",
        ),
    ],
)
def test_memory_and_times_are_judged_as_far_as_totals_tell(
    store: list[dict[str, Any]],
    metric: str,
    steps: tuple[tuple[int, ...], tuple[int, ...]],
    result: tuple[GateStatus, Level],
    words: str,
) -> None:
    then, head = steps
    make = times if metric.endswith("micros") else memory
    store.append(row_of_side(make(*then), 1))
    found = one(judged(of_commit(make(*head), 2), past(2), f"{metric} <= +5% since 1d"))
    assert (found.status, found.level) == result
    assert words in found.text
    assert found.text.endswith("since 1d (commit 00000001abab, 1 commit back, 24 hours old)")


def test_an_accepted_total_is_where_drift_starts(store: list[dict[str, Any]]) -> None:
    store.append(row_of_side(params(100), 0))
    accepted = (
        Acknowledgement(metric="params", value=Fraction(200), reason="wider", expires=date(2026, 6, 1), source="a"),
    )
    gate = parse_gate("params <= +2% since v1")
    for head, day, status in (
        (200, 1, ACKNOWLEDGED),
        (204, 1, ACKNOWLEDGED),  # 2 % more than the accepted value
        (205, 1, FAILED),
        (102, 1, PASSED),
        (200, 2, FAILED),  # expired
    ):
        side, policy = of_commit(params(head), 5), Policy(gates=(gate,), acknowledged=accepted)
        references = find_references(policy, side, past(5, {0: "v1"})).references
        verdict = judge(side, None, policy, today=date(2026, 6, day), references=references)
        assert one(verdict).status is status, (head, day)
        if head == 204:
            words = "measured from the acknowledged 200 until 2026-06-01: wider"
            assert words in one(verdict).text
            assert (verdict.acknowledged[0].status, verdict.acknowledged[0].text) == ("holds", words)


def test_gates_relative_to_different_reports_do_not_override_each_other(store: list[dict[str, Any]]) -> None:
    store += [row_of_side(params(100), 0), row_of_side(params(110), 4)]
    side, where = of_commit(params(110), 5), past(5, {0: "v1"})
    texts = ("params <= +2% since v1", "params <= +2% since 1d", "params <= 200", "params <= +20% since v1")
    gates = [parse_gate(text, source=f"rules.toml, gate {number}") for number, text in enumerate(texts)]
    assert [gate.status for gate in judged(side, where, *gates).gates] == [SKIPPED, PASSED, PASSED, PASSED]


@st.composite
def _sides(draw: st.DrawFn) -> Side:
    steps = draw(st.sampled_from([1, 3, 4, 5]))
    values = st.integers(0, 50) | st.integers(2**40, 2**41)
    runs = [("n", step, {stem: draw(values) for stem in ("output_bytes", "run_count")}) for step in range(steps)]
    peaks = [draw(st.integers(90, 110)) for _ in range(steps)]
    return side_of({"n": {"params": draw(values)}}, runs=runs, steps=range(steps), peaks=peaks)


@settings(max_examples=examples(60))
@given(
    _sides(),
    _sides(),
    st.sampled_from(["params", "output_bytes", "run_count", "definition_count", "device_peak_bytes"]),
    st.sampled_from(["<= +0", "<= +5%", ">= -5%", "== +0", "<= +5% or +10", "-3% <= {} <= +3%", "<= +3"]),
)
def test_a_drift_gate_is_the_relative_gate_of_a_comparison_with_its_reference(
    base: Side, head: Side, metric: str, limit: str
) -> None:
    condition = limit.format(metric) if "{}" in limit else f"{metric} {limit}"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "read_index", lambda *_: indexed([row_of_side(base, 0)]))
        drift = one(judged(of_commit(head, 1), past(1), f"{condition} since {commit_id(0)}"))
    usual = one(judge(head, compare(base, head), Policy(gates=(parse_gate(condition),))))
    assert (drift.status, drift.level) == (usual.status, usual.level)
    assert drift.rows == usual.rows
    assert drift.reference
    assert drift.text == f"{usual.text}, {drift.reference.words}"
    assert replace(drift, gate="", text="", reference=None) == replace(usual, gate="", text="")


def test_figures_over_time_are_those_of_earlier_commits_counted_alike(store: list[dict[str, Any]]) -> None:
    store += [row_of_side(params(10 + number), number) for number in (3, 0, 2)]
    store.append(row_of_side(params(99), 1, counting="otherwise"))
    store.append(row_of_side(params(50), 2) | {"report": "again"})  # saved again: the newest counts
    store.append(row_of_side(params(77), 4))  # of head itself
    found = find_references(Policy(), of_commit(params(5), 4), past(4)).trends
    assert found["params"] == (10, 50, 13)
    assert found["float_ops"] == (0, 0, 0) or set(found["float_ops"]) == {None}
    assert find_references(Policy(), params(5), None).trends == {}


def test_a_figure_over_time_has_at_most_the_last_sixty(store: list[dict[str, Any]]) -> None:
    store += [row_of_side(params(number), number) for number in range(70)]
    found = find_references(Policy(), of_commit(params(5), 70), past(70)).trends
    assert found["params"] == tuple(range(10, 70))
