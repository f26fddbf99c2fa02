"""The rates of both sides of a comparison, and the layers and ops that something else bounds than before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Floats, to_bools, to_ints, whole
from tfprof_report.compare.bounds.find_bounds import Level, find_bounds, rows_of
from tfprof_report.compare.bounds.roofs import Bound
from tfprof_report.compare.bounds.speeds import DeviceSpeed, short_name
from tfprof_report.compare.comparison import Comparison
from tfprof_report.compare.side import Side
from tfprof_report.record import record
from tfprof_report.schema.tables import BOUNDS

FIGURES = ("bound", "micros", "float_ops_per_second", "float_ops_per_byte", "share_of_peak")
"""What a change has of both sides."""

_LEAST_SHARE = 0.01
"""A change is worth a line if the op or layer takes this share of the time of all ops on one of the sides."""

_LEAST_LAUNCH = 0.2
"""Times vary: a change to or from launch counts if the time of an execution changed by this share of base's."""

_CHANGED = pa.schema(
    [("level", pa.string()), ("name", pa.string()), ("base_name", pa.string())]
    + [(f"{side}_{figure}", BOUNDS.field(figure).type) for figure in FIGURES for side in ("base", "head")]
)


@record
class Bounds:
    """The rates of a report.

    head : the columns of bounds.parquet; empty without run metadata
    changed : layers, then ops, whose bound is another one than in base, those that take the most time first: level,
        name (NULL for the nodes in no layer), base_name, and `FIGURES` of both sides; empty without a base
    """

    head: pa.Table = field(default_factory=BOUNDS.empty_table)
    changed: pa.Table = field(default_factory=_CHANGED.empty_table)

    @property
    def has_speeds(self) -> bool:
        """Whether the peaks of a device that ran are known."""
        return bool(pc.any(pc.is_valid(self.head["peak_bytes_per_second"])).as_py())


def compare_bounds(head: Side, comparison: Comparison | None, speeds: Sequence[DeviceSpeed]) -> Bounds:
    """Return the rates of head, and what changed if both sides ran; the same peaks hold for both."""
    rows = find_bounds(head, speeds)
    if comparison is None or not rows.num_rows or not speeds:
        return Bounds(head=rows)
    base_rows = find_bounds(comparison.base, speeds)
    if not base_rows.num_rows:
        return Bounds(head=rows)
    changed = [
        _changed_layers(comparison, base_rows, rows),
        _changed_ops(comparison, base_rows, rows),
    ]
    return Bounds(head=rows, changed=pa.concat_tables(changed).combine_chunks())


def _changed_ops(comparison: Comparison, base_rows: pa.Table, head_rows: pa.Table) -> pa.Table:
    base, head = rows_of(base_rows, Level.OP), rows_of(head_rows, Level.OP)
    names = comparison.head.nodes["name"].combine_chunks().take(head["node"].combine_chunks())
    pairs = comparison.nodes
    place = pc.index_in(names, value_set=pairs["name"].combine_chunks())
    before = pairs["base_name"].combine_chunks().take(place).cast(pa.string())
    base_names = comparison.base.nodes["name"].combine_chunks().take(base["node"].combine_chunks())
    partner = pc.index_in(_key(before, _in_base(head, base)), value_set=_key(base_names, base["device"]))
    return _changes(Level.OP, (names, before), base, head, _where(pc.is_valid(before), partner))


def _changed_layers(comparison: Comparison, base_rows: pa.Table, head_rows: pa.Table) -> pa.Table:
    base, head = rows_of(base_rows, Level.LAYER), rows_of(head_rows, Level.LAYER)
    pairs = comparison.layers
    if not pairs.num_rows:
        return _CHANGED.empty_table()
    names = head["layer"].cast(pa.string()).combine_chunks()
    place = pc.index_in(names, value_set=pairs["layer"].combine_chunks())
    before = pairs["base_layer"].combine_chunks().take(place).cast(pa.string())
    was_there = pc.is_valid(pairs["base_definition_count"].combine_chunks().take(place))
    base_names = base["layer"].cast(pa.string()).combine_chunks()
    partner = pc.index_in(_key(before, _in_base(head, base)), value_set=_key(base_names, base["device"]))
    return _changes(Level.LAYER, (names, before), base, head, _where(was_there, partner))


