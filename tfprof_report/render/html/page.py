"""The report as one self-contained HTML file: readable without scripts, interactive with them."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

from jinja2 import Environment
from markupsafe import Markup, escape

from tfprof_report.compare.causes.carriers import VIEW
from tfprof_report.render.content.first_screen import Screen, make_screen
from tfprof_report.render.content.sections import Limits, Section, make_sections
from tfprof_report.render.content.takers import Takers
from tfprof_report.render.content.trend import Trend
from tfprof_report.render.files.templates import make_environment, read_asset
from tfprof_report.render.html.figure_bars import part_key, parts_bar, share_bar
from tfprof_report.render.html.limit_bars import limit_bar
from tfprof_report.render.html.node_block import BASE_NAME as BASE_NODES
from tfprof_report.render.html.node_block import NAME as NODES
from tfprof_report.render.html.node_block import base_node_block, node_block
from tfprof_report.render.html.page_data import LAYERS, layers_block, page_meta, view_block
from tfprof_report.render.html.pictures import layers_picture, pictures_of
from tfprof_report.render.html.sparkline import sparkline
from tfprof_report.render.html.waterfall_bars import waterfall_bar
from tfprof_report.render.tables.cells import Cell, Column, Row, Table
from tfprof_report.render.tables.changes_tables import PARTS
from tfprof_report.report.report import Report

_STATIC = ("float_ops", "macs", "params", "bytes", "micros", "definition_count")

LIMITS = Limits(
    view_rows=2000,
    changed_rows=50,
    changed_nodes=20,
    other_rows=200,
    examples=10,
    stems=_STATIC,
    change_stems=_STATIC,
    change_parts=tuple(PARTS),
)
"""What a page shows without scripts: more rows make browsers slow, more columns are wider than paper."""


_STYLES = ("base.css", "views.css")
_SCRIPT = "report.js"
"""Files of ``assets/``; `make scripts` bundles the script from ``report_templates/scripts/``."""


_ON_PAPER = 100
_DEEPEST = 24
"""Maximum levels of indentation; deeper rows are indented as much as these."""


def render_html(
    report: Report,
    blocks: Mapping[str, Callable[[], str]] | None = None,
    screen: Callable[[], Screen] | None = None,
) -> str:
    """Return `report` as a self-contained HTML page.

    The page makes no request: its content security policy forbids them, and allows no style or script but ours, by
    digest. Figures are scaled for people, with the exact one in the title. Names are always text; control characters
    are shown as escapes. The same report gives the same page. `blocks` are `blocks_of` the report, and `screen`
    returns its first screen; without them they are made here.
    """
    content = screen() if screen else make_screen(report)
    links = content.links
    return render_page(
        "report",
        _STYLES,
        _SCRIPT,
        screen=content,
        sections=[_linked(section, links) for section in make_sections(report, LIMITS)],
        pictures=pictures_of(report),
        data=tuple(_data(report, content.takers, blocks or blocks_of(report))),
    )


def _linked(section: Section, links: Mapping[str, str]) -> Section:
    """Return a section whose rows have the anchors that `links` to scopes, by name, lead to if there are no scripts."""
    if section.kind.view != VIEW:
        return section
    tables = (replace(table, rows=tuple(_with_anchor(row, links) for row in table.rows)) for table in section.tables)
    return replace(section, tables=tuple(tables))


def _with_anchor(row: Row, links: Mapping[str, str]) -> Row:
    name = row[0].exact or row[0].text
    return (row[0]._replace(anchor=links[name].removeprefix("#")), *row[1:]) if name in links else row


def blocks_of(report: Report) -> dict[str, Callable[[], str]]:
    """Return functions that return the blocks of a report for the page's scripts: the rows of each view, and nodes."""
    views = {name: partial(view_block, report, name) for name in report.head.views}
    if not views:
        return {}
    return {**views, NODES: partial(node_block, report), BASE_NODES: partial(base_node_block, report)}


def _data(report: Report, takers: Sequence[Takers], blocks: Mapping[str, Callable[[], str]]) -> Iterator[Markup]:
    """Yield the data for scripts, in script elements of types that no browser runs: the policy need not list them."""
    meta, kind = page_meta(report), 'type="application/octet-stream" data-encoding="gzip"'
    trees = {f"{LAYERS}-{each.stem}": layers_block(each.tree) for each in takers if each.tree is not None}
    yield Markup(f'<script type="application/json" id="meta">{meta}</script>')  # noqa: S704 it has no "<"
    for name, block in (*trees.items(), *((name, make()) for name, make in blocks.items())):
        if block:
            yield Markup(f'<script {kind} id="data-{name}">{block}</script>')  # noqa: S704 base64


