"""The command `batch` with workers in processes: what it writes, skips and prints, and what it refuses."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from batches import EPOCH, Running, content_of, rows_of, serial, states_of, without_measures, write_models
from command import call
from lxml.html import document_fromstring

MANIFEST = """
[defaults]
branch = "main"

[[entry]]
model = "net"
inputs = "runs/m000"
commit = "c1"
labels = { team = "vision" }
[entry.matrix]
batch = [1, 8]

[[entry]]
model = "gated"
inputs = "runs/m001"
base = "runs/m000"
options = { gate = ["definition_count <= +0"] }

[[entry]]
inputs = "runs/m00[23]"

[[entry]]
inputs = "runs/broken"

[[entry]]
model = "odd"
inputs = "runs/m002"
options = { start_name_regexes = ["("] }
"""


@pytest.fixture(autouse=True)
def _at_one_time(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", EPOCH)
    monkeypatch.chdir(tmp_path)


def test_a_manifest_becomes_reports_like_those_of_report_alone_and_a_row_each(tmp_path: Path) -> None:
    write_models(tmp_path / "runs", 4)
    (tmp_path / "runs" / "broken").mkdir()
    (tmp_path / "runs" / "broken" / "graph.pb").write_bytes(b"\xff\xff")
    (tmp_path / "m.toml").write_text(MANIFEST)
    out = tmp_path / "out"
    code, printed, err = Running(tmp_path, "m.toml", "--out", "out", "--jobs", 2).end()
    rows = rows_of(out)
    assert code == 3
    lines = ["Outcome   out/batch.json, out/batch.parquet", "Index     out/index.html", "7 reports 5 written, 2 failed"]
    assert printed.splitlines() == lines
    listed_on_page = document_fromstring((out / "index.html").read_text()).xpath("//tbody/tr")
    assert [row.xpath("./th")[0].text_content() for row in listed_on_page] == list(rows)
    assert [row.xpath(".//a/@href") for row in listed_on_page] == [
        [f"{name}/report.html"] if row["report"] else [] for name, row in rows.items()
    ]
    assert f"NO REPORT{rows['broken']['reason']}" in listed_on_page[5].text_content()
    assert "team=vision" in listed_on_page[0].text_content()
    assert sorted(line.split(": ")[1] for line in err.splitlines()) == ["broken", "gated", "odd"]
    assert list(rows) == ["net-batch-1", "net-batch-8", "gated", "m002", "m003", "broken", "odd"]
    assert {name: (row["state"], row["exit_code"], row["verdict"]) for name, row in rows.items()} == {
        "net-batch-1": ("written", 0, "not judged"),
        "net-batch-8": ("written", 0, "not judged"),
        "gated": ("written", 1, "failed"),
        "m002": ("written", 0, "not judged"),
        "m003": ("written", 0, "not judged"),
        "broken": ("failed", 3, None),
        "odd": ("failed", 2, None),
    }
    net = rows["net-batch-8"]
    assert (net["model"], net["commit"], net["branch"], net["labels"]) == (
        "net-batch-8",
        "c1",
        "main",
        {"team": "vision"},
    )
    assert net["command"] == [
        *("report", "runs/m000", "--commit=c1", "--branch=main", "--config=none"),
        "--batch=8",
    ]
    assert net["report"] == "out/net-batch-8"
    assert net["host"] == os.uname().nodename
    assert 0 < net["seconds"] < 120
    assert 2**26 < net["peak_bytes"] < 2**30
    assert rows["gated"]["reason"].startswith("FAIL")
    assert "runs/broken/graph.pb" in rows["broken"]["reason"]
    for name, row in rows.items():
        if row["state"] == "written":
            assert content_of(out / name) == serial(row["command"][1], tmp_path / "alone" / name, *row["command"][2:])
    table = pq.read_table(out / "batch.parquet")
    listed = [{**row, "labels": dict(row["labels"])} for row in table.to_pylist()]
    assert listed == list(rows.values())

    code, printed, _ = Running(tmp_path, "m.toml", "--out", "out", "--jobs", 2).end()
    again = rows_of(out)
    assert code == 3
    assert printed.endswith("7 reports 5 skipped, 2 failed\n")
    assert again["gated"]["exit_code"] == 1
    made = [name for name, row in rows.items() if row["state"] == "written"]
    assert [without_measures(again[name]) for name in made] == [
        {**without_measures(rows[name]), "state": "skipped", "messages": []} for name in made
    ]


@pytest.mark.thorough
def test_two_batches_save_into_one_store_at_once(tmp_path: Path) -> None:
    names = write_models(tmp_path / "runs", 6)
    arguments = ("runs/*", "--store", "store", "--commit", "abc", "--jobs", 2)
    both = [Running(tmp_path, *arguments, "--out", f"out{number}") for number in range(2)]
    assert [running.end()[0] for running in both] == [0, 0]
    listed = json.loads(call("baseline", "list", "store", "--json").out)
    assert {entry["model"] for entry in listed} == set(names)
    for number in range(2):
        rows = rows_of(tmp_path / f"out{number}")
        assert {row["state"] for row in rows.values()} <= {"written", "skipped"}
        for name, row in rows.items():
            alone = serial(f"runs/{name}", tmp_path / "alone" / name, "--commit=abc")
            assert content_of(tmp_path / row["report"]) == alone, name
    code, printed, err = Running(tmp_path, *arguments).end()
    assert (code, printed, err) == (0, "Store     store\n6 reports 6 skipped\n", "")


def test_a_second_batch_into_one_folder_waits_for_nobody(tmp_path: Path) -> None:
    write_models(tmp_path / "runs", 1)
    os.mkfifo(tmp_path / "pipe")
    first = Running(tmp_path, "pipe", "--out", "out")
    while not (tmp_path / "out" / ".tfprof-report.batch" / "lock").exists():
        assert first.process.poll() is None
    refused = call("batch", "runs/*", "--out", "out")
    first.process.terminate()
    assert first.end()[0] == 143
    words = "out (--out): another batch is writing there; wait until it has ended, or give another folder"
    assert (refused.code, refused.error) == (3, words)
    assert states_of(tmp_path / "out") == {"pipe": "not done"}


def test_a_dry_run_prints_command_lines_and_estimates_and_writes_nothing(tmp_path: Path) -> None:
    write_models(tmp_path / "runs", 2)
    found = call("batch", "runs/*", "--out", "out", "--dry-run", "--gate", "params <= 25M")
    assert (found.code, found.err) == (0, "")
    assert found.out.splitlines() == [
        f"m00{number}\t220.00 MiB\ttfprof-report report runs/m00{number} --config=none '--gate=params <= 25M'"
        for number in range(2)
    ]
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("runs/m000",), "Missing option '--out'; name the folder to write, or a --store"),
        (("z*", "--out", "o"), "z*: matches nothing; check the path"),
        (("runs/*", "--out", "runs/o"), "runs/*: matches runs/o, where the batch writes; "),
        (("runs/m000", "runs/m000/", "--out", "o"), "runs/m000/: has the name m000, as runs/m000 has (runs/m000); "),
        (("runs/m000", "--out", "o", "--jobs", 0), "--jobs: 0 is no number of jobs; give 1 or more"),
        (("runs/m000", "--out", "o", "--retries", -1), "--retries: -1 is no number of tries; give 0 or more"),
        (("runs/m000", "--out", "o", "--time-limit", "0s"), '--time-limit "0s": is not a time above 0; write 90s, '),
        (("runs/m000", "--out", "o", "--memory", "lots"), '--memory: "lots" is not a size; write bytes such as '),
        (("runs/m000", "--out", "o", "--gate", "parms <= 3"), '--gate "parms <= 3": "parms" is not known; did you '),
        (("runs/m000", "--store", "s"), "--store: m000 has no commit, which a store needs; name it in the manifest"),
        (("m.toml", "runs/m000", "--out", "o"), "m.toml: a manifest stands alone; give one manifest, or inputs "),
        (("m.toml", "--out", "o"), "m.toml: cannot be read (No such file or directory)"),
        (("-", "--out", "o"), "-: standard input (-) has no place in a batch; name a file or folder"),
        (("runs/m000", "--out", "o", "--config", "no.toml"), "no.toml (--config): cannot be read (No such file"),
        (("runs/m000", "--out", "o", "--scheduler", "here"), "--scheduler here: is not an address; write tcp://"),
    ],
)
def test_bad_input_is_one_line_before_anything_starts(
    tmp_path: Path, arguments: tuple[object, ...], words: str
) -> None:
    write_models(tmp_path / "runs", 1)
    found = call("batch", *arguments)
    assert found.code == 2
    assert found.error.startswith(words)
    assert [path.name for path in tmp_path.iterdir()] == ["runs"]


def test_a_rules_file_with_a_file_that_all_reports_would_write_is_refused(tmp_path: Path) -> None:
    write_models(tmp_path / "runs", 1)
    (tmp_path / "tfprof-report.toml").write_text('[output]\nsummary = "s.md"\n')
    found = call("batch", "runs/*", "--out", "out")
    words = "tfprof-report.toml: sets --summary, one file that all reports of a batch would write; "
    assert found.error.startswith(words)


def test_entries_of_one_model_have_folders_named_after_their_commits(tmp_path: Path) -> None:
    write_models(tmp_path / "runs", 1)
    entry = '[[entry]]\nmodel = "net"\ninputs = "runs/m000"\n'
    (tmp_path / "m.toml").write_text(f"{entry}commit = 'c1'\n{entry}commit = 'c2'\n")
    lines = call("batch", "m.toml", "--out", "out", "--dry-run").out.splitlines()
    assert [line.split("\t")[0] for line in lines] == ["net-c1", "net-c2"]
    (tmp_path / "m.toml").write_text(f"{entry}commit = 'c1'\n{entry}commit = 'c1'\n")
    found = call("batch", "m.toml", "--out", "out", "--dry-run")
    assert found.error.startswith(
        "m.toml: entry 2: has the name net, as entry 1 has (runs/m000); give each a model or "
    )


@pytest.mark.parametrize("name", ["index.html", "Batch.json", "batch.parquet"])
def test_no_entry_has_the_name_of_a_file_of_the_batch(tmp_path: Path, name: str) -> None:
    write_models(tmp_path / "runs", 1)
    (tmp_path / "m.toml").write_text(f'[[entry]]\nmodel = "{name}"\ninputs = "runs/m000"\n')
    found = call("batch", "m.toml", "--out", "out")
    assert (found.code, (tmp_path / "out").exists()) == (2, False)
    assert found.error.startswith(f'm.toml: entry 1: "{name}" cannot be a name: a file of the ')
