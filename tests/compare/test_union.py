from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from tfprof_report.compare.matching.pairs import match_rows
from tfprof_report.compare.union import union_forest

Tree = Sequence[tuple[str, int]]
"""Name and depth of each row, in preorder."""


def view(rows: Tree) -> pa.Table:
    parents: list[int | None] = []
    for place, (_, depth) in enumerate(rows):
        above = [row for row in range(place) if rows[row][1] == depth - 1]
        parents.append(above[-1] if above else None)
    names = [name for name, _ in rows]
    return pa.table(
        {
            "parent": pa.array(parents, pa.int64()),
            "name": pa.array(names, pa.string()),
            "leaf": pa.array(names, pa.string()),
        }
    )


def union(base: Tree, head: Tree) -> list[dict[str, object]]:
    old, new = view(base), view(head)
    pairs = match_rows(old["name"], new["name"])
    status = pa.array(["new" if row is None else "kept" for row in pairs.base_rows.to_pylist()], pa.string())
    found: list[dict[str, object]] = union_forest(old, new, pairs, status).to_pylist()
    return found


def outline(rows: list[dict[str, object]]) -> list[str]:
    return [f"{'.' * (int(str(row['depth'])) - 1)}{row['name']}" for row in rows]


def test_rows_stand_in_the_order_of_head() -> None:
    base, head = [("b", 1), ("a", 1), ("a/x", 2)], [("a", 1), ("a/x", 2), ("b", 1)]
    assert outline(union(base, head)) == ["a", ".a/x", "b"]


def test_a_removed_row_stands_behind_the_sibling_before_it() -> None:
    base = [("s", 1), ("p", 2), ("gone", 2), ("gone too", 2), ("q", 2)]
    head = [("s", 1), ("p", 2), ("new", 3), ("q", 2)]
    assert outline(union(base, head)) == ["s", ".p", "..new", ".gone", ".gone too", ".q"]


def test_a_removed_row_without_an_earlier_sibling_comes_last() -> None:
    assert outline(union([("gone", 1), ("p", 1)], [("p", 1), ("new", 1)])) == ["p", "new", "gone"]


def test_a_removed_subtree_stays_together_and_moved_rows_stand_where_head_has_them() -> None:
    base = [("gone", 1), ("moved", 2), ("below", 2), ("deep", 3), ("stays", 1)]
    head = [("stays", 1), ("moved", 2)]
    found = union(base, head)
    assert outline(found) == ["stays", ".moved", "gone", ".below", "..deep"]
    assert [row["subtree_size"] for row in found] == [2, 1, 3, 2, 1]
    assert [row["parent"] for row in found] == [None, 0, None, 2, 3]
    assert [(row["base_row"], row["head_row"]) for row in found] == [(4, 0), (1, 1), (0, None), (2, None), (3, None)]


def test_a_row_below_what_was_below_it_makes_no_cycle() -> None:
    found = union([("a", 1), ("b", 2), ("gone", 3)], [("b", 1), ("a", 2)])
    assert outline(found) == ["b", ".a", ".gone"]


def test_an_empty_side_leaves_the_other_as_it_is() -> None:
    rows = [("a", 1), ("a/x", 2), ("b", 1)]
    assert outline(union([], rows)) == outline(union(rows, [])) == ["a", ".a/x", "b"]
    assert union([], []) == []


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    names = draw(st.lists(st.sampled_from("abcdefghij"), unique=True))
    depths: list[int] = []
    for _ in names:
        depths.append(draw(st.integers(1, depths[-1] + 1 if depths else 1)))
    return list(zip(names, depths, strict=True))


@given(base=trees(), head=trees())
@settings(max_examples=examples(200), deadline=None)
def test_every_row_of_either_side_is_there_once_below_the_parent_it_has(base: Tree, head: Tree) -> None:
    found = union(base, head)
    names = [str(row["name"]) for row in found]
    assert sorted(names) == sorted({name for name, _ in (*base, *head)})
    for column, side in (("base_row", base), ("head_row", head)):
        rows = {row[column]: row["name"] for row in found if row[column] is not None}
        assert rows == dict(enumerate(name for name, _ in side))
    old, new = ({row["name"]: row["parent"] for row in view(side).to_pylist()} for side in (base, head))
    for place, row in enumerate(found):
        parent = row["parent"]
        side, parents = (head, new) if row["head_row"] is not None else (base, old)
        above = parents[row["name"]]
        assert (None if parent is None else names[int(str(parent))]) == (None if above is None else side[above][0])
        below = [at for at in range(place, len(found)) if _is_below(found, at, place)]
        assert below == list(range(place, place + int(str(row["subtree_size"]))))
    kept = [name for name in names if name in dict(head)]
    assert kept == [name for name, _ in head]


def _is_below(found: list[dict[str, object]], row: int, top: int) -> bool:
    while row != top:
        parent = found[row]["parent"]
        if parent is None:
            return False
        row = int(str(parent))
    return True
