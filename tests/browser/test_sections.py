"""Sections below the first screen: closed and light with scripts, opened by readers, links and printing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from browsing import JENKINS, NO_SCRIPTS, Opened, open_section
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

Open = Callable[..., Opened]

MOST_ELEMENTS = 15_000
SHOWN = "table:visible, svg:visible, [role=treegrid]:visible"
COUNT = "document.querySelectorAll('*').length"


@pytest.mark.parametrize("folder", ["resnet", "large"])
def test_a_page_has_few_elements_whatever_the_size_of_its_report(
    open_page: Open, folder: str, request: pytest.FixtureRequest
) -> None:
    page = open_page(request.getfixturevalue(folder)).page
    page.locator("html[data-ready=true]").wait_for()
    assert page.evaluate(COUNT) < MOST_ELEMENTS


def test_every_section_is_closed_until_its_title_is_pressed(open_page: Open, resnet: Path) -> None:
    opened = open_page(resnet)
    opened.page.locator("html[data-ready=true]").wait_for()
    sections = opened.page.locator("main > section")
    assert sections.count() > 10
    assert sections.locator("> details[open]").count() == 0
    expect(sections.locator("> details > summary h2")).to_have_count(sections.count())
    for section in sections.all():
        title = section.locator("> details > summary")
        title.focus()
        title.press("Enter")
        expect(
            section.get_by_role("treegrid").or_(section.get_by_role("table")).or_(section.locator("svg")).first
        ).to_be_visible()


def test_every_link_of_the_navigation_opens_its_section_even_a_second_time(open_page: Open, resnet: Path) -> None:
    opened = open_page(resnet)
    opened.page.locator("html[data-ready=true]").wait_for()
    for anchor in ("view-op", "totals", "pictures"):
        link = opened.page.locator(f"nav.sections a[href='#{anchor}']")
        fold = opened.page.locator(f"#{anchor} > details")
        for _ in range(2):
            link.click()
            expect(fold).to_have_attribute("open", "")
            expect(fold.locator(SHOWN).first).to_be_visible()
            fold.locator("> summary").click()
            expect(fold).not_to_have_attribute("open", "")


@pytest.mark.parametrize("anchor", ["totals", "view-changes-2", "picture-ops-float-ops"])
def test_a_link_to_a_section_or_into_it_opens_it(open_page: Open, resnet: Path, anchor: str) -> None:
    page = open_page(resnet, f"#{anchor}").page
    page.locator("html[data-ready=true]").wait_for()
    target = page.locator(f"#{anchor}")
    expect(target).to_be_visible()
    expect(target).to_be_in_viewport()


def test_tables_of_opened_sections_sort(open_page: Open, resnet: Path) -> None:
    totals = open_section(open_page(resnet), "totals")
    names = totals.locator("tbody th")
    before = names.all_inner_texts()
    header = totals.locator("th[data-kind]").first
    header.get_by_role("button").click()
    expect(header).to_have_attribute("aria-sort", "ascending")
    assert names.all_inner_texts() == sorted(before) != before


def test_rows_that_open_are_sorted_with_what_they_open_to(open_page: Open, resnet: Path) -> None:
    layers = open_section(open_page(resnet), "layers")
    first = layers.locator("tbody").first
    first.locator("summary").click()
    before = first.locator("tr").all_inner_texts()
    assert len(before) == 5  # unit_3_1 ... unit_3_4, and each of them
    layers.get_by_role("columnheader", name="FLOPs, Delta").get_by_role("button").click()
    assert before in [body.locator("tr").all_inner_texts() for body in layers.locator("tbody").all()]
    deltas = layers.locator("tbody > tr:first-child > td:nth-of-type(4)").all_inner_texts()
    assert deltas[0] == "+8.18 G"
    assert deltas[-1].startswith("\N{MINUS SIGN}3.72 G")


def test_paper_has_every_section_and_the_screen_afterwards_is_as_before(open_page: Open, small: Path) -> None:
    opened = open_page(small)
    live = open_section(opened, "view-scope").get_by_role("treegrid")
    live.wait_for()
    opened.page.emulate_media(media="print")
    for section in opened.page.locator("main > section").all():
        expect(section.locator(SHOWN).first).to_be_visible()
    expect(live).to_be_hidden()
    opened.page.emulate_media(media="screen")
    expect(opened.page.locator("main > section > details[open]")).to_have_count(1)
    expect(live).to_be_visible()
    expect(opened.page.locator("#view-scope").get_by_role("table")).to_have_count(0)


@pytest.mark.parametrize("options", [{"java_script_enabled": False}, {"headers": {"Content-Security-Policy": JENKINS}}])
def test_without_scripts_every_section_is_open(open_page: Open, small: Path, options: dict[str, object]) -> None:
    page = open_page(small, errors="Policy|Blocked script execution", **options).page
    for section in page.locator("main > section").all():
        expect(section.locator("table, svg").first).to_be_visible()
    expect(page.locator(".blocked")).to_be_hidden()


def test_a_page_whose_scripts_alone_are_blocked_says_what_to_do(open_page: Open, small: Path) -> None:
    blocked = {"Content-Security-Policy": NO_SCRIPTS}
    page = open_page(small, headers=blocked, errors="script-src 'none'").page
    expect(page.locator(".blocked")).to_be_visible()
    expect(page.locator(".blocked")).to_have_css("visibility", "visible")
