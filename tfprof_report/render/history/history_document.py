"""The history of models as Markdown: what moved, a table of figures and the newest changes of each model."""

from __future__ import annotations

from tfprof_report.formatting import plural
from tfprof_report.render.history.history_content import ChangeContent, HistoryContent, ModelContent
from tfprof_report.render.markdown.document import MAX_CHARS, write_parts
from tfprof_report.render.markdown.escape import md_link, md_text
from tfprof_report.render.markdown.fit import Part

_CHANGES = 10
"""Most changes of a model that are listed."""


def render_history_markdown(content: HistoryContent, max_chars: int = MAX_CHARS) -> str:
    """Return Markdown in at most `max_chars` characters, which fits a job's summary."""
    failed = Part(title="Models without a history", text=tuple(cell.text for cell in content.failed))
    parts = [*([failed] if content.failed else []), *(part for model in content.models for part in _parts(model))]
    count = plural(len(content.models), "model")
    title = content.title.text
    return write_parts(title, f"History of {count}", content.scope, parts, max_chars, page="history.html")


def _parts(model: ModelContent) -> list[Part]:
    verdict = () if model.verdict is None else (model.verdict.text,)
    text = (*verdict, model.headline, *model.stretches, *model.drifts, *model.breaks)
    tables = (model.figures,) if model.figures.rows else ()
    found = [Part(title=model.name.text, text=text, tables=tables, is_folded=False)]
    if model.changes:
        newest = model.changes[:_CHANGES]
        more = len(model.changes) - len(newest) + model.more_changes
        lines = [*map(_line, newest), *([f"history.html has {plural(more, 'earlier change')}."] if more else [])]
        found.append(Part(title=f"Changes of {model.name.text}, the newest first", lines=tuple(lines)))
    if model.left_out:
        found.append(Part(title=f"Not shown of {model.name.text}", text=tuple(cell.text for cell in model.left_out)))
    return found


def _line(change: ChangeContent) -> str:
    """Return a change as one paragraph."""
    report = f", [report](<{change.report_url}>)" if change.report_url else ""
    which = f" ({md_text(change.which)})" if change.which else ""
    lead = f"{md_link(change.commit.text, change.commit_url)}, {change.day}{report}"
    return f"{lead}: {md_text('; '.join(change.steps))}: {md_text(change.why.text)}{which}"
