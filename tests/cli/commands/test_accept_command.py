"""`tfprof-report accept` prints the entries that accept a report's changes, or one line that says why not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command import Outcome, call, small_model

from tfprof_report.cli.config.acknowledged import read_acknowledged
from tfprof_report.render.machine.verdict_json import VERSION

SAID = ("--reason", "wider", "--expires", "2030-01-31")
NOW = ("--timestamp", "2030-01-31T00:00:00Z")


def diff(folder: Path, *arguments: object, gate: str = "params <= +0") -> Outcome:
    base, head = small_model(folder / "b"), small_model(folder / "h", width=5)
    return call("diff", base, head, "--out", folder / "o", *NOW, "--gate", gate, *arguments)


@pytest.mark.thorough
def test_what_is_printed_makes_the_same_diff_pass_with_the_default_gates(tmp_path: Path) -> None:
    rules, accepted = tmp_path / "rules.toml", tmp_path / "accepted.toml"
    rules.write_text("")
    accepted.write_text("# mine, without a line end")
    arguments = ("diff", small_model(tmp_path / "b"), small_model(tmp_path / "h", width=5, float_ops=30, in_use=9000))
    options = ("--out", tmp_path / "o", "--config", rules, *NOW)
    assert call(*arguments, *options).code == 1
    outcome = call("accept", tmp_path / "o", *SAID)
    assert (outcome.code, outcome.err) == (0, "")
    with accepted.open("a") as file:
        file.write(outcome.out)
    assert [each.item.metric for each in read_acknowledged(str(accepted))] == [
        "params",
        "float_ops",
        "macs",
        "run_float_ops",
    ]
    assert call(*arguments, *options, "--acknowledged", accepted).code == 0


@pytest.mark.thorough
def test_entries_of_several_models_name_them(tmp_path: Path) -> None:
    base, head = small_model(tmp_path / "b"), small_model(tmp_path / "h", width=5)
    names = ("one", "two")
    models = [word for name in names for word in ("--model", f"{name}={head}", "--base-model", f"{name}={base}")]
    arguments = ("report", *models, "--out", tmp_path / "o", "--gate", "params <= +0", *NOW)
    assert call(*arguments).code == 1
    accepted = tmp_path / "accepted.toml"
    accepted.write_text(call("accept", tmp_path / "o", *SAID).out)
    assert [each.glob for each in read_acknowledged(str(accepted))] == [*names]
    assert call("accept", tmp_path / "o", *SAID, "--model", "two").out.count('model = "two"') == 1
    assert call("accept", tmp_path / "o", *SAID, "--model", "on").error == (
        '--model: no model is called "on"; did you mean one?'
    )
    assert call(*arguments, "--acknowledged", accepted).code == 0


@pytest.mark.thorough
def test_gates_on_scopes_are_accepted_with_the_figures_of_the_tables(tmp_path: Path) -> None:
    rules, accepted = tmp_path / "rules.toml", tmp_path / "accepted.toml"
    rules.write_text('gates = [{ gate = "params == +0", scope = "**" }, { gate = "bytes <= +0", node = "**" }]')
    assert diff(tmp_path, "--config", rules).code == 1
    accepted.write_text(call("accept", tmp_path / "o", *SAID).out)
    assert diff(tmp_path, "--config", rules, "--acknowledged", accepted).code == 0


def test_where_nothing_failed_nothing_is_printed(tmp_path: Path) -> None:
    assert diff(tmp_path, gate="params <= +50%").code == 0
    outcome = call("accept", tmp_path / "o", *SAID)
    assert (outcome.code, outcome.out) == (0, "")
    assert outcome.error == f"{tmp_path / 'o'}: no gate failed, so there is nothing to accept"


def test_where_nothing_was_judged_it_says_so(tmp_path: Path) -> None:
    assert call("report", small_model(tmp_path / "m"), "--out", tmp_path / "o").code == 0
    outcome = call("accept", tmp_path / "o", *SAID)
    assert (outcome.code, outcome.out) == (0, "")
    assert outcome.error == f"{tmp_path / 'o'}: nothing was judged, so there is nothing to accept"


def test_a_budget_is_named_and_not_accepted(tmp_path: Path) -> None:
    assert diff(tmp_path, gate="params <= 4").code == 1
    outcome = call("accept", tmp_path / "o", *SAID)
    assert (outcome.code, outcome.out) == (0, "")
    assert outcome.error == 'gate "params <= 4" cannot be accepted: a budget does not depend on base; change the gate'


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "cannot be read (No such file or directory)"),
        ("{", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("[]", f"verdict_version is not {VERSION}"),
        ('{"verdict_version": 1}', f"verdict_version is not {VERSION}"),
        (f'{{"verdict_version": {VERSION}}}', "holds something else than this version writes"),
        (
            f'{{"verdict_version": {VERSION}, "models": [{{"name": "\\ud800"}}]}}',
            "holds something else than this version writes",
        ),
    ],
)
def test_a_folder_without_a_verdict_of_this_version_is_one_line(tmp_path: Path, content: str | None, said: str) -> None:
    if content is not None:
        (tmp_path / "verdict.json").write_text(content)
    outcome = call("accept", tmp_path, *SAID)
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.error == f"{tmp_path / 'verdict.json'}: {said}; give the folder of a report that this version wrote"


def test_a_gate_that_is_none_is_no_content_of_this_version(tmp_path: Path) -> None:
    diff(tmp_path)
    file = tmp_path / "o" / "verdict.json"
    verdict: Any = json.loads(file.read_text())
    verdict["gates"][0]["gate"] = "params"
    file.write_text(json.dumps(verdict))
    outcome = call("accept", tmp_path / "o", *SAID)
    assert outcome.code == 3
    assert "holds something else than this version writes" in outcome.error


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--reason", " \n", "--reason: is empty, or not text; say why, in a sentence"),
        ("--reason", "\udcff", '--reason: "\\xff" is not UTF-8; give it in UTF-8'),
        ("--expires", "20300131", '--expires: "20300131" is not a date; write it as 2027-01-31'),
        ("--expires", "soon", '--expires: "soon" is not a date; write it as 2027-01-31'),
        (
            "--model",
            "one",
            '--model: no model is called "one"; leave it out: the report is of one model without a label',
        ),
    ],
)
def test_what_is_said_wrong_is_a_usage_error(tmp_path: Path, option: str, value: str, said: str) -> None:
    diff(tmp_path)
    given = {**dict(zip(SAID[::2], SAID[1::2], strict=True)), option: value}
    outcome = call("accept", tmp_path / "o", *(word for pair in given.items() for word in pair))
    assert (outcome.code, outcome.error) == (2, said)
