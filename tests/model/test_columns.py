"""A column is computed when it is asked for, also of some rows."""

from __future__ import annotations

import pyarrow as pa

from tfprof_report.model.columns import Columns


def test_only_the_columns_that_are_asked_for_are_computed() -> None:
    asked = []

    def number(value: int) -> pa.Array:
        asked.append(value)
        return pa.array([value, value + 1])

    columns = Columns(2, {"a": lambda: number(1), "b": lambda: number(5)})
    some = columns.filter(pa.array([False, True]))
    assert (columns.column_names, some.num_rows, asked) == (["a", "b"], 1, [])
    assert some["b"].to_pylist() == [6]
    assert columns["b"].to_pylist() == [5, 6]
    assert asked == [5]
    assert columns.select(["b"]).to_pydict() == {"b": [5, 6]}
    assert asked == [5]
    assert some.to_batch().to_pydict() == {"a": [2], "b": [6]}
    assert asked == [5, 1]
