"""--name-map, and renames that are found without one: tables, totals, pages and verdict."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from command import Outcome, call, contents, summary_of, write_model, write_report
from messages import graph, node

WIDTH = 4


def model(folder: Path, scope: str, *, width: int = WIDTH, output: str = "out") -> Path:
    """Write two dense layers below `scope`, with an input before and an output behind them."""
    nodes: list[Any] = [node("x", "Placeholder", output_shapes=[[2, width]])]
    last = "x"
    for layer in ("fc1", "fc2"):
        at = f"{scope}/{layer}"
        nodes += [
            node(f"{at}/kernel", "VariableV2", shape=[width, width], output_shapes=[[width, width]]),
            node(f"{at}/MatMul", "MatMul", last, f"{at}/kernel", output_shapes=[[2, width]]),
            node(f"{at}/Relu", "Relu", f"{at}/MatMul", output_shapes=[[2, width]]),
        ]
        last = f"{at}/Relu"
    return write_model(folder, graph(*nodes, node(output, "Softmax", last, output_shapes=[[2, width]])))


def diff(base: Path, head: Path, out: Path, *rest: object) -> Outcome:
    return call("diff", base, head, "--out", out, *rest)


def rows(folder: Path, table: str) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in pq.read_table(folder / f"diff_{table}.parquet").to_pylist()}


def test_a_renamed_scope_changes_nothing_and_is_one_line(tmp_path: Path) -> None:
    base, head = model(tmp_path / "b", "model"), model(tmp_path / "h", "net", output="probabilities")
    outcome = diff(base, head, tmp_path / "o", "--gate", "params == +0")
    assert outcome.code == 0, outcome
    nodes = rows(tmp_path / "o", "nodes")
    assert {row["status"] for row in nodes.values()} == {"unchanged"}
    for name, before, why in (
        ("x", "x", "name"),
        ("net/fc1/kernel", "model/fc1/kernel", "prefix"),
        ("probabilities", "out", "suggested"),
    ):
        assert (nodes[name]["base_name"], nodes[name]["matched_by"]) == (before, why)
    for view in ("scope", "graph"):
        assert {row["status"] for row in rows(tmp_path / "o", view).values()} == {"unchanged"}, view
    assert rows(tmp_path / "o", "scope")["net/fc1"]["base_name"] == "model/fc1"
    page = (tmp_path / "o" / "report.md").read_text()
    assert "Matched nodes: 1 by name, 6 in renamed scopes, 1 suggested." in page
    assert [line for line in page.splitlines() if "model/" in line and "net/" in line and "| 6 |" in line]
    assert "Renamed scopes" in (tmp_path / "o" / "report.html").read_text()


@pytest.mark.thorough
def test_a_change_in_a_renamed_scope_is_a_change(tmp_path: Path) -> None:
    base, head = model(tmp_path / "b", "model"), model(tmp_path / "h", "net", width=8)
    (names := tmp_path / "names.toml").write_text('[prefixes]\n"model/" = "net/"\n')
    outcome = diff(base, head, tmp_path / "o", "--gate", "params <= +0", "--name-map", names)
    assert outcome.code == 1
    row = rows(tmp_path / "o", "nodes")["net/fc1/kernel"]
    assert (row["base_name"], row["matched_by"], row["delta_params"]) == ("model/fc1/kernel", "map", 48)
    # without the map these are different layers, and too few nodes match
    assert diff(base, head, tmp_path / "p").code == 5
    assert rows(tmp_path / "p", "nodes")["net/fc1/kernel"]["status"] == "new"


def test_the_map_takes_a_match_back(tmp_path: Path) -> None:
    base, head = model(tmp_path / "b", "model"), model(tmp_path / "h", "net")
    (names := tmp_path / "names.toml").write_text('[prefixes]\n"model/" = false\n')
    diff(base, head, tmp_path / "o", "--name-map", names)
    assert rows(tmp_path / "o", "nodes")["net/fc1/kernel"]["status"] == "new"


@pytest.mark.thorough
def test_report_and_several_models_take_the_map_too(tmp_path: Path) -> None:
    base, head = model(tmp_path / "b", "model"), model(tmp_path / "h", "net", width=8)
    (names := tmp_path / "names.toml").write_text('[prefixes]\n"model/" = "net/"\n')
    report = call(
        "report", head, "--baseline", write_report(base, tmp_path / "r"), "--out", tmp_path / "o", "--name-map", names
    )
    assert report.code == 0, report
    assert rows(tmp_path / "o", "nodes")["net/fc1/kernel"]["matched_by"] == "map"
    several = ("--model", f"m={head}", "--base-model", f"m={base}")
    assert call("report", *several, "--out", tmp_path / "s", "--name-map", names).code == 0
    assert rows(tmp_path / "s" / "m", "nodes")["net/fc1/kernel"]["matched_by"] == "map"


def test_lines_that_pair_nothing_are_a_note(tmp_path: Path) -> None:
    side = model(tmp_path / "b", "model")
    (names := tmp_path / "names.toml").write_text('[nodes]\n"gone" = "x"\n')
    assert diff(side, side, tmp_path / "o", "--name-map", names).code == 0
    (note,) = [found for found in summary_of(tmp_path / "o")["diagnostics"] if found["code"] == "name_map"]
    assert (note["text"], note["count"], note["examples"]) == (
        "lines of the name map match no nodes",
        1,
        ['[nodes] "gone"'],
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (None, "cannot be read (No such file or directory)"),
        ("[nodes]\na = 1\n", '[nodes] "a" is not a name in quotes; write false if it has no partner'),
        (
            '[prefixes]\n"model/fc1/" = "one/"\n"model/fc2/" = "one/"\n"" = "all"\n',
            'maps both "model/fc1/kernel" and "model/fc2/kernel" of base to "one/kernel" in head',
        ),
    ],
)
def test_a_wrong_map_is_one_line_and_writes_nothing(tmp_path: Path, text: str | None, problem: str) -> None:
    names = tmp_path / "names.toml"
    if text is not None:
        names.write_text(text)
    head = tmp_path / "h"
    nodes = [node(f"one/{name}", "Const") for name in ("kernel", "MatMul", "Relu")]
    outcome = diff(
        model(tmp_path / "b", "model"), write_model(head, graph(*nodes)), tmp_path / "o", "--name-map", names
    )
    assert outcome.code == 2
    assert outcome.error.startswith(f"{names} (--name-map): {problem}")
    assert not (tmp_path / "o").exists()


def test_two_runs_give_the_same_bytes(tmp_path: Path) -> None:
    base, head = model(tmp_path / "b", "model"), model(tmp_path / "h", "net", output="probabilities")
    for name in ("one", "two"):
        diff(base, head, tmp_path / name, "--timestamp", "2024-05-02T08:30:00Z")
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
