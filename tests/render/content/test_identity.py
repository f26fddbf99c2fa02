"""The line that names both sides, as data, in a page and in Markdown."""

from __future__ import annotations

import dataclasses
import re
from html import unescape

from report_builders import make_comparison_report, make_origin, make_report, with_base, with_head

from tfprof_report.render.content.identity import identity_of
from tfprof_report.render.html.page import render_html
from tfprof_report.render.markdown.document import render_brief, render_markdown
from tfprof_report.report.distance import Distance
from tfprof_report.report.links import Links
from tfprof_report.report.report import Report

LINKS = Links(report="https://ci.example.com/1?a=b&c=d", commit="https://example.com/r/commit/{commit}")


def shown(report: Report) -> str:
    """Return the line of a page as text."""
    line = render_html(report).partition('<p class="sides">')[2].partition("</p>")[0]
    return " ".join(unescape(re.sub(r"<[^>]*>", "", line)).split())


def markdown_line(report: Report) -> str:
    return render_markdown(report).splitlines()[4]


def test_both_sides_are_in_one_line() -> None:
    report = dataclasses.replace(make_comparison_report(), distance=Distance(commits_back=1, age_seconds=7200))
    line = "main at 0123456789ab against main at fedcba987654 (1 commit back, 2 hours old)"
    assert shown(report) == line
    assert markdown_line(report).replace("`", "") == line


def test_what_is_not_given_is_left_out_but_for_the_commit_of_one_side() -> None:
    assert shown(make_report(origin=make_origin(branch=None))) == "commit 0123456789ab"
    assert shown(make_report(origin=make_origin(commit=None))) == "main"
    assert shown(make_report(origin=make_origin(branch=None, commit=None))) == ""
    bare = with_base(make_comparison_report(), origin=make_origin(label="old", branch=None, commit=None))
    assert shown(bare) == "main at 0123456789ab against old, commit not given"
    assert markdown_line(bare) == "`main` at `0123456789ab` against `old`, commit not given"
    neither = with_head(bare, origin=make_origin(branch=None, commit=None))
    assert (shown(neither), markdown_line(neither)) == ("against old", "Against `old`")


def test_a_model_of_several_links_to_all_of_them() -> None:
    page = render_html(dataclasses.replace(make_report(), model="encoder"))
    assert '<a href="../report.html">all models</a>' in page
    assert "all models" not in render_html(make_report())


def test_a_base_of_another_name_has_its_own() -> None:
    report = with_base(make_comparison_report(), origin=make_origin(label="resnet18"))
    assert "against resnet18, main at" in shown(report)
    assert "against `resnet18`, `main` at" in markdown_line(report)


def test_commits_and_the_report_are_links_where_their_addresses_are_known() -> None:
    report = dataclasses.replace(make_comparison_report(), links=LINKS)
    html = render_html(report)
    assert '<a href="https://example.com/r/commit/0123456789abcdef0123" rel="noreferrer">' in html
    assert '<a href="https://ci.example.com/1?a=b&amp;c=d" rel="noreferrer">full report</a>' in html
    assert "](<https://example.com/r/commit/fedcba9876543210fedc>) \N{MIDDLE DOT} [full report](<https://ci" in (
        markdown_line(report)
    )
    assert "[full report]" in render_brief(report)
    assert 'href="http' not in render_html(make_comparison_report())


def test_a_hostile_commit_adds_no_markup() -> None:
    hostile = '"><script>alert(1)</script>`](x)'
    report = dataclasses.replace(with_head(make_comparison_report(), origin=make_origin(commit=hostile)), links=LINKS)
    assert "<script>alert" not in render_html(report)
    assert "](<https://example.com/r/commit/%22%3E%3Cscript%3Ealert%281%29" in markdown_line(report)


def test_the_side_has_everything_that_the_line_leaves_out() -> None:
    identity = identity_of(make_comparison_report())
    assert identity.base is not None
    assert identity.base.words.endswith(", commit fedcba987654, fingerprint of inputs 7d40c45d5329")
