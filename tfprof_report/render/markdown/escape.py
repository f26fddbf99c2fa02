"""Escapes text, names and figures for Markdown, so that they are shown literally: no markup, link or mention.

Code hosts turn more into links than Markdown does: mentions, issue numbers, commits, addresses, emoji. They leave code
spans alone, so names are code spans, and so is a word of a sentence that a host might take for one of these.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tfprof_report.errors import one_line
from tfprof_report.formatting import shorten
from tfprof_report.render.tables.cells import Cell, Column

TEXT_LIMIT = 600
"""Maximum characters of a sentence, which may quote names."""

MOST_INDENTS = 12
"""Maximum levels of indentation of a name; deeper names have their level as text."""

_SPECIAL = re.compile(r"[\\`*_{}\[\]<>|~&$#]")
_LIVE = re.compile(
    r"[@#$~\[]"  # mentions, issues, formulas, labels, wiki links
    r"|[!%&]\w"  # merge requests, milestones, epics, entities
    r"|://|(?i:www\.)|\.[^\W\d_]{2}"  # addresses, with and without a scheme
    r"|:[\w+-]+:"  # emoji
    r"|\b[0-9a-f]{7,}\b|\bGH-\d"  # commits, issues
)
_WORD = re.compile(r"""(?P<before>["'(]*)(?P<word>\S*?)(?P<after>["').,;]*)(?=\s|$)""")
_BLOCK = re.compile(r"^(\d{0,9})([-+=.)])(?=[\s=-]|$)")
"""What would start a list, or be a horizontal rule or a heading's underline, at the start of a line."""

_FENCES = re.compile("`+")
_LONGEST_FENCE = 60
"""Maximum consecutive backticks in a code span; GitHub's parser reads a fence of more than 80 as text."""

_NO_BREAK = "\N{NO-BREAK SPACE}"

_FEW = 10_000_000
"""Counts below it are shown exactly instead of scaled, which is easier to read."""

_MOST_DECIMALS = 3
"""Maximum decimals of an exact figure that is shown; a mean over steps may have more."""


def md_text(text: str, *, in_table: bool = False, most: int | None = None) -> str:
    """Return text as one line of Markdown that shows it literally.

    Its middle is left out if it has more than `TEXT_LIMIT` characters, or more than `most` characters as Markdown.
    """
    text = text if in_table else text.lstrip(" ")
    limit = TEXT_LIMIT
    while len(shown := _md_words(shorten(one_line(text), limit), in_table=in_table)) > (most or len(shown)):
        limit -= max(limit // 8, 1)
    return shown


def _md_words(text: str, *, in_table: bool) -> str:

    def replace(match: re.Match[str]) -> str:
        if not _LIVE.search(match["word"]):
            return _escape(match[0])
        return f"{_escape(match['before'])}{md_code(match['word'], in_table=in_table)}{_escape(match['after'])}"

    shown = _WORD.sub(replace, text)
    return shown if in_table else _BLOCK.sub(r"\1\\\2", shown)


def md_code(name: str, *, in_table: bool = False) -> str:
    """Return a name as a code span. Needs a longer fence than any in the name, and an escape for ``|`` in tables."""
    runs = _FENCES.findall(name)
    longest = max(map(len, runs), default=0)
    if longest > _LONGEST_FENCE:
        return md_code(_FENCES.sub(lambda run: shorten(run[0], _LONGEST_FENCE - 1), name), in_table=in_table)
    fence = "`" * (longest + 1)
    # Markdown strips one space on both sides of a code span, unless it is all spaces.
    space = " " if name.strip(" ") and (name[0] in "` " or name[-1] in "` ") else ""
    code = name.replace("|", "\\|") if in_table else name
    return f"{fence}{space}{code}{space}{fence}"


def md_link(name: str, url: str) -> str:
    """Return a name as a code span, as a link where there is an address, which has none of ``<>`` and no spaces."""
    return f"[{md_code(name)}](<{url}>)" if url else md_code(name)


def md_cell(cell: Cell) -> str:
    """Return a cell of a pipe table, indented by its depth: a name as a code span, anything else as text.

    No-break spaces keep figures and units on one line, however narrow the column.
    """
    indent = "&emsp;" * min(cell.depth, MOST_INDENTS)
    if not cell.is_name:
        text = md_text(cell.text, in_table=True)
        return indent + (text.replace(" ", _NO_BREAK).replace(f"{_NO_BREAK}(", " (") if cell.key else text)
    level = f"level {cell.depth + 1}: " if cell.depth > MOST_INDENTS else ""
    return indent + level + md_code(cell.text, in_table=True)


def exact_cell(cell: Cell, *, may_be_long: bool = True) -> Cell:
    """Return a cell with the exact figure; a large one is scaled, with the exact one added if it `may_be_long`."""
    whole = cell.key.lstrip("-")
    is_count = cell.exact[-1:].isdigit()
    if is_count and whole.isdigit() and int(whole) < _FEW:
        return cell._replace(text=cell.exact)
    is_scaled = bool(cell.exact) and cell.text.split()[1:] != cell.exact.split()[1:]
    decimals = cell.exact.partition(".")[2].partition(" ")[0]
    both = may_be_long and is_scaled and len(decimals) <= _MOST_DECIMALS
    return cell._replace(text=f"{cell.text} ({cell.exact})") if both else cell


def md_row(row: Iterable[Cell], *, keeps_lines: bool = False) -> str:
    """Return a row of a pipe table; with no-break spaces if each cell `keeps_lines`."""
    cells = (md_cell(cell).replace(" ", _NO_BREAK) if keeps_lines else md_cell(cell) for cell in row)
    return f"| {' | '.join(cells)} |"


def md_header(column: Column, *, keeps_lines: bool = False) -> str:
    """Return the header of a column, prefixed with its group: Markdown has no groups of columns."""
    text = md_text(f"{column.group} {column.label.lower()}" if column.group else column.label, in_table=True)
    return text.replace(" ", _NO_BREAK) if keeps_lines else text


def md_lines(lines: Iterable[str]) -> str:
    """Return lines as they are, in equal letters: none may begin with a backtick, or be empty."""
    return "\n".join(("```text", *lines, "```"))


def _escape(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", text)
