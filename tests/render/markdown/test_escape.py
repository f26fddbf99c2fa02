"""Text, names and figures as Markdown: hosts show them literally, without markup or links."""

from __future__ import annotations

import html
import re

import cmarkgfm
import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tfprof_report.errors import one_line
from tfprof_report.render.markdown.escape import MOST_INDENTS, exact_cell, md_cell, md_code, md_text
from tfprof_report.render.tables.cells import Cell, number_cell, visible
from tfprof_report.schema.metrics import Number, Unit

MARKUP = st.text(alphabet="`|\\ a<*_[]()!#&;-@~$%:./w1", min_size=1, max_size=16)


def cells_of(row: str) -> list[tuple[str, str]]:
    """Return the cells of a one-row table as both parsers show them: text and tags."""
    markdown = f"| a | b |\n| --- | --- |\n| {row} | end |\n"
    pages = (cmarkgfm.github_flavored_markdown_to_html(markdown), MarkdownIt("gfm-like").render(markdown))
    found = []
    for page in pages:
        first, last = re.findall(r"<td>(.*?)</td>", page, re.DOTALL)
        assert last == "end"
        found.append((html.unescape(re.sub(r"<[^>]*>", "", first)), "".join(re.findall(r"</?(\w+)", first))))
    return found


def is_inert(tags: str) -> bool:
    return set(tags) <= set("code")


@given(st.text(min_size=1))
@settings(max_examples=examples(200))
def test_any_name_survives_as_a_cell(name: str) -> None:
    cell = Cell(visible(name), is_name=True)
    for text, tags in cells_of(md_cell(cell)):
        assert (text, tags) == (cell.text, "codecode")


@given(MARKUP)
@settings(max_examples=examples(400))
def test_a_name_made_of_markup_survives_as_a_cell(name: str) -> None:
    for text, tags in cells_of(md_cell(Cell(name, is_name=True))):
        assert (text, tags) == (name, "codecode")


@given(MARKUP)
@settings(max_examples=examples(400))
def test_words_made_of_markup_survive_as_a_cell(words: str) -> None:
    for text, tags in cells_of(md_text(words, in_table=True)):
        assert text.split() == words.split()
        assert re.fullmatch("(codecode)*", tags)


@given(st.text() | st.text(alphabet="-+=#*1.) >~`\t|:", max_size=9))
@settings(max_examples=examples(300))
def test_words_outside_of_tables_are_one_paragraph(words: str) -> None:
    page = cmarkgfm.github_flavored_markdown_to_html(f"{md_text(words)}\n")
    assert re.fullmatch(r"(<p>([^<]|</?code>)*</p>\n)?", page)
    assert html.unescape(re.sub("<.*?>", "", page)).split() == one_line(words).split()


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("asked by @user.", "asked by `@user`."),
        ("see #12, (0a1b2c3)", "see `#12`, (`0a1b2c3`)"),
        ("(http://a/b?c=d&e) x", "(`http://a/b?c=d&e`) x"),
        ("write a@b.co, www.x or x.io", "write `a@b.co`, `www.x` or `x.io`"),
        ("GH-1 :tada: !1 &1 %1 ~bug $x$", "`GH-1` `:tada:` `!1` `&1` `%1` `~bug` `$x$`"),
        ("100 % of 12,345 nodes at 12:30; params <= +1%", "100 % of 12,345 nodes at 12:30; params \\<= +1%"),
        ("a tick ` and `@`", "a tick \\` and `` `@` ``"),
    ],
)
def test_what_a_host_would_turn_into_a_link_is_code(words: str, shown: str) -> None:
    assert md_text(words) == shown


def test_a_pipe_is_escaped_in_tables_only() -> None:
    assert md_code("a|b") == "`a|b`"
    assert md_code("a|b", in_table=True) == "`a\\|b`"


def test_more_ticks_than_a_parser_takes_are_shortened() -> None:
    text = md_code("a" + "`" * 99 + "b", in_table=True)
    assert [tags for _, tags in cells_of(text)] == ["codecode"] * 2
    assert "…" in text


@given(st.text(), st.integers(20, 200))
def test_words_keep_to_the_room_they_have(words: str, most: int) -> None:
    assert len(md_text(words, most=most)) <= most


def test_figures_and_units_stay_on_one_line() -> None:
    figure = exact_cell(number_cell(3 * 2**30, Unit.BYTES))
    assert md_cell(figure) == "3.00\N{NO-BREAK SPACE}GiB (3,221,225,472\N{NO-BREAK SPACE}B)"
    assert md_cell(Cell("12 of 13 nodes")) == "12 of 13 nodes"


def test_deep_names_say_their_level() -> None:
    assert md_cell(Cell("x", depth=2, is_name=True)) == "&emsp;&emsp;`x`"
    assert md_cell(Cell("x", depth=300, is_name=True)) == "&emsp;" * MOST_INDENTS + "level 301: `x`"


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (930_582, Unit.COUNT, "930,582"),
        (9_999_999, Unit.COUNT, "9,999,999"),
        (10_000_000, Unit.COUNT, "10.00 M (10,000,000)"),
        (65_313_421_312, Unit.COUNT, "65.31 G (65,313,421,312)"),
        (2048, Unit.BYTES, "2.00 KiB (2,048 B)"),
        (12, Unit.BYTES, "12 B"),
        (826_651.5, Unit.MICROS, "826.65 ms (826,651.5 us)"),
        (826_651 + 1 / 3, Unit.MICROS, "826.65 ms"),
        (12.5, Unit.MICROS, "12.50 us"),
        (None, Unit.COUNT, "unknown"),
    ],
)
def test_a_figure_is_exact_and_scaled_where_it_is_large(value: Number | None, unit: Unit, shown: str) -> None:
    assert exact_cell(number_cell(value, unit)).text == shown
