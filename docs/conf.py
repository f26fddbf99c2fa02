"""Settings of Sphinx for the documentation site, which `make docs` builds (ci/build_docs.py)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

project = "tfprof-report"
copyright = ""  # noqa: A001 (Sphinx's name; the year would be that of the build)
html_title = "tfprof-report"

extensions = ["myst_parser"]
root_doc = "index"
smartquotes = False  # they would turn --out into a dash
highlight_language = "none"
nitpicky = True

myst_heading_anchors = 4

html_theme = "furo"
html_theme_options = {"top_of_page_buttons": []}
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_show_sphinx = False
html_last_updated_fmt = None

NAVIGATION = {
    "Start": ["tutorial", "installing", "capture", "reading-a-report", "python", "comparison", "migration", "glossary"],
    "How to": ["how-to/*"],
    "Reports and gates": [
        *("command-line", "gates", "rules-file", "output", "verdict", "tables", "causes", "matching"),
        *("counting-flops", "flops", "parameters", "leaving-out", "memory", "bounds", "several-models"),
        *("baselines", "history", "compare", "batch", "object-stores", "scale", "xplane", "xprof", "differences", "*"),
    ],
    "Reference": ["reference/index", "reference/commands", "reference/*", "reference/commands/*"],
    "Project": ["repository/CHANGELOG", "repository/CONTRIBUTING", "releasing", "repository/**"],
}
"""The pages in the order of the navigation, by heading; globs take, in this order, the pages that are named nowhere.

A page is plain Markdown that a Git host shows too, so that the list is here and in no page.
"""


def _navigation(source: Path) -> str:
    """Return the lists of pages, as Sphinx reads them at the end of its first page."""
    taken = {root_doc}
    named = {name for names in NAVIGATION.values() for name in names if "*" not in name}
    parts = []
    for heading, globs in NAVIGATION.items():
        found = [
            page
            for glob in globs
            for path in sorted(source.glob(f"{glob}.md" if not glob.endswith("**") else f"{glob}/*.md"))
            if (page := path.relative_to(source).with_suffix("").as_posix()) == glob or page not in named
        ]
        pages = [page for page in dict.fromkeys(found) if page not in taken]
        taken.update(pages)
        if pages:
            parts.append("\n".join(["```{toctree}", ":hidden:", f":caption: {heading}", "", *pages, "```"]))
    return "\n\n".join(parts)


def _add_navigation(app: Sphinx, page: str, content: list[str]) -> None:
    if page == root_doc:
        content[0] += "\n\n" + _navigation(Path(app.srcdir))


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the navigation when the first page is read."""
    app.connect("source-read", _add_navigation)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
