"""Live views in use: typing, key presses and clicks, with figures compared to the files of the report."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from browsing import LiveView, Opened
from command import summary_of
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

Open = Callable[..., Opened]

FOCUSED = """(({ activeElement: at }) =>
    at.ariaLabel ?? at.labels?.[0]?.innerText.trim() ?? at.innerText)(document)"""
"""The accessible name of the focused element."""


@pytest.fixture
def scope(open_page: Open, resnet: Path) -> LiveView:
    """Return the live scope view of the comparison of the ResNets."""
    return LiveView(open_page(resnet, "#view-scope"), "scope")


def rows_of(folder: Path, name: str) -> list[dict[str, Any]]:
    """Return the rows of a table of a report folder, without the row of totals."""
    rows: list[dict[str, Any]] = pq.read_table(folder / f"{name}.parquet").to_pylist()
    return [row for row in rows if row["depth"] > 0]


def known(figures: dict[str, str]) -> dict[str, int]:
    """Return exact texts as numbers, without unknown and absent ones."""
    digits = {name: text.replace(",", "").partition(" ")[0] for name, text in figures.items()}
    return {name: int(text) for name, text in digits.items() if text.isdecimal()}


def saved(view: LiveView, folder: Path) -> list[dict[str, str]]:
    """Return the rows of the CSV file that a view saves."""
    with view.page.expect_download() as download:
        view.section.get_by_role("button", name="CSV").click()
    download.value.save_as(folder / "saved.csv")
    with (folder / "saved.csv").open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize(("label", "stem"), [("FLOPs head", "float_ops"), ("Parameters head", "params")])
def test_figures_of_the_top_rows_add_up_to_the_total_of_the_summary(
    scope: LiveView, resnet: Path, label: str, stem: str
) -> None:
    scope.section.get_by_role("button", name="Close all").click()
    totals = {total["stem"]: total["value"] for total in summary_of(resnet)["totals"]}
    assert sum(known(scope.exact(label)).values()) == totals[stem]


def test_siblings_open_by_their_change_and_a_click_turns_them_round(scope: LiveView, resnet: Path) -> None:
    rows = [row for row in rows_of(resnet, "diff_scope") if row["depth"] == 1]
    changes = {row["name"]: abs((row["head_float_ops"] or 0) - (row["base_float_ops"] or 0)) for row in rows}
    scope.section.get_by_role("button", name="Close all").click()
    delta = scope.header("FLOPs delta")
    expect(delta).to_have_attribute("aria-sort", "descending")
    listed = [changes[name] for name in scope.exact("FLOPs delta")]
    assert listed[0] == max(changes.values()) > 0
    assert listed == sorted(listed, reverse=True)
    delta.get_by_role("button").click()
    expect(delta).to_have_attribute("aria-sort", "ascending")


def test_a_click_sorts_by_a_total_and_turns_it_round(scope: LiveView, resnet: Path) -> None:
    expected = {row["name"]: row["head_float_ops"] for row in rows_of(resnet, "diff_scope") if row["depth"] == 1}
    falling = sorted(filter(None, expected.values()), reverse=True)
    scope.section.get_by_role("button", name="Close all").click()
    header = scope.header("FLOPs head")
    header.get_by_role("button").click()
    expect(header).to_have_attribute("aria-sort", "descending")
    figures = known(scope.exact("FLOPs head"))
    assert list(figures.values())[: len(falling)] == falling
    assert all(expected[name] == figure for name, figure in figures.items() if figure)
    header.get_by_role("button").click()
    expect(header).to_have_attribute("aria-sort", "ascending")
    assert [figure for figure in known(scope.exact("FLOPs head")).values() if figure] == falling[::-1]
    header.get_by_role("button").click()
    expect(header).to_have_attribute("aria-sort", "none")
    scope.header("Parameters head").get_by_role("button").click()
    expect(scope.header("Parameters head")).to_have_attribute("aria-sort", "descending")


def test_a_search_finds_what_the_table_file_has(scope: LiveView, resnet: Path) -> None:
    names = [row["name"] for row in rows_of(resnet, "diff_scope")]
    found = sum("conv2d" in name.lower() for name in names)
    scope.search.fill("conv2d")
    expect(scope.status).to_contain_text(f"{found:,} of {len(names):,} rows found")
    scope.search.fill("/^unit_1_[0-9]$/")
    expect(scope.status).to_contain_text("5 of")
    scope.search.fill("/(/")
    expect(scope.search).to_have_attribute("aria-invalid", "true")
    scope.search.press("Escape")
    expect(scope.search).to_have_value("")
    expect(scope.status).to_contain_text(f"of {len(names):,}")


def test_a_search_that_could_take_forever_is_refused(scope: LiveView) -> None:
    listed = scope.count()
    scope.search.fill("/(a+)+$/")
    expect(scope.search).to_have_attribute("aria-invalid", "true")
    expect(scope.status).to_contain_text("This expression could take too long")
    assert scope.count() == listed


def test_small_rows_are_hidden_by_share_and_by_amount(scope: LiveView, resnet: Path) -> None:
    rows = rows_of(resnet, "diff_scope")
    for text, least in (("1 G", 10**9), ("10 M", 10**7)):
        kept = sum(max(row["base_float_ops"] or 0, row["head_float_ops"] or 0) >= least for row in rows)
        scope.least.fill(text)
        expect(scope.status).to_contain_text(f"{kept:,} of {len(rows):,} rows found")
    scope.least.fill("100 %")
    expect(scope.status).to_contain_text("0 of")
    scope.least.fill("plenty")
    expect(scope.least).to_have_attribute("aria-invalid", "true")


def test_the_keyboard_opens_closes_and_moves(scope: LiveView) -> None:
    scope.section.get_by_role("button", name="Close all").click()
    closed = scope.count()
    selected = scope.table.locator("[aria-selected=true]")
    scope.table.focus()
    scope.table.press("Home")
    expect(selected).to_have_attribute("aria-rowindex", "2")
    scope.table.press("End")
    expect(selected).to_have_attribute("aria-rowindex", str(closed + 1))
    while selected.get_attribute("aria-expanded") is None:
        scope.table.press("ArrowUp")
    scope.table.press("ArrowRight")
    expect(selected).to_have_attribute("aria-expanded", "true")
    assert scope.count() > closed
    scope.table.press("ArrowRight")
    expect(selected).to_have_attribute("aria-level", "2")
    scope.table.press("ArrowLeft")
    scope.table.press("ArrowLeft")
    expect(selected).to_have_attribute("aria-expanded", "false")
    assert scope.count() == closed


def test_tab_reaches_every_control_in_the_order_of_the_page(scope: LiveView) -> None:
    scope.page.locator("body").press("/")
    expect(scope.search).to_be_focused()
    reached = []
    for _ in range(7):
        scope.page.keyboard.press("Tab")
        reached.append(scope.page.evaluate(FOCUSED))
    assert reached == ["Hide below", "Columns", "Open all", "Close all", "Copy", "CSV", "By scope"]


def test_columns_are_chosen(scope: LiveView) -> None:
    before = scope.labels()
    scope.section.get_by_text("Columns", exact=True).click()
    scope.section.get_by_role("checkbox", name="Output memory, head").check()
    scope.section.get_by_role("checkbox", name="FLOPs, head").uncheck()
    assert set(scope.labels()) ^ set(before) == {"Output memory head", "FLOPs head"}


def test_a_saved_file_has_every_row_with_exact_figures(scope: LiveView, resnet: Path, tmp_path: Path) -> None:
    expected = {row["name"]: row for row in rows_of(resnet, "diff_scope")}
    rows = saved(scope, tmp_path)
    assert len(rows) == len(expected)
    for row in rows:
        known_row = expected[row["name"]]
        assert row["status"] == known_row["status"]
        assert row["float_ops total"] == str(
            known_row["head_float_ops"] if known_row["head_float_ops"] is not None else ""
        )


def test_listed_rows_are_copied_with_their_headers(scope: LiveView) -> None:
    scope.search.fill("/^unit_1_[0-9]$/")
    scope.section.get_by_role("button", name="Copy").click()
    expect(scope.status).to_have_text("Copied 5 rows.")
    scope.search.fill("")
    scope.search.press("Control+V")
    # a single-line field drops the line ends of pasted rows
    assert scope.search.input_value().startswith("name\top\tstatus\t")
    assert scope.search.input_value().count("unit_1_") == 5


def test_a_click_zooms_the_picture_in_and_escape_zooms_out(scope: LiveView) -> None:
    picture = scope.section.get_by_role("application")
    path = scope.section.get_by_role("navigation", name="Zoom of")
    drawn = picture.locator("rect[data-row]:not([data-row='-1'])")
    drawn.first.click()
    expect(path.get_by_role("button")).to_have_count(2)
    picture.press("Escape")
    expect(path.get_by_role("button")).to_have_count(1)


def test_the_width_of_a_row_is_its_share(scope: LiveView) -> None:
    picture = scope.section.get_by_role("application")
    whole = float(picture.locator("rect[data-row='-1']").get_attribute("width") or 0)
    figures = known(scope.exact("FLOPs head"))
    name, most = max(figures.items(), key=lambda item: item[1])
    row = scope.row(name).get_attribute("data-row")
    width = float(picture.locator(f"rect[data-row='{row}']").first.get_attribute("width") or 0)
    assert width / whole == pytest.approx(most / sum(figures.values()), abs=0.005)


def test_changes_are_drawn_in_more_than_colours(scope: LiveView) -> None:
    scope.section.get_by_role("button", name="Changes").click()
    picture = scope.section.get_by_role("application")
    labels = picture.locator("text").all_text_contents()
    assert any(label.startswith("\N{BLACK UP-POINTING TRIANGLE}") for label in labels)
    assert any(label.startswith("\N{BLACK DOWN-POINTING TRIANGLE}") for label in labels)
    assert picture.locator("rect.removed").count() > 0


@pytest.mark.parametrize("view", ["scope", "graph", "op", "code"])
def test_a_view_says_which_file_has_all_rows(open_page: Open, resnet: Path, view: str) -> None:
    section = LiveView(open_page(resnet, f"#view-{view}"), view).section
    expect(section.get_by_text(f"{view}.parquet").last).to_be_visible()
