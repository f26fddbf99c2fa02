"""Comments and job summaries: never more bytes than the host accepts, with any names."""

from __future__ import annotations

import re
from functools import partial

import cmarkgfm
import pytest
from cmarkgfm.cmark import Options as CmarkOptions
from hypothesis import given
from hypothesis import strategies as st
from report_builders import make_comparison_report, make_origin, make_view

from tfprof_report.compare.gates.verdict import GateResult, GateStatus, Outcome, Verdict
from tfprof_report.diagnostics import Diagnostic, Severity
from tfprof_report.render.markdown.comment import (
    MOST_OF_COMMENT,
    MOST_OF_SUMMARY,
    marker,
    render_comment,
    render_job_summary,
    within,
)
from tfprof_report.render.markdown.document import LEAST_CHARS, render_markdown
from tfprof_report.report.report import Report

MIB = 1_048_576


def large_report(letter: str = "x") -> Report:
    """Return a report whose Markdown is larger than a comment, with names made of one letter."""
    names = [f"{place}{letter * 110}" for place in range(400)]
    ones = {"float_ops": [1] * 400, "params": [1] * 400}
    views = {name: make_view(name, names, ones) for name in ("scope", "op", "graph", "code")}
    warning = Diagnostic(severity=Severity.WARNING, code="x", text=letter * 500)
    return make_comparison_report(
        names,
        origin=make_origin(label=letter * 200),
        views=views,
        diagnostics=(warning,) * 20,
        verdict=long_verdict(letter),
    )


def long_verdict(letter: str) -> Verdict:
    gate = GateResult(gate=letter * 400, status=GateStatus.FAILED, text=letter * 500)
    return Verdict(text=f"FAILED: {letter}.", outcome=Outcome.FAILED, gates=(gate,) * 20)


def test_the_limits_are_those_of_github() -> None:
    assert (MOST_OF_COMMENT, MOST_OF_SUMMARY) == (65_536, MIB)


def test_a_comment_begins_with_its_marker_which_no_page_shows() -> None:
    text = render_comment(partial(render_markdown, make_comparison_report()))
    assert text.startswith("<!-- tfprof-report -->\n\n## tfprof report: resnet50\n")
    page = cmarkgfm.github_flavored_markdown_to_html(text, options=CmarkOptions.CMARK_OPT_UNSAFE)
    assert page.startswith("<!-- tfprof-report -->\n<h2>tfprof report: resnet50</h2>")


@pytest.mark.parametrize("letter", ["x", "é", "層", "😀"])
def test_a_comment_of_a_large_report_fills_the_limit_and_does_not_pass_it(letter: str) -> None:
    text = render_comment(partial(render_markdown, large_report(letter)))
    assert 0.75 * MOST_OF_COMMENT < len(text.encode()) <= MOST_OF_COMMENT
    assert "Left out for length" in text or "are left out" in text


def test_markers_are_the_same_for_a_label_and_apart_for_two() -> None:
    assert marker(None) == marker("") == "<!-- tfprof-report -->"
    assert marker("resnet50") == "<!-- tfprof-report: resnet50 -->"
    assert marker("a b") == "<!-- tfprof-report: a%20b -->"
    assert marker("a" * 10_000) != marker("b" * 10_000)
    assert len(marker("a" * 10_000)) < 100


@given(st.text(alphabet=st.sampled_from("->!< \n\r&\x00é\ud800a"), min_size=1, max_size=40))
def test_no_label_ends_its_marker_early(label: str) -> None:
    assert re.fullmatch(r"<!-- tfprof-report: (?!.*--.*-->)[\w.~%-]+ -->", marker(label), re.ASCII)


def test_what_does_not_fit_at_all_is_nothing() -> None:
    markdown = partial(render_markdown, large_report("😀"))
    least = max(len(markdown(LEAST_CHARS).encode()), LEAST_CHARS)
    assert within(markdown, least) == markdown(LEAST_CHARS)
    assert within(markdown, least - 1) is None
    assert within(markdown, 0) is None
    assert within(markdown, -5) is None


@given(st.integers(LEAST_CHARS, 20_000), st.integers(1, 4), st.integers(0, 30_000))
def test_any_room_is_kept_and_what_fits_is_shown(most: int, width: int, size: int) -> None:
    letter = {1: "a", 2: "é", 3: "層", 4: "😀"}[width]
    asked: list[int] = []

    def markdown(chars: int) -> str:
        asked.append(chars)
        return letter * min(chars, size)

    text = within(markdown, most)
    assert min(asked) >= LEAST_CHARS
    if text is None:
        assert width * min(size, LEAST_CHARS) > most
    else:
        assert len(text.encode()) <= most
    if width * size <= most:
        assert text == letter * size


@pytest.mark.parametrize("taken", [0, 1, 500_000, MIB - 70_000, MIB - 5_000])
def test_a_summary_fits_into_the_room_that_is_left(taken: int) -> None:
    text = render_job_summary(partial(render_markdown, large_report("層")), taken)
    assert text is not None
    assert taken + len(text.encode()) <= MIB
    assert text.startswith("\n\n## " if taken else "## ")
    assert "Do not merge yet" in text


@pytest.mark.parametrize("taken", [MIB - 300, MIB, MIB + 1])
def test_a_summary_that_is_full_gets_nothing(taken: int) -> None:
    assert render_job_summary(partial(render_markdown, make_comparison_report()), taken) is None


def test_a_large_summary_is_cut_by_whole_rows_and_sections() -> None:
    report = large_report()
    text = render_job_summary(partial(render_markdown, report), MIB - 30_000)
    assert text is not None
    assert text.strip() == render_markdown(report, 29_998).strip()
