"""What gives the figures that a sum lacks."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from tfprof_report.compare.lower_bound import find_missing
from tfprof_report.model.flops.evaluate import Reason

SHAPES, GRAPH = "--input-shape or --batch gives open shapes", "the trace has none, --graph gives them"


@pytest.mark.parametrize(
    ("sources", "steps"),
    [(["graph"], (SHAPES,)), (["run_metadata"], (GRAPH,)), (["graph", "run_metadata"], (SHAPES,))],
)
def test_only_a_graph_gives_the_shapes_of_a_trace(sources: list[str], steps: tuple[str, ...]) -> None:
    count = len(sources)
    nodes = pa.table(
        {
            "name": [f"n{number}" for number in range(count)],
            "op": ["MatMul"] * count,
            "source": sources,
            "op_class": ["contraction"] * count,
            "float_ops_reason": [Reason.SHAPE] * count,
        }
    )
    assert find_missing(nodes, "float_ops", np.ones(count, dtype=bool)).steps == steps
