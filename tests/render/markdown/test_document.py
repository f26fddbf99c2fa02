"""The Markdown of a report, read back with the parsers of code hosts."""

from __future__ import annotations

import dataclasses
import re

import cmarkgfm
import pytest
from cmarkgfm.cmark import Options as CmarkOptions
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from report_builders import make_comparison_report, make_origin, make_report, make_view

from tfprof_report.compare.gates.verdict import GateResult, GateStatus, Outcome, Verdict
from tfprof_report.diagnostics import Diagnostic, Severity
from tfprof_report.model.measurement import Measurement
from tfprof_report.options import Options
from tfprof_report.render.markdown.document import LEAST_CHARS, MAX_CHARS, NAME_LIMIT, render_markdown
from tfprof_report.render.tables.cells import visible
from tfprof_report.report.distance import Distance
from tfprof_report.report.report import Report
from tfprof_report.semantics import TFPROF

Rows = list[list[str]]

HOSTILE = (
    "</script><b>|`x`\n\u202e\\|[a](b)*_~$&amp; @user #123 www.example.com deadbeef GH-1 :tada: a@b.co !1 </details>"
)
LIVE = ("@user", "#123", "www.", "deadbeef", "GH-1", ":tada:", "a@b", "!1")
TAGS = {"h2", "h3", "pre", "p", "strong", "table", "thead", "tbody", "tr", "th", "td", "code", "details", "summary"}


def read_tables(markdown: str) -> list[Rows]:
    """Return the text of all tables in the rendered page, header first."""
    tables: list[Rows] = []
    for token in MarkdownIt("gfm-like").parse(markdown):
        if token.type == "table_open":
            tables.append([])
        elif token.type == "tr_open":
            tables[-1].append([])
        elif token.type == "inline" and token.level and tables and token.children is not None:
            kinds = {child.type for child in token.children}
            if kinds <= {"text", "code_inline"} and token.level > 3:
                text = "".join(child.content for child in token.children)
                tables[-1][-1].append(text.replace("\N{NO-BREAK SPACE}", " "))
            elif token.level > 3:
                tables[-1][-1].append(f"markup: {kinds}")
    return tables


def table_of(markdown: str, *header: str) -> Rows:
    return next(rows[1:] for rows in read_tables(markdown) if rows[0][: len(header)] == list(header))


def as_github(markdown: str) -> str:
    """Return the HTML that GitHub's parser produces, with raw HTML kept."""
    return cmarkgfm.github_flavored_markdown_to_html(markdown, options=CmarkOptions.CMARK_OPT_UNSAFE)


def worst_report() -> Report:
    names = [f"{i}" + "`*|\\@#" * 300 for i in range(400)]
    ones = {"float_ops": [1] * 400, "params": [1] * 400}
    gate = GateResult(gate="*" * 9999, status=GateStatus.FAILED, text="|" * 9999)
    side = make_origin(inputs=make_origin().inputs * 100, label="@*" * 99_999, branch="`" * 9999)
    return make_comparison_report(
        names,
        views={name: make_view(name, names, ones) for name in ("scope", "op", "graph")},
        origin=side,
        diagnostics=(Diagnostic(severity=Severity.WARNING, code="x", text="_#1" * 9999, examples=tuple(names)),) * 50,
        verdict=Verdict(text="<" * 99_999, outcome=Outcome.FAILED, gates=(gate,) * 50),
    )


def shown_rows(markdown: str) -> int:
    return sum(len(rows) - 1 for rows in read_tables(markdown))


def test_the_first_lines_are_the_heading_and_the_verdict() -> None:
    lines = render_markdown(make_comparison_report()).splitlines()
    assert lines[0] == "## tfprof report: resnet50"
    assert lines[2].startswith("**\N{MULTIPLICATION X} Do not merge yet: 1 of 2 gates fails.** FLOPs grew ")
    assert lines[4] == "`main` at `0123456789ab` against `main` at `fedcba987654`"
    assert lines[6].startswith("Warning: Base and head are the same files")
    assert lines[8].startswith("| Outcome | Figure | Change | Base | Head |")


def test_figures_are_exact_and_scaled_where_they_are_large() -> None:
    figures = {row[0]: row[1:5] for row in table_of(render_markdown(make_comparison_report()), "Figure", "Base")}
    assert figures["FLOPs"] == [
        "at least 1.71 k (at least 1,705; 2 nodes unknown)",
        "at least 4.00 M (at least 4,001,255; 1 node unknown)",
        "+3,999,550",
        "+234,578 %",
    ]
    assert figures["Parameters"] == [
        "at least 0 (at least 0; 2 nodes unknown)",
        "at least 9.01 P (at least 9,007,199,254,740,993; 1 node unknown)",
        "+9.01 P",
        "new from 0",
    ]
    assert figures["Device peak memory"][1] == "at least 3.00 GiB (at least 3,221,225,472 B; 1 node unknown)"


