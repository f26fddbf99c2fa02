"""Screenshots for people to look at: ``make screenshots`` writes them to screenshots/."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from browsing import JENKINS, SCREENS, LiveView, Opened, Screen, open_section
from repository import ROOT

pytestmark = pytest.mark.screenshots

Open = Callable[..., Opened]

FOLDER = ROOT / "screenshots"


@pytest.mark.parametrize("screen", SCREENS, ids=str)
def test_a_comparison_in_every_window(open_page: Open, resnet: Path, screen: Screen) -> None:
    opened = open_page(resnet, screen=screen)
    opened.page.screenshot(path=FOLDER / f"first-{screen}.png")
    for view in ("scope", "graph", "op", "code"):
        section = LiveView(opened, view).section
        take(opened, f"#view-{view}", FOLDER / f"{view}-{screen}.png")
        if changes := section.get_by_role("button", name="Changes").all():
            changes[0].click()
            take(opened, f"#view-{view}", FOLDER / f"{view}-changes-{screen}.png")
    open_section(opened, "pictures")
    take(opened, "#pictures", FOLDER / f"pictures-{screen}.png")


def test_a_page_without_styles_and_scripts(open_page: Open, resnet: Path) -> None:
    opened = open_page(resnet, headers={"Content-Security-Policy": JENKINS}, errors="Policy|Blocked script execution")
    for place in ("#summary", "#pictures", "#view-scope"):
        take(opened, place, FOLDER / f"blocked-{place[1:]}.png")


def test_a_page_on_paper(open_page: Open, resnet: Path) -> None:
    open_page(resnet).page.pdf(path=FOLDER / "paper.pdf")


def take(opened: Opened, place: str, path: Path) -> None:
    """Write a screenshot of the window, scrolled so that an element is at its top."""
    opened.page.locator(place).evaluate("element => element.scrollIntoView()")
    opened.page.wait_for_timeout(200)  # elements that scroll into view are drawn
    opened.page.screenshot(path=path)
