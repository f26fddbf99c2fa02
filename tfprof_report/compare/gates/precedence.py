"""Decides which rows each gate judges: if several gates match a row, the last one counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa

from tfprof_report.arrays import Bools
from tfprof_report.compare.gates.globs import matches
from tfprof_report.compare.gates.grammar import OPTION
from tfprof_report.compare.gates.policy import Bound, Gate, Reference, Subject
from tfprof_report.record import record

_Kind = tuple[str, Subject, bool, Reference | None, str]

_SIDES = {Bound.AT_MOST: {"above"}, Bound.AT_LEAST: {"below"}, Bound.EXACTLY: {"above", "below"}}


@record
class GateRows:
    """The rows of a gate's subject that it matches, and the subset that no later gate judges.

    winner : if a gate matches rows but judges none, the last of the gates that override it
    """

    matched: Bools
    judged: Bools
    winner: Gate | None = None


def rows_of_gates(gates: Sequence[Gate], names: Callable[[Subject], pa.Array]) -> tuple[GateRows, ...]:
    """Return the rows of each gate; the whole model is a single row.

    A later gate overrides an earlier one on a row if both have the same metric and subject, are both relative to base
    or both budgets, and both limit growth or both limit loss. So a budget does not override a relative gate, nor
    ``params >= -1%`` the gate ``params <= +1%``, nor a drift gate one that is relative to another report; ``==`` and
    bands limit both growth and loss. Gates of the command line, which come last, override those of a rules file, but
    not each other.

    All `gates` must have the same rows: `names` are those of their subjects.
    """
    # Many gates share a few globs, and matching dominates the time.
    found_by = {key: _matched(*key, names) for key in dict.fromkeys((gate.subject, gate.glob) for gate in gates)}
    matched = [found_by[gate.subject, gate.glob] for gate in gates]
    judged = list(matched)
    taken: dict[tuple[_Kind, bool], Bools] = {}
    for place in reversed(range(len(gates))):
        gate, is_given = gates[place], gates[place].source == OPTION
        for kind in _kinds(gate):
            for other in (False,) if is_given else (False, True):
                judged[place] = judged[place] & ~taken.get((kind, other), np.bool_(0))
        for kind in _kinds(gate):
            taken[kind, is_given] = taken.get((kind, is_given), np.bool_(0)) | matched[place]
    return tuple(
        GateRows(matched=matched[place], judged=judged[place], winner=_winner(place, gates, matched, judged[place]))
        for place in range(len(gates))
    )


def compete(one: Gate, other: Gate) -> bool:
    """Return whether only the later of two gates counts where both match."""
    return not one.source == other.source == OPTION and not _kinds(one).isdisjoint(_kinds(other))


def _kinds(gate: Gate) -> frozenset[_Kind]:
    """Return the kinds of limits of a gate: gates with a kind in common compete."""
    sides = set().union(*(_SIDES[limit.bound] for limit in gate.limits))
    return frozenset((gate.metric, gate.subject, gate.is_budget, gate.reference, side) for side in sides)


def _winner(place: int, gates: Sequence[Gate], matched: Sequence[Bools], judged: Bools) -> Gate | None:
    if judged.any():
        return None
    later = reversed(range(place + 1, len(gates)))
    takers = (gates[at] for at in later if compete(gates[place], gates[at]) and (matched[at] & matched[place]).any())
    return next(takers, None)


def _matched(subject: Subject, glob: str, names: Callable[[Subject], pa.Array]) -> Bools:
    return np.ones(1, dtype=bool) if subject is Subject.MODEL else matches(names(subject), glob)
