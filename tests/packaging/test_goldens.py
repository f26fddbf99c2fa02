"""The golden runner: which cases it runs, which it leaves out, and that none is lost."""

from __future__ import annotations

import gzip
import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from repository import ROOT


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("goldens", ROOT / "ci" / "goldens.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["goldens"] = module  # a dataclass looks its module up there
    spec.loader.exec_module(module)
    return module


RUNNER = load()
SHIPPED = list(RUNNER.find_cases(RUNNER.DEFAULT_CORPUS))


@pytest.fixture
def goldens(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setattr(RUNNER, "run_case", lambda _: ("text of ours\n", None))
    return RUNNER


def entry(number: int, **changes: Any) -> dict[str, Any]:
    plain = {
        "id": f"{number:03}",
        "name": "full/scope/plain",
        "api": "print_mdl",
        "inputs": {"graph": "graph.pb"},
        "cmd": "scope",
        "options": {"output": "stdout"},
        "status": "ok",
        "stdout": f"{number:03}.txt",
    }
    return plain | changes


def write_corpus(folder: Path, entries: list[dict[str, Any]], texts: dict[str, bytes]) -> Path:
    golden = folder / "model" / "golden"
    golden.mkdir(parents=True)
    (golden / "index.json").write_text(json.dumps(entries))
    for name, data in texts.items():
        (golden / name).write_bytes(data)
    return folder


def outcome(module: ModuleType, corpus: Path) -> list[str]:
    return [module.check(case)[0] for case in module.find_cases(corpus)]


def test_a_text_is_compared_byte_for_byte_also_when_packed(goldens: ModuleType, tmp_path: Path) -> None:
    texts = {"001.txt": b"text of ours\n", "002.txt.gz": gzip.compress(b"text of ours\n"), "003.txt": b"text of ours"}
    corpus = write_corpus(tmp_path, [entry(1), entry(2), entry(3)], texts)
    assert outcome(goldens, corpus) == ["equal", "equal", "unequal"]


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"cmd": "foo"}, "excluded, view: foo is none"),
        ({"status": "crash:11"}, "excluded, native: it crashed or raised"),
    ],
)
def test_a_case_that_is_out_of_scope_says_why(
    goldens: ModuleType, tmp_path: Path, changes: dict[str, Any], why: str
) -> None:
    assert outcome(goldens, write_corpus(tmp_path, [entry(1, **changes)], {})) == [why]


def test_a_case_that_raises_is_unequal_and_the_next_one_runs(
    goldens: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run_case(case: Any) -> tuple[str, None]:
        if "op_log" in case.inputs:
            raise ValueError("broken")
        return "fine", None

    monkeypatch.setattr(goldens, "run_case", run_case)
    entries = [entry(1, inputs={"op_log": "x"}), entry(2)]
    corpus = write_corpus(tmp_path, entries, {"001.txt": b"fine", "002.txt": b"fine"})
    assert outcome(goldens, corpus) == ["unequal", "equal"]


def test_steps_are_handed_over_in_their_order(
    goldens: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Any] = []
    monkeypatch.setattr(goldens, "run_case", lambda case: (seen.append(case) or "", None))
    inputs = {"graph": "graph.pb", "steps": [[7, "run_meta_1"], [7, "run_meta_2"]]}
    corpus = write_corpus(tmp_path, [entry(1, api="profiler", inputs=inputs)], {"001.txt": b""})
    assert outcome(goldens, corpus) == ["equal"]
    assert seen[0].inputs == {"graph": "graph.pb"}
    assert seen[0].steps == [(7, "run_meta_1"), (7, "run_meta_2")]


def test_a_missing_option_has_the_value_of_the_native_python_api(
    goldens: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Any] = []
    monkeypatch.setattr(goldens, "run_case", lambda case: (seen.append(case.views[0][1]) or "", None))
    corpus = write_corpus(tmp_path, [entry(1, options={"max_depth": 3})], {"001.txt": b""})
    assert outcome(goldens, corpus) == ["equal"]
    assert len(seen[0]) == 22
    assert (seen[0]["max_depth"], seen[0]["step"], seen[0]["show_name_regexes"]) == (3, -1, [])


def test_the_shipped_goldens_are_all_in_scope() -> None:
    assert len(SHIPPED) == 114
    assert {case.name: case.excluded for case in SHIPPED if case.excluded} == {}


@pytest.mark.parametrize("case", SHIPPED, ids=lambda case: f"{case.model} {case.name}")
def test_our_text_is_the_native_text(case: Any) -> None:
    outcome, lines = RUNNER.check(case)
    assert outcome == "equal", "\n".join(lines[:20])
