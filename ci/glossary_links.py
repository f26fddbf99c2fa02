"""Finds where a page uses a word of docs/glossary.md first, without a link to it.

    ci/glossary_links.py            print these places; the exit code is 1 if there are any
    ci/glossary_links.py --write    make the links

Only running text counts: not headings, tables, code, HTML, nor the text of other links. Pages that a program writes are
left out.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
GLOSSARY = ROOT / "docs" / "glossary.md"
WRITTEN_BY_PROGRAMS = ("docs/flops.md", "docs/differences.md", "docs/comparison.md", "docs/reference/", "docs/index.md")
ALSO_WRITTEN = {"Run metadata": "RunMetadata", "FLOPs": "FLOP", "MACs": "multiply-adds", "Residual bytes": "residual"}
"""Another way to write a term."""
OTHER_MEANINGS = {
    "Store": ("docs/installing.md",),
    "Step": (
        *("docs/baselines.md", "docs/causes.md", "docs/history.md", "docs/how-to/", "docs/output.md"),
        *("docs/reading-a-report.md", "docs/releasing.md"),
    ),
}
"""Pages on which a term is another word first, such as a step of a curve or of a job."""

_NO_PROSE = re.compile(
    r"^ *```.*?^ *```$|`[^`]*`|!?\[[^\[\]]*\]\([^)]*\)|<[^>]*>|^ *(?:#|\||<).*?$",
    re.DOTALL | re.MULTILINE,
)
"""Blocks and spans of code, links, tags, headings, rows of tables."""


class Use(NamedTuple):
    """The first use of a term on a page: number of the line from 0, and where in it."""

    term: str
    line: int
    start: int
    end: int


def anchor_of(heading: str) -> str:
    """Return the anchor of a heading, as code hosts make it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def terms() -> list[str]:
    """Return the terms of the glossary in their order."""
    return re.findall(r"^## (.+)$", GLOSSARY.read_text("utf-8"), re.MULTILINE)


def pages() -> list[Path]:
    """Return the README and all pages of docs that a person writes, but the glossary itself."""
    found = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [
        path for path in found if path != GLOSSARY and not str(path.relative_to(ROOT)).startswith(WRITTEN_BY_PROGRAMS)
    ]


def missing_links(page: Path) -> list[Use]:
    """Return the first uses of terms on a page that come before any link to them, in the order of the glossary."""
    text = page.read_text("utf-8")
    lines, prose = text.split("\n"), _blank(_NO_PROSE, text).split("\n")
    found, known, name = [], terms(), str(page.relative_to(ROOT))
    for term in known:
        if name.startswith(OTHER_MEANINGS.get(term, ("/",))):
            continue
        longer = [re.escape(other) for other in known if term.lower() in other.lower() and other != term]
        apart = re.compile("|".join(longer) or "(?!)", re.IGNORECASE)
        forms = "|".join(re.escape(form) for form in (term, ALSO_WRITTEN.get(term)) if form)
        pattern = re.compile(rf"(?<![\w./*-])(?:{forms})s?(?![\w*-]|\.\w)", re.IGNORECASE)
        uses = ((line, match) for line, words in enumerate(prose) if (match := pattern.search(_blank(apart, words))))
        line, match = next(uses, (-1, None))
        target = f"{GLOSSARY.name}#{anchor_of(term)})"
        if match and target not in "\n".join(lines[:line]) + lines[line]:
            found.append(Use(term, line, *match.span()))
    return found


def _blank(pattern: re.Pattern[str], text: str) -> str:
    """Return the text with spaces in place of what matches, so that places in it stay the same."""
    return pattern.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def link(page: Path, uses: list[Use]) -> None:
    """Make these uses links to the glossary."""
    lines = page.read_text("utf-8").split("\n")
    to = os.path.relpath(GLOSSARY, page.parent)
    for use in sorted(uses, key=lambda use: (use.line, use.start), reverse=True):
        text = lines[use.line]
        words = text[use.start : use.end]
        lines[use.line] = f"{text[: use.start]}[{words}]({to}#{anchor_of(use.term)}){text[use.end :]}"
    page.write_text("\n".join(lines), encoding="utf-8")


def main() -> int:
    """Print or mend the missing links; return 1 if some are missing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="make the links")
    arguments = parser.parse_args()
    missing = {page: uses for page in pages() if (uses := missing_links(page))}
    for page, uses in missing.items():
        if arguments.write:
            link(page, uses)
            continue
        for use in uses:
            print(f"{page.relative_to(ROOT)}:{use.line + 1}: {use.term}")
    return int(bool(missing) and not arguments.write)


if __name__ == "__main__":
    sys.exit(main())
