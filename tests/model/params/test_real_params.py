"""Parameters of graphs that TensorFlow wrote (``ci/build_param_models.py``), counted as TensorFlow counts them."""

from __future__ import annotations

import json

import pandas as pd
import pytest
from repository import DATA

from tfprof_report.ingest.paths import InputPaths
from tfprof_report.ingest.read import read_inputs
from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.execution_counts import INLINED

FOLDER = DATA / "params"
EXPECTED: dict[str, dict[str, int]] = json.loads((FOLDER / "expected.json").read_text())
CERTAIN = {"v1_meta_graph", "v2_saved_model", "v1_frozen", "v2_frozen", "v2_frozen_calls"}


def nodes_of(name: str) -> pd.DataFrame:
    inputs = read_inputs(InputPaths(graph=str(FOLDER / f"{name}.pb.gz")))
    return build_node_table(inputs, functions=INLINED).nodes


def held(nodes: pd.DataFrame) -> pd.DataFrame:
    nodes = nodes.astype({"param_kind": "string"})
    return nodes[nodes["param_kind"].notna() & (nodes["param_kind"] != "unused")]


@pytest.mark.parametrize("name", EXPECTED)
def test_parameters_of_each_kind_are_those_of_tensorflow(name: str) -> None:
    found = held(nodes_of(name))
    assert found.groupby("param_kind")["params"].sum().to_dict() == EXPECTED[name]
    is_count = found["param_kind"].eq("not_trainable") & found["params"].eq(1) & found["param_bytes"].eq(8)
    counters = found[is_count]  # of steps
    others = found.drop(counters.index)
    assert len(counters) == name.startswith(("train_", "step_"))
    assert (others["param_bytes"] == others["params"] * 4).all()
    assert set(found["param_kind_is_guess"]) == {name not in CERTAIN}


def test_other_nodes_hold_no_parameters() -> None:
    nodes = nodes_of("v1_frozen")
    others = nodes[nodes["param_kind"].isna()]
    assert len(others) > len(held(nodes))
    assert others["params"].eq(0).all()
    assert others["param_bytes"].eq(0).all()
    assert others["param_kind_is_guess"].isna().all()
