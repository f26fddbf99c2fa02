"""Screenshots for people to look at: ``make screenshots`` writes them to screenshots/."""

from __future__ import annotations

import base64
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from browsing import JENKINS, SCREENS, LiveView, Opened, Screen, open_section
from columned import four_models, write_page
from listed import listed_row, odd_rows, write_index_page
from made_histories import made_history, nights, write_history
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


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_the_picture_of_the_readme(open_page: Open, tmp_path: Path, colours: str) -> None:
    """Write the first screen of the demo at twice its size; copies for the README are in docs/images."""
    given = [f"BIN={Path(sys.executable).parent}", f"DEMO={tmp_path / 'demo'}"]
    subprocess.run(["make", "--silent", "-o", ".venv/package.stamp", *given, "demo"], cwd=ROOT, check=True)
    screen = Screen(1100, 720, is_dark=colours == "dark")
    opened = open_page(tmp_path / "demo", screen=screen)
    session = opened.page.context.new_cdp_session(opened.page)  # only Chromium's own command writes WebP
    clip = {"x": 0, "y": 0, "width": screen.width, "height": screen.height, "scale": 2}
    taken = session.send("Page.captureScreenshot", {"format": "webp", "quality": 70, "clip": clip})
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"report-{colours}.webp").write_bytes(base64.b64decode(taken["data"]))


def test_a_page_without_styles_and_scripts(open_page: Open, resnet: Path) -> None:
    opened = open_page(resnet, headers={"Content-Security-Policy": JENKINS}, errors="Policy|Blocked script execution")
    for place in ("#summary", "#pictures", "#view-scope"):
        take(opened, place, FOLDER / f"blocked-{place[1:]}.png")


def test_a_page_on_paper(open_page: Open, resnet: Path) -> None:
    open_page(resnet).page.pdf(path=FOLDER / "paper.pdf")


@pytest.mark.parametrize("screen", SCREENS, ids=str)
def test_a_history_in_every_window(open_page: Open, tmp_path: Path, screen: Screen) -> None:
    models = {name: nights(60, model=name, seed=seed) for seed, name in enumerate(("encoder", "decoder"))}
    history = made_history(models, count=60, tags={"c30": ("v1.0",)}, gates=["params <= 11k"])
    opened = open_page(write_history(history, tmp_path / "history"), screen=screen)
    opened.page.locator("html[data-ready=true]").wait_for()
    opened.page.screenshot(path=FOLDER / f"history-{screen}.png")
    for place in ("nets", "figures", "params", "wall_micros"):
        take(opened, f"#model-1-{place}", FOLDER / f"history-{place}-{screen}.png")
    opened.page.emulate_media(media="print")
    take(opened, "#model-1-params", FOLDER / f"history-picture-{screen}.png")


@pytest.mark.parametrize("screen", SCREENS, ids=str)
def test_reports_side_by_side_in_every_window(open_page: Open, tmp_path: Path, screen: Screen) -> None:
    opened = open_page(write_page(tmp_path, *four_models()), screen=screen)
    for place in ("summary", "front", "front-float-ops-params", "layers"):
        take(opened, f"#{place}", FOLDER / f"compare-{place}-{screen}.png")


@pytest.mark.parametrize("screen", SCREENS, ids=str)
def test_an_index_in_every_window(open_page: Open, tmp_path: Path, screen: Screen) -> None:
    rows = [*odd_rows(), *(listed_row(number) for number in range(60))]
    opened = open_page(write_index_page(rows, tmp_path), screen=screen)
    opened.page.locator("html[data-ready=true]").wait_for()
    opened.page.screenshot(path=FOLDER / f"index-{screen}.png")


def take(opened: Opened, place: str, path: Path) -> None:
    """Write a screenshot of the window, scrolled so that an element is at its top."""
    opened.page.locator(place).evaluate("element => element.scrollIntoView()")
    opened.page.wait_for_timeout(200)  # elements that scroll into view are drawn
    opened.page.screenshot(path=path)
