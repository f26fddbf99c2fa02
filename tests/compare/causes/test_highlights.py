from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from scopes import Nodes, report_of, scope_view, side

from tfprof_report.compare.causes.highlights import (
    Highlight,
    Highlights,
    changed_scopes,
    choose_rows,
    expensive_scopes,
    find_highlights,
)
from tfprof_report.views.forest import Forest, sum_subtrees


def chosen(depths: list[int], own: list[int], *, limit: int = 7) -> list[int]:
    forest = Forest.from_depths(np.array(depths, dtype=np.int64))
    return choose_rows(forest, sum_subtrees(forest, np.array(own, dtype=np.int64)).astype(np.float64), limit=limit)


def changed(base: Nodes, head: Nodes, *stems: str) -> tuple[Highlight, ...]:
    report = report_of(head, base)
    assert report.comparison
    return changed_scopes(report.comparison, stems or ("float_ops",), limit=7)


def test_scopes_are_ranked_by_the_figures_of_gates_then_by_flops() -> None:
    """The first is a tenth of all FLOPs, the second half of all parameters."""
    base = {"a/x": {"float_ops": 90, "params": 1}, "b/x": {"float_ops": 10, "params": 1}}
    head = {"a/x": {"float_ops": 100, "params": 1}, "b/x": {"float_ops": 11, "params": 2}}
    report = report_of(head, base)
    assert report.comparison
    for judged, first in (((), "a"), (("float_ops",), "a"), (("params",), "b"), (("micros",), "a")):
        found = find_highlights(report.head, report.comparison, judged)
        assert found.scopes[0].name == first, judged
    same = report_of({"a/x": {"float_ops": 9, "params": 2}}, {"a/x": {"float_ops": 9, "params": 1}})
    assert find_highlights(same.head, same.comparison).scopes[0].figures[0].stem == "params"


def amounts(found: tuple[Highlight, ...]) -> dict[str, list[tuple[str, float, float | None]]]:
    return {each.name: [(figure.stem, figure.amount, figure.share) for figure in each.figures] for each in found}


def test_a_scope_that_only_repeats_the_one_in_it_is_not_named() -> None:
    # model > encoder > layers > three layers of 30, 20, 10: the two outer scopes add nothing to "layers"
    assert chosen([1, 2, 3, 4, 5, 4, 5, 4, 5], [0, 0, 0, 0, 30, 0, 20, 0, 10]) == [3, 5, 7]


def test_a_node_is_named_by_the_scope_that_holds_it() -> None:
    assert chosen([1, 2, 1, 2, 1, 2], [0, 9, 0, 8, 0, 7]) == [0, 2, 4]


def test_a_graph_without_scopes_names_its_heaviest_nodes() -> None:
    assert chosen([1] * 10, [1, 9, 3, 7, 5, 2, 8, 4, 6, 0], limit=3) == [1, 6, 3]


def test_many_small_scopes_do_not_stand_for_the_one_that_holds_them() -> None:
    # fifty scopes of 1 each in a scope of 50: seven of them would be 14 % of it
    assert chosen([1, *[2, 3] * 50, 1, 2], [0, *[0, 1] * 50, 0, 40]) == [0, 101]


def test_a_scope_that_is_all_there_is_says_nothing() -> None:
    assert chosen([1, *[2, 3] * 50], [0, *[0, 1] * 50]) == [1, 3, 5, 7, 9, 11, 13]


def test_small_scopes_are_not_taken_apart() -> None:
    # twenty scopes of two halves each: halves of a twentieth are too small to name
    assert chosen([1, *[2, 3, 4, 3, 4] * 21], [0, *[0, 0, 1, 0, 1] * 21], limit=3) == [1, 6, 11]


def test_what_weighs_next_to_nothing_is_not_named() -> None:
    assert chosen([1, 1, 1], [10_000, 1, 0]) == [0]


def test_rows_of_equal_weight_come_in_their_order() -> None:
    assert chosen([1, 1, 1, 1], [5, 5, 5, 5]) == [0, 1, 2, 3]


def test_nothing_changed_names_nothing() -> None:
    assert chosen([1, 2, 1], [0, 0, 0]) == []
    assert chosen([], []) == []


@given(st.lists(st.tuples(st.integers(-3, 1), st.integers(0, 9)), max_size=40), st.integers(1, 7))
@settings(max_examples=examples(200), deadline=None)
def test_no_row_stands_within_another_and_none_is_light(steps: list[tuple[int, int]], limit: int) -> None:
    depths = [1]
    for step, _ in steps:
        depths.append(max(depths[-1] + step, 1))
    forest = Forest.from_depths(np.array(depths, dtype=np.int64))
    weight = sum_subtrees(forest, np.array([1, *(own for _, own in steps)])).astype(np.float64)
    rows = choose_rows(forest, weight, limit=limit)
    assert 1 <= len(rows) <= limit
    assert all(not one < other < one + forest.size[one] for one in rows for other in rows)
    assert [weight[row] for row in rows] == sorted((weight[row] for row in rows), reverse=True)
    assert weight[rows[-1]] > 0


