"""How busy each GPU was between its first start and its last end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Ints, to_bools, to_ints
from tfprof_report.model.join.executions import sound_records
from tfprof_report.model.node_table import NodeTable
from tfprof_report.semantics import Semantics
from tfprof_report.views.advice.findings import CheckerOptions, Finding, Topic

_OF_DEVICE = "^(.*/(?:device:gpu|gpu):[0-9]+).*$"


def check_utilization(table: NodeTable, options: CheckerOptions, semantics: Semantics) -> Iterator[Finding]:
    """Yield the share of time in which each GPU ran kernels (``stream:all``), by device name and step.

    A device's time is from the first start to the last end of its records. tfprof uses only the last step of each node,
    which mixes the clocks of different steps, and adds a node's time to its first device. A GPU without a trace of its
    kernels has no known utilization.
    """
    if not semantics.trust_clocks:
        table = replace(table, records=sound_records(table.records))
    records = _last_steps(table) if semantics.utilization_mixes_steps else _all_steps(table)
    spans = (
        records.group_by(["device", "step"])
        .aggregate([("start", "min"), ("end", "max"), ("busy", "sum")])
        .sort_by([("device", "ascending"), ("step", "ascending")])
        .select(["device", "step", "start_min", "end_max", "busy_sum"])
    )
    dark = _without_kernels(table) if not semantics.trust_clocks else set()
    for device, step, first, last, micros in zip(*spans.to_pydict().values(), strict=True):  # a handful of devices
        if last > (first or 0) and (device, step) not in dark:
            share = micros / (last - first)
            yield Finding(
                topic=Topic.DEVICE,
                name=device,
                share=share,
                is_low=share < options.low_utilization,
                step=None if semantics.utilization_mixes_steps else int(step),
            )


def _without_kernels(table: NodeTable) -> set[tuple[str, int]]:
    """Return the devices and steps in which some accelerator time is unknown."""
    steps = table.steps.filter(table.steps["accelerator_nanos"].is_null())
    devices = pc.replace_substring_regex(steps["device"].cast(pa.string()), _OF_DEVICE, r"\1")
    return {*zip(devices.to_pylist(), steps["step"].to_pylist(), strict=True)}


def _all_steps(table: NodeTable) -> pa.Table:
    """Return the records of GPUs, with the device of each stream."""
    devices = table.records["device"].cast(pa.string())
    is_gpu = pc.match_substring_regex(devices, _OF_DEVICE)
    return _spans(table, to_ints(table.records["step"]), pc.replace_substring_regex(devices, _OF_DEVICE, r"\1"), is_gpu)


def _last_steps(table: NodeTable) -> pa.Table:
    """Return the records of each node's last step, with the node's first device, if it is a GPU."""
    node, step = to_ints(table.records["node"]), to_ints(table.records["step"])
    is_first = to_bools(table.records["first_device"])
    last = np.full(table.count, np.iinfo(np.int64).min)
    np.maximum.at(last, node[is_first], step[is_first])
    devices = table.canonical_device.cast(pa.string()).take(pa.array(node))
    is_gpu = to_bools(pc.match_substring(devices, "gpu"))
    return _spans(table, np.zeros_like(step), devices, pa.array(is_first & (step == last[node]) & is_gpu))


def _spans(table: NodeTable, step: Ints, device: pa.Array, chosen: pa.Array) -> pa.Table:
    """Return device, step, start, end and busy time of the chosen records, without times (NULL, 0, 0) if untimed."""
    records = table.records
    micros, start = to_ints(records["micros"]), to_ints(records["start_micros"])
    micros = np.where(micros == 0, 1, micros)
    is_timed, is_stream = to_bools(records["is_timed"]), to_bools(records["is_stream"])
    columns = {
        "device": device,
        "step": step,
        "start": pa.array(start, mask=~is_timed),
        "end": np.where(is_timed, start + micros, 0),
        "busy": np.where(is_timed & is_stream, micros, 0),
    }
    return pa.table(columns).filter(chosen)
