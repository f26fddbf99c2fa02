"""--explain NODE: the gates that judged a node, scope or op type, the gates that they override, and the numbers."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import call, small_model, write_model
from messages import graph, node

RULES = """
gates = [
  { gate = "params == +0", node = "**" },
  { gate = "params <= +20%", node = "fc/*" },
  { gate = "float_ops <= +1%", scope = "fc", level = "inform" },
]
"""


@pytest.fixture(autouse=True)
def sides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    small_model(tmp_path / "base")
    small_model(tmp_path / "head", width=5)
    (tmp_path / "tfprof-report.toml").write_text(RULES)


def explained(*arguments: str) -> list[str]:
    """Return the lines after the verdict."""
    lines = call("diff", "base", "head", "--out", "o", *arguments).out.splitlines()
    return lines[next(at for at, line in enumerate(lines) if line.startswith(("OK", "FAILED"))) + 1 :]


def test_a_node_is_explained_by_the_gate_that_judged_it_and_those_that_came_before() -> None:
    lines = explained("--explain", "fc/kernel")
    assert lines[:3] == [
        "node fc/kernel",
        "  params <= +20% (tfprof-report.toml, gate 2) failed: 12 -> 15 (+3, +25.00 %), allowed at most 14.4",
        "    instead of params == +0 (tfprof-report.toml, gate 1)",
    ]
    assert "scope fc/kernel" not in lines  # it has no children, so it is the node


def test_a_scope_and_an_op_type_are_explained_too_in_the_order_of_the_call() -> None:
    lines = explained("--explain", "Relu", "--explain", "fc", "--explain", "Relu")
    assert [line for line in lines if not line.startswith(" ")] == ["op Relu", "scope fc"]
    assert "  params, no gate: 12 -> 15 (+3, +25.00 %)" in lines
    assert (
        "  float_ops <= +1% (tfprof-report.toml, gate 3) passed: 24 -> 24 (+0, +0.00 %), allowed at most 24.24" in lines
    )


def test_a_name_that_neither_side_has_is_a_usage_error_and_nothing_is_written() -> None:
    outcome = call("diff", "base", "head", "--out", "o", "--explain", "fc/kernl")
    assert outcome.code == 2
    assert outcome.err.splitlines()[-1] == (
        'tfprof-report: --explain "fc/kernl": neither side has a node, scope or op type of this name; '
        "did you mean fc/kernel?"
    )
    assert not Path("o").exists()


@pytest.mark.thorough
def test_of_several_models_each_that_has_the_row_is_explained_and_one_has_to(tmp_path: Path) -> None:
    write_model(tmp_path / "other", graph(node("w", "VariableV2", shape=[2])))
    models = ("report", "--model", "one=head", "--model", "two=other", "--out", "o")
    lines = call(*models, "--explain", "fc/kernel", "--explain", "VariableV2").out.splitlines()
    assert [line for line in lines if line.startswith(("one: node", "one: op", "two: node", "two: op"))] == [
        "one: node fc/kernel",
        "one: op VariableV2",
        "two: op VariableV2",
    ]
    assert call(*models, "--explain", "fc/kern").code == 2


def test_a_hostile_name_stays_on_its_line(tmp_path: Path) -> None:
    name = "a\n</script>"
    write_model(tmp_path / "m", graph(node(name, "VariableV2", shape=[2])))
    assert "node a\\n</script>\n" in call("report", "m", "--out", "o", "--explain", name).out
