"""The commands that print a view as tfprof's text."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from tfprof_report.cli.inputs import paths_from, print_diagnostics, print_notes, progress
from tfprof_report.cli.main import may_be_cut_short, say
from tfprof_report.cli.params import options_from
from tfprof_report.job import read_table
from tfprof_report.model.node_table import NodeTable
from tfprof_report.options import Options
from tfprof_report.render.text import frame
from tfprof_report.render.view_text import layout_text
from tfprof_report.semantics import PRESETS, Semantics
from tfprof_report.views.build import build_layout
from tfprof_report.views.query import check_options, layout_notes, missing_step, missing_traces


def print_view(view: str, values: dict[str, Any], defaults: Options) -> None:
    """Print the view `view` of the inputs that `values` name, in pieces."""
    options, semantics = options_from(values, defaults), PRESETS[values["semantics"]]
    warnings = check_options(options, semantics)
    paths = paths_from(values, values["inputs"])
    with progress() as show:
        table = read_table(paths, show)
    print_notes(paths)
    for warning in warnings:
        say(f"warning: {warning}")
    print_diagnostics(table.diagnostics)
    body = _body(table, view, options, semantics)
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")  # type: ignore[union-attr]
    with may_be_cut_short():
        for piece in frame(options, body) if values["frame"] else body:
            sys.stdout.write(piece)


def _body(table: NodeTable, view: str, options: Options, semantics: Semantics) -> Iterator[str]:
    """Return the view's text; what the native tool has to say of it goes to standard error in its own words."""
    message = missing_step(options, table.step_numbers, semantics) or missing_traces(view, table.traces, semantics)
    if message:
        _repeat(message)
        return iter(())
    layout = build_layout(table, view, semantics)
    for note in layout_notes(layout, options, semantics):
        _repeat(note)
    return layout_text(table, layout, options, semantics)


def _repeat(message: str) -> None:
    print(message, file=sys.stderr)  # noqa: T201
