"""Reports in cells, in a plain page and in one that styles its content as JupyterLab does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from browsing import DESKTOP, PHONE, SCREENS, Screen, new_context, open_in
from playwright.sync_api import Browser, Page
from repository import DATA

import tfprof_report as tr

pytestmark = pytest.mark.browser

JUPYTER = """
body { margin: 0; background: BACK; color: INK; font: 13px/1.5 system-ui; }
.jp-RenderedHTMLCommon { color: INK; font-size: 14px; padding-right: 20px; }
.jp-RenderedHTMLCommon p { margin: 0 0 1em; }
.jp-RenderedHTMLCommon dl dt { float: left; clear: left; width: 20%; font-weight: bold; }
.jp-RenderedHTMLCommon code { background: GREY; padding: 1px 5px; }
.jp-RenderedHTMLCommon table { border-collapse: collapse; border: none; font-size: 12px; margin: 0 auto 1em; }
.jp-RenderedHTMLCommon table { table-layout: fixed; }
.jp-RenderedHTMLCommon thead { border-bottom: 1px solid GREY; vertical-align: bottom; }
.jp-RenderedHTMLCommon :is(td, th, tr) { text-align: right; padding: .5em; border: none; vertical-align: middle; }
.jp-RenderedHTMLCommon tbody tr:nth-child(odd) { background: BACK; }
.jp-RenderedHTMLCommon tbody tr:nth-child(even) { background: GREY; }
"""
COLOURS = {
    False: {"BACK": "#fff", "INK": "#212121", "GREY": "#f5f5f5"},
    True: {"BACK": "#111", "INK": "#fff", "GREY": "#333"},
}
PARTS = ".tfprof-cell :is(p, dt, dd, th, td, span, strong, summary, code)"
HEAD = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>x</title>
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<style>STYLE</style></head>"""
AROUND = '<p id="before">before</p><table id="other"><tr><th>a</th><td>1</td></tr></table>'
LOOKS = """([selector]) => [...document.querySelectorAll(selector)].map((each) => JSON.stringify(
    ["color", "backgroundColor", "fontSize", "padding", "margin", "textAlign", "borderBottom"].map((name) =>
    getComputedStyle(each)[name])))"""
CONTRAST = """([selector, page]) => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
  const rgb = (...layers) => {
    canvas.clearRect(0, 0, 1, 1);
    for (const layer of layers) { canvas.fillStyle = layer; canvas.fillRect(0, 0, 1, 1); }
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const light = (parts) => parts.map((part) => part / 255)
    .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, place) => sum + part * [0.2126, 0.7152, 0.0722][place], 0);
  const shown = (each) => each.innerText && !each.closest(".unseen, svg");
  return [...document.querySelectorAll(selector)].filter(shown).map((each) => {
    const behind = [];
    for (let at = each; at; at = at.parentElement) behind.unshift(getComputedStyle(at).backgroundColor);
    const back = rgb(page, ...behind);
    const ink = rgb(page, ...behind, getComputedStyle(each).color);
    const [low, high] = [light(back), light(ink)].sort((a, b) => a - b);
    return [(high + 0.05) / (low + 0.05), each.innerText.slice(0, 40)];
  }).sort((a, b) => a[0] - b[0])[0];
}"""


Opens = Callable[..., Page]
"""Opens cells in a page: ``in_page(screen, jupyter=True, shown=...)``."""


@pytest.fixture(scope="module")
def cells() -> list[str]:
    """Return a comparison with a failed gate, a report of one model, and a table, as notebooks show them."""
    sides = DATA / "resnet" / "base", DATA / "resnet" / "head"
    gates = ["params <= 2M", "float_ops <= +10%", "output_bytes <= +10%"]
    change = tr.make_diff(*sides, gate=gates, label="resnet", commit="4ead0123456789", config="none")
    alone = tr.load(sides[1])
    return [change._repr_html_(), alone._repr_html_(), alone.totals._repr_html_()]


@pytest.fixture
def in_page(browser: Browser, cells: list[str], tmp_path: Path) -> Iterator[Opens]:
    contexts = []

    def open_(screen: Screen, *, jupyter: bool, shown: Sequence[str] = ()) -> Page:
        style = JUPYTER if jupyter else ""
        for word, colour in COLOURS[screen.is_dark].items():
            style = style.replace(word, colour)
        outputs = "".join(f'<div class="jp-RenderedHTMLCommon">{each}</div>' for each in shown or cells)
        page = HEAD.replace("STYLE", style) + f"<body>{AROUND}{outputs}</body></html>"
        (tmp_path / "page.html").write_text(page)
        context = new_context(browser, screen)
        contexts.append(context)
        opened = open_in(context, (tmp_path / "page.html").as_uri())
        assert (opened.errors, opened.requests) == ([], [])
        return opened.page

    yield open_
    for context in contexts:
        context.close()


@pytest.mark.parametrize("jupyter", [False, True])
@pytest.mark.parametrize("screen", SCREENS, ids=str)
def test_a_cell_fits_its_place_and_is_readable(in_page: Opens, screen: Screen, *, jupyter: bool) -> None:
    page = in_page(screen, jupyter=jupyter)
    for each in page.locator(".tfprof-cell").all():
        assert each.evaluate("(cell) => cell.scrollWidth <= cell.clientWidth + 1")
        assert each.evaluate("(cell) => cell.getBoundingClientRect().height") < (900 if screen.width > 400 else 1700)
    contrast, text = page.evaluate(CONTRAST, [PARTS, "#121212" if screen.is_dark else "#fff"])
    assert contrast >= 4.5, text


@pytest.mark.parametrize("jupyter", [False, True])
@pytest.mark.parametrize("screen", [DESKTOP, PHONE], ids=str)
def test_the_page_around_stays_as_it_is(in_page: Opens, screen: Screen, *, jupyter: bool) -> None:
    selector = "html, body, #before, #other, #other *"
    looks = [
        in_page(screen, jupyter=jupyter, shown=shown).evaluate(LOOKS, [selector]) for shown in (["<p>nothing</p>"], ())
    ]
    assert looks[0] == looks[1]
    assert len(looks[0]) > 5


def test_tables_look_the_same_in_a_notebook_as_in_a_plain_page(in_page: Opens) -> None:
    looks = [
        in_page(DESKTOP, jupyter=jupyter).evaluate(
            "() => [...document.querySelectorAll('.tfprof-cell .gates :is(th, td)')].map((each) => "
            "JSON.stringify(['textAlign', 'padding', 'fontSize'].map((name) => getComputedStyle(each)[name])))"
        )
        for jupyter in (False, True)
    ]
    assert looks[0] == looks[1]
    assert len(looks[0]) == 28


def test_tables_show_units_below_the_names_of_columns(in_page: Opens) -> None:
    nodes = tr.load(DATA / "resnet" / "head").nodes[["name", "params", "micros"]].head(2)
    page = in_page(DESKTOP, jupyter=True, shown=[nodes._repr_html_()])
    lines = page.locator(".dataframe thead tr")
    assert [line.inner_text().split() for line in lines.all()] == [
        ["name", "params", "micros"],
        ["elements", "microseconds"],
    ]
