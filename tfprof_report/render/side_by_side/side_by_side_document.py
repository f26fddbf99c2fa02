"""Reports side by side as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tfprof_report.formatting import shorten
from tfprof_report.render.markdown.document import MAX_CHARS, write_parts
from tfprof_report.render.markdown.fit import Part
from tfprof_report.render.side_by_side.content import FILE, FigureLine, SideBySideContent, shown_rows
from tfprof_report.render.tables.cells import Column, Table

_ACROSS = 5
"""Most columns of a table beside the first: hosts cut or scroll wider ones."""
_NAME_LIMIT = 60
"""Most characters of a name in the head of a column."""


def render_side_by_side_markdown(content: SideBySideContent, max_chars: int = MAX_CHARS) -> str:
    """Return Markdown in at most `max_chars` characters."""
    parts = [
        Part(title="", text=content.said, is_folded=False),
        Part(title="Figures", tables=tuple(_tables("Figures", "Figure", content.figures, content)), is_folded=False),
        *(
            [Part(title="Front", text=content.front_notes, tables=(_without_dots(content.front),), is_folded=False)]
            if content.front
            else []
        ),
        *(
            [
                Part(
                    title="Layers with the most FLOPs",
                    text=content.layers_notes,
                    tables=tuple(_tables("Layers", "Layer", content.layers, content)),
                )
            ]
            if content.layers
            else []
        ),
        Part(title="What was compared", tables=(content.facts,)),
    ]
    answer = f"{content.symbol} {content.status.text}: {content.answer}"
    shown = [part for part in parts if part.text or part.tables]
    return write_parts(content.title, answer, content.reason, shown, max_chars, page="compare.html")


def _without_dots(front: Table) -> Table:
    """Return the table of the front without the numbers of models, which only pictures have."""
    return replace(
        front,
        columns=(front.columns[0], *front.columns[2:]),
        rows=tuple((row[0], *row[2:]) for row in front.rows),
    )


def _tables(caption: str, first: str, lines: Sequence[FigureLine], content: SideBySideContent) -> Iterator[Table]:
    """Yield the lines in tables of a few columns, each beside the first one."""
    count = len(content.columns)
    names = [shorten(head.name.text, _NAME_LIMIT) for head in content.columns]
    for start in range(1, count, _ACROSS):
        places = [0, *range(start, min(start + _ACROSS, count))]
        words = (
            f"{caption}, columns {start + 1:,} to {places[-1] + 1:,} of {count:,}" if count > _ACROSS + 1 else caption
        )
        yield Table(
            caption=words,
            columns=(Column(first), *(Column(names[place], is_number=True) for place in places)),
            rows=shown_rows(lines, places),
            file=FILE,
        )
