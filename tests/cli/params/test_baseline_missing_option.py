"""A missing baseline, and one that is too old: messages and exit codes; the verdict is never OK."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from command import WHEN, Outcome, call, small_model, summary_of, write_report
from examples import every

from tfprof_report.schema.metrics import COUNTING_VERSION, SCHEMA_VERSION

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
    words = f"NO BASELINE: {nosuch}: there is no baseline, the report is without one"
    assert outcome.err.count(f"tfprof-report: warning: {words}\n") == (word == "warn")
    found = {each["code"]: each["text"] for each in summary_of(tmp_path / "o")["diagnostics"]}
    assert found.get("no_baseline") == (words if word == "warn" else None)
    assert summary_of(tmp_path / "o")["verdict"]["outcome"] == "no baseline"
    assert json.loads((tmp_path / "o" / "verdict.json").read_text())["status"] == "no baseline"
    for name in ("report.html", "report.md"):
        assert "Not compared: there is no baseline" in (tmp_path / "o" / name).read_text()


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


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("s3://KEY:SECRET@bucket/base", "s3://bucket/base: the URL has credentials in it"),
        ("gs://bucket/base?x=y", "gs://bucket: cannot be opened (Unexpected query parameter"),
        ("https://host/base", "https://host/base: no files are read from there"),
    ],
)
def test_a_url_that_is_not_read_is_no_first_run(tmp_path: Path, model: Path, url: str, words: str) -> None:
    several = ["report", "--model", f"a={model}"]
    reports = [["report", model, "--baseline", url], [*several, "--baseline", url]]
    reports += [[*several, "--base-model", f"a={url}"]]
    commands = [[*each, "--baseline-missing", word] for each in reports for word in ("fail", "warn", "ok")]
    for command in (*commands, ["diff", url, model]):
        outcome = call(*command, "--out", tmp_path / "o")
        assert (outcome.code, outcome.error.startswith(words)) == (2, True), (command, outcome)
    assert not (tmp_path / "o").exists()


def _emptied(base: Path) -> None:
    (base / "summary.json").unlink()
    (base / "summary.json").mkdir()


def _looped(base: Path) -> None:
    (base / "nodes.parquet").unlink()
    (base / "nodes.parquet").symlink_to("nodes.parquet")


def _incomplete(base: Path) -> None:
    (base / "nodes.parquet").unlink()


def _rewritten(base: Path, old: str, new: str) -> None:
    summary = base / "summary.json"
    assert old in summary.read_text()
    summary.write_text(summary.read_text().replace(old, new))


UNUSABLE: dict[str, tuple[Callable[[Path], object], str]] = {
    "incomplete": (_incomplete, "nodes.parquet: cannot be read (No such file or directory)"),
    "no report": (lambda base: (base / "summary.json").write_text("[]"), "summary.json: is not the summary of a"),
    "other schema": (
        lambda base: _rewritten(base, f'"schema_version": {SCHEMA_VERSION}', '"schema_version": 1'),
        "summary.json: was written with schema version 1, this version reads",
    ),
    "other options": (
        lambda base: _rewritten(base, '"cond": "max"', '"cond": "sum"'),
        "was written with another --functions, --cond or --loops than head",
    ),
    "too old": (
        lambda base: _rewritten(base, WHEN, "2023-05-02T08:30:00Z"),
        "(--max-baseline-age): is 366 days old, 30 days are allowed",
    ),
    "a loop of links": (_looped, "cannot be read (Too many levels of symbolic links)"),
    "nothing in it": (_emptied, "the folder holds no graph.pb, graph.pbtxt, saved_model.pb or trace"),
}


@pytest.mark.parametrize("how", every(3, UNUSABLE))
def test_a_baseline_that_cannot_be_used_prevents_no_report_where_it_may_be_missing(
    tmp_path: Path, model: Path, how: str
) -> None:
    base = write_report(model, tmp_path / "base")
    damage, words = UNUSABLE[how]
    damage(base)
    age = ("--max-baseline-age", "30d", *RELATIVE)
    for word in ((), ("--baseline-missing", "ok")):  # it is not missing
        outcome = report(model, tmp_path / "o", "--baseline", base, *word, *age)
        assert (outcome.code, outcome.out, words in outcome.err) == (4, "", True), outcome
        assert not (tmp_path / "o").exists()
    warn = ("--baseline", base, "--baseline-missing", "warn")
    outcome = report(model, tmp_path / "o", *warn, *age)
    assert (outcome.code, outcome.out.splitlines()[-1][:12]) == (0, "NO BASELINE:"), outcome
    assert outcome.err.count("NO BASELINE") == 1
    assert words in outcome.err
    for name in ("report.html", "report.md"):
        assert f"NO BASELINE: {base}" in re.sub(r"[`\\]|<wbr>", "", (tmp_path / "o" / name).read_text())
    assert report(model, tmp_path / "o", *warn, *age, "--gate", "params <= 11").code == 1  # a budget needs none
    assert report(tmp_path / "nomodel", tmp_path / "x", *warn).code == 3
    again = report(tmp_path / "o", tmp_path / "again")  # as head, the report has no missing baseline
    assert "NO BASELINE" not in again.err


@pytest.mark.thorough
def test_figures_that_mean_something_else_are_neither_equal_nor_a_change(tmp_path: Path, model: Path) -> None:
    base = write_report(model, tmp_path / "base")
    _rewritten(base, f'"counting_version": {COUNTING_VERSION}', '"counting_version": 1')
    outcome = report(model, tmp_path / "o", "--baseline", base, *RELATIVE, "--gate", "bytes <= +1%")
    assert outcome.code == 5
    assert outcome.out.count(f"base was counted by counting version 1, head by {COUNTING_VERSION}") == 2
    words = "was counted by another version of the tool"
    assert words in outcome.err
    page = (tmp_path / "o" / "report.md").read_text()
    assert page.count(words) >= 3
    assert "equal in every figure" not in page
    outcome = report(model, tmp_path / "o", "--baseline", base, *RELATIVE, "--baseline-missing", "warn")
    assert (outcome.code, f"NO BASELINE: {base}: {words}" in outcome.err) == (0, True)


@pytest.mark.thorough
def test_an_unusable_baseline_of_several_models_is_said_once(tmp_path: Path, model: Path) -> None:
    models = ("--model", f"one={model}", "--model", f"two={model}", "--out", tmp_path / "o", *RELATIVE)
    base = tmp_path / "base"
    assert call("report", *models, "--model", f"old={model}", "--out", base).code in (0, 2)
    assert call("report", "--model", f"one={model}", "--model", f"old={model}", "--out", base).code == 0
    (base / "one" / "nodes.parquet").unlink()
    (base / "old" / "nodes.parquet").unlink()
    assert call("report", *models, "--baseline", base).code == 4
    assert not (tmp_path / "o").exists()
    outcome = call("report", *models, "--baseline", base, "--baseline-missing", "warn")
    verdict = json.loads((tmp_path / "o" / "verdict.json").read_text())
    assert [(each["name"], each["presence"], each["status"]) for each in verdict["models"]] == [
        ("one", "reported", "no baseline"),
        ("two", "new", "inconclusive"),
    ]
    assert f"warning: --base-model old: {base}/old/nodes.parquet: cannot be read" in outcome.err
    _rewritten(base, f'"schema_version": {SCHEMA_VERSION}', '"schema_version": 1')
    assert call("report", *models, "--baseline", base, "--baseline-missing", "ok").code == 4
    outcome = call("report", *models, "--baseline", base, "--baseline-missing", "warn")
    assert (outcome.code, outcome.err.count("NO BASELINE")) == (0, 1)
    assert outcome.out.splitlines()[-1] == "NO BASELINE: nothing failed in 2 models; without a baseline: one, two."
    for folder in ("", "one", "two"):
        assert "was written with schema version 1" in (tmp_path / "o" / folder / "report.md").read_text()


def test_an_empty_name_of_a_baseline_is_a_usage_error(tmp_path: Path, model: Path) -> None:
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


@pytest.mark.thorough
def test_of_several_models_each_may_be_without_a_baseline(tmp_path: Path, model: Path) -> None:
    models = ("--model", f"one={model}", "--model", f"two={model}", "--baseline-missing", "warn", *RELATIVE)
    bases = ("--base-model", f"one={model}", "--base-model", f"two={tmp_path / 'nosuch'}")
    outcome = call("report", *models, *bases, "--out", tmp_path / "o")
    assert outcome.code == 0, outcome
    assert outcome.out.splitlines()[-1] == "NO BASELINE: nothing failed in 2 models; without a baseline: two."
    assert (
        f"two: warning: NO BASELINE: {tmp_path / 'nosuch'}: there is no baseline, the report is without one"
        in outcome.err
    )
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


@pytest.mark.thorough
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


@pytest.mark.thorough
def test_both_sides_are_named_by_label_commit_and_digest_on_every_page(tmp_path: Path, model: Path) -> None:
    base = write_report(model, tmp_path / "base", "--label", "old", "--commit", "a" * 40, "--branch", "main")
    wider = small_model(tmp_path / "w", width=5)
    assert "Base  " not in report(wider, tmp_path / "o").out
    outcome = report(wider, tmp_path / "o", "--baseline", base, "--label", "new", "--commit", "b" * 40)
    age = "less than an hour old"  # both reports have the same timestamp
    verdict = json.loads((tmp_path / "o" / "verdict.json").read_text())
    digests = [verdict[side]["digest"][:12] for side in ("base", "head")]
    assert outcome.out.splitlines()[-3:-1] == [
        f"Base      old, branch main, commit aaaaaaaaaaaa, {age}, fingerprint of inputs {digests[0]}",
        f"Head      new, commit bbbbbbbbbbbb, fingerprint of inputs {digests[1]}",
    ]
    models = ("--model", f"m={wider}", "--base-model", f"m={base}", "--commit", "b" * 40)
    assert call("report", *models, "--out", tmp_path / "all").code == 0
    pages = [tmp_path / folder / f"report.{kind}" for folder in ("o", "all", "all/m") for kind in ("html", "md")]
    for page in pages:
        text = page.read_text()
        words = ["old", "aaaaaaaaaaaa", "bbbbbbbbbbbb", *digests]
        assert [word for word in words if word not in text] == [], page
