from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from unpacked import unpack

from tfprof_report.render.html.packed_columns import Packer
from tfprof_report.render.tables.cells import visible

LEAST, MOST = -(2**63), 2**63 - 1

integers = st.lists(st.none() | st.integers(-3, 3) | st.integers(LEAST + 1, MOST), max_size=30)
floats = st.lists(
    st.none() | st.floats(allow_nan=False, allow_infinity=False) | st.integers(-9, 9).map(lambda n: n / 4)
)


def packed(values: pa.Array, like: pa.Array | None = None) -> tuple[dict[str, Any], dict[str, list[Any]]]:
    packer = Packer()
    packer.add_figures("head", values, like=None if like is None else ("base", like))
    return unpack(packer.to_bytes({"rows": len(values)}))


def column(values: list[Any], kind: pa.DataType | None = None) -> dict[str, Any]:
    header, _ = packed(pa.array(values, kind or pa.int64()))
    entry: dict[str, Any] = header["columns"][0]
    return entry


@given(integers)
@example([LEAST + 1, MOST, None])
@settings(deadline=None)
def test_integers_come_back_to_the_last_digit(values: list[int | None]) -> None:
    assert packed(pa.array(values, pa.int64()))[1]["head"] == values


@given(floats)
@settings(deadline=None)
def test_floats_come_back_to_the_last_bit(values: list[float | None]) -> None:
    assert packed(pa.array(values, pa.float64()))[1]["head"] == values


@given(st.data(), integers)
@settings(deadline=None)
def test_the_second_side_comes_back_however_it_differs(data: st.DataObject, values: list[int | None]) -> None:
    others = data.draw(st.lists(st.sampled_from([*values, None, 7]), min_size=len(values), max_size=len(values)))
    found = packed(pa.array(values, pa.int64()), pa.array(others, pa.int64()))[1]
    assert (found["head"], found["base"]) == (values, others)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([-127, 127], "i8"),
        ([-128, 127], "i16"),
        ([0, 128], "i16"),
        ([0, 2**15], "i32"),
        ([0, 2**31], "f64"),
        ([0, 2**53], "f64"),
        ([0, 2**53 + 1], "i64"),
    ],
)
def test_integers_take_the_narrowest_type_that_leaves_its_least_number_for_unknown(
    values: list[int], kind: str
) -> None:
    assert column(values)["type"] == kind


def test_means_over_three_steps_are_integers_and_a_divisor() -> None:
    entry = column([1.0, 1 / 3, 2 / 3], pa.float64())
    assert (entry["type"], entry["divisor"]) == ("i8", 3)


def test_means_that_are_no_fractions_of_few_steps_are_floats() -> None:
    assert column([0.1234, 5.0], pa.float64())["type"] == "f64"


@pytest.mark.parametrize(
    ("values", "value"), [([5, 5], 5), ([None, None], None), ([2**53 + 1] * 2, str(2**53 + 1)), ([0.5, 0.5], 0.5)]
)
def test_a_column_of_one_value_is_that_value(values: list[Any], value: Any) -> None:
    assert column(values, pa.float64() if value == 0.5 else None) == {"name": "head", "value": value}


def test_a_column_like_an_earlier_one_says_so() -> None:
    header, columns = packed(pa.array([1, 2]), pa.array([1, 2]))
    assert header["columns"][1] == {"name": "base", "same": "head"}
    assert columns["base"] == [1, 2]


def test_a_second_side_that_differs_little_takes_little() -> None:
    values = np.random.default_rng(1).integers(0, 2**30, 10_000)
    others = values.copy()
    others[5] += 1
    packer, alone = Packer(), Packer()
    packer.add_figures("head", pa.array(values), like=("base", pa.array(others)))
    alone.add_figures("head", pa.array(values))
    assert len(packer.to_bytes({})) - len(alone.to_bytes({})) < 500


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_a_figure_that_is_no_number_is_unknown(value: float) -> None:
    assert packed(pa.array([value, 1.5]))[1]["head"] == [None, 1.5]


def test_texts_of_any_content_can_be_read_back() -> None:
    texts = ['a"b\\c', "\n\x00\u2028", "</script>", "\U0001f600\u202e", ""]
    packer = Packer()
    packer.add_texts("leaves", texts)
    assert unpack(packer.to_bytes({"rows": 0}))[1]["leaves"] == texts


@given(
    st.lists(
        st.none()
        | st.text(max_size=5)
        | st.sampled_from(["fc/MatMul", "~", "a b", 'a"b', "a\\b", "\x7f", "", "\u202e", "x" * 1000, "x" * 1001])
    )
)
@settings(deadline=None)
def test_names_are_written_as_they_are_shown(names: list[str | None]) -> None:
    packer = Packer()
    packer.add_names("names", pa.array(names, pa.string()))
    texts = Packer()
    texts.add_texts("names", [name if name is None else visible(name) for name in names])
    assert packer.to_bytes({}) == texts.to_bytes({})
