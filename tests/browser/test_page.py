"""A page in any window: no errors, no requests, accessible."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from browsing import NO_SCRIPTS, SCREENS, LiveView, Opened, Screen, open_section

pytestmark = pytest.mark.browser

Open = Callable[..., Opened]


def accessibility(opened: Opened) -> str:
    """Return all violations that axe-core finds, as text."""
    results = Axe().run(opened.page, options={"rules": {"label-content-name-mismatch": {"enabled": True}}})
    return str(results.generate_report()) if results.violations_count else ""


@pytest.mark.parametrize("screen", SCREENS, ids=str)
def test_axe_finds_nothing(open_page: Open, small: Path, screen: Screen) -> None:
    opened = open_page(small, "#scope=fc/MatMul", screen=screen)
    for section in opened.page.locator("main > section").all():
        open_section(opened, section.get_attribute("id") or "")
    for view in ("scope", "graph", "op"):
        live = LiveView(opened, view)
    live.section.get_by_text("Columns", exact=True).click()
    live.least.fill("plenty")
    assert accessibility(opened) == ""


@pytest.mark.parametrize("screen", SCREENS, ids=str)
def test_axe_finds_nothing_where_scripts_are_blocked(open_page: Open, small: Path, screen: Screen) -> None:
    blocked = {"Content-Security-Policy": NO_SCRIPTS}
    assert accessibility(open_page(small, screen=screen, headers=blocked, errors="script-src 'none'")) == ""


@pytest.mark.parametrize("screen", SCREENS, ids=str)
def test_a_page_is_as_wide_as_its_window(open_page: Open, resnet: Path, screen: Screen) -> None:
    opened = open_page(resnet, screen=screen)
    assert opened.page.evaluate("document.documentElement.scrollWidth") == screen.width