def test_shares_are_of_the_total_of_base() -> None:
    base = {"a/x": {"float_ops": 600}, "b/x": {"float_ops": 300}, "c/x": {"float_ops": 100}}
    head = {"a/x": {"float_ops": 700}, "b/x": {"float_ops": 250}, "c/x": {"float_ops": 100}}
    assert amounts(changed(base, head)) == {"a": [("float_ops", 100, 10.0)], "b": [("float_ops", -50, -5.0)]}


def test_new_and_removed_scopes_count_with_all_they_brought_or_took() -> None:
    base = {"old/x": {"float_ops": 40}, "kept/x": {"float_ops": 60}}
    head = {"new/x": {"float_ops": 50}, "kept/x": {"float_ops": 60}}
    found = changed(base, head)
    assert amounts(found) == {"new": [("float_ops", 50, 50.0)], "old": [("float_ops", -40, -40.0)]}
    assert [each.status for each in found] == ["new", "removed"]


def test_a_swap_within_a_scope_is_found_though_its_total_is_as_before() -> None:
    base = {"block/dense/x": {"float_ops": 50}, "rest/x": {"float_ops": 50}}
    head = {"block/conv/x": {"float_ops": 50}, "rest/x": {"float_ops": 50}}
    assert amounts(changed(base, head)) == {
        "block/conv": [("float_ops", 50, 50.0)],
        "block/dense": [("float_ops", -50, -50.0)],
    }


def test_a_figure_that_became_known_has_no_size_of_change() -> None:
    base = {"a/x": {}, "b/x": {"float_ops": 100}}
    head = {"a/x": {"float_ops": 900}, "b/x": {"float_ops": 101}}
    assert list(amounts(changed(base, head))) == ["b"]


def test_the_figure_with_the_largest_share_comes_first() -> None:
    base = {"a/x": {"float_ops": 100, "params": 10}, "b/x": {"float_ops": 900, "params": 10}}
    head = {"a/x": {"float_ops": 110, "params": 16}, "b/x": {"float_ops": 900, "params": 10}}
    found = changed(base, head, "float_ops", "params")
    assert amounts(found) == {"a": [("params", 6, 30.0), ("float_ops", 10, 1.0)]}


def test_growth_from_nothing_has_no_share() -> None:
    assert amounts(changed({"a/x": {"float_ops": 0}}, {"a/x": {"float_ops": 5}})) == {"a": [("float_ops", 5, None)]}


@pytest.mark.parametrize("stem", ["float_ops", "params"])
def test_integers_beyond_doubles_stay_exact(stem: str) -> None:
    found = changed({"a/x": {stem: 1}}, {"a/x": {stem: 2**60 + 1}}, stem)
    assert found[0].figures[0].amount == 2**60


def test_sums_beyond_64_bits_stay_exact() -> None:
    nodes = {f"{scope}/x": {"params": 2**62 + extra} for scope, extra in (("a", 0), ("b", 1), ("c", 2))}
    found = expensive_scopes(scope_view(nodes).rows, ("params",), limit=7)
    whole = 3 * 2**62 + 3
    assert {each.figures[0].share for each in found} == {
        float(Fraction(100 * (2**62 + extra), whole)) for extra in range(3)
    }
    grown = changed(nodes, {**nodes, "a/x": {"params": 2**63 - 1}}, "params")
    assert amounts(grown) == {"a": [("params", 2**62 - 1, float(Fraction(100 * (2**62 - 1), whole)))]}


def test_a_share_is_the_nearest_float_to_the_exact_one() -> None:
    base, grown = 2**60 + 3, 2**59 + 1
    found = changed({"a/x": {"float_ops": base}}, {"a/x": {"float_ops": base + grown}})
    assert amounts(found) == {"a": [("float_ops", grown, float(Fraction(100 * grown, base)))]}


def test_little_time_is_noise_and_exact_figures_stand_apart_from_it() -> None:
    base = {"a/x": {"micros": 91, "params": 5}, "b/x": {"micros": 9}}
    head = {"a/x": {"micros": 81, "params": 6}, "b/x": {"micros": 18}}
    report = report_of(head, base)
    assert amounts(report.highlights.scopes) == {"a": [("params", 1, 20.0)]}
    assert amounts(report.highlights.times) == {"a": [("micros", -10, -10.0)]}
    assert amounts(report_of(base).highlights.times) == {"a": [("micros", 91, 91.0)]}


def test_without_a_scope_view_nothing_is_named() -> None:
    assert find_highlights(replace(side({"a": {}}), views={}), None) == Highlights()


def test_the_most_expensive_scopes_have_their_parts_of_the_total() -> None:
    nodes = {"a/x": {"float_ops": 75}, "b/x": {"float_ops": 25}, "c/x": {"float_ops": None}}
    found = expensive_scopes(scope_view(nodes).rows, ("float_ops", "params"), limit=7)
    assert amounts(found) == {"a": [("float_ops", 75, 75.0)], "b": [("float_ops", 25, 25.0)]}
    assert [each.status for each in found] == [None, None]


def test_what_is_spread_evenly_is_still_named() -> None:
    # two thousand nodes with 1/2000 each: too small to name next to a heavy one
    assert chosen([1] * 2000, [1] * 2000) == [0, 1, 2, 3, 4, 5, 6]
