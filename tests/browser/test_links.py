"""Links to rows: opened, followed, shared, and undone by Back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest
from browsing import LiveView, Opened
from command import small_model, write_report
from playwright.sync_api import expect

from tfprof_report.render.html import page_data

pytestmark = pytest.mark.browser

Open = Callable[..., Opened]


def test_a_link_leads_to_its_row_and_survives_a_reload(open_page: Open, resnet: Path) -> None:
    opened = open_page(resnet, "#scope=unit_1_0/sub1")
    for _ in range(2):
        selected = LiveView(opened, "scope").table.locator("[aria-selected=true]")
        expect(selected).to_be_in_viewport()
        expect(selected.get_by_role("rowheader")).to_have_attribute("title", "unit_1_0/sub1")
        assert opened.page.url.endswith("#scope=unit_1_0/sub1")
        opened.page.reload()


@pytest.mark.parametrize("view", ["graph", "op"])
def test_every_view_has_links(open_page: Open, resnet: Path, view: str) -> None:
    name = {"graph": "unit_1_0/sub1/conv1/Conv2D", "op": "Conv2D"}[view]
    selected = LiveView(open_page(resnet, f"#{view}={quote(name)}"), view).table.locator("[aria-selected=true]")
    expect(selected).to_be_in_viewport()


def test_the_first_entry_of_the_first_screen_leads_to_its_row_and_back(open_page: Open, resnet: Path) -> None:
    opened = open_page(resnet)
    opened.page.locator("#summary details:has(.ranking) > summary").first.click()
    link = opened.page.locator("#summary .ranking a").first
    name = link.inner_text()
    link.click()
    selected = LiveView(opened, "scope").table.locator("[aria-selected=true]")
    expect(selected).to_be_in_viewport()
    expect(selected.get_by_role("rowheader")).to_have_attribute("title", name)
    opened.page.go_back()
    assert "#" not in opened.page.url


def test_a_link_to_no_row_says_so(open_page: Open, resnet: Path) -> None:
    view = LiveView(open_page(resnet, "#scope=no/such%20row"), "scope")
    expect(view.status).to_contain_text("no/such row")


def test_a_link_to_a_row_that_a_large_page_lacks_says_where_it_is(
    open_page: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_data.view_block, "__kwdefaults__", {"max_rows": 1})
    folder = write_report(small_model(tmp_path / "model"), tmp_path / "report")
    view = LiveView(open_page(folder, "#scope=fc/MatMul"), "scope")
    words = "This page does not carry fc/MatMul: it has 1 of the 4 rows of this view."
    expect(view.status).to_have_text(f"{words} Look for it in scope.parquet or nodes.parquet.")


@pytest.mark.parametrize("fragment", ["#scope=%", "#scope=%E0%A4%A", "#nothing=here", "#scope=", "#=", "#data-scope"])
def test_broken_links_do_no_harm(open_page: Open, resnet: Path, fragment: str) -> None:
    opened = open_page(resnet, fragment)
    opened.page.wait_for_selector("html[data-ready=true]")
    assert opened.text("h1")
