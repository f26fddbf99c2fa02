"""Builds a side from a node table and its views, with the columns of the Parquet files."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import rows_of_words, whole
from tfprof_report.compare.layers.layer_table import make_layer_table
from tfprof_report.compare.side import Side
from tfprof_report.diagnostics import Diagnostic
from tfprof_report.ingest.origin import Origin
from tfprof_report.model.flops.evaluate import capable_nodes
from tfprof_report.model.measurement import AS_REPORTS, Measurement
from tfprof_report.model.node_table import NodeTable
from tfprof_report.model.totals import DeviceActivity, LeftOut, PeakEstimate
from tfprof_report.schema.metrics import METRICS, NANOS, NANOS_PER_MICRO
from tfprof_report.schema.tables import NODES, PEAK, STEPS, freeze
from tfprof_report.views.advice.findings import Advice
from tfprof_report.views.view import View


def measure(
    table: NodeTable,
    views: dict[str, View],
    origin: Origin,
    measurement: Measurement = AS_REPORTS,
    *,
    rules: str = "none",
    left_out: tuple[LeftOut, ...] = (),
    advice: tuple[Advice, ...] = (),
    diagnostics: tuple[Diagnostic, ...] = (),
    peak: pa.Table | None = None,
    estimate: PeakEstimate | None = None,
    activity: DeviceActivity | None = None,
) -> Side:
    """Return a node table and its views as a side, with the columns of the Parquet files.

    `peak` is the result of `kinds_at_peak` for all nodes, None if it is not asked for. `activity` likewise.
    """
    columns = pa.Table.from_batches([table.columns.to_batch()])
    nodes = freeze(columns.add_column(0, "node", [np.arange(table.count)]), NODES)
    return Side(
        origin=origin,
        measurement=measurement,
        nodes=nodes,
        steps=freeze(_with_nearest_micros(table.steps), STEPS),
        step_numbers=table.step_numbers,
        devices=table.devices,
        walls=table.walls,
        layers=make_layer_table(nodes),
        memory=table.memory,
        peak=PEAK.empty_table() if peak is None else _with_rows(peak, nodes),
        views=views,
        capable={stem: int(pc.sum(capable_nodes(nodes, stem)).as_py() or 0) for stem in METRICS},
        estimate=estimate,
        activity=DeviceActivity() if activity is None else activity,
        unmatched=table.unmatched,
        edges=table.edges,
        rules=rules,
        left_out=left_out,
        advice=advice,
        diagnostics=diagnostics,
    )


def _with_nearest_micros(steps: pa.Table) -> pa.Table:
    """Return steps with the microseconds nearest to the nanoseconds, instead of those that tfprof sums."""
    for stem, column in NANOS.items():
        nanos = pc.add(steps[column], NANOS_PER_MICRO // 2)
        steps = steps.set_column(steps.column_names.index(stem), stem, pc.divide(nanos, NANOS_PER_MICRO))
    return steps


def _with_rows(peak: pa.Table, nodes: pa.Table) -> pa.Table:
    """Return what devices hold at their peaks with the rows, and the layers, of the nodes that allocated it."""
    found = rows_of_words(whole(peak["name"]), whole(nodes["name"]))
    rows = pa.array(found, mask=found < 0)
    layers = whole(nodes["layer"]).take(rows)
    return freeze(peak.append_column("node", rows).append_column("layer", layers), PEAK)
