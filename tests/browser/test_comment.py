"""The comment on a phone: the answer is open and not long, and the change is seen without scrolling sideways."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import cmarkgfm
import pytest
from browsing import PHONE, new_context
from cmarkgfm.cmark import Options
from command import call, write_model
from messages import graph, node
from playwright.sync_api import Browser, Page
from repository import DATA

pytestmark = pytest.mark.browser

HIGHEST = 900

GITHUB = """
body { margin: 0; }
.markdown-body { padding: 16px 16px 0; color: #1f2328; font: 14px/1.5 "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif; overflow-wrap: break-word; }
.markdown-body > :first-child { margin-top: 0; }
.markdown-body :is(p, table, pre, details) { margin: 0 0 16px; }
.markdown-body :is(h2, h3) { margin: 24px 0 16px; font-size: 1.25em; line-height: 1.25; }
.markdown-body h2 { padding-bottom: 0.3em; border-bottom: 1px solid; font-size: 1.5em; }
.markdown-body table { display: block; width: max-content; max-width: 100%; overflow: auto; border-collapse: collapse; }
.markdown-body :is(th, td) { padding: 6px 13px; border: 1px solid; }
.markdown-body code { padding: 0.2em 0.4em; font: 85% ui-monospace, Menlo, Consolas, monospace; white-space: break-spaces; }
.markdown-body pre { padding: 16px; font-size: 85%; line-height: 1.45; overflow: auto; }
.markdown-body pre code { padding: 0; font-size: 100%; white-space: pre; }
"""  # noqa: E501 (a rule of a style sheet is a line)
"""What of GitHub's style sheet for comments takes room."""


@pytest.fixture
def phone(browser: Browser) -> Iterator[Page]:
    context = new_context(browser, PHONE, java_script_enabled=False)
    yield context.new_page()
    context.close()


def show(page: Page, markdown: Path) -> float:
    """Show Markdown as a comment on GitHub, and return its height in pixels."""
    made = cmarkgfm.github_flavored_markdown_to_html(markdown.read_text(), options=Options.CMARK_OPT_UNSAFE)
    page.set_content(f"<!DOCTYPE html><style>{GITHUB}</style><div class=markdown-body>{made}</div>")
    box = page.locator(".markdown-body").bounding_box()
    assert box is not None
    return box["height"]


def diff(tmp_path: Path, base: Path, head: Path, *options: str) -> Path:
    """Compare two models and return the Markdown of the comparison."""
    outcome = call("diff", base, head, "--out", tmp_path / "report", *options)
    assert outcome.code == 1, outcome
    return tmp_path / "report" / "report.md"


def gates(*texts: str) -> Iterator[str]:
    for text in texts:
        yield from ("--gate", text)


def check(page: Page, markdown: Path, header: str = "Change") -> None:
    assert show(page, markdown) <= HIGHEST
    edge = page.locator("table").first.get_by_role("columnheader", name=header, exact=True).bounding_box()
    assert edge is not None
    assert edge["x"] + edge["width"] <= PHONE.width - 16
    assert page.locator(".markdown-body > details").count() == 1


def test_of_a_failed_diff_of_several_gates(phone: Page, tmp_path: Path) -> None:
    rules = ("params <= +0", "float_ops <= +10%", "trainable_params <= +0", "macs <= +1%", "bytes <= +1%")
    found = diff(tmp_path, DATA / "resnet" / "base", DATA / "resnet" / "head", *gates(*rules, "output_bytes <= +10%"))
    check(phone, found)
    assert "1 more gate below, in: All gates." in phone.locator(".markdown-body").inner_text()


def test_of_long_names(phone: Page, tmp_path: Path) -> None:
    scope = "/".join(["a_scope_with_quite_a_long_name"] * 6)

    def model(name: str, width: int) -> Path:
        layers = [
            made
            for place in range(8)
            for made in (
                node(
                    f"{scope}{place}/kernel", "VariableV2", shape=[9, width + place], output_shapes=[[9, width + place]]
                ),
                node(
                    f"{scope}{place}/MatMul",
                    "MatMul",
                    "x",
                    f"{scope}{place}/kernel",
                    output_shapes=[[2, width + place]],
                ),
            )
        ]
        return write_model(tmp_path / name, graph(node("x", "Placeholder", output_shapes=[[2, 9]]), *layers))

    options = ("--label", "model_" * 40, "--branch", "feature/" + "long" * 40, "--commit", "1234567")
    found = diff(tmp_path, model("b", 4), model("h", 9), *gates("params <= +0", "float_ops <= +0"), *options)
    check(phone, found)


def test_of_several_models(phone: Page, tmp_path: Path) -> None:
    base, head = (str(DATA / "resnet" / side) for side in ("base", "head"))
    models = [
        word
        for name in ("first", "second", "third")
        for word in ("--model", f"{name}={head}", "--base-model", f"{name}={base}")
    ]
    rules = gates("params <= +0", "float_ops <= +10%")
    outcome = call("report", *models, *rules, "--out", tmp_path / "report")
    assert outcome.code == 1, outcome
    assert show(phone, tmp_path / "report" / "report.md") <= HIGHEST
    assert phone.locator("h3").all_inner_texts() == ["first", "second"]


def test_of_one_report(phone: Page, alone: Path) -> None:
    check(phone, alone / "report.md", "Total")
