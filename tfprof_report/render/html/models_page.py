"""The HTML page of several models: an index of all, then the first screen of each."""

from __future__ import annotations

from tfprof_report.render.content.models_index import ModelsContent
from tfprof_report.render.html.icicle import draw_icicle
from tfprof_report.render.html.page import render_page

_STYLES = ("base.css", "models.css")
_SCRIPT = "models.js"


def render_models_html(content: ModelsContent) -> str:
    """Return a self-contained page; links lead to the pages of the models, in subfolders."""
    pages = [row.page for row in content.rows]
    pictures = {
        page.model.name: draw_icicle(page.sizes, anchor=f"picture-{page.model.name}") for page in pages if page.sizes
    }
    return render_page("models", _STYLES, _SCRIPT, content=content, pictures=pictures)
