"""The page of several models: no errors, no requests, accessible; it links to the pages of the models."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from browsing import JENKINS, SCREENS, Opened, Screen
from command import call, small_model
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

Open = Callable[..., Opened]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a report in which one model grew, one is new and one is gone."""
    folder = tmp_path_factory.mktemp("models")
    old, new = small_model(folder / "old"), small_model(folder / "new", width=5, float_ops=30, micros=45)
    bases = ("--base-model", f"grown={old}", "--base-model", f"gone={old}")
    heads = ("--model", f"grown={new}", "--model", f"fresh={small_model(folder / 'fresh', width=6)}")
    outcome = call("report", *heads, *bases, "--gate", "grown: params <= +0", "--out", folder / "out")
    assert outcome.code == 1, outcome
    return folder / "out"


@pytest.mark.parametrize("screen", SCREENS, ids=str)
def test_axe_finds_nothing_and_the_page_is_as_wide_as_its_window(open_page: Open, models: Path, screen: Screen) -> None:
    opened = open_page(models, screen=screen)
    results = Axe().run(opened.page)
    assert results.violations_count == 0, results.generate_report()
    assert opened.page.evaluate("document.documentElement.scrollWidth") == screen.width


@pytest.mark.parametrize("headers", [None, {"Content-Security-Policy": JENKINS}], ids=["from disk", "under Jenkins"])
def test_verdict_index_and_pictures_are_there(open_page: Open, models: Path, headers: dict[str, str] | None) -> None:
    opened = open_page(models, headers=headers, errors="Content Security Policy|sandboxed")
    words = "Of 2 models 1 failed (grown); not judged: fresh; changed: grown; gone: gone; new: fresh."
    assert words in opened.text("header")
    rows = [" ".join(text.split()) for text in opened.page.locator("table.index tbody tr").all_inner_texts()]
    assert rows[0].startswith("grown 3 nodes FAILED 40 +8 (+25.00 %) from 32 ")
    assert [row.split()[0] for row in rows] == ["grown", "fresh", "gone"]
    assert opened.page.locator("main figure svg").count() == 2


def test_the_index_sorts_by_exact_figures(open_page: Open, models: Path) -> None:
    page = open_page(models).page

    def names() -> list[str]:
        return page.locator("table.index tbody th .name").all_inner_texts()

    assert names() == ["grown", "fresh", "gone"]
    page.locator("thead button", has_text="Parameters").click()
    assert names() == ["fresh", "grown", "gone"]  # 18, 15, and a missing figure comes last
    page.locator("thead button", has_text="Model").click()
    assert names() == ["fresh", "gone", "grown"]


def test_links_lead_to_what_there_is(open_page: Open, models: Path) -> None:
    section = open_page(models).page.locator("section#model-grown")
    report = section.get_by_role("link", name="Full report of grown")
    assert report.get_attribute("href") == "grown/report.html"
    ranked = section.locator("li a").first
    assert ranked.get_attribute("href") == f"grown/report.html#scope={ranked.inner_text()}"
    assert (models / "grown" / "report.html").is_file()


def test_the_command_that_accepts_a_change_is_copied(open_page: Open, models: Path) -> None:
    opened = open_page(models / "grown")
    assert (
        opened.page.locator("code.command").inner_text().startswith("tfprof-report accept tfprof-report --model grown ")
    )
    button = opened.page.locator("button.copy")
    expect(button).to_have_text("Copy")
    button.click()
    expect(button).to_have_text("Copied")
    assert opened.page.get_by_role("link", name="all models").get_attribute("href") == "../report.html"
