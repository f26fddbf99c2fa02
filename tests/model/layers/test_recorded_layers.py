"""Layers of recorded models against what Keras itself, and the code that made them, say (``tests/data/layers``)."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tfprof_report.ingest.paths import InputPaths
from tfprof_report.ingest.read import read_inputs
from tfprof_report.model.measurement import AS_REPORTS
from tfprof_report.model.node_table import NodeTable
from tfprof_report.model.read_model import build_measured
from tfprof_report.model.shapes.resolve import ShapeUse
from tfprof_report.semantics import CORRECTED

FOLDER = Path(__file__).parents[2] / "data" / "layers"
TRUTHS = {path.stem: json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))}
GRAPHS = [(name, kind) for name, truth in TRUTHS.items() for kind in truth["graphs"]]
TRAINED = [(name, kind) for name, kind in GRAPHS if kind != "infer"]
PHASES = {"forward": "forward", "gradient": "backward", "update": "optimizer"}

NUMBERS = re.compile(r"_[0-9]+(?=/|$)")

WITHOUT_NODES = {"Dropout", "relu"}
"""Layers that leave no scope in a graph: dropout does nothing in a served model, and a relu of slim is a node."""

PARTLY = {
    ("lstm_text", "train"): 0.95,
    ("bidirectional", "train"): 0.87,
    ("keras2_nested", "train"): 0.95,
    ("keras_in_tf1", "tf1"): 0.99,
    ("tied_embedding", "train"): 0.99,
}
"""Share of phases that are right where gradients are in loops, or an optimizer sums them up; elsewhere all are."""


@cache
def table_of(name: str, kind: str) -> NodeTable:
    inputs = read_inputs(InputPaths(graph=str(FOLDER / TRUTHS[name]["graphs"][kind])))
    return build_measured(inputs, AS_REPORTS.counting.use(CORRECTED), AS_REPORTS, ShapeUse.RULES)


def column(name: str, kind: str, of: str) -> list[Any]:
    found = table_of(name, kind).columns[of]
    return (found.cast(pa.string()) if pa.types.is_dictionary(found.type) else found).to_pylist()


def path_of(layer: dict[str, Any]) -> str:
    """Return the name of a layer below the model."""
    return "/".join([*layer.get("within", [])[1:], layer["name"]])


def is_in(row: str | None, path: str) -> bool:
    """Return whether a row of ours is the layer of this path or a part of it, whatever tracing numbers scopes by."""
    return row is not None and any(f"/{path}/" in f"/{each}/" for each in (row, NUMBERS.sub("", row)))


def positions(layer: dict[str, Any], kind: str) -> dict[str, list[int]]:
    ranges = layer.get(f"{kind}_nodes", {})
    return {word: [at for first, end in found for at in range(first, end)] for word, found in ranges.items()}


@pytest.mark.parametrize(("name", "kind"), GRAPHS)
def test_parameters_are_in_the_rows_of_their_layer(name: str, kind: str) -> None:
    layers, params, kinds = (column(name, kind, of) for of in ("layer", "params", "param_kind"))
    held: Counter[str] = Counter()
    for layer, count, of in zip(layers, params, kinds, strict=True):
        if layer is not None and of != "slot":
            held[layer] += count or 0
    wrong = {}
    for layer in TRUTHS[name]["layers"]:
        wanted, path = layer["trainable"] + layer["non_trainable"], path_of(layer)
        exact = {row: count for row, count in held.items() if f"/{path}/" in f"/{row}/"}
        rows = exact or {row: count for row, count in held.items() if is_in(row, path)}
        alone = [count for row, count in rows.items() if row == path or row.endswith(f"/{path}")]
        if wanted and wanted not in (*rows.values(), *alone, sum(rows.values())):
            wrong[path] = (sum(rows.values()), wanted)
    assert wrong == UNKNOWN_SHAPES.get((name, kind), {})


UNKNOWN_SHAPES = {("hugging_face_bert", "train"): {"bert/embeddings": (16, 928)}}
"""Tables that are only gathered from have no known shape in a graph without variables."""


@pytest.mark.parametrize(("name", "kind"), GRAPHS)
def test_layers_without_parameters_have_rows_too(name: str, kind: str) -> None:
    rows = set(column(name, kind, "layer"))
    missing = [
        path_of(layer)
        for layer in TRUTHS[name]["layers"]
        if layer["class"] not in WITHOUT_NODES and not any(is_in(row, path_of(layer)) for row in rows)
    ]
    assert not missing


@pytest.mark.parametrize(("name", "kind"), TRAINED)
def test_nodes_are_in_the_layer_that_made_them(name: str, kind: str) -> None:
    layers = column(name, kind, "layer")
    right = wrong = 0
    owners: Counter[str | None] = Counter()
    for layer in TRUTHS[name]["layers"]:
        places = positions(layer, kind)
        own = {layers[at] for at in places.get("forward", ())} - {None}
        owners.update(own if layer["class"] not in WITHOUT_NODES else ())
        for at in (at for found in places.values() for at in found):
            is_right = layers[at] in own or any(is_in(layers[at], row) for row in own)
            right, wrong = right + is_right, wrong + (not is_right)
    assert right / (right + wrong) >= 0.95
    assert not [row for row, times in owners.items() if times > 1]


@pytest.mark.parametrize(("name", "kind"), TRAINED)
def test_nodes_are_in_the_phase_in_which_they_compute(name: str, kind: str) -> None:
    phases = column(name, kind, "phase")
    found = [
        phases[at] == PHASES[word]
        for layer in TRUTHS[name]["layers"]
        for word, places in positions(layer, kind).items()
        for at in places
    ]
    assert sum(found) / len(found) >= PARTLY.get((name, kind), 1)
