"""Checks the times of run metadata: impossible or stray ones are unknown, and devices with another clock are aligned.

*Far* is more than ten times the span of 99 % of the step's other records, and more than a second.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tfprof_report.arrays import Bools, Ints
from tfprof_report.diagnostics import EXAMPLES, Diagnostic, Severity
from tfprof_report.formatting import plural
from tfprof_report.ingest.activity import LONGEST, exact_starts
from tfprof_report.model.totals import StepWall
from tfprof_report.record import record

_FAR_SPANS, _FAR_NANOS = 10, 10**9
_STRAY = 100
"""One of so many records may be anywhere without adding to the span."""

_PAIR = 2

_FAR = " (more than ten times the span of its other records, and more than 1 s)"

_ROUNDS = 32
"""Strays hide smaller ones by widening the span, so the search is repeated; each round is at least ten times nearer."""


class Fault(IntEnum):
    """What is wrong with the times of a record."""

    NONE = 0
    ENDS_EARLY = 1
    TOO_LONG = 2
    FAR = 3


@record
class CheckedTimes:
    """The times of n records, checked.

    start : nanoseconds on the clock of the step, in which devices with another clock start when the step does
    nanos : duration; meaningless for a record with a fault
    fault : `Fault` of each record
    aligned : the devices that have another clock in some step, in order of appearance
    walls : per step, ascending, the time from the first start to the last end over all devices
    """

    start: Ints
    nanos: Ints
    fault: NDArray[np.int8]
    aligned: tuple[str, ...]
    walls: tuple[StepWall, ...]


def check_times(
    start: Ints,
    nanos: Ints,
    *,
    ends_early: Bools,
    is_timed: Bools,
    step: Ints,
    device: Ints,
    devices: Sequence[str],
    is_canonical: Sequence[bool],
) -> CheckedTimes:
    """Check the records of all steps.

    Parameters
    ----------
    start, nanos : of each record, by `exact_starts` and `exact_durations`
    ends_early : the records that end before they start
    is_timed : the records with a start; the others are neither checked nor part of a step's wall time
    step, device : of each record; `device` is an index of `devices`
    is_canonical : which of `devices` are a CPU or a GPU, whose clock is that of the step
    """
    start = start.copy()
    fault = np.zeros(len(start), dtype=np.int8)
    fault[is_timed & (ends_early | (nanos < 0))] = Fault.ENDS_EARLY
    fault[is_timed & (fault == Fault.NONE) & (nanos >= LONGEST)] = Fault.TOO_LONG
    aligned, walls = set(), []
    order = np.argsort(step, kind="stable")
    numbers, first = np.unique(step[order], return_index=True)
    for number, begin, end in zip(numbers.tolist(), first, [*first[1:], len(order)], strict=False):
        rows = order[begin:end]
        rows = rows[is_timed[rows]]
        sound = rows[fault[rows] == Fault.NONE]
        shift = _shifts(start[sound], nanos[sound], device[sound], is_canonical)
        start[sound] += shift
        aligned.update(device[sound[shift != 0]].tolist())
        fault[sound] = _strays(start[sound], nanos[sound])
        walls.append(_wall(number, start[rows], nanos[rows], fault[rows]))
    return CheckedTimes(
        start=start,
        nanos=nanos,
        fault=fault,
        aligned=tuple(devices[each] for each in sorted(aligned)),
        walls=tuple(walls),
    )


_WORDS = {
    Fault.ENDS_EARLY: ("ends_before_start", "records end before they start"),
    Fault.TOO_LONG: ("longer_than_step", "records are far longer than their step"),
    Fault.FAR: ("far_from_step", "records are far from their step"),
}


def diagnose_times(checked: CheckedTimes, names: pa.Array) -> Iterator[Diagnostic]:
    """Yield a warning for each kind of fault, and for other clocks; `names` are the names of the records' nodes."""
    for fault, (code, words) in _WORDS.items():
        rows = np.flatnonzero(checked.fault == fault)
        if len(rows):
            examples = names.take(pa.array(rows)).unique().to_pylist()[:EXAMPLES]
            text = f"{words}{_FAR if fault is not Fault.ENDS_EARLY else ''}: their time is unknown"
            yield Diagnostic(severity=Severity.WARNING, code=code, text=text, count=len(rows), examples=tuple(examples))
    if checked.aligned:
        yield Diagnostic(
            severity=Severity.WARNING,
            code="other_clock",
            text=f"devices have a clock that is far from the step's{_FAR}: they are moved to its first start",
            count=len(checked.aligned),
            examples=checked.aligned[:EXAMPLES],
        )


