"""The Markdown of several models: an index of all, then the figures of each, folded if nothing failed."""

from __future__ import annotations

from tfprof_report.compare.gates.verdict import Outcome
from tfprof_report.formatting import ARROW
from tfprof_report.render.content.cards import Card
from tfprof_report.render.content.first_screen import Screen
from tfprof_report.render.content.models_index import IndexRow, ModelPage, ModelsContent
from tfprof_report.render.markdown.document import MAX_CHARS, write_parts
from tfprof_report.render.markdown.escape import md_link
from tfprof_report.render.markdown.fit import Part
from tfprof_report.render.markdown.opening import cards_table, limits_table, ranked_table
from tfprof_report.render.tables.cells import Column, Table, text_cell

_OPENED = (Outcome.FAILED, Outcome.INCONCLUSIVE)
"""Outcomes whose models come first, unfolded."""


def render_models_markdown(content: ModelsContent, max_chars: int = MAX_CHARS) -> str:
    """Return Markdown in at most `max_chars` characters: outcome, index, then the models, failed ones first."""
    rows = sorted(content.rows, key=lambda row: row.page.model.verdict.outcome not in _OPENED)
    parts = [Part(title="Models", tables=(_index(content),), lines=_facts(content), is_folded=False), *map(_part, rows)]
    return write_parts(content.title.text, _answer(content), content.verdict, parts, max_chars)


def render_models_brief(content: ModelsContent, max_chars: int = MAX_CHARS) -> str:
    """Return heading, outcome and both sides of each model only, for a report without any change to show."""
    models = (
        Part(title=row.page.model.name, text=_outcome_and_sides(row.page), is_folded=False) for row in content.rows
    )
    parts = [Part(title="", lines=_facts(content), is_folded=False), *models]
    return write_parts(content.title.text, _answer(content), content.verdict, parts, max_chars)


def _answer(content: ModelsContent) -> str:
    return f"{content.symbol} {content.answer}"


def _facts(content: ModelsContent) -> tuple[str, ...]:
    facts = (f"{fact.label} {md_link(fact.value.text, fact.url)}." for fact in content.facts)
    report = (f"[full report](<{content.report_url}>)",) if content.report_url else ()
    return (*facts, *report)


def _index(content: ModelsContent) -> Table:
    return Table(
        caption="Models",
        columns=(
            Column("Model"),
            Column("Outcome"),
            *(Column(label, is_number=True) for label in content.labels),
        ),
        rows=tuple(
            (row.name, text_cell(_outcome(row)), *(text_cell(_figure(cell)) for cell in row.cells))
            for row in content.rows
        ),
    )


def _outcome(row: IndexRow) -> str:
    mark = row.page.mark
    return f"{row.page.status.text}, {mark.text}" if mark else row.page.status.text


def _figure(cell: Card) -> str:
    """Return base, head and percent in one cell: hosts scroll or cut tables with many columns."""
    note = f", {cell.note}" if cell.note else ""
    if cell.base is None or cell.base == cell.head:
        return f"{cell.head.text}{note}"
    percent = f" ({cell.percent.text})" if cell.percent else ""
    return f"{cell.base.text}{ARROW}{cell.head.text}{percent}{note}"


def _part(row: IndexRow) -> Part:
    """Return the part of one model."""
    page = row.page
    has_failed = page.model.verdict.outcome in _OPENED
    if page.screen is None:
        return Part(title=page.model.name, text=_outcome_and_sides(page), is_folded=False)
    return Part(
        title=page.model.name,
        text=(
            *_outcome_and_sides(page),
            *((page.screen.detail,) if has_failed else ()),
            f"Full report: {page.model.name}/report.html",
        ),
        tables=(*_figures(page.screen), *map(ranked_table, page.screen.rankings)),
        is_folded=not has_failed,
    )


def _figures(screen: Screen) -> tuple[Table, ...]:
    """Return the gates of a comparison; the figures of a model without a base, and its gates if it has any."""
    gates = (limits_table(screen.gates),) if screen.gates.rows else ()
    return gates if screen.is_compared else (cards_table(screen), *gates)


def _outcome_and_sides(page: ModelPage) -> tuple[str, ...]:
    """Return the outcome of one model, its warnings, and what was measured."""
    if page.screen is None:
        return (page.model.verdict.text,)
    return (
        f"{page.symbol} {page.screen.verdict}. {page.screen.reason}",
        *page.screen.warnings,
        *(f"{side.word.capitalize()}: {side.words}." for side in page.screen.sides),
    )
