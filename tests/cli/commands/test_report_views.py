"""Graph and code view, text columns and advice in reports."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest
from command import CPU, call, summary_of, write_model, write_report
from messages import entry, graph, node, op_log, ran, run_meta

NODES = graph(
    node("w", "VariableV2", shape=[2, 3], output_shapes=[[2, 3]]),
    node("x", "MatMul", "w", output_shapes=[[2, 2]]),
    node("y", "Relu", "x", "w"),
)
RUN = run_meta({CPU: [ran("x", micros=4000), ran("y", micros=2000)]})
STRINGS = {1: "src/main.py", 2: "lib/main.py", 3: "run"}


def write(folder: Path, *, float_ops: int = 24, traces: bool = True) -> Path:
    stacks = {"w": [(1, 1, 3), (2, 2, 3)], "x": [(1, 1, 3), (3, 1, 3)], "y": [(4, 2, 3), (2, 2, 3)]}
    log = op_log(
        *(
            entry(name, float_ops=float_ops if name == "x" else 0, traces=stack if traces else None)
            for name, stack in stacks.items()
        ),
        strings=STRINGS,
    )
    return write_model(folder, NODES, {0: RUN}, log)


def test_rows_of_code_view_are_told_by_their_path(tmp_path: Path) -> None:
    report = write_report(write(tmp_path / "model"), tmp_path / "report")
    rows = pq.read_table(report / "code.parquet")
    assert dict(zip(rows["path"].to_pylist(), rows["op_types"].to_pylist(), strict=True)) == {
        "src/main.py:1:run": [],
        "src/main.py:1:run > lib/main.py:2:run": ["VariableV2"],
        "src/main.py:1:run > src/main.py:3:run": [CPU.lower(), "MatMul"],
        "lib/main.py:4:run": [],
        "lib/main.py:4:run > lib/main.py:2:run": [CPU.lower(), "Relu"],
    }


def test_differences_of_code_and_graph_view_are_found_by_path_and_by_node(tmp_path: Path) -> None:
    base, head = write(tmp_path / "base"), write(tmp_path / "head", float_ops=30)
    assert call("diff", base, head, "--out", tmp_path / "out").code == 0
    tables = {view: pq.read_table(tmp_path / "out" / f"diff_{view}.parquet").to_pylist() for view in ("code", "graph")}
    changed = {view: [row["name"] for row in rows if row["status"] == "changed"] for view, rows in tables.items()}
    assert changed == {"code": ["src/main.py:1:run", "src/main.py:1:run > src/main.py:3:run"], "graph": ["y", "x"]}


def test_without_call_stacks_there_is_no_code_view(tmp_path: Path) -> None:
    report = write_report(write(tmp_path / "model", traces=False), tmp_path / "report")
    assert not (report / "code.parquet").exists()
    assert "By line of code" not in (report / "report.md").read_text()
    assert call("diff", write(tmp_path / "other"), report, "--out", tmp_path / "out").code == 0
    assert not (tmp_path / "out" / "diff_code.parquet").exists()


def test_words_are_columns_where_they_are_selected(tmp_path: Path) -> None:
    select = "device,op_types,input_shapes,float_ops"
    report = write_report(write(tmp_path / "model"), tmp_path / "report", "--select", select)
    page = (report / "report.md").read_text()
    types = f"`{CPU.lower()} \\| MatMul`"
    assert f"| `x` | 24 | `{CPU.lower()}` | {types} | 2x3 |" in page
    assert "| `src/main.py:1:run` | 24 |  |  |" in page
    assert f"| &emsp;`src/main.py:3:run` | 24 | `{CPU.lower()}` | {types} |" in page
    again = write_report(report, tmp_path / "again")
    assert (again / "report.md").read_text().partition(">Provenance<")[0] == page.partition(">Provenance<")[0]


def test_a_default_report_has_figures_only(tmp_path: Path) -> None:
    page = (write_report(write(tmp_path / "model"), tmp_path / "report") / "report.html").read_text()
    assert "Input shapes" not in page
    assert "Executions" in page


def test_a_node_may_be_called_like_the_row_above_cycles(tmp_path: Path) -> None:
    nodes = graph(node("in a cycle", "NoOp"), node("a", "Loop", "b"), node("b", "Loop", "a"))
    model = write_model(tmp_path / "model", nodes)
    assert call("diff", model, model, "--out", tmp_path / "out").code == 0
    names = pq.read_table(tmp_path / "out" / "graph.parquet")["name"].to_pylist()
    assert names == ["in a cycle", "(in a cycle)", "a", "b"]


def test_advice_stands_in_every_form_of_the_report_and_survives_reading_it_back(tmp_path: Path) -> None:
    report = write_report(write(tmp_path / "model"), tmp_path / "report")
    expensive = summary_of(report)["advice"][0]
    assert expensive["checker"] == "ExpensiveOperationChecker"
    assert expensive["reports"][0][0] | {"name": "MatMul", "micros": 4000} == expensive["reports"][0][0]
    assert expensive["reports"][0][0]["percent"] == pytest.approx(200 / 3)
    for page in ("report.md", "report.html"):
        assert "66.67 %" in (report / page).read_text()
    again = write_report(report, tmp_path / "again")
    assert summary_of(again)["advice"] == summary_of(report)["advice"]
