"""`baseline pick --json` handed to a report: how far back and how old the baseline is, on every page and as data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import Outcome, call, contents, small_model, summary_of

COMMIT = "3f2a1bc84de1" + "0" * 28
MADE, NOW = "2024-05-02T08:30:00Z", "2024-05-25T09:30:00Z"
SECONDS = 23 * 86_400 + 3600
FAR = "Compared with {commit}, 41 commits back, 23 days old."


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_model(tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_model(tmp_path_factory.mktemp("wide"), width=5)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, model: Path) -> Path:
    """Return a store with a report of the models enc and dec."""
    folder = tmp_path_factory.mktemp("store")
    assert call("report", model, "--out", folder / "r", "--timestamp", MADE).code == 0
    for name in ("enc", "dec"):
        assert call("baseline", "save", folder / "s", folder / "r", "--model", name, "--commit", COMMIT).code == 0
    return folder / "s"


def pick(store: Path, folder: Path, back: int = 41, model: str = "enc") -> Path:
    """Pick a baseline into `folder`/MODEL, add what is printed to a file, and return the file."""
    folder.mkdir(exist_ok=True)
    (folder / "ancestors").write_text("".join(f"{number:040}\n" for number in range(back)) + COMMIT)
    more = ("--out", folder / model, "--baseline-missing", "warn", "--json")
    outcome = call("baseline", "pick", store, "--model", model, "--ancestors", folder / "ancestors", *more)
    assert outcome.code == 0, outcome
    with (folder / "picked.json").open("a") as file:
        file.write(outcome.out)
    return folder / "picked.json"


def report(model: Path, out: Path, *arguments: object, now: str = NOW) -> Outcome:
    return call("report", model, "--out", out, "--timestamp", now, "--baseline-missing", "warn", *arguments)


@pytest.mark.thorough
def test_a_far_baseline_is_named_in_the_headline_and_a_near_one_in_the_details(
    tmp_path: Path, store: Path, wide: Path
) -> None:
    info = pick(store, tmp_path / "p")
    outcome = report(wide, tmp_path / "o", "--baseline", tmp_path / "p" / "enc", "--baseline-info", info)
    assert "commit 3f2a1bc84de1, 41 commits back, 23 days old, fingerprint of inputs" in outcome.out
    page, text = ((tmp_path / "o" / f"report.{kind}").read_text() for kind in ("html", "md"))
    assert FAR.format(commit="3f2a1bc84de1") in page
    assert FAR.format(commit="`3f2a1bc84de1`") in text
    assert "| `3f2a1bc84de1` | 41 commits back, 23 days old |" in text
    near = pick(store, tmp_path / "near", back=2)
    more = ("--baseline", tmp_path / "near" / "enc", "--baseline-info", near)
    report(wide, tmp_path / "o", *more, now="2024-05-04T08:30:00Z")
    page, text = ((tmp_path / "o" / f"report.{kind}").read_text() for kind in ("html", "md"))
    assert "2 commits back, 2 days old" in page
    assert "2 commits back, 2 days old" in text
    assert "Compared with" not in page + text


def test_both_numbers_are_in_the_machine_files(tmp_path: Path, store: Path, wide: Path) -> None:
    info = pick(store, tmp_path / "p")
    base = ("--baseline", tmp_path / "p" / "enc")
    for more, back in (((), None), (("--baseline-info", info), 41)):
        report(wide, tmp_path / "o", *base, *more)
        verdict = json.loads((tmp_path / "o" / "verdict.json").read_text())["base"]
        summary = summary_of(tmp_path / "o")["comparison"]["base"]
        for side in (verdict, summary):
            assert (side["commits_back"], side["age_seconds"]) == (back, SECONDS)
            assert side["commit"] == (COMMIT if back else None)  # this report names none, the store does
    assert call("diff", wide, tmp_path / "o", "--out", tmp_path / "files", "--timestamp", NOW).code == 0
    side = summary_of(tmp_path / "files")["comparison"]["base"]
    assert (side["commits_back"], side["age_seconds"]) == (None, None)  # files have no age


def test_two_runs_give_the_same_bytes(tmp_path: Path, store: Path, wide: Path) -> None:
    info = pick(store, tmp_path / "p")
    for name in ("one", "two"):
        report(wide, tmp_path / name, "--baseline", tmp_path / "p" / "enc", "--baseline-info", info)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


@pytest.mark.thorough
def test_of_several_models_each_has_its_own(tmp_path: Path, store: Path, wide: Path) -> None:
    pick(store, tmp_path / "p")
    pick(store, tmp_path / "p", model="gone")  # prints null
    info = pick(store, tmp_path / "p", back=3, model="dec")
    names = ("enc", "dec", "gone")
    models = [word for name in names for word in ("--model", f"{name}={wide}")]
    bases = [word for name in names for word in ("--base-model", f"{name}={tmp_path / 'p' / name}")]
    more = ("--baseline-missing", "ok", "--baseline-info", info, "--timestamp", NOW)
    assert call("report", *models, *bases, *more, "--out", tmp_path / "o").code == 0
    found = {each["name"]: each["base"] for each in json.loads((tmp_path / "o" / "verdict.json").read_text())["models"]}
    assert {name: base and base["commits_back"] for name, base in found.items()} == {"enc": 41, "dec": 3, "gone": None}
    for kind in ("html", "md"):
        text = (tmp_path / "o" / f"report.{kind}").read_text().replace("`", "")
        far = "enc (41 commits back, 23 days old), dec (3 commits back, 23 days old)"
        assert f"Compared with distant baselines: {far}." in text
        assert FAR.format(commit="3f2a1bc84de1") in text
        assert "3 commits back, 23 days old" in text


@pytest.mark.parametrize("content", [None, "", "null\n", "no JSON"])
def test_without_a_baseline_the_file_is_not_read(tmp_path: Path, model: Path, content: str | None) -> None:
    info = tmp_path / "picked.json"
    if content is not None:
        info.write_text(content)
    given = ("--baseline-info", info)
    outcome = report(model, tmp_path / "o", "--baseline", tmp_path / "nosuch", *given)
    assert (outcome.code, outcome.out.splitlines()[-1][:11]) == (0, "NO BASELINE")
    models = ("--model", f"a={model}", "--base-model", f"a={tmp_path / 'nosuch'}")
    assert call("report", *models, *given, "--baseline-missing", "ok", "--out", tmp_path / "all").code == 0


def test_a_file_that_does_not_fit_is_an_error(tmp_path: Path, store: Path, model: Path, wide: Path) -> None:
    info = pick(store, tmp_path / "p")
    assert call("report", wide, "--out", tmp_path / "other", "--commit", "b" * 40).code == 0
    given = ("--baseline-info", info)
    for base in (tmp_path / "other", model):
        outcome = report(model, tmp_path / "o", "--baseline", base, *given)
        assert outcome.code == 2, outcome
        assert f"{info} (--baseline-info): describes the report of commit {COMMIT}, the baseline {base}" in outcome.err
        assert not (tmp_path / "o").exists()
    lost = report(model, tmp_path / "o", "--baseline", tmp_path / "p" / "enc", "--baseline-info", tmp_path / "lost")
    assert (lost.code, "(--baseline-info): no such file" in lost.err) == (3, True)
    alone = call("report", model, "--out", tmp_path / "o", *given)
    assert (alone.code, alone.error[:33]) == (2, "--baseline-info: there is no base")
    unset = report(model, tmp_path / "o", "--baseline", tmp_path / "p" / "enc", "--baseline-info", "")
    assert (unset.code, "--baseline-info: the value is empty" in unset.err) == (2, True)
