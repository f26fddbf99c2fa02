"""The results of gates and the verdict, as plain data."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from tfprof_report.compare.gates.policy import Level, Subject
from tfprof_report.errors import ExitCode
from tfprof_report.record import record
from tfprof_report.schema.metrics import Number


class GateStatus(StrEnum):
    """Outcome of one gate."""

    PASSED = "passed"
    FAILED = "failed"
    INCONCLUSIVE = "inconclusive"
    ACKNOWLEDGED = "acknowledged"  # it holds because a change was accepted
    SKIPPED = "skipped"  # nothing to judge: no baseline, an unknown optional metric, or overridden by later gates
    NO_REFERENCE = "no reference"  # there is no report that a drift gate could be relative to


@record
class JudgedRow:
    """One figure as a gate judged it. `name` is None for the whole model; numbers are None where unknown.

    A side with `base_unknown` or `head_unknown` nodes without a figure is a lower bound, and `delta` is None unless
    these nodes cancel. `allowed` is what the gate allows here, in words, `least` and `most` the same as numbers (None
    without such a limit); `text` is the whole sentence with both numbers, `doubt` the part of it that says why the
    figure cannot be judged; `reason` is that of the acknowledgement that made it hold.
    """

    name: str | None
    status: GateStatus
    base: Number | None = None
    head: Number | None = None
    base_unknown: int = 0
    head_unknown: int = 0
    delta: Number | None = None
    percent: float | None = None
    allowed: str = ""
    least: Number | None = None
    most: Number | None = None
    text: str = ""
    doubt: str = ""
    reason: str | None = None


@record
class MeasuredFrom:
    """The report that a drift gate is relative to, as `gates.reference.Found` has it.

    `words` say since what and which report that is; the rest is None where there is none, or where it is not known.
    """

    words: str
    report: str | None = None
    commit: str | None = None
    commits_back: int | None = None
    age_seconds: int | None = None


@record
class GateResult:
    """One gate as written, its outcome and the sentence that explains it with both numbers.

    `judged` is the number of figures that it decided on and `failed` the number that it does not allow; `rows` are the
    worst, at most `WORST_ROWS`. A gate of level inform has a status, too, but does not affect the verdict. `owner` is
    who to ask about it, empty if nobody is named. `reference` is the report that a drift gate is relative to: the base
    of its rows is the figure of that report.
    """

    gate: str
    status: GateStatus
    text: str
    metric: str | None = None
    subject: Subject = Subject.MODEL
    glob: str = ""
    level: Level = Level.FAIL
    source: str = "--gate"
    owner: str = ""
    judged: int = 1
    failed: int = 0
    rows: tuple[JudgedRow, ...] = ()
    reference: MeasuredFrom | None = None


WORST_ROWS = 10
"""Maximum number of rows in the result of a gate, the worst first."""


class Outcome(StrEnum):
    """A verdict in a word, the worst first."""

    FAILED = "failed"
    INCONCLUSIVE = "inconclusive"
    NO_BASELINE = "no baseline"  # allowed to be missing, and never called ok
    NOT_JUDGED = "not judged"  # no gate of level fail had anything to judge
    OK = "ok"

    @classmethod
    def worst(cls, outcomes: Iterable[Outcome]) -> Outcome:
        """Return the worst of several outcomes; OK if there are none."""
        found = set(outcomes)
        return next((outcome for outcome in cls if outcome in found), cls.OK)

    @property
    def exit_code(self) -> ExitCode:
        """The exit code of a report with this outcome: 1, 5 or 0."""
        return _CODES.get(self, ExitCode.OK)


_CODES = {Outcome.FAILED: ExitCode.GATE_FAILED, Outcome.INCONCLUSIVE: ExitCode.INCONCLUSIVE}


class AcknowledgedStatus(StrEnum):
    """Whether an accepted change is in effect."""

    HOLDS = "holds"  # in effect: head has the accepted value, and the change is ignored
    EXPIRED = "expired"
    OTHER_VALUE = "other value"  # head has another value than the accepted one, or an unknown one
    NOT_NEEDED = "no longer needed"  # base has the accepted value already
    NOTHING = "nothing matches"


@record
class AcknowledgedChange:
    """An acknowledgement with its status: the accepted `value`, and the values of base and head (None if unknown).

    `expires` is its last day in ISO 8601, `text` the sentence that explains its status.
    """

    metric: str
    node: str
    value: Number
    base: Number | None
    head: Number | None
    reason: str
    expires: str
    status: AcknowledgedStatus
    text: str
    source: str = ""


@record
class Verdict:
    """The outcome and the sentence that explains it.

    `acknowledged` are the accepted changes in the order of their file, whether or not they are in effect.
    """

    text: str
    outcome: Outcome
    gates: tuple[GateResult, ...] = ()
    acknowledged: tuple[AcknowledgedChange, ...] = ()

    @property
    def exit_code(self) -> int:
        """The exit code of the command: 0, 1 or 5."""
        return int(self.outcome.exit_code)
