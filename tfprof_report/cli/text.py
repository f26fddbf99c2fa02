"""The commands that print a view as tfprof's text."""

from __future__ import annotations

import sys
from typing import Any

from tfprof_report.cli.inputs import paths_from, print_diagnostics, print_notes, progress
from tfprof_report.cli.main import say
from tfprof_report.cli.params import options_from
from tfprof_report.job import read_table
from tfprof_report.options import Options
from tfprof_report.render.text import frame
from tfprof_report.render.view_text import view_text
from tfprof_report.semantics import PRESETS
from tfprof_report.views.query import check_options, missing_step


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
    message = missing_step(options, table.step_numbers, semantics)
    if message:
        print(message, file=sys.stderr)  # noqa: T201 (the native tool's own words, two lines)
    body = iter(()) if message else view_text(table, view, options, semantics)
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")  # type: ignore[union-attr]
    for piece in frame(options, body) if values["frame"] else body:
        sys.stdout.write(piece)
