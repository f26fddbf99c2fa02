"""The report as plain data. Renderers turn it into bytes; none of them computes a number."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from tfprof_report.compare.causes.carriers import Why
from tfprof_report.compare.causes.movers import Movers
from tfprof_report.compare.comparison import Comparison
from tfprof_report.compare.gates.policy import Policy
from tfprof_report.compare.gates.verdict import Verdict
from tfprof_report.diagnostics import Diagnostic
from tfprof_report.ingest.origin import Side
from tfprof_report.model.join.device_memory import MEMORY
from tfprof_report.model.totals import DevicePeak, LeftOut, Total
from tfprof_report.report.breakdowns import ClassTotal, NotCounted, ParamTotal
from tfprof_report.views.advice.findings import Advice
from tfprof_report.views.view import View


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Everything that the files of a report say. `nodes` and `steps` are the tables of `model.node_table` as Arrow.

    What is `left_out` is in no table and in no other total.

    `rules` says how FLOPs were counted (`model.rule_use.wording`), `classes` and `base_classes` what each class of ops
    takes (the latter empty without a comparison), `not_counted` which op types have no FLOPs and why. `memory` is what
    devices held over time (`model.device_memory.MEMORY`). `policy` is what the verdict holds the report to, `movers`
    who moved the figures that a comparison is read by, `why` what explains them (None without a comparison).
    """

    tool_version: str
    schema_version: int
    semantics: str
    options: dict[str, Any]
    side: Side
    timestamp: str
    totals: tuple[Total, ...]
    devices: tuple[DevicePeak, ...]
    step_numbers: tuple[int, ...]
    diagnostics: tuple[Diagnostic, ...]
    nodes: pa.Table
    steps: pa.Table
    unmatched: pa.Table
    classes: tuple[ClassTotal, ...]
    not_counted: tuple[NotCounted, ...]
    views: dict[str, View]
    comparison: Comparison | None
    verdict: Verdict
    advice: tuple[Advice, ...] = ()
    rules: str = "none"
    left_out: tuple[LeftOut, ...] = ()
    param_totals: tuple[ParamTotal, ...] = ()
    base_param_totals: tuple[ParamTotal, ...] = ()
    base_classes: tuple[ClassTotal, ...] = ()
    memory: pa.Table = field(default_factory=MEMORY.empty_table)
    policy: Policy = field(default_factory=Policy)
    movers: tuple[Movers, ...] = ()
    why: Why | None = None

    @property
    def device_peak(self) -> int | None:
        """The most memory in use at once on any device in any step, in bytes; None where no trace says."""
        peaks = (peak.device_peak_bytes for peak in self.devices)
        return max((peak for peak in peaks if peak is not None), default=None)
