"""A view's text from start to end: node table and options in, tfprof's text out."""

from __future__ import annotations

from collections.abc import Iterator

from tfprof_report.model.node_table import NodeTable
from tfprof_report.options import Options
from tfprof_report.render.op_text import op_text
from tfprof_report.render.tree_text import tree_text
from tfprof_report.semantics import Semantics
from tfprof_report.views.build import build_layout, select
from tfprof_report.views.layout import Layout


def view_text(table: NodeTable, view: str, options: Options, semantics: Semantics) -> Iterator[str]:
    """Yield the text that tfprof writes to a file for ``scope``, ``graph``, ``op`` or ``code``, in pieces."""
    return layout_text(table, build_layout(table, view, semantics), options, semantics)


def layout_text(table: NodeTable, layout: Layout, options: Options, semantics: Semantics) -> Iterator[str]:
    """Yield the same of a view whose layout is there."""
    selection = select(table, layout, options, semantics)
    render = op_text if layout.view == "op" else tree_text
    return render(table, layout, selection, options, semantics)
