"""Splits the change of an op type into "more nodes" and "bigger nodes", as columns of op view's differences."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import to_bools, whole
from tfprof_report.compare.comparison import RowStatus
from tfprof_report.compare.delta import is_one_of, moved_by
from tfprof_report.limits import INT64_LIMIT
from tfprof_report.schema.metrics import METRICS, Kind, Number


def split_by_count(rows: pa.Table) -> pa.Table:
    """Return the differences of op view with ``more_X`` and ``bigger_X`` for each metric X but the count itself.

    With n nodes of a type in base and m in head, ``more_X`` is m - n times the average of base, in whole units;
    ``bigger_X`` is the rest. The two add up to `delta.moved_by`; in a new or removed row all of it is ``more_X``.
    Both are NULL where it is unknown.
    """
    stems = [stem for stem, metric in METRICS.items() if metric.kind is not Kind.COUNT]
    for stem in stems:
        if f"delta_{stem}" in rows.column_names:
            more, bigger = _split(rows, stem)
            rows = rows.append_column(f"more_{stem}", more).append_column(f"bigger_{stem}", bigger)
    return rows


def _split(rows: pa.Table, stem: str) -> tuple[pa.Array, pa.Array]:
    moved = whole(moved_by(rows, stem))
    counts = (whole(rows[f"{side}_definition_count"]) for side in ("base", "head"))
    old, new = counts
    is_alone = is_one_of(rows["status"], RowStatus.NEW, RowStatus.REMOVED)
    nothing = pa.scalar(0, moved.type)
    more = pc.if_else(is_alone, moved, pc.if_else(pc.equal(old, new), nothing, pa.scalar(None, moved.type)))
    bigger = pc.if_else(is_alone, nothing, moved)
    # Few op types change their count, so these are computed one by one as exact fractions.
    is_open = pc.and_(pc.invert(is_alone), pc.and_(pc.not_equal(old, new), pc.greater(old, 0)))
    places = np.flatnonzero(to_bools(pc.and_(is_open, moved.is_valid())))
    taken = pa.array(places)
    figures = (values.take(taken).to_pylist() for values in (old, new, whole(rows[f"base_{stem}"]), moved))
    parts = [_parts(*each) for each in zip(*figures, strict=True)]
    mask = pa.array(np.isin(np.arange(len(moved)), places))
    more = pc.replace_with_mask(more, mask, pa.array([part for part, _ in parts], moved.type))
    bigger = pc.replace_with_mask(bigger, mask, pa.array([rest for _, rest in parts], moved.type))
    is_known = pc.and_(moved.is_valid(), more.is_valid())
    unknown = pa.scalar(None, moved.type)
    return pc.if_else(is_known, more, unknown), pc.if_else(is_known, bigger, unknown)


def _parts(old: int, new: int, base: Number, moved: Number) -> tuple[Number | None, Number | None]:
    """Return (`new` - `old`) times the average of base, and the rest of `moved`; None if one exceeds 64 bits."""
    if isinstance(base, float) or isinstance(moved, float):
        more = (new - old) * base / old
        return more, moved - more
    whole = round(Fraction((new - old) * base, old))
    fits = max(abs(whole), abs(moved - whole)) < INT64_LIMIT
    return (whole, moved - whole) if fits else (None, None)
