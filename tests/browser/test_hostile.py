"""Names that look like markup, scripts, links or formulas stay names wherever the page shows, saves or links them."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest
from browsing import JENKINS, LiveView, Opened, open_section
from pages import HOSTILE
from playwright.sync_api import expect

from tfprof_report.render.tables.cells import visible

pytestmark = pytest.mark.browser

Open = Callable[..., Opened]

ACTIVE = (
    "img, iframe, object, embed, base, form, [onerror], [onload], [onmouseover], [href^='javascript' i], svg[onload]"
)
"""Elements that no report has, unless a name was parsed as markup."""
SHOWN = tuple(map(visible, HOSTILE))
"""The names as pages show and save them; Parquet has them unchanged."""


def test_no_name_becomes_an_element(open_page: Open, hostile: Path) -> None:
    opened = open_page(hostile)
    for view in ("scope", "graph", "op"):
        LiveView(opened, view)
    for section in opened.page.locator("main > section").all():
        open_section(opened, section.get_attribute("id") or "")
    assert opened.page.locator(ACTIVE).count() == 0
    assert opened.page.locator("script:not([type^='application'])").count() == 1


def test_no_name_becomes_an_element_without_scripts(open_page: Open, hostile: Path) -> None:
    opened = open_page(hostile, headers={"Content-Security-Policy": JENKINS}, errors="Policy|Blocked script execution")
    assert opened.page.locator(ACTIVE).count() == 0


def test_every_name_is_a_row(open_page: Open, hostile: Path) -> None:
    view = LiveView(open_page(hostile, "#view-graph"), "graph")
    assert view.count() == len(HOSTILE)


def test_a_search_finds_every_name(open_page: Open, hostile: Path) -> None:
    view = LiveView(open_page(hostile, "#view-graph"), "graph")
    for name in SHOWN:
        view.search.fill(name)
        expect(view.status).to_contain_text(f"1 of {len(SHOWN)} rows found")


@pytest.mark.parametrize("name", SHOWN, ids=range(len(SHOWN)))
def test_a_link_to_a_name_finds_it_before_and_after_a_reload(open_page: Open, hostile: Path, name: str) -> None:
    opened = open_page(hostile, f"#graph={quote(name, safe='')}")
    for _ in range(2):
        view = LiveView(opened, "graph")
        selected = view.table.locator("[aria-selected=true]")
        expect(selected.get_by_role("rowheader")).to_have_attribute("title", name)
        opened.page.reload()


def test_links_of_the_first_screen_lead_to_rows(open_page: Open, hostile: Path) -> None:
    opened = open_page(hostile)
    for folded in opened.page.locator("#summary details:has(.ranking) > summary").all():
        folded.click()
    links = opened.page.locator("#summary .ranking a")
    assert links.count() > 0
    for link in links.all():
        link.click()
        expect(LiveView(opened, "scope").table.locator("[aria-selected=true]")).to_be_in_viewport()
        shown = link.get_attribute("title") or link.inner_text()
        expect(opened.page.locator("[aria-selected=true] [role=rowheader]")).to_have_attribute("title", shown)


def test_lines_and_marks_of_direction_are_shown_as_escapes(open_page: Open, hostile: Path) -> None:
    view = LiveView(open_page(hostile, "#view-graph"), "graph")
    for shown in view.rows().get_by_role("rowheader").evaluate_all("cells => cells.map(cell => cell.textContent)"):
        assert shown.isprintable(), shown


def test_a_saved_file_runs_no_formula(open_page: Open, hostile: Path, tmp_path: Path) -> None:
    view = LiveView(open_page(hostile, "#view-graph"), "graph")
    with view.page.expect_download() as download:
        view.section.get_by_role("button", name="CSV").click()
    download.value.save_as(tmp_path / "saved.csv")
    with (tmp_path / "saved.csv").open(newline="") as file:
        names = [row["name"] for row in csv.DictReader(file)]
    assert len(names) == len(HOSTILE)
    assert [name for name in names if name.startswith(("=", "+", "-", "@", "\t", "\r"))] == []
    assert {name.removeprefix("'") for name in names} == set(SHOWN)
