"""Explains which gates judged one node, scope or op type, and on what numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from fractions import Fraction

import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.compare.comparison import Comparison
from tfprof_report.compare.gates.context import NO_BASELINE, Case, case_of, unknown_everywhere
from tfprof_report.compare.gates.globs import similar_name
from tfprof_report.compare.gates.grammar import UNITS
from tfprof_report.compare.gates.hold import hold
from tfprof_report.compare.gates.on_times import compares_times, why_no_medians
from tfprof_report.compare.gates.policy import Gate, Policy, Subject
from tfprof_report.compare.gates.precedence import GateRows, compete, rows_of_gates
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
    head: Side, comparison: Comparison | None, policy: Policy, name: str, *, today: date | None = None
) -> tuple[Explanation, ...]:
    """Return how gates judged the rows called `name`; a node, a scope and an op type may have the same name.

    There is one explanation per gate that judged a row, and one per known metric that no gate judged.

    Raises
    ------
    OptionError
        Neither side has such a row.
    """
    case = case_of(head, comparison, policy, today)
    subjects = case.subjects
    gates = tuple(zip(policy.gates, rows_of_gates(policy.gates, subjects.names), strict=True))
    found = tuple(
        explanation
        for subject in (Subject.NODE, Subject.SCOPE, Subject.OP)
        for place in _places(subjects.names(subject), name)
        for metric in METRICS
        for explanation in _explain(subject, place, metric, gates, case)
    )
    if not found:
        raise _unknown(name, subjects)
    return found


def _places(names: pa.Array, name: str) -> list[int]:
    """Return the rows with this name; there can be two if a map file renames nodes."""
    places: list[int] = pc.indices_nonzero(pc.equal(names, name)).to_pylist()
    return places


def _explain(
    subject: Subject, place: int, metric: str, gates: Sequence[tuple[Gate, GateRows]], case: Case
) -> Iterator[Explanation]:
    name = str(case.subjects.names(subject)[place])
    about = [
        (gate, rows) for gate, rows in gates if (gate.subject, gate.metric) == (subject, metric) and rows.matched[place]
    ]
    winners = [index for index, (_, rows) in enumerate(about) if rows.judged[place]]
    for winner in winners:
        gate = about[winner][0]
        earlier = tuple(other for other, _ in about[:winner][::-1] if compete(other, gate))
        row = _judged(gate, place, name, case)
        yield Explanation(subject=subject, name=name, metric=metric, row=row, gate=gate, earlier=earlier)
    if not winners and (ungated := _ungated(subject, place, metric, name, case)):
        yield Explanation(subject=subject, name=name, metric=metric, row=ungated)


def _judged(gate: Gate, place: int, name: str, case: Case) -> JudgedRow:
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
