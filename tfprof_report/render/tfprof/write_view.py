"""Writes a view to where its output spec says: as text, timeline, pprof, folded stacks or speedscope."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from tfprof_report.ingest.origin import InputFile
from tfprof_report.model.measurement import Measurement
from tfprof_report.model.node_table import NodeTable
from tfprof_report.options import Options
from tfprof_report.render.files.atomic import write_output
from tfprof_report.render.tfprof.meta_json import describe
from tfprof_report.render.tfprof.op_text import op_text
from tfprof_report.render.tfprof.output_spec import OutputSpec, OutputType, RefusedOutputError
from tfprof_report.render.tfprof.pprof import check_pprof, code_profile, scope_profile
from tfprof_report.render.tfprof.stacks import folded, one_attribute, speedscope, stacks_of
from tfprof_report.render.tfprof.tensor_text import unprinted_types
from tfprof_report.render.tfprof.timeline import trace_json, tree_events
from tfprof_report.render.tfprof.tree_text import tree_text
from tfprof_report.semantics import Semantics
from tfprof_report.views.build_view import build_layout, select
from tfprof_report.views.layout import Layout
from tfprof_report.views.query import layout_notes, missing_step, missing_traces


def view_text(table: NodeTable, view: str, options: Options, semantics: Semantics) -> Iterator[str]:
    """Yield the text that tfprof writes to a file for ``scope``, ``graph``, ``op`` or ``code``, in pieces."""
    return layout_text(table, build_layout(table, view, semantics), options, semantics)


def layout_text(
    table: NodeTable, layout: Layout, options: Options, semantics: Semantics, *, is_terminal: bool = False
) -> Iterator[str]:
    """Yield the text of a view whose layout is already built, as `view_text` does; for a terminal rows are escaped."""
    selection = select(table, layout, options, semantics)
    render = op_text if layout.view == "op" else tree_text
    return render(table, layout, selection, options, semantics, is_terminal=is_terminal)


_LINE = "*" * 54


def check_output(view: str, options: Options, semantics: Semantics, output: OutputSpec) -> None:
    """Raise RefusedOutputError if the view has no such output. Needs no input, so it runs before any file is read."""
    match output.type:
        case OutputType.TIMELINE if view == "op":
            raise RefusedOutputError(
                "op view has no timeline",
                native="op view doesn't support timeline yet. Consider graph/scope/code view.",
                advice="use scope, graph or code view",
            )
        case OutputType.PPROF:
            check_pprof(view, options, semantics)
        case OutputType.FOLDED | OutputType.SPEEDSCOPE:
            if view == "op":
                raise RefusedOutputError("op view has no stacks", native="op view has no stacks")
            one_attribute(options)


def answer(
    table: NodeTable,
    view: str,
    measurement: Measurement,
    *,
    output: OutputSpec,
    files: Iterable[InputFile],
    note: Callable[[str], None],
    is_terminal: bool = False,
) -> Iterator[str]:
    """Answer a query: check what needs the nodes, then `write_view`; `note` is called with tfprof's lines for stderr.

    Returns
    -------
    iterator of str
        The text for standard output; files are written already.
    """
    options, semantics = measurement.options, measurement.semantics
    message = missing_step(options, table.step_numbers, semantics) or missing_traces(view, table, semantics)
    if message:
        note(message)
        return iter(())
    layout = build_layout(table, view, semantics)
    for each in layout_notes(layout, options, semantics):
        note(each)
    if table.checkpoint and "tensor_value" in options.select and view in ("scope", "graph"):
        for each in unprinted_types(table.checkpoint, semantics):
            note(each)
    return write_view(table, layout, measurement, output=output, files=files, is_terminal=is_terminal)


def write_view(
    table: NodeTable,
    layout: Layout,
    measurement: Measurement,
    *,
    output: OutputSpec,
    files: Iterable[InputFile],
    is_terminal: bool = False,
) -> Iterator[str]:
    """Write a view to where `output` says, and return the text for standard output.

    That is the view itself for stdout, in pieces that are made when they are consumed; tfprof's messages about a
    timeline or pprof file; and nothing otherwise. A file is written whole or not at all, with its ``.meta.json`` next
    to it, and whether or not somebody reads the messages.

    Raises
    ------
    OutputError
        A file cannot be written.
    """
    if output.type is OutputType.STDOUT:
        return layout_text(table, layout, measurement.options, measurement.semantics, is_terminal=is_terminal)
    return iter(list(_write_files(table, layout, measurement, output, files)))


def _write_files(
    table: NodeTable, layout: Layout, measurement: Measurement, output: OutputSpec, files: Iterable[InputFile]
) -> Iterator[str]:
    """Write the files of an output, and yield tfprof's messages about them."""
    options, semantics = measurement.options, measurement.semantics
    if output.type is OutputType.TIMELINE and layout.view == "graph":
        from tfprof_report.render.tfprof.graph_timeline import draw_step  # noqa: PLC0415 pandas, which text does without

        steps = table.step_numbers if options.step < 0 else (options.step,)
        for step in steps:
            asked = replace(options, step=step)
            drawing = draw_step(table, layout, select(table, layout, asked, semantics), step, semantics)
            yield "generating trace file.\n"
            for device, peak in drawing.peaks.items():
                yield f"{device} peak memory: {peak / 1e6:.2f} MB\n"
            path = f"{output.outfile}_{step}"
            write_output(
                path,
                trace_json(drawing.events),
                describe(layout.view, replace(measurement, options=asked), output, files),
            )
            yield _written(path)
    elif output.type is not OutputType.NONE:
        is_timeline = output.type is OutputType.TIMELINE
        path = f"{output.outfile}_{options.step}" if is_timeline else output.outfile
        pieces = _content(table, layout, options, semantics, output.type)
        write_output(path, pieces, describe(layout.view, measurement, output, files))
        if is_timeline:
            yield _written(path)
        elif output.type is OutputType.PPROF:
            yield f"\nRun pprof -png --nodecount=100 --sample_index=1 <{path}>\n"


def _content(
    table: NodeTable, layout: Layout, options: Options, semantics: Semantics, kind: OutputType
) -> Iterable[bytes]:
    """Return the content of a view's only file, in pieces."""
    if kind is OutputType.FILE:
        return (piece.encode() for piece in layout_text(table, layout, options, semantics))
    selection = select(table, layout, options, semantics)
    match kind:
        case OutputType.TIMELINE:
            return trace_json(tree_events(layout, selection))
        case OutputType.PPROF if layout.view == "scope":
            return [scope_profile(layout, selection, options)]
        case OutputType.PPROF:
            return [code_profile(table, layout, selection, options, semantics)]
    stem = one_attribute(options)
    stacks = stacks_of(layout, selection, stem)
    return folded(stacks) if kind is OutputType.FOLDED else speedscope(stacks, view=layout.view, stem=stem)


def _written(path: str) -> str:
    return (
        f"\n{_LINE}\nTimeline file is written to {path}.\n"
        f"Open a Chrome browser, enter URL chrome://tracing and load the timeline file.\n{_LINE}\n"
    )
