"""The gates of the first screen: outcome, figure on both sides, where it is on its limit, and the rule. Plain data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tfprof_report.compare.comparison import APART, State, TotalDelta
from tfprof_report.compare.gates.context import NOUNS, named
from tfprof_report.compare.gates.policy import Level, Subject
from tfprof_report.compare.gates.verdict import GateResult, GateStatus, JudgedRow
from tfprof_report.compare.step_times import MIN_STEPS
from tfprof_report.formatting import format_number, format_percent, in_a_sentence, label_of, plural, unit_of
from tfprof_report.record import record
from tfprof_report.render.content.cards import figure_cell
from tfprof_report.render.content.trend import Trend, trend_of
from tfprof_report.render.tables.cells import ABSENT, Cell, name_cell, percent_cell, text_cell
from tfprof_report.report.report import Report
from tfprof_report.schema.metrics import Number, Unit

MOST_GATES = 12
"""Gates that the first screen shows; gates that do not hold come first."""


class Track(NamedTuple):
    """A figure and its limits as shares of the length of a bar; `tone` is that of the outcome."""

    figure: float
    limits: tuple[float, ...]
    tone: str


@record
class GateRow:
    """A gate, or a figure that none judges.

    outcome, symbol : in a word, and for readers who see no colours
    figure : what is judged
    place : the row that the figures are of, or the glob where there is none; None for the whole model
    track : None where no limit can be drawn
    note : where the figure is on the limit, or why it can't be judged, in a few words
    rule : the gate as written, with the rows that it is on
    trend : how the figure of the whole model moved over earlier reports, None where they are not known
    """

    outcome: Cell
    symbol: str
    figure: Cell
    base: Cell
    head: Cell
    change: Cell
    note: str
    rule: Cell
    place: Cell | None = None
    track: Track | None = None
    trend: Trend | None = None


@record
class GateRows:
    """The rows shown; `sentences` say what else there is, and how figures without a gate changed."""

    caption: str
    rows: tuple[GateRow, ...]
    sentences: tuple[str, ...] = ()


class _Word(NamedTuple):
    text: str
    tone: str
    symbol: str


_HELD, _QUIET = "\N{CHECK MARK}", "\N{EN DASH}"
_WORDS = {
    GateStatus.FAILED: _Word("failed", "failed", "\N{MULTIPLICATION X}"),
    GateStatus.INCONCLUSIVE: _Word("unknown", "inconclusive", "?"),
    GateStatus.ACKNOWLEDGED: _Word("accepted", "passed", _HELD),
    GateStatus.PASSED: _Word("held", "passed", _HELD),
    GateStatus.NO_REFERENCE: _Word("no reference", "unknown", _QUIET),
    GateStatus.SKIPPED: _Word("not judged", "unknown", _QUIET),
}
"""The outcomes in words, the worst first."""
_INFORMS = {
    GateStatus.FAILED: _Word("over, informs", "inconclusive", "!"),
    GateStatus.INCONCLUSIVE: _Word("unknown, informs", "unknown", "?"),
}
"""Those of gates that only inform: none is a reason to act."""
_UNGATED = _Word("not gated", "unknown", _QUIET)
_ORDER = list(_WORDS)


def gate_rows(report: Report, figures: Sequence[str]) -> GateRows:
    """Return the gates of a report, those that do not hold first; without any, the `figures` of a comparison by stem.

    Gates that only inform are counted, unless they are exceeded or there are no others.

    Also in a sentence how those of the `figures` changed that no gate judges.
    """
    gates = sorted(report.verdict.gates, key=lambda gate: (gate.level is Level.INFORM, _ORDER.index(gate.status)))
    totals = {total.stem: total for total in report.comparison.all_totals} if report.comparison else {}
    compared = [totals[stem] for stem in figures if stem in totals and _is_known(totals[stem])]
    counted = _counted(report) if report.comparison else ""
    if not gates:
        rows = tuple(_of_total(report, total) for total in compared)
        return GateRows(caption="Figures", rows=rows, sentences=_sentences(counted))
    telling = [gate for gate in gates if gate.level is Level.FAIL or gate.status is GateStatus.FAILED] or gates
    shown = telling[:MOST_GATES]
    judged = {gate.metric for gate in gates}
    ungated = _ungated([total for total in compared if total.stem not in judged])
    return GateRows(
        caption="Gates",
        rows=tuple(_row(gate, report, totals) for gate in shown),
        sentences=_sentences(_more([gate for gate in gates if gate not in shown]), f"{ungated} {counted}".strip()),
    )


def _sentences(*texts: str) -> tuple[str, ...]:
    return tuple(text_cell(text).text for text in texts if text)


def _counted(report: Report) -> str:
    """Return how many nodes of head are in its FLOPs, and the op types that are not; empty without FLOPs."""
    total = next((total for total in report.totals if total.stem == "float_ops"), None)
    if total is None or not total.capable:
        return ""
    nodes = f"{total.known:,} of {plural(total.capable, 'node')}"
    if total.known == total.capable:
        return f"All FLOPs are counted ({nodes})."
    missing = report.missing.get("float_ops")
    ops = f", not {missing.op_words}" if missing and missing.op_words else ""
    return f"FLOPs are counted for {nodes}{ops}."


def _is_known(total: TotalDelta) -> bool:
    return total.base is not None or total.head is not None


def _of_total(report: Report, total: TotalDelta) -> GateRow:
    base, head, change = _cells(total)
    return GateRow(
        outcome=text_cell(_UNGATED.text, _UNGATED.tone),
        symbol=_UNGATED.symbol,
        figure=text_cell(label_of(total.stem)),
        base=base,
        head=head,
        change=change,
        note="",
        rule=ABSENT,
        trend=trend_of(report, total.stem),
    )


def _cells(total: TotalDelta) -> tuple[Cell, Cell, Cell]:
    return (
        figure_cell(total.stem, total.base, total.base_unknown),
        figure_cell(total.stem, total.head, total.head_unknown),
        percent_cell(total.percent, None if total.state in APART else total.state),
    )


def _row(gate: GateResult, report: Report, totals: dict[str, TotalDelta]) -> GateRow:
    word = (_INFORMS if gate.level is Level.INFORM else {}).get(gate.status) or _WORDS[gate.status]
    judged = gate.rows[0] if gate.rows else None
    total = totals.get(gate.metric or "") if gate.subject is Subject.MODEL else None
    base, head, change = ABSENT, ABSENT, ABSENT
    if judged and gate.metric:
        has_base = report.comparison is not None or gate.reference is not None
        base, head, change = _judged_cells(judged, gate.metric, has_base=has_base)
    elif total and _is_known(total):
        base, head, change = _cells(total) if gate.reference is None else (ABSENT, _cells(total)[1], ABSENT)
    return GateRow(
        outcome=text_cell(word.text, word.tone),
        symbol=word.symbol,
        figure=text_cell(label_of(gate.metric) if gate.metric else "Unknown figures"),
        base=base,
        head=head,
        change=change,
        place=_place(gate, judged),
        track=_track(judged, word.tone) if judged and gate.status is not GateStatus.INCONCLUSIVE else None,
        note=text_cell(_note(gate, judged, report)).text if gate.reference is None else _drift_note(gate, judged),
        rule=name_cell(named(gate)),
        trend=trend_of(report, gate.metric) if gate.metric and gate.subject is Subject.MODEL else None,
    )


def _judged_cells(row: JudgedRow, stem: str, *, has_base: bool) -> tuple[Cell, Cell, Cell]:
    head = figure_cell(stem, row.head, row.head_unknown)
    if not has_base:
        return ABSENT, head, ABSENT
    state = State.NEW_FROM_ZERO if row.base == 0 and row.head and not row.head_unknown else None
    return figure_cell(stem, row.base, row.base_unknown), head, percent_cell(row.percent, state)


def _place(gate: GateResult, row: JudgedRow | None) -> Cell | None:
    if gate.subject is Subject.MODEL:
        return None
    return name_cell(gate.glob if row is None or row.name is None else row.name)


def _track(row: JudgedRow, tone: str) -> Track | None:
    """Return the bar of a figure, as long as the larger of figure and limits; None if there is none to draw."""
    limits = [limit for limit in (row.least, row.most) if limit is not None]
    full = max([row.head or 0, *limits], default=0)
    if row.head is None or not limits or full <= 0 or min(row.head, *limits) < 0:
        return None
    return Track(figure=row.head / full, limits=tuple(dict.fromkeys(limit / full for limit in limits)), tone=tone)


def _note(gate: GateResult, row: JudgedRow | None, report: Report) -> str:
    """Return where a figure is on its limit, or why it can't be judged."""
    if row is None:
        return _few_steps(gate, report) or gate.text
    if gate.status is GateStatus.INCONCLUSIVE:
        return row.doubt or row.text
    return _on_rows(gate, row)


