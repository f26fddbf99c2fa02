"""The fuzzer: a case follows from its key, cases reach every command and option, and each kind of fault is found."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from command import call, small_model, write_report
from fuzz.cases import THEMES, Command, Tampering
from fuzz.inputs import WAYS, Files, events_file
from fuzz.judge import judge
from fuzz.mutate import break_bytes, break_message
from fuzz.options import commands, odd_gate, value
from fuzz.run import Result
from fuzz.seeds import Model, Seeds, load_seeds
from messages import graph, node
from repository import ROOT

from tfprof_report.compare.gates.grammar import parse_gate
from tfprof_report.errors import TfprofReportError

KEYS = [f"1:{number}" for number in range(1, 9)]
PRINT_CASES = """
import hashlib, sys, tempfile
from pathlib import Path
from fuzz.cases import make_case
from fuzz.seeds import load_seeds
seeds = load_seeds(Path(sys.argv[1]))
for key in sys.argv[2:]:
    folder = Path(tempfile.mkdtemp()) / "case"
    case = make_case(key, seeds, folder)
    files = {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
    print(hashlib.sha256(repr((case, files)).encode("utf-8", "surrogatepass")).hexdigest())
"""


@pytest.fixture(scope="module")
def seeds() -> Seeds:
    return load_seeds(ROOT / "tests" / "data")


def test_a_case_follows_from_its_seed_and_number() -> None:
    def printed(hash_seed: str) -> str:
        return subprocess.run(
            [sys.executable, "-c", PRINT_CASES, str(ROOT / "tests" / "data"), *KEYS],
            env={**os.environ, "PYTHONPATH": str(ROOT / "ci"), "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout

    digests = printed("0").split()
    assert digests == printed("1").split()
    assert len(set(digests)) == len(digests)


@pytest.mark.thorough
def test_every_theme_makes_cases_and_one_has_every_command(seeds: Seeds, tmp_path: Path) -> None:
    steps = {
        theme: [
            step
            for number in range(150 if theme == "any command" else 2)
            for step in make(Files(Random(number), seeds, tmp_path / theme / str(number)))
        ]
        for theme, (make, _) in THEMES.items()
    }
    drawn = {step.arguments for step in steps["any command"] if isinstance(step, Command)}
    assert [words for words in commands() if not any(each[: len(words)] == words for each in drawn)] == []
    for theme, made in steps.items():
        assert any(isinstance(step, Tampering) for step in made) == (theme in ("broken reports", "stores")), theme


def test_every_option_has_values_that_an_argument_of_a_process_can_be() -> None:
    random = Random(1)
    for options in commands().values():
        for option in options:
            values = [value(random, option) for _ in range(20)] if not option.is_flag else []
            assert not any("\0" in each for each in values)


def test_most_gates_are_right_and_some_are_not() -> None:
    random = Random(1)
    right = 0
    for _ in range(400):
        try:
            parse_gate(odd_gate(random))
        except TfprofReportError:
            continue
        right += 1
    assert 150 < right < 350


@pytest.mark.parametrize("way", WAYS)
def test_each_way_breaks_models_differently_each_time(seeds: Seeds, way: str) -> None:
    made = {WAYS[way](Random(number), seeds) for number in range(8)}
    assert len(made) == 8


def test_a_broken_message_can_be_written_and_read_again() -> None:
    for number in range(300):
        message = graph(node("a", "Const", shape=(1, 2)), node("b", "MatMul", "a", "a"))
        break_message(Random(number), message, 5)
        assert type(message).FromString(message.SerializeToString()) == message or number


def test_bytes_are_broken_without_growing_for_ever() -> None:
    data = bytes(range(256))
    broken = [break_bytes(Random(number), data) for number in range(100)]
    assert sum(each != data for each in broken) > 90
    assert max(map(len, broken)) < 10_000


def test_an_events_file_has_a_record_for_each_message() -> None:
    data = events_file(Model(b"graph", (b"run",)))
    lengths = []
    while data:
        length = int.from_bytes(data[:8], "little")
        lengths.append(length)
        data = data[8 + 4 + length + 4 :]
    assert lengths == [15, 7, 14]


# Faults ---------------------------------------------------------------------------------------------------------------


def ended(
    *arguments: str, code: int = 0, stdout: bytes = b"", stderr: bytes = b"", made: tuple[str, ...] = ()
) -> Result:
    command = Command(arguments or ("scope", "M"))
    return Result(command=command, code=code, cpu_s=1, rss=1, stdout=stdout, stderr=stderr, made=frozenset(made))


ERROR = b"tfprof-report: M: no such file; check the path\n"


@pytest.mark.parametrize(
    ("result", "fault"),
    [
        (ended(code=7, stderr=ERROR), "exit code 7"),
        (ended(code=-11), "exit code -N"),
        (ended(code=-24), "hangs: over N seconds of processor time, or waits"),
        (ended(code=3, stderr=b"tfprof-report: internal error (KeyError: 12)"), "internal error: KeyError: N)"),
        (ended(code=3, stderr=ERROR + b"Traceback (most recent call last):\nKeyError: 1"), "traceback: KeyError: 1"),
        (ended(stderr=b"x.py:3: RuntimeWarning: overflow\n"), "RuntimeWarning: overflow"),
        (ended(stderr=b"thread 'main' panicked at x"), "panicked at x"),
        (ended(stderr=b"a\x1b[31m"), "escape character on standard error"),
        (ended(code=3, stderr=b"tfprof-report: warning: w\n"), "an error without a line"),
        (ended(code=2, stdout=b"node name", stderr=ERROR), "standard output after an error"),
        (ended("report", "M", code=3, stderr=ERROR, made=("o", "o/x")), "files after an error, such as o"),
    ],
)
def test_each_kind_of_fault_is_found(result: Result, fault: str, tmp_path: Path) -> None:
    assert judge(result, tmp_path) == (fault,)


@pytest.mark.parametrize("code", [1, 5, 0])
def test_a_command_that_ends_as_documented_has_no_fault(code: int, tmp_path: Path) -> None:
    assert judge(ended(code=code, stdout=b"rows\n", stderr=b"tfprof-report: warning: odd\n"), tmp_path) == ()
    assert judge(ended(code=3, stderr=ERROR), tmp_path) == ()


def test_what_a_report_holds_is_checked(tmp_path: Path) -> None:
    folder = write_report(small_model(tmp_path / "m"), tmp_path / "o")
    made = tuple(str(path.relative_to(tmp_path)) for path in folder.rglob("*"))
    written = ended("report", "m", "--out", "o", made=made)
    assert judge(written, tmp_path) == ()
    page = folder / "report.html"
    page.write_bytes(page.read_bytes() + b"<script>alert(1)</script>")
    assert judge(written, tmp_path) == (
        "report.html is not what summary.json lists",
        "markup in report.html: <script>alert(1)",
    )
    summary = json.loads((folder / "summary.json").read_bytes())
    summary["files"]["report.html"]["sha256"] = hashlib.sha256(page.read_bytes()).hexdigest()
    (folder / "summary.json").write_text(json.dumps({**summary, "x": float("nan")}), encoding="utf-8")
    assert judge(written, tmp_path) == ("folder of a report: ValueError NaN is no JSON",)
    (folder / "verdict.json").write_text("{}", encoding="utf-8")
    assert judge(written, tmp_path)[0].startswith("verdict.json does not fit its schema")


def test_files_for_hosts_are_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    files = {"--junit": "j", "--openmetrics": "om", "--comment": "c"}
    options = [word for pair in files.items() for word in pair]
    assert call("report", small_model(tmp_path / "m"), "--out", "o", *options).code == 0
    result = ended("report", "m", "--out", "o", *options, made=tuple(files.values()))
    assert judge(result, tmp_path) == ()
    (tmp_path / "j").write_text("<a>", encoding="utf-8")
    (tmp_path / "om").write_text("a 1\n", encoding="utf-8")
    (tmp_path / "c").write_text("a" * 65_537, encoding="utf-8")
    faults = judge(result, tmp_path)
    assert [fault.split(" ")[0] for fault in faults] == ["--junit", "--openmetrics", "--comment"]
