"""The table of rates and bounds: of ops, of layers, and of what a device did in a step."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import numpy as np
import pyarrow as pa

from tfprof_report.arrays import Ints, whole
from tfprof_report.compare.bounds.group_sums import Done, GroupSums, Taken, known_values, per_second, ratio
from tfprof_report.compare.bounds.op_rates import OpRates, add_up, find_op_rates, what_runs
from tfprof_report.compare.bounds.roofs import (
    NANOS_PER_MICRO,
    WORDS,
    Roofs,
    bound_words,
    floats,
    roofs_of,
)
from tfprof_report.compare.bounds.speeds import DeviceSpeed, speed_of
from tfprof_report.compare.layers.layer_table import has_layers, layer_codes
from tfprof_report.compare.side import Side
from tfprof_report.schema.tables import BOUNDS, freeze


class Level(StrEnum):
    """What a row of the table is about."""

    OP = "op"
    LAYER = "layer"
    STEP = "step"


def find_bounds(side: Side, speeds: Sequence[DeviceSpeed]) -> pa.Table:
    """Return the columns of bounds.parquet: the ops by node, then layers and steps, each by device.

    Without run metadata, and for a side of a version that did not know bytes, it is empty.

    Parameters
    ----------
    speeds : the peaks of devices; the last entry that matches a device counts
    """
    rates = find_op_rates(side.nodes, side.steps)
    if rates is None:
        return BOUNDS.empty_table()
    roofs = roofs_of(side, rates, [speed_of(device, speeds) for device in rates.devices])
    steps = max(len(side.step_numbers), 1)
    levels = [_of_ops(side, rates, roofs, steps)]
    if has_layers(side.nodes):
        levels.append(_of_layers(side, rates, roofs, steps))
    levels.append(_of_steps(side, rates, roofs))
    return pa.concat_tables([freeze(each, BOUNDS) for each in levels]).combine_chunks()


def rows_of(rows: pa.Table, level: Level) -> pa.Table:
    """Return the rows of a level of a table of `find_bounds`, which has one level after the other."""
    ops, steps = (rows.num_rows - rows[key].null_count for key in ("node", "step"))
    layers = rows.num_rows - ops - steps
    start, count = {Level.OP: (0, ops), Level.LAYER: (ops, layers), Level.STEP: (ops + layers, steps)}[level]
    return rows.slice(start, count)


def _of_ops(side: Side, rates: OpRates, roofs: Roofs, steps: int) -> pa.Table:
    nowhere = pa.nulls(len(rates.node))
    rows = pa.array(rates.node)
    has_share = ~roofs.is_wait & (roofs.seconds > 0)
    return pa.table(
        {
            "level": _words(Level.OP, len(rates.node)),
            "node": rates.node,
            "layer": whole(side.nodes["layer"]).take(rows),
            "step": nowhere,
            "device": _names(rates, rates.device),
            "dtype": whole(side.nodes["dtype"]).take(rows),
            "run_count": rates.runs / steps,
            "micros": rates.nanos / NANOS_PER_MICRO / steps,
            "run_float_ops": known_values(rates.float_ops / steps),
            "unknown_run_float_ops": (np.isnan(rates.float_ops) & roofs.may_lack).astype(np.int64),
            "run_moved_bytes": known_values(rates.moved_bytes / steps),
            "unknown_run_moved_bytes": (np.isnan(rates.moved_bytes) & roofs.may_lack).astype(np.int64),
            "float_ops_per_second": per_second(rates.float_ops, rates.nanos),
            "float_ops_per_byte": ratio(rates.float_ops, rates.moved_bytes),
            "peak_float_ops_per_second": known_values(roofs.peak),
            "peak_bytes_per_second": known_values(roofs.bandwidth),
            "share_of_peak": per_second(np.where(has_share, roofs.seconds, np.nan), rates.nanos),
            "bound": bound_words(roofs.bound),
            **{f"{word}_micros": nowhere for word in WORDS},  # the bound says it
        }
    )


def _of_layers(side: Side, rates: OpRates, roofs: Roofs, steps: int) -> pa.Table:
    code, names = layer_codes(side.nodes)
    width = len(rates.devices)
    keys, group = np.unique(code[rates.node] * width + rates.device, return_inverse=True)
    every = np.arange(len(rates.node))
    done = Done(group=group, op=every, float_ops=rates.float_ops, moved_bytes=rates.moved_bytes)
    sums = GroupSums.of(len(keys), done, Taken(group=group, op=every, nanos=rates.nanos), roofs)
    layer, device = np.divmod(keys, width)
    return pa.table(
        {
            "level": _words(Level.LAYER, len(keys)),
            "node": pa.nulls(len(keys)),
            "layer": names.take(pa.array(layer)),
            "step": pa.nulls(len(keys)),
            "device": _names(rates, device),
            "dtype": pa.nulls(len(keys)),
            "run_count": add_up(group, rates.runs, len(keys)) / steps,
            **sums.columns(sums.nanos, steps),
        }
    )


def _of_steps(side: Side, rates: OpRates, roofs: Roofs) -> pa.Table:
    numbers = np.array(side.step_numbers, dtype=np.int64)
    order = np.argsort(numbers, kind="stable")
    width, size = len(rates.devices), len(numbers)
    part, run = (
        order[np.minimum(np.searchsorted(numbers[order], step), size - 1)] * width + rates.device[op]
        for step, op in ((rates.part_step, rates.part_op), (rates.run_step, rates.run_op))
    )
    keys = np.unique(part)
    at, of_run = np.searchsorted(keys, part), np.minimum(np.searchsorted(keys, run), len(keys) - 1)
    float_ops, moved_bytes = (
        what_runs(single[rates.run_node], rates.run_count)
        for single in (rates.single_float_ops, rates.single_moved_bytes)
    )
    done = Done(group=of_run, op=rates.run_op, float_ops=float_ops, moved_bytes=moved_bytes)
    sums = GroupSums.of(len(keys), done, Taken(group=at, op=rates.part_op, nanos=rates.part_nanos), roofs)
    step, device = np.divmod(keys, width)
    walls = {wall.step: wall.nanos for wall in side.walls}
    wall = floats([walls.get(int(numbers[each])) for each in step])
    return pa.table(
        {
            "level": _words(Level.STEP, len(keys)),
            "node": pa.nulls(len(keys)),
            "layer": pa.nulls(len(keys)),
            "step": numbers[step],
            "device": _names(rates, device),
            "dtype": pa.nulls(len(keys)),
            "run_count": add_up(of_run, rates.run_count, len(keys)),
            **sums.columns(wall, 1),
        }
    )


def _names(rates: OpRates, device: Ints) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(device, pa.int32()), pa.array(rates.devices, pa.string()))


def _words(word: str, count: int) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(count, dtype=np.int32)), pa.array([str(word)]))
