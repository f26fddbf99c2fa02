"""Markdown of generated pages: text that is nobody's markup, code, tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

MADE = "<!-- Written by make reference: change the code that this page describes, not the page. -->"
"""The first line of each page."""

_FLAG = r"(?<![\w`-])--[a-z][a-z-]*\w"
_CODED = re.compile(rf"`[^`]*`|{_FLAG}")
_MARKUP = re.compile(r"[\\*|]|<(?=[a-zA-Z/!?])|\](?=[(\[:])|(?<![a-zA-Z0-9])_|_(?![a-zA-Z0-9])")


def page(title: str, *parts: str) -> str:
    """Return a page with its heading; parts are separated by empty lines."""
    return "\n\n".join([MADE, f"# {title}", *(part for part in parts if part)]) + "\n"


def code(text: str) -> str:
    """Return a word of code, also for the cell of a table; it has no backtick."""
    return f"`{text}`".replace("|", "\\|")


def plain(text: str) -> str:
    """Return text of the code, such as a help text, as Markdown that shows just this text; options become code."""
    pieces, end = [], 0
    for found in _CODED.finditer(text):
        pieces += [_MARKUP.sub(r"\\\g<0>", text[end : found.start()]), code(found[0].strip("`"))]
        end = found.end()
    return "".join(pieces) + _MARKUP.sub(r"\\\g<0>", text[end:])


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of Markdown cells; empty without rows."""
    lines = ["|" + "".join(f" {cell} |" if cell else " |" for cell in row) for row in rows]
    return "\n".join([f"| {' | '.join(head)} |", f"| {' | '.join('---' for _ in head)} |", *lines]) if lines else ""


def block(text: str, language: str = "") -> str:
    """Return a block of code."""
    return f"```{language}\n{text}\n```"
