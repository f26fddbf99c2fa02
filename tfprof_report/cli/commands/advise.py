"""The command `advise`: print tfprof's advice."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, replace

from tfprof_report.cli.console import is_terminal, progress, say, say_verbatim, write_text
from tfprof_report.cli.inputs import paths_from
from tfprof_report.cli.notes import print_diagnostics, print_notes
from tfprof_report.cli.params.text_options import AdviseValues, CheckerValues
from tfprof_report.model.measurement import AS_TFPROF
from tfprof_report.model.node_table import NodeTable
from tfprof_report.model.read_model import read_model, reading_steps
from tfprof_report.options import Options, split_list, unknown_word
from tfprof_report.render.tfprof.advise_text import advise_text
from tfprof_report.semantics import PRESETS, Semantics
from tfprof_report.views.advice.checkers import advise, all_layouts
from tfprof_report.views.advice.findings import IGNORED, Checker, CheckerOptions
from tfprof_report.views.query import layout_notes


def print_advice(values: AdviseValues) -> None:
    """Print the advice of the chosen checkers on the inputs."""
    semantics = PRESETS[values.semantics]
    checkers = _checkers(values.checkers.checkers, semantics)
    options = _options(values.checkers, semantics)
    paths = paths_from(values.inputs)
    with progress(reading_steps(paths)) as show:
        table, _ = read_model(paths, show, replace(AS_TFPROF, semantics=semantics))
    print_notes(paths)
    print_diagnostics(table.warnings)
    write_advice(table, checkers, options, semantics)


def write_advice(table: NodeTable, checkers: Iterable[Checker], options: CheckerOptions, semantics: Semantics) -> None:
    """Write the advice to standard output, and what could not be checked to standard error."""
    layouts = all_layouts(table, semantics)
    advice = advise(table, checkers, semantics, options=options, layouts=layouts)
    notes = [note for layout in layouts.values() for note in layout_notes(layout, Options(), semantics)]
    for note in (*notes, *(note for found in advice for note in found.notes)):
        say_verbatim(note)
    write_text(advise_text(advice, is_terminal=is_terminal()))


def _checkers(values: list[str] | None, semantics: Semantics) -> tuple[Checker, ...]:
    """Return the chosen checkers, by default all; as in tfprof, unknown names are ignored under its semantics."""
    if values is None:
        return tuple(Checker)
    names = split_list(values)
    for name in names:
        if name not in (*Checker, *IGNORED):
            error = unknown_word(name, option="--checkers", known=Checker)
            if not semantics.accept_unknown_attributes:
                raise error
            say(f"warning: {error}")
    return tuple(checker for checker in Checker if checker in names)


def _options(values: CheckerValues, semantics: Semantics) -> CheckerOptions:
    given = {
        field.name: value for field in fields(CheckerOptions) if (value := getattr(values, field.name)) is not None
    }
    if given and semantics.ignore_checker_options:
        say("warning: tfprof ignores the options of checkers; they count with --semantics corrected")
    return CheckerOptions(**given)
