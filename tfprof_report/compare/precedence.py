"""Which rows each gate judges: of gates that match the same row, the last one counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from tfprof_report.compare.gate_grammar import OPTION
from tfprof_report.compare.globs import matches
from tfprof_report.compare.node_figures import Bools
from tfprof_report.compare.policy import Bound, Gate, Subject

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
    found: list[GateRows] = []
    for place, gate in enumerate(gates):
        rivals = [later for later in range(place + 1, len(gates)) if compete(gate, gates[later])]
        judged = matched[place].copy()
        for rival in rivals:
            judged &= ~matched[rival]
        takers = [] if judged.any() else [gates[rival] for rival in rivals if (matched[rival] & matched[place]).any()]
        found.append(GateRows(matched=matched[place], judged=judged, winner=takers[-1] if takers else None))
    return tuple(found)


def compete(one: Gate, other: Gate) -> bool:
    """Return whether only the later of two gates counts where both match."""
    if one.source == other.source == OPTION:
        return False
    same = (one.metric, one.subject, one.is_budget) == (other.metric, other.subject, other.is_budget)
    return same and bool(_sides(one) & _sides(other))


def _sides(gate: Gate) -> set[str]:
    return set().union(*(_SIDES[limit.bound] for limit in gate.limits))


def _matched(subject: Subject, glob: str, names: Callable[[Subject], pa.Array]) -> Bools:
    return np.ones(1, dtype=bool) if subject is Subject.MODEL else matches(names(subject), glob)
