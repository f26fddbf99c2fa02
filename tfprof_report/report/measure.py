"""One side as a report measures it: the tables with their frozen columns, built from inputs."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.compare.side import Side
from tfprof_report.diagnostics import Diagnostic
from tfprof_report.ingest.origin import Origin
from tfprof_report.model.flops.evaluate import capable_nodes
from tfprof_report.model.measurement import AS_REPORTS, Measurement
from tfprof_report.model.node_table import NodeTable
from tfprof_report.model.totals import LeftOut
from tfprof_report.schema.metrics import METRICS, RUN_STEMS, STEP_STEMS
from tfprof_report.views.advice.findings import Advice
from tfprof_report.views.view import View

_TEXT = pa.dictionary(pa.int32(), pa.string())
_SHAPE = pa.list_(pa.int64())

NODES = pa.schema(
    [
        ("node", pa.int64()),
        ("name", pa.string()),
        ("op", _TEXT),
        ("source", _TEXT),
        ("device", _TEXT),
        ("run_devices", pa.list_(pa.string())),
        ("op_types", pa.list_(pa.string())),
        ("inputs", pa.list_(pa.string())),
        ("shape", _SHAPE),
        ("input_shapes", pa.list_(_SHAPE)),
        ("output_shapes", pa.list_(_SHAPE)),
        ("shape_source", _TEXT),
        ("shape_conflict", pa.bool_()),
        ("params", pa.int64()),
        ("param_bytes", pa.int64()),
        ("param_kind", _TEXT),
        ("param_kind_is_guess", pa.bool_()),
        ("float_ops", pa.int64()),
        ("macs", pa.int64()),
        ("single_float_ops", pa.int64()),
        ("multiplicity", pa.int64()),
        ("float_ops_source", _TEXT),
        ("float_ops_reason", _TEXT),
        ("op_class", _TEXT),
        ("trainable", pa.bool_()),
        *((stem, pa.float64()) for stem in RUN_STEMS),
    ]
)
"""Columns of nodes.parquet: those of `model.node_table.NodeTable.nodes`, after the row number that other tables use."""

STEPS = pa.schema(
    [
        ("node", pa.int64()),
        ("step", pa.int64()),
        ("device", _TEXT),
        ("first_device", pa.bool_()),
        *((stem, pa.int64()) for stem in STEP_STEMS),
    ]
)
"""Columns of steps.parquet: those of `model.executions.Executions.steps`."""


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
) -> Side:
    """Return a node table and its views as a side, with the columns of the Parquet files."""
    count = len(table.nodes)
    columns = {name: table.column(name) for name in NODES.names if name != "node"}
    nodes = pa.table({"node": np.arange(count), **columns}).select(NODES.names).cast(NODES)
    return Side(
        origin=origin,
        measurement=measurement,
        nodes=nodes,
        steps=table.steps.select(STEPS.names).cast(STEPS),
        step_numbers=table.step_numbers,
        devices=table.devices,
        memory=table.memory,
        views=views,
        capable={stem: int(pc.sum(capable_nodes(nodes, stem)).as_py() or 0) for stem in METRICS},
        unmatched=table.unmatched,
        rules=rules,
        left_out=left_out,
        advice=advice,
        diagnostics=diagnostics,
    )
