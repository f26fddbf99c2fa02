"""What devices do as tables: time by device and kind, transfers by pair of devices, and the longest waits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfprof_report.compare.activity_change import ActivityChange
from tfprof_report.compare.comparison import State
from tfprof_report.compare.side import Side
from tfprof_report.formatting import called, format_percent, plural
from tfprof_report.render.tables.cells import (
    ABSENT,
    Cell,
    Column,
    Row,
    Table,
    delta_cell,
    name_cell,
    number_cell,
    percent_cell,
    sort_key,
    text_cell,
)
from tfprof_report.schema.activity_columns import BUSY, IDLE
from tfprof_report.schema.files import table_file
from tfprof_report.schema.metrics import NANOS_PER_MICRO, Number, Unit

ACTIVITY_TEXT = (
    "Busy is the time in which a device computes, copies or takes part in a collective, overlapping events counted "
    "once; idle is the rest of the step. Waiting and receiving are no work: a device may be idle or busy meanwhile. "
    "All times are means over steps."
)

KIND_WORDS = {
    BUSY: "Busy",
    "compute": "computing",
    "collective": "collectives",
    "host_to_device": "copies from host",
    "device_to_host": "copies to host",
    "device_to_device": "copies between devices",
    "copy": "copies",
    IDLE: "Idle",
    "input_wait": "waiting for input",
    "receive": "receiving",
    "send": "sending",
    "launch": "launching kernels",
    "launch_gap": "idle during launches",
}
"""The kinds of `activity_columns.ACTIVITY` in words."""


def kind_words(kind: str) -> str:
    """Return a kind in words; one that only a later version knows as it is called there."""
    return KIND_WORDS.get(kind, kind.replace("_", " "))


_WAITS_NOTE = (
    "How long the device was idle before the op, in the step where that was longest. Waited for is the input that was "
    "there last."
)

_PARTS = (BUSY, IDLE)
"""Kinds that make up a step."""


_FIGURES = (("Idle time", "idle_reason"), ("What was moved", "transfer_reason"))


def activity_text(sides: Sequence[Side]) -> tuple[str, ...]:
    """Return what the tables show, and which figures of steps are unknown and why; `sides` as those of a report."""
    labels = ("",) if len(sides) == 1 else (" of base", " of head")
    words = [ACTIVITY_TEXT]
    for label, side in zip(labels, sides, strict=True):
        for figure, reason in _FIGURES:
            reasons = list(filter(None, (getattr(step, reason) for step in side.activity.steps)))
            if reasons:
                words.append(f"{figure}{label} is unknown in {plural(len(reasons), 'step')}: {called(reasons[0])}.")
    return tuple(words)


def activity_tables(found: ActivityChange, limit: int, most_waits: int, *, is_compared: bool) -> tuple[Table, ...]:
    """Return the tables that there are: of devices, of pairs of them and of waits, with so many rows at most."""
    tables = (
        devices_activity_table(found, limit, is_compared=is_compared),
        transfers_table(found, limit, is_compared=is_compared),
        waits_table(found, most_waits, is_compared=is_compared),
    )
    return tuple(table for table in tables if table is not None)


def devices_activity_table(found: ActivityChange, limit: int, *, is_compared: bool) -> Table:
    """Return the times of each device, busy and idle first, each with what it is made of."""
    rows = found.devices.to_pylist()
    spans = {side: _spans(rows, side) for side in ("base", "head")}
    return Table(
        caption="Devices, time per step",
        columns=(
            *map(Column, ("Device", "What")),
            *(
                (Column(label, is_number=True) for label in ("Base", "Head", "Delta", "Change"))
                if is_compared
                else (
                    Column(label, is_number=True)
                    for label in ("Time", "Share of the step", "Without computing", "Events")
                )
            ),
        ),
        rows=tuple(
            (
                name_cell(row["device"]),
                text_cell(kind_words(row["kind"])),
                *(_compared(row) if is_compared else _alone(row, spans["head"])),
            )
            for row in rows[:limit]
        ),
        total=len(rows),
        noun="kinds of devices",
        file=table_file("diff_activity" if is_compared else "activity"),
    )


def transfers_table(found: ActivityChange, limit: int, *, is_compared: bool) -> Table | None:
    """Return what is moved between devices, the most bytes first; None if nothing is."""
    rows = found.transfers.to_pylist()
    if not rows:
        return None
    groups = (("Bytes", "bytes", Unit.BYTES), ("Time", "nanos", Unit.MICROS))
    parts = ("base", "head", "delta") if is_compared else ("head",)
    return Table(
        caption="Between devices, per step",
        columns=(
            *map(Column, ("From", "To", "What")),
            Column("Transfers", is_number=True),
            *(
                Column(part.capitalize(), group, is_number=True) if is_compared else Column(group, is_number=True)
                for group, _, _ in groups
                for part in parts
            ),
        ),
        rows=tuple(
            (
                *(
                    name_cell(row[end]) if row[end] else text_cell("not told", "unknown")
                    for end in ("source", "destination")
                ),
                text_cell(kind_words(row["kind"])),
                number_cell(_whole(row["head_count"]), Unit.COUNT),
                *(
                    (delta_cell if part == "delta" else number_cell)(_figure(row[f"{part}_{stem}"], unit), unit)
                    for _, stem, unit in groups
                    for part in parts
                ),
            )
            for row in rows[:limit]
        ),
        total=len(rows),
        noun="pairs of devices",
        file=table_file("diff_transfers" if is_compared else "transfers"),
    )


def waits_table(found: ActivityChange, limit: int, *, is_compared: bool) -> Table | None:
    """Return the ops before which a device was idle longest; None if none was."""
    rows = found.waits.to_pylist()
    if not rows:
        return None
    parts = ("base", "head", "delta") if is_compared else ("head",)
    return Table(
        caption="Longest waits of an op",
        columns=(
            Column("Op"),
            *(Column(part.capitalize() if is_compared else "Time", is_number=True) for part in parts),
            *map(Column, ("Meanwhile", "Waited for", "Device")),
        ),
        rows=tuple(
            (
                name_cell(row["name"]),
                *(_wait(row[f"{part}_nanos"], part) for part in parts),
                text_cell(kind_words(row["kind"]) if row["kind"] else ""),
                name_cell(row["waited_for"]) if row["waited_for"] else text_cell("not known", "unknown"),
                name_cell(row["device"]),
            )
            for row in rows[:limit]
        ),
        notes=(_WAITS_NOTE,),
        total=len(rows),
        noun="waits",
        file=table_file("diff_waits" if is_compared else "waits"),
    )


def _wait(nanos: int | None, part: str) -> Cell:
    if nanos is None:
        return ABSENT
    return (delta_cell if part == "delta" else number_cell)(_figure(nanos, Unit.MICROS), Unit.MICROS)


def _spans(rows: list[dict[str, Any]], side: str) -> dict[str, float]:
    """Return the time of a step by device, busy and idle together, where both are known."""
    parts: dict[str, list[float | None]] = {}
    for row in rows:
        if row["kind"] in _PARTS:
            parts.setdefault(row["device"], []).append(row[f"{side}_nanos"])
    known = {device: [each for each in times if each is not None] for device, times in parts.items()}
    return {device: sum(times) for device, times in known.items() if len(times) == len(_PARTS)}


def _alone(row: dict[str, Any], spans: dict[str, float]) -> Row:
    nanos, span = row["head_nanos"], spans.get(row["device"])
    share = None if nanos is None or not span else 100 * nanos / span
    return (
        _time(row, "head"),
        ABSENT if share is None else Cell(format_percent(share).removeprefix("+"), sort_key(share)),
        ABSENT if row["head_exposed_nanos"] is None else number_cell(_micros(row["head_exposed_nanos"]), Unit.MICROS),
        ABSENT if row["head_count"] is None else number_cell(_whole(row["head_count"]), Unit.COUNT),
    )


def _compared(row: dict[str, Any]) -> Row:
    base, head = row["base_nanos"], row["head_nanos"]
    percent = 100 * (head - base) / base if base and head is not None else None
    state = None if base is None or head is None or base or not head else State.NEW_FROM_ZERO
    change = ABSENT if percent is None and state is None else percent_cell(percent, state)
    return _time(row, "base"), _time(row, "head"), delta_cell(_micros(row["delta_nanos"]), Unit.MICROS), change


def _time(row: dict[str, Any], side: str) -> Cell:
    """Return a time; where it is unknown the title of the cell says why."""
    nanos = row[f"{side}_nanos"]
    if nanos is None and row[f"{side}_reason"] is None:
        return ABSENT
    return number_cell(_micros(nanos), Unit.MICROS)._replace(
        **({"exact": row[f"{side}_reason"]} if nanos is None else {})
    )


def _figure(value: float | None, unit: Unit) -> Number | None:
    return _micros(value) if unit is Unit.MICROS else _whole(value)


def _micros(nanos: float | None) -> Number | None:
    return None if nanos is None else _whole(nanos / NANOS_PER_MICRO)


def _whole(value: float | None) -> Number | None:
    """Return a mean as an int where it is whole."""
    return None if value is None else int(value) if float(value).is_integer() else value
