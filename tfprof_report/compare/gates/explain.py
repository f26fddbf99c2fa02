"""Explains which gates judged one node, scope or op type, and on what numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from fractions import Fraction

import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.compare.comparison import Comparison
from tfprof_report.compare.gates.context import (
    NO_BASELINE,
    Case,
    case_of,
    cases_of,
    rows_by_case,
    unknown_everywhere,
)
from tfprof_report.compare.gates.globs import similar_name
from tfprof_report.compare.gates.grammar import UNITS
from tfprof_report.compare.gates.hold import hold
from tfprof_report.compare.gates.on_times import compares_times, why_no_medians
from tfprof_report.compare.gates.policy import Gate, Policy, Subject
from tfprof_report.compare.gates.precedence import GateRows, compete
from tfprof_report.compare.gates.reference import NotFound, References
from tfprof_report.compare.gates.subjects import Subjects
from tfprof_report.compare.gates.verdict import GateStatus, JudgedRow
from tfprof_report.compare.gates.wording import judged_row, row_in_words
from tfprof_report.compare.side import Side
from tfprof_report.errors import OptionError
from tfprof_report.formatting import amount, called, change
from tfprof_report.record import record
from tfprof_report.schema.metrics import METRICS, Unit

OPTION = "--explain"


@record
class Explanation:
    """One metric of one row, and the gate that judged it; `gate` is None where none did.

    row : the figures, the outcome (skipped without a gate), what is allowed and the sentence
    earlier : gates that also match the row but were overridden by this later one, the last one first
    """

    subject: Subject
    name: str
    metric: str
    row: JudgedRow
    gate: Gate | None = None
    earlier: tuple[Gate, ...] = ()


def explain(
    head: Side,
    comparison: Comparison | None,
    policy: Policy,
    name: str,
    *,
    today: date | None = None,
    references: References | None = None,
) -> tuple[Explanation, ...]:
    """Return how gates judged the rows called `name`; a node, a scope and an op type may have the same name.

    There is one explanation per gate that judged a row, and one per known metric that no gate judged. `references` are
    the reports that drift gates are relative to, as in `judge`.

    Raises
    ------
    OptionError
        No side has such a row.
    """
    case = case_of(head, comparison, policy, today)
    cases = cases_of(case, policy, references or {}, today)
    gates = [
        _Judging(gate=gate, rows=rows, case=cases[gate])
        for gate, rows in zip(policy.gates, rows_by_case(policy.gates, cases), strict=True)
    ]
    found = tuple(
        explanation
        for subject in (Subject.NODE, Subject.SCOPE, Subject.OP)
        for metric in METRICS
        for explanation in _explain(subject, metric, name, gates, case)
    )
    if not found:
        raise _unknown(name, case.subjects)
    return found


@record
class _Judging:
    """A gate, its rows, and what it judges."""

    gate: Gate
    rows: GateRows
    case: Case


def _places(names: pa.Array, name: str) -> list[int]:
    """Return the rows with this name; there can be two if a map file renames nodes."""
    places: list[int] = pc.indices_nonzero(pc.equal(names, name)).to_pylist()
    return places


def _explain(subject: Subject, metric: str, name: str, gates: Sequence[_Judging], case: Case) -> Iterator[Explanation]:
    about = [each for each in gates if (each.gate.subject, each.gate.metric) == (subject, metric)]
    is_judged = False
    for number, each in enumerate(about):
        for place in _places(each.case.subjects.names(subject), name):
            if not each.rows.judged[place]:
                continue
            is_judged = True
            earlier = tuple(
                other.gate
                for other in about[:number][::-1]
                if compete(other.gate, each.gate) and other.rows.matched[place]
            )
            row = _judged(each.gate, place, name, each.case)
            yield Explanation(subject=subject, name=name, metric=metric, row=row, gate=each.gate, earlier=earlier)
    for place in () if is_judged else _places(case.subjects.names(subject), name):
        if ungated := _ungated(subject, place, metric, name, case):
            yield Explanation(subject=subject, name=name, metric=metric, row=ungated)


def _judged(gate: Gate, place: int, name: str, case: Case) -> JudgedRow:
    found = case.found
    if isinstance(found, NotFound):
        return JudgedRow(name=name, status=GateStatus.NO_REFERENCE, text=found.reason)
    if found and found.doubt:
        return JudgedRow(name=name, status=GateStatus.INCONCLUSIVE, text=f"{found.doubt}, {found.words}")
    row = _judged_row(gate, place, name, case)
    return replace(row, text=f"{row.text}, {found.words}") if found else row


def _judged_row(gate: Gate, place: int, name: str, case: Case) -> JudgedRow:
    if case.comparison is None and not gate.is_budget:
        return JudgedRow(name=name, status=GateStatus.SKIPPED, text=NO_BASELINE)
    row = row_in_words(gate, hold(gate, case), place, case)
    if gate.is_optional and row.base is None and row.head is None:
        return replace(row, status=GateStatus.SKIPPED, text=unknown_everywhere(gate, case).text)
    if case.comparison and compares_times(gate) and (reason := why_no_medians(gate, case.comparison)):
        return replace(row, status=GateStatus.INCONCLUSIVE, text=reason)
    return row


def _ungated(subject: Subject, place: int, metric: str, name: str, case: Case) -> JudgedRow | None:
    """Return a figure that no gate judges; None if it is unknown, or for a leaf scope, which repeats its node."""
    if case.subjects.is_leaf(subject, place):
        return None
    figures = case.subjects.figures(subject, metric)
    base, head = figures.at(place)
    if base is None and head is None:
        return None
    text = _figures_in_words(base, head, UNITS[metric], has_base=case.comparison is not None)
    return judged_row(name, GateStatus.SKIPPED, figures, place, text=text)


def _figures_in_words(base: Fraction | None, head: Fraction | None, unit: Unit, *, has_base: bool) -> str:
    if base is not None and head is not None:
        return change(base, head)
    old, new = ("unknown" if side is None else amount(side, unit) for side in (base, head))
    return f"{old} -> {new}" if has_base else new


def _unknown(name: str, subjects: Subjects) -> OptionError:
    names = pa.concat_arrays([subjects.names(subject) for subject in (Subject.NODE, Subject.SCOPE, Subject.OP)])
    close = similar_name(name, names)
    advice = f"did you mean {called(close)}?" if close else "give the name of a node, a scope or an op type"
    return OptionError(
        "neither side has a node, scope or op type of this name", option=f'{OPTION} "{name}"', advice=advice
    )
