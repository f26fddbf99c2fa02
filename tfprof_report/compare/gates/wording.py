"""Words the outcome of a gate on a row; the outcome itself is decided in `limits` and `hold`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

import numpy as np

from tfprof_report.compare.exact_totals import as_number
from tfprof_report.compare.gates.context import Case, common_doubts, is_start, start_words
from tfprof_report.compare.gates.grammar import UNITS
from tfprof_report.compare.gates.hold import HeldRows
from tfprof_report.compare.gates.on_totals import is_time
from tfprof_report.compare.gates.policy import Bound, Gate, Limit, Scale, Subject
from tfprof_report.compare.gates.subjects import RowFigures
from tfprof_report.compare.gates.verdict import AcknowledgedStatus, GateStatus, JudgedRow
from tfprof_report.formatting import amount, change, percent_of, plural
from tfprof_report.model.flops.evaluate import FLOP_STEMS
from tfprof_report.model.shapes.basis import basis_of
from tfprof_report.schema.metrics import OF_NO_NODE, Number, Unit

_WHY_NOT = (AcknowledgedStatus.EXPIRED, AcknowledgedStatus.OTHER_VALUE)
"""Acknowledgements without effect that are mentioned where a figure fails."""


def row_in_words(gate: Gate, held: HeldRows, row: int, case: Case) -> JudgedRow:
    """Return one row as a gate judged it; a gate on the whole model has a single row."""
    (base, head), status = held.figures.at(row), held.outcomes.status(row)
    is_known = head is not None and (gate.is_budget or base is not None)
    notes = (*_notes(gate, held, row, case), *_basis(gate, case)) if is_known else ()
    text, reason, doubt = ", ".join([_sentence(gate, held, row, case), *notes]), None, ""
    if status is GateStatus.INCONCLUSIVE:
        doubt = (
            " and ".join(_doubts(gate, held, row, case))
            if is_known
            else f"unknown in {_lacking(gate, held, row, case)}"
        )
        text = f"{text}, but {doubt}" if is_known else text
    elif not np.isnan(p_value := held.outcomes.p_value[row]):
        by_chance = "" if status is GateStatus.FAILED else ", which chance explains"
        text = f"{text}, by medians over steps{by_chance} (p = {p_value:.2g})"
    elif status is GateStatus.PASSED and held.outcomes.close[row]:
        text = f"{text}, and steps of the same side differ as much"
    elif status in (GateStatus.FAILED, GateStatus.ACKNOWLEDGED) and not gate.is_budget:
        text, reason = _with_accepted(text, gate, held, row, case)
    return judged_row(
        None if gate.subject is Subject.MODEL else str(case.subjects.names(gate.subject)[row]),
        status,
        held.figures,
        row,
        allowed=allowed_words(gate, base) if is_known or gate.is_budget else "",
        bounds=_bounds(gate, base) if is_known or gate.is_budget else (None, None),
        text=text,
        doubt=doubt,
        reason=reason,
    )


def judged_row(
    name: str | None,
    status: GateStatus,
    figures: RowFigures,
    row: int,
    *,
    text: str,
    allowed: str = "",
    bounds: tuple[Number | None, Number | None] = (None, None),
    doubt: str = "",
    reason: str | None = None,
) -> JudgedRow:
    """Return a row, with the difference of its figures if there is one; `bounds` are the least and the most allowed."""
    base, head = figures.at(row)
    is_open = bool(figures.base_open[row] or figures.head_open[row])
    return JudgedRow(
        name=name,
        status=status,
        base=as_number(base),
        head=as_number(head),
        base_unknown=int(figures.base_unknown[row]),
        head_unknown=int(figures.head_unknown[row]),
        delta=as_number(None if base is None or head is None or is_open else head - base),
        percent=None if is_open else percent_of(base, head),
        allowed=allowed,
        least=bounds[0],
        most=bounds[1],
        text=text,
        doubt=doubt,
        reason=reason,
    )


def _bounds(gate: Gate, base: Fraction | None) -> tuple[Number | None, Number | None]:
    """Return the smallest and the largest figure that a gate allows, None where it has no such limit."""
    lower = [_allowed_by(limit, base) for limit in gate.limits if limit.bound is not Bound.AT_MOST]
    upper = [_allowed_by(limit, base) for limit in gate.limits if limit.bound is not Bound.AT_LEAST]
    return as_number(max(lower, default=None)), as_number(min(upper, default=None))


def allowed_words(gate: Gate, base: Fraction | None) -> str:
    """Return ``at most 1,246.34``, ``from 99 to 101 bytes``: what a gate allows a figure to be.

    With a floor also both limits, as in ``at most 1,064 bytes (+5 % or +64 bytes)``.
    """
    unit = UNITS[gate.metric]
    if len(gate.limits) > 1:
        low, high = (_allowed_by(limit, base) for limit in gate.limits)
        return f"from {amount(low)} to {amount(high, unit)}{_either(gate)}"
    words = {Bound.AT_MOST: "at most", Bound.AT_LEAST: "at least", Bound.EXACTLY: "exactly"}
    limit = gate.limits[0]
    return f"{words[limit.bound]} {amount(_allowed_by(limit, base), unit)}{_either(gate)}"


def _either(gate: Gate) -> str:
    """Return the limits of a gate that have floors, with these, in parentheses; empty if none has."""
    unit = UNITS[gate.metric]
    pairs = [(each.value, each.floor) for each in gate.limits if each.floor is not None]
    texts = [f"{_signed(value)} % or {_signed(floor, unit)}" for value, floor in pairs]
    return f" ({', '.join(texts)})" if texts else ""


def _signed(value: Fraction, unit: Unit = Unit.COUNT) -> str:
    return f"{'+' if value >= 0 else ''}{amount(value, unit)}"


def _allowed_by(limit: Limit, base: Fraction | None) -> Fraction:
    """Return the figure that a limit allows at most, at least or exactly."""
    base = base or Fraction(0)
    match limit.scale:
        case Scale.BUDGET:
            return limit.value
        case Scale.DIFFERENCE:
            return base + limit.value
        case Scale.PERCENT:
            share = abs(base) * limit.value / 100
            if limit.floor is None:
                return base + share
            return base + (max if limit.bound is Bound.AT_MOST else min)(share, limit.floor)


def _sentence(gate: Gate, held: HeldRows, row: int, case: Case) -> str:
    """Return a sentence with both figures and what is allowed, or with the side on which the figure is unknown."""
    figures, (base, head) = held.figures, held.figures.at(row)
    if gate.is_budget and head is not None:
        return f"{_at_least(head, is_bound=figures.head_unknown[row] > 0)}, allowed {allowed_words(gate, None)}"
    if base is None or head is None:
        return f"{gate.metric} of {_lacking(gate, held, row, case)} is unknown"
    if held.outcomes.from_zero[row] and not held.outcomes.open[row]:
        return f"{change(base, head)}, and growth from 0 fails every relative upper limit"
    if figures.base_open[row] or figures.head_open[row]:  # a difference would say nothing
        old = _at_least(base, is_bound=figures.base_unknown[row] > 0)
        new = _at_least(head, is_bound=figures.head_unknown[row] > 0)
        return f"{old} in {case.base_word}, {new} in head"
    return f"{change(base, head)}, allowed {allowed_words(gate, base)}"


def _lacking(gate: Gate, held: HeldRows, row: int, case: Case) -> str:
    """Return the sides that a gate needs and whose figure is unknown: ``base and head``."""
    base, head = held.figures.at(row)
    sides = {case.base_word: base is None and not gate.is_budget, "head": head is None}
    return " and ".join(side for side, is_unknown in sides.items() if is_unknown)


def _at_least(value: Fraction, *, is_bound: bool) -> str:
    return f"{'at least ' if is_bound else ''}{amount(value)}"


def _doubts(gate: Gate, held: HeldRows, row: int, case: Case) -> list[str]:
    """Return why a figure cannot be judged."""
    comparison = case.comparison
    common, own = common_doubts(gate, comparison), [*_own_doubts(gate, held, row, case)]
    if gate.subject is not Subject.MODEL:
        return common + own
    if common and comparison and not comparison.matched_nodes:
        return common  # without a matched row no other doubt matters
    return own + common


def _own_doubts(gate: Gate, held: HeldRows, row: int, case: Case) -> Iterator[str]:
    """Yield how many nodes have no figure, with the first of them, and what would give them one."""
    figures = held.figures
    counts = (
        {"head": figures.head_unknown} if gate.is_budget else {"head": figures.head_open, "base": figures.base_open}
    )
    unknown = {"head": figures.head_unknown, "base": figures.base_unknown}
    unlike = case.comparison.unlike_sizes if case.comparison and gate.metric in FLOP_STEMS else ()
    if unlike and not gate.is_budget and any(counts[side][row] > unknown[side][row] for side in counts):
        yield f"FLOPs rest on unlike sizes: {'; '.join(unlike)}"
    for side, of_row in counts.items():
        if count := int(min(of_row[row], unknown[side][row])):
            of_side = case.base_word if side == "base" else side
            words = f"{plural(count, 'node')} of {of_side} {'has' if count == 1 else 'have'} no figure"
            has_nodes = gate.metric not in OF_NO_NODE and (side == "head" or case.comparison is not None)
            yield words + _examples(gate, row, side, case) if has_nodes else words


def _examples(gate: Gate, row: int, side: str, case: Case) -> str:
    """Return the first nodes of a row that have no figure, and what would give them one."""
    missing = case.subjects.missing(gate, row, is_head=side == "head")
    return f", such as {missing.example_words}" + (f" ({missing.step_words})" if missing.steps else "")


def _basis(gate: Gate, case: Case) -> Iterator[str]:
    """Yield at which batch the FLOPs of the model are, if they rest on one that both sides have."""
    if gate.subject is not Subject.MODEL or gate.metric not in FLOP_STEMS:
        return
    is_shared = gate.is_budget or not (case.comparison and case.comparison.unlike_sizes)
    if is_shared and (words := basis_of(case.head.nodes).of_batch):
        yield words


def _notes(gate: Gate, held: HeldRows, row: int, case: Case) -> Iterator[str]:
    """Yield what a judged figure is, if that is not the usual one, and what it does not contain."""
    if case.totals and is_time(gate):
        yield "by means over steps"
    if count := int(held.figures.left_out[row]):
        yield f"without {plural(count, 'unknown node')} of {', '.join(gate.unknown_ok)}, as the gate says"
    if not gate.is_budget and (count := int(held.figures.cancelled[row])):
        yield f"{plural(count, 'unknown node')} {'is' if count == 1 else 'are'} equal on both sides"


def _with_accepted(text: str, gate: Gate, held: HeldRows, row: int, case: Case) -> tuple[str, str | None]:
    """Return the sentence of a row beyond its limits with its acknowledgements, and the reason of those in effect."""
    changes = [
        each for each, nodes in case.accepted.on(gate.metric) if (nodes & case.subjects.in_row(gate.subject, row)).any()
    ]
    if held.outcomes.accepted[row]:
        holding = [each for each in changes if each.status is AcknowledgedStatus.HOLDS]
        words = [each.text for each in holding]
        if not holding:
            holding = [each for each in changes if is_start(each)][-1:]
            words = [start_words(each) for each in holding]
        return _joined([text, *words], ", "), _joined((each.reason for each in holding), "; ")
    (base, _), (accepted, _) = held.figures.at(row), held.accepted.at(row)
    notes = [each.text for each in changes if each.status in _WHY_NOT]
    if base is not None and accepted is not None and accepted != base:
        sign = "+" if accepted > base else ""
        notes.insert(0, f"{sign}{amount(accepted - base, UNITS[gate.metric])} of it acknowledged")
    return _joined([text, *notes], ", "), None


def _joined(words: Iterable[str], separator: str) -> str:
    """Join words without duplicates."""
    return separator.join(dict.fromkeys(words))
