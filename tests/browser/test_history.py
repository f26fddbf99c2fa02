"""The page of a history: charts are zoomed, hovered over and gone through by key; on a phone, on paper, blocked."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from browsing import JENKINS, PHONE, SCREENS, SLOWNESS, Opened, Screen, box
from indexed import index_row
from made_histories import made_history, nights, write_history
from pages import HOSTILE
from playwright.sync_api import Locator, Page, expect

from tfprof_report.errors import ExitCode
from tfprof_report.history.history_data import FailedModel

pytestmark = pytest.mark.browser

Open = Callable[..., Opened]

COUNT = 45
LAST = "c44 \u00b7 2024-02-14 \u00b7 report"
"""What is said of the newest report."""


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the history of a model over 45 nights: steps at 20 and 40, a release, a failure, an unknown figure.

    Another model has none, since a report with a long path is damaged.
    """
    rows = nights(COUNT)
    rows[25]["outcome"] = "failed"
    rows[30] |= {"params": None, "params_at_least": 9_000, "params_unknown": 2}
    del rows[35]
    history = made_history({"m": rows}, count=COUNT, tags={"c20": ("v1",)}, gates=["params <= 12k"])
    reason = f"baselines/lost/{'c' * 40}_20240214T083000Z_04b965f496f7a8b9/summary.json: is not the summary of a report"
    failed = (FailedModel(name="lost", reason=reason, exit_code=ExitCode.BASELINE),)
    return write_history(replace(history, failed=failed), tmp_path_factory.mktemp("history"))


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the history of 200 models."""
    models = {f"net-{each:03}": nights(60, model=f"net-{each:03}", seed=each) for each in range(200)}
    return write_history(made_history(models, count=60, gates=["params <= 12k"]), tmp_path_factory.mktemp("many"))


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the history of a model with 10,000 reports."""
    return write_history(made_history({"m": nights(10_000)}, count=10_000), tmp_path_factory.mktemp("long"))


def live(opened: Opened) -> Page:
    """Wait until the charts are there."""
    opened.page.locator("html[data-ready=true]").wait_for()
    return opened.page


def chart(page: Page, figure: str) -> Locator:
    return page.get_by_role("slider", name=f"{figure} of m, report by report")


def said(page: Page) -> str:
    """Return what is said of the chosen report, without its figures."""
    return " ".join(page.locator(".chosen").inner_text().split())


def figures(page: Page) -> dict[str, str]:
    """Return what is said of each figure of the chosen report."""
    return dict(
        zip(page.locator("figure h3").all_inner_texts(), page.locator("figure .at").all_inner_texts(), strict=True)
    )


def over(page: Page, place: int, share: float) -> tuple[float, float]:
    """Return a place within a chart, a share of its width from the left, scrolled into view."""
    canvas = page.locator(".u-over").nth(place)
    canvas.scroll_into_view_if_needed()
    found = canvas.bounding_box()
    assert found
    return found["x"] + share * found["width"], found["y"] + found["height"] / 2


@pytest.mark.parametrize("screen", SCREENS, ids=str)
def test_axe_finds_nothing_and_the_page_is_as_wide_as_its_window(open_page: Open, small: Path, screen: Screen) -> None:
    page = live(open_page(small, screen=screen))
    results = Axe().run(page)
    assert results.violations_count == 0, results.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth") == screen.width


@pytest.mark.parametrize("screen", SCREENS[::2], ids=str)
def test_axe_finds_nothing_in_many_models(open_page: Open, many: Path, screen: Screen) -> None:
    page = live(open_page(many, screen=screen))
    results = Axe().run(page)
    assert results.violations_count == 0, results.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth") == screen.width


def test_at_first_the_newest_report_is_chosen(open_page: Open, small: Path) -> None:
    page = live(open_page(small))
    assert said(page) == LAST
    assert list(figures(page)) == ["FLOPs", "Parameters", "Device peak memory", "Wall time"]
    assert figures(page)["Device peak memory"] == "1.00 MiB (1,048,576 B)"
    expect(chart(page, "Parameters")).to_have_attribute("aria-valuenow", "44")


