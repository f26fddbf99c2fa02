"""The report as Markdown for the pages of code hosts: short, in pipe tables, without raw HTML."""

from __future__ import annotations

import dataclasses
import re
from functools import cache

from jinja2 import Environment

from tfprof_report.errors import one_line
from tfprof_report.render.cells import Cell, Column, shorten
from tfprof_report.render.changes import HEADLINE
from tfprof_report.render.content import Limits, make_content
from tfprof_report.render.templates import make_environment
from tfprof_report.report.model import Report

LIMITS = Limits(
    view_rows=50,
    changed_rows=20,
    changed_nodes=10,
    other_rows=20,
    examples=3,
    stems=("float_ops", "params", "bytes", "micros", "definition_count"),
    change_stems=HEADLINE,
    change_parts=("base", "head", "delta"),
    is_tree=False,
)

NAME_LIMIT = 120
"""Characters of a name in a cell."""

TEXT_LIMIT = 600
"""Characters of a sentence, which may quote names."""

SIZE_LIMIT = 58_000
"""Characters of the whole file: code hosts cut or refuse what passes about 65,000."""

_SPECIAL = re.compile(r"[\\`*_{}\[\]<>|~&$#]")
_LONGEST_FENCE = 60
"""Backticks that may enclose a name; beyond 80, GitHub's parser takes them for text."""


def render_markdown(report: Report) -> str:
    """Return `report` as Markdown: heading and verdict first, then the tables, each with what it leaves out.

    Names are code, whatever they hold: no markup, link or mention comes out of them. The file has at most `SIZE_LIMIT`
    characters: rows are dropped until it fits. The same report gives the same file.
    """
    limits = LIMITS
    while len(text := _render(report, limits)) > SIZE_LIMIT and limits.other_rows:
        limits = _halved(limits)
    return text


def md_text(text: str) -> str:
    """Return words as Markdown that shows exactly them, on one line."""
    return _SPECIAL.sub(r"\\\g<0>", shorten(one_line(text), TEXT_LIMIT))


def md_cell(cell: Cell) -> str:
    """Return a cell of a pipe table: a name as code, anything else as text."""
    return _md_code(shorten(cell.text, NAME_LIMIT)) if cell.is_name else md_text(cell.text)


def md_header(column: Column) -> str:
    """Return a header: Markdown has no groups of columns, so the group is part of the label."""
    return md_text(f"{column.group} {column.label.lower()}" if column.group else column.label)


def _md_code(name: str) -> str:
    """Return a name as a code span. Only the fence and the pipe, which would end the cell, need care."""
    longest = max((len(run) for run in re.findall("`+", name)), default=0)
    if longest >= _LONGEST_FENCE:
        return md_text(name)
    fence = "`" * (longest + 1)
    # one space on both sides is not part of a code span, unless it is all spaces
    space = " " if name.strip(" ") and (name[0] in "` " or name[-1] in "` ") else ""
    code = name.replace("|", "\\|")
    return f"{fence}{space}{code}{space}{fence}"


def _render(report: Report, limits: Limits) -> str:
    content = make_content(report, limits)
    cells = (cell for section in content.sections for table in section.tables for row in table.rows for cell in row)
    is_cut = any(cell.is_name and len(cell.text) > NAME_LIMIT for cell in cells)
    template = _environment().get_template("markdown/report.md.j2")
    return template.render(content=content, is_cut=is_cut, name_limit=NAME_LIMIT)


def _halved(limits: Limits) -> Limits:
    return dataclasses.replace(
        limits,
        view_rows=limits.view_rows // 2,
        changed_rows=limits.changed_rows // 2,
        changed_nodes=limits.changed_nodes // 2,
        other_rows=limits.other_rows // 2,
    )


@cache
def _environment() -> Environment:
    environment = make_environment(autoescape=False)
    environment.filters |= {"md_text": md_text, "md_cell": md_cell, "md_header": md_header}
    return environment
