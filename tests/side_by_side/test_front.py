from __future__ import annotations

from fractions import Fraction

import pytest
from columned import column, four_models, side_by_side
from hypothesis import given
from hypothesis import strategies as st

from tfprof_report.schema.metrics import DEVICE_PEAK, ESTIMATED_PEAK, WALL
from tfprof_report.side_by_side.front import beats, pareto

NUMBERS = st.integers(min_value=0, max_value=4).map(Fraction)


@st.composite
def point_sets(draw: st.DrawFn) -> dict[int, tuple[Fraction, ...]]:
    width = draw(st.integers(min_value=1, max_value=4))
    return dict(enumerate(draw(st.lists(st.tuples(*[NUMBERS] * width), max_size=12))))


@given(point_sets())
def test_the_front_is_what_a_search_over_all_pairs_finds(points: dict[int, tuple[Fraction, ...]]) -> None:
    on = set()
    for number, mine in points.items():
        is_beaten = False
        for theirs in points.values():
            worse = [a for a, b in zip(theirs, mine, strict=True) if a > b]
            better = [a for a, b in zip(theirs, mine, strict=True) if a < b]
            is_beaten |= not worse and bool(better)
        if not is_beaten:
            on.add(number)
    assert set(pareto(points)) == on


@given(point_sets())
def test_each_point_is_on_the_front_or_beaten_by_one_that_is(points: dict[int, tuple[Fraction, ...]]) -> None:
    on = pareto(points)
    assert bool(on) == bool(points)
    for number, point in points.items():
        assert (number in on) != any(beats(points[other], point) for other in on)


def test_models_with_the_same_figures_are_both_on_the_front() -> None:
    found = side_by_side(column("a", float_ops=1, params=2), column("b", float_ops=1, params=2))
    assert found.fronts.whole.on == (0, 1)


def test_the_front_of_four_models() -> None:
    fronts = side_by_side(*four_models()).fronts
    assert fronts.whole.stems == ("float_ops", "params", DEVICE_PEAK, WALL)
    assert fronts.whole.on == (0, 1)
    assert fronts.whole.places[2].beaten_by == (0, 1)
    assert fronts.whole.places[3].lacks == ("float_ops", WALL)
    assert not fronts.whole.places[3].is_on
    of_two = {front.stems: front.on for front in fronts.pairs}
    assert len(of_two) == 6
    assert of_two["float_ops", "params"] == (0, 1)
    assert of_two["params", DEVICE_PEAK] == (3,)
    assert of_two["float_ops", WALL] == (0, 1)
    assert fronts.unused == ()


def test_a_lower_bound_is_not_used() -> None:
    found = side_by_side(column("a", float_ops=10), column("b", float_ops_at_least=1, float_ops_unknown=1)).fronts
    assert found.values["float_ops"] == (10, None)
    assert found.whole.on == (0,)


@pytest.mark.parametrize(
    ("of_first", "of_second", "used"),
    [
        ({DEVICE_PEAK: 1, ESTIMATED_PEAK: 1}, {DEVICE_PEAK: 1, ESTIMATED_PEAK: 1}, DEVICE_PEAK),
        ({DEVICE_PEAK: 1, ESTIMATED_PEAK: 1}, {ESTIMATED_PEAK: 1}, ESTIMATED_PEAK),
        ({DEVICE_PEAK: 1}, {ESTIMATED_PEAK: 1}, DEVICE_PEAK),
    ],
)
def test_the_peak_is_the_one_that_more_models_have_and_never_a_mix(
    of_first: dict[str, int], of_second: dict[str, int], used: str
) -> None:
    fronts = side_by_side(column("a", **of_first), column("b", **of_second)).fronts
    assert fronts.whole.stems == (used,)
    assert fronts.unused == ("float_ops", "params", WALL)


def test_a_model_that_is_counted_otherwise_is_on_no_front_of_flops() -> None:
    rules = {"rules": "tfprof 1"}
    found = side_by_side(column("a", float_ops=10, params=5), column("b", float_ops=1, params=1, **rules)).fronts
    assert found.whole.on == (0,)
    assert found.whole.places[1].lacks == ("float_ops",)


def test_without_any_figure_there_is_no_front() -> None:
    fronts = side_by_side(column("a"), column("b")).fronts
    assert (fronts.whole.stems, fronts.pairs) == ((), ())
