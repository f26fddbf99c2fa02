"""One side of a comparison: everything that was measured of one model, and how."""

from __future__ import annotations

from dataclasses import dataclass, field

import pyarrow as pa

from tfprof_report.diagnostics import Diagnostic
from tfprof_report.ingest.origin import Origin
from tfprof_report.model.measurement import Measurement
from tfprof_report.model.totals import DevicePeak, LeftOut
from tfprof_report.schema.tables import MEMORY, UNMATCHED
from tfprof_report.views.advice.findings import Advice
from tfprof_report.views.view import View


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One model as it was measured, from its input files or read back from a report folder.

    origin : the input files, and what the user calls them.
    measurement : how it was measured, in the user's options.
    nodes : one row per node, the columns of nodes.parquet: name (unique), op, float_ops, params ... by the stems of
        `schema.metrics.METRICS`; static stems are int64, run-time stems are float64 means over all steps.
    steps : one row per node, step and device, the columns of steps.parquet: node (row of `nodes`), step, device and
        `schema.metrics.STEP_STEMS`, exact int64.
    step_numbers : the steps that were added; empty without run metadata.
    devices : memory in use per device and step.
    memory : what devices held over time, the columns of memory.parquet (`model.join.device_memory.MEMORY`).
    views : the views of the model by name.
    capable : per stem the nodes that could have a figure, for coverage.
    unmatched : names in the inputs that are no node (`model.join.unmatched.UNMATCHED`).
    rules : the rules by which FLOPs were counted, with their version (`model.flops.node_flops.wording`). FLOPs of sides
        that differ in it are not comparable.
    left_out : totals of what was left out on request; its nodes are in no table.
    advice : what tfprof's advise says of it.
    diagnostics : what was noticed while it was read.
    """

    origin: Origin
    nodes: pa.Table
    steps: pa.Table
    step_numbers: tuple[int, ...]
    devices: tuple[DevicePeak, ...]
    views: dict[str, View]
    capable: dict[str, int]
    measurement: Measurement = field(default_factory=Measurement)
    memory: pa.Table = field(default_factory=MEMORY.empty_table)
    unmatched: pa.Table = field(default_factory=UNMATCHED.empty_table)
    rules: str = "none"
    left_out: tuple[LeftOut, ...] = ()
    advice: tuple[Advice, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def device_peak(self) -> int | None:
        """The most memory in use at once on any device in any step, in bytes; None where no trace says."""
        peaks = (peak.device_peak_bytes for peak in self.devices)
        return max((peak for peak in peaks if peak is not None), default=None)
