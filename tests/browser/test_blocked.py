"""A page whose scripts, styles or both are blocked, and a printed page."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from browsing import JENKINS, SCREENS, Opened, Screen, box
from command import summary_of
from pages import BASE_COMMIT, HEAD_COMMIT

pytestmark = pytest.mark.browser

Open = Callable[..., Opened]

WAYS = {
    "scripts switched off": {"java_script_enabled": False},
    "the header of Jenkins": {
        "headers": {"Content-Security-Policy": JENKINS},
        "errors": "Content Security Policy|Blocked script execution",
    },
}


NAME_STARTS = """cells => cells.map(cell => {
    const range = document.createRange();
    const depth = cell.textContent.search(/[^\\u00a0]/);
    range.setStart(cell.firstChild, depth);
    range.setEnd(cell.firstChild, depth + 1);
    return [depth, Math.round(range.getBoundingClientRect().left)];
})"""
"""The indentation of each name, and its left edge on the screen."""


@pytest.fixture(scope="module", params=WAYS.values(), ids=list(WAYS))
def blocked(request: pytest.FixtureRequest, open_once: Open, resnet: Path) -> Opened:
    """Return the comparison of the ResNets in a browser without scripts."""
    return open_once(resnet, **request.param)


def test_the_first_screen_alone_shows_the_verdict_and_both_commits(blocked: Opened, resnet: Path) -> None:
    text = blocked.text("#summary")
    assert "FLOPs grew 21.15 % (53.91 G to 65.31 G)" in text
    assert "Nothing was judged: no gates were set" in text
    detail = summary_of(resnet)["verdict"]["text"].removeprefix("NOT JUDGED: ")
    assert any(
        detail in text for text in blocked.page.locator("#summary details").all_text_contents()
    )  # a click opens it
    assert BASE_COMMIT[:7] in text
    assert HEAD_COMMIT[:7] in text


def test_the_first_screen_alone_shows_the_three_largest_changes(blocked: Opened) -> None:
    steps = blocked.page.locator("#summary .waterfall").first.locator("tbody tr:not(.member)").all_inner_texts()
    # head in ci/build_demo_model.py: one unit less in the first group, the last group wider by one unit
    assert [step.split()[0] for step in steps] == ["Base", "unit_3", "unit_3_5", "unit_1_4", "nodes", "Head"]


def test_the_cards_have_both_sides_and_the_figure_of_the_summary(blocked: Opened, resnet: Path) -> None:
    cards = (" ".join(card.split()) for card in blocked.page.locator("#summary .card").all_text_contents())
    (card,) = (card for card in cards if card.startswith("FLOPs "))
    totals = {total["stem"]: total["value"] for total in summary_of(resnet)["totals"]}
    assert card == f"FLOPs 65.31 G exactly {totals['float_ops']:,} +11.40 G (+21.15 %) from 53.91 G"


@pytest.mark.parametrize("view", ["scope", "graph", "op", "code"])
def test_the_top_rows_of_a_view_are_read(blocked: Opened, view: str) -> None:
    table = blocked.page.locator(f"#view-{view} table").first
    assert table.is_visible()
    rows = table.locator("tbody tr")
    assert rows.count() > 10
    name, *figures = rows.first.locator("th, td").all_inner_texts()
    assert name.strip()
    assert any(re.match(r"\d", figure) for figure in figures)


def test_the_levels_of_a_tree_show(blocked: Opened) -> None:
    starts = blocked.page.locator("#view-scope tbody th").evaluate_all(NAME_STARTS)
    by_depth = dict(starts)
    assert len(by_depth) >= 5
    assert [by_depth[depth] for depth in sorted(by_depth)] == sorted(set(by_depth.values()))


def test_a_picture_is_seen(blocked: Opened) -> None:
    pictures = blocked.page.locator("figure svg")
    assert pictures.count() > 0
    assert min(min(box(picture)) for picture in pictures.all()) > 20
    assert min(min(box(picture.locator("rect, path, line, circle").first)) for picture in pictures.all()) > 0


def test_nothing_is_offered_that_needs_a_script(blocked: Opened) -> None:
    controls = blocked.page.locator("button, input, select, textarea")
    assert [control.inner_text() for control in controls.all() if control.is_visible()] == []


def test_the_header_of_jenkins_blocks_one_style_sheet_the_script_and_the_icon(open_page: Open, resnet: Path) -> None:
    opened = open_page(resnet, **WAYS["the header of Jenkins"])
    assert sorted(error.split(" '")[0].split(" violates")[0] for error in opened.errors) == [
        "Applying inline style",
        "Blocked script execution in",
        "Loading the image",
    ]


@pytest.mark.parametrize("screen", SCREENS[::2], ids=str)
def test_on_paper_every_section_is_whole(open_page: Open, resnet: Path, screen: Screen) -> None:
    page = open_page(resnet, screen=screen).page
    page.emulate_media(media="print")
    cut = page.evaluate("""[...document.querySelectorAll("main *")]
        .filter(each => /auto|scroll|hidden/.test(getComputedStyle(each).overflow + getComputedStyle(each).overflowY))
        .filter(each => each.scrollHeight > each.clientHeight + 1 && each.clientHeight > 0)
        .map(each => each.className || each.tagName)""")
    assert cut == []
    for section in page.locator("main > section").all():
        assert box(section)[1] > 0, section.get_attribute("id")
        assert section.locator("h2").first.is_visible()
    assert box(page.locator("nav.sections"))[1] <= 2  # invisible, but links in a PDF need their targets


def test_a_page_prints(open_page: Open, small: Path) -> None:
    assert open_page(small).page.pdf().startswith(b"%PDF")
