"""A model of 100,000 nodes: the page is small, paints fast and responds to every key."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from statistics import median

import pytest
from browsing import SLOWNESS, LiveView, Opened

pytestmark = pytest.mark.browser

Open = Callable[..., Opened]

TIMES = 5
ANSWER = """(query) => {
    const section = document.querySelector("[data-view=scope]");
    window.answer = new Promise((resolve) => addEventListener("keydown", async ({ timeStamp }) => {
        const frame = () => new Promise(requestAnimationFrame);
        while (section.ariaBusy === "true" || section.dataset.query !== query) await frame();
        await frame();  // the rows are drawn
        resolve([performance.now() - timeStamp, Number(section.dataset.found)]);
    }, { capture: true, once: true }));
}"""
"""Measures the time from the next key press to the rows that a search for `query` finds."""


def test_the_file_is_small(large: Path) -> None:
    assert (large / "report.html").stat().st_size < 12_000_000


def test_the_first_paint_comes_within_two_seconds(open_page: Open, large: Path) -> None:
    paints = []
    for _ in range(TIMES):
        page = open_page(large).page
        paint = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
        page.wait_for_function(paint)
        paints.append(page.evaluate(paint))
    assert median(paints) < 2000 * SLOWNESS


def test_a_link_to_a_node_shows_its_row_and_its_neighbours_within_two_seconds(open_page: Open, large: Path) -> None:
    times = []
    for _ in range(TIMES):
        opened = open_page(large, "#scope=model/block_7/layer_3/unit_2/AddV2_7326")
        opened.page.locator("[data-view=scope] .drawer dl button").first.wait_for()
        times.append(opened.page.evaluate("performance.now()"))
    assert median(times) < 2000 * SLOWNESS


def test_a_key_is_answered_within_a_fifth_of_a_second(open_page: Open, large: Path) -> None:
    view = LiveView(open_page(large, "#view-scope"), "scope")
    view.search.fill("unit_7/co")
    times, counts = [], []
    for end in ("n", "v", "2", "d", "_"):
        view.page.evaluate(ANSWER, view.search.input_value() + end)
        view.search.press(end)
        millis, count = view.page.evaluate("answer")
        times.append(millis)
        counts.append(count)
    assert median(times) < 200 * SLOWNESS
    # nodes of ci/build_bench_inputs.py: one in eight is a Conv2D, one in eight a Const; a unit has ten nodes
    kinds = [node % 8 for node in range(100_000) if node // 10 % 10 == 7]
    assert counts == [kinds.count(1) + kinds.count(4), *[kinds.count(1)] * 4]
