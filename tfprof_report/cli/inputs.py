"""The inputs that the command line names, resolved; notes and warnings on standard error, progress on a terminal."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.cli.console import say
from tfprof_report.diagnostics import Diagnostic, Severity
from tfprof_report.errors import OptionError
from tfprof_report.formatting import shorten
from tfprof_report.ingest.paths import STDIN, InputPaths, parse_input_shape, resolve_paths
from tfprof_report.model.execution_counts import FunctionUse, use_functions
from tfprof_report.model.flops.counting import Counting
from tfprof_report.model.flops.evaluate import capable_nodes, known_nodes
from tfprof_report.model.flops.rule import UserRules
from tfprof_report.model.flops.user_rules import read_user_rules
from tfprof_report.model.node_table import NodeTable
from tfprof_report.model.parts.leave_out import LeaveOut, parse_leave_out, split_table
from tfprof_report.options import split_list
from tfprof_report.vocabulary import BaselineMissing, FlopsRules

_NAME_LIMIT = 120
"""Characters of a name in a warning: the names of inlined nodes are as long as they are deep."""


def paths_from(values: dict[str, Any], source: str | None, side: str = "") -> InputPaths:
    """Return the files of one side, from the argument `source` and the options of `side`."""
    if source == "":
        raise OptionError("the name of a graph or folder is empty", advice="is a variable unset?")
    key = side.replace("-", "_")
    run_metas = [*(values[f"{key}run_meta"] or []), *split_list(values[f"{key}run_meta_path"] or [])]
    first, *later = values[f"{key}graph"] or [None]
    paths = resolve_paths(
        source,
        graph=first,
        later_graphs=later,
        run_metas=run_metas,
        side=side,
        **{name: values[f"{key}{name}"] for name in ("op_log", "checkpoint", "profile", "signature")},
    )
    shapes = tuple(parse_input_shape(text, side) for text in values[f"{key}input_shape"] or ())
    return replace(paths, input_shapes=shapes)


def print_notes(*sides: InputPaths | str | None) -> None:
    """Print what was chosen in folders."""
    for side in sides:
        for note in side.notes if isinstance(side, InputPaths) else ():
            say(note)


def print_diagnostics(diagnostics: Iterable[Diagnostic], of: str | None = None) -> None:
    """Print warnings, one line each, of the model called `of` if there are several; notes are in the report."""
    lead = f"{of}: " if of else ""
    for diagnostic in diagnostics:
        if diagnostic.severity is Severity.WARNING:
            count = f": {diagnostic.count:,}" if diagnostic.count else ""
            examples = f", such as {shorten(diagnostic.examples[0], _NAME_LIMIT)}" if diagnostic.examples else ""
            say(f"{lead}warning: {diagnostic.text}{count}{examples}")


def leave_out_from(values: dict[str, Any]) -> LeaveOut:
    """Return what is to be left out."""
    return parse_leave_out(values["leave_out"] or (), values["outputs"] or ())


def without(table: NodeTable, leave_out: LeaveOut) -> NodeTable:
    """Return the table without what is to be left out; print how many nodes that are."""
    kept, parts = split_table(table, leave_out)
    for name, part in parts.items():
        say(f"left out, {name}: {len(part.nodes):,}")
    return kept


def print_coverage(table: NodeTable, counting: Counting) -> None:
    """Say of how many nodes rules know the FLOPs, where that is not all of them."""
    if counting.rules == FlopsRules.NONE:
        return
    nodes = pa.table({name: table.column(name) for name in ("op", "op_class", "float_ops", "macs")})
    known, capable = known_nodes(nodes, "float_ops"), int(pc.sum(capable_nodes(nodes, "float_ops")).as_py() or 0)
    if known < capable:
        say(f"FLOPs: {known:,} of {capable:,} FLOP-capable nodes counted")


def counting_from(values: dict[str, Any]) -> Counting:
    """Return how FLOPs are counted: by which rules, whether they come before the op log, and which ops."""
    return Counting.of(values, user_rules_from(values))


def functions_from(values: dict[str, Any]) -> FunctionUse | None:
    """Return whether and how often the bodies of functions count; None where they are not looked at."""
    return use_functions(values["functions"], values["cond"], values["loops"])


def user_rules_from(values: dict[str, Any]) -> UserRules | None:
    """Return the user's own FLOPs rules, None if no file is named."""
    file = values["flops_rules"]
    return read_user_rules(file) if file is not None else None


def goes_without(values: dict[str, Any], path: str | None, of: str | None = None) -> bool:
    """Return whether the baseline at `path` is not there and need not be; with a warning where one is asked for.

    A baseline that is there and cannot be read is no missing one. `of` is the name of one of several models.
    """
    path = path if path is not None else named_file(values)
    if values["baseline_missing"] == BaselineMissing.FAIL or not path or not is_missing(path):
        return False
    if values["baseline_missing"] == BaselineMissing.WARN:
        say(f"{f'{of}: ' if of else ''}warning: {path}: there is no baseline, the report is without one")
    return True


def named_file(values: dict[str, Any]) -> str | None:
    """Return the file that stands for a base whose files are named one by one."""
    graph: str | None = next(iter(values["base_graph"] or ()), values["base_profile"])
    return graph


def is_missing(path: str) -> bool:
    """Return whether nothing is at `path`; standard input always is."""
    try:
        Path(path).stat()
    except (FileNotFoundError, NotADirectoryError):
        return path != STDIN
    except (OSError, ValueError):
        return False
    return False
