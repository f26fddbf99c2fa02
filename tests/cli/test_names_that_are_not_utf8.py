"""Files, branches and labels whose names are not UTF-8: read, written, and shown with escaped bytes."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from command import Outcome, call, call_into, contents, small_model, write_report

BYTE = "\udce9"  # what Python makes of the byte e9 in the name of a file
NAME, SHOWN = f"f{BYTE}vrier", r"f\xe9vrier"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / NAME
    small_model(folder / NAME)
    write_report(folder / NAME, folder / f"base{BYTE}")
    monkeypatch.chdir(folder)


def well(*arguments: object) -> Outcome:
    outcome = call(*arguments)
    assert outcome.code == 0, outcome
    return outcome


def texts_of(folder: str) -> Iterator[tuple[str, str]]:
    """Yield name and content of the text files of a report."""
    for name, data in contents(Path(folder)).items():
        if not name.endswith(".parquet"):
            yield name, data.decode()


@pytest.mark.thorough
def test_a_report_shows_them_escaped() -> None:
    (here := Path()).joinpath(f"rules{BYTE}.toml").write_text('gates = ["params <= +0"]')
    (here / f"ack{BYTE}").write_text('[[acknowledged]]\nmetric="params"\nvalue=12\nreason="x"\nexpires=2027-01-31\n')
    (here / f"ops{BYTE}.toml").write_text('[MyOp]\nclass = "elementwise"\nfloat_ops = "1"\n')
    (here / f"map{BYTE}").write_text('[nodes]\n"a" = "b"\n')
    names = ["--label", NAME, "--commit", NAME, "--branch", NAME, "--base-label", NAME, "--base-commit", NAME]
    files = [f"--config=rules{BYTE}.toml", f"--acknowledged=ack{BYTE}", f"--flops-rules=ops{BYTE}.toml"]
    hosts = [f"--summary=s{BYTE}", f"--comment=c{BYTE}", f"--junit=j{BYTE}", f"--openmetrics=m{BYTE}"]
    others = [f"--name-map=map{BYTE}", "--annotations=github", "--base-graph", f"{NAME}/graph.pb"]
    outcome = call("report", NAME, "--out", f"o{BYTE}", *names, *files, *hosts, *others)
    assert outcome.code == 0, outcome
    assert r"HTML      o\xe9/report.html" in outcome.out
    assert r"Rules     rules\xe9.toml" in outcome.out
    texts = dict(texts_of(f"o{BYTE}"))
    assert {name for name, text in texts.items() if SHOWN in text.replace("\\\\", "\\")} == set(texts)
    side = json.loads(texts["summary.json"])["side"]
    assert (side["label"], side["commit"], side["branch"]) == (SHOWN, SHOWN, SHOWN)
    assert side["inputs"][0]["path"] == rf"{SHOWN}/graph.pb"
    for host in ("s", "c", "j", "m"):
        assert SHOWN in Path(f"{host}{BYTE}").read_bytes().decode().replace("\\\\", "\\"), host


@pytest.mark.thorough
def test_several_models_and_a_comparison_of_reports() -> None:
    well("report", "--model", f"a={NAME}", "--base-model", f"a={NAME}", "--out", f"o{BYTE}", "--label", NAME)
    well("report", "--model", f"a={NAME}", "--baseline", f"o{BYTE}", "--out", f"o{BYTE}")
    well("diff", f"base{BYTE}", f"base{BYTE}", "--out", f"d{BYTE}")
    assert call("accept", f"d{BYTE}", "--reason", "x", "--expires", "2027-01-31").code == 0


def test_views_are_written_to_such_files() -> None:
    printed = well("scope", NAME).out
    for number, given in enumerate((["--output", f"file:outfile=v{BYTE}"], ["--dump_to_file", f"w{BYTE}"])):
        assert well("scope", NAME, *given).out == ""
        assert Path(f"{'vw'[number]}{BYTE}").read_text() == printed
    timeline = ["--output", f"timeline:outfile=t{BYTE}", "--step=1", "--run-meta", f"1={NAME}/run_meta_1"]
    assert r"written to t\xe9_1." in well("scope", f"{NAME}/graph.pb", *timeline).out
    about = json.loads(Path(f"v{BYTE}.meta.json").read_bytes())
    assert (about["output"], about["inputs"][0]["path"]) == (r"file:outfile=v\xe9", rf"{SHOWN}/graph.pb")


@pytest.mark.thorough
def test_a_store_of_such_a_name_keeps_reports() -> None:
    store = f"store{BYTE}"
    well("baseline", "save", store, f"base{BYTE}", "--model", "m", "--commit", "c1")
    Path(f"commits{BYTE}").write_text("c1\n")
    pick = ["baseline", "pick", store, "--model", "m", "--ancestors", f"commits{BYTE}", "--json"]
    picked = well(*pick, "--out", f"p{BYTE}")
    assert json.loads(picked.out)["folder"] == r"p\xe9"
    assert (picked.code, Path(f"p{BYTE}/summary.json").exists()) == (0, True)
    with Path("out").open("w") as out, Path("err").open("w") as err:
        assert call_into(out, err, "baseline", "pick", store, "--model", "m", "--ancestors", f"commits{BYTE}") == 0
    folder = os.fsdecode(Path("out").read_bytes()).rstrip("\n")
    assert (folder.startswith(f"{store}/m/c1_"), Path(folder, "summary.json").exists()) == (True, True)
    assert well("baseline", "list", store).out.count("c1") == 1
    assert well("baseline", "prune", store, "--older-than", "1d", "--dry-run").out == ""
    assert well("report", NAME, "--baseline", f"p{BYTE}", "--out", "o").code == 0


def test_errors_show_them_escaped() -> None:
    assert call("scope", f"no{BYTE}").error == r"no\xe9 (--graph): no such file; check the path"
    outcome = call("report", NAME, "--out", f"{NAME}/graph.pb")
    assert outcome.error.startswith(rf"{SHOWN}/graph.pb (--out): cannot be written")


@pytest.mark.parametrize("name", ["summary.json", "verdict.json"])
def test_json_that_is_not_utf_8_is_called_that(name: str) -> None:
    file = Path(f"base{BYTE}", name)
    file.write_bytes(file.read_bytes().replace(b"{\n", b'{\n"caf\xe9": 1,\n', 1))
    diff = ["diff", f"base{BYTE}", NAME, "--out", "o"]
    accept = ["accept", f"base{BYTE}", "--reason", "x", "--expires", "2027-01-31"]
    outcome = call(*(diff if name == "summary.json" else accept))
    words = rf"base\xe9/{name}: is not UTF-8 (byte 0xe9 in line 2)"
    assert (outcome.code, outcome.error.partition(";")[0]) == (4 if name == "summary.json" else 3, words)


def test_a_summary_with_half_a_character_is_refused() -> None:
    file = Path(f"base{BYTE}", "summary.json")
    summary = json.loads(file.read_bytes())
    summary["side"]["label"] = "\ud83d"
    file.write_text(json.dumps(summary))
    outcome = call("diff", f"base{BYTE}", NAME, "--out", "o")
    assert (outcome.code, outcome.error.partition(";")[0]) == (
        4,
        r"base\xe9/summary.json: is not the summary of a report",
    )


def test_a_rules_file_that_is_not_utf_8_is_called_that() -> None:
    Path("r.toml").write_bytes(b'[output]\nlabel = "caf\xe9"\n')
    outcome = call("report", NAME, "--out", "o", "--config", "r.toml")
    assert (outcome.code, outcome.error) == (2, "r.toml (--config): is not UTF-8 (byte 0xe9 in line 2)")
    assert os.fsencode(NAME) == b"f\xe9vrier"
