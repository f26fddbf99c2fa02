"""The first screen of a report: the answer, gates or cards, what matters most, and what was measured. Plain data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from tfprof_report.compare.causes.highlights import Highlight, ScopeFigure
from tfprof_report.compare.comparison import RowStatus
from tfprof_report.formatting import format_percent, in_a_sentence, label_of, unit_of
from tfprof_report.model.measurement import AS_REPORTS
from tfprof_report.options import flag
from tfprof_report.record import record
from tfprof_report.render.content.cards import CARDS, Card, cards_of, is_time_gated
from tfprof_report.render.content.figures import Figure, figures_of
from tfprof_report.render.content.gate_rows import GateRows, gate_rows
from tfprof_report.render.content.headline import headline, warnings_of
from tfprof_report.render.content.identity import Identity, SideFacts, identity_of, sides_facts
from tfprof_report.render.content.sections import STATUS, title_of
from tfprof_report.render.content.takers import Takers, link_to, takers_of
from tfprof_report.render.content.verdict_words import Owner, accept_command, owners_of, verdict_words
from tfprof_report.render.content.waterfall import Waterfall, waterfalls
from tfprof_report.render.tables.cells import (
    Cell,
    delta_cell,
    name_cell,
    number_cell,
    text_cell,
)
from tfprof_report.report.report import Report

_RANKED = "the figures that gates are on, without gates by FLOPs"

_DEFAULTS = {**AS_REPORTS.as_dict(), "semantics": AS_REPORTS.semantics_name}


class Share(NamedTuple):
    """A figure of a ranked scope; `share` is its part of the total as text, empty for a change.

    A change has none: that of base's total would read as growth of the scope itself.
    """

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
class Uncounted:
    """Nodes that a change brought without a figure: `words` say which, then their names with links and op types."""

    words: str
    nodes: tuple[tuple[Cell, str, Cell], ...]
    more: int


@record
class Screen:
    """The first screen.

    title : the model's name
    identity : both sides in a line; `sides` has all that is known of them
    status : the outcome in a word; `symbol` shows it without colour
    verdict : the outcome as an answer: may this be merged?
    cause : why, in a sentence; `reason` falls back to the headline, which says what changed
    headline : what was measured or changed, with the figures that matter most
    detail : the verdict in full, with exact figures
    accept : the command that accepts the gates that failed; empty if none can be accepted
    owners : who to ask about the gates that do not hold
    warnings : what a reader has to know before reading any figure
    gates : how the figures of both sides stand on their limits
    waterfalls : how causes lead from base to head, the figure that matters most first
    uncounted : what the change brought that no figure shows
    figures : the main figures of one side with what they are made of; none with a base
    takers : the layers that take the most of each figure, likewise
    rankings : scopes, folded if anything above says what matters most
    cards : the figures one by one; `is_compared` says whether they have two sides
    options : options that differ from the defaults, as typed on the command line
    """

    title: Cell
    status: Cell
    symbol: str
    verdict: str
    headline: str
    detail: str
    accept: str
    owners: tuple[Owner, ...]
    warnings: tuple[str, ...]
    gates: GateRows
    waterfalls: tuple[Waterfall, ...]
    uncounted: tuple[Uncounted, ...]
    cards: tuple[Card, ...]
    rankings: tuple[Ranking, ...]
    identity: Identity
    sides: tuple[SideFacts, ...]
    options: tuple[Cell, ...]
    created: Cell
    is_compared: bool
    cause: str = ""
    figures: tuple[Figure, ...] = ()
    takers: tuple[Takers, ...] = ()

    @property
    def links(self) -> dict[str, str]:
        """The links to rows of the live view, by their names as shown."""
        ranked = {row.name.text: row.link for ranking in self.rankings for row in ranking.rows}
        return ranked | {name: link for takers in self.takers for name, link in takers.links.items()}

    @property
    def folds_rankings(self) -> bool:
        """Whether layers or causes say what matters most, so that scopes need not."""
        return bool(self.waterfalls or self.takers)

    @property
    def reason(self) -> str:
        """The sentence below the verdict."""
        return self.cause or self.headline


SYMBOLS = {"passed": "\N{CHECK MARK}", "failed": "\N{MULTIPLICATION X}", "inconclusive": "?", "neutral": "\N{EN DASH}"}
"""A symbol per tone of an outcome, for readers who see no colours."""


def make_screen(report: Report) -> Screen:
    """Return the first screen of `report`, whose text can be understood without colours and links."""
    status = STATUS[report.verdict.outcome]
    takers = takers_of(report)
    return Screen(
        title=name_cell(title_of(report.head.origin)),
        status=status,
        symbol=SYMBOLS[status.tone],
        verdict=verdict_words(report),
        headline=text_cell(headline(report)).text,
        detail=text_cell(report.verdict.text.removeprefix(f"{status.text}: ")).text,
        accept=accept_command(report),
        owners=owners_of(report),
        warnings=tuple(text_cell(warning).text for warning in warnings_of(report)),
        gates=gate_rows(report, CARDS),
        waterfalls=waterfalls(report),
        uncounted=tuple(_uncounted(report)),
        cards=tuple(cards_of(report)),
        rankings=tuple(ranking for ranking in _rankings(report) if ranking.rows),
        identity=identity_of(report),
        sides=sides_facts(report),
        options=tuple(
            _options({**report.head.measurement.as_dict(), "semantics": report.head.measurement.semantics_name})
        ),
        created=name_cell(report.timestamp),
        is_compared=report.comparison is not None,
        cause=_cause(report),
        figures=figures_of(report, takers),
        takers=takers,
    )


def _cause(report: Report) -> str:
    """Return why figures changed, and then how much they did; empty if it is not known."""
    return text_cell(f"{report.sentence} {headline(report)}").text if report.sentence else ""


def _uncounted(report: Report) -> Iterator[Uncounted]:
    """Yield the nodes that the change brought without a figure."""
    for found in report.uncounted:
        yield Uncounted(
            words=f"New or changed, and of unknown {in_a_sentence(label_of(found.stem))}",
            nodes=tuple((name_cell(name), link_to(name), name_cell(op or "")) for name, op in found.nodes),
            more=found.count - len(found.nodes),
        )


def _rankings(report: Report) -> Iterator[Ranking]:
    """Yield the rankings of scopes: by exact figures, then by time. Scopes whose changes cancel out are left out."""
    words = ("What is most expensive", "Where time goes")
    if report.comparison:
        words = ("What changed most", "Where time changed")
    named = (figure.stem for scope in report.highlights.scopes for figure in scope.figures)
    whole = "what is known of the total" if any(report.unknown.get(stem) for stem in named) else "the total"
    yield Ranking(
        title=words[0],
        rows=_ranked(report.highlights.scopes),
        note=f"Scopes, ranked by {_RANKED}." if report.comparison else f"Scopes; in brackets the share of {whole}.",
    )
    yield Ranking(
        title=words[1],
        rows=_ranked(report.highlights.times),
        note=f"Time differs from machine to machine{'' if is_time_gated(report) else ', so it only informs'}.",
    )


def _ranked(found: Iterable[Highlight]) -> tuple[Ranked, ...]:
    return tuple(
        Ranked(
            name=name_cell(each.name),
            link=link_to(each.name),
            status=each.status if each.status in (RowStatus.NEW, RowStatus.REMOVED) else "",
            shares=tuple(_share(figure, is_change=each.status is not None) for figure in each.figures),
        )
        for each in found
        if each.figures
    )


def _share(figure: ScopeFigure, *, is_change: bool) -> Share:
    amount = (delta_cell if is_change else number_cell)(figure.amount, unit_of(figure.stem))
    share = "" if is_change else format_percent(figure.share).removeprefix("+")
    return Share(figure.stem, label_of(figure.stem), amount, share)


def _options(options: Mapping[str, Any]) -> Iterator[Cell]:
    """Yield the options that differ from the defaults of a report, as typed on the command line."""
    for name, value in options.items():
        if name in _DEFAULTS and value == _DEFAULTS[name]:
            continue
        text = ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
        yield name_cell(flag(name) if value is True else f"{flag(name)} {text}".rstrip())