def test_a_report_without_a_base_has_one_column_of_figures() -> None:
    rows = table_of(render_markdown(make_report()), "Figure", "Total", "Note")
    assert rows[0][:2] == ["FLOPs", "at least 17.63 G (at least 17,630,000,000; 2 nodes unknown)"]


def test_gates_are_shown_failed_ones_first_and_their_sentences_are_folded() -> None:
    text = render_markdown(make_comparison_report())
    first_screen, _, folded = text.partition("<details>")
    assert [[row[0], row[1], row[-1]] for row in table_of(first_screen, "Outcome", "Figure")] == [
        ["\N{MULTIPLICATION X} failed", "Parameters", "params <= +0"],
        ["\N{CHECK MARK} held", "FLOPs", "float_ops <= 1T"],
    ]
    assert [row[:2] for row in table_of(folded, "Gate")] == [["params <= +0", "failed"], ["float_ops <= 1T", "passed"]]


def test_both_commits_and_digests_are_there() -> None:
    report = make_comparison_report()
    assert report.comparison is not None
    found = [row[-2:] for row in table_of(render_markdown(report), "Side")]
    digests = [str(side.digest)[:12] for side in (report.comparison.base.origin, report.head.origin)]
    assert found == [["fedcba987654", digests[0]], ["0123456789ab", digests[1]]]


def test_folded_parts_hold_tables_that_are_tables() -> None:
    page = as_github(render_markdown(make_comparison_report()))
    assert page.count("<details>") == page.count("</details>") > 5
    _, rest = page.split("<details>\n<summary>Everything else</summary>\n")
    folded = re.findall(r"<details>\n<summary>(.*?)</summary>\n(.*?)</details>", rest, re.DOTALL)
    assert len(folded) == rest.count("<details>")
    assert [title for title, body in folded if "<table>" not in body] == []


def test_totals_say_their_coverage() -> None:
    assert table_of(render_markdown(make_report()), "Figure", "Total", "Coverage") == [
        ["Parameters", "9.01 P", "known for 2 of 2 nodes"],
        ["FLOPs", "at least 17.63 G", "1 of 3 FLOP-capable nodes counted"],
        ["Requested memory", "1.21 GiB", "known for 2 of 2 nodes"],
        ["Op time", "unknown", "known for 0 of 2 nodes"],
    ]


def test_a_view_with_more_rows_than_fit_says_how_many_are_left_out_and_where_they_are() -> None:
    names = [f"node{i}" for i in range(60)]
    report = make_report(views={"op": make_view("op", names, {"params": [*range(60)]})})
    text = render_markdown(report)
    assert len(table_of(text, "Name")) == 50
    assert "Shows 50 of 60 rows, upper levels first; 10 are left out (`op.parquet`)." in text


def test_the_upper_levels_of_a_tree_are_kept_when_it_is_cut() -> None:
    names = ["a", *(f"a/{i}" for i in range(60)), "b", "b/0"]
    view = make_view("scope", names, {"params": [1] * 63}, depths=[1, *[2] * 60, 1, 2])
    rows = table_of(render_markdown(make_report(views={"scope": view})), "Name")
    assert [rows[0][0], rows[1][0], rows[-1][0]] == ["a", "\N{EM SPACE}0", "b"]


def test_a_long_name_is_shortened_in_the_middle_and_the_file_says_so() -> None:
    name = "start" + "x" * 500 + "end"
    text = render_markdown(make_report((name, "b")))
    shown = table_of(text, "Name")[0][0]
    assert (len(shown), shown[:5], shown[-3:], "…" in shown) == (NAME_LIMIT, "start", "end", True)
    assert text.endswith("Names longer than 120 characters are shortened.\n")


@pytest.mark.parametrize("make", [make_report, make_comparison_report], ids=["plain", "comparison"])
def test_a_hostile_name_is_text_in_every_table(make: type) -> None:
    text = render_markdown(make((HOSTILE, "b", "c", "d"), origin=make_origin(label=HOSTILE, branch=HOSTILE)))
    cells = [cell for table in read_tables(text) for row in table for cell in row]
    assert visible(HOSTILE) in cells
    assert not [cell for cell in cells if cell.startswith("markup")]
    page = as_github(text)
    assert "<a " not in page
    assert set(re.findall(r"<(\w+)", page)) <= TAGS
    outside_code = re.sub(r"<code>.*?</code>", "", page, flags=re.DOTALL)
    assert [mark for mark in LIVE if mark in outside_code] == []


