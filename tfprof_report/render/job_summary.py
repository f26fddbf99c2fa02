"""The report as a part of a job's summary page, which other steps may have written to before."""

from __future__ import annotations

from tfprof_report.render.comment import Markdown, within

MOST = 1024 * 1024
"""Bytes of the file that GitHub takes; of a larger one it shows nothing at all."""

_BREAK = "\n\n"
"""Stands between what was there, whether or not its last line ended, and our heading."""


def render_job_summary(markdown: Markdown, taken: int, most: int = MOST) -> str | None:
    """Return what to append to a file of `taken` bytes so that it has at most `most`; None where nothing fits."""
    start = _BREAK if taken else ""
    text = within(markdown, most - taken - len(start))
    return None if text is None else start + text
