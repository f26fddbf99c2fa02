from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from measured import side_of

from tfprof_report.compare.causes.movers import LISTED, Mover, Movers, find_movers, largest, least_change
from tfprof_report.compare.compare import compare
from tfprof_report.compare.comparison import Comparison, RowStatus, State
from tfprof_report.compare.delta import moved_by

NOTHING = Fraction(0)


def compared(base: Mapping[str, int | None], head: Mapping[str, int | None]) -> Comparison:
    return compare(*(side_of({name: {"params": value} for name, value in side.items()}) for side in (base, head)))


def params_movers(base: Mapping[str, int | None], head: Mapping[str, int | None], threshold: Fraction) -> Movers:
    (movers,) = find_movers(compared(base, head), threshold)
    assert movers.stem == "params"
    return movers


def named(rows: tuple[Mover, ...]) -> list[tuple[str, object]]:
    return [(row.name, row.delta) for row in rows]


def test_no_row_has_no_largest() -> None:
    ranks, mask = pa.chunked_array([pa.array([3, 1])]), pa.chunked_array([pa.array([False, None])])
    for rows in (0, 2):
        assert largest([ranks.slice(0, rows)], mask.slice(0, rows), 5).to_pylist() == []


def test_nodes_that_grew_and_those_that_shrank_are_told_apart_the_largest_first() -> None:
    base = {"a": 10, "b": 10, "c": 10, "d": 10, "gone": 4, "same": 1}
    head = {"a": 11, "b": 5, "c": 9, "d": 30, "new": 7, "same": 1}
    movers = params_movers(base, head, NOTHING)
    assert named(movers.grown) == [("d", 20), ("new", 7), ("a", 1)]
    assert named(movers.shrunk) == [("b", -5), ("gone", -4), ("c", -1)]
    assert (movers.grown_count, movers.shrunk_count, movers.folded_count, movers.blurred_count) == (3, 3, 0, 0)


def test_a_mover_has_what_its_row_has() -> None:
    movers = params_movers({"a": 8, "gone": 4}, {"a": 10, "new": 0, "more": 3}, NOTHING)
    one = Mover(
        name="more",
        status=RowStatus.NEW,
        base_op=None,
        head_op="Op",
        base=None,
        head=3,
        delta=3,
        percent=None,
        state=None,
    )
    assert movers.grown[0] == one
    assert (movers.grown[1].percent, movers.grown[1].state, movers.grown[1].base) == (25.0, State.CHANGED, 8)
    assert movers.shrunk[0].status is RowStatus.REMOVED


@pytest.mark.parametrize(
    ("threshold", "counted", "folded", "largest"),
    [
        (Fraction(0), 3, 0, None),
        (Fraction(2), 2, 1, "a"),
        (Fraction(201, 100), 1, 2, "b"),
        (Fraction(100), 0, 3, "c"),
    ],
)
def test_changes_below_the_threshold_are_counted_and_the_largest_is_named(
    threshold: Fraction, counted: int, folded: int, largest: str | None
) -> None:
    movers = params_movers({"a": 50, "b": 30, "c": 20}, {"a": 51, "b": 28, "c": 23}, threshold)
    assert (movers.grown_count + movers.shrunk_count, movers.folded_count) == (counted, folded)
    assert (movers.largest_folded and movers.largest_folded.name) == largest


def test_a_change_of_exactly_the_threshold_counts_beyond_doubles_too() -> None:
    base = {"a": 100 * (2**53 + 1), "b": 0}
    just, less = (params_movers(base, base | {"b": head}, Fraction(1)) for head in (2**53 + 1, 2**53))
    assert (just.grown_count, just.folded_count) == (1, 0)
    assert (less.grown_count, less.folded_count) == (0, 1)


def test_without_a_known_total_of_base_every_change_counts() -> None:
    assert least_change(compared({"a": None}, {"a": 1}), "params", Fraction(5)) == 0
    assert params_movers({"a": 0}, {"a": 1}, Fraction(5)).grown_count == 1


def test_a_threshold_beyond_every_figure_folds_all() -> None:
    movers = params_movers({"a": 2**62, "b": 2**62}, {"a": 2**62 + 1, "b": 2**62}, Fraction(10**30))
    assert (movers.grown_count, movers.folded_count) == (0, 1)


def test_a_figure_that_became_known_or_unknown_has_no_size_of_change() -> None:
    movers = params_movers({"a": 1, "b": None, "c": 3}, {"a": None, "b": 2, "c": 4}, NOTHING)
    assert (named(movers.grown), movers.blurred_count) == ([("c", 1)], 2)


def test_a_figure_that_no_node_moved_is_left_out() -> None:
    assert find_movers(compared({"a": 1}, {"a": 1, "new": 0}), NOTHING) == ()


def test_means_over_steps_move_too() -> None:
    sides = [
        side_of({"a": {}}, runs=[("a", step, {"bytes": step}) for step in steps], steps=steps)
        for steps in ([1, 2], [3])
    ]
    (movers,) = find_movers(compare(*sides), NOTHING)
    assert (movers.stem, named(movers.grown)) == ("bytes", [("a", 1.5)])


def test_what_is_not_listed_is_counted() -> None:
    names = [f"n{i}" for i in range(LISTED + 5)]
    movers = params_movers(dict.fromkeys(names, 1), dict.fromkeys(names, 2), NOTHING)
    assert [row.name for row in movers.grown] == names[:LISTED]
    assert movers.grown_count == LISTED + 5


figures = st.dictionaries(st.sampled_from("abcdef"), st.one_of(st.none(), st.integers(-5, 5)))


@pytest.mark.thorough
@given(figures, figures, st.fractions(0, 200))
def test_every_change_is_grown_shrunk_or_folded_and_they_add_up(
    base: dict[str, int | None], head: dict[str, int | None], threshold: Fraction
) -> None:
    comparison = compared(base, head)
    moved = [value for value in moved_by(comparison.nodes, "params").to_pylist() if value]
    found = find_movers(comparison, threshold, ["params"])
    counted = sum(movers.grown_count + movers.shrunk_count + movers.folded_count for movers in found)
    assert counted == len(moved)
    if found:
        listed = [row.delta for row in (*found[0].grown, *found[0].shrunk)]
        folded = abs(found[0].largest_folded.delta) if found[0].largest_folded else 0
        assert folded < min(map(abs, listed), default=folded + 1)
        assert max(map(abs, listed), default=folded) == max(map(abs, moved), default=0)