def _in_base(head: pa.Table, base: pa.Table) -> pa.Array:
    """Return for each row of head the name of its device in base; its own if base has none.

    It is the device of the same name, else the only other one that has the same end: machines may have other names.
    """
    ours, theirs = (pc.unique(side["device"].cast(pa.string())).to_pylist() for side in (head, base))
    left = [Counter(map(short_name, {*own} - {*other})) for own, other in ((ours, theirs), (theirs, ours))]
    by_end = {short_name(name): name for name in theirs if name not in ours}
    ends = {name: short_name(name) for name in ours if name not in theirs}
    renamed = {name: by_end[end] for name, end in ends.items() if left[0][end] == left[1][end] == 1}
    codes = head["device"].combine_chunks()
    names = pa.array([renamed.get(name, name) for name in codes.dictionary.to_pylist()], pa.string())
    return names.take(codes.indices)


def _key(names: pa.Array, devices: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Return a name and a device as one text."""
    return pc.binary_join_element_wise(names, whole(devices).cast(pa.string()), "\n", null_handling="replace")


def _where(mask: pa.Array, rows: pa.Array) -> pa.Array:
    return pc.if_else(mask, rows, pa.scalar(None, rows.type))


def _changes(
    level: Level, names: tuple[pa.Array, pa.Array], base: pa.Table, head: pa.Table, partner: pa.Array
) -> pa.Table:
    """Return the rows of head whose bound is not that of their partner in base, a row of it, NULL for new ones.

    `names` are those of the rows of head, in head and in base.
    """
    rows = np.flatnonzero(to_bools(pc.is_valid(partner)))
    was = base.take(pa.array(to_ints(partner.take(pa.array(rows)))))
    now = head.take(pa.array(rows))
    times = [np.asarray(side["micros"], dtype=np.float64) for side in (was, now)]
    differs = to_bools(
        pc.fill_null(pc.not_equal(was["bound"].cast(pa.string()), now["bound"].cast(pa.string())), fill_value=False)
    )
    is_large = np.zeros(len(rows), dtype=bool)
    for side, time in zip((base, head), times, strict=True):
        is_large |= time >= _LEAST_SHARE * float(pc.sum(side["micros"]).as_py() or 0)
    kept = np.flatnonzero(differs & is_large & ~_is_noise(was, now, times))
    kept = kept[np.argsort(-times[1][kept], kind="stable")]
    chosen = pa.array(kept)
    columns = {
        "level": pa.repeat(pa.scalar(str(level)), len(kept)),
        **{key: name.take(pa.array(rows[kept])) for key, name in zip(("name", "base_name"), names, strict=True)},
    }
    for figure in FIGURES:
        columns |= {f"base_{figure}": was[figure].take(chosen), f"head_{figure}": now[figure].take(chosen)}
    return pa.table(columns).cast(_CHANGED)


def _is_noise(was: pa.Table, now: pa.Table, times: list[Floats]) -> Bools:
    """Return which changes to or from launch may be due to times that vary."""
    is_launch = np.zeros(len(times[0]), dtype=bool)
    for side in (was, now):
        is_launch |= to_bools(pc.equal(side["bound"].cast(pa.string()), str(Bound.LAUNCH)))
    old, new = (
        time / np.maximum(np.asarray(side["run_count"], dtype=np.float64), 1e-300)
        for side, time in zip((was, now), times, strict=True)
    )
    noise: Bools = is_launch & (np.abs(new - old) < _LEAST_LAUNCH * old)
    return noise
