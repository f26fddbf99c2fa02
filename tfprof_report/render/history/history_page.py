"""The history of models as one self-contained HTML page, with pictures that need no scripts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from markupsafe import Markup

from tfprof_report.history.history_data import History
from tfprof_report.record import record
from tfprof_report.render.history.chart_block import chart_block, charts_meta
from tfprof_report.render.history.history_chart import MOST_POINTS, draw_line
from tfprof_report.render.history.history_content import HistoryContent, ModelContent, report_url
from tfprof_report.render.history.history_tables import Nets, models_index, nets_of
from tfprof_report.render.history.plotted import Plotted, failures, plotted
from tfprof_report.render.html.page import render_page
from tfprof_report.render.html.svg import Picture

_STYLES = ("base.css", "uplot.css", "history.css")
_SCRIPT = "history.js"

OPEN = 3
"""The models that are shown at once; with scripts the others are built when a reader opens them."""
_POINTS = 3000
"""Most points of all pictures of a page together that are shapes of their own."""
_FEWEST = 10
"""Of each picture at least so many may be."""


@record
class ModelPage:
    """What the page shows of a model besides its content."""

    nets: Nets
    pictures: tuple[Picture, ...]
    block: Markup


def render_history_html(history: History, content: HistoryContent) -> str:
    """Return a page that makes no request; the same history gives the same page."""
    pages = dict(_pages(history, content))
    return render_page(
        "history",
        _STYLES,
        _SCRIPT,
        content=content,
        index=models_index(content) if len(content.models) > 1 else None,
        pages=pages,
        meta=Markup(charts_meta(history)),  # noqa: S704 it has no "<"
        open=OPEN,
    )


def _pages(history: History, content: HistoryContent) -> Iterator[tuple[str, ModelPage]]:
    charts = sum(len(model.model.lines) for model in content.models)
    most_points = min(MOST_POINTS, max(_FEWEST, _POINTS // max(charts, 1)))
    for model in content.models:
        plots = tuple(plotted(model.model, line) for line in model.model.lines)
        block = Markup(chart_block(history, model.model, plots)) if plots else Markup()  # noqa: S704 base64
        pictures = tuple(pictures_of(history, model, plots, most_points))
        yield model.anchor, ModelPage(nets=nets_of(history, model), pictures=pictures, block=block)


def pictures_of(
    history: History, content: ModelContent, plots: tuple[Plotted, ...], most_points: int
) -> Iterator[Picture]:
    """Yield the picture of each figure of a model, in which at most `most_points` points are shapes of their own."""
    failed, link = failures(content.model), partial(report_url, history, content.model)
    for plot in plots:
        anchor = f"{content.anchor}-{plot.line.stem}"
        yield draw_line(plot, failed, anchor=anchor, link=link, most_points=most_points)
