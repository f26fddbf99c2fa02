"""Accepted changes: which of them are in effect on a given day, and which nodes they match."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from fractions import Fraction

import numpy as np

from tfprof_report.arrays import Bools
from tfprof_report.compare.exact_figures import sum_of
from tfprof_report.compare.exact_totals import as_number, exact_total
from tfprof_report.compare.gates.globs import matches
from tfprof_report.compare.gates.grammar import UNITS
from tfprof_report.compare.gates.policy import ANY_NAME, Acknowledgement, Subject
from tfprof_report.compare.gates.subjects import Subjects
from tfprof_report.compare.gates.verdict import AcknowledgedChange, AcknowledgedStatus
from tfprof_report.compare.step_times import figures_of_nodes, peaks_of_steps
from tfprof_report.diagnostics import Diagnostic, Severity
from tfprof_report.formatting import amount, called
from tfprof_report.record import record
from tfprof_report.schema.metrics import DEVICE_PEAK, OF_NO_NODE, VARYING, Unit

TOLERANCE = Fraction(1, 100)
"""Relative tolerance for bytes, since allocators round. All other metrics must match exactly.

Memory that varies from step to step (`schema.metrics.VARYING`) may also have the value of any of head's steps.
"""

_STALE = {
    AcknowledgedStatus.NOTHING: "acknowledgements that match no node",
    AcknowledgedStatus.NOT_NEEDED: "acknowledgements that are no longer needed, since base has the accepted value",
    AcknowledgedStatus.EXPIRED: "acknowledgements that have expired",
    AcknowledgedStatus.OTHER_VALUE: "acknowledgements whose value is not that of head",
}


@record
class Accepted:
    """The acknowledgements of a comparison with their status; `nodes` has the nodes that each one matches."""

    changes: tuple[AcknowledgedChange, ...] = ()
    nodes: tuple[Bools, ...] = ()

    def on(self, metric: str) -> list[tuple[AcknowledgedChange, Bools]]:
        """Return the acknowledgements of a metric, with their nodes."""
        pairs = zip(self.changes, self.nodes, strict=True)
        return [(change, nodes) for change, nodes in pairs if change.metric == metric]

    def holding(self, metric: str) -> list[AcknowledgedChange]:
        """Return the acknowledgements of a metric that are in effect."""
        return [change for change, _ in self.on(metric) if change.status is AcknowledgedStatus.HOLDS]

    def nodes_of(self, metric: str) -> Bools | None:
        """Return the nodes whose change is accepted; None if no acknowledgement of the metric is in effect."""
        masks = [nodes for change, nodes in self.on(metric) if change.status is AcknowledgedStatus.HOLDS]
        return np.logical_or.reduce(masks) if masks else None


NOTHING_ACCEPTED = Accepted()


def settle(accepted: Sequence[Acknowledgement], subjects: Subjects, today: date) -> Accepted:
    """Return the status of each acknowledgement on this day.

    One is in effect while head's figure, summed over the nodes that its glob matches, is the accepted value; of memory
    that varies, while the value is among those of head's steps.
    """
    masks = tuple(matches(subjects.names(Subject.NODE), each.node) for each in accepted)
    changes = (_settle(each, nodes, subjects, today) for each, nodes in zip(accepted, masks, strict=True))
    return Accepted(changes=tuple(changes), nodes=masks)


def _settle(each: Acknowledgement, nodes: Bools, subjects: Subjects, today: date) -> AcknowledgedChange:
    base, head = _sides(each.metric, nodes, subjects)
    found = [head, *_steps(each.metric, nodes, subjects)] if head is not None else []
    status, text = _judge(each, base, found, today) if nodes.any() else _nothing(each)
    return AcknowledgedChange(
        metric=each.metric,
        node=each.node,
        value=each.value.numerator if each.value.denominator == 1 else float(each.value),
        base=as_number(base),
        head=as_number(head),
        reason=each.reason,
        expires=each.expires.isoformat(),
        status=status,
        text=text,
        source=each.source,
    )


def _nothing(each: Acknowledgement) -> tuple[AcknowledgedStatus, str]:
    return AcknowledgedStatus.NOTHING, f"no node of base or head has a name that {called(each.node)} matches"


def _judge(
    each: Acknowledgement, base: Fraction | None, head: Sequence[Fraction], today: date
) -> tuple[AcknowledgedStatus, str]:
    """Return the status of an acknowledgement, and the sentence that explains it.

    `head` is the figure of head, then that of each step if these vary; empty if it is unknown.
    """
    unit = UNITS[each.metric]
    value = amount(each.value, unit)
    about = f" for {called(each.node)}" if each.node != ANY_NAME else ""  # the gate may judge more nodes than these
    room = abs(each.value) * TOLERANCE if unit is Unit.BYTES else Fraction(0)
    is_accepted = bool(head) and min(head) - room <= each.value <= max(head) + room
    if is_accepted and base == each.value:
        return AcknowledgedStatus.NOT_NEEDED, f"base has the accepted {value} already"
    if today > each.expires:
        text = f"the acknowledgement{about} expired on {each.expires} ({called(each.reason)})"
        return AcknowledgedStatus.EXPIRED, text
    if is_accepted:
        return AcknowledgedStatus.HOLDS, f"acknowledged until {each.expires}: {called(each.reason)}"
    found = f"head has {amount(head[0], unit)}" if head else f"{each.metric} of head is unknown"
    return AcknowledgedStatus.OTHER_VALUE, f"the acknowledged value{about} is {value}, {found}"


def _sides(metric: str, nodes: Bools, subjects: Subjects) -> tuple[Fraction | None, Fraction | None]:
    """Return the sums of base and head over some nodes: 0 if the side has none of them, None if none is known.

    Base is None without a comparison.
    """
    comparison = subjects.comparison
    if metric in OF_NO_NODE:
        total = comparison.total_of(metric) if comparison else None
        return (total.exact_base, total.exact_head) if total else (None, exact_total(subjects.head, metric))
    old, new = (
        Fraction(sum_of(side.values[nodes]), side.divisor)
        if (side.known & nodes).any() or not ((place >= 0) & nodes).any()
        else None
        for side, place in zip(subjects.nodes(metric), subjects.places(), strict=True)
    )
    return old if comparison else None, new


def _steps(metric: str, nodes: Bools, subjects: Subjects) -> list[Fraction]:
    """Return the sum over some nodes in each step of head, for memory that varies; empty for other metrics."""
    if metric not in VARYING:
        return []
    if metric == DEVICE_PEAK:
        return [Fraction(peak) for peak in peaks_of_steps(subjects.head)]
    place = subjects.places()[1]
    figures = figures_of_nodes(subjects.head, metric)[place[nodes & (place >= 0)]]
    return [Fraction(sum_of(step)) for step in figures.T]


def stale_notes(changes: Sequence[AcknowledgedChange]) -> tuple[Diagnostic, ...]:
    """Return the warnings about acknowledgements that are not in effect, one for each cause."""
    found = {status: [change for change in changes if change.status is status] for status in _STALE}
    return tuple(
        Diagnostic(
            severity=Severity.WARNING,
            code=f"acknowledged_{status.name.lower()}",
            text=_STALE[status],
            count=len(those),
            examples=tuple(f"{change.metric} of {change.node}" for change in those[:3]),
        )
        for status, those in found.items()
        if those
    )
