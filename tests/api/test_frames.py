"""Frames of pandas: Arrow behind, units in attrs, and shown with them."""

from __future__ import annotations

import re

import pandas as pd
import pyarrow as pa

from tfprof_report.api.frames import TableFrame, to_frame

TABLE = pa.table(
    {
        "op": pa.array(["Add", "MatMul", "Add"]).dictionary_encode(),
        "params": pa.array([1, None, 2**60], pa.int64()),
        "cpu_micros": pa.array([0.5, float("nan"), None]),
        "shape": pa.array([[1, 2], None, []], pa.list_(pa.int64())),
    }
)


def header(frame: pd.DataFrame) -> list[list[str]]:
    """Return the lines of the header of a frame as notebooks show it."""
    shown = frame._repr_html_()  # type: ignore[operator]  # the stubs take it for a column
    head = shown.partition("<tbody>")[0]
    return [re.findall(r"<th[^>]*>(.*?)</th>", line) for line in re.findall(r"<tr.*?</tr>", head, re.DOTALL)]


def test_columns_are_backed_by_arrow_and_unknown_is_not_nan() -> None:
    frame = to_frame(TABLE)
    assert [str(dtype) for dtype in frame.dtypes] == [
        "string[pyarrow]",
        "int64[pyarrow]",
        "double[pyarrow]",
        "list<item: int64>[pyarrow]",
    ]
    assert frame["params"].isna().tolist() == [False, True, False]
    assert frame["params"].iloc[2] == 2**60
    assert frame.groupby("op")["params"].sum().to_dict() == {"Add": 2**60 + 1, "MatMul": 0}
    assert frame.merge(frame, on="op").shape == (5, 7)


def test_attrs_have_the_units_and_notebooks_show_them() -> None:
    frame = to_frame(TABLE)
    assert frame.attrs == {"units": {"params": "elements", "cpu_micros": "microseconds"}}
    assert header(frame) == [
        ["", "op", "params", "cpu_micros", "shape"],
        ["", "", "elements", "microseconds", ""],
    ]
    part = frame[frame["params"] > 0][["cpu_micros", "op"]]
    assert isinstance(part, TableFrame)
    assert header(part) == [["", "cpu_micros", "op"], ["", "microseconds", ""]]
    assert list(frame.columns) == ["op", "params", "cpu_micros", "shape"]


def test_a_frame_of_other_columns_is_shown_as_any() -> None:
    counted = to_frame(TABLE).groupby("op").size().to_frame("rows")
    assert header(counted) == header(pd.DataFrame(counted))