def test_the_cursor_stays_at_the_chosen_report_where_the_window_is_resized(open_page: Open, small: Path) -> None:
    page = live(open_page(small))
    cursor, point = page.locator(".u-cursor-x").first, page.locator(".u-cursor-pt").first
    for width in (390, 900):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function("width => document.querySelector('.u-over').clientWidth < width", arg=width)
        line, dot = cursor.bounding_box() or {}, point.bounding_box() or {}
        assert abs(line["x"] - dot["x"] - dot["width"] / 2) < 2


def test_arrow_keys_go_from_report_to_report_and_with_shift_from_step_to_step(open_page: Open, small: Path) -> None:
    page = live(open_page(small))
    parameters = chart(page, "Parameters")
    parameters.focus()
    page.keyboard.press("ArrowLeft")
    assert said(page) == "c43 \u00b7 2024-02-13 \u00b7 report"
    page.keyboard.press("Shift+ArrowLeft")
    assert said(page) == "c40 \u00b7 2024-02-10 \u00b7 report"
    assert re.fullmatch(r"[\d.]+ k \([\d,]+\): Parameters .+ \u2192 .+", figures(page)["Parameters"])
    page.keyboard.press("Shift+ArrowLeft")
    assert said(page) == "c20 \u00b7 2024-01-21 \u00b7 v1 \u00b7 report"
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    assert said(page) == "c25 \u00b7 2024-01-26 \u00b7 gates failed \u00b7 report"
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    assert figures(page)["Parameters"] == "at least 9.00 k (9,000): a part is not known"
    text = parameters.get_attribute("aria-valuetext")
    assert text == "c30, 2024-01-31: at least 9.00 k (9,000): a part is not known"
    page.keyboard.press("Home")
    page.keyboard.press("ArrowLeft")
    assert said(page) == "c0 \u00b7 2024-01-01 \u00b7 report"
    page.keyboard.press("End")
    assert said(page) == LAST


def test_hovering_says_the_report_and_its_figures_in_all_charts(open_page: Open, small: Path) -> None:
    page = live(open_page(small))
    page.mouse.move(*over(page, 0, 0.5))
    assert said(page) == "c22 \u00b7 2024-01-23 \u00b7 report"
    before = figures(page)
    page.mouse.move(*over(page, 0, 0.9))
    assert said(page) == "c40 \u00b7 2024-02-10 \u00b7 report"
    assert all(figures(page)[label] != before[label] for label in ("FLOPs", "Parameters", "Wall time"))


def test_a_click_holds_a_report_until_it_is_let_go(open_page: Open, small: Path) -> None:
    page = live(open_page(small))
    page.mouse.click(*over(page, 0, 0.5))
    page.mouse.move(*over(page, 0, 0.9))
    assert said(page) == "c22 \u00b7 2024-01-23 \u00b7 report"
    report = page.locator(".chosen").get_by_role("link", name="report")
    assert re.fullmatch(r"\.\./store/m/c22_\w+/report\.html", report.get_attribute("href") or "")
    commit = page.locator(".chosen").get_by_role("link", name="c22")
    assert commit.get_attribute("href") == "https://example.com/c/c22"
    chart(page, "FLOPs").press("Escape")
    page.mouse.move(*over(page, 0, 0.8))
    assert said(page).startswith("c36 ")


def test_enter_leads_to_the_links(open_page: Open, small: Path) -> None:
    page = live(open_page(small))
    chart(page, "Wall time").press("Enter")
    expect(page.locator(".chosen a").first).to_be_focused()


