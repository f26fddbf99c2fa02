"""Gates relative to the totals of an earlier report, of which neither nodes nor single steps are known.

Counts are compared as with a base. Memory and time, which vary from step to step, are judged as far as the least and
the most over steps tell; where they do not, the gate only informs.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import lcm

import numpy as np

from tfprof_report.compare.exact_figures import Exact
from tfprof_report.compare.gates.grammar import UNITS
from tfprof_report.compare.gates.limits import RowOutcomes
from tfprof_report.compare.gates.on_memory import lie_apart
from tfprof_report.compare.gates.policy import Gate
from tfprof_report.compare.gates.reference import PastTotal, PastTotals
from tfprof_report.compare.gates.subjects import RowFigures
from tfprof_report.compare.side import Side
from tfprof_report.compare.step_times import MIN_STEPS, peaks_of_steps, times_of_steps
from tfprof_report.schema.metrics import DEVICE_PEAK, STEP_TIMES, VARYING, Unit

_NOTHING = PastTotal()


def figures_against(head: RowFigures, gate: Gate, totals: PastTotals) -> RowFigures:
    """Return the total of head, a single row, with that of an earlier report as base.

    Nodes without a figure on either side leave the difference open: it is not known whether they are equal.
    """
    past = totals.figures.get(gate.metric, _NOTHING)
    value = past.value or Fraction(0)
    divisor = lcm(head.divisor, value.denominator)
    return replace(
        head,
        base=np.array([int(value * divisor)], dtype=object),
        head=head.head * (divisor // head.divisor),
        base_known=np.array([past.value is not None]),
        base_unknown=np.array([past.unknown]),
        base_open=np.array([past.unknown]),
        head_open=head.head_unknown,
        divisor=divisor,
    )


def too_few_steps(gate: Gate, totals: PastTotals, head: Side) -> str | None:
    """Return that a figure which varies from step to step has not enough of them; None if it has, or does not vary."""
    counts = totals.steps, len(head.step_numbers)
    if not _varies(gate) or min(counts) >= MIN_STEPS:
        return None
    return "not enough steps ({:,} and {:,}, {} are needed)".format(*counts, MIN_STEPS)


def excuse_past_spread(
    outcomes: RowOutcomes, gate: Gate, figures: RowFigures, totals: PastTotals, head: Side, *, moved: Exact | int = 0
) -> RowOutcomes:
    """Return outcomes in which memory has failed only if the steps of both sides lie apart, as `excuse_spread` does.

    `moved` is how far accepted changes move base, over the divisor of `figures`.
    """
    if gate.metric not in VARYING or not outcomes.failed.any() or too_few_steps(gate, totals, head):
        return outcomes
    ends = _ends(gate, totals, head)
    if ends is None:
        return outcomes
    base, now = (np.array([[int(end * figures.divisor) for end in side]], dtype=object) for side in ends)
    close = outcomes.failed & ~lie_apart(base + np.reshape(moved, (-1, 1)), now)
    return replace(outcomes, failed=outcomes.failed & ~close, close=close)


def why_totals_inform(gate: Gate, outcomes: RowOutcomes, totals: PastTotals, head: Side) -> str | None:
    """Return why a gate that judged a total can only inform; None if it can do more.

    Without the spread over steps a change of memory or time may be one of every run. Where the steps of both sides do
    not overlap, a rank test of times is significant whatever they are; where they do, it may be or not.
    """
    if not _varies(gate):
        return None
    if few := too_few_steps(gate, totals, head):
        return f"which only informs: {few}"
    ends = _ends(gate, totals, head)
    if ends is None:
        return f"which only informs: totals do not say how far steps differ in {gate.metric}"
    (low, high), (head_low, head_high) = ends
    if gate.metric in STEP_TIMES and outcomes.failed.any() and low <= head_high and head_low <= high:
        return "which only informs: steps of both sides overlap, and totals do not say whether chance explains it"
    return None


def is_time(gate: Gate) -> bool:
    """Return whether a gate is on a time."""
    return UNITS[gate.metric] is Unit.MICROS


def _varies(gate: Gate) -> bool:
    return gate.metric in VARYING or is_time(gate)


def _ends(gate: Gate, totals: PastTotals, head: Side) -> tuple[tuple[Fraction, Fraction], ...] | None:
    """Return the least and the most over steps of both sides; None where they are not known."""
    past = totals.figures.get(gate.metric, _NOTHING)
    steps: tuple[int | Fraction, ...] = ()
    if gate.metric == DEVICE_PEAK:
        steps = peaks_of_steps(head)
    elif gate.metric in STEP_TIMES:
        steps = times_of_steps(head, gate.metric)
    if past.low is None or past.high is None or not steps:
        return None
    return (past.low, past.high), (Fraction(min(steps)), Fraction(max(steps)))