def near(moments: Ints) -> tuple[int, int]:
    """Return the first and last of `moments`, in microseconds, that are not far from the others."""
    start = exact_starts(moments, moments, is_exact=np.zeros(len(moments), dtype=bool))
    kept = moments[_strays(start, np.zeros_like(start)) == Fault.NONE]
    return int(kept.min()), int(kept.max())


@dataclass(frozen=True, slots=True)
class _Span:
    """A stretch of time, in nanoseconds."""

    first: int
    last: int

    @property
    def length(self) -> int:
        return self.last - self.first

    def far(self, other: int = 0) -> int:
        """Return from which distance a moment is far, for records that span this, or `other` if that is longer."""
        return max(_FAR_SPANS * max(self.length, other), _FAR_NANOS)

    def gap(self, other: _Span) -> int:
        return max(other.first - self.last, self.first - other.last, 0)

    def with_(self, other: _Span) -> _Span:
        return _Span(min(self.first, other.first), max(self.last, other.last))


def _bulk(starts: Ints, ends: Ints, spare: int) -> _Span:
    """Return the shortest span of all but `spare` records, which may start before it or end after it.

    `starts` and `ends` are sorted, each by itself.
    """
    early = np.arange(spare + 1)
    lengths = ends[len(ends) - 1 - spare + early] - starts[early]
    best = int(np.argmin(lengths))
    return _Span(int(starts[best]), int(ends[len(ends) - 1 - spare + best]))


def _spare(count: int) -> int:
    """Return how many of `count` records may be anywhere; none up to a pair, either of which may be the stray one."""
    return 1 + (count - 1) // _STRAY if count > _PAIR else 0


def _strays(start: Ints, nanos: Ints) -> NDArray[np.int8]:
    """Return the `Fault` of records of one step: too long, or far from the others. Two records can't tell."""
    fault = np.zeros(len(start), dtype=np.int8)
    starts, ends = np.sort(start), np.sort(start + nanos)
    for _ in range(_ROUNDS):
        if not (spare := _spare(len(starts))):
            break
        bulk = _bulk(starts, ends, spare)
        far = bulk.far()
        is_long = (fault == Fault.NONE) & (nanos > far)
        is_far = (fault == Fault.NONE) & ~is_long & ((start < bulk.first - far) | (start > bulk.last + far))
        if not (is_long | is_far).any():
            break
        fault[is_long], fault[is_far] = Fault.TOO_LONG, Fault.FAR
        left = fault == Fault.NONE
        starts, ends = np.sort(start[left]), np.sort((start + nanos)[left])
    return fault


def _shifts(start: Ints, nanos: Ints, device: Ints, is_canonical: Sequence[bool]) -> Ints:
    """Return what to add to the starts of one step, so that devices with another clock start when the step does.

    The step's clock is that of the CPU or GPU with the most records, and of all devices that are not far from it.
    """
    shift = np.zeros(len(start), dtype=np.int64)
    order = np.argsort(device, kind="stable")
    present, first = np.unique(device[order], return_index=True)
    if len(present) <= 1:
        return shift
    rows = dict(zip(present.tolist(), np.split(order, first[1:]), strict=True))
    spans = {each: _span_of(start[mine], nanos[mine]) for each, mine in rows.items()}
    left = sorted(rows, key=lambda each: (not is_canonical[each], -len(rows[each]), each))
    clock = None
    while left:
        reference, *left = left
        group, span = [reference], spans[reference]
        while close := [each for each in left if span.gap(spans[each]) <= span.far(spans[each].length)]:
            group += close
            left = [each for each in left if each not in close]
            for each in close:
                span = span.with_(spans[each])
        clock = span if clock is None else clock
        for each in group:
            shift[rows[each]] = clock.first - span.first
    return shift


def _span_of(start: Ints, nanos: Ints) -> _Span:
    """Return the span of a device's records without strays."""
    ends = np.sort(start + nanos)
    return _bulk(np.sort(start), ends, _spare(len(start)))


def _wall(step: int, start: Ints, nanos: Ints, fault: NDArray[np.int8]) -> StepWall:
    """Return the wall time of a step: unknown if the times of one of its records are."""
    if not len(start):
        return StepWall(step=step, nanos=None, reason="no record has a start time")
    if fault.any():
        count = int(np.count_nonzero(fault))
        return StepWall(step=step, nanos=None, reason=f"the times of {plural(count, 'record')} are not possible")
    return StepWall(step=step, nanos=int((start + nanos).max() - start.min()), reason="")