@given(
    st.lists(st.text(alphabet="`|\\<@#a!&\n~_[]()*:/.w", min_size=1, max_size=30), min_size=4, max_size=4, unique=True)
)
@settings(max_examples=examples(10), deadline=None)
def test_no_name_becomes_markup(names: list[str]) -> None:
    side = make_origin(label=names[0], branch=names[1], commit=names[2])
    page = as_github(render_markdown(make_comparison_report(names, origin=side)))
    assert set(re.findall(r"<(\w+)", page)) <= TAGS
    assert "<code>" in page


def test_the_same_report_gives_the_same_file() -> None:
    report = make_comparison_report()
    assert render_markdown(report) == render_markdown(dataclasses.replace(report))


def test_views_say_when_their_figures_are_not_those_of_the_totals() -> None:
    report = make_report()
    assert "unlike the totals" not in render_markdown(report)
    other = make_report(measurement=Measurement(options=Options(step=7), semantics=TFPROF))
    assert "Figures of step 7 alone and by tfprof semantics, unlike the totals above." in render_markdown(other)


def test_the_worst_report_stays_within_what_code_hosts_take() -> None:
    text = render_markdown(worst_report())
    assert len(text) <= MAX_CHARS
    assert "are left out" in text


def test_what_goes_first_is_the_glossary_and_what_stays_longest_is_the_verdict() -> None:
    report = make_comparison_report()
    whole = render_markdown(report)
    titles = re.findall("<summary>(.*)</summary>", whole)
    less = render_markdown(report, whole.index("<summary>Provenance"))
    kept = re.findall("<summary>(.*)</summary>", less)
    assert kept == titles[: len(kept)]
    assert less.endswith(f"Left out for length: {', '.join(titles[len(kept) :])}; report.html has them.\n")
    assert titles[-1] == "Glossary"
    least = render_markdown(report, LEAST_CHARS)
    assert least.splitlines()[:3] == whole.splitlines()[:3]
    assert "<summary>" not in least


REPORTS = {
    "plain": make_report(),
    "comparison": make_comparison_report(),
    "hostile": make_comparison_report([HOSTILE * 9, *(f"a/{i}" for i in range(99))]),
    "worst": worst_report(),
}


@pytest.mark.parametrize("name", REPORTS)
@given(budgets=st.lists(st.integers(LEAST_CHARS, 70_000), min_size=2, max_size=2).map(sorted))
@settings(max_examples=examples(5), deadline=None)
def test_every_budget_is_kept_and_more_room_never_shows_fewer_rows(name: str, budgets: list[int]) -> None:
    shown = []
    verdict = render_markdown(REPORTS[name]).splitlines()[:3]
    for budget in budgets:
        text = render_markdown(REPORTS[name], budget)
        assert len(text) <= budget
        assert text.splitlines()[:3] == verdict
        tables = read_tables(text)
        assert [len(rows) for rows in tables if len({len(row) for row in rows}) != 1] == []
        assert not [cell for rows in tables for row in rows for cell in row if cell.startswith("markup")]
        shown.append(shown_rows(text))
    assert shown[0] <= shown[1]


@pytest.mark.parametrize("name", REPORTS)
def test_the_least_budget_holds_heading_and_verdict_whatever_they_say(name: str) -> None:
    text = render_markdown(REPORTS[name], LEAST_CHARS)
    assert len(text) <= LEAST_CHARS
    assert as_github(text).startswith("<h2>tfprof report: ")
    assert "Left out for length: " in text


def test_the_least_budget_still_says_that_the_baseline_is_far_back() -> None:
    gates = tuple(GateResult(gate="params <= +0" * 20, status=GateStatus.FAILED, text="why") for _ in range(3))
    report = make_comparison_report(verdict=Verdict(text="FAILED: why.", outcome=Outcome.FAILED, gates=gates))
    report = dataclasses.replace(report, distance=Distance(commits_back=41, age_seconds=23 * 86_400))
    text = render_markdown(report, LEAST_CHARS)
    assert len(text) <= LEAST_CHARS
    assert "Compared with `fedcba987654`, 41 commits back, 23 days old." in text
