"""Exact per-node figures of one side, independent of what the report's options show."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tfprof_report.arrays import Bools, Ints, to_bools, to_ints
from tfprof_report.model.flops.evaluate import capable_nodes
from tfprof_report.record import record
from tfprof_report.schema.metrics import METRICS, NANOS, NANOS_PER_MICRO, Kind, Number

Exact = NDArray[Any]
"""Integers that never overflow: int64 where all their sums and products fit, else Python integers (dtype object)."""

_ROOM = 2.0**62
"""Limit for int64 arithmetic: sizes are estimated in float64, and the factor of 2 below 2^63 covers its rounding."""


@record
class NodeFigures:
    """One metric of n nodes: ``values / divisor``, where the divisor of a mean is the number of steps.

    values : 0 where not `known`
    capable : which nodes could have a figure that is not 0
    """

    values: Exact
    known: Bools
    capable: Bools
    divisor: int = 1


def figures_of(nodes: pa.Table, steps: pa.Table | None, step_count: int, stem: str) -> NodeFigures:
    """Return a metric of every row of `nodes`; all are unknown if the column is missing.

    Run-time figures are sums of the integers in `steps`, times those of nanoseconds; the float64 means in `nodes` only
    show which are known.
    """
    count, kind = nodes.num_rows, METRICS[stem].kind
    if kind is Kind.COUNT:
        everywhere = np.ones(count, dtype=bool)
        return NodeFigures(values=np.ones(count, dtype=np.int64), known=everywhere, capable=everywhere)
    if stem not in nodes.column_names or (kind is Kind.RUN and (steps is None or not step_count)):
        nowhere = np.zeros(count, dtype=bool)
        return NodeFigures(values=np.zeros(count, dtype=np.int64), known=nowhere, capable=~nowhere)
    known = to_bools(pc.is_valid(nodes[stem]))
    if kind is Kind.RUN:
        values = sum_per_node(steps, count, "run_count" if stem == "run_float_ops" else NANOS.get(stem, stem))
        if stem == "run_float_ops":
            values = times(values, to_ints(nodes["single_float_ops"].fill_null(0)))
    else:
        values = to_ints(nodes[stem].fill_null(0))
    capable = to_bools(capable_nodes(nodes, stem))
    divisor = (step_count if kind is Kind.RUN else 1) * (NANOS_PER_MICRO if stem in NANOS else 1)
    return NodeFigures(values=np.where(known, values, 0), known=known, capable=capable, divisor=divisor)


def sum_per_node(steps: Any, count: int, stem: str) -> Exact:
    """Return the sum of a column of steps.parquet for each of `count` nodes; an unknown figure adds nothing."""
    of_node = steps.filter(steps["node"].is_valid())
    if stem not in steps.column_names:
        return np.zeros(count, dtype=np.int64)
    return add_up(to_ints(of_node[stem].fill_null(0)), to_ints(of_node["node"]), count)


def add_up(values: Exact, rows: Ints, count: int) -> Exact:
    """Return the sum of `values` per row, for `count` rows; values with row -1 are dropped."""
    values = as_exact(values)
    sums = np.zeros(count + 1, dtype=values.dtype)
    np.add.at(sums, rows, values)
    return sums[:-1]


def sum_of(values: Exact) -> int:
    """Return the sum of all values, without overflow."""
    return int(add_up(values, np.zeros(len(values), dtype=np.int64), 1)[0])


def known_figures(column: pa.ChunkedArray) -> Exact:
    """Return figures to add up, with 0 for unknown ones: means over steps as float64, all others as integers."""
    known = pc.fill_null(column, 0).to_numpy()
    return np.nan_to_num(known, posinf=0.0, neginf=0.0) if known.dtype.kind == "f" else as_exact(known)


def sum_figures(values: Exact) -> Number:
    """Return the sum of `known_figures`."""
    return float(values.sum()) if values.dtype.kind == "f" else sum_of(values)


def times(values: Exact, factor: Exact | int) -> Exact:
    """Return products without overflow, in int64 where they and their sums fit."""
    if isinstance(factor, int) and factor == 1:
        return values
    product = values.astype(np.float64) * np.asarray(factor, dtype=np.float64)
    is_long = isinstance(factor, int) and abs(factor) >= _ROOM
    if is_long or np.abs(product).sum() >= _ROOM:
        values = values.astype(object)
    return values * factor


def as_exact(values: Exact) -> Exact:
    """Return integers in a type that holds any sum of them."""
    fits = values.dtype != object and float(np.abs(values.astype(np.float64)).sum()) < _ROOM
    return values if fits else values.astype(object)
