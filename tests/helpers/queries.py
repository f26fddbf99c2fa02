"""Views of hand-made models, as lines of text or as views of a report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from messages import inputs_of

from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.node_table import NodeTable
from tfprof_report.options import Options
from tfprof_report.render.tfprof.write_view import view_text
from tfprof_report.schema.metrics import Number
from tfprof_report.semantics import CORRECTED, Semantics
from tfprof_report.views.build_view import build_view
from tfprof_report.views.view import View

CPU, GPU = "/device:CPU:0", "/device:GPU:0"
STREAM = "/device:GPU:0/stream:all"


def table_of(graph: Any, *run_metas: Any, op_log: Any = None) -> NodeTable:
    """Return the node table of messages; the run metadata become steps 0, 1, ..., or are (step, message) pairs."""
    steps: Sequence[tuple[int, Any]] = [
        each if isinstance(each, tuple) else (number, each) for number, each in enumerate(run_metas)
    ]
    return build_node_table(inputs_of(graph, steps, op_log))


def text_of(table: NodeTable, view: str, semantics: Semantics = CORRECTED, **options: Any) -> str:
    """Return the text of a view with the given options."""
    return "".join(view_text(table, view, Options(**options), semantics))


def rows_of(table: NodeTable, view: str, semantics: Semantics = CORRECTED, **options: Any) -> list[str]:
    """Return the rows of a view's text without header; op view's padding between cells is reduced to one space."""
    lines = text_of(table, view, semantics, **options).partition("\nProfile:\n")[2].split("\n")[1:-1]
    return lines if view == "scope" else [_squeezed(line) for line in lines]


def _squeezed(line: str) -> str:
    return " ".join(word for word in line.split(" ") if word)


def view_of(table: NodeTable, view: str, semantics: Semantics = CORRECTED, **options: Any) -> View:
    """Return a view as in a report."""
    return build_view(table, view, Options(**options), semantics)


def totals_of(view: View, stem: str) -> dict[str, Number | None]:
    """Return the total of each row by its name."""
    return dict(zip(view.rows["name"].to_pylist(), view.rows[f"total_{stem}"].to_pylist(), strict=True))
