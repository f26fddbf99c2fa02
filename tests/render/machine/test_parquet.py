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

_WORD = "dictionary<values=string, indices=int32, ordered=0>"
_STATE = "dictionary<values=string, indices=int8, ordered=0>"
STATIC = ("params", "float_ops", "macs")
RUN = (
    *("run_float_ops", "bytes", "peak_bytes", "residual_bytes", "output_bytes"),
    *("micros", "accelerator_micros", "cpu_micros", "run_count"),
)


def figures(prefix: str) -> dict[str, str]:
    """Return the figures of a view: exact ones as int64, means over the steps as double."""
    kinds = dict.fromkeys(STATIC, "int64") | dict.fromkeys(RUN, "double") | {"definition_count": "int64"}
    return {prefix + stem: kind for stem, kind in kinds.items()}


def differences(*, count_of_nodes: bool) -> dict[str, str]:
    """Return the five columns of each metric of a comparison."""
    columns = {}
    for stem, kind in figures("").items():
        if stem != "definition_count" or count_of_nodes:
            columns |= {f"base_{stem}": kind, f"head_{stem}": kind, f"delta_{stem}": kind}
            columns |= {f"percent_{stem}": "double", f"state_{stem}": _STATE}
    return columns


def halves() -> dict[str, str]:
    """Return the two parts of each difference of op view."""
    kinds = {stem: kind for stem, kind in figures("").items() if stem != "definition_count"}
    return {f"{part}_{stem}": kind for stem, kind in kinds.items() for part in ("more", "bigger")}


NODES = {
    "node": "int64",
    "name": "string",
    "op": _WORD,
    "source": _WORD,
    "device": _WORD,
    "run_devices": "list<element: string>",
    "op_types": "list<element: string>",
    "inputs": "list<element: string>",
    "shape": "list<element: int64>",
    "input_shapes": "list<element: list<element: int64>>",
    "output_shapes": "list<element: list<element: int64>>",
    "shape_source": _WORD,
    "shape_conflict": "bool",
    "params": "int64",
    "param_bytes": "int64",
    "param_kind": _WORD,
    "param_kind_is_guess": "bool",
    "float_ops": "int64",
    "macs": "int64",
    "single_float_ops": "int64",
    "multiplicity": "int64",
    "float_ops_source": _WORD,
    "float_ops_reason": _WORD,
    "op_class": _WORD,
    "trainable": "bool",
    **dict.fromkeys(RUN, "double"),
}
STEPS = {
    "node": "int64",
    "step": "int64",
    "device": _WORD,
    "first_device": "bool",
    **dict.fromkeys(RUN[1:], "int64"),
}
PLACE = {
    "row": "int64",
    "parent": "int64",
    "depth": "int64",
    "subtree_size": "int64",
    "name": "string",
    "leaf": "string",
}
CHOICE = {"node": "int64", "accounted": "bool", "shown": "bool", "position": "int64"}
VIEW = {**PLACE, **CHOICE, **figures("self_"), **figures("total_")}
MEMBERS = {"run_devices": "list<element: string>", "op_types": "list<element: string>"}
PARTNER = {"base_name": "string", "matched_by": _STATE}
SCHEMAS = {
    "nodes": NODES,
    "steps": STEPS,
    "devices": {"device": "string", "step": "int64", "device_peak_bytes": "int64", "source": "string"},
    "memory": dict.fromkeys(("device",), "string") | dict.fromkeys(("step", "micros", "bytes"), "int64"),
    "unmatched": {"input": "string", "name": "string", "records": "int64"},
    "not_counted": {"op": "string", "reason": "string", "nodes": "int64", "examples": "list<element: string>"},
    "scope": VIEW,
    "graph": VIEW,
    "op": {**PLACE, **MEMBERS, **CHOICE, **figures("self_"), **figures("total_")},
    "diff_nodes": {
        "name": "string",
        "status": _STATE,
        **PARTNER,
        "base_op": _WORD,
        "head_op": _WORD,
        **differences(count_of_nodes=False),
    },
    "diff_scope": {"name": "string", "status": _STATE, **PARTNER, "depth": "int64", **differences(count_of_nodes=True)},
    "diff_op": {
        "name": "string",
        "status": _STATE,
        "depth": "int64",
        **differences(count_of_nodes=True),
        **halves(),
    },
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a comparison, with everything that a user can name."""
    tmp_path = tmp_path_factory.mktemp("parquet")
    base = write_report(small_model(tmp_path / "b", width=3), tmp_path / "r", "--commit", "old", "--label", "mine")
    head = small_model(tmp_path / "h")
    names = ("--commit", "new", "--branch", "main", "--timestamp", WHEN)
    assert call("diff", base, head, "--out", tmp_path / "o", *names).code == 0
    return tmp_path / "o"


@pytest.mark.parametrize("name", SCHEMAS)
def test_names_types_and_order_of_the_columns_are_frozen(folder: Path, name: str) -> None:
    schema = pq.read_schema(folder / f"{name}.parquet")
    assert [(field.name, str(field.type)) for field in schema] == list(SCHEMAS[name].items()), (
        "a column has changed: raise SCHEMA_VERSION with it"
    )


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
        assert frame[key].tolist() == arrow[key].to_pylist()


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
