"""The tables: frozen columns, the conventions in the metadata, and every reader gets the same numbers."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command import WHEN, call, small_model, write_report

from tfprof_report.schema.metrics import SCHEMA_VERSION, UNIT_CONVENTIONS
from tfprof_report.schema.tables import TABLES


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a comparison with a label, commit, branch and timestamp."""
    tmp_path = tmp_path_factory.mktemp("parquet")
    base = write_report(small_model(tmp_path / "b", width=3), tmp_path / "r", "--commit", "old", "--label", "mine")
    head = small_model(tmp_path / "h")
    names = ("--commit", "new", "--branch", "main", "--timestamp", WHEN)
    assert call("diff", base, head, "--out", tmp_path / "o", *names).code == 0
    return tmp_path / "o"


@pytest.mark.parametrize("name", [name for name in TABLES if not name.endswith("code")])  # no call stacks here
def test_files_have_the_columns_of_their_tables(folder: Path, name: str) -> None:
    written = pq.read_table(folder / f"{name}.parquet").schema
    assert written.names == TABLES[name].names
    assert [str(kind).replace("element: ", "item: ") for kind in written.types] == list(map(str, TABLES[name].types))


def test_a_report_without_a_trace_has_the_same_columns(folder: Path, tmp_path: Path) -> None:
    model = small_model(tmp_path / "m")
    for step in (1, 2):
        (model / f"run_meta_{step}").unlink()
    (model / "tfprof_log").unlink()
    out = write_report(model, tmp_path / "o")
    for name in ("nodes", "steps", "scope", "op"):
        assert pq.read_schema(out / f"{name}.parquet").equals(pq.read_schema(folder / f"{name}.parquet")), name


def test_the_metadata_says_what_the_numbers_are(folder: Path) -> None:
    for file in folder.glob("*.parquet"):
        metadata = {
            key.decode().removeprefix("tfprof_report."): value.decode()
            for key, value in pq.read_schema(file).metadata.items()
        }
        assert metadata["schema_version"] == str(SCHEMA_VERSION)
        assert metadata["tool_version"] == "0.1.0"
        assert metadata["semantics"] == "corrected"
        assert metadata["timestamp"] == WHEN
        assert json.loads(metadata["conventions"]) == UNIT_CONVENTIONS
        assert json.loads(metadata["options"])["order_by"] == "float_ops"
        assert (metadata["commit"], metadata["branch"]) == ("new", "main")
        assert (metadata["base_commit"], metadata["base_label"]) == ("old", "mine")
        assert "label" not in metadata
        inputs, base_inputs = json.loads(metadata["inputs"]), json.loads(metadata["base_inputs"])
        assert [file["role"] for file in inputs] == ["graph", "run_meta", "run_meta", "op_log"]
        assert [file["step"] for file in inputs] == [None, 1, 2, None]
        assert {len(file["sha256"]) for file in inputs + base_inputs} == {64}
        assert "pandas" not in metadata


def test_a_file_does_not_depend_on_the_release_of_pyarrow(folder: Path, tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1]}), tmp_path / "by_pyarrow.parquet")
    by_pyarrow = pq.read_metadata(tmp_path / "by_pyarrow.parquet").created_by
    named = write_report(small_model(tmp_path / "m"), tmp_path / "named", "--label", f"\x1d{by_pyarrow}")
    for file in (*folder.glob("*.parquet"), *named.glob("*.parquet")):
        metadata = pq.read_metadata(file)
        assert metadata.created_by == "tfprof-report version 0.1.0"
        groups = [metadata.row_group(group) for group in range(metadata.num_row_groups)]
        columns = [group.column(column) for group in groups for column in range(group.num_columns)]
        assert {column.is_stats_set for column in columns} <= {False}
    (label,) = {pq.read_schema(file).metadata[b"tfprof_report.label"] for file in named.glob("*.parquet")}
    assert label == f"\x1d{by_pyarrow}".encode(), "a text of the user stays"


def test_pyarrow_pandas_and_duckdb_read_the_same(folder: Path) -> None:
    for file in sorted(folder.glob("*.parquet")):
        arrow = pq.read_table(file)
        frame = pd.read_parquet(file, dtype_backend="pyarrow")
        assert list(frame.columns) == arrow.column_names, "no index column"
        assert len(frame) == arrow.num_rows
        with duckdb.connect() as database:
            duck = database.sql(f"SELECT * FROM '{file}'").to_arrow_table()
        plain = [field.name for field in arrow.schema if not pa.types.is_nested(field.type)]
        assert duck.select(plain).to_pylist() == arrow.select(plain).to_pylist()
        key = "name" if "name" in frame else arrow.column_names[0]
        assert [None if word is pd.NA else word for word in frame[key]] == arrow[key].to_pylist()


def test_unknown_figures_are_null(folder: Path) -> None:
    nodes = pq.read_table(folder / "nodes.parquet").to_pylist()
    assert {row["name"]: row["float_ops"] for row in nodes} == {"fc/kernel": 0, "fc/MatMul": 24, "out": 8}
    assert {row["name"]: row["micros"] for row in nodes} == {"fc/kernel": 0.0, "fc/MatMul": 45.0, "out": 5.0}
    changes = {row["name"]: row for row in pq.read_table(folder / "diff_nodes.parquet").to_pylist()}
    kernel = changes["fc/kernel"]
    assert (kernel["base_params"], kernel["head_params"], kernel["delta_params"]) == (9, 12, 3)
    matmul = changes["fc/MatMul"]
    assert (matmul["base_macs"], matmul["head_macs"], matmul["delta_macs"]) == (2 * 3 * 3, 2 * 4 * 4, 14)
    assert matmul["state_macs"] == "changed"


def test_steps_are_exact_and_lead_back_to_their_nodes(folder: Path) -> None:
    with duckdb.connect() as database:
        rows = database.sql(
            f"SELECT name, step, steps.micros, steps.bytes FROM '{folder}/steps.parquet' AS steps "
            f"JOIN '{folder}/nodes.parquet' USING (node) ORDER BY ALL"
        ).fetchall()
    assert rows == [("fc/MatMul", 1, 30, 256), ("fc/MatMul", 2, 60, 256), ("out", 1, 5, 0), ("out", 2, 5, 0)]


def test_a_view_leads_back_to_its_nodes_and_its_parents(folder: Path) -> None:
    with duckdb.connect() as database:
        rows = database.sql(
            "SELECT child.name, parent.name, child.depth, nodes.op, child.self_params, child.total_params "
            f"FROM '{folder}/scope.parquet' AS child LEFT JOIN '{folder}/scope.parquet' AS parent "
            f"ON child.parent = parent.row LEFT JOIN '{folder}/nodes.parquet' AS nodes ON child.node = nodes.node "
            "ORDER BY child.row"
        ).fetchall()
    assert rows == [
        ("fc", None, 1, None, 0, 12),
        ("fc/MatMul", "fc", 2, "MatMul", 0, 0),
        ("fc/kernel", "fc", 2, "VariableV2", 12, 12),
        ("out", None, 1, "Relu", 0, 0),
    ]
