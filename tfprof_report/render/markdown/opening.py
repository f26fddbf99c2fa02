"""The first screen as parts of a Markdown file: short tables that are not folded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tfprof_report.formatting import plural, shorten
from tfprof_report.render.content.cards import Card
from tfprof_report.render.content.figures import Figure
from tfprof_report.render.content.first_screen import Ranked, Ranking, Screen, Share, Uncounted
from tfprof_report.render.content.gate_rows import GateRow, GateRows
from tfprof_report.render.content.identity import Identity, SideFacts
from tfprof_report.render.content.takers import Takers
from tfprof_report.render.content.waterfall import waterfall_lines
from tfprof_report.render.markdown.escape import exact_cell, md_code, md_lines, md_link
from tfprof_report.render.markdown.fit import Part
from tfprof_report.render.tables.cells import ABSENT, Cell, Column, Row, Table, plain_table, text_cell

_LONGEST_NAME = 60
"""Most characters of a name that is not folded."""

_MOST_GATES = 5
"""Most gates that are not folded: a phone shows the whole answer then."""

_MOST_RULES = 3
"""Most rules of an owner that are named."""

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
    if screen.figures:
        yield _open(tables=(figures_table(screen.figures),))
    yield from gates_parts(screen)
    if screen.uncounted:
        yield Part(title="", lines=uncounted_lines(screen), is_folded=False)
    for place, waterfall in enumerate(screen.waterfalls):
        note = (waterfall.note,) if waterfall.note else ()
        lines = (md_lines(waterfall_lines(waterfall)),)
        yield Part(title=waterfall.title, text=note, lines=lines, is_folded=place > 0)
    for takers in screen.takers[:1]:
        note = (takers.note,) if takers.note else ()
        yield Part(title=takers.table.caption, text=note, lines=(md_lines(_taker_lines(takers)),), is_folded=False)
    for ranking in screen.rankings:
        text = (ranking.note,) if ranking.note else ()
        tables, is_folded = (ranked_table(ranking),), screen.folds_rankings
        yield Part(title=ranking.title, text=text, tables=tables, is_folded=is_folded)
    yield Part(title=_figures_title(screen), text=screen.gates.sentences, tables=(cards_table(screen),))
    yield sides_part(screen)


def _figures_title(screen: Screen) -> str:
    return f"All figures{' of both sides' if screen.is_compared else ''}"


def _taker_lines(takers: Takers) -> Iterator[str]:
    """Yield the layers that take most of a figure, each with the amount and its share."""
    rows = [(row[1].text, row[2].text, row[0].text) for row in takers.table.rows]
    amount, share = (max((len(row[place]) for row in rows), default=0) for place in (0, 1))
    for row in rows:
        yield f"{row[0]:>{amount}}  {row[1]:>{share}}  {shorten(row[2], _LONGEST_NAME)}"


def identity_part(screen: Screen) -> Part:
    """Return the line that names both sides, with links, and where the report is published."""
    identity = screen.identity
    words = _place(identity.head, identity)
    if identity.base:
        label = _short(identity.base_label) if identity.base_label else ""
        base = ", ".join(filter(None, (label, _place(identity.base, identity))))
        distance = f" ({identity.base.distance.text})" if identity.base.distance else ""
        words = f"{words} against {base}{distance}".lstrip() if base else words
    report = f"[full report](<{identity.report_url}>)" if identity.report_url else ""
    line = " \N{MIDDLE DOT} ".join(filter(None, (words, report)))
    return Part(title="", lines=(line[:1].upper() + line[1:],) if line else (), is_folded=False)


def _place(side: SideFacts, identity: Identity) -> str:
    """Return branch and commit of a side in a few words; nothing of commits if that of neither side is known."""
    branch = _short(side.branch) if side.branch else ""
    if not identity.has_commits:
        return branch
    commit = md_link(side.commit.text, side.commit_url) if side.commit.is_name else side.commit.text
    return f"{branch}{' at ' if side.commit.is_name else ', commit '}{commit}" if branch else f"commit {commit}"


def _short(name: Cell) -> str:
    return md_code(shorten(name.text, _LONGEST_NAME))


def warning_parts(screen: Screen) -> Iterator[Part]:
    """Yield the warnings that come before all figures, if any."""
    if screen.warnings:
        yield _open(text=tuple(f"Warning: {warning}" for warning in screen.warnings))


def _todo(screen: Screen) -> Iterator[Part]:
    """Yield what to type if the change is meant, and who owns the gates, as code: it mentions nobody."""
    lines = [f"Meant? {md_code(screen.accept)}"] if screen.accept else []
    owners = [
        f"{_short(owner.name)} owns {_listed(owner.rules)}"
        if owner.rules
        else f"Gates are owned by {_short(owner.name)}"
        for owner in screen.owners
    ]
    lines += [f"{'; '.join(owners)}."] if owners else []
    if lines:
        yield Part(title="", lines=tuple(lines), is_folded=False)


def _listed(rules: Sequence[Cell]) -> str:
    """Return the first rules, and how many more there are."""
    more = [f"{len(rules) - _MOST_RULES:,} more"] if len(rules) > _MOST_RULES else []
    return ", ".join([*map(_short, rules[:_MOST_RULES]), *more])


def gates_parts(screen: Screen) -> Iterator[Part]:
    """Yield the gates that matter most as a table, if there are any."""
    rows = screen.gates.rows
    if not rows:
        return
    table = limits_table(replace(screen.gates, rows=rows[:_MOST_GATES]))
    more = len(rows) - _MOST_GATES
    where = "All gates" if screen.gates.caption == "Gates" else _figures_title(screen)
    notes = (f"{plural(more, f'more {screen.gates.caption.lower()[:-1]}')} below, in: {where}.",) if more > 0 else ()
    yield _open(tables=(replace(table, notes=notes),))


def uncounted_lines(screen: Screen) -> tuple[str, ...]:
    """Return what the change brought that no figure shows, a sentence per figure."""
    return tuple(_uncounted(found) for found in screen.uncounted)


def _uncounted(found: Uncounted) -> str:
    names = [f"{_short(name)} ({_short(op)})" for name, _, op in found.nodes]
    more = [f"{found.more:,} more"] if found.more else []
    return f"? {found.words}: {', '.join([*names, *more])}."


def limits_table(gates: GateRows) -> Table:
    """Return the gates of the first screen, with the columns that any of them has a value for.

    Outcome, figure and change come first: a phone shows no more without scrolling.
    """
    has_place = any(row.place for row in gates.rows)
    has_base = any(row.base != ABSENT for row in gates.rows)
    has_rule = any(row.rule != ABSENT for row in gates.rows)

    def row_of(row: GateRow) -> Row:
        return (
            text_cell(f"{row.symbol} {row.outcome.text}"),
            row.figure,
            *([row.change, row.base, row.head] if has_base else [row.head]),
            *([text_cell(row.note), row.rule] if has_rule else []),
            *([row.place or ABSENT] if has_place else []),
        )

    return Table(
        caption=gates.caption,
        columns=(
            Column("Outcome"),
            Column("Figure"),
            *([Column("Change", is_number=True), Column("Base", is_number=True)] if has_base else []),
            Column("Head" if has_base else "Total", is_number=True),
            *([Column("Against the limit"), Column("Rule")] if has_rule else []),
            *([Column("Of")] if has_place else []),
        ),
        rows=tuple(map(row_of, gates.rows)),
        notes=gates.sentences,
        keeps_lines=True,
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
        keeps_lines=True,
    )


def _figure_row(figure: Figure) -> Row:
    parts = ", ".join(f"{part.name.text} {part.words}" for part in figure.parts)
    return (
        text_cell(f"{figure.label}, {figure.what}" if figure.what else figure.label),
        figure.amount,
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
