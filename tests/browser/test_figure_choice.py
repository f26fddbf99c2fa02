"""The first screen of one model: a figure is chosen, and its layers are shown, with and without scripts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from browsing import JENKINS, SCREENS, Opened, Screen

pytestmark = pytest.mark.browser

Open = Callable[..., Opened]

TABLES = ["Layers by FLOPs", "Layers by trainable parameters", "Layers by requested memory", "Layers by op time"]

SCRIPTS: dict[str, dict[str, Any]] = {"scripts": {}, "no scripts": {"java_script_enabled": False}}


def shown(opened: Opened) -> list[str]:
    """Return the captions of the tables of layers that are shown."""
    tables = opened.page.locator(".taken > table").all()
    return [table.locator("caption").text_content() or "" for table in tables if table.is_visible()]


@pytest.mark.parametrize("way", SCRIPTS.values(), ids=list(SCRIPTS))
def test_a_figure_is_chosen_by_mouse_and_by_keyboard(open_page: Open, alone: Path, way: dict[str, Any]) -> None:
    opened = open_page(alone, **way)
    assert shown(opened) == TABLES[:1]
    for place, word in enumerate(("FLOPs", "Parameters", "Memory", "Time")):
        opened.page.locator(".figure-choice label", has_text=word).click()
        assert shown(opened) == [TABLES[place]]
    opened.page.keyboard.press("ArrowLeft")
    assert shown(opened) == [TABLES[2]]


def test_without_styles_all_tables_are_shown(open_page: Open, alone: Path) -> None:
    opened = open_page(
        alone,
        headers={"Content-Security-Policy": JENKINS},
        errors="Content Security Policy|Blocked script execution",
    )
    assert shown(opened) == TABLES


def test_a_layer_leads_to_its_scope(open_page: Open, alone: Path) -> None:
    opened = open_page(alone)
    link = opened.page.locator(".taken.float_ops tbody a").first
    assert link.get_attribute("href") == "#scope=unit_3_1"
    link.click()
    opened.page.locator("[data-view=scope]").get_by_text("unit_3_1", exact=True).first.wait_for()


def test_all_layers_are_a_click_away(open_page: Open, alone: Path) -> None:
    opened = open_page(alone)
    opened.page.get_by_role("link", name="All layers").first.click()
    opened.page.locator("#layers").get_by_text("unit_last/final_bn").first.wait_for()


@pytest.mark.parametrize("screen", SCREENS, ids=str)
def test_axe_finds_nothing_and_the_page_is_as_wide_as_its_window(open_page: Open, alone: Path, screen: Screen) -> None:
    opened = open_page(alone, screen=screen)
    assert opened.page.evaluate("document.documentElement.scrollWidth") == screen.width
    results = Axe().run(opened.page)
    assert not results.violations_count, results.generate_report()
