"""Entries that accept failed gates: with them the same comparison passes, whatever changed and whatever its names."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from judged_models import HOSTILE, make_gate, make_rows
from measured import Figures, side_of

from tfprof_report.cli.commands.accept import _node_figures
from tfprof_report.cli.config.acknowledged import read_acknowledged
from tfprof_report.compare.compare import compare
from tfprof_report.compare.comparison import Comparison
from tfprof_report.compare.gates.acknowledged_toml import Acceptable, AcceptedEntry, acceptable, accepted_toml
from tfprof_report.compare.gates.grammar import DEFAULT_GATES, parse_gate
from tfprof_report.compare.gates.judge import judge
from tfprof_report.compare.gates.policy import Gate, Level, Policy, Subject
from tfprof_report.compare.gates.verdict import GateResult, GateStatus, JudgedRow, Verdict
from tfprof_report.compare.side import Side
from tfprof_report.render.machine.summary_json import json_text

DAY = date(2030, 1, 31)
FAILED = GateStatus.FAILED
STATIC = ("params", "float_ops", "macs")
RUN = ("bytes", "peak_bytes", "residual_bytes", "output_bytes", "run_count", "micros")
NAMES = ("a", "a/b", "a/b/c", "a/d", "a_1", "b/*", "[x]")


def verdict_json(gates: Sequence[GateResult], totals: Mapping[str, Any]) -> Any:
    """Return the content of verdict.json for gates and totals."""
    listed = [{"metric": metric, "head": head} for metric, head in totals.items()]
    return json.loads(json_text({"gates": [asdict(gate) for gate in gates], "totals": listed}))


def accept(comparison: Comparison, verdict: Verdict, folder: Path) -> Acceptable:
    pq.write_table(comparison.nodes, folder / "diff_nodes.parquet")
    totals = {total.stem: total.head for total in comparison.all_totals}
    return acceptable(verdict_json(verdict.gates, totals), _node_figures(folder))


def judged_again(base: Side, head: Side, gates: Sequence[Gate]) -> tuple[Verdict, Verdict, Acceptable]:
    """Return the verdict, the verdict with all entries accepted, and these entries."""
    comparison = compare(base, head)
    before = judge(head, comparison, Policy(gates=tuple(gates)), today=DAY)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found = accept(comparison, before, folder)
        file = folder / "accepted.toml"
        reason = HOSTILE.replace("\ud800", "")[:200]  # 26 entries with all of it exceed the maximum file size
        file.write_text(accepted_toml(found.entries, reason=reason, expires=DAY))
        accepted = tuple(each.item for each in read_acknowledged(str(file)))
    return before, judge(head, comparison, Policy(gates=tuple(gates), acknowledged=accepted), today=DAY), found


def figures(stems: Sequence[str]) -> st.SearchStrategy[dict[str, int]]:
    values = st.integers(0, 9) | (st.integers(2**53, 2**55) if stems is STATIC else st.integers(2**30, 2**31))
    return st.fixed_dictionaries(dict.fromkeys(stems, values))


@st.composite
def sides(draw: st.DrawFn) -> Side:
    """Draw a model whose nodes are all known and ran in each of four steps, of which two and two are alike."""
    nodes: dict[str, Figures] = draw(st.dictionaries(st.sampled_from(NAMES), figures(STATIC), min_size=2))
    nodes["same"] = dict.fromkeys(STATIC, 1)
    drawn = [(name, draw(figures(RUN)), draw(figures(RUN))) for name in nodes]
    runs = [(name, step, alike[step % 2]) for name, *alike in drawn for step in range(4)]
    peaks = draw(st.lists(st.integers(1, 2**40), min_size=1, max_size=4))
    return side_of(nodes, runs=runs, steps=range(4), peaks=peaks)


@settings(max_examples=examples(20))
@given(sides(), sides())
def test_with_its_entries_a_diff_that_failed_passes_the_default_gates(base: Side, head: Side) -> None:
    _, after, found = judged_again(base, head, DEFAULT_GATES)
    if found.notes:  # a large mean without an exact decimal: everything else is accepted
        assert all("no decimal number is exactly" in note for note in found.notes)
        assert sum(gate.status is FAILED and gate.level is Level.FAIL for gate in after.gates) == len(found.notes)
    else:
        assert {gate.status for gate in after.gates if gate.level is Level.FAIL} <= set(GateStatus) - {FAILED}
        assert after.exit_code in (0, 5)
    assert len(set(found.entries)) == len(found.entries) <= found.failed


@settings(max_examples=examples(20))
@given(
    sides(),
    sides(),
    st.lists(
        st.tuples(st.sampled_from([Subject.NODE, Subject.SCOPE, Subject.OP]), st.sampled_from([*STATIC, "bytes"])),
        min_size=1,
        max_size=3,
    ),
)
def test_with_its_entries_gates_on_rows_pass(base: Side, head: Side, rows: list[tuple[Subject, str]]) -> None:
    gates = [parse_gate(f"{metric} == +0", subject=subject, glob="**") for subject, metric in rows]
    _, after, found = judged_again(base, head, gates)
    assert found.notes == ()
    assert FAILED not in {gate.status for gate in after.gates}


def test_entries_are_pinned_to_the_letter() -> None:
    entries = (
        AcceptedEntry(metric="params", value="15"),
        AcceptedEntry(metric="bytes", value='"9007199254740993"', node="a[*]/b"),
    )
    assert accepted_toml(entries, reason='a "wider" head', expires=DAY, model="enc[1]") == (
        "\n[[acknowledged]]\n"
        'model = "enc[[]1]"\nmetric = "params"\nvalue = 15\nreason = "a \\"wider\\" head"\nexpires = 2030-01-31\n'
        "\n[[acknowledged]]\n"
        'model = "enc[[]1]"\nnode = "a[*]/b"\nmetric = "bytes"\nvalue = "9007199254740993"\n'
        'reason = "a \\"wider\\" head"\nexpires = 2030-01-31\n'
    )


def nothing_below(*_: object) -> tuple[Decimal, Decimal]:
    return Decimal(0), Decimal(0)


def row(name: str | None, base: float, head: float) -> JudgedRow:
    return JudgedRow(name=name, status=FAILED, base=base, head=head)


def on(subject: Subject, *rows: JudgedRow, gate: str = "params <= +0", failed: int | None = None) -> GateResult:
    count = len(rows) if failed is None else failed
    metric = gate.split(maxsplit=1)[0]
    return make_gate(gate, FAILED, metric=metric, subject=subject, glob="**", rows=rows, failed=count)


def entries_of(*gates: GateResult, **totals: Any) -> list[tuple[str, str | None, str]]:
    found = acceptable(verdict_json(gates, totals), nothing_below)
    return [(entry.metric, entry.node, entry.value) for entry in found.entries]


def test_a_row_has_its_name_as_a_glob_and_a_large_value_as_text() -> None:
    gate = on(Subject.NODE, row("a/*", 1, 2**53 + 1), row("a/[b]?", 1, 2**53))
    assert entries_of(gate) == [("params", "a/[*]", '"9007199254740993"'), ("params", "a/[[]b][?]", str(2**53))]


def test_a_scope_has_an_entry_for_what_is_below_it() -> None:
    assert entries_of(on(Subject.SCOPE, row("a", 3, 5))) == [("params", "a/**", "5")]


def test_a_scope_whose_node_changed_too_has_two_entries() -> None:
    found = acceptable(verdict_json([on(Subject.SCOPE, row("a", 3, 5))], {}), lambda *_: (Decimal(1), Decimal(2)))
    assert [(entry.node, entry.value) for entry in found.entries] == [("a", "2"), ("a/**", "3")]


def test_one_entry_for_all_nodes_covers_every_gate_on_its_metric() -> None:
    gates = [on(Subject.NODE, row("a", 1, 2), failed=30), on(Subject.OP, row("MatMul", 1, 2)), on(Subject.MODEL)]
    found = acceptable(verdict_json(gates, {"params": 7}), nothing_below)
    assert found == Acceptable(entries=(AcceptedEntry(metric="params", value="7"),), notes=(), failed=3)


def test_the_same_row_of_two_gates_has_one_entry() -> None:
    gates = [on(Subject.NODE, row("a", 1, 2)), on(Subject.NODE, row("a", 1, 2), gate="params == +0")]
    assert entries_of(*gates) == [("params", "a", "2")]


def test_only_gates_that_failed_and_count_have_entries() -> None:
    informs = make_gate(status=FAILED, metric="params", level=Level.INFORM)
    others = [make_gate(status=status, metric="params") for status in GateStatus if status is not FAILED]
    assert acceptable(verdict_json([informs, *others], {"params": 7}), nothing_below).failed == 0


@pytest.mark.parametrize(
    ("gate", "why"),
    [
        (
            on(Subject.MODEL, gate="params <= 4"),
            'gate "params <= 4" cannot be accepted: a budget does not depend on base; ',
        ),
        (on(Subject.NODE, gate="micros <= +5%"), 'gate "micros <= +5%" on node "**" cannot be accepted: no two runs '),
        (make_gate("fail_on_unknown", FAILED), 'gate "fail_on_unknown" cannot be accepted: it is about unknown fig'),
        (on(Subject.MODEL, gate="run_count == +0"), "run_count cannot be accepted: no decimal number is exactly 33.33"),
        (on(Subject.NODE, row("", 1, 2)), 'gate "params <= +0" on node "**": no glob matches a row without a name, '),
    ],
)
def test_what_cannot_be_accepted_is_said_with_the_reason(gate: GateResult, why: str) -> None:
    found = acceptable(verdict_json([gate], {"run_count": 100 / 3}), nothing_below)
    assert (found.entries, len(found.notes), found.failed) == ((), 1, 1)
    assert found.notes[0].startswith(why)


def test_rows_that_verdict_json_does_not_name_are_counted() -> None:
    found = acceptable(verdict_json([on(Subject.NODE, row("a", 1, 2), failed=13)], {}), nothing_below)
    (note,) = found.notes
    assert note == (
        'gate "params <= +0" on node "**": 12 more rows failed, and verdict.json lists only the worst 10; accept '
        "these, compare again and accept the rest"
    )


def test_a_scope_of_unknown_parts_is_not_guessed() -> None:
    found = acceptable(verdict_json([on(Subject.SCOPE, row("a", 1, 2))], {}), lambda *_: None)
    assert found.entries == ()
    assert "a cannot be accepted, since diff_nodes.parquet does not show" in found.notes[0]


@pytest.mark.parametrize(
    "name",
    [
        HOSTILE.replace("\ud800", ""),
        "a" + "." * 200,
        "0x" + "f" * 2000,
        "##[error]",
        "##vso[task.complete]",
        ' "',
        "\t",
        "**/a/**",
        "\U0001f600\x7f\x85\u2028",
        "]]>[",
        "a\\",
    ],
)
def test_a_hostile_name_comes_back_as_it_was_and_commands_nothing(name: str) -> None:
    nodes: tuple[dict[str, Figures], dict[str, Figures]] = ({name: {"params": 1}}, {name: {"params": 2}})
    base, head = (side_of(each | {"same": {"params": 1}}) for each in nodes)
    gates = [parse_gate("params <= +0", subject=subject, glob="**") for subject in (Subject.NODE, Subject.SCOPE)]
    before, after, found = judged_again(base, head, gates[:1])
    assert (before.exit_code, after.exit_code, found.notes) == (1, 0, ())
    text = accepted_toml(found.entries, reason=name, expires=DAY, model=name)
    assert text.replace("\n", "").isprintable()
    assert "##[" not in text
    assert "##vso[" not in text
    assert make_rows(name)[0].name == name
