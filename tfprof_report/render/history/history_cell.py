"""The history of models in a cell of a notebook: the figures of each, and their lines."""

from __future__ import annotations

from dataclasses import replace

from tfprof_report.history.history_data import History
from tfprof_report.render.history.history_chart import MOST_POINTS
from tfprof_report.render.history.history_content import HistoryContent, ModelContent
from tfprof_report.render.history.history_page import pictures_of
from tfprof_report.render.history.plotted import plotted
from tfprof_report.render.html.notebook_cell import render_tables_cell
from tfprof_report.render.html.svg import Picture
from tfprof_report.render.tables.cells import Table


def render_history_cell(history: History, content: HistoryContent) -> str:
    """Return inert HTML; the same history gives the same text."""
    return render_tables_cell(
        f"History of {history.store}",
        [_figures(model) for model in content.models],
        [picture for model in content.models for picture in _pictures(history, model, len(content.models))],
    )


def _figures(model: ModelContent) -> Table:
    """Return the table of figures of a model, below its name and headline, without what the page says of the table."""
    return replace(model.figures, caption=f"{model.name.text}: {model.headline}", notes=())


def _pictures(history: History, model: ModelContent, models: int) -> list[Picture]:
    """Return the lines of a model, with its name where there are several."""
    plots = tuple(plotted(model.model, line) for line in model.model.lines)
    lead = f"{model.name.text}: " if models > 1 else ""
    return [
        replace(picture, title=f"{lead}{picture.title}") for picture in pictures_of(history, model, plots, MOST_POINTS)
    ]