def _on_rows(gate: GateResult, row: JudgedRow) -> str:
    """Return where the figure of the worst row is on its limit, and how many rows there are."""
    words = _on_limit(row, unit_of(gate.metric or ""))
    if gate.status is GateStatus.ACKNOWLEDGED and row.reason:
        words = f"{words}; accepted: {row.reason}"
    if gate.subject is Subject.MODEL or gate.judged <= 1:
        return words
    rows = f"{gate.judged:,} {NOUNS[gate.subject]}s"
    if gate.status is GateStatus.FAILED:
        return f"{words}; {gate.failed:,} of {rows} {'fails' if gate.failed == 1 else 'fail'}, this one by most"
    return f"{words}; {rows} judged, this one is the closest"


def _drift_note(gate: GateResult, row: JudgedRow | None) -> str:
    """Return the note of a drift gate, with the report that it is relative to."""
    if row is None or gate.reference is None or gate.status is GateStatus.INCONCLUSIVE:
        return text_cell(gate.text).text
    return text_cell(f"{_on_rows(gate, row)}; {gate.reference.words}").text


def _few_steps(gate: GateResult, report: Report) -> str:
    """Return how many steps a time lacks to be judged; empty if it lacks none."""
    is_time = gate.metric is not None and unit_of(gate.metric) is Unit.MICROS
    counts = [len(side.step_numbers) for side in report.sides]
    if not is_time or gate.status is not GateStatus.INCONCLUSIVE or min(counts) >= MIN_STEPS:
        return ""
    same = len(set(counts)) == 1
    steps = f"{plural(counts[0], 'step')} each" if same else f"{counts[0]:,} and {plural(counts[-1], 'step')}"
    return f"{steps}; trace {MIN_STEPS} to judge"


