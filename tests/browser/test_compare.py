"""The page of reports side by side: in every window, without scripts and styles, and with hostile names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from browsing import JENKINS, NO_SCRIPTS, SCREENS, Opened, Screen
from columned import column, four_models, write_page
from pages import HOSTILE
from playwright.sync_api import Page

pytestmark = pytest.mark.browser

Open = Callable[..., Opened]


@pytest.fixture(scope="module")
def four(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the page of four models, and of one that is counted otherwise."""
    older = column("older", {"stem": 5}, params=100, float_ops=900, counting_version=2)
    return write_page(tmp_path_factory.mktemp("four"), *four_models(), older)


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the page of 50 models, the most that are compared."""
    columns = [
        column(
            f"model-{number}",
            {f"layer-{each}": each * number for each in range(40)},
            float_ops=10**9 + 10**7 * (number * 13 % 50),
            params=10**6 + 10**4 * (number * 29 % 50),
            device_peak_bytes=1 << 20 + number % 9,
            wall_micros=1000.0 + number,
        )
        for number in range(50)
    ]
    return write_page(tmp_path_factory.mktemp("many"), *columns)


def first_column(page: Page, table: str) -> list[str]:
    return page.locator(f"table:has(#{table}) tbody th").all_inner_texts()


@pytest.mark.parametrize("screen", SCREENS, ids=str)
def test_axe_finds_nothing_and_the_page_is_as_wide_as_its_window(open_page: Open, four: Path, screen: Screen) -> None:
    page = open_page(four, screen=screen).page
    results = Axe().run(page)
    assert results.violations_count == 0, results.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth") == screen.width


@pytest.mark.parametrize("screen", SCREENS[::2], ids=str)
def test_50_models_fit_into_the_window_too(open_page: Open, many: Path, screen: Screen) -> None:
    page = open_page(many, screen=screen).page
    results = Axe().run(page)
    assert results.violations_count == 0, results.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth") == screen.width


def test_labels_of_pictures_stay_within_them(open_page: Open, many: Path) -> None:
    outside = open_page(many).page.evaluate(
        """() => [...document.querySelectorAll("#front svg text")].filter((text) => {
            const { left, right } = text.getBoundingClientRect();
            const around = text.closest("svg").getBoundingClientRect();
            return left < around.left - 1 || right > around.right + 1;
        }).map((text) => text.textContent)"""
    )
    assert outside == []


def test_the_table_of_the_front_can_be_sorted_and_that_of_figures_of_all_units_cannot(
    open_page: Open, four: Path
) -> None:
    page = open_page(four).page
    page.locator("table:has(#front-table)").get_by_role("button", name="Parameters").click()
    assert first_column(page, "front-table")[-1] == "untimed"
    assert page.locator("table:has(#figures-table) button").count() == 0


@pytest.mark.parametrize("policy", [NO_SCRIPTS, JENKINS])
def test_without_scripts_and_styles_everything_is_there(open_page: Open, four: Path, policy: str) -> None:
    opened = open_page(four, headers={"Content-Security-Policy": policy}, errors="Policy|Blocked script execution")
    page = opened.page
    assert first_column(page, "front-table") == ["wide", "deep", "</script><b>|", "untimed", "older"]
    assert first_column(page, "layers-table") == ["stem", "head", "tail"]
    assert page.locator("#front svg").count() == 6
    assert "No figure can be compared of older." in opened.text(".verdict")


def test_hostile_names_do_nothing(open_page: Open, tmp_path: Path) -> None:
    columns = [
        column(name, {name: 10 + place}, params=place, float_ops=place, branch=name, label=name)
        for place, name in enumerate(HOSTILE)
    ]
    opened = open_page(write_page(tmp_path, *columns))
    page = opened.page
    for button in page.locator("thead button").all():
        button.click()
    assert page.locator("main script, main img, main [onload], main [onmouseover]").count() == 0
    assert len(first_column(page, "front-table")) == len(HOSTILE)


def test_the_keyboard_reaches_what_scrolls(open_page: Open, many: Path) -> None:
    page = open_page(many).page
    scrolled = page.get_by_role("region", name="Figures")
    scrolled.focus()
    page.keyboard.press("End")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => document.querySelector('#figures .scroll').scrollLeft > 0")
