"""Which rows each gate judges: of gates that match the same row, the last one counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from tfprof_report.arrays import Bools
from tfprof_report.compare.gates.globs import matches
from tfprof_report.compare.gates.grammar import OPTION
from tfprof_report.compare.gates.policy import Bound, Gate, Subject

_Kind = tuple[str, Subject, bool, str]

_SIDES = {Bound.AT_MOST: {"above"}, Bound.AT_LEAST: {"below"}, Bound.EXACTLY: {"above", "below"}}


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRows:
    """The rows of a gate's subject that it matches, and those of them that no later gate judges.

    winner : where it judges none though it matches some, the last of the gates that judge them
    """

    matched: Bools
    judged: Bools
    winner: Gate | None = None


def rows_of_gates(gates: Sequence[Gate], names: Callable[[Subject], pa.Array]) -> tuple[GateRows, ...]:
    """Return the rows of each gate; those on the whole model have a single one.

    A later gate takes a row from an earlier one if they are about the same metric and subject, both relative to base
    or both budgets, and both bound growth or both bound loss: so a budget and a relative gate stand side by side, and
    so do ``params <= +1%`` and ``params >= -1%``, while ``==`` and a band bound both. Gates of the command line, which
    come last, take rows from a rules file's alone: of each other, all count.
    """
    # Many gates have few globs, and matching is what takes the time.
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
    """Return what a gate says something about: gates that have one in common compete."""
    sides = set().union(*(_SIDES[limit.bound] for limit in gate.limits))
    return frozenset((gate.metric, gate.subject, gate.is_budget, side) for side in sides)


def _winner(place: int, gates: Sequence[Gate], matched: Sequence[Bools], judged: Bools) -> Gate | None:
    if judged.any():
        return None
    later = reversed(range(place + 1, len(gates)))
    takers = (gates[at] for at in later if compete(gates[place], gates[at]) and (matched[at] & matched[place]).any())
    return next(takers, None)


def _matched(subject: Subject, glob: str, names: Callable[[Subject], pa.Array]) -> Bools:
    return np.ones(1, dtype=bool) if subject is Subject.MODEL else matches(names(subject), glob)
