"""Reports side by side as one self-contained HTML page; its script only sorts tables."""

from __future__ import annotations

from tfprof_report.render.html.page import render_page
from tfprof_report.render.side_by_side.content import SideBySideContent
from tfprof_report.render.side_by_side.front_pictures import front_pictures
from tfprof_report.side_by_side.build import SideBySide

_STYLES = ("base.css", "compare.css")
_SCRIPT = "models.js"


def render_side_by_side_html(result: SideBySide, content: SideBySideContent) -> str:
    """Return a page that makes no request; the same reports give the same page."""
    return render_page("compare", _STYLES, _SCRIPT, content=content, pictures=front_pictures(result))
