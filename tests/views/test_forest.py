from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from tfprof_report.views.forest import (
    Forest,
    depths_of,
    keep_rows,
    parents_of,
    shared_with_previous,
    sort_siblings,
    sum_ancestors,
    sum_subtrees,
    upper_levels,
)


@st.composite
def depths(draw: st.DrawFn) -> list[int]:
    """Draw the depths of rows in preorder: a row is at most one level below the row before it."""
    made: list[int] = []
    for _ in range(draw(st.integers(0, 12))):
        made.append(draw(st.integers(1, (made[-1] if made else 0) + 1)))
    return made


def forest_of(depth: list[int]) -> Forest:
    return Forest.from_depths(np.array(depth, dtype=np.int64))


def parent_of(depth: list[int], row: int) -> int:
    return next((above for above in reversed(range(row)) if depth[above] < depth[row]), -1)


def ancestors(depth: list[int], row: int) -> list[int]:
    above = parent_of(depth, row)
    return [] if above < 0 else [above, *ancestors(depth, above)]


def subtree(depth: list[int], row: int) -> list[int]:
    return [each for each in range(len(depth)) if each == row or row in ancestors(depth, each)]


@given(depths())
def test_parents_and_sizes_follow_from_depths_and_depths_from_parents(depth: list[int]) -> None:
    forest = forest_of(depth)
    parents = [parent_of(depth, row) for row in range(len(depth))]
    assert parents_of(np.array(depth, dtype=np.int64)).tolist() == parents
    assert forest.parent.tolist() == parents
    assert forest.size.tolist() == [len(subtree(depth, row)) for row in range(len(depth))]
    assert depths_of(forest.parent).tolist() == depth


@given(depths(), st.data())
def test_sums_over_subtrees_and_ancestors_are_those_of_the_rows(depth: list[int], data: st.DataObject) -> None:
    values = data.draw(st.lists(st.integers(-9, 9), min_size=len(depth), max_size=len(depth)))
    below = [sum(values[each] for each in subtree(depth, row)) for row in range(len(depth))]
    above = [sum(values[each] for each in ancestors(depth, row)) for row in range(len(depth))]
    array = np.array(values, dtype=np.int64)
    assert sum_subtrees(forest_of(depth), array).tolist() == below
    assert sum_ancestors(forest_of(depth), array).tolist() == above


@given(depths(), st.data())
def test_children_of_a_row_that_is_left_out_move_up_in_place(depth: list[int], data: st.DataObject) -> None:
    kept = data.draw(st.lists(st.booleans(), min_size=len(depth), max_size=len(depth)))
    rows, shown = keep_rows(forest_of(depth), np.array(kept, dtype=bool))
    expected = [row for row, keep in enumerate(kept) if keep]
    assert rows.tolist() == expected
    assert shown.depth.tolist() == [1 + sum(kept[above] for above in ancestors(depth, row)) for row in expected]


@given(depths(), st.data())
def test_sorting_siblings_keeps_subtrees_together_and_equal_rows_in_order(
    depth: list[int], data: st.DataObject
) -> None:
    keys = data.draw(st.lists(st.integers(0, 2), min_size=len(depth), max_size=len(depth)))

    def walk(parent: int) -> list[int]:
        children = [row for row in range(len(depth)) if parent_of(depth, row) == parent]
        return [each for row in sorted(children, key=lambda row: keys[row]) for each in (row, *walk(row))]

    assert sort_siblings(forest_of(depth), [np.array(keys, dtype=np.int64)]).tolist() == walk(-1)


@given(st.lists(st.lists(st.integers(0, 1), min_size=1, max_size=4), max_size=6))
def test_paths_share_their_first_equal_parts(paths: list[list[int]]) -> None:
    def shared(first: Any, second: Any) -> int:
        return 0 if not first or not second or first[0] != second[0] else 1 + shared(first[1:], second[1:])

    lists = pa.array(paths, pa.list_(pa.int64()))
    offsets = np.append(0, np.cumsum([len(path) for path in paths])).astype(np.int64)
    codes = np.array(lists.flatten(), dtype=np.int64)
    expected = [shared(before, here) for before, here in zip([[], *paths], paths, strict=False)]
    assert shared_with_previous(codes, offsets).tolist() == expected


@given(depths(), st.integers(0, 9))
def test_the_upper_levels_have_no_row_without_its_parent(depth: list[int], limit: int) -> None:
    rows = upper_levels(np.array(depth, dtype=np.int64), limit).tolist()
    assert len(rows) == min(limit, len(depth))
    assert rows == sorted(rows)
    assert {parent_of(depth, row) for row in rows} <= {-1, *rows}


def test_sums_over_subtrees_keep_their_type_of_number() -> None:
    forest = forest_of([1, 2, 2])
    assert sum_subtrees(forest, np.array([0.5, 1.0, 2.0])).tolist() == [3.5, 1.0, 2.0]
    assert sum_subtrees(forest, np.array([2**63, 1, 1], dtype=object)).tolist() == [2**63 + 2, 1, 1]


def test_a_chain_of_a_hundred_thousand_rows_needs_no_recursion() -> None:
    count = 100_000
    forest = Forest.from_depths(np.arange(1, count + 1))
    assert sum_subtrees(forest, np.ones(count, dtype=np.int64)).tolist() == list(range(count, 0, -1))
    assert sort_siblings(forest, [np.arange(count)]).tolist() == list(range(count))
