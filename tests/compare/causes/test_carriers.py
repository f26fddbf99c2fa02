from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from measured import Figures, side_of, view_of
from scopes import side

from tfprof_report.compare.causes.carriers import Carried, Carrier, find_carriers
from tfprof_report.compare.compare import compare
from tfprof_report.compare.comparison import RowStatus

NOTHING = Fraction(0)
Sizes = Mapping[str, int | None]


def carried(base: Sizes, head: Sizes, threshold: Fraction = NOTHING, stem: str = "params") -> Carried | None:
    """Compare scope views whose rows have these totals."""
    views: list[pa.Table] = []
    for sizes in (base, head):
        rows: dict[str, Figures] = {name: {stem: value} for name, value in sizes.items()}
        views.append(view_of(rows))
    whole: list[Mapping[str, Figures]] = [
        {"n": {stem: sum(value or 0 for name, value in sizes.items() if "/" not in name)}} for sizes in (base, head)
    ]
    sides = [side_of(nodes, views={"scope": view}) for nodes, view in zip(whole, views, strict=True)]
    return find_carriers(compare(*sides), stem, threshold)


def shown(found: Carried | None) -> list[tuple[int, str, object]]:
    assert found is not None
    return [(row.depth, f"{row.others} more" if row.is_rest else row.label, row.delta) for row in found.rows]


def test_children_are_named_below_their_scope_the_largest_change_first() -> None:
    base = {"net": 100, "net/a": 50, "net/b": 50, "head": 7, "tail": 7}
    head = {"net": 160, "net/a": 60, "net/b": 100, "head": 8, "tail": 8}
    found = carried(base, head, Fraction(1))
    assert shown(found) == [(0, "net", 60), (1, "b", 50), (1, "a", 10), (0, "2 more", 2)]
    assert found is not None
    assert (found.delta, found.rows[0].share, found.rows[1].share) == (62, 6000 / 62, 5000 / 60)
    assert found.rows[3] == Carrier(
        name=None, label="", depth=0, delta=2, share=200 / 62, is_rest=True, others=2, largest=1
    )


def test_a_scope_all_of_whose_change_is_in_one_child_gives_way_to_it() -> None:
    base = {"a": 9, "a/b": 9, "a/b/c": 4, "a/b/d": 5}
    head = {"a": 11, "a/b": 11, "a/b/c": 6, "a/b/d": 5}
    assert shown(carried(base, head)) == [(0, "a/b/c", 2)]


def test_a_single_other_scope_is_named_however_small() -> None:
    found = carried({"a": 1000, "b": 1000}, {"a": 1100, "b": 1001}, Fraction(1))
    assert shown(found) == [(0, "a", 100), (0, "b", 1)]


def test_what_a_scope_has_itself_is_its_rest() -> None:
    found = carried({"a": 9, "a/b": 4}, {"a": 15, "a/b": 8})
    assert shown(found) == [(0, "a", 6), (1, "b", 4), (1, "0 more", 2)]
    assert found is not None
    assert (found.rows[2].name, found.rows[2].largest) == ("a", None)


def test_changes_that_cancel_out_are_named_without_a_share() -> None:
    found = carried({"a": 9, "b": 4}, {"a": 4, "b": 9})
    assert shown(found) == [(0, "a", -5), (0, "b", 5)]
    assert found is not None
    assert [row.share for row in found.rows] == [None, None]


def test_new_and_removed_scopes_carry_all_that_they_brought_or_took() -> None:
    found = carried({"a": 9, "old": 4}, {"a": 9, "new": 6})
    assert found is not None
    assert [(row.name, row.delta, row.status) for row in found.rows] == [
        ("new", 6, RowStatus.NEW),
        ("old", -4, RowStatus.REMOVED),
    ]


def test_a_figure_that_became_unknown_or_known_is_no_change() -> None:
    base: dict[str, Figures] = {"s/a": {"params": 9}, "s/b": {"params": 4}, "t/c": {"params": None}}
    head: dict[str, Figures] = {"s/a": {"params": None}, "s/b": {"params": 5}, "t/c": {"params": 70}}
    found = find_carriers(compare(side(base), side(head)), "params", NOTHING)
    assert found is not None
    assert (found.delta, [(row.name, row.delta) for row in found.rows]) == (1, [("s/b", 1)])
    lost: dict[str, Figures] = {"s/a": {"params": 9}}
    assert find_carriers(compare(side(lost), side({"s/a": {"params": None}})), "params", NOTHING) is None


def test_changes_below_the_threshold_are_counted_and_the_largest_is_sized() -> None:
    base = {"a": 60, "b": 30, "c": 10}
    found = carried(base, {"a": 70, "b": 34, "c": 13}, Fraction(5))
    assert shown(found) == [(0, "a", 10), (0, "2 more", 7)]
    assert found is not None
    assert found.rows[1].largest == 4


def test_of_many_scopes_the_largest_are_shown_and_of_their_children_those_that_matter() -> None:
    names = [f"n{i:02}" for i in range(30)]
    found = carried(dict.fromkeys(names, 1), dict.fromkeys(names, 2))
    assert shown(found) == [*((0, name, 1) for name in names[:5]), (0, "25 more", 25)]
    below = {f"a/{name}": 1 for name in names}
    assert shown(carried({"a": 30, **below}, {"a": 60, **dict.fromkeys(below, 2)})) == [(0, "a", 30)]


def test_when_no_change_reaches_the_threshold_the_rest_is_all() -> None:
    assert shown(carried({"a": 100, "b": 100}, {"a": 101, "b": 102}, Fraction(5))) == [(0, "2 more", 3)]


def test_a_chain_of_any_depth_is_one_row() -> None:
    names = ["/".join(["s"] * depth) for depth in range(1, 400)]
    assert shown(carried(dict.fromkeys(names, 1), dict.fromkeys(names, 3))) == [(0, names[-1], 2)]


def test_a_view_without_changes_or_without_the_figure_has_no_tree() -> None:
    assert carried({"a": 1}, {"a": 1}) is None
    assert carried({}, {}) is None
    side = side_of({"a": {}})
    assert find_carriers(compare(side, side), "params", NOTHING) is None


leaves = st.dictionaries(st.sampled_from(["a/x", "a/y", "a/z/v", "a/z/w", "b/x", "c"]), st.integers(0, 9), min_size=1)


def scopes_of(sizes: Mapping[str, int]) -> dict[str, int]:
    """Return the totals of leaves and of all scopes above them, in preorder."""
    names = {"/".join(name.split("/")[:depth]) for name in sizes for depth in range(1, name.count("/") + 2)}
    return {
        name: sum(size for leaf, size in sizes.items() if leaf == name or leaf.startswith(f"{name}/"))
        for name in sorted(names)
    }


@pytest.mark.thorough
@given(leaves, leaves, st.fractions(0, 100))
def test_what_stands_below_a_row_adds_up_to_it(base: dict[str, int], head: dict[str, int], threshold: Fraction) -> None:
    found = carried(scopes_of(base), scopes_of(head), threshold)
    if found is None:
        old, new = scopes_of(base), scopes_of(head)
        assert all(old.get(name, 0) == new.get(name, 0) for name in {*old, *new})
        return
    assert found.delta == sum(head.values()) - sum(base.values())
    rows = [(-1, found.delta), *((row.depth, row.delta) for row in found.rows)]
    for place, (depth, delta) in enumerate(rows):
        below = rows[place + 1 :]
        end = next((i for i, (other, _) in enumerate(below) if other <= depth), len(below))
        parts = [part for other, part in below[:end] if other == depth + 1]
        assert not parts or sum(parts) == delta
