from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfprof_report.errors import InputError
from tfprof_report.views import layout as paths
from tfprof_report.views.forest import Forest
from tfprof_report.views.layout import paths_of


def forest_of(*depths: int) -> Forest:
    return Forest.from_depths(np.array(depths, dtype=np.int64))


def test_a_path_leads_from_the_top_to_the_row() -> None:
    assert paths_of(forest_of(1, 2, 3, 2, 1), pa.array(list("abcde")), 99).to_pylist() == [
        "a",
        "a > b",
        "a > b > c",
        "a > d",
        "e",
    ]


def test_no_rows_have_no_paths() -> None:
    assert paths_of(forest_of(), pa.array([], pa.string()), 0).to_pylist() == []


def test_paths_of_a_deep_stack_are_refused_before_they_fill_the_memory() -> None:
    depth = np.arange(1, 100_001)
    with pytest.raises(InputError, match="more than"):
        paths_of(Forest.from_depths(depth), pa.array(["main.py:1:f"] * len(depth)), 2**30)


@given(st.lists(st.integers(0, 5), max_size=40))
def test_a_path_is_its_parents_path_and_its_own_name(steps: list[int]) -> None:
    depths: list[int] = []
    for step in steps:
        depths.append(min((depths[-1] if depths else 0) + 1, step + 1))
    forest = forest_of(*depths)
    names = [f"n{place}" for place in range(len(depths))]
    found = paths_of(forest, pa.array(names, pa.string()), 10**6).to_pylist()
    for name, parent, path in zip(names, forest.parent.tolist(), found, strict=True):
        assert path == (name if parent < 0 else found[parent] + paths.SEPARATOR + name)
