"""A missing baseline, and one that is too old: messages and exit codes; the verdict is never OK."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import WHEN, Outcome, call, small_model, summary_of, write_report

RELATIVE = ("--gate", "params <= +0")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_model(tmp_path_factory.mktemp("model"))


def report(model: Path, out: Path, *arguments: object) -> Outcome:
    return call("report", model, "--out", out, "--timestamp", WHEN, *arguments)


@pytest.mark.parametrize("word", ["warn", "ok"])
def test_a_first_run_is_reported_and_called_neither_ok_nor_failed(tmp_path: Path, model: Path, word: str) -> None:
    nosuch = tmp_path / "nosuch"
    outcome = report(model, tmp_path / "o", "--baseline", nosuch, "--baseline-missing", word, *RELATIVE)
    assert outcome.code == 0
    assert outcome.out.splitlines()[-1].startswith("NO BASELINE: ")
    warning = f"tfprof-report: warning: {nosuch}: there is no baseline, the report is without one\n"
    assert (warning in outcome.err) == (word == "warn")
    assert summary_of(tmp_path / "o")["verdict"]["outcome"] == "no baseline"
    assert json.loads((tmp_path / "o" / "verdict.json").read_text())["status"] == "no baseline"
    assert "NO BASELINE" in (tmp_path / "o" / "report.html").read_text()
    assert "NO BASELINE" in (tmp_path / "o" / "report.md").read_text()


def test_a_budget_fails_without_a_baseline_too(tmp_path: Path, model: Path) -> None:
    allowed = ("--baseline", tmp_path / "nosuch", "--baseline-missing", "ok")
    outcome = report(model, tmp_path / "o", *allowed, *RELATIVE, "--gate", "params <= 11")
    assert outcome.code == 1
    assert outcome.out.splitlines()[-1].startswith("FAILED: params <= 11: ")


def test_a_missing_baseline_fails_unless_told_otherwise(tmp_path: Path, model: Path) -> None:
    for word in ((), ("--baseline-missing", "fail")):
        outcome = report(model, tmp_path / "o", "--baseline", tmp_path / "nosuch", *word)
        assert (outcome.code, outcome.out) == (4, "")
    assert not (tmp_path / "o").exists()


def test_a_baseline_that_is_there_and_cannot_be_used_is_no_missing_one(tmp_path: Path, model: Path) -> None:
    broken = write_report(model, tmp_path / "broken")
    (broken / "nodes.parquet").unlink()
    (tmp_path / "empty").mkdir()
    for base in (broken, tmp_path / "empty"):
        for word in ("ok", "warn"):
            outcome = report(model, tmp_path / "o", "--baseline", base, "--baseline-missing", word)
            assert outcome.code == 4, base
    unset = report(model, tmp_path / "o", "--baseline", "", "--baseline-missing", "ok")
    assert (unset.code, unset.error) == (2, "--baseline: the value is empty; is a variable unset?")


def test_a_problem_of_head_comes_first(tmp_path: Path) -> None:
    allowed = ("--baseline", tmp_path / "nosuch", "--baseline-missing", "ok")
    assert report(tmp_path / "nomodel", tmp_path / "o", *allowed).code == 3


def test_files_of_a_base_that_are_named_one_by_one_may_be_missing_too(tmp_path: Path, model: Path) -> None:
    for arguments in (
        ("report", model, "--base-graph", tmp_path / "nosuch"),
        ("diff", tmp_path / "nosuch", model),
        ("diff", "--base-profile", tmp_path / "nosuch", "--head-graph", model / "graph.pb"),
    ):
        outcome = call(*arguments, "--out", tmp_path / "o", "--baseline-missing", "ok")
        assert outcome.code == 0, outcome
        assert outcome.out.splitlines()[-1].startswith("NO BASELINE: ")


def test_of_several_models_each_may_be_without_a_baseline(tmp_path: Path, model: Path) -> None:
    models = ("--model", f"one={model}", "--model", f"two={model}", "--baseline-missing", "warn", *RELATIVE)
    bases = ("--base-model", f"one={model}", "--base-model", f"two={tmp_path / 'nosuch'}")
    outcome = call("report", *models, *bases, "--out", tmp_path / "o")
    assert outcome.code == 0, outcome
    assert outcome.out.splitlines()[-1] == "NO BASELINE: nothing failed in 2 models; without a baseline: two."
    assert f"two: warning: {tmp_path / 'nosuch'}: there is no baseline, the report is without one" in outcome.err
    outcome = call("report", *models, "--baseline", tmp_path / "nosuch", "--out", tmp_path / "o")
    assert outcome.code == 0
    assert outcome.out.splitlines()[-1] == "NO BASELINE: nothing failed in 2 models; without a baseline: one, two."


def aged(tmp_path: Path, model: Path, time: str) -> Path:
    out = tmp_path / "base"
    assert call("report", model, "--out", out, "--timestamp", time).code == 0
    return out


@pytest.mark.parametrize(
    ("time", "age", "problem"),
    [
        ("2024-04-02T08:30:00Z", "30d", None),
        ("2024-04-02T08:29:59Z", "30d", "is 30 days old, 30 days are allowed; give a newer one"),
        ("2024-03-02T08:30:00Z", "4w", "is 61 days old, 28 days are allowed; give a newer one"),
        ("2024-05-02T06:00:00+02:00", "4h", "is 4 hours old, 4 hours are allowed; give a newer one"),
        ("2024-05-09T08:30:00Z", "0d", None),  # the clock of the baseline was ahead
        (
            "nightly 7",
            "30d",
            'its time, "nightly 7", is not a date, so its age is unknown; write its report without --timestamp',
        ),
    ],
)
def test_a_baseline_may_be_too_old(tmp_path: Path, model: Path, time: str, age: str, problem: str | None) -> None:
    base = aged(tmp_path, model, time)
    outcome = report(model, tmp_path / "o", "--baseline", base, "--max-baseline-age", age, "--baseline-missing", "ok")
    if problem is None:
        assert outcome.code == 0
    else:
        assert outcome.code == 4
        assert outcome.err.splitlines()[-1] == f"tfprof-report: {base} (--max-baseline-age): {problem}"
        assert not (tmp_path / "o").exists()


def test_files_have_no_age(tmp_path: Path, model: Path) -> None:
    assert report(model, tmp_path / "o", "--baseline", model, "--max-baseline-age", "0h").code == 0


def test_what_is_no_age_is_a_usage_error(tmp_path: Path, model: Path) -> None:
    outcome = report(model, tmp_path / "o", "--baseline", model, "--max-baseline-age", "a month")
    assert outcome.code == 2
    assert outcome.error == '--max-baseline-age "a month": is not an age; write 30d, 12h or 4w'


def test_base_equal_to_head_is_said_on_standard_error_and_on_every_page(tmp_path: Path, model: Path) -> None:
    base = write_report(model, tmp_path / "base", "--commit", "a" * 40)
    outcome = report(model, tmp_path / "o", "--baseline", base, "--commit", "b" * 40)
    words = "base and head are the same files: this compares a model with itself"
    assert f"tfprof-report: warning: {words}\n" in outcome.err
    for name in ("report.html", "report.md"):
        assert f"B{words[1:]}" in (tmp_path / "o" / name).read_text()
    assert "same_sides" in {found["code"] for found in summary_of(tmp_path / "o")["diagnostics"]}
    wider = small_model(tmp_path / "w", width=5)
    outcome = report(wider, tmp_path / "o", "--baseline", base, "--commit", "a" * 40)
    assert "warning: base and head are the same commit: this compares it with itself\n" in outcome.err
    # as a baseline, the report of a comparison means its head
    assert "same" not in report(tmp_path / "o", tmp_path / "again").err
    assert "same_sides" not in {found["code"] for found in summary_of(tmp_path / "again")["diagnostics"]}


def test_both_sides_are_named_by_label_commit_and_digest_on_every_page(tmp_path: Path, model: Path) -> None:
    base = write_report(model, tmp_path / "base", "--label", "old", "--commit", "a" * 40, "--branch", "main")
    wider = small_model(tmp_path / "w", width=5)
    assert "Base  " not in report(wider, tmp_path / "o").out
    outcome = report(wider, tmp_path / "o", "--baseline", base, "--label", "new", "--commit", "b" * 40)
    age = "less than an hour old"  # both reports have the same timestamp
    verdict = json.loads((tmp_path / "o" / "verdict.json").read_text())
    digests = [verdict[side]["digest"][:12] for side in ("base", "head")]
    assert outcome.out.splitlines()[-3:-1] == [
        f"Base      old, branch main, commit aaaaaaaaaaaa, {age}, digest of inputs {digests[0]}",
        f"Head      new, commit bbbbbbbbbbbb, digest of inputs {digests[1]}",
    ]
    models = ("--model", f"m={wider}", "--base-model", f"m={base}", "--commit", "b" * 40)
    assert call("report", *models, "--out", tmp_path / "all").code == 0
    pages = [tmp_path / folder / f"report.{kind}" for folder in ("o", "all", "all/m") for kind in ("html", "md")]
    for page in pages:
        text = page.read_text()
        words = ["old", "aaaaaaaaaaaa", "bbbbbbbbbbbb", *digests]
        assert [word for word in words if word not in text] == [], page
