from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import graph, inputs_of, node

from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.params.count import is_variable, params_of, shape_products, unknown_dims

SHAPE = pa.list_(pa.int64())
SHAPES = st.lists(
    st.one_of(st.none(), st.lists(st.sampled_from([-1, 0, 1, 2, 7, 2**20, 2**31, 3**20, -(2**63)]), max_size=5)),
    max_size=6,
)


@given(SHAPES)
def test_products_are_exact_or_said_to_overflow_and_wrap_like_int64(shapes: list[list[int] | None]) -> None:
    products, overflows = shape_products(pa.array(shapes, SHAPE))
    exact = [math.prod(shape or ()) for shape in shapes]
    assert overflows.tolist() == [abs(product) >= 2**63 for product in exact]
    assert products.tolist() == [(product + 2**63) % 2**64 - 2**63 for product in exact]


@given(SHAPES)
def test_a_negative_size_is_an_unknown_one(shapes: list[list[int] | None]) -> None:
    expected = [any(size < 0 for size in shape or ()) for shape in shapes]
    assert unknown_dims(pa.array(shapes, SHAPE)).tolist() == expected


def test_params_of_a_slice_are_those_of_its_rows() -> None:
    shapes = pa.array([[9], [2, 3], None, [], [-1]], SHAPE).slice(1)
    params = params_of(shapes, holds=np.ones(4, dtype=bool), is_known=np.ones(4, dtype=bool))
    assert params.to_pylist() == [6, None, 1, None]


def test_only_variables_hold_parameters_and_an_unknown_op_is_unknown() -> None:
    assert is_variable(pa.array(["VariableV2", "Placeholder", None])).to_pylist() == [True, False, None]


def test_variables_without_a_known_number_of_elements_are_told() -> None:
    model = graph(
        node("huge", "VariableV2", shape=[2**32, 2**32]),
        node("open", "VarHandleOp", shape=[-1, 4]),
        node("known", "VariableV2", shape=[2, 4]),
        node("none", "Add"),
    )
    found = [each for each in build_node_table(inputs_of(model)).diagnostics if each.code == "unknown_params"]
    assert [(each.count, each.examples) for each in found] == [(2, ("huge", "open"))]


@pytest.mark.parametrize("sizes", [[2**62] * 18 + [0], [0] + [2**62] * 18, [2**62] * 40_000, [1] * 200_000])
def test_shapes_beyond_any_number_are_counted_without_a_warning(sizes: list[int]) -> None:
    products, overflows = shape_products(pa.array([[2, 3], sizes, [5]], SHAPE))
    assert products.tolist() == [6, 1 if 1 in sizes else 0, 5]  # 2^62 x 2^62 wraps to 0
    assert overflows.tolist() == [False, 0 not in sizes and 1 not in sizes, False]
