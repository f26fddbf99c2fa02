"""Words, names and figures as Markdown that shows exactly them: no markup, link or mention comes out of what they hold.

Code hosts turn more into links than Markdown does: mentions, numbers of issues, commits, addresses, emoji. They leave
code spans alone, so names are code, and so is a word of a sentence that a host might take for one of these.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tfprof_report.errors import one_line
from tfprof_report.formatting import shorten
from tfprof_report.render.tables.cells import Cell, Column

TEXT_LIMIT = 600
"""Characters of a sentence, which may quote names."""

MOST_INDENTS = 12
"""Levels that a name is indented by; deeper ones say their level."""

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
"""What would begin a list, or be a rule, at the start of a line."""

_FENCES = re.compile("`+")
_LONGEST_FENCE = 60
"""Backticks in a row that a code span may hold; beyond 80, GitHub's parser takes them for text."""

_NO_BREAK = "\N{NO-BREAK SPACE}"

_FEW = 10_000_000
"""Counts below it are easier read exactly than scaled."""

_MOST_DECIMALS = 3
"""Decimals of an exact figure that are worth their room; a mean over steps may have more."""


def md_text(text: str, *, in_table: bool = False, most: int | None = None) -> str:
    """Return words as Markdown that shows exactly them, on one line.

    The middle of more than `TEXT_LIMIT` characters is left out, and as much as makes at most `most` of Markdown.
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
    """Return a name as a code span. Only the fence needs care, and the pipe, which would end a cell."""
    runs = _FENCES.findall(name)
    longest = max(map(len, runs), default=0)
    if longest > _LONGEST_FENCE:
        return md_code(_FENCES.sub(lambda run: shorten(run[0], _LONGEST_FENCE - 1), name), in_table=in_table)
    fence = "`" * (longest + 1)
    # one space on both sides is not part of a code span, unless it is all spaces
    space = " " if name.strip(" ") and (name[0] in "` " or name[-1] in "` ") else ""
    code = name.replace("|", "\\|") if in_table else name
    return f"{fence}{space}{code}{space}{fence}"


def md_cell(cell: Cell) -> str:
    """Return a cell of a pipe table, indented by its depth: a name as code, anything else as text.

    Figures stay beside their units, however narrow a host makes the column.
    """
    indent = "&emsp;" * min(cell.depth, MOST_INDENTS)
    if not cell.is_name:
        text = md_text(cell.text, in_table=True)
        return indent + (text.replace(" ", _NO_BREAK).replace(f"{_NO_BREAK}(", " (") if cell.key else text)
    level = f"level {cell.depth + 1}: " if cell.depth > MOST_INDENTS else ""
    return indent + level + md_code(cell.text, in_table=True)


def exact_cell(cell: Cell, *, may_be_long: bool = True) -> Cell:
    """Return a cell with a figure whose text is exact; a large one is scaled, and exact too if it `may_be_long`."""
    whole = cell.key.lstrip("-")
    is_count = cell.exact[-1:].isdigit()
    if is_count and whole.isdigit() and int(whole) < _FEW:
        return cell._replace(text=cell.exact)
    is_scaled = bool(cell.exact) and cell.text.split()[1:] != cell.exact.split()[1:]
    decimals = cell.exact.partition(".")[2].partition(" ")[0]
    both = may_be_long and is_scaled and len(decimals) <= _MOST_DECIMALS
    return cell._replace(text=f"{cell.text} ({cell.exact})") if both else cell


def md_row(row: Iterable[Cell]) -> str:
    """Return a row of a pipe table."""
    return f"| {' | '.join(map(md_cell, row))} |"


def md_header(column: Column) -> str:
    """Return a header: Markdown has no groups of columns, so the group is part of the label."""
    return md_text(f"{column.group} {column.label.lower()}" if column.group else column.label, in_table=True)


def _escape(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", text)
