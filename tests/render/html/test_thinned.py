"""Of many points in one column of pixels those are kept that can be seen."""

from __future__ import annotations

import numpy as np
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from tfprof_report.render.html.thinned import line_path, seen_points


def test_a_path_has_a_subpath_for_each_piece_and_a_dot_for_a_piece_of_one_point() -> None:
    x, y = np.array([0.0, 1, 2.56, 3, 4]), np.array([5.0, 6, 7, 8.04, 9])
    assert line_path(x, y, np.array([0, 0, 1, 2, 2])) == "M0 5L1 6M2.6 7h0M3 8L4 9"
    assert line_path(x[:1], y[:1], np.array([0])) == "M0 5h0"
    assert line_path(x[:0], y[:0], np.zeros(0, dtype=np.int64)) == ""


def test_few_points_are_all_kept() -> None:
    x = np.array([0.0, 0.1, 0.2, 1.0])
    assert seen_points(x, x, np.zeros(4, dtype=np.int64), 2).tolist() == [0, 1, 2, 3]


@settings(max_examples=examples(200), deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(-99, 99), st.booleans()), min_size=1, max_size=200))
def test_each_column_keeps_its_first_last_highest_and_lowest_point(points: list[tuple[int, int, bool]]) -> None:
    points.sort(key=lambda point: point[0])
    x, y = (np.array([point[place] for point in points], dtype=np.float64) for place in (0, 1))
    piece = np.cumsum([point[2] for point in points])
    kept = seen_points(x, y, piece, 10).tolist()
    assert kept == sorted(set(kept))
    if len(points) <= 20:
        assert kept == list(range(len(points)))
    groups: dict[tuple[float, int], list[int]] = {}
    for place, key in enumerate(zip(x.tolist(), piece.tolist(), strict=True)):
        groups.setdefault(key, []).append(place)
    for places in groups.values():
        inside = [place for place in kept if place in places]
        assert (inside[0], inside[-1]) == (places[0], places[-1])
        assert {min(y[inside]), max(y[inside])} == {min(y[places]), max(y[places])}
        assert len(points) <= 20 or len(inside) <= 4
