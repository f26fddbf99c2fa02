"""The commands `scope`, `graph`, `op` and `code`: print a view as tfprof's text."""

from __future__ import annotations

from dataclasses import replace

from tfprof_report.cli.console import is_terminal, progress, say, say_verbatim, write_text
from tfprof_report.cli.inputs import measurement_from, paths_from
from tfprof_report.cli.notes import print_coverage, print_diagnostics, print_notes, without
from tfprof_report.cli.params.text_options import OutputValues, ViewValues
from tfprof_report.model.parts.leave_out import counted_signature
from tfprof_report.model.read_model import read_model, reading_steps
from tfprof_report.options import Options
from tfprof_report.render.tfprof.output_spec import (
    OutputSpec,
    OutputType,
    RefusedOutputError,
    native_refusal,
    parse_output,
)
from tfprof_report.render.tfprof.text import frame
from tfprof_report.render.tfprof.write_view import answer, check_output
from tfprof_report.semantics import PRESETS, Semantics
from tfprof_report.views.build_view import build_layout, views_of
from tfprof_report.views.idle_patterns import find_idle
from tfprof_report.views.query import check_options


def print_view(view: str, values: ViewValues) -> None:
    """Print a view of the inputs, as a stream of pieces, or write it where ``--output`` says."""
    options, semantics = values.options, PRESETS[values.semantics]
    warnings = check_options(options, semantics)
    output = _output(view, values.output, options, semantics)
    if output is None:
        return
    paths, measurement = paths_from(values.inputs), measurement_from(values)
    with progress(reading_steps(paths)) as show:
        table, files = read_model(paths, show, measurement)
    print_notes(paths)
    measurement = replace(measurement, signature=counted_signature(table, measurement.leave_out))
    table = without(table, measurement.leave_out)
    for warning in warnings:
        say(f"warning: {warning}")
    print_diagnostics(table.warnings)
    layouts = (build_layout(table, name, semantics) for name in (view,) if name != "code" or name in views_of(table))
    print_diagnostics(find_idle(table, layouts, options, semantics))
    print_coverage(table, measurement.counting)
    if table.without_figure:
        say_verbatim(f"{table.without_figure} ops no flops stats due to incomplete shapes.")
    body = answer(table, view, measurement, output=output, files=files, note=say_verbatim, is_terminal=is_terminal())
    if values.output.frame and output.type is OutputType.STDOUT:
        body = frame(options, body)
    write_text(body)


def _output(view: str, values: OutputValues, options: Options, semantics: Semantics) -> OutputSpec | None:
    """Return where the view is written; None if tfprof refuses, with its message on standard error."""
    try:
        output = parse_output(values.output or "", values.dump_to_file or "")
        check_output(view, options, semantics, output)
    except RefusedOutputError as error:
        say_verbatim(native_refusal(error, semantics))
        return None
    for note in output.notes:
        say_verbatim(note)
    return output
