"""The report as a comment on a pull request: Markdown within the host's limit, with a marker to find it again by."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from urllib.parse import quote

from tfprof_report.render.markdown.document import LEAST_CHARS

MOST_OF_COMMENT = 65_536
"""Characters that GitHub takes. Kept in bytes: whatever a host counts as a character, it has no more of them."""


_LONGEST_LABEL = 100


Markdown = Callable[[int], str]
"""Returns the report as Markdown in at most so many characters, `LEAST_CHARS` or more."""


def render_comment(markdown: Markdown, label: str | None = None, most: int = MOST_OF_COMMENT) -> str:
    """Return the comment in at most `most` bytes: `marker` on the first line, which no host shows, then the report."""
    first = f"{marker(label)}\n\n"
    text = within(markdown, most - len(first))
    if text is None:
        raise ValueError(f"{most} bytes are too few for a comment")
    return first + text


def marker(label: str | None) -> str:
    """Return the HTML comment that says whose comment it is: the same for each run of a job, another per label."""
    if not label:
        return "<!-- tfprof-report -->"
    text = quote(label, safe="", errors="replace").replace("--", "-%2D")  # two hyphens might end it
    if len(text) > _LONGEST_LABEL:
        text = hashlib.sha256(text.encode()).hexdigest()
    return f"<!-- tfprof-report: {text} -->"


def within(markdown: Markdown, most: int) -> str | None:
    """Return as much of the report as fits into `most` bytes of UTF-8; None if not even the verdict fits."""
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
"""Bytes of the file that GitHub takes; of a larger one it shows nothing at all."""


_BREAK = "\n\n"
"""Stands between what was there, whether or not its last line ended, and our heading."""


def render_job_summary(markdown: Markdown, taken: int, most: int = MOST_OF_SUMMARY) -> str | None:
    """Return what to append to a file of `taken` bytes so that it has at most `most`; None where nothing fits."""
    start = _BREAK if taken else ""
    text = within(markdown, most - taken - len(start))
    return None if text is None else start + text
