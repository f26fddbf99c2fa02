"""Names are found in one table of all names, whatever lists ask for them."""

from __future__ import annotations

import pyarrow as pa

from tfprof_report.model.join.name_rows import rows_of_names, with_more_names

NAMES = pa.array(["a", "b", "c"])


def test_each_list_gets_its_own_rows() -> None:
    lists = [
        pa.chunked_array([["c", "x"], ["a"]]),
        NAMES,
        pa.array([], pa.string()),
        pa.array(["b"]),
        pa.chunked_array([["a"], ["b", "c"]]),
    ]
    found = [rows.to_pylist() for rows in rows_of_names(NAMES, lists)]
    assert found == [[2, None, 0], [0, 1, 2], [], [1], [0, 1, 2]]
    assert [rows.to_pylist() for rows in rows_of_names(NAMES, [NAMES])] == [[0, 1, 2]]
    assert [rows.to_pylist() for rows in rows_of_names(NAMES.slice(1), [pa.array(["c", "a"])])] == [[1, None]]


def test_new_names_follow_the_known_ones() -> None:
    wanted = pa.array(["c", "x", "y", "z"])
    (rows,) = rows_of_names(NAMES, [wanted])
    assert with_more_names(rows, wanted, pa.array(["z", "x"]), first=3).to_pylist() == [2, 4, None, 3]
    assert with_more_names(rows, wanted, NAMES.slice(0, 0), first=3) is rows
