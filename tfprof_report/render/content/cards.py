"""The cards of a report: one figure of the model each, with both sides and a note. Plain data for templates."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tfprof_report.compare.comparison import RowStatus, TotalDelta
from tfprof_report.compare.gates.policy import Level
from tfprof_report.formatting import label_of, share_of, unit_of
from tfprof_report.model.flops.evaluate import FLOP_STEMS
from tfprof_report.model.parts.leave_out import NOT_IN_SIGNATURE
from tfprof_report.model.shapes.basis import basis_of
from tfprof_report.record import record
from tfprof_report.render.content.headline import parameter_words
from tfprof_report.render.tables.cells import Cell, delta_cell, percent_cell, text_cell, total_cell
from tfprof_report.report.report import Report
from tfprof_report.schema.metrics import DEVICE_PEAK, WALL, Number, Unit

CARDS = ("float_ops", "macs", "params", DEVICE_PEAK, "bytes", WALL, "micros", "definition_count")
"""Figures that have a card, in order."""

INFORMS = "informs only"


@record
class Card:
    """One figure of the model; only `head` is set without a comparison, or where base lacks the figure."""

    label: str
    head: Cell
    base: Cell | None = None
    delta: Cell | None = None
    percent: Cell | None = None
    note: str = ""


ALWAYS = ("float_ops", "params")
"""Figures that are shown even if they are unknown."""


def cards_of(report: Report) -> Iterator[Card]:
    """Yield a card per figure that is known on any side; FLOPs and parameters always have one."""
    notes = _notes(report)
    if report.comparison is None:
        values, unknown = report.values, report.unknown
        for stem in CARDS:
            if stem in ALWAYS or values.get(stem) is not None:
                head = figure_cell(stem, values.get(stem), unknown.get(stem, 0))
                yield Card(label=label_of(stem), head=head, note=notes.get(stem, ""))
    else:
        totals = {total.stem: total for total in report.comparison.all_totals}
        for stem in CARDS:
            total = totals.get(stem)
            if total and (stem in ALWAYS or not (total.base is None and total.head is None)):
                yield _compared(total, notes.get(stem, ""))
    yield from _coverage(report)


def _compared(total: TotalDelta, note: str) -> Card:
    return Card(
        label=label_of(total.stem),
        head=figure_cell(total.stem, total.head, total.head_unknown),
        base=figure_cell(total.stem, total.base, total.base_unknown),
        delta=delta_cell(total.delta, unit_of(total.stem)),
        percent=percent_cell(total.percent, total.state),
        note=note,
    )


def figure_cell(stem: str, value: Number | None, unknown: int) -> Cell:
    """Return the cell of a total; a number of nodes is never scaled, as in every other sentence about nodes."""
    return text_cell(f"{value:,}") if stem == "definition_count" else total_cell(value, unit_of(stem), unknown)


def _notes(report: Report) -> dict[str, str]:
    """Return the notes of the cards by stem."""
    steps = len(report.head.step_numbers)
    spread = "of one step" if steps == 1 else f"mean of {steps:,} steps"
    informs = "gated" if is_time_gated(report) else INFORMS
    notes = {
        DEVICE_PEAK: "most in use at once",
        "bytes": "requested in a step",
        "params": parameter_words(report.param_totals),
        WALL: f"first start to last end, {spread}; {informs}",
        "micros": f"sum over nodes, {spread}; {informs}",
        **dict.fromkeys(FLOP_STEMS, basis_of(report.head.nodes).words),
    }
    if report.comparison:
        counts = report.comparison.counts
        found = {change.stem: change.finding for change in report.comparison.times}
        notes[WALL] = f"first start to last end, {spread}; {found.get(WALL, informs)}"
        notes["micros"] = f"sum over nodes, {spread}; {found.get('micros', informs)}"
        notes["definition_count"] = f"{counts[RowStatus.NEW]:,} new, {counts[RowStatus.REMOVED]:,} removed"
    beside = outside_signature(report)
    return {stem: "; ".join(filter(None, (notes.get(stem), beside.get(stem)))) for stem in {**notes, **beside}}


def outside_signature(report: Report) -> dict[str, str]:
    """Return by stem what nodes amount to in head that its signature does not need."""
    return {
        total.stem: f"{figure_cell(total.stem, total.value, total.unknown).text} more {NOT_IN_SIGNATURE}"
        for part in report.head.left_out
        if part.part == NOT_IN_SIGNATURE
        for total in part.totals
        if total.value and total.stem in CARDS
    }


def is_time_gated(report: Report) -> bool:
    """Return whether a gate on a time can change the exit code."""
    return any(unit_of(gate.metric) is Unit.MICROS and gate.level is Level.FAIL for gate in report.policy.gates)


def _coverage(report: Report) -> Iterator[Card]:
    """Yield the card with the share of FLOP-capable nodes whose FLOPs are known."""
    found = next((total for total in report.totals if total.stem == "float_ops"), None)
    if found is None:
        return
    both = report.comparison.total_of("float_ops") if report.comparison else None
    yield Card(
        label="FLOP coverage",
        head=known_part(found.known, found.capable),
        base=known_part(both.base_known, both.base_capable) if both else None,
        note="; ".join([f"{share_of(found.known, found.capable)} nodes counted", *without_figure(report)]),
    )


def without_figure(report: Report) -> Iterator[str]:
    """Yield the op types whose FLOPs are unknown: a share of nodes does not tell how much they do."""
    if (missing := report.missing.get("float_ops")) and missing.op_words:
        yield f"not {missing.op_words}"


def known_part(known: int, capable: int) -> Cell:
    """Return a share in percent, rounded down so that it shows 100 % only if all are known."""
    if not capable:
        return text_cell("nothing to count", "unknown")
    return text_cell(
        f"{math.floor(1000 * known / capable) / 10:.1f} %".replace(".0 %", " %"),
        "" if known == capable else "inconclusive",
    )
