"""Removes nodes from a table on request: parts that are not the model, and nodes that do not feed ``--outputs``."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, places_of, prefix_sums, take_ranges, to_bools, to_ints
from tfprof_report.diagnostics import Diagnostic, Severity
from tfprof_report.errors import OptionError
from tfprof_report.later import Later
from tfprof_report.model.functions.executed import ALL
from tfprof_report.model.join.traces import Traces
from tfprof_report.model.node_table import NodeTable
from tfprof_report.model.parts.parts import MODEL, Part, all_flow, is_end, parts_of
from tfprof_report.options import split_list, unknown_word
from tfprof_report.record import record


def keep_nodes(table: NodeTable, kept: Bools) -> NodeTable:
    """Return the table of the nodes that are `kept`, in the same order, with their steps, records and call stacks.

    An edge from a removed node has no source. Facts about the inputs as a whole are unchanged: devices, step numbers,
    unmatched names, diagnostics.
    """
    if kept.all():
        return table
    row = places_of(kept)
    mask = pa.array(kept)
    records, record = _of_kept(table.records, row)
    allocations, _ = _of_kept(table.allocations, row)
    edges, _ = _of_kept(table.edges, row)
    source = row[to_ints(pc.fill_null(edges["source"], 0))]
    is_there = (source >= 0) & edges["source"].is_valid().to_numpy()
    return replace(
        table,
        columns=table.columns.filter(mask),
        own_steps=_of_kept(table.own_steps, row)[0],
        records=records,
        allocations=_set(allocations, "record", record[to_ints(allocations["record"])]),
        edges=_set(edges, "source", pa.array(source, edges.schema.field("source").type, mask=~is_there)),
        canonical_device=table.canonical_device.filter(mask),
        data_format=table.data_format.filter(mask),
        log_types=table.log_types.filter(mask),
        calls=table.calls.keep(kept),
        holder=np.where(kept[table.holder], row[table.holder], row)[kept],
        later=replace(
            table.later,
            steps=Later(lambda: _of_kept(table.steps, row)[0]),
            traces=Later(lambda: _keep_traces(table.traces, kept)),
        ),
    )


def _of_kept(rows: pa.Table, row: Ints) -> tuple[pa.Table, Ints]:
    """Return the rows of kept nodes with their new `node`, and the new index of every row, -1 for a removed one.

    `row` maps the old row of a node to its new one, -1 for a removed node.
    """
    node = row[to_ints(rows["node"])]
    is_kept = node >= 0
    place = places_of(is_kept)
    return _set(rows.filter(pa.array(is_kept)), "node", node[is_kept]), place


def _set(rows: pa.Table, name: str, values: Ints | pa.Array) -> pa.Table:
    return rows.set_column(rows.column_names.index(name), name, pa.array(values))


def _keep_traces(traces: Traces, kept: Bools) -> Traces:
    counts = np.diff(traces.offsets)[kept]
    index = take_ranges(traces.offsets[:-1][kept], counts)
    return replace(traces, offsets=prefix_sums(counts), frame=traces.frame[index])


NOT_FEEDING = "does not feed the outputs"
"""Name of the part that `LeaveOut.outputs` leaves out."""

ALL_COUNT = "no_signature"
"""Code of the diagnostic that all nodes of a SavedModel count."""

NOT_IN_SIGNATURE = "not in the signature"
"""Name of the part that the signature of a SavedModel does not need."""


_GROUPS = {"training": (Part.GRADIENTS, Part.OPTIMIZER), "all": tuple(Part)}


_COMPARED = 5000
"""Most names that a misspelt one is compared with."""


class MissingOutputError(OptionError):
    """No node has the name of an output."""


@record
class LeaveOut:
    """What to leave out: `parts`, then nodes that do not feed the nodes named `outputs`, if there are any.

    Without `outputs`, those of a SavedModel's signature count; `executed.ALL` in their place keeps all nodes.
    """

    parts: tuple[Part, ...] = ()
    outputs: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, list[str]]:
        """Return the options of a report that describe it, in plain JSON types."""
        return {"leave_out": [str(part) for part in self.parts], "outputs": list(self.outputs)}


NOTHING = LeaveOut()


def parse_leave_out(parts: Iterable[str], outputs: Iterable[str] = ()) -> LeaveOut:
    """Return what to leave out by words of the command line; each may be a comma-separated list.

    `parts` are values of `Part`, ``training`` for gradients and optimizer, or ``all``.

    Raises
    ------
    OptionError
        A word is not one of these.
    """
    wanted: set[Part] = set()
    for word in split_list(parts):
        if word not in (*Part, *_GROUPS):
            raise unknown_word(word, option="--leave-out", known=(*Part, *_GROUPS))
        wanted.update(_GROUPS.get(word) or (Part(word),))
    return LeaveOut(parts=tuple(part for part in Part if part in wanted), outputs=split_list(outputs))


def split_table(table: NodeTable, leave_out: LeaveOut) -> tuple[NodeTable, dict[str, NodeTable]]:
    """Return the table without what is left out, and the table of each part that is left out, by name.

    Every node is in exactly one of the tables. Control inputs and the nodes of inlined calls feed an output too. A node
    that counts the parameters of a kept node is also kept.

    Raises
    ------
    MissingOutputError
        No node has the name of an output; the message suggests similar names.
    """
    kept = np.ones(table.count, dtype=bool)
    gone: dict[str, Bools] = {}
    if leave_out.parts:
        part = parts_of(table)
        gone = {str(name): part == list(Part).index(name) for name in leave_out.parts}
        kept = (part == MODEL) | ~np.logical_or.reduce([*gone.values()])
    name, outputs = _outputs(table, leave_out)
    if outputs is not None:
        feeds = _feeding(table, outputs)
        gone[name] = kept & ~feeds
        kept &= feeds
    if not gone:
        return table, {}
    kept[table.holder[kept]] = True  # the parameters of a shared variable are counted at its first node
    return keep_nodes(table, kept), {name: keep_nodes(table, nodes & ~kept) for name, nodes in gone.items()}


def _outputs(table: NodeTable, leave_out: LeaveOut) -> tuple[str, Bools | None]:
    """Return the nodes that the others have to feed, None if they need not, and the name of what does not."""
    if leave_out.outputs:
        return NOT_FEEDING, None if leave_out.outputs == (ALL,) else _find_outputs(table, leave_out.outputs)
    if table.entry.signature is None:
        return NOT_IN_SIGNATURE, None
    is_output = pc.is_in(table.column("name"), value_set=pa.array(table.entry.nodes))
    # Run metadata is of a run of the signature: what only it names, such as copies between devices, is part of that.
    return NOT_IN_SIGNATURE, to_bools(pc.or_(is_output, pc.is_null(table.column("op"))))


def counted_signature(table: NodeTable, leave_out: LeaveOut) -> str | None:
    """Return the signature whose nodes count; None if the user names outputs, and where all nodes count."""
    return None if leave_out.outputs else table.entry.signature


def explain_all(table: NodeTable, leave_out: LeaveOut) -> tuple[Diagnostic, ...]:
    """Return a warning that all nodes of a SavedModel count for lack of a signature, with the reason."""
    if leave_out.outputs or not table.entry.reason:
        return ()
    text = f"all nodes count, since {table.entry.reason}"
    return (Diagnostic(severity=Severity.WARNING, code=ALL_COUNT, text=text),)


def _feeding(table: NodeTable, outputs: Bools) -> Bools:
    """Return the nodes from which `outputs` are reachable, including the nodes of inlined calls on the way."""
    calls = table.calls
    end = np.zeros(calls.count, dtype=bool)
    end[: len(outputs)] = outputs
    return all_flow(table).joined(calls.members).before(end)[: len(outputs)]


def _find_outputs(table: NodeTable, outputs: tuple[str, ...]) -> Bools:
    names = table.column("name")
    found = np.zeros(len(names), dtype=bool)
    for output in outputs:
        bare = pc.replace_substring_regex(pa.array([output]), r":\d+$", "")[0]
        row = pc.index(names, output).as_py()
        row = pc.index(names, bare).as_py() if row < 0 else row
        if row < 0:
            advice = _candidates(table, bare.as_py())
            raise MissingOutputError(f'no node is called "{output}"', option="--outputs", advice=advice)
        found[row] = True
    return found


def _candidates(table: NodeTable, name: str) -> str:
    """Return advice with similar names, otherwise with some nodes of the model that no other node uses."""
    names = table.column("name")
    leaf = name.rpartition("/")[2]
    if leaf:
        alike = pc.or_(pc.match_substring(names, leaf, ignore_case=True), pc.starts_with(names, name[:3]))
        near = names.filter(alike).slice(0, _COMPARED).to_pylist()
        close = difflib.get_close_matches(name, near, n=3) or sorted(near, key=len)[:3]
        if close:
            return f"did you mean {' or '.join(close)}?"
    ends = names.filter(pa.array(is_end(table) & (parts_of(table) == MODEL))).slice(0, 5).to_pylist()
    return f"it may be {' or '.join(ends)}" if ends else "name a node of the graph"
