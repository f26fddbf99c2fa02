"""The page that lists many reports: search, sort, the keyboard, screen readers; without scripts; 2,000 rows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from browsing import JENKINS, NO_SCRIPTS, SCREENS, SLOWNESS, Opened, Screen
from listed import listed_row, odd_rows, write_index_page
from playwright.sync_api import Locator, Page, expect

pytestmark = pytest.mark.browser

Open = Callable[..., Opened]

MANY = 2000


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_index_page(odd_rows(), tmp_path_factory.mktemp("odd"))


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_index_page([listed_row(number) for number in range(MANY)], tmp_path_factory.mktemp("many"))


def ready(opened: Opened) -> Page:
    opened.page.locator("html[data-ready=true]").wait_for()
    return opened.page


def shown(page: Page) -> list[str]:
    """Return the models of the rows that are shown."""
    return list(page.locator("tbody tr:not([hidden]) th").all_inner_texts())


def search(page: Page) -> Locator:
    return page.get_by_role("searchbox", name="Search")


@pytest.mark.parametrize("screen", SCREENS, ids=str)
def test_axe_finds_nothing_and_the_page_is_as_wide_as_its_window(open_page: Open, odd: Path, screen: Screen) -> None:
    page = ready(open_page(odd, screen=screen))
    results = Axe().run(page)
    assert results.violations_count == 0, results.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth") == screen.width


def test_rows_that_have_every_word_stay_and_their_number_is_said(open_page: Open, odd: Path) -> None:
    page = ready(open_page(odd))
    search(page).fill("MAIN ok")
    assert shown(page) == ["model-01"]
    expect(page.get_by_role("status")).to_have_text("1 of 4 reports")
    search(page).fill("is not a graphdef")
    assert shown(page) == ["broken"]
    search(page).fill("</script>")
    assert shown(page) == ["</script><b>|"]
    search(page).fill("00000010000000000")  # the whole commit, of which the beginning is shown
    assert shown(page) == ["model-01"]
    search(page).fill("nothing has this")
    assert shown(page) == []
    expect(page.get_by_role("status")).to_have_text("0 of 4 reports")
    search(page).fill("")
    assert len(shown(page)) == 4
    expect(page.get_by_role("status")).to_have_text("")


def test_a_column_sorts_by_all_digits_and_unknown_figures_come_last(open_page: Open, odd: Path) -> None:
    page = ready(open_page(odd))
    flops = page.get_by_role("columnheader", name="FLOPs")
    flops.get_by_role("button").click()
    assert shown(page) == ["model-01", "</script><b>|", "model-03", "broken"]
    expect(flops).to_have_attribute("aria-sort", "descending")
    flops.get_by_role("button").click()
    assert shown(page)[-1] == "broken"
    assert shown(page)[0] == "model-03"
    flops.get_by_role("button").click()
    assert shown(page) == ["model-01", "</script><b>|", "model-03", "broken"]


def test_what_is_found_is_sorted_and_what_is_sorted_is_found(open_page: Open, many: Path) -> None:
    page = ready(open_page(many))
    search(page).fill("model-07 batch")
    for _ in range(2):
        page.get_by_role("button", name="Time", exact=True).click()
    assert shown(page) == ["model-07"] * 50
    assert page.locator("tbody tr:not([hidden]) td:nth-child(3)").first.inner_text() == "2024-03-23 02:00"
    search(page).fill("model-08 batch")
    assert shown(page) == ["model-08"] * 50


def test_the_keyboard_goes_from_the_search_to_headers_and_links(open_page: Open, odd: Path) -> None:
    page = ready(open_page(odd))
    page.keyboard.press("/")
    expect(search(page)).to_be_focused()
    page.keyboard.type("model-01 a/b")
    assert search(page).input_value() == "model-01 a/b"
    search(page).fill("model-01")
    page.keyboard.press("Tab")
    expect(page.get_by_role("region", name="Reports")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Model")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("columnheader", name="Model")).to_have_attribute("aria-sort", "ascending")
    link = page.get_by_role("link", name="model-01")
    link.focus()
    assert link.get_attribute("href") == "1/report.html"


@pytest.mark.parametrize("policy", [NO_SCRIPTS, JENKINS])
def test_without_scripts_and_styles_all_rows_are_there(open_page: Open, odd: Path, policy: str) -> None:
    opened = open_page(odd, headers={"Content-Security-Policy": policy}, errors="Policy|Blocked script execution")
    assert shown(opened.page) == ["model-01", "</script><b>|", "model-03", "broken"]
    assert opened.page.locator("input").count() == 0


def test_2000_rows_are_quick(open_page: Open, many: Path) -> None:
    """The limits are several times what it takes: half a second for a sort, a tenth of it for a search."""
    page = ready(open_page(many))
    took = page.evaluate(
        """async () => {
            const drawn = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
            const timed = async (act) => {
                const start = performance.now();
                act();
                await drawn();
                return performance.now() - start;
            };
            const box = document.querySelector("input");
            const type = (text) => { box.value = text; box.dispatchEvent(new Event("input")); };
            const sort = document.querySelectorAll("thead button")[6];
            const times = [await timed(() => sort.click())];
            for (const text of ["model-07", "zzz", ""]) times.push(await timed(() => type(text)));
            return times;
        }"""
    )
    sort, few, none, everything = took
    assert sort < 3000 * SLOWNESS
    assert max(few, none) < 1000 * SLOWNESS
    assert everything < 3000 * SLOWNESS


def test_on_paper_all_rows_are_there_and_no_search(open_page: Open, odd: Path) -> None:
    page = ready(open_page(odd))
    page.emulate_media(media="print")
    expect(search(page)).not_to_be_visible()
    assert len(shown(page)) == 4
