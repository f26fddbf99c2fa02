"""One side of a comparison: everything that was measured for one model, and how."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from fractions import Fraction

import pyarrow as pa

from tfprof_report.diagnostics import Diagnostic
from tfprof_report.ingest.origin import Origin
from tfprof_report.model.measurement import Measurement
from tfprof_report.model.totals import DeviceActivity, DevicePeak, LeftOut, PeakEstimate, StepWall
from tfprof_report.record import record
from tfprof_report.schema.metrics import (
    COUNTING_VERSION,
    DEVICE_PEAK,
    IDLE,
    NANOS_PER_MICRO,
    OF_STEPS,
    STEP_TIMES,
    WALL,
    Number,
)
from tfprof_report.schema.tables import LAYERS, MEMORY, PEAK, UNMATCHED
from tfprof_report.views.advice.findings import Advice
from tfprof_report.views.view import View


@record
class Side:
    """One model as it was measured, from its input files or read back from a report folder.

    origin : the input files, and the label, commit and branch that the user gave.
    measurement : the options under which it was measured.
    nodes : one row per node, the columns of nodes.parquet: name (unique), op, float_ops, params ... by the stems of
        `schema.metrics.METRICS`; static stems are int64, run-time stems are float64 means over all steps.
    steps : one row per node, step and device, the columns of steps.parquet: node (row of `nodes`), step, device and
        `schema.metrics.STEP_STEMS`, exact int64, and `schema.metrics.NANOS`, from which times are computed.
    step_numbers : the steps in `steps`; empty without run metadata.
    devices : peak memory in use per device and step.
    walls : the wall time of each step; empty without run metadata.
    activity : how long devices were busy, idle and waiting, and what was moved between them.
    memory : memory in use on devices over time, the columns of memory.parquet (`model.join.device_memory.MEMORY`).
    peak : what devices hold at their peaks, the columns of peak.parquet (`parts.peak_kinds.kinds_at_peak`), with `node`
        a row of `nodes`, NULL for records of nodes that are left out or in no graph; empty if it is not known.
    views : the views of the model by name.
    layers : one row per layer, the columns of layers.parquet; empty for a report of a version that had no layers.
    capable : per stem the number of nodes that could have a figure, for coverage.
    unmatched : names in the inputs that match no node (`model.join.unmatched.UNMATCHED`).
    edges : the result of `edges.read_edges` for `nodes`, if it is there already; None for a report that was read back.
    estimate : the estimated peak memory of the graph; None if it was not estimated.
    counting_version : the version of what the figures mean, that of the tool that measured them
        (`schema.metrics.COUNTING_VERSION`).
    rules : the rules by which FLOPs were counted, with their version (`model.flops.node_flops.wording`). FLOPs counted
        by different rules are not comparable.
    left_out : totals of the parts left out on request; their nodes are in no table.
    advice : the findings of tfprof's advise.
    diagnostics : notes and warnings from reading the inputs.
    """

    origin: Origin
    nodes: pa.Table
    steps: pa.Table
    step_numbers: tuple[int, ...]
    devices: tuple[DevicePeak, ...]
    views: dict[str, View]
    capable: dict[str, int]
    measurement: Measurement = field(default_factory=Measurement)
    layers: pa.Table = field(default_factory=LAYERS.empty_table)
    memory: pa.Table = field(default_factory=MEMORY.empty_table)
    peak: pa.Table = field(default_factory=PEAK.empty_table)
    unmatched: pa.Table = field(default_factory=UNMATCHED.empty_table)
    edges: pa.Table | None = None
    counting_version: int = COUNTING_VERSION
    rules: str = "none"
    walls: tuple[StepWall, ...] = ()
    activity: DeviceActivity = field(default_factory=DeviceActivity)
    estimate: PeakEstimate | None = None
    left_out: tuple[LeftOut, ...] = ()
    advice: tuple[Advice, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def step_figures(self) -> dict[str, tuple[Number | None, int, int]]:
        """The figures that belong to no node: each with the number of devices or steps that have one, and of all."""
        peaks = [peak.device_peak_bytes for peak in self.devices]
        found: dict[str, tuple[Number | None, Sequence[int | None]]] = {DEVICE_PEAK: (self.device_peak, peaks)}
        for stem in OF_STEPS:
            mean = self.step_mean(stem)
            value = None if mean is None else mean.numerator if mean.denominator == 1 else float(mean)
            found[stem] = value, self.of_steps(stem)
        return {
            stem: (value, sum(each is not None for each in parts), len(parts))
            for stem, (value, parts) in found.items()
            if parts
        }

    def of_steps(self, stem: str) -> tuple[int | None, ...]:
        """Return one of `OF_STEPS` for each step that has it, times in nanoseconds; None where it is unknown."""
        if stem == WALL:
            return tuple(wall.nanos for wall in self.walls)
        return tuple(step.idle_nanos if stem == IDLE else step.transfer_bytes for step in self.activity.steps)

    def step_mean(self, stem: str) -> Fraction | None:
        """Return the exact mean of one of `OF_STEPS`, times in microseconds; None if that of a step is unknown."""
        figures = self.of_steps(stem)
        known = [each for each in figures if each is not None]
        if not known or len(known) < len(figures):
            return None
        return Fraction(sum(known), len(known) * (NANOS_PER_MICRO if stem in STEP_TIMES else 1))

    @property
    def device_peak(self) -> int | None:
        """The most memory in use at once on any device in any step, in bytes; None if unknown."""
        peaks = (peak.device_peak_bytes for peak in self.devices)
        return max((peak for peak in peaks if peak is not None), default=None)