def render_page(template: str, styles: Iterable[str], script: str, **content: Any) -> str:
    """Return a page from the named template, with styles, a script, and a policy that allows no others."""
    style, code = _joined(styles), _joined([script])
    policy = f"default-src 'none'; img-src data:; style-src {_digest(style)}; script-src {_digest(code)}"
    page = page_environment().get_template(f"html/{template}.html.j2")
    return page.render(style=style, script=code, policy=policy, **content)


def _joined(names: Iterable[str]) -> Markup:
    return Markup("\n".join(map(read_asset, names)))  # noqa: S704 our own files, without anything from a report


def _digest(text: Markup) -> str:
    """Return the hash source of a content security policy that allows an element with exactly this text."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@cache
def page_environment() -> Environment:
    """Return the environment of all pages, with the filters of their templates."""
    environment = make_environment(autoescape=True)
    bars = {
        "limit_bar": limit_bar,
        "parts_bar": parts_bar,
        "share_bar": share_bar,
        "sparkline": _trend_line,
        "waterfall_bar": waterfall_bar,
    }
    environment.filters |= {"html_rows": html_rows, "layers_picture": layers_picture, "part_key": part_key, **bars}
    return environment


def _trend_line(trend: Trend) -> Markup:
    return sparkline(trend.values, text=trend.text)


def html_rows(table: Table) -> Markup:
    """Return the body of a table, the first cell of each row as its header; rows that are not printed have a class.

    A row that opens is in a body of its own, with the rows that it opens to. A page has up to 100,000 cells: joining
    strings is several times faster than a loop in a template.
    """
    printed = _printed(table.rows)
    opened = table.members or ((),) * len(table.rows)
    rows = [
        _row(row, table.columns, name="" if place in printed else "more", opens=bool(members))
        for place, (row, members) in enumerate(zip(table.rows, opened, strict=True))
    ]
    if not any(opened):
        return _body(rows)
    return Markup("\n").join(
        _body([row, *(_row(member, table.columns, name="member") for member in members)])
        for row, members in zip(rows, opened, strict=True)
    )


def _body(rows: Sequence[str]) -> Markup:
    return Markup('<tbody align="left">\n' + "\n".join(rows) + "\n</tbody>")  # noqa: S704 each part is escaped in _open


def _printed(rows: Sequence[Row]) -> frozenset[int]:
    """Return the numbers of the rows that are printed: the upper levels of a tree."""
    return frozenset(sorted(range(len(rows)), key=lambda place: rows[place][0].depth)[:_ON_PAPER])


def _row(row: Row, columns: Sequence[Column], *, name: str, opens: bool = False) -> str:
    """Return a row of the class `name`, empty for none."""
    head, *rest = (
        _open(cell, is_number=column.is_number, opens=opens and not place)
        for place, (cell, column) in enumerate(zip(row, columns, strict=True))
    )
    cells = "".join(f"<td{cell}</td>" for cell in rest)
    place = f' id="{escape(row[0].anchor)}"' if row and row[0].anchor else ""
    mark = f' class="{name}"' if name else ""
    return f'<tr{place}{mark}><th scope="row"{head}</th>{cells}</tr>'


def _open(cell: Cell, *, is_number: bool, opens: bool = False) -> str:
    """Return attributes and text of a cell, without the name of its tag; empty and redundant attributes are omitted."""
    classes = " ".join(word for word in ("n" if is_number else "", "name" if cell.is_name else "", cell.tone) if word)
    text = f"{_indent(cell)}{escape(cell.text)}"
    return "".join(
        (
            f' class="{classes}"' if classes else "",
            f' data-key="{cell.key}"' if is_number and cell.key != cell.text else "",
            f' title="{escape(cell.exact)}"' if cell.exact else "",
            f"><details><summary>{text}</summary></details>" if opens else f">{text}",
        )
    )


def _indent(cell: Cell) -> str:
    """Return the indentation of a cell as no-break spaces, so that a page without styles shows the tree too."""
    spaces = "\N{NO-BREAK SPACE}" * (2 * min(cell.depth, _DEEPEST))
    return spaces if cell.is_name or not spaces else f'<span class="name">{spaces}</span>'
