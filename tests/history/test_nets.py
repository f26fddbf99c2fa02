"""What moved over a stretch: the net, its largest steps, and drift that no step shows."""

from __future__ import annotations

from indexed import in_order

from tfprof_report.history.nets import Net, find_stretch
from tfprof_report.history.steps import find_moves


def net(values: list[int | None], start: int, **columns: list[str]) -> Net | None:
    rows = in_order("params", values, **columns)
    nets = find_stretch(rows, "since then", start, {"params": find_moves(rows, "params")}).nets
    return nets[0] if nets else None


def test_the_net_names_the_largest_steps_in_either_direction() -> None:
    found = net([100, 101, 121, 91, 95, 96], 1)
    assert found is not None
    assert (found.base, found.head, found.delta, found.count) == (101, 96, -5, 4)
    assert [(step.row, step.delta) for step in found.largest] == [(3, -30), (2, 20), (4, 4)]
    assert not found.is_drift


def test_ten_steps_of_one_percent_are_a_drift() -> None:
    found = net([1000 + 9 * number for number in range(11)], 0)
    assert found is not None
    assert (found.delta, found.count, found.is_drift) == (90, 10, True)


def test_growth_with_one_large_step_is_no_drift() -> None:
    found = net([100, 101, 102, 112, 113], 0)
    assert found is not None
    assert not found.is_drift


def test_nothing_that_moved_is_a_net_of_zero() -> None:
    found = net([7, 7, 7], 0)
    assert found is not None
    assert (found.delta, found.count, found.largest) == (0, 0, ())


def test_an_end_that_is_not_known_or_counted_otherwise_has_no_net() -> None:
    assert net([None, 7, 8], 0) is None
    assert net([7, 8, None], 0) is None
    assert net([7, 8, 9], 0, counting=["a", "b", "b"]) is None
    assert net([7, None, 9], 0) is not None
