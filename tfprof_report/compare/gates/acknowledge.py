"""Changes that were accepted: which of them still count on a day, and of which nodes they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction

import numpy as np

from tfprof_report.arrays import Bools
from tfprof_report.compare.exact_figures import sum_of
from tfprof_report.compare.exact_totals import DEVICE_PEAK, as_number
from tfprof_report.compare.gates.globs import matches
from tfprof_report.compare.gates.grammar import UNITS
from tfprof_report.compare.gates.policy import ANY_NAME, Acknowledgement, Subject
from tfprof_report.compare.gates.subjects import Subjects
from tfprof_report.compare.gates.verdict import AcknowledgedChange, AcknowledgedStatus
from tfprof_report.diagnostics import Diagnostic, Severity
from tfprof_report.formatting import amount, called
from tfprof_report.schema.metrics import Unit

TOLERANCE = Fraction(1, 100)
"""How far bytes may be from the accepted value, as a part of it: allocators round. All else is exact."""

_STALE = {
    AcknowledgedStatus.NOTHING: "acknowledgements that match no node",
    AcknowledgedStatus.NOT_NEEDED: "acknowledgements that are no longer needed, base has the accepted value",
    AcknowledgedStatus.EXPIRED: "acknowledgements that have expired",
    AcknowledgedStatus.OTHER_VALUE: "acknowledgements of another value than that of head",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """The acknowledgements of a comparison, as they were found; `nodes` has for each the nodes that it is about."""

    changes: tuple[AcknowledgedChange, ...] = ()
    nodes: tuple[Bools, ...] = ()

    def on(self, metric: str) -> list[tuple[AcknowledgedChange, Bools]]:
        """Return those of a metric."""
        pairs = zip(self.changes, self.nodes, strict=True)
        return [(change, nodes) for change, nodes in pairs if change.metric == metric]

    def nodes_of(self, metric: str) -> Bools | None:
        """Return the nodes whose change counts as none, None if there is no such acknowledgement."""
        masks = [nodes for change, nodes in self.on(metric) if change.status is AcknowledgedStatus.HOLDS]
        return np.logical_or.reduce(masks) if masks else None


NOTHING_ACCEPTED = Accepted()


def settle(accepted: Sequence[Acknowledgement], subjects: Subjects, today: date) -> Accepted:
    """Return which acknowledgements count on this day.

    One counts while head's figure, summed over the nodes that its glob matches, is the accepted value.
    """
    masks = tuple(matches(subjects.names(Subject.NODE), each.node) for each in accepted)
    changes = (_settle(each, nodes, subjects, today) for each, nodes in zip(accepted, masks, strict=True))
    return Accepted(changes=tuple(changes), nodes=masks)


def _settle(each: Acknowledgement, nodes: Bools, subjects: Subjects, today: date) -> AcknowledgedChange:
    base, head = _sides(each.metric, nodes, subjects)
    status, text = _judge(each, base, head, today) if nodes.any() else _nothing(each)
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
    each: Acknowledgement, base: Fraction | None, head: Fraction | None, today: date
) -> tuple[AcknowledgedStatus, str]:
    """Return whether an acknowledgement counts, and the sentence that explains it."""
    unit = UNITS[each.metric]
    value = amount(each.value, unit)
    about = f" for {called(each.node)}" if each.node != ANY_NAME else ""  # the gate may be on more than these
    room = abs(each.value) * TOLERANCE if unit is Unit.BYTES else Fraction(0)
    is_accepted = head is not None and abs(head - each.value) <= room
    if is_accepted and base == each.value:
        return AcknowledgedStatus.NOT_NEEDED, f"base has the accepted {value} already"
    if today > each.expires:
        text = f"the acknowledgement{about} expired on {each.expires} ({called(each.reason)})"
        return AcknowledgedStatus.EXPIRED, text
    if is_accepted:
        return AcknowledgedStatus.HOLDS, f"acknowledged until {each.expires}: {called(each.reason)}"
    found = f"{each.metric} of head is unknown" if head is None else f"it is {amount(head, unit)}"
    return AcknowledgedStatus.OTHER_VALUE, f"acknowledged is {value}{about}, {found}"


def _sides(metric: str, nodes: Bools, subjects: Subjects) -> tuple[Fraction | None, Fraction | None]:
    """Return what base and head have of a metric over some nodes: 0 over none, None where nothing of them is known."""
    if metric == DEVICE_PEAK:
        peak = subjects.comparison.device_peak if subjects.comparison else None
        return (peak.exact_base, peak.exact_head) if peak else (None, None)
    old, new = (
        Fraction(sum_of(side.values[nodes]), side.divisor)
        if (side.known & nodes).any() or not ((place >= 0) & nodes).any()
        else None
        for side, place in zip(subjects.nodes(metric), subjects.places(), strict=True)
    )
    return old, new


def stale_notes(changes: Sequence[AcknowledgedChange]) -> tuple[Diagnostic, ...]:
    """Return the warnings about acknowledgements that do not count, one for each cause."""
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
