"""What the device with the highest peak holds at that moment: totals by kind, and the nodes that hold the most."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import exact_sum
from tfprof_report.compare.causes.movers import largest
from tfprof_report.compare.comparison import Comparison, RowStatus, State
from tfprof_report.compare.delta import moved_by, state_of
from tfprof_report.compare.peak import held_at, highest_peaks
from tfprof_report.compare.side import Side
from tfprof_report.formatting import percent_of
from tfprof_report.model.parts.peak_kinds import BufferKind
from tfprof_report.record import record

LISTED = 100
"""Maximum number of nodes kept."""


@record
class Held:
    """Bytes that a node or all nodes of a kind hold at the peak of each side; None where they are unknown.

    name : of the node, in base if head's peak has no buffer of it; None for a kind
    status : whether both peaks have a buffer of the node; None for a kind, and without a base
    delta : a side that has no buffer of the node counts as 0; None if a side is unknown
    percent, state : as in `TotalDelta`; None for a row of one side
    """

    kind: BufferKind
    base: int | None
    head: int | None
    name: str | None = None
    status: RowStatus | None = None
    delta: int | None = None
    percent: float | None = None
    state: State | None = None


@record
class LayerHeld:
    """Bytes that a layer's nodes hold at the peak of each side, 0 if none; `name` is None for nodes in no layer."""

    name: str | None
    base: int | None
    head: int


@record
class AtPeak:
    """What a device holds at the highest peak of its steps.

    micros : the moment, on the axis of memory.parquet; None if it is unknown
    peak, base_peak : bytes of head, and of base; the latter None unless the sides are compared
    kinds : totals of the kinds that occur; they add up to the peaks
    holders : at most `LISTED` of the `holder_count` nodes with buffers, each once per kind: those that changed most
        first, without a base the largest
    layers : all layers whose nodes have buffers, in the same order
    """

    device: str
    step: int
    micros: int | None
    peak: int
    base_peak: int | None
    kinds: tuple[Held, ...]
    holders: tuple[Held, ...]
    holder_count: int
    layers: tuple[LayerHeld, ...] = ()

    @property
    def is_compared(self) -> bool:
        """Whether base is known too."""
        return self.base_peak is not None


def find_at_peak(head: Side, comparison: Comparison | None) -> AtPeak | None:
    """Return what the device with head's highest peak holds, beside base if it is known; None if head's is not."""
    peaks = highest_peaks(head)
    if not peaks:
        return None
    device = max(peaks, key=lambda each: peaks[each][1])
    step, peak = peaks[device]
    rows = held_at(head, device, step)
    if not rows.num_rows:
        return None
    changes = comparison.peak.filter(pc.equal(comparison.peak["device"], device)) if comparison else rows.slice(0, 0)
    is_compared = comparison is not None and changes.num_rows > 0
    held = changes if is_compared else _one_sided(rows)
    is_node = pc.not_equal(held["kind"].cast(pa.string()), BufferKind.NOT_RECORDED)
    size = pc.max_element_wise(held["base_bytes"], held["head_bytes"])
    ranks = [pc.abs(moved_by(held, "bytes")), size] if is_compared else [size]
    base = comparison.base if comparison and is_compared else None
    return AtPeak(
        device=device,
        step=step,
        micros=rows["micros"][0].as_py(),
        peak=peak,
        base_peak=highest_peaks(base)[device][1] if base else None,
        kinds=tuple(_totals(held, is_compared=is_compared)),
        holders=tuple(map(_holder, held.take(largest(ranks, is_node, LISTED)).to_pylist())),
        holder_count=pc.sum(is_node).as_py() or 0,
        layers=tuple(_layers(rows, device, comparison if base else None)),
    )


