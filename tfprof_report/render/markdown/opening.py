"""The first screen as parts of a Markdown file: short tables that are not folded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tfprof_report.render.content.cards import Card
from tfprof_report.render.content.figures import Figure
from tfprof_report.render.content.first_screen import Ranked, Ranking, Screen, Share, Uncounted
from tfprof_report.render.content.gate_rows import GateRow, GateRows
from tfprof_report.render.content.identity import Identity, SideFacts
from tfprof_report.render.content.waterfall import waterfall_table
from tfprof_report.render.markdown.escape import exact_cell, md_code, md_link
from tfprof_report.render.markdown.fit import Part
from tfprof_report.render.tables.cells import ABSENT, Cell, Column, Row, Table, plain_table, text_cell

_FIGURES = {"base": "Base", "head": "Head", "delta": "Delta", "percent": "Change"}
_SIDES = {
    "label": "Model",
    "branch": "Branch",
    "commit": "Commit",
    "distance": "Distance",
    "digest": "Fingerprint of the inputs",
}


def answer_of(screen: Screen) -> str:
    """Return the outcome as an answer, with its symbol."""
    return f"{screen.symbol} {screen.verdict}"


def screen_parts(screen: Screen) -> Iterator[Part]:
    """Yield the parts of the first screen after the verdict, the most important first; what else there is is folded."""
    yield identity_part(screen)
    yield from warning_parts(screen)
    yield from _todo(screen)
    cards = cards_table(screen)
    if screen.figures:
        yield _open(tables=(figures_table(screen.figures),))
    yield from gates_parts(screen)
    if screen.uncounted:
        yield Part(title="", lines=uncounted_lines(screen), is_folded=False)
    for place, waterfall in enumerate(screen.waterfalls):
        yield Part(title=waterfall.title, tables=(waterfall_table(waterfall),), is_folded=place > 0)
    for takers in screen.takers[:1]:
        yield _open(title=takers.table.caption, text=(takers.note,) if takers.note else (), tables=(takers.table,))
    for ranking in screen.rankings:
        text = (ranking.note,) if ranking.note else ()
        tables, is_folded = (ranked_table(ranking),), screen.folds_rankings
        yield Part(title=ranking.title, text=text, tables=tables, is_folded=is_folded)
    yield Part(title=f"All figures{' of both sides' if screen.is_compared else ''}", tables=(cards,))
    yield sides_part(screen)


def identity_part(screen: Screen) -> Part:
    """Return the line that names both sides, with links, and where the report is published."""
    identity = screen.identity
    words = _place(identity.head, identity)
    if identity.base:
        label = md_code(identity.base_label.text) if identity.base_label else ""
        base = ", ".join(filter(None, (label, _place(identity.base, identity))))
        distance = f" ({identity.base.distance.text})" if identity.base.distance else ""
        words = f"{words} against {base}{distance}".lstrip() if base else words
    report = f"[full report](<{identity.report_url}>)" if identity.report_url else ""
    line = " \N{MIDDLE DOT} ".join(filter(None, (words, report)))
    return Part(title="", lines=(line[:1].upper() + line[1:],) if line else (), is_folded=False)


def _place(side: SideFacts, identity: Identity) -> str:
    """Return branch and commit of a side in a few words; nothing of commits if that of neither side is known."""
    branch = md_code(side.branch.text) if side.branch else ""
    if not identity.has_commits:
        return branch
    commit = md_link(side.commit.text, side.commit_url) if side.commit.is_name else side.commit.text
    return f"{branch}{' at ' if side.commit.is_name else ', commit '}{commit}" if branch else f"commit {commit}"


def warning_parts(screen: Screen) -> Iterator[Part]:
    """Yield the warnings that come before all figures, if any."""
    if screen.warnings:
        yield _open(text=tuple(f"Warning: {warning}" for warning in screen.warnings))


def _todo(screen: Screen) -> Iterator[Part]:
    """Yield what to type if the change is meant, and who owns the gates, as code: it mentions nobody."""
    lines = [f"Meant? {md_code(screen.accept)}"] if screen.accept else []
    owners = [
        f"{md_code(owner.name.text)} owns {', '.join(md_code(rule.text) for rule in owner.rules)}"
        if owner.rules
        else f"Gates are owned by {md_code(owner.name.text)}"
        for owner in screen.owners
    ]
    lines += [f"{'; '.join(owners)}."] if owners else []
    if lines:
        yield Part(title="", lines=tuple(lines), is_folded=False)


def gates_parts(screen: Screen) -> Iterator[Part]:
    """Yield the gates as a table with the sentences below it, if there are any."""
    if screen.gates.rows:
        yield _open(title=screen.gates.caption, tables=(limits_table(screen.gates),))


def uncounted_lines(screen: Screen) -> tuple[str, ...]:
    """Return what the change brought that no figure shows, a sentence per figure."""
    return tuple(_uncounted(found) for found in screen.uncounted)


def _uncounted(found: Uncounted) -> str:
    names = [f"{md_code(name.text)} ({md_code(op.text)})" for name, _, op in found.nodes]
    more = [f"{found.more:,} more"] if found.more else []
    return f"? {found.words}: {', '.join([*names, *more])}."


def limits_table(gates: GateRows) -> Table:
    """Return the gates of the first screen, with the columns that any of them has a value for."""
    has_place = any(row.place for row in gates.rows)
    has_base = any(row.base != ABSENT for row in gates.rows)
    has_rule = any(row.rule != ABSENT for row in gates.rows)

    def row_of(row: GateRow) -> Row:
        return (
            text_cell(f"{row.symbol} {row.outcome.text}"),
            row.figure,
            *([row.place or ABSENT] if has_place else []),
            *([row.base, row.head, row.change] if has_base else [row.head]),
            *([text_cell(row.note), row.rule] if has_rule else []),
        )

    return Table(
        caption=gates.caption,
        columns=(
            Column("Outcome"),
            Column("Figure"),
            *([Column("Of")] if has_place else []),
            *([Column("Base", is_number=True)] if has_base else []),
            Column("Head" if has_base else "Total", is_number=True),
            *([Column("Change", is_number=True)] if has_base else []),
            *([Column("Against the limit"), Column("Rule")] if has_rule else []),
        ),
        rows=tuple(map(row_of, gates.rows)),
        notes=gates.sentences,
    )


def sides_part(screen: Screen, *, is_folded: bool = True) -> Part:
    """Return what was measured: both sides, and the options."""
    title, text, tables = "What was measured", tuple(_settings(screen)), (_sides_table(screen),)
    return Part(title=title, text=text, tables=tables, is_folded=is_folded)


def _open(title: str = "", text: tuple[str, ...] = (), tables: tuple[Table, ...] = ()) -> Part:
    return Part(title=title, text=text, tables=tables, is_folded=False)


def figures_table(figures: Sequence[Figure]) -> Table:
    """Return the figures of one model as rows, with what they are made of in words."""
    return Table(
        caption="Figures",
        columns=(Column("Figure"), Column("Total", is_number=True), Column("Made of"), Column("Note")),
        rows=tuple(map(_figure_row, figures)),
    )


def _figure_row(figure: Figure) -> Row:
    parts = ", ".join(f"{part.name.text} {part.words}" for part in figure.parts)
    return (
        text_cell(f"{figure.label}, {figure.what}" if figure.what else figure.label),
        exact_cell(figure.amount),
        text_cell(f"{figure.whole}: {parts}" if figure.whole else parts),
        text_cell("; ".join(figure.notes)),
    )


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
