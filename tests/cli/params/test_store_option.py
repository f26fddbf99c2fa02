"""Drift gates from the command line: --store, --ancestors, --tags and --store-model, and what every output says."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from command import Outcome, call
from histories import Repository, write_state

from tfprof_report.report import find_references

WIDE = {"widths": {"encoder": 24, "decoder": 8}}


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """Four commits, one a day, of which the third has no report and the first two are tagged; the last adds a layer.

    The files of the last one are in `top`/model, as those of the measured commit.
    """
    made = Repository(tmp_path_factory.mktemp("drift"))
    made.commit()
    made.commit()
    made.commit(report=None)
    made.commit(report=None, **WIDE)
    made.tag("v1.0", made.commits[0])
    made.tag("v1.1", made.commits[2])
    write_state(made.top / "model", made.state, made.noise)
    (made.top / "ancestors").write_text(made.git("rev-list", "--timestamp", "--no-commit-header", "HEAD"))
    (made.top / "tags").write_text(made.git("show-ref", "--tags", "--dereference"))
    return made


def options(made: Repository, out: Path, *, model: str = "net") -> list[object]:
    lists = ["--ancestors", made.top / "ancestors", "--tags", made.top / "tags", "--store-model", model]
    return ["--out", out, "--commit", made.commits[-1], "--config", "none", "--store", made.store, *lists]


def swapped(given: list[object], others: Mapping[object, object]) -> list[object]:
    """Return options with other values in place of some."""
    return [others.get(each, each) for each in given]


def report(made: Repository, out: Path, *more: object, gates: Sequence[str]) -> Outcome:
    written = [word for gate in gates for word in ("--gate", gate)]
    return call("report", made.top / "model", *options(made, out), *written, *more)


def gates_in(out: Path) -> list[Any]:
    content: list[Any] = json.loads((out / "verdict.json").read_bytes())["gates"]
    return content


@pytest.mark.thorough
def test_every_output_says_since_what_and_how_far_back(tmp_path: Path, repository: Repository) -> None:
    files = [word for name in ("comment", "junit", "summary") for word in (f"--{name}", tmp_path / name)]
    outcome = report(repository, tmp_path / "o", *files, "--annotations", "github", gates=["params <= +2% since v1.1"])
    commit = repository.commits[1]
    words = f"since v1.1 (commit {commit[:12]}, 1 commit before it, 2 commits back, 2 days old)"
    assert outcome.code == 1
    assert f"640 -> 960 (+320, +50.00 %), allowed at most 652.8, {words}" in outcome.out
    assert "::error title=params <= +2%25 since v1.1::640 -> 960" in outcome.out
    assert words in outcome.out.split("::error")[1]
    for name in ("o/report.html", "o/report.md", "o/summary.json", "comment", "summary", "junit"):
        text = (tmp_path / name).read_text()
        assert "params &lt;= +2% since v1.1" in text or "params <= +2% since v1.1" in text, name
        assert commit[:12] in text
        assert "2 commits back, 2 days old" in text, name
    (gate,) = gates_in(tmp_path / "o")
    assert gate["reference"] == {
        "words": words,
        "report": f"net/{next((repository.store / 'net').glob(f'{commit}*')).name}",
        "commit": commit,
        "commits_back": 2,
        "age_seconds": 2 * 86_400,
    }


@pytest.mark.thorough
def test_gates_on_rows_read_the_report_and_are_explained(tmp_path: Path, repository: Repository) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text(
        f"""gates = [{{ gate = "params <= +2%", scope = "*", since = "v1.0" }}]
        [drift]
        store = "{repository.store}"
        ancestors = "{repository.top}/ancestors"
        tags = "{repository.top}/tags"
        """
    )
    named = ("--commit", repository.commits[-1], "--label", "net", "--config", rules)
    outcome = call("report", repository.top / "model", "--out", tmp_path / "o", *named, "--explain", "decoder")
    words = f"since v1.0 (commit {repository.commits[0][:12]}, 3 commits back, 3 days old)"
    assert outcome.code == 1
    assert "params <= +2% since v1.0 (scope *): 2 of 3 scopes fail, the worst encoder: 512 -> 768" in outcome.out
    assert f"failed: 128 -> 192 (+64, +50.00 %), allowed at most 130.56, {words}" in outcome.out
    accepted = call("accept", tmp_path / "o", "--reason", "wider", "--expires", "2099-01-01")
    (tmp_path / "accepted.toml").write_text(accepted.out)
    assert 'node = "encoder/**"' in accepted.out
    held = call(
        *("report", repository.top / "model", "--out", tmp_path / "p", *named),
        *("--acknowledged", tmp_path / "accepted.toml"),
    )
    assert (held.code, gates_in(tmp_path / "p")[0]["status"]) == (0, "acknowledged")


@pytest.mark.thorough
def test_an_accepted_total_holds(tmp_path: Path, repository: Repository) -> None:
    assert report(repository, tmp_path / "o", gates=["params <= +2% against best"]).code == 1
    accepted = call("accept", tmp_path / "o", "--reason", "wider", "--expires", "2099-01-01")
    (tmp_path / "a.toml").write_text(accepted.out)
    held = report(
        repository, tmp_path / "p", "--acknowledged", tmp_path / "a.toml", gates=["params <= +2% against best"]
    )
    assert held.code == 0
    assert "acknowledged until 2099-01-01: wider, against best (" in gates_in(tmp_path / "p")[0]["text"]


def test_diff_judges_drift_beside_its_base(tmp_path: Path, repository: Repository) -> None:
    model = repository.top / "model"
    gates = ["--gate", "params == +0", "--gate", "params <= +2% since v1.0"]
    assert call("diff", model, model, *options(repository, tmp_path / "o"), *gates).code == 1
    assert [(gate["status"], gate["reference"] is None) for gate in gates_in(tmp_path / "o")] == [
        ("passed", True),
        ("failed", False),
    ]


def test_each_of_several_models_has_its_own_name_in_the_store(tmp_path: Path, repository: Repository) -> None:
    given = options(repository, tmp_path / "o")[:-2]
    models = ["--model", f"net={repository.top / 'model'}", "--model", f"other={repository.top / 'model'}"]
    outcome = call("report", *models, *given, "--gate", "params <= +2% since v1.0")
    assert outcome.code == 1
    verdict = json.loads((tmp_path / "o" / "verdict.json").read_bytes())
    assert [model["gates"][0]["status"] for model in verdict["models"]] == ["failed", "no reference"]
    assert verdict["models"][1]["gates"][0]["text"] == "the store holds no report of the model other"
    wrong = call("report", *models, *given, "--store-model", "net", "--gate", "params <= +2% since v1.0")
    assert (wrong.code, wrong.error) == (
        2,
        "--store-model: names one model, --model names several; leave it out: each has its own name there",
    )


def test_a_report_in_a_folder_needs_no_store(tmp_path: Path, repository: Repository) -> None:
    pinned = next(path for path in (repository.store / "net").iterdir() if path.name.startswith(repository.commits[0]))
    shutil.copytree(pinned, tmp_path / "pinned")
    rules = tmp_path / "rules.toml"
    rules.write_text('gates = [{ gate = "params <= +2%", against = "pinned" }]')
    given = (
        "report",
        repository.top / "model",
        "--out",
        tmp_path / "o",
        "--config",
        rules,
        "--timestamp",
        "2024-01-09",
    )
    assert call(*given).code == 1
    reference = gates_in(tmp_path / "o")[0]["reference"]
    assert reference["words"] == f"against pinned (commit {repository.commits[0][:12]}, 7 days old)"
    (tmp_path / "pinned" / "nodes.parquet").write_bytes(b"")
    outcome = call(*given)
    assert outcome.code == 4
    where = f'{rules}, gate 1 "params <= +2% against pinned": {tmp_path}/pinned/nodes.parquet'
    assert outcome.err.splitlines()[-1].startswith(f"tfprof-report: {where}: is not the file that summary.json lists")


def test_a_pruned_report_has_totals_only(
    tmp_path: Path, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = find_references.read_index

    def pruned(*where: Any) -> Any:
        return replace(read(*where), held=frozenset())

    monkeypatch.setattr(find_references, "read_index", pruned)
    rules = tmp_path / "rules.toml"
    rules.write_text('gates = ["params <= +60% since v1.0", { gate = "params <= +60%", op = "*", since = "v1.0" }]')
    given = [rules if each == "none" else each for each in options(repository, tmp_path / "o")]
    assert call("report", repository.top / "model", *given).code == 0
    total, rows = gates_in(tmp_path / "o")
    assert (total["status"], rows["status"]) == ("passed", "no reference")
    assert rows["text"] == f"the report of commit {repository.commits[0][:12]} was pruned, only its totals are kept"


@pytest.mark.parametrize(
    ("left_out", "words"),
    [
        ("--store", "the report that it is relative to is in a store, and none is named; give --store STORE and --anc"),
        ("--ancestors", "the commits that lead to this report are not known; give --ancestors FILE; write it with git"),
        ("--tags", "v1.0 is no tag, no commit and no age; tags are read from --tags FILE"),
        ("--store-model", "the model has no name by which to find it in the store; give --store-model NAME or --label"),
    ],
)
def test_an_option_that_a_drift_gate_needs_is_named(
    tmp_path: Path, repository: Repository, left_out: str, words: str
) -> None:
    given = options(repository, tmp_path / "o")
    at = given.index(left_out)
    outcome = call("report", "none", *given[:at], *given[at + 2 :], "--gate", "params <= +2% since v1.0")
    assert outcome.code == 2
    assert outcome.error.startswith(f'--gate "params <= +2% since v1.0": {words}')


def test_a_store_or_report_that_cannot_be_read_ends_with_its_own_code(tmp_path: Path, repository: Repository) -> None:
    file = tmp_path / "file"
    file.write_text("")
    given = [file if each == repository.store else each for each in options(repository, tmp_path / "o")]
    outcome = call("report", repository.top / "model", *given, "--gate", "params <= +2% since v1.0")
    assert outcome.code == 4
    assert outcome.err.splitlines()[-1].startswith(f"tfprof-report: {file} (STORE): cannot be read (Not a directory)")
    shutil.copytree(repository.store, tmp_path / "store")
    for damaged in (tmp_path / "store" / "net").glob(f"{repository.commits[0]}*"):
        (damaged / "nodes.parquet").write_bytes(b"")
    rules = tmp_path / "rules.toml"
    rules.write_text('gates = [{ gate = "params <= +60%", op = "*", since = "v1.0" }]')
    given = swapped(options(repository, tmp_path / "o"), {repository.store: tmp_path / "store", "none": rules})
    outcome = call("report", repository.top / "model", *given)
    assert outcome.code == 4
    assert "gate 1 " in outcome.err.splitlines()[-1]
    assert "nodes.parquet: is not the file that summary.json lists" in outcome.err.splitlines()[-1]


def test_damaged_reports_beside_the_reference_are_passed_over(tmp_path: Path, repository: Repository) -> None:
    shutil.copytree(repository.store, tmp_path / "store")
    for damaged in (tmp_path / "store" / "net").glob(f"{repository.commits[1]}*"):
        (damaged / "summary.json").write_bytes(b"{}")
    shutil.rmtree(tmp_path / "store" / "index")  # which has the totals of reports that were damaged later
    given = swapped(options(repository, tmp_path / "o"), {repository.store: tmp_path / "store"})
    outcome = call("report", repository.top / "model", *given, "--gate", "params <= +60% since v1.1")
    assert outcome.code == 0
    assert "warning: 1 report passed over, damaged, such as" in outcome.err
    assert gates_in(tmp_path / "o")[0]["reference"]["commit"] == repository.commits[0]