def test_a_drag_zooms_all_charts_and_a_double_click_shows_all(open_page: Open, small: Path) -> None:
    page = live(open_page(small))

    def ends() -> list[str]:
        """Return the reports at both ends of each chart."""
        found = []
        for place in range(4):
            for share in (0.001, 0.999):
                page.mouse.move(*over(page, place, share))
                found.append(said(page).split(" ")[0])
        return found

    assert ends() == ["c0", "c44"] * 4
    page.mouse.move(*over(page, 0, 0.25))
    page.mouse.down()
    page.mouse.move(*over(page, 0, 0.5), steps=5)
    page.mouse.up()
    assert ends() == ["c11", "c22"] * 4
    page.mouse.dblclick(*over(page, 1, 0.5))
    chart(page, "FLOPs").press("Escape")
    assert ends() == ["c0", "c44"] * 4


def test_buttons_and_keys_zoom_and_move(open_page: Open, small: Path) -> None:
    page = live(open_page(small))
    strip = page.get_by_role("group", name="Commits of m in the charts")
    strip.get_by_role("button", name="Zoom in").click()
    page.mouse.move(*over(page, 0, 0.001))
    assert said(page).startswith("c22 ")  # half of 45 commits around the newest, which is at the end
    strip.get_by_role("button", name="Earlier").click()
    page.mouse.move(*over(page, 0, 0.002))
    assert said(page).startswith("c11 ")
    strip.get_by_role("button", name="All commits").click()
    page.mouse.move(*over(page, 0, 0.001))
    assert said(page).startswith("c0 ")
    flops = chart(page, "FLOPs")
    flops.press("+")
    flops.press("+")
    page.mouse.move(*over(page, 0, 0.999))
    assert said(page).startswith("c11 ")
    for _ in range(3):
        flops.press("ArrowRight")  # out of the range: it moves
    assert said(page).startswith("c14 ")
    flops.press("0")
    page.mouse.move(*over(page, 0, 0.999))
    assert said(page).startswith("c44 ")


def test_the_wheel_scrolls_the_page(open_page: Open, small: Path) -> None:
    page = live(open_page(small))
    page.mouse.move(*over(page, 0, 0.5))
    before = page.evaluate("scrollY")
    page.mouse.wheel(0, 200)
    page.wait_for_timeout(500)
    assert page.evaluate("scrollY") > before
    page.mouse.move(*over(page, 0, 0.001))
    assert said(page).startswith("c0 ")


def test_a_finger_chooses_a_report(open_page: Open, small: Path) -> None:
    page = live(open_page(small, screen=PHONE, has_touch=True))
    page.touchscreen.tap(*over(page, 0, 0.5))
    assert said(page).startswith("c22 ")


def test_the_picture_gives_way_to_the_chart_on_the_screen_and_is_there_on_paper(open_page: Open, small: Path) -> None:
    page = live(open_page(small))
    figure = page.locator("figure").first
    picture, canvas = figure.locator(".chart > svg"), figure.locator("canvas")
    assert (picture.is_visible(), canvas.is_visible()) == (False, True)
    page.emulate_media(media="print")
    assert (picture.is_visible(), canvas.is_visible()) == (True, False)
    assert not page.locator(".strip").is_visible()
    heights = [box(each)[1] for each in page.locator("figure .chart > svg").all()]
    assert heights == [200] * 4


@pytest.mark.parametrize(
    "about",
    [
        {"java_script_enabled": False},
        {"headers": {"Content-Security-Policy": JENKINS}, "errors": "Content Security Policy|Blocked script execution"},
    ],
    ids=["scripts switched off", "the header of Jenkins"],
)
@pytest.mark.parametrize("screen", SCREENS[::2], ids=str)
def test_without_scripts_everything_is_there(
    open_page: Open, small: Path, about: dict[str, object], screen: Screen
) -> None:
    opened = open_page(small, screen=screen, **about)
    assert [box(each)[1] for each in opened.page.locator("figure .chart > svg").all()] == [200] * 4
    assert opened.page.locator("figure circle").first.is_visible()
    assert "at c40" in opened.text("table.nets")
    assert "left of 12.00 k" in opened.text("table.blocks:not(.nets)")
    assert opened.page.locator(".changes > li").count() == 2
    if "java_script_enabled" in about:
        links = opened.page.locator("figure a")
        assert links.count() == 4 * 44 - 1
        assert box(opened.page.locator("main"))[0] <= screen.width


