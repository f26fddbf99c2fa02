"""The four figures of a model, each with what it is made of, for the first screen of one side. Plain data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import exact_sum
from tfprof_report.diagnostics import FIRST_STEP
from tfprof_report.formatting import format_number, format_percent, format_total, plural, share_of
from tfprof_report.model.params.kinds import ParamKind
from tfprof_report.model.shapes.basis import basis_of
from tfprof_report.record import record
from tfprof_report.render.content.cards import figure_cell, known_part, outside_signature, without_figure
from tfprof_report.render.content.takers import Takers
from tfprof_report.render.content.trend import Trend, trend_of
from tfprof_report.render.tables.cells import Cell, name_cell, text_cell, visible
from tfprof_report.report.breakdowns import ALL
from tfprof_report.report.report import Report
from tfprof_report.schema.metrics import DEVICE_PEAK, ESTIMATED_PEAK, WALL, Number, Unit
from tfprof_report.schema.tables import PHASES

_PHASE_WORDS = dict(zip(PHASES, ("forward", "gradients", "optimizer"), strict=True))

_KIND_WORDS = {
    ParamKind.TRAINABLE: "trainable",
    ParamKind.SLOT: "optimizer state",
    ParamKind.NOT_TRAINABLE: "not trainable",
    ParamKind.FROZEN: "frozen",
    ParamKind.UNKNOWN: "of unknown use",
}
"""Words for the kinds that count; unused parameters are in no total."""

_LEAST = 2
"""Fewest parts of a figure: one part is the figure itself."""

_OPS = 3
"""Most op types that the time is made of; the others are one part."""


@record
class Part:
    """A part of a figure; `share` is of the sum of all parts. `is_rest` marks what is put together.

    amount : empty where the share says enough
    """

    name: Cell
    amount: str
    share: float
    is_rest: bool = False

    @property
    def words(self) -> str:
        """Amount and share as text: ``21.76 G (33.32 %)``."""
        percent = format_percent(100 * self.share).removeprefix("+")
        return f"{self.amount} ({percent})" if self.amount else percent


@record
class Figure:
    """A figure of the model.

    what : what it counts, where the label does not say it
    parts : what it is made of, at least two parts, which add up; empty if that is not known or only one thing
    whole : what the parts are of, if that is not the figure itself
    notes : what else a reader has to know, first that it is a lower bound
    trend : how it moved over earlier reports, None where they are not known
    """

    stem: str
    label: str
    amount: Cell
    what: str = ""
    parts: tuple[Part, ...] = ()
    whole: str = ""
    notes: tuple[str, ...] = ()
    trend: Trend | None = None


def figures_of(report: Report, takers: Sequence[Takers] = ()) -> tuple[Figure, ...]:
    """Return FLOPs, parameters, peak memory and time of head; the last two only if they are known or estimated.

    `takers` say which layers hold most of the peak.

    There are none if there is a base: then gates and causes come first.
    """
    if report.comparison is not None:
        return ()
    return (_flops(report), _params(report), *_peak(report, takers), *_time(report))


def _flops(report: Report) -> Figure:
    stem = "float_ops"
    value = report.values.get(stem)
    layers = report.head.layers
    sums = {word: exact_sum(layers[f"{phase}_float_ops"]) for phase, word in _PHASE_WORDS.items()}
    parts = _parts(sums, value, Unit.COUNT)
    alone = [word for word, part in sums.items() if part and part == value]
    notes = (
        *(f"{word} only" for word in alone),
        *_coverage(report),
        *_multiply_adds(report),
        basis_of(report.head.nodes).words,
        outside_signature(report).get(stem, ""),
    )
    whole = "of what is known" if parts and report.unknown.get(stem) else ""
    return _figure(report, stem, "FLOPs", parts=parts, whole=whole, notes=notes)


def _coverage(report: Report) -> Iterator[str]:
    """Yield how many nodes are counted, and the op types of those that are not."""
    total = next((total for total in report.totals if total.stem == "float_ops"), None)
    if total is None:
        return
    if not total.capable:
        yield "no node has any to count"
    elif total.known == total.capable:
        yield "its only node counted" if total.known == 1 else f"all {total.known:,} nodes counted"
    else:
        share = known_part(total.known, total.capable).text
        missing = "; ".join(without_figure(report))
        yield f"only {share_of(total.known, total.capable)} nodes counted ({share}){f', {missing}' if missing else ''}"


def _multiply_adds(report: Report) -> Iterator[str]:
    if value := report.values.get("macs"):
        yield f"{format_total(value, Unit.COUNT, unknown=report.unknown.get('macs', 0))} multiply-adds"


def _params(report: Report) -> Figure:
    stem = "params"
    kinds = {total.kind: total for total in report.param_totals}
    every, trainable = kinds.get(ALL), kinds.get(ParamKind.TRAINABLE)
    beside = outside_signature(report).get(stem, "")
    if every is None or every.known < every.nodes or not every.params:
        missing = report.unknown.get(stem, 0)
        lacks = f"without those of {plural(missing, 'node')}" if missing else ""
        return _figure(report, stem, "Parameters", notes=(lacks, beside))
    words = {word: kinds[kind].params or 0 for kind, word in _KIND_WORDS.items() if kind in kinds}
    parts = _parts(words, every.params, Unit.COUNT)
    in_all = f"{format_number(every.params, Unit.COUNT)} in all" if parts else ""
    size = format_number(every.param_bytes, Unit.BYTES) if every.param_bytes is not None else ""
    notes = (", ".join(filter(None, (in_all, size))), beside)
    if trainable is None or not trainable.params:
        alone = next((word for word, count in words.items() if count == every.params), "")
        return _figure(report, stem, "Parameters", what=alone, parts=parts, notes=notes)
    amount = figure_cell(stem, trainable.params, 0)
    return _figure(report, stem, "Parameters", amount=amount, what="trainable", parts=parts, notes=notes)


def _peak(report: Report, takers: Sequence[Takers]) -> Iterator[Figure]:
    value, found = report.values[DEVICE_PEAK], report.at_peak
    if value is None:
        if report.values.get(ESTIMATED_PEAK) is not None:
            why = "the run did not record it" if report.head.step_numbers else "there is no run"
            note = f"from the graph: {why}"
            yield _figure(report, ESTIMATED_PEAK, "Peak memory", what="estimated", notes=(note,))
        return
    if found is None:
        yield _figure(report, DEVICE_PEAK, "Peak memory", notes=("what holds it is not known",))
        return
    parts = _parts({str(held.kind): held.head for held in found.kinds}, value, Unit.BYTES)
    notes = (
        "" if parts else "what holds it is not known as a whole",
        *_largest_holder(takers),
        f"on {_short(found.device)} in step {found.step}",
    )
    yield _figure(report, DEVICE_PEAK, "Peak memory", parts=parts, notes=notes)


def _largest_holder(takers: Sequence[Takers]) -> Iterator[str]:
    """Yield the layer, or the alike layers, that hold the most at the peak."""
    table = next((each.table for each in takers if each.stem == DEVICE_PEAK), None)
    row = next((row for row in table.rows if row[0].is_name), None) if table else None
    if row:
        yield f"most in {row[0].text}: {row[1].text} ({row[2].text})"


def _short(device: str) -> str:
    """Return what tells a device from others of its machine: ``cpu:0`` of ``/job:localhost/device:cpu:0``."""
    return visible(device.rpartition("device:")[2] or device)


def _time(report: Report) -> Iterator[Figure]:
    values, steps = report.values, len(report.head.step_numbers)
    op_time = values.get("micros")
    stem = WALL if values[WALL] is not None else "micros"
    if values.get(stem) is None:
        return
    parts = _ops(report.head.nodes, op_time)
    left_out = (found.text for found in report.head.diagnostics if found.code == FIRST_STEP)
    words = f"{format_total(op_time, Unit.MICROS, unknown=report.unknown.get('micros', 0))} of op time"
    yield _figure(
        report,
        stem,
        "Time per step" if stem == WALL else "Op time per step",
        parts=parts,
        whole=words if parts and stem == WALL else "",
        notes=(f"mean of {steps:,} steps" if steps > 1 else "of one step", *left_out),
    )


def _ops(nodes: pa.Table, whole: Number | None) -> tuple[Part, ...]:
    """Return the op types that take the most time, and the others together."""
    if not whole or not {"op", "micros"} <= set(nodes.column_names):
        return ()
    sums = pa.table({"op": nodes["op"].cast(pa.string()), "micros": nodes["micros"]})
    sums = sums.group_by("op").aggregate([("micros", "sum")]).filter(pc.field("micros_sum") > 0)
    order = [("micros_sum", "descending"), ("op", "ascending")]
    if sums.num_rows < _LEAST:
        return ()
    top = sums.sort_by(order).slice(0, _OPS).to_pylist()
    rest = max(whole - sum(row["micros_sum"] for row in top), 0)
    named = [(text_cell("no op type") if row["op"] is None else name_cell(row["op"]), row["micros_sum"]) for row in top]
    others = [(text_cell("others"), rest)] if sums.num_rows > _OPS else []
    return tuple(
        Part(name=name, amount="", share=part / whole, is_rest=place >= len(named))
        for place, (name, part) in enumerate((*named, *others))
    )


def _parts(sums: Mapping[str, int | None], whole: Number | None, unit: Unit) -> tuple[Part, ...]:
    """Return parts that are more than nothing; none if one is unknown, they do not add up, or there is only one."""
    known = [(word, part) for word, part in sums.items() if part]
    if whole is None or None in sums.values() or sum(part for _, part in known) != whole or len(known) < _LEAST:
        return ()
    return tuple(
        Part(name=text_cell(word), amount=format_number(part, unit), share=part / whole) for word, part in known
    )


def _figure(
    report: Report,
    stem: str,
    label: str,
    *,
    amount: Cell | None = None,
    what: str = "",
    parts: Sequence[Part] = (),
    whole: str = "",
    notes: Sequence[str] = (),
) -> Figure:
    total = figure_cell(stem, report.values.get(stem), report.unknown.get(stem, 0))
    return Figure(
        stem=stem,
        label=label,
        amount=amount or total,
        what=what,
        parts=tuple(parts),
        whole=whole,
        notes=tuple(text_cell(note).text for note in notes if note),
        trend=trend_of(report, stem),
    )
