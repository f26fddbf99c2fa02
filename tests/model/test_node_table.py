"""The node table as Arrow columns and as a pandas table, which share their data."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa
from messages import graph, node
from queries import table_of

TABLE = table_of(graph(node("w", "VariableV2", shape=[2, 3]), node("y", "Identity", "w"), node("z", "Mine", "y")))


def _addresses(columns: list[pa.Array]) -> list[list[int | None]]:
    return [[buffer and buffer.address for buffer in column.buffers()] for column in columns]


def test_the_pandas_table_has_the_memory_of_the_columns_and_gives_it_back() -> None:
    again = pa.Table.from_pandas(TABLE.nodes, preserve_index=False)
    assert again.column_names == TABLE.columns.column_names
    back = [column.chunk(0) for column in again.columns]
    for given, had in zip(_addresses(back), _addresses(TABLE.columns.columns), strict=True):
        # pandas before 3 drops the bitmap of a list whose items are all known
        assert [one or other for one, other in zip(given, had, strict=True)] == had
        assert given[-1] == had[-1]


def test_the_pandas_table_has_types_of_arrow_and_null_for_unknown() -> None:
    assert {type(dtype) for dtype in TABLE.nodes.dtypes} == {pd.ArrowDtype}
    assert TABLE.nodes["params"].to_list() == [6, 0, 0]
    assert TABLE.nodes["run_count"].isna().all()


def test_the_pandas_table_is_made_once() -> None:
    assert TABLE.nodes is TABLE.nodes
