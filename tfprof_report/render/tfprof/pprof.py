"""Profiles for the pprof tool: code view as tfprof writes it, and scope view with a sample type per figure.

Messages are filled one by one, because they are the output, and strings and locations are interned in order.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Ints, to_ints
from tfprof_report.errors import OptionError
from tfprof_report.ingest.descriptors import message_class
from tfprof_report.model.node_table import NodeTable
from tfprof_report.model.values import Measure, node_measures
from tfprof_report.options import Options
from tfprof_report.render.files.gzipped import gzipped
from tfprof_report.render.tfprof.output_spec import RefusedOutputError
from tfprof_report.render.tfprof.stacks import ATTRIBUTES, stacks_of
from tfprof_report.schema.metrics import METRICS
from tfprof_report.semantics import Semantics
from tfprof_report.views.build_view import selected_stems
from tfprof_report.views.code import GRADIENT, NO_TRACE
from tfprof_report.views.forest import Forest, sum_ancestors
from tfprof_report.views.layout import Layout
from tfprof_report.views.members import Members
from tfprof_report.views.selection import Selection

_LABEL = "graph node:"
_COMMENTS = {
    "micros": "Sum of accelerator execution time and cpu execution time.",
    "accelerator_micros": "Accelerator execution time.",
    "cpu_micros": "CPU execution time.",
    "bytes": "Sum of operation total memory requests, excluding deallocations.",
    "peak_bytes": "Sum of operation peak memory usage.",
    "residual_bytes": "Sum of operation allocated memory after finish.",
    "output_bytes": "Sum of operation output size.",
    "params": "Model parameters.",
    "float_ops": "Model float operations (Only available if defined).",
}


def check_pprof(view: str, options: Options, semantics: Semantics) -> None:
    """Raise RefusedOutputError if a view cannot be written for pprof with these options."""
    views = ("code",) if semantics.refused_output_is_empty else ("code", "scope")
    if view not in views:
        raise RefusedOutputError(
            f"{view} view has no pprof file",
            native="Only 'code' view supports pprof output now.",
            advice=f"use {' or '.join(views)} view, or write folded stacks",
        )
    if view == "scope":
        return
    if len(set(options.select)) != 1:
        raise RefusedOutputError(
            "pprof of code view shows one figure",
            native="Can only select 1 attribute for pprof output.",
            advice="give one attribute to --select",
        )
    if options.select[0] not in ATTRIBUTES:
        raise RefusedOutputError(
            f"pprof cannot show {options.select[0]}",
            native=f"pprof doesn't support -select={options.select[0]}",
            advice=f"select one of {', '.join(ATTRIBUTES)}",
        )


@dataclass(slots=True)
class _Profile:
    """A profile under construction; strings are numbered by their first use."""

    message: Any = field(default_factory=message_class("perftools.profiles.Profile"))
    strings: dict[str, int] = field(default_factory=lambda: {"": 0})

    def string(self, text: str) -> int:
        return self.strings.setdefault(text, len(self.strings))

    def sample_type(self, name: str, unit: str) -> None:
        self.message.sample_type.add(type=self.string(name), unit=self.string(unit))

    def packed(self) -> bytes:
        """Return the file; equal profiles have equal bytes."""
        self.message.string_table.extend(self.strings)
        return gzipped(self.message.SerializeToString(deterministic=True))


def whole(measure: Measure) -> Ints:
    """Return figures as integers. Means are rounded so that every prefix sum is the exact one, rounded."""
    if measure.divisor == 1:
        return measure.values
    running = np.cumsum(measure.values)
    rounded: Ints = np.diff((2 * running + measure.divisor) // (2 * measure.divisor), prepend=0)
    return rounded


# Code view -----------------------------------------------------------------------------------------------------------


def code_profile(
    table: NodeTable, layout: Layout, selection: Selection, options: Options, semantics: Semantics
) -> bytes:
    """Return the profile of a code view: a sample per counted node, with the calls on shown lines that lead to it.

    A location is a call: the called function, at the line of its caller. Nodes of a line that is not shown count for
    the nearest shown ancestor; without one they have no location.
    """
    stem = options.select[0]
    profile = _Profile()
    node, row = _samples(table, layout, selection, options, semantics)
    parent = Forest.from_depths(selection.depth).parent.tolist()
    calls = _add_calls(profile, table, layout, selection.rows, parent, with_outermost=not semantics.omit_inner_frames)
    values = whole(node_measures(table, step=options.step, semantics=semantics)[stem].take(node))
    names = table.column("name").take(pa.array(node)).to_pylist()
    stacks: dict[int, list[int]] = {}  # only of lines with nodes: in total no longer than the logged call stacks
    for name, at, value in zip(names, row.tolist(), values.tolist(), strict=True):
        if at not in stacks:
            stacks[at] = _stack(at, parent, calls)
        sample = profile.message.sample.add(value=(1, value), location_id=stacks[at])
        sample.label.add(key=profile.string(_LABEL), str=profile.string(name))
    profile.sample_type("count", "count")
    profile.sample_type(stem, str(METRICS[stem].unit))
    profile.message.comment.append(profile.string(_COMMENTS[stem]))
    return profile.packed()


def _samples(
    table: NodeTable, layout: Layout, selection: Selection, options: Options, semantics: Semantics
) -> tuple[Ints, Ints]:
    """Return the nodes that become samples, in name order, and for each the place of its line among the shown rows.

    tfprof takes only shown lines without shown calls below them, and of these only the innermost lines of call stacks.
    """
    members = Members(table, layout, np.arange(len(layout)), options, semantics)
    place = _nearest_shown(layout.forest, selection.rows)[members.row]
    nodes = members.nodes
    if semantics.omit_inner_frames:
        calls_nothing = np.ones(len(selection.rows), dtype=bool)
        parent = Forest.from_depths(selection.depth).parent
        calls_nothing[parent[parent >= 0]] = False
        kept = (place >= 0) & (layout.forest.size[members.row] == 1)
        kept[kept] = calls_nothing[place[kept]]
        nodes, place = nodes[kept], place[kept]
    order = to_ints(pc.sort_indices(table.column("name").take(pa.array(nodes))))
    return nodes[order], place[order]


def _nearest_shown(forest: Forest, rows: Ints) -> Ints:
    """Return for each row the place in `rows` of itself or its nearest ancestor there; -1 if there is none.

    In preorder this is the last shown row, up to the row itself, whose level among the shown rows equals the number of
    shown rows from the root to the row. It is found by binary search on the key (level, row).
    """
    count = len(forest)
    is_shown = np.zeros(count, dtype=np.int64)
    is_shown[rows] = 1
    level = sum_ancestors(forest, is_shown) + is_shown
    keys = level[rows] * count + rows
    order = np.argsort(keys)
    at = np.searchsorted(keys[order], level * count + np.arange(count), side="right") - 1
    return np.where(level > 0, order[at], -1) if len(rows) else np.full(count, -1, dtype=np.int64)


def _add_calls(
    profile: _Profile, table: NodeTable, layout: Layout, rows: Ints, parent: list[int], *, with_outermost: bool
) -> list[int]:
    """Add the locations and functions of shown lines to a profile; return the location of each line, 0 for none.

    Calls with the same caller's file and line and the same called function share a location. The outermost line has no
    caller: tfprof gives it no location, so that pprof shows no function for its nodes; `with_outermost` gives it one at
    its own line.
    """
    frames = table.traces.frames.take(pa.array(layout.frame[rows], mask=layout.frame[rows] < 0))
    lines, starts = (pc.fill_null(frames[name], 0).to_pylist() for name in ("line", "func_start_line"))
    files = pc.fill_null(frames["file"], "").to_pylist()
    is_frame = (layout.frame[rows] >= 0).tolist()
    named = pc.fill_null(frames["function"], NO_TRACE).to_pylist()
    functions = [
        f"{function}{GRADIENT}" if mirrored else function
        for function, mirrored in zip(named, layout.is_gradient[rows].tolist(), strict=True)
    ]
    function_of: dict[tuple[str, str, int], tuple[int, int, int]] = {}
    call_of: dict[tuple[str, str, int], tuple[int, tuple[str, str, int]]] = {}
    location = [0] * len(rows)
    for row, above in enumerate(parent):
        if above < 0 and not with_outermost:
            continue
        caller, line = (files[above], lines[above]) if above >= 0 else ("", lines[row])
        call = (caller, functions[row], line % 2**64)  # as in tfprof, compared as unsigned
        if call not in call_of:
            called = (files[row], functions[row], starts[row] % 2**64)
            if called not in function_of:
                base = called[0].rpartition("/")[2]
                title = (
                    f"{base.rpartition('.')[0] if '.' in base else base}:{called[1]}" if is_frame[row] else called[1]
                )
                function_of[called] = (len(function_of) + 1, profile.string(title), profile.string(called[0]))
            call_of[call] = (len(call_of) + 1, called)
        location[row] = call_of[call][0]
    for call, (number, called) in sorted(call_of.items()):
        profile.message.location.add(id=number).line.add(function_id=function_of[called][0], line=_signed(call[2]))
    for called, (number, name, file) in sorted(function_of.items()):
        profile.message.function.add(id=number, name=name, filename=file, start_line=_signed(called[2]))
    return location


def _signed(number: int) -> int:
    return number - 2**64 if number >= 2**63 else number


def _stack(row: int, parent: list[int], location: list[int]) -> list[int]:
    """Return the locations of a row and its ancestors, innermost first; rows without a location are skipped."""
    stack = []
    while row >= 0:
        stack += [location[row]] if location[row] else []
        row = parent[row]
    return stack


# Scope view ----------------------------------------------------------------------------------------------------------


def scope_profile(layout: Layout, selection: Selection, options: Options) -> bytes:
    """Return the profile of a scope view: a sample per shown row of nonzero weight, with a value per known figure.

    Rows are functions, called by the scope that they are in. The weight of a row is its total without the rows shown
    below it, so that samples add up to the totals. The root's own weight is a sample without a location.

    Raises
    ------
    OptionError
        None of the selected figures is known.
    """
    stems = [stem for stem in selected_stems(options) if selection.root[stem].known.all()]
    if not stems:
        raise OptionError(
            "none of these figures is known",
            option="--select",
            advice=f"choose of {', '.join(ATTRIBUTES)}; times and memory need --run-meta",
        )
    profile = _Profile()
    for stem in stems:
        profile.sample_type(stem, str(METRICS[stem].unit))
        profile.message.comment.append(profile.string(f"{stem}: {METRICS[stem].doc}"))
    names = layout.names.take(pa.array(selection.rows)).to_pylist()
    parent = Forest.from_depths(selection.depth).parent.tolist()
    for number, name in enumerate(names, 1):
        profile.message.location.add(id=number).line.add(function_id=number)
        profile.message.function.add(id=number, name=profile.string(name))
    weights = np.stack([whole(stacks_of(layout, selection, stem).weight) for stem in stems], axis=1)
    location = list(range(1, len(names) + 1))
    for at in np.flatnonzero(weights.any(axis=1)).tolist():  # row 0 is the root
        profile.message.sample.add(value=weights[at].tolist(), location_id=_stack(at - 1, parent, location))
    return profile.packed()
