"""What devices do and move per step, on average over the steps of each side, beside each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa

from tfprof_report.compare.side import Side
from tfprof_report.record import record
from tfprof_report.schema.activity_columns import BUSY, DIFF_ACTIVITY, DIFF_TRANSFERS, DIFF_WAITS, IDLE, rank_of

_Means = dict[tuple[Any, ...], dict[str, float | str | None]]


@record
class ActivityChange:
    """What devices do on both sides; of one side alone the columns of base are NULL.

    devices : per device, those that are busy longest first, and kind (`DIFF_ACTIVITY`)
    transfers : per pair of devices and kind (`DIFF_TRANSFERS`), what moves most bytes first
    waits : the longest waits of any step (`DIFF_WAITS`), the longest of head first
    """

    devices: pa.Table
    transfers: pa.Table
    waits: pa.Table


def compare_activity(base: Side | None, head: Side) -> ActivityChange | None:
    """Return what devices do on both sides; None if it is known of neither."""
    if not head.activity.steps and not (base and base.activity.steps):
        return None
    return ActivityChange(
        devices=pa.Table.from_pylist(list(_devices(base, head)), schema=DIFF_ACTIVITY),
        transfers=pa.Table.from_pylist(list(_transfers(base, head)), schema=DIFF_TRANSFERS),
        waits=pa.Table.from_pylist(list(_waits(base, head)), schema=DIFF_WAITS),
    )


def _devices(base: Side | None, head: Side) -> Iterator[dict[str, Any]]:
    sides = {"base": _times(base), "head": _times(head)}
    keys = {key for means in sides.values() for key in means}
    busy = {device: max(_busy(means, device) for means in sides.values()) for device, _ in keys}
    for device, kind in sorted(keys, key=lambda key: (-busy[key[0]], key[0], rank_of(key[1]))):
        row: dict[str, Any] = {"device": device, "kind": kind}
        for name, means in sides.items():
            found = means.get((device, kind))
            if found is None and (device, BUSY) in means and kind != IDLE:
                found = {"nanos": 0.0, "exposed_nanos": 0.0, "count": 0.0, "reason": ""}
            row |= {f"{name}_{part}": value for part, value in (found or {}).items()}
        yield row | {"delta_nanos": _difference(row, "nanos")}


def _busy(means: _Means, device: str) -> float:
    return float(means.get((device, BUSY), {}).get("nanos") or 0)


def _times(side: Side | None) -> _Means:
    """Return the means of a side by device and kind, with the first reason why one is not known."""
    if side is None or not side.activity.steps:
        return {}
    table = side.activity.by_device
    means = _means(table, ["device", "kind"], ["nanos", "exposed_nanos", "count"], len(side.activity.steps))
    for figures in means.values():
        figures["reason"] = ""
    lost = table.filter(table["nanos"].is_null()).select(["device", "kind", "reason"]).to_pylist()
    for row in reversed(lost):
        means[row["device"], row["kind"]]["reason"] = row["reason"]
    return means


def _transfers(base: Side | None, head: Side) -> Iterator[dict[str, Any]]:
    ends = ["source", "destination", "kind"]
    sides = {"base": _moved(base), "head": _moved(head)}
    keys = {key for _, means in sides.values() for key in means}
    rows = []
    for key in keys:
        row: dict[str, Any] = dict(zip(ends, key, strict=True))
        for name, (absent, means) in sides.items():
            found: Mapping[str, Any] = means.get(key, dict.fromkeys(("bytes", "nanos", "count"), absent))
            row |= {f"{name}_{part}": value for part, value in found.items()}
        rows.append(row | {f"delta_{part}": _difference(row, part) for part in ("bytes", "nanos")})
    yield from sorted(
        rows, key=lambda row: (-_most(row, "bytes"), -_most(row, "nanos"), *(row[end] or "" for end in ends))
    )


def _moved(side: Side | None) -> tuple[float | None, _Means]:
    """Return the means of a side by pair of devices and kind, and that of a pair which it lacks."""
    if side is None or not side.activity.steps:
        return None, {}
    table = side.activity.by_pair
    open_bytes = pa.array([None if lacks else size for lacks, size in zip(*_columns(table), strict=True)], pa.int64())
    known = table.set_column(table.column_names.index("bytes"), "bytes", open_bytes)
    means = _means(known, ["source", "destination", "kind"], ["bytes", "nanos", "count"], len(side.activity.steps))
    is_whole = all(step.transfer_bytes is not None for step in side.activity.steps)
    return (0.0 if is_whole else None), means


def _columns(table: pa.Table) -> tuple[list[int], list[int | None]]:
    return table["unknown_bytes"].to_pylist(), table["bytes"].to_pylist()


def _waits(base: Side | None, head: Side) -> Iterator[dict[str, Any]]:
    """Yield the longest wait of each op for another on a device, of any step."""
    names = ("device", "name", "waited_for")
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for side, part in ((base, "base"), (head, "head")):
        for row in side.activity.waits.to_pylist() if side else ():
            key = tuple(row[name] for name in names)
            mine = found.setdefault(key, dict(zip(names, key, strict=True)))
            if row["nanos"] > (mine.get(f"{part}_nanos") or -1):
                mine |= {f"{part}_nanos": row["nanos"], "kind": row["kind"]}
    rows = [row | {"delta_nanos": _difference(row, "nanos")} for row in found.values()]
    yield from sorted(rows, key=lambda row: (-(row.get("head_nanos") or 0), -(row.get("base_nanos") or 0)))


def _means(table: pa.Table, keys: list[str], columns: list[str], steps: int) -> _Means:
    """Return the mean over steps of each column by key; None if it is NULL in one. A step without a row has 0."""
    plain = pa.table({name: table[name].cast(pa.string()) for name in keys} | {name: table[name] for name in columns})
    parts = [(name, part) for name in columns for part in ("sum", "count")]
    sums = plain.append_column("rows", pa.array([1] * table.num_rows, pa.int64())).group_by(keys, use_threads=False)
    return {
        tuple(row[name] for name in keys): {
            name: row[f"{name}_sum"] / steps if row[f"{name}_count"] == row["rows_sum"] else None for name in columns
        }
        for row in sums.aggregate([*parts, ("rows", "sum")]).to_pylist()
    }


def _difference(row: Mapping[str, Any], part: str) -> float | None:
    base, head = row.get(f"base_{part}"), row.get(f"head_{part}")
    return None if base is None or head is None else head - base


def _most(row: Mapping[str, Any], part: str) -> float:
    return max(row.get(f"{side}_{part}") or 0 for side in ("base", "head"))
