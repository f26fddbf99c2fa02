"""The first screen as parts of a Markdown file: short tables that are not folded."""

from __future__ import annotations

from collections.abc import Iterator

from tfprof_report.render.content.first_screen import Card, Ranked, Ranking, Screen, Share
from tfprof_report.render.markdown.escape import exact_cell
from tfprof_report.render.markdown.fit import Part
from tfprof_report.render.tables.cells import ABSENT, Cell, Column, Row, Table, plain_table, text_cell
from tfprof_report.render.tables.gates_tables import fails_verdict, gates_table
from tfprof_report.report.report import Report

_FIGURES = {"base": "Base", "head": "Head", "delta": "Delta", "percent": "Change"}
_SIDES = {
    "label": "Model",
    "branch": "Branch",
    "commit": "Commit",
    "distance": "Distance",
    "digest": "Digest of inputs",
}


def screen_parts(screen: Screen, report: Report, gates_limit: int) -> Iterator[Part]:
    """Yield the parts of the first screen after the verdict, the most important first."""
    yield from warning_parts(screen)
    yield _open(tables=(cards_table(screen),))
    failed = [gate for gate in report.verdict.gates if fails_verdict(gate)]
    if failed:
        yield _open(title="Gates that did not pass", tables=(gates_table(failed, gates_limit),))
    rankings = [
        _open(title=ranking.title, text=(ranking.note,) if ranking.note else (), tables=(ranked_table(ranking),))
        for ranking in screen.rankings
    ]
    yield from rankings[:1]
    yield sides_part(screen)
    yield from rankings[1:]


def warning_parts(screen: Screen) -> Iterator[Part]:
    """Yield the warnings that come before all figures, if any."""
    if screen.warnings:
        yield _open(text=tuple(f"Warning: {warning}" for warning in screen.warnings))


def sides_part(screen: Screen) -> Part:
    """Return what was measured: both sides, and the options."""
    return _open(title="What was measured", text=tuple(_settings(screen)), tables=(_sides_table(screen),))


def _open(title: str = "", text: tuple[str, ...] = (), tables: tuple[Table, ...] = ()) -> Part:
    return Part(title=title, text=text, tables=tables, is_folded=False)


def cards_table(screen: Screen) -> Table:
    """Return the cards as rows, with exact figures; only with the columns that any card has."""
    there = [name for name in _FIGURES if any(getattr(card, name) is not None for card in screen.cards)]
    return Table(
        caption="Figures",
        columns=(
            Column("Figure"),
            *(Column(_FIGURES[name] if len(there) > 1 else "Total", is_number=True) for name in there),
            Column("Note"),
        ),
        rows=tuple(
            (text_cell(card.label), *(_figure(card, name) for name in there), text_cell(card.note))
            for card in screen.cards
        ),
    )


def _figure(card: Card, name: str) -> Cell:
    cell: Cell | None = getattr(card, name)
    # A difference need not be exact: it follows from the exact figures in the same row.
    return ABSENT if cell is None else exact_cell(cell, may_be_long=name != "delta")


def ranked_table(ranking: Ranking) -> Table:
    """Return the ranked scopes, with a column per figure that any of them has."""
    labels = list(dict.fromkeys(share.label for row in ranking.rows for share in row.shares))
    has_status = any(row.status for row in ranking.rows)

    def row_of(ranked: Ranked) -> Row:
        shares = {share.label: _share(share) for share in ranked.shares}
        status = [text_cell(ranked.status or "changed")] if has_status else []
        return (ranked.name, *status, *(shares.get(label, ABSENT) for label in labels))

    return Table(
        caption=ranking.title,
        columns=(
            Column("Scope"),
            *([Column("Status")] if has_status else []),
            *(Column(label, is_number=True) for label in labels),
        ),
        rows=tuple(map(row_of, ranking.rows)),
    )


def _share(share: Share) -> Cell:
    return share.amount._replace(text=f"{share.amount.text} ({share.share})" if share.share else share.amount.text)


def _sides_table(screen: Screen) -> Table:
    """Return what was measured, a row per side, with the columns that any side has a value for."""
    cells = {name: [getattr(side, name) or ABSENT for side in screen.sides] for name in _SIDES}
    cells = {name: column for name, column in cells.items() if any(not cell.tone for cell in column)}
    return plain_table(
        "Sides",
        ("Side", *(_SIDES[name] for name in cells)),
        zip([text_cell(side.word) for side in screen.sides], *cells.values(), strict=True),
    )


def _settings(screen: Screen) -> Iterator[str]:
    if screen.options:
        yield f"Options: {' '.join(option.text for option in screen.options)}"
    yield f"Created {screen.created.text}."
