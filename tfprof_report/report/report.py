"""The report as plain data. Renderers turn it into bytes; none of them computes a number."""

from __future__ import annotations

from dataclasses import dataclass, field

from tfprof_report.compare.causes.carriers import Why
from tfprof_report.compare.causes.highlights import Highlights
from tfprof_report.compare.causes.movers import Movers
from tfprof_report.compare.causes.scope_sizes import ScopeSizes
from tfprof_report.compare.comparison import Comparison
from tfprof_report.compare.exact_totals import DEVICE_PEAK
from tfprof_report.compare.gates.policy import Policy
from tfprof_report.compare.gates.verdict import Verdict
from tfprof_report.compare.side import Side
from tfprof_report.diagnostics import Diagnostic
from tfprof_report.model.totals import Total
from tfprof_report.report.breakdowns import ClassTotal, NotCounted, ParamTotal
from tfprof_report.schema.metrics import Number


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Everything that the files of a report say.

    head : what was measured.
    comparison : head against base, which it has whole; None for a report on one side.
    totals : every metric of head over all nodes; what was left out is not in them.
    diagnostics : what was noticed, of head and of the comparison.
    classes, base_classes : FLOPs of each class of ops on either side; those of base are empty without a comparison.
    param_totals, base_param_totals : parameters of each kind, likewise.
    not_counted : op types of head without FLOPs, and why.
    policy : what the verdict holds the report to.
    movers, why : who moved the figures that a comparison is read by, and what explains it.
    highlights : the scopes that the first screen names.
    sizes, changed_sizes : the scopes that a picture shows, by what they have of a figure and by what they changed it;
        None where there is nothing to show.
    """

    tool_version: str
    schema_version: int
    timestamp: str
    head: Side
    totals: tuple[Total, ...]
    diagnostics: tuple[Diagnostic, ...]
    classes: tuple[ClassTotal, ...]
    not_counted: tuple[NotCounted, ...]
    comparison: Comparison | None
    verdict: Verdict
    param_totals: tuple[ParamTotal, ...] = ()
    base_param_totals: tuple[ParamTotal, ...] = ()
    base_classes: tuple[ClassTotal, ...] = ()
    policy: Policy = field(default_factory=Policy)
    movers: tuple[Movers, ...] = ()
    why: Why | None = None
    highlights: Highlights = field(default_factory=Highlights)
    sizes: ScopeSizes | None = None
    changed_sizes: ScopeSizes | None = None

    @property
    def sides(self) -> tuple[Side, ...]:
        """Base, if there is one, and head."""
        return (self.comparison.base, self.head) if self.comparison else (self.head,)

    @property
    def values(self) -> dict[str, Number | None]:
        """The total of every metric of head and its device peak, None where unknown."""
        return {total.stem: total.value for total in self.totals} | {DEVICE_PEAK: self.head.device_peak}
