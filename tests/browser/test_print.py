"""Printed pages: no title, sentence before a table, or header of a table is alone at the end of one."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from browsing import Opened

pytestmark = pytest.mark.browser

Open = Callable[..., Opened]

READER = shutil.which("pdftotext")
TITLES = "h2, h3, summary, caption, thead tr:last-child, main > section > details > p"


def printed(open_page: Open, folder: Path) -> Opened:
    """Open a page as it is on paper, where every section is open."""
    opened = open_page(folder)
    opened.page.locator("html[data-ready=true]").wait_for()
    opened.page.emulate_media(media="print")
    opened.page.locator("#layers table").first.wait_for()
    return opened


def lines_of(page: str) -> list[str]:
    return [" ".join(line.split()) for line in page.splitlines() if line.strip()]


@pytest.mark.parametrize("folder", ["resnet", "alone"])
def test_what_stands_before_others_keeps_with_them(
    open_page: Open, folder: str, request: pytest.FixtureRequest
) -> None:
    page = printed(open_page, request.getfixturevalue(folder)).page
    kept = page.evaluate(
        """(titles) => [...document.querySelectorAll(titles)].filter((title) => title.checkVisibility())
            .map((title) => getComputedStyle(title.closest("summary, thead") ?? title).breakAfter)""",
        TITLES,
    )
    assert len(kept) > 50
    assert set(kept) == {"avoid"}
    # Browsers repeat no header that has a box of its own in it.
    buttons = page.evaluate(
        "[...document.querySelectorAll('thead button')].map((each) => getComputedStyle(each).display)"
    )
    assert set(buttons) == {"contents"}


@pytest.mark.skipif(READER is None, reason="pdftotext is missing")
@pytest.mark.parametrize("folder", ["resnet", "alone"])
def test_no_title_or_header_is_alone_at_the_end_of_a_page(
    open_page: Open, folder: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    page = printed(open_page, request.getfixturevalue(folder)).page
    titles = {" ".join(text.split()) for text in page.locator(TITLES).all_text_contents()}
    titles |= {" ".join(row.locator("th").all_inner_texts()) for row in page.locator("thead tr").all()}
    page.pdf(path=tmp_path / "report.pdf", prefer_css_page_size=True)
    words = [str(READER), "-layout", str(tmp_path / "report.pdf"), "-"]
    text = subprocess.run(words, check=True, capture_output=True, encoding="utf-8").stdout
    pages = [lines for page in text.split("\f") if (lines := lines_of(page))]
    assert len(pages) > 20
    assert [lines[-1] for lines in pages if lines[-1] in titles] == []
