"""Builds small sides of a comparison from plain dicts, with the columns of real ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import zip_longest

import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.compare.side import Side
from tfprof_report.ingest.origin import Origin
from tfprof_report.model.flops.evaluate import capable_nodes
from tfprof_report.model.totals import DeviceActivity, DevicePeak, StepActivity, StepWall
from tfprof_report.schema.metrics import METRICS, NANOS, RUN_STEMS, STEP_STEMS, SUMMED_STEMS, Kind
from tfprof_report.views.view import View

Figures = Mapping[str, int | None]
Run = tuple[str, int, Figures]
"""Node, step, exact figures of that step."""


def side_of(
    nodes: Mapping[str, Figures],
    *,
    ops: Mapping[str, str] | None = None,
    runs: Sequence[Run] = (),
    steps: Sequence[int] = (),
    peaks: Sequence[int | None] = (),
    walls: Sequence[int | None] = (),
    idle: Sequence[int | None] = (),
    moved: Sequence[int | None] = (),
    views: Mapping[str, pa.Table] | None = None,
    capable: Mapping[str, int] | None = None,
) -> Side:
    """Return a side whose nodes have the given static figures and, from `runs`, their means over `steps`.

    `peaks` are of one device, `walls` wall times in nanoseconds, both by step; `idle` and `moved` are the
    idle nanoseconds and the bytes moved between devices.
    """
    columns: dict[str, pa.Array] = {
        "name": pa.array(list(nodes), pa.string()),
        "op": pa.array([(ops or {}).get(name, "Op") for name in nodes], pa.string()).dictionary_encode(),
    }
    for metric in METRICS.values():
        if metric.kind is Kind.STATIC:
            columns[metric.stem] = pa.array([figures.get(metric.stem) for figures in nodes.values()], pa.int64())
    columns["single_float_ops"] = columns["float_ops"]
    columns["source"] = pa.array(["both"] * len(nodes), pa.string())
    for column in ("param_bytes", "unused_params", "unused_param_bytes"):
        columns[column] = pa.nulls(len(nodes), pa.int64())
    for word in ("op_class", "float_ops_reason", "layer", "phase"):
        columns[word] = pa.nulls(len(nodes), pa.string())
    # Nodes of equal op types are equal: they have the same attributes and no inputs.
    columns["attrs_digest"] = pa.array([0] * len(nodes), pa.int64())
    columns["multiplicity"] = pa.array([1] * len(nodes), pa.int64())
    columns["inputs"] = pa.array([[]] * len(nodes), pa.list_(pa.string()))
    for word in ("input_shapes", "output_shapes"):
        columns[word] = pa.array([[]] * len(nodes), pa.list_(pa.list_(pa.int64())))
    # A node that has figures, but none of parameters, is no variable.
    kinds = ["unknown" if "params" in each or not each else None for each in nodes.values()]
    columns["param_kind"] = pa.array(kinds, pa.string())
    columns["param_kind_is_guess"] = pa.nulls(len(nodes), pa.bool_())
    for stem in RUN_STEMS:
        columns[stem] = pa.array([_mean(nodes, name, stem, runs, steps) for name in nodes], pa.float64())
    rows, table = list(nodes), pa.table(columns)
    step_columns = {stem: pa.array([figures.get(stem) for _, _, figures in runs], pa.int64()) for stem in STEP_STEMS}
    for stem, column in NANOS.items():
        nanos = [None if (micros := figures.get(stem)) is None else 1000 * micros for _, _, figures in runs]
        step_columns[column] = pa.array(nanos, pa.int64())
    return Side(
        origin=Origin(inputs=()),
        nodes=table,
        steps=pa.table(
            {
                "node": pa.array([rows.index(name) for name, _, _ in runs], pa.int64()),
                "step": pa.array([step for _, step, _ in runs], pa.int64()),
                **step_columns,
            }
        ),
        step_numbers=tuple(steps),
        devices=tuple(
            DevicePeak(device="/cpu:0", step=step, device_peak_bytes=peak, source="test")
            for step, peak in enumerate(peaks)
        ),
        walls=tuple(StepWall(step=step, nanos=nanos, reason="") for step, nanos in enumerate(walls)),
        activity=DeviceActivity(
            steps=tuple(
                StepActivity(step=step, idle_nanos=nanos, idle_reason="", transfer_bytes=size, transfer_reason="")
                for step, (nanos, size) in enumerate(zip_longest(idle, moved))
            )
        ),
        views={
            name: View(name=name, rows=rows, shown=rows, stems=(), total={}, unknown={})
            for name, rows in (views or {}).items()
        },
        capable=dict(capable or {stem: int(pc.sum(capable_nodes(table, stem)).as_py() or 0) for stem in METRICS}),
    )


def view_of(rows: Mapping[str, Figures]) -> pa.Table:
    """Return the rows of a view with the given totals."""
    totals = {
        f"total_{stem}": pa.array(
            [figures.get(stem) for figures in rows.values()], pa.float64() if stem in RUN_STEMS else pa.int64()
        )
        for stem in METRICS
    }
    names = list(rows)
    parents = [name.rpartition("/")[0] or None for name in names]
    return pa.table(
        {
            "parent": pa.array([names.index(parent) if parent in names else None for parent in parents], pa.int64()),
            "depth": pa.array([name.count("/") + 1 for name in names], pa.int64()),
            "subtree_size": pa.array([1] * len(names), pa.int64()),  # no node belongs to a row, so nothing is summed
            "name": pa.array(names, pa.string()),
            "leaf": pa.array([name.rpartition("/")[2] for name in names], pa.string()),
            **totals,
            **{
                f"unknown_{stem}": pa.array(
                    [int(figures.get(stem, 0) is None) for figures in rows.values()], pa.int64()
                )
                for stem in SUMMED_STEMS
            },
            "node": pa.nulls(len(names), pa.int64()),
            "accounted": pa.array([True] * len(names), pa.bool_()),
        }
    )


def _mean(
    nodes: Mapping[str, Figures], name: str, stem: str, runs: Sequence[Run], steps: Sequence[int]
) -> float | None:
    """Return the mean over steps as in the node table: 0 for a node that did not run."""
    column = "run_count" if stem == "run_float_ops" else stem
    values = [figures.get(column) for node, _, figures in runs if node == name]
    known = [value for value in values if value is not None]
    factor = nodes[name].get("float_ops") if stem == "run_float_ops" else 1
    if not steps or factor is None or (values and not known):
        return None
    return float(Fraction(factor * sum(known), len(steps)))
