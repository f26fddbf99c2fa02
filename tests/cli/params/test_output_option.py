"""--output and --dump-to-file: which files are written, what describes them, and what is refused."""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from command import call, contents, small_model

ALL = ("--step", "1", "--max-depth", "100")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return small_model(tmp_path / "model")


@pytest.fixture
def out(tmp_path: Path) -> Path:
    (tmp_path / "out").mkdir()
    return tmp_path / "out"


def test_a_file_has_what_standard_output_would_have_had(model: Path, out: Path) -> None:
    printed = call("scope", model, *ALL).out
    for given in (("--output", f"file:outfile={out / 'v.txt'}"), ("--dump_to_file", out / "v.txt")):
        outcome = call("scope", model, *ALL, *given)
        assert (outcome.code, outcome.out) == (0, "")
        assert (out / "v.txt").read_bytes().decode() == printed
    assert call("scope", model, *ALL, "--output", "stdout").out == printed
    assert call("scope", model, *ALL, "--output", "none")[:2] == (0, "")


def test_beside_a_file_stands_what_its_numbers_mean_and_come_from(model: Path, out: Path) -> None:
    call("op", model, *ALL, "--select", "bytes", "--output", f"file:outfile={out / 'v.txt'}")
    about: dict[str, Any] = json.loads((out / "v.txt.meta.json").read_text())
    assert (about["view"], about["semantics"], about["rules"]) == ("op", "tfprof", "none")
    assert about["output"] == f"file:outfile={out / 'v.txt'}"
    assert about["units"] == {"bytes": "bytes"}
    assert about["options"]["step"] == 1
    assert about["conventions"]["unknown"] == "NULL, never 0"
    digests = {Path(each["path"]).name: each["sha256"] for each in about["inputs"]}
    assert digests == {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in model.iterdir() if path.is_file()
    }


@pytest.mark.parametrize(
    ("view", "kind", "names"),
    [
        ("scope", "timeline", ["v_1"]),
        ("graph", "timeline", ["v_1"]),
        ("scope", "pprof", ["v"]),
        ("graph", "folded", ["v"]),
        ("graph", "speedscope", ["v"]),
    ],
)
def test_two_runs_write_the_same_bytes(model: Path, out: Path, view: str, kind: str, names: list[str]) -> None:
    given = [view, model, *ALL, "--semantics", "corrected", "--output", f"{kind}:outfile={out / 'v'}"]
    assert call(*given).code == 0
    first = contents(out)
    assert list(first) == [each for name in names for each in (name, f"{name}.meta.json")]
    assert call(*given).code == 0
    assert contents(out) == first


def test_a_timeline_tells_where_it_is(model: Path, out: Path) -> None:
    outcome = call("graph", model, "--semantics", "corrected", "--output", f"timeline:outfile={out / 't'}")
    assert outcome.out.count("generating trace file.\n") == 2
    assert f"\nTimeline file is written to {out / 't_2'}.\n" in outcome.out
    drawn = [event["name"] for event in json.loads((out / "t_2").read_text())["traceEvents"] if event["ph"] == "X"]
    assert sorted(drawn) == ["fc/MatMul", "out"]


def test_a_pprof_file_is_packed_without_a_time(model: Path, out: Path) -> None:
    outcome = call("scope", model, *ALL, "--semantics", "corrected", "--output", f"pprof:outfile={out / 'p'}")
    assert outcome.out == f"\nRun pprof -png --nodecount=100 --sample_index=1 <{out / 'p'}>\n"
    assert (out / "p").read_bytes()[4:8] == b"\0\0\0\0"
    assert b"fc/MatMul" in gzip.decompress((out / "p").read_bytes())


REFUSED = [
    ("op", "timeline:outfile=x", "op view doesn't support timeline yet. Consider graph/scope/code view.\n"),
    ("scope", "pprof:outfile=x", "Only 'code' view supports pprof output now.\n"),
    (
        "scope",
        "file",
        "INVALID_ARGUMENT: Missing required output_options for file\nE.g. -output file:outfile=...\n\n",
    ),
]


@pytest.mark.parametrize(("view", "output", "native"), REFUSED)
def test_tfprof_says_what_it_cannot_write_and_corrected_stops(model: Path, view: str, output: str, native: str) -> None:
    assert call(view, model, "--output", output) == (0, "", native)
    if view == "scope" and output.startswith("pprof"):
        return  # corrected can write it
    outcome = call(view, model, "--output", output, "--semantics", "corrected")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.error.startswith("--output: ")


def test_a_missing_step_writes_nothing(model: Path, out: Path) -> None:
    outcome = call("scope", model, "--step", "3", "--output", f"file:outfile={out / 'v'}")
    assert outcome[:2] == (0, "")
    assert outcome.err.endswith("\nOptions -step=3 not found.\nAvailable steps: 1 2 \n")
    assert contents(out) == {}


def test_a_file_that_cannot_be_written_is_one_line_and_leaves_nothing(model: Path, out: Path) -> None:
    missing = out / "missing" / "v"
    outcome = call("scope", model, "--output", f"file:outfile={missing}")
    assert outcome.code == 3
    advice = "give a file in a folder that can be written"
    line = f"{missing} (--output): cannot be written (No such file or directory); {advice}"
    assert outcome.err.endswith(f"\ntfprof-report: {line}\n")
    (out / "v.meta.json").mkdir()
    assert call("scope", model, "--output", f"file:outfile={out / 'v'}").code == 3
    assert [path.name for path in out.iterdir() if path.name.startswith(".")] == []


def test_an_error_while_writing_keeps_the_earlier_file(model: Path, out: Path) -> None:
    (out / "v").write_text("earlier")
    outcome = call(
        "scope", model, "--semantics", "corrected", "--select", "op_types", "--output", f"folded:outfile={out / 'v'}"
    )
    assert outcome.code == 2
    assert contents(out) == {"v": b"earlier"}


def test_a_link_leads_to_its_file_and_a_pipe_is_written_to(model: Path, out: Path) -> None:
    (out / "link").symlink_to("target")
    call("scope", model, "--output", f"file:outfile={out / 'link'}")
    assert (out / "link").is_symlink()
    assert (out / "target").stat().st_size > 0
    assert call("scope", model, "--output", "file:outfile=/dev/null").code == 0
    assert Path("/dev/null").is_char_device()
    assert not Path("/dev/null.meta.json").exists()
