"""One query of the Python API: prints or writes the view as tfprof does, and returns its rows."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from tfprof_report.errors import OptionError
from tfprof_report.ingest.origin import InputFile
from tfprof_report.model.flops.counting import Counting
from tfprof_report.model.measurement import AS_TFPROF
from tfprof_report.model.node_table import NodeTable
from tfprof_report.options import Options, old_options
from tfprof_report.profiler.handed_over import AdviceProto
from tfprof_report.profiler.option_builder import ProfileOptionBuilder
from tfprof_report.profiler.result_node import ResultNode, result_node
from tfprof_report.render.tfprof.advise_text import advise_text, finding_text
from tfprof_report.render.tfprof.output_spec import (
    OutputSpec,
    OutputType,
    RefusedOutputError,
    native_refusal,
    parse_output,
)
from tfprof_report.render.tfprof.text import frame
from tfprof_report.render.tfprof.write_view import check_output, write_view
from tfprof_report.semantics import PRESETS, Semantics
from tfprof_report.views.advice.checkers import advise
from tfprof_report.views.advice.findings import Advice, Checker
from tfprof_report.views.build_view import select
from tfprof_report.views.layout import Layout
from tfprof_report.views.query import check_options, layout_notes, missing_step, missing_traces
from tfprof_report.views.result_rows import build_result, empty_rows
from tfprof_report.vocabulary import FlopsRules

BuildLayout = Callable[[str], Layout]


def semantics_of(semantics: str | Semantics) -> Semantics:
    """Return the semantics with this name; OptionError if there is none."""
    if isinstance(semantics, Semantics):
        return semantics
    if semantics not in PRESETS:
        raise OptionError(f'"{semantics}" is not known', option="semantics", advice=f"choose from {', '.join(PRESETS)}")
    return PRESETS[semantics]


def check_rules(rules: str) -> None:
    """Raise OptionError if there is no rule set with this name."""
    if rules not in tuple(FlopsRules):
        raise OptionError(f'"{rules}" is not known', option="rules", advice=f"choose from {', '.join(FlopsRules)}")


def ask(
    table: NodeTable,
    view: str,
    options: Mapping[str, Any] | None,
    semantics: Semantics,
    *,
    layout_of: BuildLayout,
    files: Iterable[InputFile],
    rules: str,
) -> ResultNode:
    """Answer a query as tfprof's Python API does: text on standard output or a file, and the rows returned.

    `options` is a dict of tfprof's options; anything else (TensorFlow's own default is 0) means
    `ProfileOptionBuilder.trainable_variables_parameter`.
    """
    given = options if isinstance(options, Mapping) else ProfileOptionBuilder.trainable_variables_parameter()
    query = Options.from_mapping(given, semantics)
    for warning in (*old_options(given, semantics), *check_options(query, semantics)):
        note(f"tfprof-report: warning: {warning}")
    try:
        output = parse_output(given.get("output", OutputType.STDOUT), given.get("dump_to_file", ""))
    except RefusedOutputError as error:
        note(native_refusal(error, semantics))
        return result_node(empty_rows(view))
    for line in output.notes:
        note(line)
    message = missing_step(query, table.step_numbers, semantics) or missing_traces(view, table, semantics)
    if message:
        note(message)
        _print(frame(query, ()) if output.type is OutputType.STDOUT else ())
        return result_node(empty_rows(view))
    try:
        check_output(view, query, semantics, output)
    except RefusedOutputError as error:
        note(native_refusal(error, semantics))
        has_root = view == "op" or output.type is OutputType.PPROF
        return result_node(empty_rows(view, root=has_root))
    layout = layout_of(view)
    for line in layout_notes(layout, query, semantics):
        note(line)
    measurement = replace(AS_TFPROF, options=query, semantics=semantics, counting=Counting(rules=rules))
    body = write_view(table, layout, measurement, output=output, files=tuple(files))
    _print(frame(query, body) if output.type is OutputType.STDOUT else body)
    if _has_no_rows(view, query, output):
        return result_node(empty_rows(view))
    selection = select(table, layout, query, semantics)
    return result_node(build_result(table, layout, selection, query, semantics))


def _has_no_rows(view: str, query: Options, output: OutputSpec) -> bool:
    """Return whether tfprof returns no rows: a timeline of all steps is one query per step."""
    return output.type is OutputType.TIMELINE and view == "graph" and query.step < 0


def ask_advice(table: NodeTable, options: Mapping[str, Any] | None, semantics: Semantics) -> Any:
    """Print the findings of the checkers that are keys of `options` (of all if it is empty); return an AdviceProto."""
    wanted = [checker for checker in Checker if not options or checker in options]
    found = advise(table, wanted, semantics)
    for advice in found:
        for line in advice.notes:
            note(line)
    _print(advise_text(found))
    return advice_proto(found)


def advice_proto(found: Iterable[Advice]) -> Any:
    """Return the findings as an AdviceProto, one report per group of findings."""
    proto = AdviceProto()
    for advice in found:
        reports = ["\n".join(finding_text(finding) for finding in report) for report in advice.reports]
        proto.checkers[advice.checker].reports.extend(reports)
    return proto


def print_skipped(table: NodeTable, semantics: Semantics, *, has_run_meta: bool) -> None:
    """Print on standard error how many nodes have no FLOPs for lack of shapes, as TensorFlow's Python layer does."""
    if table.without_figure and not (has_run_meta and semantics.run_metadata_silences_skipped):
        note(f"{table.without_figure} ops no flops stats due to incomplete shapes.")
    for diagnostic in table.diagnostics:
        if diagnostic.code == "shape_conflicts":
            note(f"tfprof-report: warning: {diagnostic.text}: {', '.join(diagnostic.examples)}")


def note(message: str) -> None:
    """Print a line on standard error, where tfprof prints its messages."""
    print(message, file=sys.stderr)  # noqa: T201


def _print(pieces: Iterable[str]) -> None:
    for piece in pieces:
        sys.stdout.write(piece)
