"""A view's text from start to end: node table and options in, tfprof's text out."""

from __future__ import annotations

from collections.abc import Iterator

from tfprof_report.model.node_table import NodeTable
from tfprof_report.options import Options
from tfprof_report.render.op_text import op_text
from tfprof_report.render.tree_text import scope_text
from tfprof_report.semantics import Semantics
from tfprof_report.views.op_query import build_op_list, query_ops
from tfprof_report.views.scope import build_scope_tree
from tfprof_report.views.tree_query import query_tree

VIEWS = ("scope", "op")


def view_text(table: NodeTable, view: str, options: Options, semantics: Semantics) -> Iterator[str]:
    """Yield the text that tfprof writes to a file for ``scope`` or ``op``, in pieces."""
    if view == "scope":
        tree = build_scope_tree(table.column("name"))
        yield from scope_text(table, tree, query_tree(table, tree, options, semantics), options, semantics)
    else:
        ops = build_op_list(table)
        yield from op_text(table, ops, query_ops(table, ops, options, semantics), options, semantics)
