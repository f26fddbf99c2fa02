"""The interactive shell: read a model once, then run one command per line, from a terminal or a script."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from tfprof_report.cli.commands.advise import write_advice
from tfprof_report.cli.console import is_terminal, progress, say, say_verbatim, write_text
from tfprof_report.cli.inputs import measurement_from, paths_from
from tfprof_report.cli.notes import print_diagnostics, print_notes, without
from tfprof_report.cli.params.text_options import ShellValues
from tfprof_report.cli.shell.lines import COMMANDS, OPTIONS, Settings, parse_line
from tfprof_report.errors import ExitCode, OptionError, TfprofReportError
from tfprof_report.ingest.origin import InputFile
from tfprof_report.model.measurement import Measurement
from tfprof_report.model.node_table import NodeTable
from tfprof_report.model.parts.leave_out import counted_signature
from tfprof_report.model.read_model import read_model, reading_steps
from tfprof_report.render.tfprof.output_spec import RefusedOutputError, native_refusal, parse_output
from tfprof_report.render.tfprof.text import option_block
from tfprof_report.render.tfprof.write_view import answer, check_output
from tfprof_report.schema.metrics import VIEWS
from tfprof_report.semantics import PRESETS
from tfprof_report.views.advice.findings import Checker, CheckerOptions
from tfprof_report.views.query import check_options


def run_shell(values: ShellValues) -> int:
    """Run commands from standard input until it ends; return 0, or for a script the code of its first error."""
    start = Settings(
        options=values.options,
        output=values.output.output or "",
        dump_to_file=values.output.dump_to_file or "",
        semantics=values.semantics,
    )
    check_options(start.options, PRESETS[start.semantics])
    paths, measurement = paths_from(values.inputs), measurement_from(values)

    @cache
    def model(semantics: str) -> tuple[NodeTable, tuple[InputFile, ...]]:
        """Return the model as some semantics see it; other ones than the first are read when they are asked for."""
        with progress(reading_steps(paths)) as show:
            table, files = read_model(paths, show, replace(measurement, semantics=PRESETS[semantics]))
        return without(table, measurement.leave_out), files

    table, _ = model(start.semantics)
    print_notes(paths)
    print_diagnostics(table.warnings)
    is_typed = sys.stdin.isatty()
    lines = _typed_lines(table, values.history) if is_typed else _script_lines()
    settings, code = start, ExitCode.OK
    for line in lines:
        try:
            command, given = parse_line(line, settings)
            if command in ("exit", "quit"):
                break
            settings = {"set": given, "reset": start}.get(command, settings)
            table, files = model(given.semantics)
            signature = counted_signature(table, measurement.leave_out)
            asked = replace(measurement, options=given.options, semantics=PRESETS[given.semantics], signature=signature)
            write_text(_answer(command, given, asked, table, files))
        except TfprofReportError as error:
            code = code or error.exit_code
            say_verbatim(f"E: {'INVALID_ARGUMENT: ' if isinstance(error, OptionError) else ''}{error}")
        except KeyboardInterrupt:
            if not is_typed:
                raise
            write_text("\n")
    return ExitCode.OK if is_typed else code


def _typed_lines(table: NodeTable, history: str | None) -> Iterator[str]:
    """Yield lines typed at a terminal; Ctrl-C clears the line, Ctrl-D ends."""
    from tfprof_report.cli.shell.prompt import PROMPT, make_session

    session = make_session(table, history)
    while True:
        try:
            yield session.prompt(PROMPT)
        except KeyboardInterrupt:
            continue
        except EOFError:
            return


def _script_lines() -> Iterator[str]:
    sys.stdin.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
    yield from sys.stdin


def _answer(
    command: str, settings: Settings, measurement: Measurement, table: NodeTable, files: tuple[InputFile, ...]
) -> Iterator[str]:
    """Yield what a command prints."""
    match command:
        case "":
            yield option_block(settings.options, _shown_output(settings))
        case "help":
            yield _help()
        case "advise":
            write_advice(table, Checker, CheckerOptions(), measurement.semantics)
        case _ if command in VIEWS:
            yield from _view(command, settings, measurement, table, files)


def _view(
    view: str, settings: Settings, measurement: Measurement, table: NodeTable, files: tuple[InputFile, ...]
) -> Iterator[str]:
    options, semantics = measurement.options, measurement.semantics
    for warning in check_options(options, semantics):
        say(f"warning: {warning}")
    try:
        output = parse_output(settings.output, settings.dump_to_file)
        check_output(view, options, semantics, output)
    except RefusedOutputError as error:
        say_verbatim(native_refusal(error, semantics))
        return
    for each in output.notes:
        say_verbatim(each)
    yield from answer(
        table, view, measurement, output=output, files=files, note=say_verbatim, is_terminal=is_terminal()
    )


def _shown_output(settings: Settings) -> str:
    try:
        return str(parse_output(settings.output, settings.dump_to_file))
    except RefusedOutputError:
        return settings.output


def _help() -> str:
    commands = "".join(f"  {name:<8}{text}\n" for name, text in COMMANDS.items())
    options = "".join(f"  -{name}\n" for name in OPTIONS)
    return (
        f"Commands:\n{commands}\nAn empty line prints the current options.\n\n"
        f"Options, as -option value (lists with commas, without spaces):\n{options}"
    )
