"""Gates and rules files of a batch: those of all entries, of a model, of an entry."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from batches import Running, rows_of, write_models
from command import call

RULES = """\
[defaults]
rules = "loose.toml"
options = { gate = ["params <= 5"] }

[[entry]]
inputs = "runs/m000"

[[entry]]
inputs = "runs/m001"
rules = "strict.toml"

[[entry]]
inputs = "runs/m002"
rules = "none"
base = "runs/m001"
options = { gate = ["float_ops <= +0"] }

[[entry]]
model = "x"
inputs = "runs/m003"
[entry.matrix]
rules = ["strict.toml", "loose.toml"]
"""


@pytest.fixture(autouse=True)
def _there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Write four models of 4 to 7 nodes, and a rules file each that holds for all of them and for none."""
    monkeypatch.chdir(tmp_path)
    write_models(tmp_path / "runs", 4)
    Path("loose.toml").write_text('gates = ["definition_count <= 100"]\n')
    Path("strict.toml").write_text('gates = ["definition_count <= 3"]\n')


def planned(*arguments: object) -> dict[str, list[str]]:
    """Return the words of each command line that are about rules and gates, and labels."""
    done = call("batch", *arguments, "--out", "out", "--dry-run")
    assert done.code == 0, done
    rows = [line.split("\t") for line in done.out.splitlines()]
    about = ("--config", "--gate", "--label", "--baseline")
    return {name: [word for word in shlex.split(line) if word.startswith(about)] for name, _, line in rows}


def test_each_entry_has_its_own_rules_file_gates_and_base() -> None:
    Path("m.toml").write_text(RULES)
    assert planned("m.toml", "--gate", "definition_count >= 2", "--gate", "m002: params <= 7") == {
        "m000": ["--config=loose.toml", "--gate=params <= 5", "--gate=definition_count >= 2"],
        "m001": ["--config=strict.toml", "--gate=params <= 5", "--gate=definition_count >= 2"],
        "m002": [
            *("--baseline=runs/m001", "--config=none", "--gate=float_ops <= +0"),
            *("--gate=definition_count >= 2", "--gate=params <= 7"),
        ],
        "x-rules-strict.toml": ["--config=strict.toml", "--gate=params <= 5", "--gate=definition_count >= 2"],
        "x-rules-loose.toml": ["--config=loose.toml", "--gate=params <= 5", "--gate=definition_count >= 2"],
    }


def test_a_gate_of_no_model_is_refused() -> None:
    outcome = call("batch", "runs/*", "--out", "out", "--gate", "m9: params <= 7")
    assert (outcome.code, outcome.error) == (
        2,
        '--gate "m9: params <= 7": "m9" is not known; choose from m000, m001, m002, m003',
    )


def test_gates_of_named_models_and_drift_gates_find_the_name_of_the_entry() -> None:
    Path("named.toml").write_text('gates = [{ gate = "params <= 5", model = "m00[01]" }]\n')
    assert planned("runs/m000", "--config", "named.toml") == {"m000": ["--config=named.toml", "--label=m000"]}
    Path("m.toml").write_text(
        '[defaults]\nrules = "none"\n'
        '[[entry]]\ninputs = "runs/m000"\noptions = { store = "s", ancestors = "a" }\n'
        '[[entry]]\ninputs = "runs/m001"\noptions = { store = "s", ancestors = "a", store_model = "net" }\n'
        '[[entry]]\ninputs = "runs/m002"\noptions = { store = "s", ancestors = "a", label = "net" }\n'
    )
    assert planned("m.toml") == {
        "m000": ["--config=none", "--label=m000"],
        "m001": ["--config=none"],
        "m002": ["--config=none", "--label=net"],
    }


@pytest.mark.thorough
def test_the_exit_code_is_the_worst_of_all(tmp_path: Path) -> None:
    Path("m.toml").write_text(RULES)
    code, _, _ = Running(tmp_path, "m.toml", "--out", "out", "--jobs", 2, "--gate", "definition_count >= 2").end()
    assert code == 1
    assert {name: (row["exit_code"], row["verdict"]) for name, row in rows_of(tmp_path / "out").items()} == {
        "m000": (0, "ok"),
        "m001": (1, "failed"),
        "m002": (1, "failed"),
        "x-rules-strict.toml": (1, "failed"),
        "x-rules-loose.toml": (0, "ok"),
    }
