"""The history of models as one self-contained HTML page, with pictures that need no scripts."""

from __future__ import annotations

from functools import partial

from tfprof_report.history.history_data import History
from tfprof_report.render.history.history_chart import draw_line
from tfprof_report.render.history.history_content import HistoryContent, ModelContent, report_url
from tfprof_report.render.html.page import render_page
from tfprof_report.render.html.svg import Picture

_STYLES = ("base.css", "history.css")
_SCRIPT = "history.js"


def render_history_html(history: History, content: HistoryContent) -> str:
    """Return a page that makes no request; the same history gives the same page."""
    pictures = {model.anchor: _pictures(history, model) for model in content.models}
    return render_page("history", _STYLES, _SCRIPT, content=content, pictures=pictures)


def _pictures(history: History, content: ModelContent) -> tuple[Picture, ...]:
    model = content.model
    link = partial(report_url, history, model)
    return tuple(draw_line(model, line, anchor=f"{content.anchor}-{line.stem}", link=link) for line in model.lines)
