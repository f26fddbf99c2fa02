"""Lists the nodes that increased or decreased a figure, the largest first; small changes are only counted."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import whole
from tfprof_report.compare.comparison import Comparison, RowStatus, State
from tfprof_report.compare.delta import is_one_of, moved_by
from tfprof_report.limits import INT64_LIMIT
from tfprof_report.record import record
from tfprof_report.schema.metrics import Number

HEADLINE = ("float_ops", "params", "bytes")
"""The main figures of a comparison, in the order in which they rank rows."""

LISTED = 100
"""Maximum number of movers kept per figure and direction."""

_ONE_SIDED = (RowStatus.NEW, RowStatus.REMOVED)


@record
class Mover:
    """A node whose figure changed. A side that lacks the node (see `status`) counts as 0 in `delta` and is None itself.

    `percent` and `state` are those of the node's row in `Comparison.nodes`.
    """

    name: str
    status: RowStatus
    base_op: str | None
    head_op: str | None
    base: Number | None
    head: Number | None
    delta: Number
    percent: float | None
    state: State | None


@record
class Movers:
    """The nodes that changed one figure.

    grown, shrunk : at most `LISTED` nodes, the largest change first
    grown_count, shrunk_count : the number of nodes whose change reaches the threshold
    folded_count : the number of nodes whose change is below it; `largest_folded` is the largest of them
    blurred_count : matched nodes whose figure is known on one side only, so that the change has no size
    """

    stem: str
    grown: tuple[Mover, ...]
    shrunk: tuple[Mover, ...]
    grown_count: int
    shrunk_count: int
    folded_count: int
    largest_folded: Mover | None
    blurred_count: int


def find_movers(comparison: Comparison, threshold: Fraction, stems: Sequence[str] = HEADLINE) -> tuple[Movers, ...]:
    """Return the movers of each of `stems` that changed in any node.

    A change below `threshold` percent of base's total is folded: counted, not listed.
    """
    present = [stem for stem in stems if f"delta_{stem}" in comparison.nodes.column_names]
    found = (_movers(comparison, stem, least_change(comparison, stem, threshold)) for stem in present)
    return tuple(movers for movers in found if movers is not None)


def least_change(comparison: Comparison, stem: str, threshold: Fraction) -> Fraction:
    """Return the smallest change that is listed: `threshold` percent of base's total, 0 if that is unknown."""
    total = comparison.total_of(stem)
    whole = total.exact_base if total else None
    return abs(whole or Fraction()) * threshold / 100


def is_at_least(sizes: pa.ChunkedArray, least: Fraction) -> pa.ChunkedArray:
    """Return where a size is at least `least`, exactly for integers; NULL where the size is NULL."""
    if pa.types.is_integer(sizes.type):
        return pc.greater_equal(sizes, ceil(least)) if least <= INT64_LIMIT - 1 else pc.less(sizes, 0)
    return pc.greater_equal(sizes, float(least))


def is_blurred(rows: pa.Table, stem: str) -> pa.ChunkedArray:
    """Return where the figure of a matched row is known on one side only."""
    return is_one_of(rows[f"state_{stem}"], State.LOST, State.NOW_KNOWN)


def largest(ranks: Sequence[pa.ChunkedArray], mask: pa.ChunkedArray, limit: int) -> pa.Array:
    """Return the indices of the at most `limit` masked rows with the largest ranks; ties in row order."""
    index = pa.array(np.arange(len(mask)))
    keys = {str(place): pc.fill_null(rank, -1) for place, rank in enumerate(ranks)}
    rows = pa.table({**keys, "index": index}).filter(pc.fill_null(mask, fill_value=False))
    if not rows.num_rows:  # pyarrow before 26 raises ValueError on them
        return whole(rows["index"])
    # select_k is not stable; the index as last key makes the result deterministic
    order = [*((key, "descending") for key in keys), ("index", "ascending")]
    return whole(rows["index"].take(pc.select_k_unstable(rows, k=limit, sort_keys=order)))


def count(mask: pa.ChunkedArray) -> int:
    """Return the number of true values; NULL counts as false."""
    return pc.sum(mask).as_py() or 0


def _movers(comparison: Comparison, stem: str, least: Fraction) -> Movers | None:
    nodes = comparison.nodes
    moved = moved_by(nodes, stem)
    size = pc.abs(moved)
    is_large = is_at_least(size, least)
    has_grown, has_shrunk = (pc.and_(is_large, side(moved, 0)) for side in (pc.greater, pc.less))
    is_small = pc.and_(pc.invert(is_large), pc.greater(size, 0))
    blurred = count(is_blurred(nodes, stem))
    grown, shrunk, folded = (count(mask) for mask in (has_grown, has_shrunk, is_small))
    if not grown + shrunk + folded + blurred:
        return None

    def top(mask: pa.ChunkedArray, limit: int) -> tuple[Mover, ...]:
        places = largest([size], mask, limit)
        return _rows(nodes.take(places), moved.take(places), stem)

    return Movers(
        stem=stem,
        grown=top(has_grown, LISTED),
        shrunk=top(has_shrunk, LISTED),
        grown_count=grown,
        shrunk_count=shrunk,
        folded_count=folded,
        largest_folded=next(iter(top(is_small, 1)), None),
        blurred_count=blurred,
    )


def _rows(nodes: pa.Table, moved: pa.ChunkedArray, stem: str) -> tuple[Mover, ...]:
    columns = ("name", "base_op", "head_op", *(f"{part}_{stem}" for part in ("base", "head", "percent")))
    return tuple(
        Mover(
            name=name,
            status=RowStatus(status),
            base_op=base_op,
            head_op=head_op,
            base=base,
            head=head,
            delta=delta,
            percent=percent,
            state=None if status in _ONE_SIDED or state is None else State(state),
        )
        for status, state, delta, name, base_op, head_op, base, head, percent in zip(
            nodes["status"].to_pylist(),
            nodes[f"state_{stem}"].to_pylist(),
            moved.to_pylist(),
            *(nodes[column].to_pylist() for column in columns),
            strict=True,
        )
    )