def _layers(rows: pa.Table, device: str, comparison: Comparison | None) -> list[LayerHeld]:
    """Return the layers that hold the most, or whose part changed most."""
    head = _by_layer(rows)
    if comparison is None:
        found = [LayerHeld(name=name, base=None, head=held) for name, held in head.items()]
        return sorted(found, key=lambda layer: -layer.head)
    base = _by_layer(held_at(comparison.base, device, highest_peaks(comparison.base)[device][0]))
    names = comparison.layers.select(["layer", "base_layer"]).drop_null().to_pylist()
    in_head = {row["base_layer"]: row["layer"] for row in names}
    before: dict[str | None, int] = {}
    for name, held in base.items():
        now = in_head.get(name, name)
        before[now] = before.get(now, 0) + held
    every = dict.fromkeys((*head, *before))
    found = [LayerHeld(name=name, base=before.get(name, 0), head=head.get(name, 0)) for name in every]
    return sorted(found, key=lambda layer: (-abs(layer.head - (layer.base or 0)), -layer.head))


def _by_layer(rows: pa.Table) -> dict[str | None, int]:
    """Return the bytes of each layer at a peak, without what has no record."""
    recorded = rows.filter(pc.and_(rows["name"].is_valid(), rows["bytes"].is_valid()))
    layers = pa.table({"layer": recorded["layer"].cast(pa.string()), "bytes": recorded["bytes"]})
    sums = layers.group_by("layer", use_threads=False).aggregate([("bytes", "sum")])
    return dict(zip(sums["layer"].to_pylist(), sums["bytes_sum"].to_pylist(), strict=True))


def _one_sided(rows: pa.Table) -> pa.Table:
    """Return rows of head as those of a comparison without a base, one per node and kind."""
    sums = pa.table({"name": rows["name"], "kind": rows["kind"].cast(pa.string()), "bytes": rows["bytes"]})
    sums = sums.group_by(["name", "kind"], use_threads=False).aggregate([("bytes", "sum")])
    nothing = pa.nulls(sums.num_rows, pa.int64())
    words = dict.fromkeys(("status", "state_bytes"), pa.nulls(sums.num_rows, pa.string()))
    figures = dict.fromkeys(("base_bytes", "delta_bytes", "percent_bytes"), nothing)
    return pa.table({"name": sums["name"], "kind": sums["kind"], "head_bytes": sums["bytes_sum"], **words, **figures})


def _holder(row: dict[str, Any]) -> Held:
    base, head = row["base_bytes"], row["head_bytes"]
    is_apart = row["status"] in (RowStatus.NEW, RowStatus.REMOVED)
    return Held(
        kind=BufferKind(row["kind"]),
        name=row["name"],
        base=base,
        head=head,
        status=row["status"] and RowStatus(row["status"]),
        delta=(head or 0) - (base or 0) if is_apart else row["delta_bytes"],
        percent=row["percent_bytes"],
        state=row["state_bytes"] and State(row["state_bytes"]),
    )


def _totals(held: pa.Table, *, is_compared: bool) -> Iterator[Held]:
    """Yield the total of each kind, the rest of the peak last."""
    kinds = held["kind"].cast(pa.string())
    for kind in reversed(BufferKind):
        rows = held.filter(pc.equal(kinds, kind))
        if not rows.num_rows:
            continue
        head = _total(rows["head_bytes"], kind)
        base = _total(rows["base_bytes"], kind) if is_compared else None
        old, new = (None if total is None else Fraction(total) for total in (base, head))
        yield Held(
            kind=kind,
            base=base,
            head=head,
            delta=None if head is None or base is None else head - base,
            percent=percent_of(old, new),
            state=state_of(old, new, base_open=False, head_open=False) if is_compared else None,
        )


def _total(sizes: pa.ChunkedArray, kind: BufferKind) -> int | None:
    """Return the sum of the bytes of a kind; that of the kind `NOT_RECORDED` may be unknown."""
    is_unknown = kind == BufferKind.NOT_RECORDED and sizes.null_count > 0
    return None if is_unknown else exact_sum(sizes)
