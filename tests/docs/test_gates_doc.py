"""docs/gates.md is correct: every table and every example is judged."""

from __future__ import annotations

import re
import shlex
from dataclasses import fields
from datetime import date
from pathlib import Path

import pyarrow as pa
import pytest
from command import call, small_model
from measured import Figures, side_of
from past_reports import row_of_side
from repository import ROOT

from tfprof_report.cli.config.acknowledged import read_acknowledged
from tfprof_report.cli.config.file import read_rules_file
from tfprof_report.cli.params.report_options import DriftValues
from tfprof_report.compare.compare import compare
from tfprof_report.compare.gates.explain import explain
from tfprof_report.compare.gates.globs import check_glob, matches
from tfprof_report.compare.gates.grammar import DEFAULT_GATES, parse_gate
from tfprof_report.compare.gates.judge import judge
from tfprof_report.compare.gates.policy import Gate, Level, Policy, Subject
from tfprof_report.compare.gates.reference import Found
from tfprof_report.compare.gates.verdict import GateStatus, Outcome
from tfprof_report.compare.side import Side
from tfprof_report.options import flag
from tfprof_report.report.past_totals import totals_of_row

TEXT = (ROOT / "docs" / "gates.md").read_text()
FILES = re.findall(r"```toml\n(.*?)```", TEXT, flags=re.DOTALL)
WORDS = {GateStatus.PASSED: "holds", GateStatus.FAILED: "fails"}


def table(heading: str) -> list[list[str]]:
    """Return the rows of the first table under a heading."""
    section = TEXT.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    return [[cell.strip() for cell in row.split("|")[1:-1]] for row in re.findall(r"^\| .*\|$", section, re.MULTILINE)][
        2:
    ]


def section_tables(heading: str) -> list[list[list[str]]]:
    """Return the rows of all tables under a heading."""
    section = TEXT.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    found = re.findall(r"(?:^\|.*\|\n?)+", section, re.MULTILINE)
    return [[[cell.strip() for cell in row.split("|")[1:-1]] for row in each.splitlines()[2:]] for each in found]


