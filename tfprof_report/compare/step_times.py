"""Compares times over steps by their medians and a rank test, since a single step is no evidence of a change."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Floats, Ints, to_ints
from tfprof_report.compare.comparison import StepTimes, TimeChange, TimeFinding
from tfprof_report.compare.exact_figures import Exact, add_up
from tfprof_report.compare.exact_totals import as_number, known_share
from tfprof_report.compare.side import Side
from tfprof_report.formatting import percent_of
from tfprof_report.schema.metrics import METRICS, NANOS, NANOS_PER_MICRO, STEP_TIMES, Unit

MIN_STEPS = 4
"""Steps that each side needs: with fewer the rank test cannot reach `SIGNIFICANT`, however large the difference."""

SIGNIFICANT = 0.05
"""Times differ where the p-value of the rank test is below this."""

TIME_STEMS = (*STEP_TIMES, *(stem for stem, metric in METRICS.items() if metric.unit is Unit.MICROS))

Exactly = int | Fraction
"""A time in microseconds, exact to the nanosecond."""

_EXACT_PAIRS = 10_000
"""Up to this product of step counts the exact test is used; beyond it the normal approximation is as good."""


def compare_times(base: Side, head: Side) -> tuple[TimeChange, ...]:
    """Return the change of each total time over steps, in the order of every report.

    A time that is unknown on a side is left out.
    """
    sides = [(stem, times_of_steps(base, stem), times_of_steps(head, stem)) for stem in TIME_STEMS]
    return tuple(compare_step_times(stem, old, new) for stem, old, new in sides if old and new)


def compare_step_times(stem: str, base: Sequence[Exactly], head: Sequence[Exactly]) -> TimeChange:
    """Compare the times of the steps of two sides, in microseconds.

    With fewer than `MIN_STEPS` steps on a side there is no test, and the finding is `NOT_ENOUGH_STEPS`. Otherwise the
    test decides whether times differ, and the medians in which direction.
    """
    old, new = _describe(base), _describe(head)
    has_enough = min(old.steps, new.steps) >= MIN_STEPS
    p_value = _test(base, head) if has_enough else None
    return TimeChange(
        stem=stem,
        base=old,
        head=new,
        percent=percent_of(old.exact_median, new.exact_median),
        p_value=p_value,
        finding=TimeFinding.NOT_ENOUGH_STEPS if p_value is None else _finding(old, new, p_value),
    )


def times_of_steps(side: Side, time: str) -> tuple[Fraction, ...]:
    """Return the exact total of a time in each step of a side, in microseconds; empty if it is unknown in one.

    A step in which no node ran has 0.
    """
    if time in STEP_TIMES:
        nanos = side.of_steps(time)
        known = tuple(Fraction(each, NANOS_PER_MICRO) for each in nanos if each is not None)
        return known if len(known) == len(nanos) else ()
    stem = NANOS[time]
    if stem not in side.steps.column_names or not known_share(side, time)[0]:
        return ()
    steps = side.steps.filter(side.steps["node"].is_valid())
    if steps[stem].null_count:
        return ()
    # decimals, because sums of int64 wrap silently
    times = pa.table({"step": steps["step"], "nanos": steps[stem].cast(pa.decimal128(19))})
    sums = times.group_by("step").aggregate([("nanos", "sum")])
    found = dict(zip(sums["step"].to_pylist(), sums["nanos_sum"].to_pylist(), strict=True))
    return tuple(Fraction(int(found.get(step) or 0), NANOS_PER_MICRO) for step in side.step_numbers)


def figures_of_nodes(side: Side, stem: str) -> Exact:
    """Return a figure of each node in each step: a row per node, a column per step; 0 where it did not run.

    Times are in nanoseconds. The totals of a view row are sums of these rows.
    """
    steps = side.steps.filter(side.steps["node"].is_valid())
    stem = NANOS.get(stem, stem)
    known = steps.filter(steps[stem].is_valid())
    nodes, count = side.nodes.num_rows, len(side.step_numbers)
    column = to_ints(pc.index_in(known["step"], value_set=pa.array(side.step_numbers, pa.int64())))
    return add_up(to_ints(known[stem]), to_ints(known["node"]) * count + column, nodes * count).reshape(nodes, count)


def peaks_of_steps(side: Side) -> tuple[int, ...]:
    """Return the most memory in use on any device in each step, in bytes; 0 where it is unknown."""
    highest = dict.fromkeys(side.step_numbers, 0)
    for peak in side.devices:
        highest[peak.step] = max(highest.get(peak.step, 0), peak.device_peak_bytes or 0)
    return tuple(highest.values())


def rank_test(base: Exact, head: Exact) -> Floats:
    """Return for each row the p-value of a two-sided Mann-Whitney U test between base and head.

    A row of `base` and `head` has the times of one node, scope or op type in the steps of that side. Ties are frequent:
    many traces have whole microseconds only. A tie counts against a difference in either direction, so the p-value is
    conservative: never too small.
    """
    from scipy.stats import mannwhitneyu  # noqa: PLC0415 takes half a second, and few reports need it

    ranks = _dense_ranks(np.hstack([base, head]))
    old, new = ranks[:, : base.shape[1]], ranks[:, base.shape[1] :]
    method: Literal["exact", "asymptotic"]
    method = "exact" if base.shape[1] * head.shape[1] <= _EXACT_PAIRS else "asymptotic"
    likely: Floats = np.ones(len(ranks))
    for higher, lower in ((new, old), (old, new)):
        # Raise the side that should be lower by half a rank (ranks are doubled to stay whole). This counts ties against
        # a difference, and leaves none between the sides, which the exact method does not support.
        found = mannwhitneyu(2 * higher, 2 * lower + 1, alternative="greater", method=method, axis=-1)
        likely = np.minimum(likely, 2 * found.pvalue)
    return likely


def _test(base: Sequence[Exactly], head: Sequence[Exactly]) -> float:
    """Return `rank_test` of one row, whose times may exceed int64."""
    places = {time: place for place, time in enumerate(sorted({*base, *head}))}
    rows = (np.array([[places[time] for time in side]], dtype=np.int64) for side in (base, head))
    return float(rank_test(*rows)[0])


def _dense_ranks(times: Exact) -> Ints:
    """Return the dense rank of each time within its row: small integers, which float64 holds exactly."""
    order = np.argsort(times, axis=-1, kind="stable")
    ordered = np.take_along_axis(times, order, axis=-1)
    places = np.zeros(times.shape, dtype=np.int64)
    np.cumsum(ordered[:, 1:] != ordered[:, :-1], axis=-1, out=places[:, 1:])
    ranks = np.empty(times.shape, dtype=np.int64)
    np.put_along_axis(ranks, order, places, axis=-1)
    return ranks


def _describe(times: Sequence[Exactly]) -> StepTimes:
    """Return the median and the interquartile range, with linear interpolation."""
    ordered = sorted(times)
    if not ordered:
        return StepTimes(steps=0)
    lower, median, upper = (_quantile(ordered, Fraction(quarters, 4)) for quarters in (1, 2, 3))
    return StepTimes(steps=len(ordered), median=as_number(median), spread=as_number(upper - lower), exact_median=median)


def _quantile(ordered: Sequence[Exactly], part: Fraction) -> Fraction:
    place = part * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def _finding(base: StepTimes, head: StepTimes, p_value: float) -> TimeFinding:
    if p_value >= SIGNIFICANT or base.exact_median is None or head.exact_median is None:
        return TimeFinding.NO_CLEAR_CHANGE
    if base.exact_median == head.exact_median:
        return TimeFinding.NO_CLEAR_CHANGE
    return TimeFinding.SLOWER if head.exact_median > base.exact_median else TimeFinding.FASTER
