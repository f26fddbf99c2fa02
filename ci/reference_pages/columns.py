"""The page of columns: names, types and units from the schema of tables, meanings from docs/tables.md.

docs/tables.md describes each column once: in the section of its table, as a figure, or with ``X`` in place of a figure
(``self_X``). A column that it does not describe, one that no table has and a type that is another one are errors.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pyarrow as pa

from reference_pages.markdown import code, page, table
from tfprof_report.schema.index_columns import FIGURES, INDEX
from tfprof_report.schema.metrics import METRICS, SCHEMA_VERSION, VIEWS
from tfprof_report.schema.tables import TABLES
from tfprof_report.schema.units import unit_of_column

_EXPLAINED = "../tables.md"
_FILE = Path(__file__).parents[2] / "docs" / "tables.md"
_VIEW, _DIFFERENCE, _INDEX = "Views", "Differences", "The index of a store"
_NAMES = re.compile(r"`([^`]+)`")
_BOUND = re.compile("_(at_least|low|high)$")
"""How columns of the index end that have the unit of their figure."""
_LINK = re.compile(r"\]\((?=#)")
_OTHER_PAGE = re.compile(r"\]\((?=[\w-]+\.md)")

Meanings = Mapping[str, tuple[str, str]]
"""Type and meaning of each column of a section, by its name; the type is empty where it is that of a figure."""


class UndescribedError(Exception):
    """docs/tables.md and the columns differ; the message says where."""


def columns() -> str:
    """Return the page.

    Raises
    ------
    UndescribedError
        docs/tables.md does not describe the columns.
    """
    sections = _sections_of(_FILE.read_text(encoding="utf-8"))
    parts, described = [], set()
    for name, schema in {**TABLES, "index": INDEX}.items():
        title = _INDEX if name == "index" else f"{name}.parquet"
        rows = []
        for field in schema:
            section, key, (kind, meaning) = _find(field.name, name, sections)
            described.add((section, key))
            if kind and kind != type_words(field.type):
                raise UndescribedError(f"{section}: {key} has the type {type_words(field.type)}, not {kind}")
            rows.append(
                (code(field.name), type_words(field.type), unit_of_column(_BOUND.sub("", field.name)) or "", meaning)
            )
        parts += [
            f"## {title}" if name == "index" else f"## {code(title)}",
            f"[What its rows are]({_EXPLAINED}#{_anchor(_section_of(name, sections))})",
            table(("column", "type", "unit", "meaning"), rows),
        ]
    for section, words in sections.items():
        for key in words:
            if section != "Figures" and (section, key) not in described:
                raise UndescribedError(f"{section}: no table has the column {key}")
    introduction = (
        f"The columns of all tables of a report, in their order, in version {SCHEMA_VERSION} of the schema. "
        f"[Tables of a report]({_EXPLAINED}) explains them. NULL means unknown, never 0; words that repeat are "
        "dictionary-coded strings."
    )
    return page("Columns", introduction, *parts)


def type_words(kind: pa.DataType) -> str:
    """Return a type in the words of docs/tables.md."""
    if pa.types.is_dictionary(kind):
        return type_words(kind.value_type)
    if pa.types.is_list(kind):
        return f"list of {type_words(kind.value_type)}"
    if pa.types.is_struct(kind):
        return "struct"
    return "float64" if pa.types.is_float64(kind) else "timestamp" if pa.types.is_timestamp(kind) else str(kind)


def _sections_of(text: str) -> dict[str, dict[str, tuple[str, str]]]:
    """Return for each section with a table of columns what it says of each."""
    sections: dict[str, dict[str, tuple[str, str]]] = {}
    for part in re.split(r"^##+ ", text, flags=re.MULTILINE)[1:]:
        title = part.split("\n", 1)[0].strip("`")
        for head, rows in _tables_in(part):
            if head[0] in ("column", "stem"):
                section = sections.setdefault(title, {})
                for row in rows:
                    cells = dict(zip(head, row, strict=True))
                    kind = cells.get("type", cells.get("unit, type", "").rpartition(" ")[2])
                    meaning = _OTHER_PAGE.sub("](../", _LINK.sub(f"]({_EXPLAINED}", cells["meaning"]))
                    section |= dict.fromkeys(_NAMES.findall(cells[head[0]]), (kind.strip(), meaning))
    return sections


def _tables_in(text: str) -> Iterator[tuple[list[str], list[list[str]]]]:
    for found in re.findall(r"(?:^\|.*\|\n)+", text, flags=re.MULTILINE):
        head, _, *rows = ([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in found.splitlines())
        yield head, rows


def _section_of(name: str, sections: Mapping[str, Meanings]) -> str:
    """Return the section that is about a table."""
    if name == "index":
        return _INDEX
    own = f"{name}.parquet"
    return own if own in sections else _DIFFERENCE if name.startswith("diff_") else _VIEW if name in VIEWS else own


def _find(column: str, name: str, sections: Mapping[str, Meanings]) -> tuple[str, str, tuple[str, str]]:
    """Return the section that describes a column of a table, under which name, and its type and meaning."""
    own = _section_of(name, sections)
    places = [own, *([_DIFFERENCE, "layers.parquet"] if name == "diff_layers" else [])]
    for section in places:
        words = sections.get(section, {})
        if column in words:
            return section, column, words[column]
        for key, (kind, meaning) in words.items():
            if found := _stem(key, column):
                return (
                    section,
                    key,
                    (kind, meaning.replace("`X`", code(found)).replace("`total_X`", code(f"total_{found}"))),
                )
        bare = column.removeprefix("base_").removeprefix("head_")
        if section == "layers.parquet" and bare in words:
            return section, bare, words[bare]
    if column in sections["Figures"]:
        return "Figures", column, ("", sections["Figures"][column][1])
    raise UndescribedError(f"{own}: nothing is said of the column {column}")


def _stem(pattern: str, column: str) -> str | None:
    """Return the figure for which a column has the form of a pattern (``self_X``, ``STEM_unknown``), if it has."""
    if not re.search(r"X$|STEM", pattern):
        return None
    before, _, after = pattern.replace("STEM", "X").partition("X")
    stem = column.removeprefix(before).removesuffix(after)
    known = FIGURES if "STEM" in pattern else METRICS
    return stem if stem in known and f"{before}{stem}{after}" == column else None


def _anchor(title: str) -> str:
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")
