"""The first screen of one model: a figure is chosen, and its layers are shown, with and without scripts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from browsing import JENKINS, SCREENS, Opened, Screen
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

Open = Callable[..., Opened]

CHOICES = ("FLOPs", "Parameters", "Peak memory", "Time")
TABLES = ["Layers by FLOPs", "Layers by trainable parameters", "Layers by memory at the peak", "Layers by op time"]

SCRIPTS: dict[str, dict[str, Any]] = {"scripts": {}, "no scripts": {"java_script_enabled": False}}


def shown(opened: Opened) -> list[str]:
    """Return the captions of the tables of layers that are shown."""
    tables = opened.page.locator(".taken > table").all()
    return [table.locator("caption").text_content() or "" for table in tables if table.is_visible()]


@pytest.mark.parametrize("way", SCRIPTS.values(), ids=list(SCRIPTS))
def test_a_figure_is_chosen_by_mouse_and_by_keyboard(open_page: Open, alone: Path, way: dict[str, Any]) -> None:
    opened = open_page(alone, **way)
    assert shown(opened) == TABLES[:1]
    for place, word in enumerate(CHOICES):
        opened.page.locator(".figure-choice label", has_text=word).click()
        assert shown(opened) == [TABLES[place]]
    opened.page.keyboard.press("ArrowLeft")
    assert shown(opened) == [TABLES[2]]


@pytest.mark.parametrize("screen", SCREENS, ids=str)
def test_the_chosen_figure_has_a_picture_that_needs_no_scripts(open_page: Open, alone: Path, screen: Screen) -> None:
    opened = open_page(alone, screen=screen, java_script_enabled=False)
    for word in CHOICES:
        opened.page.locator(".figure-choice label", has_text=word).click()
        (picture,) = (each for each in opened.page.locator(".taken svg[role=img]").all() if each.is_visible())
        assert (picture.locator("text").first.text_content() or "").startswith("All ")
        assert picture.locator("rect").count() > 20


def test_the_picture_zooms_by_mouse_and_by_keyboard(open_page: Open, alone: Path) -> None:
    page = open_page(alone).page
    page.locator(".figure-choice label", has_text="Peak memory").click()
    taken = page.locator(".taken.device_peak_bytes")
    picture = taken.get_by_role("application")
    expect(picture.locator("text").first).to_have_text("All: 343.00 MiB Memory at the peak")
    expect(taken.locator("svg[role=img]")).to_be_hidden()
    picture.locator("rect[data-row]").nth(1).click()
    path = taken.get_by_role("navigation").get_by_role("button")
    expect(path).to_have_text(["All", "unit_1_0"])
    expect(taken.get_by_role("status")).to_contain_text("unit_1_0: Memory at the peak: 37,749,120 B (10.50 % of all)")
    expect(taken.get_by_role("status").get_by_role("link")).to_have_attribute("href", "#scope=unit_1_0")
    picture.press("Escape")
    expect(path).to_have_text(["All"])


def test_the_layers_that_hold_most_of_the_peak_are_named_at_once(open_page: Open, alone: Path) -> None:
    card = open_page(alone).page.locator(".card", has_text="Peak memory").first
    expect(card).to_contain_text("most in unit_1_1 … unit_1_3 x 3: 108.00 MiB (31.49 %)")


def test_without_styles_all_tables_are_shown(open_page: Open, alone: Path) -> None:
    opened = open_page(
        alone,
        headers={"Content-Security-Policy": JENKINS},
        errors="Content Security Policy|Blocked script execution",
    )
    assert shown(opened) == TABLES


def test_a_layer_leads_to_its_scope(open_page: Open, alone: Path) -> None:
    opened = open_page(alone)
    taken = opened.page.locator(".taken.float_ops")
    link = taken.locator("tbody a").first
    expect(link).to_be_hidden()
    taken.locator("summary").first.click()
    assert link.get_attribute("href") == "#scope=unit_3_1"
    link.click()
    opened.page.locator("[data-view=scope]").get_by_text("unit_3_1", exact=True).first.wait_for()


def test_all_layers_are_a_click_away(open_page: Open, alone: Path) -> None:
    opened = open_page(alone)
    opened.page.get_by_role("link", name="All layers").first.click()
    opened.page.locator("#layers").get_by_text("unit_last/final_bn").first.wait_for()


@pytest.mark.parametrize("way", SCRIPTS.values(), ids=list(SCRIPTS))
@pytest.mark.parametrize(("fixture", "table"), [("alone", ".taken.float_ops"), ("resnet", ".waterfall")])
def test_a_folded_row_opens_to_what_it_folds(
    open_page: Open, fixture: str, table: str, way: dict[str, Any], request: pytest.FixtureRequest
) -> None:
    opened = open_page(request.getfixturevalue(fixture), **way)
    body = opened.page.locator(table).first.locator("tbody:has(summary)").first
    members = body.locator(".member")
    assert members.count() > 3
    expect(members.first).to_be_hidden()
    body.locator("summary").click()
    expect(members.first).to_be_visible()
    expect(members.last).to_be_visible()
    expect(opened.page.locator(".member:visible")).to_have_count(members.count())


@pytest.mark.parametrize("screen", SCREENS, ids=str)
def test_axe_finds_nothing_and_the_page_is_as_wide_as_its_window(open_page: Open, alone: Path, screen: Screen) -> None:
    opened = open_page(alone, screen=screen)
    assert opened.page.evaluate("document.documentElement.scrollWidth") == screen.width
    for summary in opened.page.locator(".taken summary:visible").all():
        summary.click()
    results = Axe().run(opened.page)
    assert not results.violations_count, results.generate_report()
