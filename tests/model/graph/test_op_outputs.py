"""Outputs of op types: how many, and the index of each."""

from __future__ import annotations

import pyarrow as pa
import pytest

from tfprof_report.model.graph.op_outputs import count_outputs, output_places


@pytest.mark.parametrize(
    ("op", "count"), [("Relu", 1), ("Mine", 1), ("TopKV2", 2), ("FusedBatchNormV3", 6), ("_FusedBatchNormEx", 6)]
)
def test_an_op_type_has_as_many_outputs_as_names(op: str, count: int) -> None:
    assert count_outputs(op) == count


def test_the_place_of_an_output_is_that_of_its_name_and_0_where_it_has_none() -> None:
    ops, outputs = ["TopKV2", "TopKV2", "Relu", None], ["values", "indices", "activations", "y"]
    assert output_places(pa.array(ops, pa.string()), pa.array(outputs)).tolist() == [0, 1, 0, 0]