def code(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def gates_of(text: str, folder: Path) -> tuple[Gate, ...]:
    file = folder / "rules.toml"
    file.write_text(text)
    return tuple(each.item for each in read_rules_file(str(file), None).gates)


def params(values: dict[str, int]) -> Side:
    nodes: dict[str, Figures] = {name: {"params": value} for name, value in values.items()}
    return side_of(nodes)


@pytest.mark.parametrize(("gate", "outcome"), [row[:2] for row in table("Grammar")])
def test_a_gate_of_the_grammar_holds_or_fails_as_it_says(gate: str, outcome: str) -> None:
    base, head = params({"a": 1000}), params({"a": 1010})
    verdict = judge(head, compare(base, head), Policy(gates=(parse_gate(code(gate)[0]),)))
    assert WORDS[verdict.gates[0].status] == outcome


@pytest.mark.parametrize(("glob", "yes", "no"), table("Nodes, scopes and op types"))
def test_a_glob_matches_what_it_says_and_nothing_else(glob: str, yes: str, no: str) -> None:
    check_glob(code(glob)[0], option="--gate")
    assert all(matches(pa.array(code(yes)), code(glob)[0]))
    assert not any(matches(pa.array(code(no), pa.string()), code(glob)[0]))


def test_gates_on_rows_are_read_as_they_are_written(tmp_path: Path) -> None:
    gates = gates_of(FILES[0], tmp_path)
    assert [(gate.subject, gate.glob) for gate in gates] == [
        (Subject.MODEL, ""),
        (Subject.NODE, "encoder/**"),
        (Subject.SCOPE, "encoder/*"),
        (Subject.OP, "Conv*"),
    ]


def test_the_last_match_wins_as_the_table_says(tmp_path: Path) -> None:
    gates = gates_of(FILES[1], tmp_path)
    rows = table("The last match wins")
    base, head = (params({code(row[0])[0]: int(row[side]) for row in rows}) for side in (1, 2))
    for name, _, _, judge_of_it, outcome in rows:
        found = explain(head, compare(base, head), Policy(gates=gates), code(name)[0])
        explained = next(each for each in found if (each.subject, each.metric) == (Subject.NODE, "params"))
        assert explained.gate is gates[int(judge_of_it.removeprefix("gate ")) - 1]
        assert explained.row.status == outcome


def test_gates_that_stand_side_by_side_all_count() -> None:
    texts = ("params <= +1%", "params >= -1%", "params <= 25M")
    assert all(text in TEXT for text in texts)
    gates = tuple(parse_gate(text, source="rules.toml") for text in texts)
    side = params({"a": 1000})
    assert {gate.status for gate in judge(side, compare(side, side), Policy(gates=gates)).gates} == {GateStatus.PASSED}


def test_the_levels_are_those_that_there_are() -> None:
    assert {word for row in table("Levels") for word in re.findall(r'"(\w+)"', row[0])} == set(Level)


def test_the_defaults_are_those_of_the_code(tmp_path: Path) -> None:
    assert [(code(gate)[0], level) for gate, level in table("Defaults")] == [
        (gate.text, gate.level) for gate in DEFAULT_GATES
    ]
    assert gates_of("", tmp_path) == DEFAULT_GATES
    assert gates_of("gates = []", tmp_path) == ()


def test_the_outcomes_are_those_that_there_are() -> None:
    assert [row[0] for row in table("Outcomes")] == list(GateStatus)


def test_the_accepted_change_makes_its_gate_hold_until_its_last_day(tmp_path: Path) -> None:
    file = tmp_path / "acknowledged.toml"
    file.write_text(FILES[2])
    accepted = tuple(each.item for each in read_acknowledged(str(file)))
    base, head = params({"head/a": 100, "head/b": 100}), params({"head/a": 120, "head/b": 120})
    policy = Policy(gates=(parse_gate("params <= +0"),), acknowledged=accepted)
    for day, status in ((date(2027, 1, 31), GateStatus.ACKNOWLEDGED), (date(2027, 2, 1), GateStatus.FAILED)):
        assert judge(head, compare(base, head), policy, today=day).gates[0].status is status


@pytest.mark.parametrize(("base", "head", "outcome"), [row[1:] for row in table("Times")])
def test_times_are_judged_as_the_table_says(base: str, head: str, outcome: str) -> None:
    old, new = (
        side_of(
            {"a": {}},
            runs=[("a", step, {"micros": int(micros)}) for step, micros in enumerate(times.split(", "))],
            steps=range(len(times.split(", "))),
        )
        for times in (base, head)
    )
    verdict = judge(new, compare(old, new), Policy(gates=(parse_gate("micros <= +5%"),)))
    assert verdict.gates[0].status == outcome


def test_drift_gates_are_read_as_they_are_written(tmp_path: Path) -> None:
    gates = gates_of(FILES[3], tmp_path)
    assert [gate.text for gate in gates if gate.reference is None] == []
    assert [gate.reference.folder for gate in gates if gate.reference and gate.reference.folder] == [
        str(tmp_path / "reports" / "pinned")
    ]
    for text in re.findall(r"`(params <= [^`]*(?:since|against)\s[^`]*)`", TEXT.split("## Drift gates")[1]):
        assert parse_gate(text).reference


@pytest.mark.parametrize(("base", "head", "outcome"), [row[1:] for row in section_tables("Drift gates")[-1]])
def test_wall_times_of_earlier_reports_are_judged_as_the_table_says(base: str, head: str, outcome: str) -> None:
    then, now = (
        side_of({"a": {}}, steps=range(times.count(",") + 1), walls=[1000 * int(each) for each in times.split(", ")])
        for times in (base, head)
    )
    gate = parse_gate("wall_micros <= +5% since v1.0")
    found = Found(words="since v1.0", report="r", totals=totals_of_row(row_of_side(then, 0)))
    (result,) = judge(now, None, Policy(gates=(gate,)), references={gate: found}).gates
    assert f"{result.status}{', informs' if result.level is Level.INFORM else ''}" == outcome


@pytest.mark.parametrize(("base", "head", "outcome"), [row[1:] for row in table("Memory")])
def test_memory_is_judged_as_the_table_says(base: str, head: str, outcome: str) -> None:
    old, new = (
        side_of(
            {"a": {}},
            runs=[("a", step, {"bytes": int(size)}) for step, size in enumerate(sizes.split(", "))],
            steps=range(len(sizes.split(", "))),
        )
        for sizes in (base, head)
    )
    result = judge(new, compare(old, new), Policy(gates=(parse_gate("bytes <= +5%"),))).gates[0]
    assert f"{result.status}{', informs' if result.level is Level.INFORM else ''}" == outcome


@pytest.mark.thorough
def test_the_command_that_accepts_prints_entries_that_make_the_gates_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (command,) = re.findall(r"```sh\ntfprof-report (.*?) >> tfprof-acknowledged.toml\n```", TEXT)
    diff = ("diff", small_model(Path("b")), small_model(Path("h"), width=5), "--gate", "params <= +0", "--out", "DIR")
    assert call(*diff).code == 1
    Path("accepted.toml").write_text(call(*shlex.split(command)).out)
    assert call(*diff, "--acknowledged", "accepted.toml", "--timestamp", "2027-01-31T00:00:00Z").code == 0


def test_the_options_are_those_of_the_command() -> None:
    of_accept = {"--reason", "--expires", "--model"}
    before, drift = TEXT.split("## Drift gates")
    assert {flag(field.name) for field in fields(DriftValues)} <= set(re.findall(r"--[a-z-]+[a-z]", drift))
    assert set(re.findall(r"--[a-z-]+[a-z]", before)) - {"--explain", "--acknowledged", "--gate"} == of_accept
    assert all(option in call("accept", "--help").out for option in of_accept)
    text = call("report", "--help").out
    assert all(option in text for option in ("--explain", "--acknowledged", "--gate"))


def test_the_outcomes_of_a_report_are_those_of_the_code_in_their_order() -> None:
    rows = table("The outcome of a report")
    assert [(code(word)[0], int(exit_code)) for word, exit_code, _ in rows] == [
        (outcome.upper(), outcome.exit_code) for outcome in Outcome
    ]
