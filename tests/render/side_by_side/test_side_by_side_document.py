from __future__ import annotations

import pytest
from cmarkgfm import github_flavored_markdown_to_html
from columned import column, four_models, side_by_side
from lxml.html import document_fromstring
from repository import DATA

from tfprof_report.render.side_by_side.content import side_by_side_content
from tfprof_report.render.side_by_side.side_by_side_document import render_side_by_side_markdown
from tfprof_report.side_by_side.report_column import Column

GOLDEN = DATA / "side_by_side" / "four-models.md"


def markdown(*columns: Column, max_chars: int = 60_000) -> str:
    return render_side_by_side_markdown(side_by_side_content(side_by_side(*columns)), max_chars)


def test_four_models_are_shown_as_in_the_golden() -> None:
    assert markdown(*four_models()) == GOLDEN.read_text(encoding="utf-8")


def test_many_columns_are_in_tables_of_a_few_each_with_the_first() -> None:
    columns = [column(f"m{number}", params=number) for number in range(1, 9)]
    text = markdown(*columns)
    heads = [line for line in text.splitlines() if line.startswith("| Figure |")]
    assert heads == ["| Figure | m1 | m2 | m3 | m4 | m5 | m6 |", "| Figure | m1 | m7 | m8 |"]
    assert "**Figures, columns 2 to 6 of 8**" in text


@pytest.mark.parametrize("name", ["</script><b>|", "`](javascript:x)", "@you", "a\nb", "**x**", "#1"])
def test_a_name_is_text(name: str) -> None:
    text = markdown(column(name, {name: 5}, params=1, label=name, branch=name), column("other", {name: 7}, params=2))
    page = document_fromstring(github_flavored_markdown_to_html(text))
    assert not page.xpath("//b | //script | //a | //em")
    shown = name.replace("\n", "\\n")
    assert shown in [cell.text_content() for cell in page.xpath("//th")]
    assert page.text_content().count(shown) >= 4


def test_the_text_fits_into_its_limit() -> None:
    columns = [
        column(f"model-{number}", {f"layer-{each}": each for each in range(40)}, params=1) for number in range(30)
    ]
    text = markdown(*columns, max_chars=1000)
    assert len(text) <= 1000
    assert "compare.html has them." in text
