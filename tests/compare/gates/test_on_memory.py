"""Gates on memory relative to base: only where the steps of both sides lie apart, and only with enough steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from fractions import Fraction
from functools import cache

import pyarrow.compute as pc
import pytest
from measured import side_of
from repository import DATA

from tfprof_report.compare.compare import compare
from tfprof_report.compare.gates.explain import explain
from tfprof_report.compare.gates.grammar import DEFAULT_GATES, parse_gate
from tfprof_report.compare.gates.judge import judge
from tfprof_report.compare.gates.policy import Acknowledgement, Gate, Level, Policy, Subject
from tfprof_report.compare.gates.verdict import GateResult, GateStatus, Outcome, Verdict
from tfprof_report.compare.side import Side
from tfprof_report.ingest.origin import Origin
from tfprof_report.ingest.paths import find_in_folder
from tfprof_report.model.measurement import AS_REPORTS
from tfprof_report.model.read_model import read_model
from tfprof_report.report.measure import measure
from tfprof_report.schema.metrics import VARYING

PASSED, FAILED, INCONCLUSIVE, ACKNOWLEDGED, SKIPPED, _ = GateStatus
SUBJECTS = [(Subject.MODEL, ""), (Subject.NODE, "s/a"), (Subject.SCOPE, "s"), (Subject.OP, "Op")]


def side(sizes: Sequence[int | None], metric: str = "bytes") -> Side:
    """Return a side with one node that takes this memory in its steps."""
    if metric == "device_peak_bytes":
        return side_of({"s/a": {}}, steps=range(len(sizes)), peaks=sizes)
    runs = [("s/a", step, {metric: size}) for step, size in enumerate(sizes)]
    return side_of({"s/a": {}}, runs=runs, steps=range(len(sizes)))


def verdict_of(base: Side, head: Side, *gates: Gate, accepted: Sequence[Acknowledgement] = ()) -> Verdict:
    policy = Policy(gates=gates, acknowledged=tuple(accepted))
    return judge(head, compare(base, head), policy, today=date(2026, 1, 1))


def judged(base: Sequence[int | None], head: Sequence[int | None], text: str) -> GateResult:
    gate = parse_gate(text)
    return verdict_of(side(base, gate.metric), side(head, gate.metric), gate).gates[0]


@pytest.mark.parametrize("metric", VARYING)
@pytest.mark.parametrize(
    ("base", "head", "status"),
    [
        ([100] * 4, [105] * 4, PASSED),  # equal to the limit
        ([1000] * 4, [1051] * 4, FAILED),
        ([100, 101, 100, 100], [110, 111, 110, 110], FAILED),  # 9 apart, ranges of 1 + 1
        ([100, 104, 100, 100], [108, 113, 113, 113], PASSED),  # 4 apart, 4 + 5
        ([100, 102, 100, 100], [106, 108, 108, 108], PASSED),  # 4 apart, 2 + 2: not more than they differ
        ([100, 102, 100, 100], [107, 109, 109, 109], FAILED),  # 5 apart
        ([100] * 4, [90, 200, 200, 200], PASSED),  # steps overlap
        ([0] * 4, [1, 1, 1, 1], FAILED),  # grown from 0
    ],
)
def test_steps_must_lie_further_apart_than_they_differ(
    metric: str, base: list[int], head: list[int], status: GateStatus
) -> None:
    result = judged(base, head, f"{metric} <= +5%")
    assert (result.status, result.level) == (status, Level.FAIL)


@pytest.mark.parametrize(("subject", "glob"), SUBJECTS)
def test_it_holds_for_the_model_and_its_rows_and_says_why(subject: Subject, glob: str) -> None:
    gate = parse_gate("bytes <= +5%", subject=subject, glob=glob, source="rules.toml")
    result = verdict_of(side([100, 90, 100, 90]), side([110, 104, 110, 104]), gate).gates[0]
    assert (result.status, result.rows[0].status) == (PASSED, PASSED)
    words = "95 -> 107 (+12, +12.63 %), allowed at most 99.75 bytes, and steps of the same side differ as much"
    assert result.rows[0].text == words


def test_less_memory_breaks_a_lower_limit_by_the_same_rule() -> None:
    assert judged([110] * 4, [100] * 4, "bytes >= -5%").status is FAILED
    assert judged([110, 100, 110, 110], [105, 95, 100, 99], "bytes >= -5%").status is PASSED


@pytest.mark.parametrize("metric", VARYING)
@pytest.mark.parametrize(("base", "head"), [(3, 4), (4, 3), (1, 1), (2, 9)])
@pytest.mark.parametrize("size", [100, 300])
def test_with_fewer_than_four_steps_a_gate_only_informs(metric: str, base: int, head: int, size: int) -> None:
    gate = parse_gate(f"{metric} <= +5%")
    verdict = verdict_of(side([100] * base, metric), side([size] * head, metric), gate)
    (result,) = verdict.gates
    assert (result.status, result.level) == (FAILED if size > 100 else PASSED, Level.INFORM)
    assert result.text.endswith(f", which only informs: not enough steps ({base} and {head}, 4 are needed)")
    assert (verdict.outcome, verdict.exit_code) == (Outcome.NOT_JUDGED, 0)


def test_an_unknown_figure_stays_inconclusive_with_any_number_of_steps() -> None:
    for steps in (1, 4):
        verdict = verdict_of(side([100] * steps), side([None] * steps), parse_gate("bytes <= +5%"))
        assert (verdict.gates[0].status, verdict.gates[0].level) == (INCONCLUSIVE, Level.FAIL)
        assert verdict.exit_code == 5


def test_output_memory_and_budgets_need_one_step() -> None:
    assert judged([1000], [1051], "output_bytes <= +5%").status is FAILED
    assert judged([100], [151], "bytes <= 150").level is Level.FAIL
    assert judged([100, 0, 0, 0], [200, 102, 150, 150], "bytes <= 150").status is FAILED  # 150.5 in the mean


def test_the_explanation_of_a_row_is_that_of_its_gate() -> None:
    gate = parse_gate("bytes <= +5%", subject=Subject.NODE, glob="**", source="rules.toml")
    base, head = side([100, 90, 100, 90]), side([110, 104, 110, 104])
    found = explain(head, compare(base, head), Policy(gates=(gate,)), "s/a")
    assert [(each.row.status, each.row.text.rpartition(", ")[2]) for each in found if each.gate] == [
        (PASSED, "and steps of the same side differ as much")
    ]


def test_an_accepted_change_leaves_what_differs_between_steps() -> None:
    gate, head = parse_gate("bytes <= +0.5%"), side([200, 190, 200, 190])
    accepted = Acknowledgement(metric="bytes", value=Fraction(200), reason="wider", expires=date(2027, 1, 1))
    for value, status in ((200, ACKNOWLEDGED), (190, ACKNOWLEDGED), (210, FAILED), (185, FAILED)):
        entry = replace(accepted, value=Fraction(value))
        assert verdict_of(side([100] * 4), head, gate, accepted=[entry]).gates[0].status is status


@cache
def recorded(name: str) -> Side:
    """Return a recording of one unchanged graph: five steps, whose memory depends on the order of threads."""
    table, _ = read_model(find_in_folder(str(DATA / "memory_noise" / name)), lambda _: None, AS_REPORTS)
    return measure(table, {}, Origin(inputs=()))


def of_steps(side: Side, *steps: int) -> Side:
    return replace(
        side,
        steps=side.steps.filter(pc.is_in(side.steps["step"], value_set=pc.cast(list(steps), "int64"))),
        step_numbers=steps,
        devices=tuple(peak for peak in side.devices if peak.step in steps),
        walls=tuple(wall for wall in side.walls if wall.step in steps),
    )


def larger(side: Side, percent: int) -> Side:
    """Return a side of which every node asks for more memory and has larger outputs."""
    steps = side.steps
    for stem in ("bytes", "peak_bytes", "residual_bytes", "output_bytes"):
        grown = pc.divide(pc.multiply(steps[stem], 100 + percent), 100)
        steps = steps.set_column(steps.column_names.index(stem), stem, grown)
    return replace(side, steps=steps)


@pytest.mark.parametrize(("base", "head"), [("base", "head"), ("head", "base")])
def test_two_recordings_of_one_graph_pass_the_default_gates(base: str, head: str) -> None:
    old_style = [parse_gate(f"{metric} <= +1%") for metric in VARYING]
    for steps in ((1, 2, 3, 4, 5), (1, 2, 3, 4), (2, 3, 4, 5), (1, 2), (5,)):
        sides = [of_steps(recorded(name), *steps) for name in (base, head)]
        assert verdict_of(*sides, *DEFAULT_GATES).outcome is Outcome.OK
        assert verdict_of(*sides, *old_style).exit_code == 0


def test_a_change_is_found_by_the_default_gates_beside_what_varies() -> None:
    base, head = recorded("base"), recorded("head")
    for percent in (1, 3, 10):
        verdict = verdict_of(base, larger(head, percent), *DEFAULT_GATES)
        assert verdict.exit_code == 1
        assert "output_bytes" in {gate.metric for gate in verdict.gates if gate.status is FAILED}
    # Steps differ by 2.4 MB of 11: beyond that the other figures show it too.
    failed = {gate.metric for gate in verdict_of(base, larger(head, 60), *DEFAULT_GATES).gates if gate.status is FAILED}
    assert failed >= {"bytes", "peak_bytes", "residual_bytes", "output_bytes"}
