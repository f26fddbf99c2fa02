"""The first screen of a report: verdict, cards, what matters most, and what was measured. Plain data for templates."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePath
from typing import Any, NamedTuple
from urllib.parse import quote

from tfprof_report.compare.causes.carriers import VIEW
from tfprof_report.compare.causes.highlights import Highlight, ScopeFigure
from tfprof_report.compare.comparison import RowStatus, State, TotalDelta
from tfprof_report.compare.gates.policy import Level
from tfprof_report.formatting import format_percent, label_of, share_of, unit_of
from tfprof_report.ingest.origin import Origin
from tfprof_report.model.flops.evaluate import FLOP_STEMS
from tfprof_report.model.measurement import AS_REPORTS
from tfprof_report.model.parts.leave_out import NOT_IN_SIGNATURE
from tfprof_report.model.shapes.basis import basis_of
from tfprof_report.options import flag
from tfprof_report.record import record
from tfprof_report.render.content.headline import SHORT, headline, parameter_words, warnings_of
from tfprof_report.render.content.sections import STATUS, sides_of, title_of
from tfprof_report.render.tables.cells import (
    NAME_LIMIT,
    Cell,
    delta_cell,
    name_cell,
    number_cell,
    percent_cell,
    text_cell,
    total_cell,
    visible,
)
from tfprof_report.report.report import Report
from tfprof_report.schema.metrics import DEVICE_PEAK, WALL, Number, Unit

_CARDS = ("float_ops", "macs", "params", DEVICE_PEAK, "bytes", WALL, "micros", "definition_count")
_FILES = 8
_DEFAULTS = {**AS_REPORTS.as_dict(), "semantics": AS_REPORTS.semantics_name}
_INFORMS = "informs only"


@record
class Card:
    """One figure of the model; only `head` is set without a comparison, or where base lacks the figure."""

    label: str
    head: Cell
    base: Cell | None = None
    delta: Cell | None = None
    percent: Cell | None = None
    note: str = ""


class Share(NamedTuple):
    """A figure of a ranked scope; `share` is its part of the total as text."""

    stem: str
    label: str
    amount: Cell
    share: str


@record
class Ranked:
    """A scope of a ranking. `link` leads to its row in the live view; `status` is new or removed, else empty."""

    name: Cell
    link: str
    status: str
    shares: tuple[Share, ...]


@record
class Ranking:
    """Scopes, the most important first."""

    title: str
    rows: tuple[Ranked, ...]
    note: str = ""


@record
class SideFacts:
    """What was measured on one side: `word` is base or head.

    `commit`, and the `digest` of all inputs, are shortened; `Cell.exact` has them in full. `distance` is how far base
    is from head, None for head and where nothing is known of it.
    """

    word: str
    label: Cell
    branch: Cell | None
    commit: Cell
    distance: Cell | None
    digest: Cell
    files: tuple[tuple[Cell, Cell], ...]
    more_files: int

    @property
    def words(self) -> str:
        """Label, branch, commit, distance and digest as one line of text."""
        branch = [f"branch {self.branch.text}"] if self.branch else []
        distance = [self.distance.text] if self.distance else []
        commit, digest = f"commit {self.commit.text}", f"digest of inputs {self.digest.text}"
        return ", ".join([self.label.text, *branch, commit, *distance, digest])


@record
class Screen:
    """The first screen.

    title : the model's name
    status : the outcome in a word; `symbol` shows it without colour
    headline : the outcome in a sentence
    detail : the verdict in full, with exact figures
    warnings : what a reader has to know before reading any figure
    options : options that differ from the defaults, as typed on the command line
    """

    title: Cell
    status: Cell
    symbol: str
    headline: str
    detail: str
    warnings: tuple[str, ...]
    cards: tuple[Card, ...]
    rankings: tuple[Ranking, ...]
    sides: tuple[SideFacts, ...]
    options: tuple[Cell, ...]
    created: Cell


ALWAYS = ("float_ops", "params")
"""Figures that are shown even if they are unknown."""

SYMBOLS = {"passed": "\N{CHECK MARK}", "failed": "\N{MULTIPLICATION X}", "inconclusive": "?", "neutral": "\N{EN DASH}"}
"""A symbol per tone of an outcome, for readers who see no colours."""


def make_screen(report: Report) -> Screen:
    """Return the first screen of `report`, whose text can be understood without colours and links."""
    status = STATUS[report.verdict.outcome]
    return Screen(
        title=name_cell(title_of(report.head.origin)),
        status=status,
        symbol=SYMBOLS[status.tone],
        headline=text_cell(headline(report)).text,
        detail=text_cell(report.verdict.text.removeprefix(f"{status.text}: ")).text,
        warnings=tuple(text_cell(warning).text for warning in warnings_of(report)),
        cards=tuple(_cards(report)),
        rankings=tuple(ranking for ranking in _rankings(report) if ranking.rows),
        sides=sides_facts(report),
        options=tuple(
            _options({**report.head.measurement.as_dict(), "semantics": report.head.measurement.semantics_name})
        ),
        created=name_cell(report.timestamp),
    )


def _cards(report: Report) -> Iterator[Card]:
    """Yield a card per figure that is known on any side; FLOPs and parameters always have one."""
    notes = _notes(report)
    if report.comparison is None:
        values, unknown = report.values, report.unknown
        for stem in _CARDS:
            if stem in ALWAYS or values.get(stem) is not None:
                head = _total(stem, values.get(stem), unknown.get(stem, 0))
                yield Card(label=label_of(stem), head=head, note=notes.get(stem, ""))
    else:
        totals = {total.stem: total for total in report.comparison.all_totals}
        for stem in _CARDS:
            total = totals.get(stem)
            if total and (stem in ALWAYS or not (total.base is None and total.head is None)):
                yield _compared(total, notes.get(stem, ""))
    yield from _coverage(report)


def _compared(total: TotalDelta, note: str) -> Card:
    return Card(
        label=label_of(total.stem),
        head=_total(total.stem, total.head, total.head_unknown),
        base=_total(total.stem, total.base, total.base_unknown),
        delta=delta_cell(total.delta, unit_of(total.stem)),
        percent=percent_cell(total.percent, total.state),
        note=note,
    )


def _total(stem: str, value: Number | None, unknown: int) -> Cell:
    """Return the cell of a total; a number of nodes is never scaled, as in every other sentence about nodes."""
    return text_cell(f"{value:,}") if stem == "definition_count" else total_cell(value, unit_of(stem), unknown)


def _notes(report: Report) -> dict[str, str]:
    """Return the notes of the cards by stem."""
    steps = len(report.head.step_numbers)
    spread = "of one step" if steps == 1 else f"mean of {steps:,} steps"
    informs = "gated" if _is_time_gated(report) else _INFORMS
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
    beside = _outside_signature(report)
    return {stem: "; ".join(filter(None, (notes.get(stem), beside.get(stem)))) for stem in {**notes, **beside}}


def _outside_signature(report: Report) -> dict[str, str]:
    """Return by stem what nodes amount to in head that its signature does not need."""
    return {
        total.stem: f"{_total(total.stem, total.value, total.unknown).text} more {NOT_IN_SIGNATURE}"
        for part in report.head.left_out
        if part.part == NOT_IN_SIGNATURE
        for total in part.totals
        if total.value and total.stem in _CARDS
    }


def _is_time_gated(report: Report) -> bool:
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
        head=_known_part(found.known, found.capable),
        base=_known_part(both.base_known, both.base_capable) if both else None,
        note="; ".join([f"{share_of(found.known, found.capable)} nodes counted", *_without_figure(report)]),
    )


def _without_figure(report: Report) -> Iterator[str]:
    """Yield the op types whose FLOPs are unknown: a share of nodes does not tell how much they do."""
    if (missing := report.missing.get("float_ops")) and missing.op_words:
        yield f"not {missing.op_words}"


def _known_part(known: int, capable: int) -> Cell:
    """Return a share in percent, rounded down so that it shows 100 % only if all are known."""
    if not capable:
        return text_cell("nothing to count", "unknown")
    return text_cell(
        f"{math.floor(1000 * known / capable) / 10:.1f} %".replace(".0 %", " %"),
        "" if known == capable else "inconclusive",
    )


def _rankings(report: Report) -> Iterator[Ranking]:
    """Yield the rankings of scopes: by exact figures, then by time."""
    if report.comparison:
        words, whole = ("What changed most", "Where time changed"), "base's total"
    else:
        words, whole = ("What is most expensive", "Where time goes"), "the total"
    if any(
        report.unknown.get(stem) for scope in report.highlights.scopes for stem in (each.stem for each in scope.figures)
    ):
        whole = f"what is known of {whole}"
    yield Ranking(
        title=words[0],
        rows=_ranked(report.highlights.scopes),
        note=f"Scopes; in brackets the share of {whole}.",
    )
    yield Ranking(
        title=words[1],
        rows=_ranked(report.highlights.times),
        note=f"Time {'' if _is_time_gated(report) else f'{_INFORMS}: it '}depends on the machine that was traced.",
    )


def _ranked(found: Iterable[Highlight]) -> tuple[Ranked, ...]:
    return tuple(
        Ranked(
            name=name_cell(each.name),
            link=_link(each.name),
            status=each.status if each.status in (RowStatus.NEW, RowStatus.REMOVED) else "",
            shares=tuple(_share(figure, is_change=each.status is not None) for figure in each.figures),
        )
        for each in found
    )


def _share(figure: ScopeFigure, *, is_change: bool) -> Share:
    amount = (delta_cell if is_change else number_cell)(figure.amount, unit_of(figure.stem))
    share = format_percent(figure.share, State.NEW_FROM_ZERO)
    return Share(figure.stem, label_of(figure.stem), amount, share if is_change else share.removeprefix("+"))


def _link(name: str) -> str:
    """Return the link to a row in the live view, which looks rows up by their displayed names.

    A shortened name may not be unique, so it links to the view.
    """
    return f"#{VIEW}={quote(visible(name), safe='/')}" if len(name) <= NAME_LIMIT else f"#view-{VIEW}"


def sides_facts(report: Report) -> tuple[SideFacts, ...]:
    """Return what was measured on each side: base, if there is one, and head."""
    return tuple(_side_facts(word, side, report.distance.words) for word, side in sides_of(report))


def _side_facts(word: str, side: Origin, distance: str) -> SideFacts:
    return SideFacts(
        word=word,
        label=name_cell(title_of(side)),
        branch=name_cell(side.branch) if side.branch else None,
        commit=_short(side.commit),
        distance=text_cell(distance) if distance and word == "base" else None,
        digest=_short(side.digest),
        files=tuple(
            (name_cell(PurePath(file.path).name, exact=file.path), number_cell(file.size_bytes, Unit.BYTES))
            for file in side.inputs[:_FILES]
        ),
        more_files=max(len(side.inputs) - _FILES, 0),
    )


def _short(text: str | None) -> Cell:
    """Return the first characters of a commit or digest; `Cell.exact` has it in full."""
    cell = name_cell(text)
    return cell._replace(text=cell.text[:SHORT], exact=cell.text) if text else cell


def _options(options: Mapping[str, Any]) -> Iterator[Cell]:
    """Yield the options that differ from the defaults of a report, as typed on the command line."""
    for name, value in options.items():
        if name in _DEFAULTS and value == _DEFAULTS[name]:
            continue
        text = ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
        yield name_cell(flag(name) if value is True else f"{flag(name)} {text}".rstrip())
