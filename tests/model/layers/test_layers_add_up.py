"""Layers are a partition of the nodes of any model."""

from __future__ import annotations

from typing import Any

from examples import examples
from hypothesis import given, settings
from layered import any_graphs, side_from

from tfprof_report.schema.metrics import SUMMED_STEMS
from tfprof_report.schema.tables import PHASES


@settings(max_examples=examples(60))
@given(any_graphs())
def test_figures_of_layers_add_up_to_those_of_nodes(model: Any) -> None:
    side = side_from(model)
    layers, nodes = side.layers, side.nodes
    assert sum(layers["definition_count"].to_pylist()) == nodes.num_rows
    for stem in SUMMED_STEMS:
        known = [value for value in nodes[stem].to_pylist() if value is not None]
        assert sum(value or 0 for value in layers[stem].to_pylist()) == sum(known), stem
    for row in layers.to_pylist():
        assert sum(row[f"{phase}_float_ops"] for phase in PHASES) == (row["float_ops"] or 0)
    if nodes.num_rows:
        assert set(nodes["phase"].cast("string").to_pylist()) <= set(PHASES)
