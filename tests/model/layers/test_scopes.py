"""The tree of scopes."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfprof_report.model.layers.scopes import build_scopes, scope_of, without_last_number, without_number


def test_every_scope_above_is_there_once_parents_first() -> None:
    scopes, of_path = build_scopes(scope_of(pa.array(["a/b/x", "a/c/d/y", "z", "a/b/w"])))
    assert scopes.paths.to_pylist() == ["", "a", "a/b", "a/c", "a/c/d"]
    assert scopes.parent.tolist() == [-1, 0, 1, 1, 3]
    assert of_path.tolist() == [2, 4, 0, 2]
    assert [level.tolist() for level in scopes.levels] == [[0], [1], [2, 3], [4]]
    assert scopes.leaves.to_pylist() == ["", "a", "b", "c", "d"]
    assert scopes.find(pa.array(["a/c", "a/x", None])).tolist() == [3, -1, -1]
    assert scopes.above(np.array([False, False, False, False, True])).tolist() == [True, True, False, True, False]


def test_components_may_be_empty() -> None:
    scopes, of_path = build_scopes(scope_of(pa.array(["/a/x", "a//b/y", "//"])))
    assert sorted(scopes.paths.to_pylist()) == ["", "/", "/a", "a", "a/", "a//b"]
    assert [scopes.paths[row].as_py() for row in of_path] == ["/a", "a//b", "/"]
    assert [len(level) for level in scopes.levels] == [1, 3, 1, 1]


def test_scopes_of_very_deep_names_end_at_the_deepest_level() -> None:
    found = scope_of(pa.array(["/".join(["a"] * 70), "/".join(["a"] * 70) + "/b\nc", "b/c"])).to_pylist()
    assert found == ["/".join(["a"] * 64), "/".join(["a"] * 64), "b"]


def test_scopes_of_very_long_names_end_where_a_path_would_be_too_long() -> None:
    long = "\u00e9" * 400
    found = scope_of(pa.array([f"a/{long}/{long}/{long}/b", f"{long}{long}{long}/a/b", f"{long}/b"])).to_pylist()
    assert found == [f"a/{long}/{long}", "", long]


@pytest.mark.parametrize(
    ("word", "all_numbers", "last"),
    [("dense", "dense", "dense"), ("dense_1", "dense", "dense"), ("dense_1_2", "dense", "dense_1"), ("d1", "d1", "d1")],
)
def test_numbers_at_the_end(word: str, all_numbers: str, last: str) -> None:
    assert without_number(pa.array([word]))[0].as_py() == all_numbers
    assert without_last_number(pa.array([word]))[0].as_py() == last


@given(st.lists(st.text("ab/\n", max_size=12), max_size=12))
def test_each_scope_is_below_its_parent(names: list[str]) -> None:
    scopes, of_path = build_scopes(scope_of(pa.array(names, pa.string())))
    paths = scopes.paths.to_pylist()
    assert len(set(paths)) == len(paths)
    for row, parent in enumerate(scopes.parent.tolist()):
        assert parent < row
        assert parent < 0 or paths[row].rpartition("/")[0] == paths[parent]
        assert scopes.leaves[row].as_py() == paths[row].rpartition("/")[2]
    assert [paths[row] for row in of_path] == [name.rpartition("/")[0] for name in names]
