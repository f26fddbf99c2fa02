"""Writes comparisons of two commits, and models with names that try to inject markup into a page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from command import WHEN, call, write_report
from messages import node

BASE_COMMIT = "ba5e0123456789abcdef0123456789abcdef0123"
HEAD_COMMIT = "4ead0123456789abcdef0123456789abcdef0123"

HOSTILE = (
    "</script><img src=x onerror=alert(1)>",
    "<svg onload=alert(2)>",
    "\"' onmouseover=alert(3) '\"",
    "javascript:alert(4)",
    "=HYPERLINK(1)",
    "@SUM(1)",
    "-1+1",
    "%3Cscript%3E#scope=&x",
    "`](javascript:alert(5))|",
    "&lt;b&gt; &amp;",
    "${alert(6)}{{7*7}}",
    "-->",
    "]]>",
    "two\nlines\r\nand\ttabs",
    "\u202eright to left\u2066",
)
"""Names of nodes; the last ones have the most elements, so they appear in rankings."""


def hostile_nodes(*, width: int) -> list[Any]:
    """Return variables with hostile names; the n-th has n times `width` elements."""
    return [
        node(name, "VariableV2", shape=[place, width], output_shapes=[[place, width]])
        for place, name in enumerate(HOSTILE, start=1)
    ]


def write_comparison(base: Path, head: Path, folder: Path) -> Path:
    """Write the report of `base`, then the comparison of `head` with it, each at its commit; return the latter."""
    earlier = write_report(base, folder / "base", "--commit", BASE_COMMIT)
    outcome = call("diff", earlier, head, "--out", folder / "report", "--timestamp", WHEN, "--commit", HEAD_COMMIT)
    assert outcome.code == 0, outcome
    return folder / "report"
