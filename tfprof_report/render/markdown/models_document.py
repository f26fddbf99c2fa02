"""The Markdown of several models: an index of all, then the first that failed; the figures of each are folded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

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
"""Outcomes whose models come first."""

_MOST_OPEN = 2
"""Most models that are not folded."""

_MOST_GATES = 3
"""Most gates of a model that are not folded."""


def render_models_markdown(content: ModelsContent, max_chars: int = MAX_CHARS) -> str:
    """Return Markdown in at most `max_chars` characters: outcome, index, then the models, failed ones first."""
    rows = sorted(content.rows, key=lambda row: row.page.model.verdict.outcome not in _OPENED)
    *facts, created = _facts(content)
    line = " ".join((*facts, *_report(content)))
    index = Part(title="", tables=(_index(content),), lines=(line,) if line else (), is_folded=False)
    parts = [index, *_parts(rows), Part(title="What was measured", lines=(created,))]
    return write_parts(content.title.text, _answer(content), content.verdict, parts, max_chars)


def render_models_brief(content: ModelsContent, max_chars: int = MAX_CHARS) -> str:
    """Return heading, outcome and both sides of each model only, for a report without any change to show."""
    models = (
        Part(title=row.page.model.name, text=(*_outcome(row.page), *_sides(row.page)), is_folded=False)
        for row in content.rows
    )
    parts = [Part(title="", lines=(*_facts(content), *_report(content)), is_folded=False), *models]
    return write_parts(content.title.text, _answer(content), content.verdict, parts, max_chars)


def _answer(content: ModelsContent) -> str:
    return f"{content.symbol} {content.answer}"


def _facts(content: ModelsContent) -> tuple[str, ...]:
    """Return branch and commit, as far as they are known, and last when the report was made."""
    return tuple(f"{fact.label} {md_link(fact.value.text, fact.url)}." for fact in content.facts)


def _report(content: ModelsContent) -> tuple[str, ...]:
    """Return the link to the report on all models, if it is known."""
    return (f"[full report](<{content.report_url}>)",) if content.report_url else ()


def _index(content: ModelsContent) -> Table:
    return Table(
        caption="Models",
        columns=(
            Column("Model"),
            Column("Outcome"),
            *(Column(label, is_number=True) for label in content.labels),
        ),
        rows=tuple(
            (row.name, text_cell(_word(row)), *(text_cell(_figure(cell)) for cell in row.cells)) for row in content.rows
        ),
        keeps_lines=True,
    )


def _word(row: IndexRow) -> str:
    mark = row.page.mark
    return f"{row.page.status.text}, {mark.text}" if mark else row.page.status.text


def _figure(cell: Card) -> str:
    """Return base, head and percent in one cell: hosts scroll or cut tables with many columns."""
    note = f", {cell.note}" if cell.note else ""
    if cell.base is None or cell.base == cell.head:
        return f"{cell.head.text}{note}"
    percent = f" ({cell.percent.text})" if cell.percent else ""
    return f"{cell.base.text}{ARROW}{cell.head.text}{percent}{note}"


def _parts(rows: Sequence[IndexRow]) -> Iterator[Part]:
    """Yield the parts of each model: of the first that did not hold, what matters most is not folded."""
    for place, row in enumerate(rows):
        page = row.page
        if page.screen is None:
            yield Part(title=page.model.name, text=(page.model.verdict.text,))
            continue
        has_failed = page.model.verdict.outcome in _OPENED
        is_open = has_failed and place < _MOST_OPEN
        gates = tuple(_gates(page.screen, _MOST_GATES if is_open else None))
        if is_open:
            yield Part(title=page.model.name, text=_outcome(page), tables=gates, is_folded=False)
        yield Part(
            title=f"{page.model.name} in full" if is_open else page.model.name,
            text=(
                *(() if is_open else _outcome(page)),
                *_sides(page),
                *((page.screen.detail,) if has_failed else ()),
                f"Full report: {page.model.name}/report.html",
            ),
            tables=(
                *(() if page.screen.is_compared else (cards_table(page.screen),)),
                *(() if is_open else gates),
                *map(ranked_table, page.screen.rankings),
            ),
        )


def _gates(screen: Screen, most: int | None) -> Iterator[Table]:
    """Yield the gates, at most `most` of them; those above are only in the model's own report."""
    rows = screen.gates.rows
    if rows:
        table = limits_table(replace(screen.gates, rows=rows[:most]))
        yield replace(table, notes=()) if most else table


def _outcome(page: ModelPage) -> tuple[str, ...]:
    """Return the outcome of one model, and its warnings."""
    if page.screen is None:
        return (page.model.verdict.text,)
    return (f"{page.symbol} {page.screen.verdict}. {page.screen.reason}", *page.screen.warnings)


def _sides(page: ModelPage) -> tuple[str, ...]:
    """Return what was measured of one model."""
    return tuple(f"{side.word.capitalize()}: {side.words}." for side in page.screen.sides) if page.screen else ()
