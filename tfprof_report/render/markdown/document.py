"""The report as Markdown for code hosts: the outcome and short tables first, everything else folded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache

from jinja2 import Environment

from tfprof_report.compare.causes.movers import HEADLINE
from tfprof_report.render.content.first_screen import Screen, make_screen
from tfprof_report.render.content.sections import Limits, make_sections
from tfprof_report.render.files.templates import make_environment
from tfprof_report.render.markdown.escape import md_header, md_row, md_text
from tfprof_report.render.markdown.fit import Part, shed, short_names
from tfprof_report.render.markdown.opening import answer_of, identity_part, screen_parts, sides_part, warning_parts
from tfprof_report.render.tables.cells import Row, Table
from tfprof_report.report.report import Report

LIMITS = Limits(
    view_rows=50,
    changed_rows=20,
    changed_nodes=10,
    other_rows=20,
    examples=3,
    stems=("float_ops", "params", "bytes", "micros", "definition_count"),
    change_stems=HEADLINE,
    change_parts=("base", "head", "delta"),
)

MAX_CHARS = 60_000
"""Default maximum characters of the file: code hosts cut or reject more than about 65,000."""

LEAST_CHARS = 1_000
"""Smallest limit: the heading, the verdict and the titles of what is left out always fit."""

NAME_LIMIT = 120
"""Maximum characters of a name in a cell."""

_TITLE_CHARS = 60
_ANSWER_CHARS = 130
_REASON_CHARS = 340
_MISSING_CHARS = 300
"""Maximum characters, as Markdown, of the title, of the verdict, of its reason and of the titles of what is left out.

Together with the fixed text they stay below `LEAST_CHARS`, and what is not folded below the height of a phone or two.
"""

_REST = "Everything else"
_FOLD_CHARS = len(f"\n<details>\n<summary>{_REST}</summary>\n\n</details>\n")
"""The title of what all folded parts are in, and the characters that it takes."""


def render_markdown(report: Report, max_chars: int = MAX_CHARS, screen: Callable[[], Screen] | None = None) -> str:
    """Return `report` as Markdown in at most `max_chars` characters, `LEAST_CHARS` or more.

    Heading and verdict come first, then the first screen, then all other sections, folded. `shed` leaves out rows until
    the text fits, and each table says how many. Names are code spans, so no name becomes markup, a link or a mention.
    The same report gives the same file. `screen` returns the first screen of the report; without it, it is made here.
    """
    content = screen() if screen else make_screen(report)
    parts = [*screen_parts(content), *_details(report)]
    return write_parts(content.title.text, answer_of(content), content.reason, parts, max_chars)


def render_brief(report: Report, max_chars: int = MAX_CHARS) -> str:
    """Return heading, verdict, warnings and both sides only, for a report without any change to show."""
    screen = make_screen(report)
    parts = [identity_part(screen), *warning_parts(screen), sides_part(screen, is_folded=False)]
    return write_parts(screen.title.text, answer_of(screen), screen.reason, parts, max_chars)


def write_parts(
    title: str, answer: str, reason: str, parts: Sequence[Part], max_chars: int, *, page: str = "report.html"
) -> str:
    """Return a heading, the outcome and `parts` in at most `max_chars` characters, and name the parts left out.

    `answer` is the outcome in a few words, `reason` the sentences after it, `page` the file that has all parts.
    """
    has_long_names = any(_is_long(table) for part in parts for table in part.tables)
    parts = [replace(part, tables=tuple(short_names(table, NAME_LIMIT) for table in part.tables)) for part in parts]

    def show(kept: Sequence[Part], missing: str) -> str:
        return (
            document_environment()
            .get_template("markdown/report.md.j2")
            .render(
                title=md_text(title, most=_TITLE_CHARS),
                answer=md_text(answer, most=_ANSWER_CHARS),
                reason=md_text(reason, most=_REASON_CHARS),
                parts=kept,
                rest=_REST,
                missing=missing,
                page=page,
                name_limit=NAME_LIMIT if has_long_names else None,
            )
        )

    text = show(parts, missing="")
    if len(text) <= max_chars:
        return text
    room = max_chars - len(show((), missing="-" * _MISSING_CHARS)) - _FOLD_CHARS
    kept = shed(parts, room, part_size=_part_size, row_size=_row_size)
    there = {part.title for part in kept}
    missing = ", ".join(part.title for part in parts if part.title and part.title not in there)
    return show(kept, missing=md_text(missing, most=_MISSING_CHARS))


def _details(report: Report) -> Iterator[Part]:
    for section in sorted(make_sections(report, LIMITS), key=lambda section: section.kind.place_in_markdown):
        kind = section.kind
        yield Part(title=kind.title_in_markdown or kind.title, text=section.text, tables=section.tables)


def _is_long(table: Table) -> bool:
    return any(cell.is_name and len(cell.text) > NAME_LIMIT for row in table.rows for cell in row)


def _part_size(part: Part) -> int:
    template = document_environment().get_template("markdown/_part.md.j2")
    return len(template.module.show_part(part))  # type: ignore[attr-defined]


def _row_size(row: Row) -> int:
    return len(md_row(row)) + len("\n")


@cache
def document_environment() -> Environment:
    """Return the environment of Markdown, with the filters of its templates."""
    environment = make_environment(autoescape=False)
    environment.filters |= {"md_text": md_text, "md_row": md_row, "md_header": md_header}
    return environment
