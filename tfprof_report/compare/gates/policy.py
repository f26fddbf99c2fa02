"""What a report is judged by, as plain data: gates, acknowledged changes and thresholds."""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from fractions import Fraction

from tfprof_report.record import record


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
    """What a gate judges: the total over the whole model, or rows that a glob selects."""

    MODEL = "model"
    NODE = "node"  # each node by its name
    SCOPE = "scope"  # each row of scope view by its name, including everything below it
    OP = "op"  # each row of op view by its op type


class Level(StrEnum):
    """What happens if a gate does not hold."""

    FAIL = "fail"
    INFORM = "inform"  # it is reported, but does not change the exit code


@record
class Limit:
    """One bound of a gate. `value` is exact, in the unit of the metric or in percent.

    A percentage may have a `floor`, a difference from base in the unit of the metric and in the same direction: the
    limit is the one of both that allows more.
    """

    bound: Bound
    scale: Scale
    value: Fraction
    floor: Fraction | None = None

    @property
    def is_budget(self) -> bool:
        """Whether head alone decides."""
        return self.scale is Scale.BUDGET


SINCE, AGAINST, BEST = "since", "against", "best"
"""The words of a drift gate."""


@record
class Reference:
    """The report that a drift gate is relative to, in place of base.

    word : `SINCE` or `AGAINST`
    text : after `SINCE` a tag, a commit, or an age such as ``30d``; after `AGAINST` `BEST`, or the folder of a report
    folder : that folder, seen from the current one; empty where the report is looked for in a store
    """

    word: str
    text: str
    folder: str = ""

    @property
    def words(self) -> str:
        """Both as they are in a gate: ``since v1.2``."""
        return f"{self.word} {self.text}"

    @property
    def is_best(self) -> bool:
        """Whether it is the report with the best figure of all."""
        return self.word == AGAINST and not self.folder


@record
class Gate:
    """A condition: all `limits` must hold for each row of `subject` that `glob` matches.

    text : as written: ``float_ops <= +1%``, ``-1% <= bytes <= +1%``, of a drift gate ``params <= +2% since v1.2``
    is_optional : skipped, not inconclusive, if the metric is unknown on both sides
    unknown_ok : op types whose nodes are left out of what it judges where they have no figure for want of a FLOPs rule
    source : where it was written: ``--gate``, or the rules file and its position there
    owner : who to ask about it, such as a team; empty if nobody is named
    reference : the report that it is relative to, if it is a drift gate; None for base
    """

    text: str
    metric: str
    limits: tuple[Limit, ...]
    subject: Subject = Subject.MODEL
    glob: str = ""
    level: Level = Level.FAIL
    is_optional: bool = False
    unknown_ok: tuple[str, ...] = ()
    source: str = "--gate"
    owner: str = ""
    reference: Reference | None = None

    @property
    def is_budget(self) -> bool:
        """Whether head alone decides; both limits of a band are budgets or neither is."""
        return self.limits[0].is_budget

    @property
    def needs_report(self) -> bool:
        """Whether it is a drift gate that totals of its reference do not decide, but only the report itself."""
        where = self.reference
        return where is not None and bool(where.folder or self.unknown_ok or self.subject is not Subject.MODEL)


ANY_NAME = "**"
"""The glob that every name matches."""


@record
class Acknowledgement:
    """An accepted change: the total of `metric` over the nodes that the glob `node` matches is now `value`.

    While that is so, up to and including the day `expires`, gates treat the metric of these nodes as unchanged.
    """

    metric: str
    value: Fraction
    reason: str
    expires: date
    node: str = ANY_NAME
    source: str = ""


MAX_UNMATCHED = Fraction(1, 2)
"""Maximum share of the nodes of both sides without a partner; above it the verdict is inconclusive."""


@record
class Policy:
    """All that a verdict depends on besides the figures. If several gates match a row, the last one counts.

    threshold : percent of base's total below which a node's change is folded: counted, but not listed
    """

    gates: tuple[Gate, ...] = ()
    acknowledged: tuple[Acknowledgement, ...] = ()
    fail_on_unknown: bool = False
    max_unmatched: Fraction = MAX_UNMATCHED
    threshold: Fraction = Fraction(1, 10)
