"""The files and annotations for CI hosts, and what is written of them if nothing changed."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from command import WHEN, Outcome, call, contents, small_model, spawn, write_model
from messages import graph, node
from prometheus_client.openmetrics.parser import text_string_to_metric_families

MIB = 1024 * 1024
HOSTS = ("summary", "comment", "junit", "openmetrics")


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return small_model(tmp_path / "base")


@pytest.fixture
def head(tmp_path: Path) -> Path:
    """Return a model with 1.5 times the parameters of `base`."""
    return small_model(tmp_path / "head", width=6)


@pytest.fixture
def slower(tmp_path: Path) -> Path:
    """Return a model that differs from `base` only in time."""
    return small_model(tmp_path / "slower", micros=80)


def diff(base: Path, head: Path, out: Path, *arguments: object) -> Outcome:
    return call("diff", base, head, "--out", out, "--timestamp", WHEN, *arguments)


def host_files(folder: Path) -> list[object]:
    """Return arguments that name a file for each host in `folder`."""
    return [argument for name in HOSTS for argument in (f"--{name}", folder / name)]


def verdict_of(folder: Path) -> Any:
    return json.loads((folder / "verdict.json").read_text())


def test_all_hosts_are_told_the_same_outcome(base: Path, head: Path, tmp_path: Path) -> None:
    told = [*host_files(tmp_path), "--annotations", "github"]
    outcome = diff(base, head, tmp_path / "out", "--gate", "params <= +0", *told)
    assert outcome.code == 1
    assert outcome.out.splitlines()[-1] == "::error title=params <= +0::12 -> 18 (+6, +50.00 %25), allowed at most 12"
    assert verdict_of(tmp_path / "out")["status"] == "failed"
    assert f"\nVerdict   {tmp_path}/out/verdict.json\n" in outcome.out
    for name in ("summary", "comment"):
        text = (tmp_path / name).read_text()
        assert "Do not merge yet: the gate fails.**" in text
        assert "FLOPs grew" in text
    assert (tmp_path / "comment").read_text().startswith("<!-- tfprof-report -->\n")
    suites = ET.parse(tmp_path / "junit").getroot()
    assert (suites.get("failures"), suites[0].get("name")) == ("1", "model")
    families = text_string_to_metric_families((tmp_path / "openmetrics").read_text())
    values = {family.name: family.samples[0].value for family in families}
    assert (values["tfprof_report_params"], values["tfprof_report_exit_code"]) == (18, 1)


def test_azure_has_commands_of_its_own(base: Path, head: Path, tmp_path: Path) -> None:
    outcome = diff(base, head, tmp_path / "out", "--gate", "params <= +0", "--annotations", "azure")
    assert outcome.out.splitlines()[-1].startswith("##vso[task.logissue type=error]params <= +0: 12 -> 18 (")


@pytest.mark.thorough
def test_the_report_folder_is_the_same_whoever_is_told(base: Path, head: Path, tmp_path: Path) -> None:
    diff(base, head, tmp_path / "a")
    diff(base, head, tmp_path / "b", *host_files(tmp_path), "--annotations", "github")
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def test_a_label_tells_comments_apart_and_names_the_metrics(base: Path, head: Path, tmp_path: Path) -> None:
    diff(base, head, tmp_path / "out", "--label", "my net", *host_files(tmp_path))
    assert (tmp_path / "comment").read_text().startswith("<!-- tfprof-report: my%20net -->\n")
    assert 'tfprof_report_params{model="my net"} 18\n' in (tmp_path / "openmetrics").read_text()


def test_a_report_without_a_base_tells_hosts_too(head: Path, tmp_path: Path) -> None:
    outcome = call("report", head, "--out", tmp_path / "out", *host_files(tmp_path), "--gate", "params <= 20")
    assert outcome.code == 0
    assert ET.parse(tmp_path / "junit").getroot().get("tests") == "2"
    assert "May be merged: the gate holds.**" in (tmp_path / "comment").read_text()


@pytest.mark.parametrize("name", HOSTS)
def test_the_most_characters_of_the_markdown_count_for_hosts_too(
    base: Path, head: Path, tmp_path: Path, name: str
) -> None:
    diff(base, head, tmp_path / "out", "--max-chars", "2000", f"--{name}", tmp_path / name)
    text = (tmp_path / name).read_text()
    if name in ("summary", "comment"):
        assert len(text) <= 2000 + len("<!-- tfprof-report -->\n\n")
        assert "Left out for length" in text


def test_a_summary_is_appended_to(base: Path, head: Path, tmp_path: Path) -> None:
    summary = tmp_path / "summary"
    summary.write_text("# Earlier\nno line end")
    diff(base, head, tmp_path / "out", "--label", "head", "--summary", summary)
    assert summary.read_text().startswith("# Earlier\nno line end\n\n## tfprof report: head\n")


@pytest.mark.parametrize("taken", [MIB - 8000, MIB - 3000])
def test_a_summary_that_is_nearly_full_is_filled_and_no_more(
    base: Path, head: Path, tmp_path: Path, taken: int
) -> None:
    summary = tmp_path / "summary"
    summary.write_bytes(b"x" * taken)
    assert diff(base, head, tmp_path / "out", "--summary", summary).code == 0
    assert taken < summary.stat().st_size <= MIB
    assert "Left out for length" in summary.read_text()


def test_a_full_summary_stays_as_it_is_and_a_line_says_so(base: Path, head: Path, tmp_path: Path) -> None:
    summary = tmp_path / "summary"
    summary.write_bytes(b"x" * (MIB - 100))
    outcome = diff(base, head, tmp_path / "out", "--summary", summary)
    assert outcome.code == 0
    assert summary.stat().st_size == MIB - 100
    line = f"{summary} (--summary): has 1,048,476 of 1,048,576 bytes already; the report is not added"
    assert outcome.err.splitlines()[-1] == f"tfprof-report: {line}"


def test_a_summary_that_cannot_be_read_is_appended_to(base: Path, head: Path, tmp_path: Path) -> None:
    summary = tmp_path / "summary"
    summary.write_text("earlier")
    summary.chmod(0o200)
    assert diff(base, head, tmp_path / "out", "--summary", summary).code == 0
    summary.chmod(0o600)
    assert "Nothing was judged: no gates were set.**" in summary.read_text()


@pytest.mark.parametrize("name", HOSTS)
def test_a_pipe_is_written_to(base: Path, head: Path, tmp_path: Path, name: str) -> None:
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    assert diff(base, head, tmp_path / "out", f"--{name}", pipe).code == 0
    reader.join(timeout=10)
    assert read
    assert b"tfprof" in read[0]
    assert pipe.is_fifo()


@pytest.mark.parametrize("name", HOSTS)
@pytest.mark.parametrize("place", ["folder", "missing/file", "text/file", "x" * 300])
def test_a_file_that_cannot_be_written_is_one_line_and_nothing_is_written(
    base: Path, head: Path, tmp_path: Path, name: str, place: str
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "text").write_text("text", encoding="utf-8")
    before = sorted(tmp_path.rglob("*"))
    outcome = diff(base, head, tmp_path / "out", f"--{name}", tmp_path / place)
    assert outcome.code == 3
    reasons = {"folder": "Is a directory", "missing/file": "No such file or directory", "text/file": "Not a directory"}
    reason = reasons.get(place, "File name too long")
    line = f"{tmp_path / place} (--{name}): cannot be written ({reason}); give a file in a folder that can be written"
    assert outcome.err.splitlines()[-1] == f"tfprof-report: {line}"
    assert outcome.out == ""
    assert sorted(tmp_path.rglob("*")) == before


def test_a_disk_that_fills_up_leaves_the_summary_as_it_was(
    base: Path, head: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    summary = tmp_path / "summary"
    summary.write_text("earlier")
    whole = Path.open

    def full(self: Path, *arguments: Any, **options: Any) -> Any:
        file = whole(self, *arguments, **options)
        if self != summary:
            return file

        class Full:
            def __enter__(self) -> Any:
                return self

            def __exit__(self, *_: object) -> None:
                file.close()

            def write(self, data: memoryview) -> int:
                if len(data) < 1000:
                    raise OSError(28, "No space left on device", str(summary))
                return int(file.write(data[:1000]))

            def __getattr__(self, name: str) -> Any:
                return getattr(file, name)

        return Full()

    monkeypatch.setattr(Path, "open", full)
    outcome = diff(base, head, tmp_path / "out", "--summary", summary)
    monkeypatch.undo()
    assert outcome.code == 3
    assert "(--summary): cannot be written (No space left on device)" in outcome.err
    assert summary.read_text() == "earlier"


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--summary", ""], "--summary: the value is empty; is a variable unset?"),
        (
            ["--comment", "out/report.md"],
            "out/report.md (--comment): is a file of the report itself; give a file of another name",
        ),
        (["--junit", "-"], "- (--junit): is not a file; /dev/stdout is standard output"),
        (["--comment", "x", "--junit", "./x"], "./x (--comment, --junit): is named twice; give each a file of its own"),
    ],
)
def test_names_that_cannot_be_meant_are_refused_before_anything_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], line: str
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = call("report", "nothing-there", "--out", "out", *arguments)
    assert (outcome.code, outcome.error) == (2, line)
    assert list(tmp_path.iterdir()) == []


def test_a_loop_of_links_is_one_line_for_a_summary_and_replaced_by_a_comment(base: Path, tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to("loop")
    outcome = call("report", base, "--out", tmp_path / "out", "--summary", loop)
    assert outcome.code == 3
    assert "(--summary): cannot be written (Too many levels of symbolic links)" in outcome.err
    assert call("report", base, "--out", tmp_path / "out", "--comment", loop).code == 0
    assert loop.read_text().startswith("<!-- tfprof-report -->")


@pytest.mark.thorough
def test_a_file_in_the_report_folder_stays_beside_the_report(base: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    for _ in range(2):
        assert call("report", base, "--out", out, "--junit", out / "junit.xml").code == 0
    assert {"junit.xml", "summary.json"} <= contents(out).keys()
    assert call("report", base, "--baseline", out, "--out", tmp_path / "next").code == 0


def test_a_link_is_followed_and_stays_a_link(base: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("file")
    assert call("report", base, "--out", tmp_path / "out", "--junit", tmp_path / "link").code == 0
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text().startswith("<?xml")


def test_a_name_that_no_file_can_have_is_refused(base: Path, tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text('[output]\nsummary = "a\\u0000b"\n')
    outcome = call("report", base, "--out", tmp_path / "out", "--config", rules)
    assert outcome.code == 2
    assert outcome.error.endswith("--summary: no file can have this name; name a file or leave it out")


@pytest.mark.thorough
def test_only_if_changed_leaves_the_verdict_alone_and_short_words_for_hosts(
    base: Path, slower: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    assert diff(base, base, out).code == 0
    (out / "notes.txt").write_text("mine")
    told = [*host_files(tmp_path), "--annotations", "github"]
    outcome = diff(base, slower, out, "--only-if-changed", "--gate", "params <= +0", *told)
    assert outcome.code == 0
    assert contents(out).keys() == {"notes.txt", "verdict.json"}
    assert (verdict_of(out)["report"], verdict_of(out)["has_changed"]) == (None, False)
    words = [line.split()[0] for line in outcome.out.splitlines()]
    assert words == ["Verdict", "Base", "Head", "OK:"]
    for name in ("summary", "comment"):
        text = (tmp_path / name).read_text()
        assert ".** Nothing but time changed" in text
        assert "<details>" not in text
    assert (tmp_path / "comment").read_text().startswith("<!-- tfprof-report -->\n")
    assert ET.parse(tmp_path / "junit").getroot().get("tests") == "2"
    assert "tfprof_report_params 12\n" in (tmp_path / "openmetrics").read_text()


def test_a_folder_with_a_verdict_alone_is_no_baseline(base: Path, slower: Path, tmp_path: Path) -> None:
    diff(base, slower, tmp_path / "out", "--only-if-changed")
    outcome = call("report", base, "--baseline", tmp_path / "out", "--out", tmp_path / "next")
    assert outcome.code == 4


@pytest.mark.parametrize(("gate", "code"), [("params <= +0", 1), ("params >= +0", 0), ("device_peak_bytes <= 1", 1)])
def test_only_if_changed_writes_all_where_something_changed_or_a_gate_failed(
    base: Path, head: Path, tmp_path: Path, gate: str, code: int
) -> None:
    for name, other in (("changed", head), ("same", base)):
        out = tmp_path / name
        outcome = diff(base, other, out, "--only-if-changed", "--gate", gate)
        has_news = other == head or gate.startswith("device")
        assert (out / "report.html").is_file() == has_news
        assert outcome.code == (code if has_news else 0)


def test_only_if_changed_without_a_base_writes_all(base: Path, tmp_path: Path) -> None:
    call("report", base, "--out", tmp_path / "out", "--only-if-changed")
    assert (tmp_path / "out" / "report.html").is_file()


@pytest.mark.parametrize("command", ["report", "diff"])
def test_a_baseline_that_would_be_gone_is_kept(base: Path, tmp_path: Path, command: str) -> None:
    out = tmp_path / "out"
    call("report", base, "--out", out)
    before = contents(out)
    sides = [base, "--baseline", out] if command == "report" else [out, base]
    outcome = call(command, *sides, "--out", f"{tmp_path}/./out", "--only-if-changed")
    line = "is also a baseline, which would be lost if nothing changed; write the report to another folder"
    assert (outcome.code, outcome.error) == (2, f"{out} (--out, --only-if-changed): {line}")
    assert contents(out) == before


def models(folder: Path, *, width: int = 4, micros: int = 30) -> list[object]:
    one = small_model(folder / "one", width=width, micros=micros)
    return ["--model", f"one={one}", "--model", f"two={small_model(folder / 'two', width=8)}"]


def test_several_models_are_told_as_one_whole(tmp_path: Path) -> None:
    base = tmp_path / "earlier"
    call("report", *models(tmp_path / "a"), "--out", base)
    told = [*host_files(tmp_path), "--annotations", "github", "--gate", "params <= +0", "--label", "all"]
    outcome = call("report", *models(tmp_path / "b", width=6), "--out", tmp_path / "out", "--baseline", base, *told)
    assert outcome.code == 1
    assert outcome.out.splitlines()[-1].startswith("::error title=one%3A params <= +0::12 -> 18")
    suites = ET.parse(tmp_path / "junit").getroot()
    assert [(suite.get("name"), suite.get("failures")) for suite in suites] == [("one", "1"), ("two", "0")]
    assert 'tfprof_report_params{model="two"} 24\n' in (tmp_path / "openmetrics").read_text()
    assert (tmp_path / "comment").read_text().startswith("<!-- tfprof-report: all -->\n\n## tfprof report: all\n")
    verdict = verdict_of(tmp_path / "out")
    assert {model["name"]: model["status"] for model in verdict["models"]} == {"one": "failed", "two": "ok"}
    alone = verdict_of(tmp_path / "out" / "one")
    (whole,) = (model for model in verdict["models"] if model["name"] == "one")
    assert whole.items() <= {**alone, "name": "one", "presence": "compared"}.items()


@pytest.mark.thorough
def test_several_models_of_which_none_changed_leave_one_verdict(tmp_path: Path) -> None:
    base, out = tmp_path / "earlier", tmp_path / "out"
    call("report", *models(tmp_path / "a"), "--out", base)
    call("report", *models(tmp_path / "a"), "--out", out)
    told = ["--only-if-changed", *host_files(tmp_path)]
    outcome = call("report", *models(tmp_path / "b", micros=99), "--out", out, "--baseline", base, *told)
    assert outcome.code == 0
    assert contents(out).keys() == {"verdict.json"}
    assert [model["has_changed"] for model in verdict_of(out)["models"]] == [False, False]
    assert "Nothing was judged.** Nothing was judged in 2 models." in (tmp_path / "comment").read_text()
    changed = call("report", *models(tmp_path / "c", width=5), "--out", out, "--baseline", base, *told)
    assert changed.code == 0
    assert (out / "one" / "report.html").is_file()
    assert (out / "two" / "report.html").is_file()


def test_a_baseline_of_several_models_that_would_be_gone_is_kept(tmp_path: Path) -> None:
    out = tmp_path / "out"
    call("report", *models(tmp_path / "a"), "--out", out)
    told = ("--out", out, "--only-if-changed", "--base-model", f"one={out / 'one'}")
    outcome = call("report", *models(tmp_path / "a"), *told)
    assert outcome.code == 2
    assert outcome.error.startswith(f"{out / 'one'} (--out, --only-if-changed): is also a baseline")


@pytest.mark.thorough
def test_standard_output_can_be_a_host_file(base: Path, head: Path, tmp_path: Path) -> None:
    outcome = spawn("diff", base, head, "--out", tmp_path / "out", "--openmetrics", "/dev/stdout")
    assert outcome.code == 0
    assert outcome.out.endswith("\n# EOF\n")


NAMES = (
    "]]></failure><script>",
    "a\n::error::b\r\n##vso[task.setvariable variable=x]y",
    "| `x` <!-- --> @user #1",
    "\x00\x1b[31m\u202e",
    "n" * 10_000,
    *(f"plain{place}" for place in range(12)),
)


@pytest.mark.thorough
def test_hostile_nodes_that_break_a_gate_are_text_for_every_host(tmp_path: Path) -> None:
    for side, width in (("base", 4), ("head", 6)):
        variables = [node(name, "VariableV2", shape=[3, width]) for name in NAMES]
        write_model(tmp_path / side, graph(*variables))
    rules = tmp_path / "tfprof-report.toml"
    rules.write_text('gates = [{ gate = "params <= +0", node = "**" }]\n')
    told = [*host_files(tmp_path), "--config", rules, "--label", NAMES[1]]
    sides = (tmp_path / "base", tmp_path / "head")
    outcomes = {host: diff(*sides, tmp_path / "out", *told, "--annotations", host) for host in ("github", "azure")}
    for host, start in (("github", "::error title="), ("azure", "##vso[task.logissue type=error]")):
        assert outcomes[host].code == 1
        lines = outcomes[host].out.splitlines()
        told_lines = [line for line in lines if line.startswith(start)]
        assert told_lines == lines[-10:]
        assert told_lines[-1].endswith("8 more findings: see the report")
        assert [line for line in (*lines, *outcomes[host].err.splitlines()) if "##" in line.removeprefix(start)] == [
            line for line in (*lines, *outcomes[host].err.splitlines()) if "##vso\\x5b" in line
        ]
    gate = verdict_of(tmp_path / "out")["gates"][0]
    assert (gate["judged"], gate["failed"], len(gate["rows"])) == (17, 17, 10)
    assert set(NAMES[:5]) & {row["name"] for row in gate["rows"]}
    (failure,) = ET.parse(tmp_path / "junit").iter("failure")
    assert len((failure.text or "").splitlines()) == 10
    assert len((tmp_path / "comment").read_bytes()) <= 65_536
    first = (tmp_path / "comment").read_text().splitlines()[0]
    assert first.startswith("<!-- tfprof-report: a%0A%3A%3Aerror%3A%3Ab%0D%0A%23%23vso%5B")
    families = list(text_string_to_metric_families((tmp_path / "openmetrics").read_text()))
    assert {sample.labels["model"] for family in families for sample in family.samples} == {
        "a\\n::error::b\\r\\n##vso[task.setvariable variable=x]y"
    }


@pytest.mark.parametrize("path", ["out", "out/../out", "in", "out/one", "out/one/."])
def test_a_folder_that_the_report_makes_is_no_file(base: Path, tmp_path: Path, path: str) -> None:
    (tmp_path / "out").symlink_to("in/out")  # neither is there yet
    models = ("--model", f"one={base}") if "one" in path else (base,)
    outcome = call("report", *models, "--out", tmp_path / "out", "--openmetrics", tmp_path / path)
    words = "cannot be written (Is a directory); give a file in a folder that can be written"
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.error == f"{tmp_path / path} (--openmetrics): {words}"
    assert not (tmp_path / "in").exists()


def test_a_file_of_the_report_of_a_model_is_refused(base: Path, tmp_path: Path) -> None:
    about = ("--out", tmp_path / "out", "--comment", tmp_path / "out" / "one" / "report.md")
    outcome = call("report", "--model", f"one={base}", *about)
    assert (outcome.code, outcome.out) == (2, "")
    assert "is a file of the report itself" in outcome.error
