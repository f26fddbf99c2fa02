"""The report on several models: its index has the same figures in HTML, Markdown and JSON, with any names."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from html.parser import HTMLParser
from itertools import pairwise

import pytest
from markdown_it import MarkdownIt
from report_builders import BEYOND_DOUBLE, make_comparison_report, make_report

from tfprof_report.compare.gates.verdict import Outcome, Verdict
from tfprof_report.render.content.models_index import (
    ModelPage,
    models_content,
    page_of,
    page_of_gone,
    summaries_of,
)
from tfprof_report.render.html.models_page import render_models_html
from tfprof_report.render.machine.summary_json import render_models_summary
from tfprof_report.render.markdown.document import LEAST_CHARS, MAX_CHARS
from tfprof_report.render.markdown.models_document import render_models_brief, render_models_markdown
from tfprof_report.render.tables.cells import ABSENT
from tfprof_report.report.models import ModelsReport, ModelStatus, judge_models, model_of
from tfprof_report.schema.metrics import SCHEMA_VERSION

DIGEST = {"sha256": "ab" * 32, "bytes": 3}


def make_pages(*names: str) -> list[ModelPage]:
    """Make a model that was compared and failed, a new one, more new ones by `names`, and one that is gone."""
    compared, alone = make_comparison_report(), make_report(verdict=Verdict(text="OK: fine.", outcome=Outcome.OK))
    return [
        page_of(model_of("compared", compared, ModelStatus.COMPARED), compared, DIGEST),
        *(page_of(model_of(name, alone, ModelStatus.NEW), alone, DIGEST) for name in ("fresh", *names)),
        page_of_gone(model_of("lost", alone, ModelStatus.GONE), alone),
    ]


def make_models(pages: Sequence[ModelPage], label: str | None = None, commit: str | None = None) -> ModelsReport:
    models = tuple(page.model for page in pages)
    return ModelsReport(
        tool_version="0.1.0",
        schema_version=SCHEMA_VERSION,
        label=label,
        commit=commit,
        branch=None,
        timestamp="2024-05-02T08:30:00Z",
        models=models,
        verdict=judge_models(models),
    )


class Index(HTMLParser):
    """The rows of the index: the text of each cell, and the exact figures that it sorts by or shows on hover."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.keys: list[list[str | None]] = []
        self.titles: list[str] = []
        self.feed(page.partition("<tbody>")[2].partition("</tbody>")[0])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.rows.append([])
            self.keys.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
            self.keys[-1].append(dict(attrs).get("data-key"))
        elif title := dict(attrs).get("title"):
            self.titles.append(title)

    def handle_data(self, data: str) -> None:
        self.rows[-1:] and self.rows[-1][-1:] and self.rows[-1].append(f"{self.rows[-1].pop()} {data}")

    def words(self) -> list[list[str]]:
        return [[" ".join(cell.split()) for cell in row] for row in self.rows]


def test_the_index_of_the_page_has_base_head_and_difference_of_each_model() -> None:
    pages = make_pages()
    index = Index(render_models_html(models_content(make_models(pages), pages)))
    lost = [f"{ABSENT.text} from {figure}" for figure in ("at least 17.63 G", "9.01 P", "at least 3.00 GiB", "unknown")]
    assert index.words() == [
        [
            "compared 4 nodes",
            "FAILED",
            "at least 4.00 M +4.00 M ( +234,578 % ) from at least 1.71 k",
            "at least 9.01 P +9.01 P ( new from 0 ) from at least 0",
            "at least 3.00 GiB +2.00 GiB ( +200.00 % ) from at least 1.00 GiB",
            "unknown lost from at least 12.50 us",
        ],
        ["fresh 2 nodes", "OK new", "at least 17.63 G", "9.01 P", "at least 3.00 GiB", "unknown"],
        ["lost 2 nodes", "INCONCLUSIVE gone", *lost],
    ]
    assert index.keys[0] == [None, None, "4001255", str(BEYOND_DOUBLE), str(3 * 2**30), ""]
    assert f"{BEYOND_DOUBLE:,}" in index.titles
    assert f"+{BEYOND_DOUBLE:,}" in index.titles


