"""Writes the files of a report on several models that are about all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfprof_report.render.content.models_index import ModelPage, models_content, summaries_of, verdicts_of
from tfprof_report.render.files.staging import Staging
from tfprof_report.render.html.models_page import render_models_html
from tfprof_report.render.machine.summary_json import render_models_summary
from tfprof_report.render.machine.verdict_json import render_models_verdict
from tfprof_report.render.markdown.document import MAX_CHARS
from tfprof_report.render.markdown.models_document import render_models_markdown
from tfprof_report.render.write import stage_files
from tfprof_report.report.models import ModelsReport
from tfprof_report.schema.files import HTML, MARKDOWN, VERDICT
from tfprof_report.threads import Threads


def stage_models(
    report: ModelsReport,
    pages: Sequence[ModelPage],
    staging: Staging,
    *,
    max_chars: int = MAX_CHARS,
    progress: Callable[[str], None] | None = None,
) -> dict[str, dict[str, Any]]:
    """Stage the top-level files of a report on several models, whose own folders are already staged.

    Returns what `stage_report` does.
    """
    content = models_content(report, pages)
    renderers: dict[str, Callable[[], bytes]] = {
        HTML: lambda: render_models_html(content).encode(),
        MARKDOWN: lambda: render_models_markdown(content, max_chars).encode(),
        VERDICT: lambda: render_models_verdict(report, verdicts_of(pages)).encode(),
    }
    return stage_files(
        renderers,
        lambda files: render_models_summary(report, summaries_of(pages), files),
        staging,
        staging.top,
        progress,
        threads=Threads(1),
    )
