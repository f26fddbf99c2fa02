"""Budgets of a model: the gates of a rules file that need no base."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from fractions import Fraction

from tfprof_report.compare.gates.policy import Bound, Gate, Subject
from tfprof_report.record import record
from tfprof_report.schema.metrics import Number

NEAR = Fraction(1, 20)
"""A figure is near its budget where no more than this share of it is left."""


class Standing(Enum):
    """Where a figure stands to its budget; unknown where it is not wholly known and not beyond it already."""

    WITHIN = "within"
    NEAR = "near"
    BEYOND = "beyond"
    UNKNOWN = "unknown"


@record
class Budget:
    """The most that a figure may be. `text` is the gate as written, `owner` who to ask about it.

    since : the number of the commit from which on it holds
    """

    stem: str
    most: Fraction
    text: str
    owner: str = ""
    since: int = 0

    def left(self, value: Number | None) -> Fraction | None:
        """Return what is left of the budget: negative beyond it, None if the figure is unknown."""
        return None if value is None else self.most - Fraction(value)


def budgets_of(gates: Iterable[Gate]) -> tuple[Budget, ...]:
    """Return the upper limits of gates on whole models; of a figure the last one counts, as in a report."""
    found: dict[str, tuple[Budget, ...]] = {}
    for gate in gates:
        upper = [limit for limit in gate.limits if limit.bound is not Bound.AT_LEAST]
        if upper and gate.subject is Subject.MODEL and gate.is_budget:
            found[gate.metric] = tuple(
                Budget(stem=gate.metric, most=limit.value, text=gate.text, owner=gate.owner) for limit in upper
            )
    return tuple(budget for budgets in found.values() for budget in budgets)
