from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from report_builders import make_comparison_report, make_report, make_side, make_view

from tfprof_report.compare.result import GateResult, GateStatus, Verdict
from tfprof_report.diagnostics import Diagnostic, Severity
from tfprof_report.render.cells import Cell, shorten, visible
from tfprof_report.render.markdown import NAME_LIMIT, SIZE_LIMIT, md_cell, md_text, render_markdown

Rows = list[list[str]]

HOSTILE = "</script><b>|`x`\n\u202e\\|[a](b)*_~$&amp;"


def read_tables(markdown: str) -> list[Rows]:
    """Return the text of all tables, header first, as a reader of the rendered page gets it."""
    tables: list[Rows] = []
    for token in MarkdownIt("commonmark").enable("table").parse(markdown):
        if token.type == "table_open":
            tables.append([])
        elif token.type == "tr_open":
            tables[-1].append([])
        elif token.type == "inline" and token.level and tables and token.children is not None:
            kinds = {child.type for child in token.children}
            if kinds <= {"text", "code_inline"} and token.level > 3:
                tables[-1][-1].append("".join(child.content for child in token.children))
            elif token.level > 3:
                tables[-1][-1].append(f"markup: {kinds}")
    return tables


def table_of(markdown: str, *header: str) -> Rows:
    return next(rows[1:] for rows in read_tables(markdown) if rows[0][: len(header)] == list(header))


def table_with(cell: str) -> str:
    return f"| a | b |\n| --- | --- |\n| {cell} | end |\n"


def test_the_first_lines_are_the_heading_and_the_verdict() -> None:
    lines = render_markdown(make_comparison_report()).splitlines()
    assert lines[0] == "# tfprof report: resnet50"
    assert lines[2] == "**FAILED**: 1 of 2 gates failed: params \\<= +0."


def test_totals_are_scaled_and_say_their_coverage() -> None:
    assert table_of(render_markdown(make_report()), "Figure", "Total") == [
        ["Parameters", "9.01 P", "known for 2 of 2 nodes"],
        ["FLOPs", "17.63 G", "1 of 3 FLOP-capable nodes counted"],
        ["Requested memory", "1.21 GiB", "known for 2 of 2 nodes"],
        ["Time", "unknown", "known for 0 of 2 nodes"],
    ]


def test_totals_of_a_comparison_show_both_sides_and_what_happened() -> None:
    rows = table_of(render_markdown(make_comparison_report()), "Figure", "Base")
    assert rows[1][:6] == ["Parameters", "0", "9.01 P", "+9.01 P", "new from 0", "new from 0"]
    assert rows[2][:6] == ["Time", "12.50 us", "unknown", "unknown", "lost", "lost"]
    assert rows[3][:6] == ["Device peak memory", "1.00 GiB", "3.00 GiB", "+2.00 GiB", "+200.00 %", "changed"]


def test_a_view_with_more_rows_than_fit_says_how_many_are_left_out() -> None:
    names = [f"node{i}" for i in range(60)]
    report = make_report(views={"op": make_view("op", names, {"params": [*range(60)]})})
    text = render_markdown(report)
    assert len(table_of(text, "Name")) == 50
    assert "Shows 50 of 60 rows, upper levels first; 10 are left out (op.parquet)." in text


def test_the_upper_levels_of_a_tree_are_kept_when_it_is_cut() -> None:
    names = ["a", *(f"a/{i}" for i in range(60)), "b", "b/0"]
    view = make_view("scope", names, {"params": [1] * 63}, depths=[1, *[2] * 60, 1, 2])
    rows = table_of(render_markdown(make_report(views={"scope": view})), "Name")
    assert [rows[0][0], rows[1][0], rows[-1][0]] == ["a", "a/0", "b"]


def test_a_long_name_is_shortened_in_the_middle_and_the_file_says_so() -> None:
    name = "start" + "x" * 500 + "end"
    text = render_markdown(make_report((name, "b")))
    shown = table_of(text, "Name")[0][0]
    assert (len(shown), shown[:5], shown[-3:], "…" in shown) == (NAME_LIMIT, "start", "end", True)
    assert text.endswith("Names longer than 120 characters are shortened in the middle.\n")


def test_the_worst_report_stays_within_what_code_hosts_take() -> None:
    names = [f"{i}" + "`*|\\" * 300 for i in range(400)]
    ones = {"float_ops": [1] * 400, "params": [1] * 400}
    gate = GateResult(gate="*" * 9999, status=GateStatus.FAILED, text="|" * 9999)
    report = make_comparison_report(
        names,
        views={name: make_view(name, names, ones) for name in ("scope", "op", "graph")},
        side=make_side(inputs=make_side().inputs * 100, label="*" * 99_999),
        diagnostics=(Diagnostic(severity=Severity.WARNING, code="x", text="_" * 9999, examples=tuple(names)),) * 50,
        verdict=Verdict(text="<" * 99_999, exit_code=1, gates=(gate,) * 50),
    )
    text = render_markdown(report)
    assert len(text) <= SIZE_LIMIT
    assert "are left out" in text


@given(st.text(min_size=1))
@settings(max_examples=300)
def test_any_name_survives_as_a_cell(name: str) -> None:
    cell = Cell(visible(name), is_name=True)
    assert read_tables(table_with(md_cell(cell)))[0][1] == [shorten(cell.text, NAME_LIMIT), "end"]


@given(st.text(alphabet="`|\\ a<*_[]()!#&;-", min_size=1, max_size=12))
@settings(max_examples=500)
def test_a_name_made_of_markup_survives_as_a_cell(name: str) -> None:
    assert read_tables(table_with(md_cell(Cell(name, is_name=True))))[0][1] == [name, "end"]


@given(st.text(alphabet="`|\\a<*_[]()!#&;-", min_size=1, max_size=12))
@settings(max_examples=500)
def test_words_made_of_markup_survive_as_a_cell(words: str) -> None:
    assert read_tables(table_with(md_text(words)))[0][1] == [words, "end"]


@pytest.mark.parametrize("make", [make_report, make_comparison_report], ids=["plain", "comparison"])
def test_a_hostile_name_is_text_in_every_table(make: type) -> None:
    text = render_markdown(make((HOSTILE, "b", "c", "d")))
    cells = [cell for table in read_tables(text) for row in table for cell in row]
    assert visible(HOSTILE) in cells
    assert not [cell for cell in cells if cell.startswith("markup")]


def test_the_same_report_gives_the_same_file() -> None:
    report = make_comparison_report()
    assert render_markdown(report) == render_markdown(dataclasses.replace(report))


def test_views_say_when_their_figures_are_not_those_of_the_totals() -> None:
    report = make_report()
    assert "unlike the totals" not in render_markdown(report)
    other = dataclasses.replace(report, options={**report.options, "step": 7}, semantics="tfprof")
    assert "Figures of step 7 alone and by tfprof semantics, unlike the totals above." in render_markdown(other)
