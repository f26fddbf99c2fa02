"""A report by another tool version of the same schema can be base or head; columns that it lacks are unknown."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from command import WHEN, call, small_model, summary_of, write_report
from examples import every

from tfprof_report.compare.gates.policy import Policy
from tfprof_report.errors import BaselineError
from tfprof_report.job import Job, run
from tfprof_report.model.measurement import AS_REPORTS
from tfprof_report.report.folder import read_report_folder
from tfprof_report.schema import tables as written_tables
from tfprof_report.schema.compatible import UnlikeError, as_now, known_fields
from tfprof_report.schema.metrics import METRICS, VIEWS
from tfprof_report.schema.tables import NODES
from tfprof_report.views.advice.findings import Finding

NEEDED = {
    "nodes": {"node", "name", "op"},
    "steps": {"node", "step", "device", "first_device"},
    "memory": {"device", "step", "micros", "bytes"},
    "peak": {"device", "step", "name", "kind", "bytes"},
    "activity": {"step", "device", "kind"},
    "transfers": {"step", "kind", "count"},
    "waits": {"step", "device", "nanos"},
    "unmatched": {"input", "name", "records"},
}
TABLES = ("nodes", "steps", "memory", "peak", "activity", "transfers", "waits", "unmatched", "scope", "graph", "op")
SOME = every(6, reversed(TABLES))
"""All of them; the default run tries small ones."""

ACTIVITY = ("activity", "transfers", "waits")


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("older")
    return write_report(small_model(folder / "m"), folder / "r", "--commit", "a" * 40)


@pytest.fixture(scope="module")
def wider(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wider")
    return write_report(small_model(folder / "m", width=5, float_ops=30), folder / "r", "--commit", "b" * 40)


def rewrite(
    source: Path,
    target: Path,
    tables: Callable[[str, pa.Table], pa.Table] = lambda _, table: table,
    summary: Callable[[dict[str, Any]], dict[str, Any]] = lambda content: content,
) -> Path:
    """Copy a report with changed tables and summary, as another tool version would have written it."""
    shutil.copytree(source, target)
    content = summary(summary_of(target))
    for name in TABLES:
        sink = io.BytesIO()
        pq.write_table(tables(name, pq.read_table(target / f"{name}.parquet")), sink)
        (target / f"{name}.parquet").write_bytes(sink.getvalue())
        content["files"][f"{name}.parquet"]["sha256"] = hashlib.sha256(sink.getvalue()).hexdigest()
    (target / "summary.json").write_text(json.dumps(content))
    return target


def is_figure(column: str) -> bool:
    return column.partition("_")[0] in ("self", "total", "unknown") and column.partition("_")[2] in METRICS


def stripped(name: str, table: pa.Table) -> pa.Table:
    """Drop all columns that a later version may have added."""
    keep = [column for column in table.column_names if not is_figure(column)]
    return table.select([column for column in keep if column in NEEDED.get(name, keep)])


def bare(content: dict[str, Any]) -> dict[str, Any]:
    """Drop all keys that a later version may have added."""
    kept = {key: content[key] for key in ("schema_version", "semantics", "steps", "totals", "options", "files")}
    files = [{key: value for key, value in file.items() if key != "more"} for file in content["side"]["inputs"]]
    return {**kept, "options": {"rules": "extended", "functions": "on"}, "side": {"inputs": files}}


def more(value: Any) -> Any:
    """Add a key to every record."""
    match value:
        case dict():
            return {**{key: more(item) for key, item in value.items()}, "of_a_later_version": {"deep": [1]}}
        case list():
            return [more(item) for item in value]
    return value


def with_more(content: dict[str, Any]) -> dict[str, Any]:
    kept = {"files": content["files"], "options": {**content["options"], "of_a_later_version": 1}}
    return {**more(content), **kept}


@pytest.mark.thorough
def test_a_report_of_an_older_tool_is_a_baseline_and_what_it_lacks_is_unknown(
    tmp_path: Path, report: Path, wider: Path
) -> None:
    old = rewrite(report, tmp_path / "old", stripped, bare)
    measured = read_report_folder(str(old))
    assert measured.nodes.schema.equals(NODES)
    assert measured.nodes["name"].to_pylist() == ["fc/kernel", "fc/MatMul", "out"]
    assert all(measured.nodes[column].null_count == 3 for column in NODES.names if column not in NEEDED["nodes"])
    out = tmp_path / "o"
    outcome = call("report", wider, "--baseline", old, "--out", out, "--gate", "params <= +0")
    assert outcome.code == 5, outcome
    totals = {total["stem"]: total for total in summary_of(out)["comparison"]["totals"]}
    assert (totals["params"]["base"], totals["params"]["head"], totals["params"]["delta"]) == (None, 15, None)
    assert totals["definition_count"]["delta"] == 0


def test_a_report_of_an_older_tool_is_a_head_too(tmp_path: Path, report: Path, wider: Path) -> None:
    old = rewrite(report, tmp_path / "old", stripped, bare)
    for arguments in (("report", old), ("report", old, "--baseline", wider)):
        outcome = call(*arguments, "--out", tmp_path / "o", "--timestamp", WHEN)
        assert outcome.code in (0, 5), outcome
        assert {total["value"] for total in summary_of(tmp_path / "o")["totals"]} == {None, 3}  # nodes are counted


@pytest.mark.parametrize("name", SOME)
def test_columns_may_be_missing_and_no_figure_becomes_0(tmp_path: Path, report: Path, wider: Path, name: str) -> None:
    table = pq.read_table(report / f"{name}.parquet")
    optional = [column for column in table.column_names if column not in stripped(name, table).column_names]
    assert bool(optional) == (name != "memory")
    is_view = name in ("scope", "graph", "op")
    groups = [[each for each in optional if each.startswith(prefix)] for prefix in ("self_", "total_")]
    for at, columns in enumerate(groups if is_view else [[each] for each in optional]):
        old = rewrite(report, tmp_path / str(at), lambda each, it, gone=columns: it.drop(gone) if each == name else it)
        job = Job(head=str(wider), base=str(old), policy=Policy(), measurement=AS_REPORTS)
        comparison = run(job, lambda _: None).comparison
        assert comparison is not None
        others = ("steps", "peak", "unmatched", *ACTIVITY)
        for stem in (column.removeprefix("total_") for column in columns if name not in others):
            if stem in METRICS:
                rows = comparison.views[name] if is_view else comparison.nodes
                assert rows[f"base_{stem}"].null_count == rows.num_rows


@pytest.mark.thorough
def test_what_a_later_tool_adds_is_left_aside(tmp_path: Path, report: Path, wider: Path) -> None:
    def wide(_: str, table: pa.Table) -> pa.Table:
        return table.add_column(1, "of_a_later_version", pa.array(["x"] * table.num_rows))

    new = rewrite(report, tmp_path / "new", wide, with_more)
    one, other = (read_report_folder(str(folder)) for folder in (new, report))
    assert one.origin == other.origin
    for name in ("nodes", "steps", "memory", "peak", "unmatched"):
        assert getattr(one, name).equals(getattr(other, name))
    assert [view.rows for view in one.views.values()] == [view.rows for view in other.views.values()]
    assert (one.advice, one.diagnostics, one.measurement) == (other.advice, other.diagnostics, other.measurement)
    outcomes = [call("diff", base, wider, "--out", tmp_path / f"o{base.name}") for base in (new, report)]
    assert outcomes[0].code == outcomes[1].code == 0
    assert outcomes[0].out.splitlines()[-1] == outcomes[1].out.splitlines()[-1]


@pytest.mark.parametrize("name", SOME)
def test_a_column_that_is_needed_or_of_another_type_is_one_line(tmp_path: Path, report: Path, name: str) -> None:
    for column in stripped(name, pq.read_table(report / f"{name}.parquet")).column_names:
        old = rewrite(report, tmp_path / column, lambda each, it, c=column: it.drop(c) if each == name else it)
        with pytest.raises(BaselineError, match=f"{name}.parquet: does not have the columns of this version"):
            read_report_folder(str(old))
    if name == "nodes":
        text = pa.array(["12"] * 3)
        old = rewrite(
            report,
            tmp_path / "x",
            lambda each, it: it.set_column(it.column_names.index("params"), "params", text) if each == name else it,
        )
        with pytest.raises(BaselineError, match="does not have the columns of this version"):
            read_report_folder(str(old))


@pytest.mark.parametrize("name", SOME)
def test_a_row_without_a_value_that_all_rows_have_is_one_line(tmp_path: Path, report: Path, name: str) -> None:
    table = pq.read_table(report / f"{name}.parquet")
    for column in stripped(name, table).column_names:

        def without_last(each: str, it: pa.Table, column: str = column) -> pa.Table:
            if each != name:
                return it
            is_last = pa.array([row == it.num_rows - 1 for row in range(it.num_rows)])
            values = pc.if_else(is_last, pa.scalar(None, it[column].type), it[column])
            return it.set_column(it.column_names.index(column), column, values)

        changed = rewrite(report, tmp_path / column, without_last)
        outcome = call("diff", changed, report, "--out", tmp_path / "o")
        assert "internal error" not in outcome.err
        others = ["node"] if name in VIEWS else ["name", "bytes"] if name == "peak" else []
        may_be_null = {"op", "parent", "position", "run_devices", "op_types", *others}
        if table.num_rows and column not in may_be_null:
            assert outcome.code == 4, column
            assert f"{name}.parquet: has rows without {column}; write the report again" in outcome.err


def test_columns_come_in_the_order_of_this_version_and_once() -> None:
    op = pa.array(["X"]).dictionary_encode()
    table = pa.table({"of_a_later_version": [1], "name": ["a"], "op": op, "node": [0]})
    now = as_now("nodes", table)
    assert now.schema.equals(NODES)
    assert now.to_pylist() == [dict.fromkeys(NODES.names) | {"node": 0, "name": "a", "op": "X"}]
    with pytest.raises(UnlikeError):
        as_now("nodes", table.append_column("name", pa.array(["b"])))
    with pytest.raises(UnlikeError):
        as_now("scope", table)


def test_the_rows_of_a_view_keep_the_columns_that_they_are_written_with(report: Path) -> None:
    for name in ("scope", "graph", "op"):
        table = read_report_folder(str(report)).views[name].rows
        assert table.column_names == pq.read_table(report / f"{name}.parquet").column_names
        assert as_now(name, table).equals(table)


def test_fields_that_a_record_has_no_place_for_are_left_aside() -> None:
    values: Mapping[str, Any] = {"topic": "device", "name": "x", "of_a_later_version": 3}
    assert known_fields(Finding, values) == {"topic": "device", "name": "x"}


def test_a_column_that_views_gain_is_unknown_in_older_reports(monkeypatch: pytest.MonkeyPatch, report: Path) -> None:
    for view in ("scope", "graph", "op"):
        wider = written_tables.TABLES[view].append(pa.field("of_a_later_version", pa.string()))
        monkeypatch.setitem(written_tables.TABLES, view, wider)
        found = as_now(view, pq.read_table(report / f"{view}.parquet"))
        assert found["of_a_later_version"].null_count == found.num_rows > 0


def test_nanoseconds_that_an_older_tool_did_not_write_are_those_of_the_microseconds() -> None:
    old = pa.table({"node": [0], "step": [0], "device": pa.array(["/cpu:0"]).dictionary_encode()})
    old = old.append_column("first_device", pa.array([True])).append_column("micros", pa.array([7]))
    steps = as_now("steps", old)
    assert steps["nanos"].to_pylist() == [7000]
    assert steps["cpu_nanos"].to_pylist() == [None]