def _on_limit(row: JudgedRow, unit: Unit) -> str:
    """Return ``605.70 k over``, ``17 % of 2 GiB``: how far a figure is from the limit that is nearest."""
    head, least, most = row.head, row.least, row.most
    if head is None or (least is None and most is None):
        return row.text
    beyond = [("over", head - most)] if most is not None else []
    beyond += [("under", least - head)] if least is not None else []
    side, amount = max(beyond, key=lambda found: found[1])
    if row.status is GateStatus.FAILED and row.base == 0 and amount <= 0:
        return "growth from 0"
    if amount > 0:
        by_chance = ", as much as steps differ by themselves" if row.status is GateStatus.PASSED else ""
        return f"{format_number(amount, unit)} {side}{by_chance}"
    if least == most:
        return "as it was" if row.base == head else ""
    limit = most if side == "over" else least
    if side == "over" and limit and limit > 0:
        return f"{_share(head, limit)} of {format_number(limit, unit)}"
    return f"{format_number(-amount, unit)} to spare"


def _share(part: Number, whole: Number) -> str:
    """Return a share in whole percent; only the limit itself is 100 %."""
    percent = 100 * part / whole
    if 0 < percent < 1:
        return format_percent(percent).removeprefix("+")
    return f"{round(percent) if part >= whole else min(round(percent), 99)} %"


def _more(gates: Sequence[GateResult]) -> str:
    """Return how many gates are not shown, by outcome, and whether they only inform; empty for none."""
    if not gates:
        return ""
    counts = ((word.text, sum(gate.status is status for gate in gates)) for status, word in _WORDS.items())
    found = ", ".join(f"{count:,} {text}" for text, count in counts if count)
    only = " that only inform" if all(gate.level is Level.INFORM for gate in gates) else ""
    return f"{plural(len(gates), 'more gate')}{only}: {found}."


def _ungated(totals: Sequence[TotalDelta]) -> str:
    """Return how figures without a gate changed: ``Not gated: MACs +21.60 %, requested memory unchanged.``"""
    found = [f"{in_a_sentence(label_of(total.stem))} {change}" for total, change in _changes(totals)]
    return f"Not gated: {', '.join(found)}." if found else ""


def _changes(totals: Sequence[TotalDelta]) -> Iterator[tuple[TotalDelta, str]]:
    """Yield the totals that changed with how much, then those that are not fully known, then those that are equal."""
    apart = [total for total in totals if total.state in APART]
    same = [total for total in totals if total.state is State.UNCHANGED]
    yield from ((total, format_percent(total.percent, total.state)) for total in totals if total not in apart + same)
    yield from ((total, "not fully known") for total in apart)
    yield from ((total, "unchanged") for total in same)
