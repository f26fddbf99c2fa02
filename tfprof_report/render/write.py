"""Writes the report folder of one model: every file is rendered, staged, and moved into place last."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from tfprof_report.later import Later
from tfprof_report.render.content.first_screen import make_screen
from tfprof_report.render.files.staging import Staging
from tfprof_report.render.html.page import blocks_of, render_html
from tfprof_report.render.machine.parquet import render_parquet, tables_of
from tfprof_report.render.machine.summary_json import render_summary
from tfprof_report.render.machine.verdict_json import render_verdict
from tfprof_report.render.markdown.document import MAX_CHARS, render_markdown
from tfprof_report.report.report import Report
from tfprof_report.schema.files import HTML, MARKDOWN, SUMMARY, VERDICT
from tfprof_report.threads import Threads


def write_report(
    report: Report,
    staging: Staging,
    *,
    max_chars: int = MAX_CHARS,
    verdict_alone: bool = False,
    jobs: int = 1,
    progress: Callable[[str], None] | None = None,
) -> tuple[str, ...]:
    """Write all files of a report into the folder of `staging`, the summary last, and return their names.

    An earlier report is replaced as one; other files of the folder stay. The Markdown has at most `max_chars`
    characters. With `verdict_alone` the only file is verdict.json; such a folder cannot be read back as a report. Up to
    `jobs` files are rendered at the same time.

    Raises
    ------
    OutputError
        The folder or a file cannot be written; the earlier report is whole.
    """
    if verdict_alone:
        files = stage_verdict(render_verdict(report, is_alone=True), staging)
    else:
        files = stage_report(report, staging, staging.top, max_chars=max_chars, jobs=jobs, progress=progress)
    staging.commit()
    return tuple(files)


def stage_verdict(verdict: str, staging: Staging) -> dict[str, dict[str, Any]]:
    """Stage verdict.json as the only file of a report, of one model or of several; returns what `stage_report` does.

    Files staged before are discarded.
    """
    staging.clear()
    return {VERDICT: staging.add(staging.top / VERDICT, verdict.encode)}


def stage_report(
    report: Report,
    staging: Staging,
    folder: Path,
    *,
    max_chars: int = MAX_CHARS,
    jobs: int = 1,
    progress: Callable[[str], None] | None = None,
) -> dict[str, dict[str, Any]]:
    """Stage all files of a report for a folder, the summary last; return ``{"sha256", "bytes"}`` of each by name.

    Up to `jobs` files are rendered at the same time.
    """
    screen = Later(partial(make_screen, report))
    with Threads(jobs, rows=report.head.nodes.num_rows) as threads:
        blocks = {name: threads.start(block) for name, block in blocks_of(report).items()}  # before the page needs them
        renderers: dict[str, Callable[[], bytes]] = {
            HTML: lambda: render_html(report, blocks, screen).encode(),
            MARKDOWN: lambda: render_markdown(report, max_chars, screen).encode(),
            VERDICT: lambda: render_verdict(report).encode(),
            **{name: partial(render_parquet, table, report) for name, table in tables_of(report).items()},
        }
        summary = partial(render_summary, report)
        return stage_files(renderers, summary, staging, folder, progress, threads=threads)


def stage_files(
    renderers: Mapping[str, Callable[[], bytes]],
    summary: Callable[[dict[str, dict[str, Any]]], str],
    staging: Staging,
    folder: Path,
    progress: Callable[[str], None] | None,
    *,
    threads: Threads,
) -> dict[str, dict[str, Any]]:
    """Stage files by their renderers, then the summary, which is made from what is returned; see `stage_report`."""
    files: dict[str, dict[str, Any]] = {}
    rendered = {name: threads.start(render) for name, render in renderers.items()}
    for name in renderers:
        if progress:
            progress(name)
        files[name] = staging.add(folder / name, rendered.pop(name))
    return {**files, SUMMARY: staging.add(folder / SUMMARY, lambda: summary(files).encode())}
