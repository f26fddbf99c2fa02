"""Several models in one report: a folder for each, an index of all, and a verdict over all."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from command import WHEN, Outcome, call, contents, small_model, summary_of, write_report

Earlier = tuple[tuple[str, str, str, str], Path]
OURS = {"report.html", "report.md", "summary.json", "verdict.json"}


def call_models(out: Path, *arguments: object) -> Outcome:
    return call("report", "--out", out, "--timestamp", WHEN, *arguments)


def two_models(folder: Path, *, width: int = 4, float_ops: int = 24) -> tuple[str, str, str, str]:
    """Write two models, the second twice as wide, and return the arguments that name them."""
    one = small_model(folder / "one", width=width, float_ops=float_ops)
    two = small_model(folder / "two", width=8, float_ops=48)
    return "--model", f"one={one}", "--model", f"two={two}"


@pytest.fixture(scope="module")
def earlier(tmp_path_factory: pytest.TempPathFactory) -> Earlier:
    """Return two models and the report of both, which tests must not change."""
    folder = tmp_path_factory.mktemp("earlier")
    models = two_models(folder)
    assert call_models(folder / "out", *models).code == 0
    return models, folder / "out"


def figures_of(summary: Any, name: str) -> dict[str, tuple[Any, Any, Any]]:
    """Return base, head and delta of each total of a model by its stem."""
    model = next(model for model in summary["models"] if model["name"] == name)
    return {total["stem"]: (total["base"], total["head"], total["delta"]) for total in model["totals"]}


def status_of(summary: Any) -> dict[str, tuple[str, int]]:
    """Return the status and exit code of each model."""
    return {model["name"]: (model["status"], model["verdict"]["exit_code"]) for model in summary["models"]}


def test_each_model_has_the_report_that_it_has_alone_and_all_have_an_index(tmp_path: Path) -> None:
    models, out = two_models(tmp_path), tmp_path / "out"
    outcome = call_models(out, *models)
    assert outcome.code == 0, outcome
    assert {path.name for path in out.iterdir()} == {*OURS, "one", "two"}
    alone = write_report(tmp_path / "one", tmp_path / "alone", "--label", "one")
    of_several, of_one = contents(out / "one"), contents(alone)
    assert of_several.keys() == of_one.keys()
    differ = {name for name in of_one if of_several[name] != of_one[name]}
    assert differ == {"report.html", "summary.json"}  # the page links to the index, the summary has its digest
    link = b'&middot; <a href="../report.html">all models</a>\n'
    assert of_several["report.html"].replace(link, b"") == of_one["report.html"]
    summary = summary_of(out)
    assert summary["files"] == {
        name: {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
        for name in ("report.html", "report.md", "verdict.json")
        for data in [(out / name).read_bytes()]
    }
    for model in summary["models"]:
        data = (out / model["name"] / "summary.json").read_bytes()
        assert model["summary"] == {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
    assert status_of(summary) == {"one": ("reported", 0), "two": ("reported", 0)}
    # 2 x 3 x width multiply-adds; the kernel has 3 x width elements; the step that takes 2 x 30 + 5 is one of two
    assert {stem: figures_of(summary, "two")[stem] for stem in ("params", "device_peak_bytes", "micros")} == {
        "params": (None, 24, None),
        "device_peak_bytes": (None, 4096, None),
        "micros": (None, 50, None),
    }
    assert figures_of(summary, "two")["float_ops"] == (None, 64, None)  # 48, and 16 of Relu
    assert outcome.out.splitlines() == [
        f"HTML      {out}/report.html",
        f"Markdown  {out}/report.md",
        f"Models    {out}/one, {out}/two",
        f"Verdict   {out}/verdict.json",
        "one: NOT JUDGED: 3 nodes without a baseline, no gates.",
        "two: NOT JUDGED: 3 nodes without a baseline, no gates.",
        "NOT JUDGED: nothing was judged in 2 models.",
    ]


def test_a_gate_that_one_model_breaks_fails_all_and_the_verdict_names_it(tmp_path: Path) -> None:
    out = tmp_path / "out"
    outcome = call_models(out, *two_models(tmp_path), "--gate", "params <= 20")
    assert outcome.code == 1
    assert outcome.out.endswith("\nFAILED: of 2 models 1 failed (two), 1 OK.\n")
    assert status_of(summary_of(out)) == {"one": ("reported", 0), "two": ("reported", 1)}
    assert summary_of(out)["verdict"]["exit_code"] == 1
    assert summary_of(out / "one")["verdict"]["exit_code"] == 0


@pytest.mark.thorough
def test_a_gate_with_a_name_is_for_that_model_alone(tmp_path: Path, earlier: Earlier) -> None:
    models, _ = earlier
    outcome = call_models(tmp_path / "a", *models, "--gate", "one: params <= 20")
    assert (outcome.code, outcome.out.splitlines()[-1]) == (
        0,
        "NOT JUDGED: nothing failed in 2 models; not judged: two.",
    )
    assert call_models(tmp_path / "b", *models, "--gate", "two:params <= 20").code == 1
    outcome = call_models(tmp_path / "c", *models, "--gate", "tow: params <= 20")
    assert outcome.code == 2
    assert outcome.error == '--gate "tow: params <= 20": "tow" is not known; did you mean two?'


def test_a_report_of_several_models_is_a_baseline_by_name(tmp_path: Path, earlier: Earlier) -> None:
    base, out = earlier[1], tmp_path / "out"
    models = two_models(tmp_path / "new", width=5, float_ops=30)
    outcome = call_models(out, *models, "--baseline", base, "--gate", "params <= +0")
    assert outcome.code == 1
    assert outcome.out.endswith("\nFAILED: of 2 models 1 failed (one), 1 OK; changed: one.\n")
    summary = summary_of(out)
    assert status_of(summary) == {"one": ("compared", 1), "two": ("compared", 0)}
    assert figures_of(summary, "one")["params"] == (12, 15, 3)
    assert figures_of(summary, "one")["float_ops"] == (32, 40, 8)
    assert figures_of(summary, "two")["params"] == (24, 24, 0)
    assert summary_of(out / "one")["comparison"]["base"]["label"] == "one"


@pytest.mark.thorough
def test_a_baseline_may_be_the_folder_that_is_written(tmp_path: Path) -> None:
    models, out = two_models(tmp_path), tmp_path / "out"
    assert call_models(out, *models).code == 0
    outcome = call_models(out, *models, "--baseline", out, "--gate", "params <= +0")
    assert outcome.code == 0
    assert outcome.out.endswith("\nOK: nothing failed in 2 models.\n")
    assert call_models(out, *models, "--baseline", out, "--gate", "params <= +0").code == 0


@pytest.mark.thorough
def test_what_a_baseline_lists_is_the_report_also_where_the_model_was_written_anew_beside_it(tmp_path: Path) -> None:
    models, runs = two_models(tmp_path / "runs"), tmp_path / "runs"
    assert call_models(runs, *models).code == 0
    assert (runs / "one" / "graph.pb").exists()
    two_models(tmp_path / "runs", width=5)  # the next night, into the same folders
    outcome = call_models(runs, *models, "--baseline", runs, "--gate", "params <= +0")
    assert outcome.code == 1
    assert figures_of(summary_of(runs), "one")["params"] == (12, 15, 3)


def test_the_folder_of_a_model_is_a_baseline_and_a_model_by_itself(tmp_path: Path, earlier: Earlier) -> None:
    one = small_model(tmp_path / "one", width=3)
    write_report(one, tmp_path / "x", "--baseline", earlier[1] / "one", "--gate", "params <= -3")
    again = call_models(tmp_path / "y", "--model", f"one={earlier[1] / 'one'}", "--base-model", f"one={one}")
    assert again.code == 0
    assert figures_of(summary_of(tmp_path / "y"), "one")["params"] == (9, 12, 3)


@pytest.mark.thorough
def test_base_models_are_files_or_folders_of_the_same_names(tmp_path: Path) -> None:
    models, old = two_models(tmp_path), small_model(tmp_path / "old", width=3, float_ops=18)
    outcome = call_models(tmp_path / "out", *models, "--base-model", f"one={old}", "--gate", "one: params <= +3")
    assert outcome.code == 0
    assert outcome.out.endswith("\nNOT JUDGED: nothing failed in 2 models; not judged: two; changed: one; new: two.\n")
    summary = summary_of(tmp_path / "out")
    assert status_of(summary) == {"one": ("compared", 0), "two": ("new", 0)}
    assert figures_of(summary, "one")["params"] == (9, 12, 3)


@pytest.mark.thorough
def test_a_new_model_meets_its_budgets_but_no_relative_gate(tmp_path: Path, earlier: Earlier) -> None:
    models, base = earlier[0], tmp_path / "base"
    assert call_models(base, *models[:2]).code == 0
    assert call_models(tmp_path / "a", *models, "--baseline", base, "--gate", "params <= 100").code == 0
    outcome = call_models(tmp_path / "b", *models, "--baseline", base, "--gate", "params <= +0")
    assert outcome.code == 5
    assert "two: INCONCLUSIVE: params <= +0: the model is new, base has none to measure it against;" in outcome.out
    assert outcome.out.endswith("\nINCONCLUSIVE: of 2 models 1 inconclusive (two), 1 OK; new: two.\n")


@pytest.mark.thorough
@pytest.mark.parametrize("as_folder", [True, False])
def test_a_model_that_is_gone_is_inconclusive_and_shows_what_base_had(
    tmp_path: Path, earlier: Earlier, *, as_folder: bool
) -> None:
    (models, base), out = earlier, tmp_path / "out"
    bases = ["--base-model" if word == "--model" else word for word in models]
    outcome = call_models(out, *models[:2], *(["--baseline", base] if as_folder else bases))
    assert outcome.code == 5
    assert outcome.out.endswith(
        "\ntwo: INCONCLUSIVE: the baseline has the model two, this report has not."
        "\nINCONCLUSIVE: nothing was judged in 1 model; gone: two.\n"
    )
    summary = summary_of(out)
    assert status_of(summary) == {"one": ("compared", 0), "two": ("gone", 5)}
    assert figures_of(summary, "two")["params"] == (24, None, None)
    assert not (out / "two").exists()
    # the next comparison does not report it as gone again
    assert call_models(tmp_path / "next", *models[:2], "--baseline", out).code == 0


def test_the_same_inputs_give_the_same_bytes(tmp_path: Path, earlier: Earlier) -> None:
    models, out = earlier
    assert call_models(tmp_path, *models).code == 0
    first, second = (
        {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        for folder in (out, tmp_path)
    )
    assert first == second


@pytest.mark.thorough
def test_a_later_report_replaces_an_earlier_one_and_removes_what_that_listed(tmp_path: Path, earlier: Earlier) -> None:
    models, out = earlier[0], shutil.copytree(earlier[1], tmp_path / "out")
    (out / "mine").mkdir()
    (out / "mine" / "report.html").write_text("mine")
    assert call_models(out, *models[:2]).code == 0
    assert {path.name for path in out.iterdir()} == {*OURS, "one", "mine"}
    assert call_models(out, *models).code == 0
    (out / "two" / "notes.txt").write_text("mine")
    write_report(earlier[1] / "one", out)
    assert {path.name for path in out.iterdir() if path.is_dir()} == {"two", "mine"}
    assert contents(out / "two") == {"notes.txt": b"mine"}
    assert call_models(out, *models[:2]).code == 0
    assert {path.name for path in out.iterdir()} == {*OURS, "one", "two", "mine"}


def test_a_model_that_was_written_again_since_is_not_removed(tmp_path: Path, earlier: Earlier) -> None:
    models, out = earlier[0], shutil.copytree(earlier[1], tmp_path / "out")
    (out / "two" / "summary.json").write_text("{}")
    assert call_models(out, *models[:2]).code == 0
    assert (out / "two" / "summary.json").exists()


@pytest.mark.parametrize("name", ["../kept", "kept"])
def test_a_summary_cannot_make_us_remove_folders_of_others(tmp_path: Path, earlier: Earlier, name: str) -> None:
    models, out = earlier[0][:2], tmp_path / "out"
    kept = shutil.copytree(earlier[1] / "one", tmp_path / "kept")
    out.mkdir()
    (out / "kept").symlink_to(kept)
    digest = hashlib.sha256((kept / "summary.json").read_bytes()).hexdigest()
    listed = {
        "schema_version": summary_of(kept)["schema_version"],
        "models": [{"name": name, "summary": {"sha256": digest}}],
    }
    (out / "summary.json").write_text(json.dumps(listed))
    before = contents(kept)
    assert call_models(out, *models).code == 0
    assert contents(kept) == before


@pytest.mark.thorough
def test_an_error_in_a_later_model_leaves_everything_as_it_was(tmp_path: Path) -> None:
    models, out = two_models(tmp_path), tmp_path / "out"
    (tmp_path / "bad").write_bytes(b"no graph")
    outcome = call_models(out, *models, "--model", f"bad={tmp_path / 'bad'}")
    assert outcome.code == 3
    assert [line for line in outcome.err.splitlines() if "reading" not in line] == [outcome.err.splitlines()[-1]]
    assert outcome.err.splitlines()[-1].startswith(f"tfprof-report: --model bad: {tmp_path / 'bad'} (--graph): ")
    assert not out.exists()
    assert call_models(out, *models).code == 0
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    assert call_models(out, *models, "--model", f"bad={tmp_path / 'bad'}").code == 3
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before
    assert not (out / "bad").exists()


@pytest.mark.thorough
def test_a_problem_of_a_head_wins_over_one_of_an_earlier_models_base(tmp_path: Path, earlier: Earlier) -> None:
    models, base = earlier[0], shutil.copytree(earlier[1], tmp_path / "base")
    (base / "one" / "nodes.parquet").write_bytes(b"changed")
    outcome = call_models(tmp_path / "out", *models, "--baseline", base)
    assert outcome.code == 4
    assert outcome.err.splitlines()[-1].startswith(f"tfprof-report: --model one: {base}/one/nodes.parquet: ")
    missing = call_models(tmp_path / "out", *models, "--model", f"no={tmp_path / 'no'}", "--baseline", base)
    assert missing.code == 3
    assert missing.err.splitlines()[-1].startswith(
        f"tfprof-report: --model no: {tmp_path / 'no'} (--graph): no such file"
    )


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("no-name", "has no name"),
        ("=x", "the name of the model is empty"),
        ("a=", "names no inputs"),
        ("../a=x", "a name has letters"),
        ("a/b=x", "a name has letters"),
        ("a\\b=x", "a name has letters"),
        ("..=x", "a name has letters"),
        (".hidden=x", "a name has letters"),
        ("-a=x", "a name has letters"),
        ("a.=x", "a name has letters"),
        ("a b=x", "a name has letters"),
        ("a\n=x", "a name has letters"),
        ("C:=x", "a name has letters"),
        ("NUL=x", "Windows reserves this name"),
        ("com1.txt=x", "Windows reserves this name"),
        ("Report.HTML=x", "a file of the report has this name"),
        ("nodes.parquet=x", "a file of the report has this name"),
        ("summary.json=x", "a file of the report has this name"),
        (f"{'a' * 101}=x", "longer than 100 bytes"),
        ("\N{CJK UNIFIED IDEOGRAPH-6A21}" * 34 + "=x", "longer than 100 bytes"),
        ("ONE=x", "is given twice, or differs in case only"),
        ("\N{FULLWIDTH LATIN SMALL LETTER O}ne=x", "is given twice, or differs in case only"),
    ],
)
def test_a_name_that_is_no_folder_everywhere_is_refused_in_one_line(tmp_path: Path, given: str, words: str) -> None:
    outcome = call_models(tmp_path / "out", "--model", "one=x", "--model", given)
    assert outcome.code == 2
    assert words in outcome.error
    assert outcome.error.startswith('--model "')
    assert not (tmp_path / "out").exists()
    assert call_models(tmp_path / "out", "--model", "one=x", "--base-model", "one=x", "--base-model", given).code == 2


@pytest.mark.parametrize(
    "name", ["a", "Inception-v3", "resnet_50.2", "9", "com", "\N{LATIN SMALL LETTER E WITH ACUTE}t"]
)
def test_usual_names_are_folders(tmp_path: Path, name: str) -> None:
    model, out = small_model(tmp_path / "m"), tmp_path / "out"
    assert call_models(out, "--model", f"{name}={model}").code == 0
    assert (out / name / "summary.json").exists()


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["MODEL"], "--model: MODEL has no name, which each of several models needs; write --model NAME=MODEL"),
        (["--graph", "g"], "--graph: names a file of one model, --model names several;"),
        (["--base-run-meta", "g"], "--base-run-meta: names a file of one model, --model names several;"),
        (["--baseline", "b", "--base-model", "one=x"], "--baseline, --base-model: the bases are named twice;"),
        (["--gate", "params"], '--gate "params": this is not a gate;'),
    ],
)
def test_what_does_not_go_with_several_models_is_a_usage_error(
    tmp_path: Path, arguments: list[str], error: str
) -> None:
    outcome = call_models(tmp_path / "out", "--model", "one=x", *arguments)
    assert outcome.code == 2
    assert outcome.error.startswith(error)


def test_a_base_without_a_model_is_a_usage_error(tmp_path: Path) -> None:
    outcome = call_models(tmp_path / "out", "--base-model", "one=x")
    assert outcome.code == 2
    assert outcome.error == "--base-model: there is no --model to compare; name the models of head"


def test_a_relative_gate_without_any_base_is_a_usage_error(tmp_path: Path, earlier: Earlier) -> None:
    outcome = call_models(tmp_path / "out", *earlier[0], "--gate", "params <= +0")
    assert outcome.code == 2
    assert "needs a baseline" in outcome.err.splitlines()[-1]


@pytest.mark.thorough
def test_baselines_that_are_no_report_of_several_models_are_said_to_be_what_they_are(tmp_path: Path) -> None:
    models, base = two_models(tmp_path), tmp_path / "base"

    def error() -> str:
        outcome = call_models(tmp_path / "out", *models, "--baseline", base)
        assert outcome.code == 4
        return outcome.error

    lead = f"{base}/summary.json (--baseline): "
    assert error().startswith(f"{lead}cannot be read (No such file or directory); ")
    write_report(tmp_path / "one", base)
    assert error() == f"{lead}is the report of one model; name it with --base-model NAME=FOLDER"
    for text in ("", "[]", "{}", '{"models": 3, "schema_version": 3}', "3", "[" * 100_000):
        (base / "summary.json").write_text(text)
        assert error().startswith(lead)
    shutil.rmtree(base)
    assert call_models(base, *models).code == 0
    (base / "two" / "summary.json").write_text("{}")
    lead = f"{base}/two/summary.json (--baseline): "
    assert error().startswith(f"{lead}is not the file that {base}/summary.json lists")
    (base / "summary.json").write_text(
        (base / "summary.json").read_text().replace('"schema_version": ', '"schema_version": 9')
    )
    assert "was written with schema version 9" in error()


def test_a_report_of_several_models_is_not_one_model(tmp_path: Path, earlier: Earlier) -> None:
    out = earlier[1]
    words = "is a report of several models; give the folder of one of them"
    as_head = call("report", out, "--out", tmp_path / "x")
    assert (as_head.code, words in as_head.error) == (3, True)
    as_base = call("report", out / "one", "--baseline", out, "--out", tmp_path / "x")
    assert (as_base.code, words in as_base.err) == (4, True)


def test_warnings_and_notes_say_of_which_model_they_are(tmp_path: Path) -> None:
    model = small_model(tmp_path / "m")
    (model / "run_meta_x").touch()
    outcome = call_models(tmp_path / "out", "--model", f"one={model}")
    assert f"tfprof-report: {model}: run_meta_x is ignored" in outcome.err


def test_a_model_without_nodes_is_inconclusive_for_all(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    (empty / "graph.pb").touch()
    outcome = call_models(tmp_path / "out", *two_models(tmp_path), "--model", f"empty={empty}")
    assert outcome.code == 5
    assert outcome.out.endswith("\nINCONCLUSIVE: of 3 models 1 inconclusive (empty); not judged: one, two.\n")
