"""The driver of `make conformance`, with a stand-in for the native tool instead of TensorFlow."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import pytest
from messages import graph, node
from repository import ROOT

from tfprof_report.semantics import TFPROF


def load() -> ModuleType:
    path = ROOT / "ci" / "conformance.py"
    spec = importlib.util.spec_from_file_location("conformance", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["conformance"] = module  # a dataclass looks its module up there
    spec.loader.exec_module(module)
    return module


RUNNER = load()


class StandIn:
    """Gives our own answers, with extra lines in op view."""

    def __init__(self, more: list[str]) -> None:
        self.more = more

    def ask(self, model: Any, queries: Sequence[tuple[str, dict[str, Any]]]) -> list[Any]:
        table = model.table()
        answers = [RUNNER.ours(table, command, options, TFPROF) for command, options in queries]
        answers[2].parts["text"] += self.more
        return answers


MODEL = RUNNER.Model(graph=graph(node("a", "Add")), run_metas=[], op_log=None)


def test_two_equal_sides_have_no_difference_and_are_counted() -> None:
    tally = RUNNER.uncounted()
    assert RUNNER.compare(StandIn([]), MODEL, {"output": "file:outfile=out.txt"}, tally) == ""
    assert tally.compared == {
        **{f"{command} {part}": 1 for command in RUNNER.COMMANDS for part in ("text", "returned")},
        **{f"{view} file out.txt": 1 for view in ("scope", "graph", "op")},  # there are no call stacks for code view
    }


def test_a_difference_names_the_query_the_lines_and_the_model() -> None:
    difference = RUNNER.compare(StandIn(["more"]), MODEL, {"select": ["params"]}, RUNNER.uncounted())
    assert difference.startswith('op {"select": ["params"]}\n    --- native text\n    +++ ours\n')
    assert "\n    -more\n" in difference
    assert difference.endswith('\n    graph: node { name: "a" op: "Add" }')


@pytest.mark.thorough
def test_the_smallest_model_that_shows_a_difference_is_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tried: list[str] = []

    def compare(_native: object, model: Any, _options: object, _tally: object) -> str:
        text: str = model.text()
        if "VarHandleOp" not in text:
            return ""
        tried.append(text)
        return text

    monkeypatch.setattr(RUNNER, "compare", compare)
    monkeypatch.setattr(RUNNER, "MAX_DIFFERENCES", 1)
    tally = RUNNER.Tally()
    RUNNER.run_random(None, cases=20, first_seed=0, tally=tally)
    (difference,) = tally.differences
    assert difference == min(tried, key=len)
    assert len(difference) < len(tried[0])
    assert ' op: "VarHandleOp" }' in difference
    assert capsys.readouterr().out.startswith("difference:     graph: node {")


def test_what_never_occurred_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    never = list(RUNNER.print_tally(RUNNER.Tally()))
    assert {"order_by name", "select params", "output csv", "the quirk drop_cycles"} <= set(never)
    assert "compared:" in capsys.readouterr().out
