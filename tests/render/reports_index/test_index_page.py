from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from listed import WHEN, index_page, listed_row, odd_rows
from lxml.html import HtmlElement, document_fromstring

from tfprof_report.render.reports_index.index_page import MOST_ROWS, render_reports_index
from tfprof_report.schema.listed_columns import LISTED


def page_of(rows: list[dict[str, Any]]) -> HtmlElement:
    return document_fromstring(index_page(rows))


def texts(page: HtmlElement) -> list[list[str]]:
    return [[cell.text_content() for cell in row.xpath("./th | ./td")] for row in page.xpath("//tbody/tr")]


def headers(page: HtmlElement) -> list[str]:
    return [cell.text_content() for cell in page.xpath("//thead//th")]


def test_a_row_says_what_is_known_of_a_report() -> None:
    page = page_of([listed_row(1), listed_row(2)])
    assert headers(page) == [
        *("Model", "Outcome", "Time", "Commit", "Label", "Branch"),
        *("FLOPs", "Parameters", "Device peak memory", "Wall time", "Nodes"),
    ]
    assert texts(page)[0] == [
        *("model-01", "OK", "2024-01-01 04:00", "000000100000", "batch 16", "main"),
        *("1.92 G", "1.00 k", "1.00 MiB", "10.00 ms", "1.00 k"),
    ]
    assert page.xpath("//tbody//a/@href") == ["1/report.html", "2/report.html"]


def test_numbers_have_their_digits_to_sort_by() -> None:
    (row, *_) = page_of([listed_row(1), listed_row(2)]).xpath("//tbody/tr")
    assert [cell.get("data-key") for cell in row.xpath("./td[contains(@class, 'n') and @data-key]")] == [
        "1919005757",
        "1001",
        "1048577",
        "10001.5",
        "1000",
    ]


def test_names_are_text_and_what_is_not_known_is_never_0() -> None:
    page = page_of(odd_rows())
    usual, hostile, partly, broken = texts(page)
    assert usual[0] == "model-01"
    assert hostile[0] == hostile[4] == "</script><b>|"
    assert not page.xpath("//tbody//b | //tbody//script")
    assert (partly[6], partly[9]) == ("at least 500", "\N{EN DASH}")
    assert broken[:2] == ["broken", "NO REPORTgraph.pb: is not a GraphDef"]
    assert set(broken[2:]) == {"\N{EN DASH}"}
    assert len(page.xpath("//tbody//a")) == 3


def test_outcomes_are_counted() -> None:
    page = page_of([listed_row(number) for number in range(9)])
    assert [each.text_content() for each in page.xpath("//ul[@class='counts']/li")] == [
        "5 OK",
        "2 FAILED",
        "2 INCONCLUSIVE",
    ]


def test_columns_that_no_report_knows_are_left_out_but_flops_and_parameters() -> None:
    assert headers(page_of([{"model": "a", "outcome": "ok"}])) == ["Model", "Outcome", "Time", "FLOPs", "Parameters"]


def test_of_more_reports_than_a_browser_bears_the_first_are_shown() -> None:
    page = page_of([listed_row(number) for number in range(MOST_ROWS + 1)])
    assert len(page.xpath("//tbody/tr")) == MOST_ROWS
    assert "Shows the first 2,000 of 2,001 reports." in page.text_content()
    assert "2,001 reports" in page.text_content()


def test_the_same_rows_give_the_same_page_and_a_table_may_have_other_columns_too() -> None:
    rows = odd_rows()
    table = pa.Table.from_pylist(rows, schema=LISTED)
    more = table.append_column("seconds", pa.array(range(len(rows))))
    assert render_reports_index(more, title="runs", timestamp=WHEN) == index_page(rows)


def test_no_rows_make_a_page_without_rows() -> None:
    assert texts(page_of([])) == []


@pytest.mark.parametrize("word", ["ok", "failed", "inconclusive", "no baseline", "not judged", "killed"])
def test_any_word_may_be_the_outcome(word: str) -> None:
    assert texts(page_of([{"model": "a", "outcome": word}]))[0][1] == word.upper()