def test_a_link_of_what_moved_leads_to_the_change(open_page: Open, small: Path) -> None:
    page = live(open_page(small))
    page.locator("table.nets").get_by_role("link", name="c40").first.click()
    expect(page.locator("#model-1-change-39")).to_be_in_viewport()  # the row of a report less, since one is missing


def test_tables_are_blocks_on_a_phone_and_tables_for_screen_readers(open_page: Open, small: Path) -> None:
    page = live(open_page(small, screen=PHONE))
    table = page.get_by_role("table", name="Figures")
    assert table.get_by_role("row").count() == 5
    first = table.get_by_role("row").nth(1).get_by_role("cell")
    assert len({box(each)[0] for each in first.all()}) == 1
    lefts = {round((each.bounding_box() or {})["x"]) for each in first.all()}
    assert len(lefts) == 2


def test_names_are_inert(open_page: Open, tmp_path: Path) -> None:
    tags = {f"c{place}": (name,) for place, name in enumerate(HOSTILE)}
    rows = [index_row(f"c{place}", params=10 + place, options=name) for place, name in enumerate(HOSTILE)]
    history = made_history({"m": rows}, count=len(HOSTILE), tags=tags, store=HOSTILE[0])
    page = live(open_page(write_history(history, tmp_path / "hostile")))
    parameters = chart(page, "Parameters")
    parameters.focus()
    for _ in HOSTILE:
        page.keyboard.press("ArrowLeft")
    active = "img, iframe, object, embed, base, form, [onerror], [onload], [onmouseover], [href^='javascript' i]"
    assert page.locator(active).count() == 0
    assert said(page) == f"c0 \u00b7 2024-01-01 \u00b7 {HOSTILE[0]} \u00b7 report"
    assert page.locator("script:not([type^='application'])").count() == 1


def test_ten_thousand_reports_open_within_two_seconds(open_page: Open, long: Path) -> None:
    page = live(open_page(long))
    assert page.evaluate("performance.now()") < 2000 * SLOWNESS
    flops = chart(page, "FLOPs")
    flops.press("Home")
    assert said(page).startswith("c0 ")
    flops.press("Shift+ArrowRight")
    assert said(page).startswith("c20 ")


def test_two_hundred_models_are_light_and_open_when_they_are_asked_for(open_page: Open, many: Path) -> None:
    page = live(open_page(many))
    assert page.evaluate("document.querySelectorAll('*').length") < 15_000
    assert page.evaluate("performance.now()") < 2000 * SLOWNESS
    assert page.locator(".strip").count() == 3
    page.get_by_role("table", name="200 models").get_by_role("link", name="net-150").click()
    section = page.locator("#model-151")
    expect(section.locator(".live")).to_have_count(4)
    expect(section.get_by_role("heading", name="net-150")).to_be_in_viewport()
    assert page.locator(".strip").count() == 4


def test_the_index_sorts_by_exact_figures(open_page: Open, many: Path) -> None:
    page = live(open_page(many))
    page.locator("table.index thead button", has_text="Parameters").click()
    keys = page.locator("table.index tbody tr td:nth-child(3)").evaluate_all(
        "cells => cells.map((e) => +e.dataset.key)"
    )
    assert keys == sorted(keys, reverse=True)
    assert len(set(keys)) > 3


def test_on_paper_every_model_is_whole(open_page: Open, tmp_path: Path) -> None:
    models = {f"net-{each}": nights(10, model=f"net-{each}") for each in range(5)}
    page = live(open_page(write_history(made_history(models, count=10), tmp_path / "five")))
    assert page.locator("figure .chart > svg").count() == 12
    page.emulate_media(media="print")
    expect(page.locator("figure .chart > svg")).to_have_count(20)
    assert all(each.is_visible() for each in page.locator("figure .chart > svg").all())
    page.emulate_media(media="screen")
    expect(page.locator("#model-5 > details[open]")).to_have_count(0)
    page.emulate_media(media=None)
    assert page.pdf().startswith(b"%PDF")
