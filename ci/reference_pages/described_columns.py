"""What the pages of docs/ say of columns: each once, in the section of its table, as a figure, or for every figure.

A section has a table whose first column is headed ``column`` (or ``stem``: figures). A name with ``X`` or ``STEM``
stands for the columns of all figures, such as ``self_X``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from tfprof_report.record import record
from tfprof_report.schema.index_columns import FIGURES
from tfprof_report.schema.metrics import METRICS

OF_FIGURES = "Figures"
"""The section on the figures themselves, whose types differ from table to table."""

_NAMES = re.compile(r"`([^`]+)`")
_TO_SECTION = re.compile(r"\]\((?=#)")
_TO_PAGE = re.compile(r"\]\((?=[\w-]+\.md)")


class UndescribedError(Exception):
    """The pages and the columns differ; the message says where."""


@record
class Description:
    """What is said of a column: its type, empty where that depends on the figure or is not told, and its meaning."""

    kind: str
    meaning: str


@record
class Section:
    """A section on columns: the file that it is in, its title, and what it says of each column by name."""

    file: str
    title: str
    columns: Mapping[str, Description]

    @property
    def address(self) -> str:
        """Where it is, seen from a page of the reference."""
        anchor = re.sub(r"[^\w -]", "", self.title.lower()).replace(" ", "-")
        return f"../{self.file}#{anchor}"

    def find(self, column: str) -> tuple[str, Description] | None:
        """Return what is said of a column, and under which name; None if nothing is."""
        if column in self.columns:
            return column, self.columns[column]
        for name, found in self.columns.items():
            if stem := _figure_of(name, column):
                meaning = re.sub(r"`(\w*)X`", rf"`\g<1>{stem}`", found.meaning)
                return name, Description(kind=found.kind, meaning=meaning)
        return None


def read_sections(docs: Path, files: tuple[str, ...]) -> dict[str, Section]:
    """Return the sections on columns of pages of `docs`, by title."""
    found = (section for file in files for section in _sections_of((docs / file).read_text(encoding="utf-8"), file))
    return {section.title: section for section in found}


def _sections_of(text: str, file: str) -> Iterator[Section]:
    for part in re.split(r"^##+ ", text, flags=re.MULTILINE)[1:]:
        columns: dict[str, Description] = {}
        for head, rows in _tables_in(part):
            for row in rows if head[0] in ("column", "stem") else ():
                kind = row[1] if head[1] == "type" else ""
                meaning = _TO_PAGE.sub("](../", _TO_SECTION.sub(f"](../{file}", row[-1]))
                columns |= dict.fromkeys(_NAMES.findall(row[0]), Description(kind=kind, meaning=meaning))
        if columns:
            yield Section(file=file, title=part.split("\n", 1)[0].strip("`"), columns=columns)


def _tables_in(text: str) -> Iterator[tuple[list[str], list[list[str]]]]:
    """Yield the head and the rows of each table of a page."""
    for found in re.findall(r"(?:^\|.*\|\n)+", text, flags=re.MULTILINE):
        head, _, *rows = ([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in found.splitlines())
        yield head, rows


def _figure_of(name: str, column: str) -> str | None:
    """Return the figure for which a column has the form of a name (``self_X``, ``STEM_unknown``), None if for none."""
    if not re.search(r"X$|STEM", name):
        return None
    before, _, after = name.replace("STEM", "X").partition("X")
    stem = column.removeprefix(before).removesuffix(after)
    known = FIGURES if "STEM" in name else METRICS
    return stem if stem in known and f"{before}{stem}{after}" == column else None