def test_the_page_shows_models_in_order_and_links_to_those_that_have_a_report() -> None:
    pages = make_pages()
    page = render_models_html(models_content(make_models(pages), pages))
    assert re.findall(r'<section id="(.*?)">', page) == ["model-compared", "model-fresh", "model-lost"]
    assert set(re.findall(r'href="([^"#]+)', page)) == {"data:,", "compared/report.html", "fresh/report.html"}
    ids = re.findall(r'\sid="(.*?)"', page)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#(.*?)"', page)) <= set(ids)


def test_the_index_of_the_markdown_has_both_sides_and_percent_of_each_model() -> None:
    pages = make_pages()
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(
        render_models_markdown(models_content(make_models(pages), pages))
    )
    texts = (token.content for token in tokens if token.type == "inline" and token.level > 3)
    cells = [text.replace("\N{NO-BREAK SPACE}", " ") for text in texts]
    assert cells[:18] == [
        *("Model", "Outcome", "FLOPs", "Parameters", "Device peak memory", "Op time"),
        *("`compared`", "FAILED"),
        "at least 1.71 k → at least 4.00 M (+234,578 %)",
        "at least 0 → at least 9.01 P (new from 0)",
        "at least 1.00 GiB → at least 3.00 GiB (+200.00 %)",
        "at least 12.50 us → unknown (lost)",
        *("`fresh`", "OK, new", "at least 17.63 G", "9.01 P", "at least 3.00 GiB", "unknown"),
    ]
    headings = [after.content for token, after in pairwise(tokens) if token.type == "heading_open"]
    assert headings == ["tfprof report: 2 models", "compared"]  # others are folded: nothing failed


def test_the_summary_has_exact_figures_and_the_digests_of_models_that_have_a_report() -> None:
    pages = make_pages()
    summary = json.loads(render_models_summary(make_models(pages), summaries_of(pages), {}))
    assert [(model["name"], model["status"], model["summary"]) for model in summary["models"]] == [
        ("compared", "compared", DIGEST),
        ("fresh", "new", DIGEST),
        ("lost", "gone", None),
    ]
    params = next(total for total in summary["models"][0]["totals"] if total["stem"] == "params")
    assert (params["base"], params["head"], params["state"]) == (None, None, "new from 0")
    assert (params["base_at_least"], params["head_at_least"]) == (0, str(BEYOND_DOUBLE))
    assert (params["base_unknown_nodes"], params["head_unknown_nodes"]) == (2, 1)


@pytest.mark.parametrize("limit", [LEAST_CHARS, 5_000, 20_000, MAX_CHARS])
def test_markdown_of_many_models_stays_within_its_budget_and_says_what_it_leaves_out(limit: int) -> None:
    pages = make_pages(*(f"model-{at:03}" for at in range(200)))
    text = render_models_markdown(models_content(make_models(pages), pages), limit)
    assert len(text) <= limit
    assert "Do not merge yet.** Of 202 models 1 failed (compared), 201 OK;" in text
    assert "Left out for length: " in text


def test_hostile_labels_and_commits_are_text() -> None:
    hostile = "</h1><script>alert(1)</script> | `x` @someone #1 <!-- \n# heading"
    pages = make_pages()
    content = models_content(make_models(pages, label=hostile, commit=hostile), pages)
    page = render_models_html(content)
    assert page.count("<script") == 1
    assert "alert(1)</script>" not in page
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(render_models_markdown(content))
    assert all(token.content.startswith(("<details>", "</details>")) for token in tokens if token.type == "html_block")
    titles = [after for token, after in pairwise(tokens) if token.type == "heading_open"]
    assert len([title for title in titles if "heading" in title.content]) == 1
    assert not any(child.type in ("html_inline", "link_open") for title in titles for child in title.children or ())


def test_brief_words_name_both_sides_of_each_model() -> None:
    pages = make_pages()
    brief = render_models_brief(models_content(make_models(pages), pages))
    assert [line for line in brief.splitlines() if line.startswith("### ")] == ["### compared", "### fresh", "### lost"]
    words = [side.words for page in pages if page.screen for side in page.screen.sides]
    digests = re.findall(r"fingerprint of inputs `([0-9a-f]{12})`", brief)
    assert digests == [text.rpartition(" ")[2] for text in words]
    assert "|" not in brief
