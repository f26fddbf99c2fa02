"""What commands print about their inputs and settings: files that are used, warnings, coverage, the rules file."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.cli.console import echo, say
from tfprof_report.cli.inputs import warning_lines
from tfprof_report.compare.lower_bound import find_missing
from tfprof_report.diagnostics import Diagnostic
from tfprof_report.ingest.paths import InputPaths
from tfprof_report.model.flops.counting import Counting
from tfprof_report.model.flops.evaluate import capable_nodes, known_nodes
from tfprof_report.model.node_table import NodeTable
from tfprof_report.model.parts.leave_out import LeaveOut, split_table
from tfprof_report.model.shapes.basis import basis_of
from tfprof_report.vocabulary import FlopsRules


def print_notes(*sides: InputPaths | str | None) -> None:
    """Print which files of folders are used."""
    for side in sides:
        for note in side.notes if isinstance(side, InputPaths) else ():
            say(note)


def print_diagnostics(diagnostics: Iterable[Diagnostic], of: str | None = None) -> None:
    """Print warnings, one line each; `of` names one of several models."""
    lead = f"{of}: " if of else ""
    for line in warning_lines(diagnostics):
        say(f"{lead}warning: {line}")


def print_rules_file(path: str | None) -> None:
    """Print which rules file was used, if any."""
    if path is not None:
        echo(f"Rules     {path}")


def without(table: NodeTable, leave_out: LeaveOut) -> NodeTable:
    """Return the table without the parts to leave out; print the number of nodes of each."""
    kept, parts = split_table(table, leave_out)
    for name, part in parts.items():
        say(f"left out, {name}: {part.count:,}")
    return kept


def print_coverage(table: NodeTable, counting: Counting) -> None:
    """Print how many of the FLOP-capable nodes have a figure, unless all have one, and what the others are."""
    if counting.rules == FlopsRules.NONE:
        return
    nodes = pa.Table.from_batches([table.columns.to_batch()])
    known, capable = known_nodes(nodes, "float_ops"), int(pc.sum(capable_nodes(nodes, "float_ops")).as_py() or 0)
    if words := basis_of(nodes).words:
        say(f"FLOPs are {words}")
    if known < capable:
        missing = find_missing(nodes, "float_ops")
        steps = f" ({missing.step_words})" if missing.steps else ""
        counted = f"{known:,} of {capable:,} FLOP-capable nodes counted"
        say(f"FLOPs: {counted}; {missing.count_words}: {missing.op_words}{steps}")
