"""What a comparison is held to, as plain data: gates, acknowledged changes, limits. `judge` judges."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from fractions import Fraction


class Bound(StrEnum):
    """Which side of its limit a figure must be on; the limit itself is always allowed."""

    AT_MOST = "<="
    AT_LEAST = ">="
    EXACTLY = "=="


class Scale(StrEnum):
    """What a limit is measured from."""

    BUDGET = "budget"  # from zero: head alone decides
    DIFFERENCE = "difference"  # from base, in the unit of the metric
    PERCENT = "percent"  # from base, in percent of its absolute value


class Subject(StrEnum):
    """What a gate or a change is about: the total over the whole model, or rows that a glob chooses."""

    MODEL = "model"
    NODE = "node"  # each node by its name
    SCOPE = "scope"  # each row of scope view by its name, with all that is below it
    OP = "op"  # each row of op view by its op type


class Level(StrEnum):
    """What a gate does where it does not hold."""

    FAIL = "fail"
    INFORM = "inform"  # it is said, and changes no exit code


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """One bound of a gate. `value` is exact, in the unit of the metric or in percent."""

    bound: Bound
    scale: Scale
    value: Fraction

    @property
    def is_budget(self) -> bool:
        """Whether head alone decides."""
        return self.scale is Scale.BUDGET


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """What must hold: every one of `limits`, for each row of `subject` that `glob` matches.

    text : the condition as written, such as ``float_ops <= +1%`` or ``-1% <= bytes <= +1%``
    is_optional : a metric that neither side knows is not judged, instead of inconclusive
    source : where it was written: ``--gate``, or the rules file and its place there
    """

    text: str
    metric: str
    limits: tuple[Limit, ...]
    subject: Subject = Subject.MODEL
    glob: str = ""
    level: Level = Level.FAIL
    is_optional: bool = False
    source: str = "--gate"

    @property
    def is_budget(self) -> bool:
        """Whether head alone decides; both limits of a band are budgets or neither is."""
        return self.limits[0].is_budget


ANY_NAME = "**"
"""The glob that every name matches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Acknowledgement:
    """A change that was accepted: the total of `metric` over the nodes that `node` matches is now `value`.

    While it holds, and on the day `expires` for the last time, these nodes change nothing of that metric.
    """

    metric: str
    value: Fraction
    reason: str
    expires: date
    node: str = ANY_NAME
    source: str = ""


MAX_UNMATCHED = Fraction(1, 2)
"""Part of the nodes of both sides without a partner above which a verdict is inconclusive."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """All that a verdict depends on beside the figures. Of gates that match the same row, the last one counts.

    threshold : share of base's total, in percent, below which a row's change is folded: counted, its largest named
    """

    gates: tuple[Gate, ...] = ()
    acknowledged: tuple[Acknowledgement, ...] = ()
    fail_on_unknown: bool = False
    max_unmatched: Fraction = MAX_UNMATCHED
    threshold: Fraction = Fraction(1, 10)
