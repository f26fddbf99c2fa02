"""How busy each GPU was between its first start and its last end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Ints, to_bools, to_ints, whole
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
    names, codes = _device_codes(table.records["device"])
    is_gpu = to_bools(pc.match_substring_regex(names, _OF_DEVICE))[codes]
    device = pc.replace_substring_regex(names, _OF_DEVICE, r"\1").take(pa.array(codes[is_gpu]))
    records = table.records.filter(pa.array(is_gpu))
    return _spans(records, to_ints(records["step"]), device)


def _last_steps(table: NodeTable) -> pa.Table:
    """Return the records of each node's last step, with the node's first device, if it is a GPU."""
    node, step = to_ints(table.records["node"]), to_ints(table.records["step"])
    is_first = to_bools(table.records["first_device"])
    last = np.full(table.count, np.iinfo(np.int64).min)
    np.maximum.at(last, node[is_first], step[is_first])
    names, codes = _device_codes(table.canonical_device)
    is_gpu = to_bools(pc.match_substring(names, "gpu"))[codes[node]]
    chosen = is_first & (step == last[node]) & is_gpu
    records = table.records.filter(pa.array(chosen))
    return _spans(records, np.zeros(records.num_rows, dtype=np.int64), names.take(pa.array(codes[node[chosen]])))


def _device_codes(devices: pa.Array | pa.ChunkedArray) -> tuple[pa.Array, Ints]:
    """Return the distinct devices, the last of them NULL, and the place of each row's device among them."""
    array = whole(devices)
    codes = array if pa.types.is_dictionary(array.type) else array.dictionary_encode()
    names = pa.concat_arrays([codes.dictionary.cast(pa.string()), pa.nulls(1, pa.string())])
    return names, to_ints(pc.fill_null(codes.indices.cast(pa.int64()), len(names) - 1))


def _spans(records: pa.Table, step: Ints, device: pa.Array) -> pa.Table:
    """Return device, step, start, end and busy time of records, without times (NULL, 0, 0) if untimed."""
    micros, start = to_ints(records["micros"]), to_ints(records["start_micros"])
    micros = np.where(micros == 0, 1, micros)
    is_timed, is_stream = to_bools(records["is_timed"]), to_bools(records["is_stream"])
    return pa.table(
        {
            "device": device,
            "step": step,
            "start": pa.array(start, mask=~is_timed),
            "end": np.where(is_timed, start + micros, 0),
            "busy": np.where(is_timed & is_stream, micros, 0),
        }
    )
