"""Sums over the ops of a layer or of a step: time by bound, FLOPs, bytes, and the shortest time that these take."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tfprof_report.arrays import Bools, Floats, Ints
from tfprof_report.compare.bounds.op_rates import add_up
from tfprof_report.compare.bounds.roofs import (
    ARITHMETIC,
    LAUNCH,
    MEMORY,
    NANOS_PER_MICRO,
    NANOS_PER_SECOND,
    UNKNOWN,
    WAITING,
    WORDS,
    Roofs,
    bound_words,
    shortest,
)
from tfprof_report.record import record


@record
class Done:
    """What ops did: the group and the op of each part, its FLOPs and bytes, NaN where not known."""

    group: Ints
    op: Ints
    float_ops: Floats
    moved_bytes: Floats


@record
class Taken:
    """The time that ops took: the group and the op of each part, and its nanoseconds."""

    group: Ints
    op: Ints
    nanos: Floats


@record
class GroupSums:
    """Sums over the ops of each group.

    nanos : time of ops; `by_bound` has it by bound, the last that of ops whose bound is not known
    float_ops, moved_bytes : known ones; `no_float_ops` and `no_moved_bytes` count what has none
    float_seconds, byte_seconds : the shortest times, of ops that have both
    ridge_seconds : the same of ops that arithmetic or memory bounds
    """

    nanos: Floats
    by_bound: tuple[Floats, ...]
    float_ops: Floats
    no_float_ops: Ints
    moved_bytes: Floats
    no_moved_bytes: Ints
    float_seconds: Floats
    byte_seconds: Floats
    ridge_seconds: tuple[Floats, Floats]
    bandwidth: Floats

    @classmethod
    def of(cls, count: int, done: Done, taken: Taken, roofs: Roofs) -> GroupSums:
        """Return the sums of `count` groups."""
        group, op = done.group, done.op
        has_floats, has_bytes = np.isfinite(done.float_ops), np.isfinite(done.moved_bytes)
        seconds = shortest(done.float_ops, roofs.peak[op]), shortest(done.moved_bytes, roofs.bandwidth[op])
        both = np.isfinite(seconds[0]) & np.isfinite(seconds[1])
        on_ridge = both & np.isin(roofs.bound[op], (ARITHMETIC, MEMORY))
        may_lack = roofs.may_lack[op]
        kind = np.where(roofs.bound[taken.op] < 0, len(WORDS), roofs.bound[taken.op])
        by_bound = add_up(kind * count + taken.group, taken.nanos, (len(WORDS) + 1) * count)
        bandwidth = np.full(count, np.nan)
        bandwidth[group] = roofs.bandwidth[op]

        def add(values: Floats, where: Bools) -> Floats:
            return add_up(group[where], values[where], count)

        return cls(
            nanos=add_up(taken.group, taken.nanos, count),
            by_bound=tuple(np.split(by_bound, len(WORDS) + 1)),
            float_ops=add(done.float_ops, has_floats),
            no_float_ops=np.bincount(group[~has_floats & may_lack], minlength=count),
            moved_bytes=add(done.moved_bytes, has_bytes),
            no_moved_bytes=np.bincount(group[~has_bytes & may_lack], minlength=count),
            float_seconds=add(seconds[0], both),
            byte_seconds=add(seconds[1], both),
            ridge_seconds=(add(seconds[0], on_ridge), add(seconds[1], on_ridge)),
            bandwidth=bandwidth,
        )

    def columns(self, nanos: Floats, steps: int) -> dict[str, pa.Array]:
        """Return the columns of the table from `micros` on, means over `steps`; `nanos` is the time of the rates."""
        float_ops = _where_any(self.float_ops, self.no_float_ops)
        moved_bytes = _where_any(self.moved_bytes, self.no_moved_bytes)
        least = np.maximum(self.float_seconds, self.byte_seconds)
        return {
            "micros": known_values(nanos / NANOS_PER_MICRO / steps),
            "run_float_ops": known_values(float_ops / steps),
            "unknown_run_float_ops": self.no_float_ops,
            "run_moved_bytes": known_values(moved_bytes / steps),
            "unknown_run_moved_bytes": self.no_moved_bytes,
            "float_ops_per_second": per_second(float_ops, nanos),
            "float_ops_per_byte": ratio(float_ops, moved_bytes),
            "peak_float_ops_per_second": pa.nulls(len(nanos)),
            "peak_bytes_per_second": known_values(self.bandwidth),
            "share_of_peak": per_second(np.where(least > 0, least, np.nan), nanos),
            "bound": bound_words(self._bound()),
            **{f"{word}_micros": self.by_bound[at] / NANOS_PER_MICRO / steps for at, word in enumerate(WORDS)},
        }

    def _bound(self) -> Ints:
        """Return launch or waiting where most of the time is theirs, else the ridge of the ops that are on it."""
        launch, waiting, open_time = self.by_bound[LAUNCH], self.by_bound[WAITING], self.by_bound[-1]
        half = self.nanos / 2
        idle = np.where(launch >= waiting, LAUNCH, WAITING)
        arithmetic, memory = self.ridge_seconds
        ridge = np.where(arithmetic >= memory, ARITHMETIC, MEMORY)
        found: Ints = np.select(
            [launch + waiting > half, (open_time >= half) | (arithmetic + memory == 0)], [idle, UNKNOWN], ridge
        )
        return found


def _where_any(sums: Floats, lacking: Ints) -> Floats:
    """Return sums, NaN where nothing is known though something lacks a figure."""
    return np.where((sums == 0) & (lacking > 0), np.nan, sums)


def ratio(amount: Floats, of: Floats) -> pa.Array:
    """Return how much of the first there is for each of the second; NULL where one is not known, or the second is 0."""
    return known_values(np.divide(amount, of, out=np.full(len(amount), np.nan), where=of > 0))


def per_second(amount: Floats, nanos: Floats) -> pa.Array:
    """Return how much of something a second has, given the nanoseconds of all of it; NULL where one is not known."""
    return known_values(amount * NANOS_PER_SECOND / nanos)


def known_values(values: Floats) -> pa.Array:
    """Return a column in which what is not finite is NULL."""
    return pa.array(values, pa.float64(), mask=~np.isfinite(values))
