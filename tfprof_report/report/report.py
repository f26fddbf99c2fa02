"""The report as plain data, with all its figures. Renderers rank, round and lay them out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from tfprof_report.compare.activity_change import ActivityChange
from tfprof_report.compare.bounds.changed_bounds import Bounds
from tfprof_report.compare.causes.carriers import Why
from tfprof_report.compare.causes.highlights import Highlights
from tfprof_report.compare.causes.layer_causes import LayerCause
from tfprof_report.compare.causes.movers import Movers
from tfprof_report.compare.causes.scope_sizes import ScopeSizes
from tfprof_report.compare.comparison import Comparison
from tfprof_report.compare.gates.policy import Policy
from tfprof_report.compare.gates.reference import References
from tfprof_report.compare.gates.verdict import Verdict
from tfprof_report.compare.lower_bound import Missing
from tfprof_report.compare.side import Side
from tfprof_report.diagnostics import Diagnostic
from tfprof_report.model.totals import Total
from tfprof_report.record import record
from tfprof_report.report.at_peak import AtPeak
from tfprof_report.report.breakdowns import ClassTotal, NotCounted, ParamTotal
from tfprof_report.report.distance import Distance
from tfprof_report.report.links import Links
from tfprof_report.report.uncounted import Uncounted
from tfprof_report.schema.metrics import OF_NO_NODE, Number


@record
class Report:
    """The content of all files of a report.

    head : the measured side.
    comparison : head against base, including both sides; None for a report on one side.
    distance : how far base is from head; nothing is known of it for a report on one side.
    totals : every metric of head over all nodes, without the parts left out.
    diagnostics : notes and warnings about head and the comparison.
    classes, base_classes : FLOPs by class of ops on each side; empty for base without a comparison.
    param_totals, base_param_totals : parameters by kind, likewise.
    not_counted : op types of head without known FLOPs, with the reason.
    policy : what the report was judged by; `references` are the reports that its drift gates are relative to.
    trends : each figure in the reports of the last commits before, the oldest first; empty where no store is given.
    movers, why : the nodes that changed the main figures, and the causes.
    missing : what the FLOPs and parameters of head lack, by stem; only those that lack anything.
    causes : why layers changed, with the part of each cause in the change; `sentence` says it in one sentence, empty if
        nothing changed or there is nothing to compare.
    uncounted : the nodes without FLOPs or parameters that the change brought.
    highlights : the scopes named on the first screen.
    links : addresses that pages link to.
    model : its name in a report of several models; None if it is the only one.
    bounds : the rates of head, and what became bound by something else; empty without run metadata.
    at_peak : what the device with head's highest peak holds; None if that is unknown.
    activity : what devices do on both sides; None if it is known of neither.
    sizes, changed_sizes : the scopes in the pictures, by size of a figure and of its change; None if there are none.
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
    distance: Distance = field(default_factory=Distance)
    param_totals: tuple[ParamTotal, ...] = ()
    base_param_totals: tuple[ParamTotal, ...] = ()
    base_classes: tuple[ClassTotal, ...] = ()
    policy: Policy = field(default_factory=Policy)
    references: References = field(default_factory=dict)
    trends: Mapping[str, tuple[Number | None, ...]] = field(default_factory=dict)
    movers: tuple[Movers, ...] = ()
    why: Why | None = None
    missing: dict[str, Missing] = field(default_factory=dict)
    causes: tuple[LayerCause, ...] = ()
    sentence: str = ""
    uncounted: tuple[Uncounted, ...] = ()
    highlights: Highlights = field(default_factory=Highlights)
    model: str | None = None
    links: Links = field(default_factory=Links)
    sizes: ScopeSizes | None = None
    changed_sizes: ScopeSizes | None = None
    at_peak: AtPeak | None = None
    activity: ActivityChange | None = None
    bounds: Bounds = field(default_factory=Bounds)

    @property
    def sides(self) -> tuple[Side, ...]:
        """Base, if there is one, and head."""
        return (self.comparison.base, self.head) if self.comparison else (self.head,)

    @property
    def unknown(self) -> dict[str, int]:
        """How many nodes (for the device peak, devices and steps; for figures of steps, steps) each of `values` lacks.

        With any of them the value is a lower bound.
        """
        others = {stem: parts - known for stem, (_, known, parts) in self.head.step_figures.items()}
        return {total.stem: total.unknown for total in self.totals} | dict.fromkeys(OF_NO_NODE, 0) | others

    @property
    def values(self) -> dict[str, Number | None]:
        """The total of every metric of head, and the figures of no node, None where unknown."""
        others = {stem: value for stem, (value, _, _) in self.head.step_figures.items()}
        return {total.stem: total.value for total in self.totals} | dict.fromkeys(OF_NO_NODE) | others
