"""The report as a comment on a pull request or a job summary: Markdown within the host's size limit.

A comment starts with a hidden marker, by which the next run finds and updates it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from urllib.parse import quote

from tfprof_report.render.markdown.document import LEAST_CHARS

MOST_OF_COMMENT = 65_536
"""GitHub's limit in characters. Applied to bytes, it holds however a host counts characters."""


_LONGEST_LABEL = 100


Markdown = Callable[[int], str]
"""Returns the report as Markdown in at most the given number of characters, which is `LEAST_CHARS` or more."""


def render_comment(markdown: Markdown, label: str | None = None, most: int = MOST_OF_COMMENT) -> str:
    """Return the comment in at most `most` bytes: the hidden `marker` on the first line, then the report."""
    first = f"{marker(label)}\n\n"
    text = within(markdown, most - len(first))
    if text is None:
        raise ValueError(f"{most} bytes are too few for a comment")
    return first + text


def marker(label: str | None) -> str:
    """Return the HTML comment that identifies a comment: the same in each run of a job, different for each label."""
    if not label:
        return "<!-- tfprof-report -->"
    text = quote(label, safe="", errors="replace").replace("--", "-%2D")  # "--" may end an HTML comment
    if len(text) > _LONGEST_LABEL:
        text = hashlib.sha256(text.encode()).hexdigest()
    return f"<!-- tfprof-report: {text} -->"


def within(markdown: Markdown, most: int) -> str | None:
    """Return as much of the report as fits into `most` bytes of UTF-8; None if not even the verdict fits."""
    # Markdown is cut by characters, the limit is in bytes: shrink by their ratio until the text fits.
    chars = most
    while chars >= LEAST_CHARS:
        text = markdown(chars)
        size = len(text.encode())
        if size <= most:
            return text
        if chars == LEAST_CHARS:
            break
        chars = max(min(len(text) * most // size, chars - 1), LEAST_CHARS)
    return None


MOST_OF_SUMMARY = 1024 * 1024
"""GitHub's limit in bytes for a job summary; it shows nothing at all of a larger file."""


_BREAK = "\n\n"
"""Separates our heading from the content before it, whose last line may lack a newline."""


def render_job_summary(markdown: Markdown, taken: int, most: int = MOST_OF_SUMMARY) -> str | None:
    """Return what to append to a file of `taken` bytes so that it has at most `most`; None if nothing fits."""
    start = _BREAK if taken else ""
    text = within(markdown, most - taken - len(start))
    return None if text is None else start + text
