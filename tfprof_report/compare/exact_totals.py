"""Exact totals of one side: sums of int64 columns as Python integers, means over steps as fractions."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import exact_sum
from tfprof_report.compare.comparison import OpenNodes, TotalDelta
from tfprof_report.compare.delta import state_of
from tfprof_report.compare.matching.pairs import Pairs
from tfprof_report.compare.side import Side
from tfprof_report.formatting import percent_of
from tfprof_report.model.flops.evaluate import known_nodes
from tfprof_report.record import record
from tfprof_report.schema.metrics import (
    DEVICE_PEAK,
    ESTIMATED_PEAK,
    METRICS,
    NANOS,
    NANOS_PER_MICRO,
    OF_STEPS,
    Kind,
    Number,
)

_NONE = np.zeros(0, dtype=bool)
NOTHING_OPEN = OpenNodes(base=_NONE, head=_NONE, cancelled=_NONE)
"""Of a metric that is known for every node."""


@record
class Sums:
    """A total over nodes and its two parts: matched nodes and the rest (`alone`). All None if unknown."""

    total: Fraction | None = None
    matched: Fraction | None = None
    alone: Fraction | None = None


def exact_total(side: Side, metric: str) -> Fraction | None:
    """Return the exact total of a metric, or of a figure of no node, of one side; None if nothing is known.

    Run-time totals are means over all steps, computed from the integers of `Side.steps`, not from the float64 means
    of `Side.nodes`.
    """
    if metric == DEVICE_PEAK:
        return max((Fraction(peak) for peak in _known_peaks(side)), default=None)
    if metric in OF_STEPS:
        return side.step_mean(metric)
    if metric == ESTIMATED_PEAK:
        return None if side.estimate is None or side.estimate.bytes is None else Fraction(side.estimate.bytes)
    return _sums(side, metric, pa.array(np.ones(side.nodes.num_rows, dtype=bool))).total


def compare_totals(base: Side, head: Side, pairs: Pairs, open_nodes: Mapping[str, OpenNodes]) -> tuple[TotalDelta, ...]:
    """Return the totals of every metric that both sides have a column for, in the order of every report."""
    columns = set(base.nodes.column_names) & set(head.nodes.column_names)
    return tuple(
        _total_delta(
            stem,
            base,
            head,
            sums=(_sums(base, stem, pairs.base_is_matched), _sums(head, stem, pairs.head_is_matched)),
            nodes=open_nodes.get(stem, NOTHING_OPEN),
        )
        for stem, metric in METRICS.items()
        if metric.kind is Kind.COUNT or stem in columns
    )


def compare_device_peak(base: Side, head: Side) -> TotalDelta | None:
    """Return the most memory in use on any device on both sides; None if no side has devices.

    It belongs to no node, so it has no matched, added and removed parts. Its known shares count devices and steps.
    """
    if not base.devices and not head.devices:
        return None
    old, new = (Sums(total=exact_total(side, DEVICE_PEAK)) for side in (base, head))
    base_open, head_open = (
        np.array([peak.device_peak_bytes is None for peak in side.devices], dtype=bool) for side in (base, head)
    )
    nodes = OpenNodes(base=base_open, head=head_open, cancelled=NOTHING_OPEN.cancelled)
    return _total_delta(DEVICE_PEAK, base, head, sums=(old, new), nodes=nodes)


def compare_steps(stem: str, base: Side, head: Side) -> TotalDelta | None:
    """Return the mean of one of `OF_STEPS` on both sides, as `compare_device_peak`; None if no side has it."""
    if not base.of_steps(stem) and not head.of_steps(stem):
        return None
    base_open, head_open = (
        np.array([each is None for each in side.of_steps(stem)], dtype=bool) for side in (base, head)
    )
    nodes = OpenNodes(base=base_open, head=head_open, cancelled=NOTHING_OPEN.cancelled)
    old, new = (Sums(total=side.step_mean(stem)) for side in (base, head))
    return _total_delta(stem, base, head, sums=(old, new), nodes=nodes)


def compare_estimate(base: Side, head: Side) -> TotalDelta | None:
    """Return the estimated peak memory of both sides; None unless both have one.

    Nodes that an estimate lacks leave the difference open.
    """
    if base.estimate is None or head.estimate is None:
        return None
    old, new = (Sums(total=exact_total(side, ESTIMATED_PEAK)) for side in (base, head))
    base_open, head_open = (np.ones(each.capable - each.known, dtype=bool) for each in (base.estimate, head.estimate))
    nodes = OpenNodes(base=base_open, head=head_open, cancelled=NOTHING_OPEN.cancelled)
    return _total_delta(ESTIMATED_PEAK, base, head, sums=(old, new), nodes=nodes)


def _total_delta(stem: str, base: Side, head: Side, *, sums: tuple[Sums, Sums], nodes: OpenNodes) -> TotalDelta:
    (base_known, base_capable), (head_known, head_capable) = known_share(base, stem), known_share(head, stem)
    old, new = sums
    base_open, head_open = int(nodes.base.sum()), int(nodes.head.sum())
    delta = None if old.total is None or new.total is None or base_open or head_open else new.total - old.total
    return TotalDelta(
        stem=stem,
        base=as_number(old.total),
        head=as_number(new.total),
        delta=as_number(delta),
        percent=None if delta is None else percent_of(old.total, new.total),
        state=state_of(old.total, new.total, base_open=base_open > 0, head_open=head_open > 0),
        matched_base=as_number(old.matched),
        matched_head=as_number(new.matched),
        added=as_number(new.alone),
        removed=as_number(old.alone),
        base_known=base_known,
        base_capable=base_capable,
        head_known=head_known,
        head_capable=head_capable,
        base_open=base_open,
        head_open=head_open,
        cancelled=int(nodes.cancelled.sum()),
        exact_base=old.total,
        exact_head=new.total,
    )


def _sums(side: Side, stem: str, is_matched: pa.Array) -> Sums:
    """Return the sums of a metric, unknown if none of the nodes that could have a figure has one.

    Sums over nodes of which some are unknown are lower bounds. A node that did not run has the figure 0.
    """
    steps = len(side.step_numbers) if METRICS[stem].kind is Kind.RUN else 1
    steps *= NANOS_PER_MICRO if stem in NANOS else 1
    figures = _figures(side, stem)
    if figures is None or steps == 0:
        return Sums()
    known, capable = known_share(side, stem)
    if capable and not known:
        return Sums()
    values, nodes = figures
    mask = is_matched.take(nodes)
    total = _sum(values)
    matched = total if pc.all(mask, min_count=0).as_py() else _sum(values.filter(mask))
    return Sums(total=Fraction(total, steps), matched=Fraction(matched, steps), alone=Fraction(total - matched, steps))


def _figures(side: Side, stem: str) -> tuple[pa.ChunkedArray, pa.ChunkedArray] | None:
    """Return the exact figures of a metric and the node that each belongs to, None if the column is missing."""
    every_node = pa.chunked_array([np.arange(side.nodes.num_rows)])
    if METRICS[stem].kind is Kind.COUNT:
        return pa.chunked_array([np.ones(side.nodes.num_rows, dtype=np.int64)]), every_node
    if stem not in side.nodes.column_names:
        return None
    if METRICS[stem].kind is Kind.STATIC:
        return side.nodes[stem], every_node
    # A record without a node is in no row of the node table, so it is in no total.
    steps = side.steps.filter(side.steps["node"].is_valid())
    if stem != "run_float_ops":
        column = NANOS.get(stem, stem)
        return (steps[column], steps["node"]) if column in steps.column_names else None
    factors = steps["run_count"], side.nodes["single_float_ops"].take(steps["node"])
    return pc.multiply(*(factor.cast(pa.decimal256(19)) for factor in factors)), steps["node"]


def _sum(values: pa.ChunkedArray) -> int:
    """Return the sum of the known values; products of two figures are decimals."""
    if not pa.types.is_decimal(values.type):
        return exact_sum(values)
    return int(pc.sum(values.cast(pa.decimal256(76)), min_count=0).as_py())


def known_share(side: Side, metric: str) -> tuple[int, int]:
    """Return how many nodes (for `DEVICE_PEAK`, devices and steps, for `OF_STEPS`, steps) have a figure and could."""
    if metric == ESTIMATED_PEAK:
        return (side.estimate.known, side.estimate.capable) if side.estimate else (0, 0)
    if metric == DEVICE_PEAK:
        return len(_known_peaks(side)), len(side.devices)
    if metric in OF_STEPS:
        figures = side.of_steps(metric)
        return sum(each is not None for each in figures), len(figures)
    rows: int = side.nodes.num_rows
    known = rows if METRICS[metric].kind is Kind.COUNT else known_nodes(side.nodes, metric)
    return known, side.capable.get(metric, rows)


def _known_peaks(side: Side) -> list[int]:
    return [device.device_peak_bytes for device in side.devices if device.device_peak_bytes is not None]


def as_number(exact: Fraction | None) -> Number | None:
    """Return whole numbers as int and others as the nearest float."""
    if exact is None:
        return None
    return exact.numerator if exact.denominator == 1 else float(exact)
