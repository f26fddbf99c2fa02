"""One figure held to a gate: the outcome, and the sentence with both numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from tfprof_report.compare.delta import percent_of
from tfprof_report.compare.limits import allowed_words, holds
from tfprof_report.compare.policy import Bound, Gate
from tfprof_report.compare.result import GateStatus, JudgedRow
from tfprof_report.compare.totals import as_number
from tfprof_report.compare.wording import amount, change


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A metric of the whole model (`name` None) or of one row; None where unknown.

    doubts : why the figures of base and head are not of the same things
    """

    base: Fraction | None
    head: Fraction | None
    name: str | None = None
    doubts: tuple[str, ...] = ()


def judge_figure(gate: Gate, figure: Figure) -> JudgedRow:
    """Hold one figure to a gate.

    A budget that the known figures of head break has failed whatever else is in doubt: base has no say in it. Growth
    from 0 fails a relative gate that sets an upper bound: there is nothing to measure it against.
    """
    status, text, allowed = (_judge_budget if gate.is_budget else _judge_growth)(gate, figure)
    base, head = figure.base, figure.head
    return JudgedRow(
        name=figure.name,
        status=status,
        base=as_number(base),
        head=as_number(head),
        delta=as_number(None if base is None or head is None else head - base),
        percent=percent_of(base, head),
        allowed=allowed,
        text=text,
    )


def _judge_budget(gate: Gate, figure: Figure) -> tuple[GateStatus, str, str]:
    if figure.head is None:
        return GateStatus.INCONCLUSIVE, f"{gate.metric} of head is unknown", allowed_words(gate, None)
    allowed = allowed_words(gate, None)
    text = f"{amount(figure.head)}, allowed {allowed}"
    if not all(holds(limit, None, figure.head) for limit in gate.limits):
        return GateStatus.FAILED, text, allowed
    return *_unless(figure.doubts, GateStatus.PASSED, text), allowed


def _judge_growth(gate: Gate, figure: Figure) -> tuple[GateStatus, str, str]:
    base, head = figure.base, figure.head
    if base is None or head is None:
        sides = "base and head" if base is None and head is None else "base" if base is None else "head"
        return GateStatus.INCONCLUSIVE, f"{gate.metric} of {sides} is unknown", ""
    allowed = allowed_words(gate, base)
    text = f"{change(base, head)}, allowed {allowed}"
    if figure.doubts:
        return *_unless(figure.doubts, GateStatus.PASSED, text), allowed
    if base == 0 and head != 0 and any(limit.bound is not Bound.AT_LEAST for limit in gate.limits):
        return (
            GateStatus.FAILED,
            f"{change(base, head)}, and growth from 0 fails every relative upper limit",
            allowed_words(gate, base),
        )
    is_held = all(holds(limit, base, head) for limit in gate.limits)
    return GateStatus.PASSED if is_held else GateStatus.FAILED, text, allowed


def _unless(doubts: Sequence[str], status: GateStatus, text: str) -> tuple[GateStatus, str]:
    return (GateStatus.INCONCLUSIVE, f"{text}, but {' and '.join(doubts)}") if doubts else (status, text)
