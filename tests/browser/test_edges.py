"""Edge cases of pages: nothing to show, and controls on a phone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from browsing import PHONE, LiveView, Opened
from command import write_report
from playwright.sync_api import expect
from repository import DATA

pytestmark = pytest.mark.browser

Open = Callable[..., Opened]


def test_a_view_without_rows_stays_as_it_is_without_scripts(open_page: Open, tmp_path: Path) -> None:
    (tmp_path / "graph.pbtxt").write_text("versions { producer: 1 }\n")
    folder = write_report(tmp_path / "graph.pbtxt", tmp_path / "report", code=5)
    page = open_page(folder, "#scope=none").page
    page.locator("html[data-ready]").wait_for()
    section = page.locator("[data-view=scope]")
    expect(section.get_by_role("table")).to_be_visible()
    expect(section.get_by_role("treegrid")).to_have_count(0)


def test_columns_are_chosen_within_the_width_of_a_phone(open_page: Open, resnet: Path) -> None:
    view = LiveView(open_page(resnet, "#view-scope", screen=PHONE), "scope")
    view.section.get_by_text("Columns", exact=True).click()
    expect(view.section.get_by_role("checkbox", name="FLOPs, self delta")).to_be_attached()
    assert view.page.evaluate("document.documentElement.scrollWidth") == PHONE.width


def test_lower_bounds_fit_a_phone(open_page: Open, tmp_path: Path) -> None:
    folder = write_report(DATA / "xplane" / "made_gpu", tmp_path / "report")
    page = open_page(folder, screen=PHONE).page
    page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")
    expect(page.get_by_text("at least 3.91 KiB").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE.width
