"""What ops could do at best on their devices, and what bounds each."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Floats, Ints, to_bools, to_ints, whole
from tfprof_report.compare.bounds.op_rates import OpRates
from tfprof_report.compare.bounds.speeds import DeviceSpeed
from tfprof_report.compare.side import Side
from tfprof_report.model.graph.waits import is_wait
from tfprof_report.record import record

NANOS_PER_SECOND, NANOS_PER_MICRO = 1e9, 1e3
UNKNOWN = -1
"""The number of a bound that is not known."""


class Bound(StrEnum):
    """What an op cannot be faster than."""

    ARITHMETIC = "arithmetic"
    MEMORY = "memory"
    LAUNCH = "launch"
    WAITING = "waiting"


WORDS = tuple(Bound)
ARITHMETIC, MEMORY, LAUNCH, WAITING = range(len(WORDS))
"""Their numbers in columns."""


@record
class Roofs:
    """What ops could do at best.

    peak, bandwidth : FLOPs and bytes per second, NaN where not known
    float_seconds, byte_seconds : the shortest time of the arithmetic, and of moving the bytes; NaN where not known
    bound : index into `WORDS`, -1 where not known
    is_wait : ops that wait
    may_lack : ops that could have FLOPs and bytes: those of the graph that do not wait, as in views
    """

    peak: Floats
    bandwidth: Floats
    float_seconds: Floats
    byte_seconds: Floats
    bound: Ints
    is_wait: Bools
    may_lack: Bools

    @property
    def seconds(self) -> Floats:
        """The shortest time of all executions of each op: the longer of the two; NaN where one is not known."""
        found: Floats = np.maximum(self.float_seconds, self.byte_seconds)
        return found


def roofs_of(side: Side, rates: OpRates, speeds: Sequence[DeviceSpeed]) -> Roofs:
    """Return the roofs of ops by the shapes and types of their nodes; `speeds` are those of `rates.devices`.

    An op that waits is bound by that; one that takes less than its device's launch time, by its launch; any other by
    what takes longer at best, its arithmetic or its bytes (Williams, Waterman and Patterson, Roofline, 2009).
    """
    peak = _peaks(side, rates, speeds)
    bandwidth = floats([speed.bytes_per_second for speed in speeds])[rates.device]
    launch = floats([speed.launch_micros for speed in speeds])[rates.device] * NANOS_PER_MICRO
    float_seconds, byte_seconds = shortest(rates.float_ops, peak), shortest(rates.moved_bytes, bandwidth)
    ops = whole(side.nodes["op"]).take(pa.array(rates.node)).cast(pa.string())
    waits = is_wait(ops)
    with np.errstate(invalid="ignore"):
        is_known = (float_seconds + byte_seconds) > 0
        ridge = np.where(float_seconds >= byte_seconds, ARITHMETIC, MEMORY)
        is_launch = rates.nanos < launch * rates.runs
    bound = np.select([waits, is_launch, is_known], [WAITING, LAUNCH, ridge], UNKNOWN)
    return Roofs(
        peak=peak,
        bandwidth=bandwidth,
        float_seconds=float_seconds,
        byte_seconds=byte_seconds,
        bound=bound,
        is_wait=waits,
        may_lack=to_bools(ops.is_valid()) & ~waits,
    )


def floats(values: Sequence[float | None]) -> Floats:
    """Return numbers, NaN for None."""
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def _peaks(side: Side, rates: OpRates, speeds: Sequence[DeviceSpeed]) -> Floats:
    """Return the peak of the type that each op computes in, on its device."""
    codes = whole(side.nodes["dtype"].unify_dictionaries()).take(pa.array(rates.node))
    codes = codes if pa.types.is_dictionary(codes.type) else codes.dictionary_encode()
    types = [*codes.dictionary.to_pylist(), None]
    table = np.array([floats([speed.peak_of(dtype) for dtype in types]) for speed in speeds])
    found: Floats = table[rates.device, to_ints(pc.fill_null(codes.indices, len(types) - 1))]
    return found


def shortest(amount: Floats, speed: Floats) -> Floats:
    """Return the seconds that an amount takes at least; none of it takes 0, whatever the speed."""
    return np.where(amount == 0, 0, amount / speed)


def bound_words(bound: Ints) -> pa.Array:
    """Return bounds as words, NULL where they are not known."""
    return pa.array([str(word) for word in WORDS]).take(pa.array(bound, mask=bound < 0))
