"""The option ``--flops-rules``: the user's own FLOPs rules in reports, gates and text views."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from command import call
from messages import graph, node

RULES = "[MyOp]\nclass = 'contraction'\nfloat_ops = '2 * size(in0) * {width}'\n"


def model(folder: Path) -> str:
    path = folder / "graph.pb"
    nodes = graph(node("x", "Placeholder", output_shapes=[[2, 3]]), node("y", "MyOp", "x", output_shapes=[[2, 5]]))
    path.write_bytes(nodes.SerializeToString())
    return str(path)


def rules(folder: Path, width: int = 5, name: str = "my.toml") -> str:
    path = folder / name
    path.write_text(RULES.format(width=width))
    return str(path)


def test_a_report_counts_by_the_users_rules_and_says_so(tmp_path: Path) -> None:
    out = tmp_path / "report"
    done = call("report", model(tmp_path), "--flops-rules", rules(tmp_path), "--rules", "extended", "--out", out)
    assert done.code == 0, done.err
    columns = ["float_ops", "float_ops_source", "op_class"]
    assert pq.read_table(out / "nodes.parquet", columns=columns).to_pylist()[1] == {
        "float_ops": 60,
        "float_ops_source": "user_rules",
        "op_class": "contraction",
    }
    said = json.loads((out / "summary.json").read_text())["rules"]
    assert said.startswith("extended ")
    assert " + user rules (sha256 " in said
    assert said in (out / "report.md").read_text()


@pytest.mark.parametrize("view", ["scope", "graph", "op"])
def test_text_views_count_by_the_users_rules_alone_unless_told_otherwise(tmp_path: Path, view: str) -> None:
    done = call(view, model(tmp_path), "--flops-rules", rules(tmp_path), "--select", "float_ops")
    assert (done.code, done.err) == (0, "")
    assert "60" in done.out


def test_what_stands_beside_a_file_has_the_digest(tmp_path: Path) -> None:
    text = tmp_path / "scope.txt"
    chosen = ("--flops-rules", rules(tmp_path), "--output", f"file:outfile={text}")
    assert call("scope", model(tmp_path), *chosen).code == 0
    digest = json.loads((tmp_path / "scope.txt.meta.json").read_text())["user_rules_sha256"]
    assert len(digest) == 64


@pytest.mark.thorough
def test_a_gate_on_flops_is_inconclusive_across_rules_that_differ_in_content(tmp_path: Path) -> None:
    """FLOPs are comparable with a report by the same rules, whatever the name of their file, but not by others."""
    kept = tmp_path / "kept"
    graph_file, first = model(tmp_path), rules(tmp_path)
    assert call("report", graph_file, "--flops-rules", first, "--out", kept).code == 0

    def verdict(file: str) -> int:
        chosen = ("--flops-rules", file, "--gate", "float_ops <= +0", "--out", tmp_path / "diff")
        return call("diff", kept, graph_file, *chosen).code

    assert verdict(rules(tmp_path, width=5, name="renamed.toml")) == 0
    assert verdict(rules(tmp_path, width=6, name="other.toml")) == 5


@pytest.mark.parametrize("command", ["report", "scope", "shell"])
def test_a_bad_file_is_a_usage_error_of_one_line(tmp_path: Path, command: str) -> None:
    bad = tmp_path / "bad.toml"
    bad.write_text("[MyOp]\nclass = 'contraction'\nfloat_ops = 'size(in)'\n")
    out = ("--out", tmp_path / "report") if command == "report" else ()
    done = call(command, model(tmp_path), "--flops-rules", bad, *out)
    assert done.code == 2
    assert done.error.startswith(f"{bad} (--flops-rules): [MyOp] float_ops: ")


def test_a_missing_file_is_a_usage_error(tmp_path: Path) -> None:
    done = call("scope", model(tmp_path), "--flops-rules", tmp_path / "none.toml")
    assert (done.code, done.error) == (
        2,
        f"{tmp_path / 'none.toml'} (--flops-rules): cannot be read (No such file or directory)",
    )


def test_text_says_how_many_nodes_rules_count(tmp_path: Path) -> None:
    done = call("scope", model(tmp_path), "--rules", "extended", "--select", "float_ops")
    unknown = "1 node unknown: MyOp (--flops-rules takes rules for op types without one)"
    assert done.err == f"tfprof-report: FLOPs: 0 of 1 FLOP-capable nodes counted; {unknown}\n"
    ours = call("scope", model(tmp_path), "--rules", "extended", "--flops-rules", rules(tmp_path))
    assert ours.err == ""
    assert call("scope", model(tmp_path), "--select", "float_ops").err == ""  # as the native tool
