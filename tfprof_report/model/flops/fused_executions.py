"""Executions of nodes that have no record of their own, because the runtime rewrote the graph before it ran it.

A fused kernel has the name of one of its nodes, mostly the last one, and the label of its record says which op ran and
on which inputs: ``relu = _FusedConv2D(x, w, b)``. The other nodes of the kernel ran as often as the kernel.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import (
    Bools,
    Ints,
    distinct,
    list_offsets,
    list_values,
    marks,
    row_of_value,
    rows_of_words,
    take_ranges,
    to_bools,
    to_ints,
)
from tfprof_report.diagnostics import EXAMPLES, Diagnostic, Severity
from tfprof_report.model.functions.trips_from_run import LOWERED
from tfprof_report.model.graph.reach import Flow
from tfprof_report.model.join.compiled import CompiledRuns
from tfprof_report.model.join.executions import Executions
from tfprof_report.record import record
from tfprof_report.schema.metrics import NANOS, STEP_STEMS

REPLACED = "no record, though its result was used: the runtime replaced it"
"""Why the executions of a node are unknown."""

UNTRACED = "no event, and the trace leaves out cheap ops"
"""Why all that run metadata tells of a node is unknown."""

_LABEL = r"^(?:\[[^\]]*\] )?.* = (?P<op>[A-Za-z0-9_>]+)(?P<inputs>\(.*\))?$"
"""A label of TensorFlow's executor, after the sizes of allocations (NodeExecStatsWrapper::SetLabel).

What is read from an XPlane trace has no inputs.
"""

_IDLE = rb" = (?:Const|_Arg|VarHandleOp|VariableV2|Switch|Merge|Enter|NextIteration)\("
"""Labels of kernels that compute nothing: an input of this kind has done the work of no other node."""

_OTHER_KERNELS = "^_Mkl(?:Native)?"
"""Prefix of kernels of oneDNN, which do the same as the op without it."""

_FED = r"^_arg_(.*)_\d+_\d+$"
"""Name of the node that feeds a placeholder."""

_ONE_OF = ("Merge", "RefMerge")
"""Ops that need only one of their inputs."""

_OF_SHAPES = ("Shape", "ShapeN", "Size", "Rank")
"""Ops that need the shape of their input; where one of them was folded, the input was not used."""


@record
class FusedExecutions:
    """Executions beyond those of `Executions.steps`.

    steps : `Executions.steps` with further rows for nodes inside fused kernels, marked by the column `is_fused`: they
        have the kernel's device and run_count, and no time and memory, which stand with the kernel's node
    kernel : per node the row of the node whose kernel it ran in, -1 if in none
    unknown : nodes that were replaced in some step by what the labels do not tell
    untraced : nodes that have no record, in a trace that leaves out cheap ops, so that they may have run
    """

    steps: pa.Table
    kernel: Ints
    unknown: Bools
    untraced: Bools


def find_fused(
    *,
    names: pa.Array,
    ops: pa.Array,
    edges: pa.Table,
    results: Flow,
    body: Ints,
    executions: Executions,
    computes: Bools,
    compiled: CompiledRuns | None = None,
) -> FusedExecutions:
    """Find the executions of nodes that `computes` and have no record in a step in which their result was used.

    Parameters
    ----------
    results, body : edges from what function bodies return to their callers, and the body of each node
    computes : nodes with FLOPs, or with unknown ones; for others the number of executions is left at 0
    compiled : which nodes XLA fused, as a trace tells
    """
    count = len(names)
    kernel, unknown = np.full(count, -1, dtype=np.int64), np.zeros(count, dtype=bool)
    untraced = ~marks(to_ints(executions.steps["node"]), count) & (not executions.has_all_ops)
    own = executions.steps.append_column("is_fused", pa.array(np.zeros(executions.steps.num_rows, dtype=bool)))
    told, kernel_of_told = _compiled_rows(names, compiled)
    if not (computes.any() or len(told)) or not own.num_rows:
        return FusedExecutions(steps=own, kernel=kernel, unknown=unknown, untraced=untraced)
    is_data = to_bools(pc.and_(pc.invert(edges["is_control"]), pc.is_valid(edges["source"])))
    flow = Flow(source=to_ints(edges["source"].fill_null(0))[is_data], target=to_ints(edges["node"])[is_data])
    one_of, of_shapes = (to_bools(pc.is_in(ops, value_set=pa.array(kinds))) for kinds in (_ONE_OF, _OF_SHAPES))
    steps = [own]
    step_of_record = to_ints(executions.records["step"])
    for step in executions.step_numbers:
        rows = own.filter(pc.and_(pc.equal(own["step"], step), pc.greater(own["run_count"], 0)))
        ran = marks(to_ints(rows["node"]), count)
        ran_bodies = marks(body[ran], int(body.max(initial=0)) + 1)
        returned = ran_bodies[body[results.source]]
        used = flow.joined(Flow(source=results.source[returned], target=results.target[returned]))
        mine = np.flatnonzero(step_of_record == step)
        labels = _Labels.of(executions.labels.take(pa.array(mine)), to_ints(executions.records["node"])[mine], names)
        needs_all = ~(one_of | of_shapes & ~ran)
        inside, replaced = _of_step(
            names=names, ops=ops, used=used, needs_all=needs_all, ran=ran, labels=labels, computes=computes
        )
        is_here = ran[kernel_of_told] & ~ran[told]
        inside[told[is_here]], replaced[told[is_here]] = kernel_of_told[is_here], False
        unknown |= replaced
        kernel = np.where(inside >= 0, inside, kernel)
        steps.append(_rows_of(inside, rows))
    table = pa.concat_tables(steps)
    if table.num_rows > own.num_rows:
        keys = pa.table({"node": table["node"], "step": table["step"], "device": table["device"].cast(pa.string())})
        order = [(name, "ascending") for name in keys.column_names]
        table = table.take(pc.sort_indices(keys, sort_keys=order))
    kernel = np.where(unknown, -1, kernel)
    return FusedExecutions(steps=table, kernel=kernel, unknown=unknown, untraced=untraced & (kernel < 0))


def _compiled_rows(names: pa.Array, compiled: CompiledRuns | None) -> tuple[Ints, Ints]:
    """Return the nodes that XLA fused, and the row of the fusion that each ran in."""
    if compiled is None:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    node, kernel = (pc.index_in(each, value_set=names) for each in (compiled.inside, compiled.kernels))
    both = pc.and_(pc.is_valid(node), pc.is_valid(kernel))
    return to_ints(node.filter(both)), to_ints(kernel.filter(both))


@record
class _Labels:
    """The labels of one step.

    texts : those of the records that have a node
    place : per node the one of `texts` that counts, -1 without any
    idle : names of the nodes whose records hand out a value without computing it
    """

    texts: pa.Array
    place: Ints
    idle: pa.Array

    @classmethod
    def of(cls, labels: pa.Array, nodes: Ints, names: pa.Array) -> _Labels:
        place = np.full(len(names), -1, dtype=np.int64)
        place[nodes] = np.arange(len(nodes))
        held = np.flatnonzero(place >= 0)  # not all nodes: there may be many more, and many steps
        is_idle = pc.match_substring_regex(labels.take(pa.array(place[held])), _IDLE)
        return cls(texts=labels, place=place, idle=names.take(pa.array(held)).filter(is_idle))

    def of_nodes(self, rows: Ints) -> pa.Array:
        """Return the labels of nodes, empty without one."""
        place = self.place[rows]
        return pc.fill_null(self.texts.take(pa.array(place, mask=place < 0)), b"")


def _of_step(
    *, names: pa.Array, ops: pa.Array, used: Flow, needs_all: Bools, ran: Bools, labels: _Labels, computes: Bools
) -> tuple[Ints, Bools]:
    """Return per node the row of the node whose kernel it ran in, -1 for none, and the nodes that were replaced.

    `needs_all` is whether a node needs the values of all its inputs.
    """
    count = len(names)
    nowhere, never = np.full(count, -1, dtype=np.int64), np.zeros(count, dtype=bool)
    is_open = ~ran[used.source] & needs_all[used.target]
    heads = distinct(used.target[is_open & ran[used.target]])
    gone = Flow(source=used.source[is_open], target=used.target[is_open])
    if not len(heads) or not (gone.before(marks(heads, count)) & ~ran & computes).any():
        return nowhere, never
    parts = pc.extract_regex(_as_text(labels.of_nodes(heads)), _LABEL)
    is_labelled = to_bools(pc.is_valid(parts))
    kind = pc.fill_null(pc.struct_field(parts, "op"), "")
    written = pc.fill_null(pc.struct_field(parts, "inputs"), "")
    is_bare = is_labelled & to_bools(pc.equal(written, ""))
    inputs = pc.split_pattern(pc.utf8_slice_codeunits(written, 1, -1), ", ")
    head, taken = heads[row_of_value(list_offsets(inputs))], list_values(inputs)
    is_data = to_bools(pc.and_(pc.invert(pc.starts_with(taken, "^")), pc.not_equal(taken, "")))
    head, taken = head[is_data], pc.replace_substring_regex(taken.filter(pa.array(is_data)), r":\d+$", "")
    fed = pc.replace_substring_regex(pc.replace_substring_regex(taken, _FED, r"\1"), LOWERED, r"\1/")

    # A kernel that takes no input was folded into a constant: it used nothing.
    folded = marks(np.setdiff1d(heads[is_labelled & ~is_bare], head), count)
    own_op = pc.fill_null(ops.take(pa.array(heads)), "")
    is_same = to_bools(pc.equal(pc.replace_substring_regex(kind, _OTHER_KERNELS, ""), own_op))
    fuses = marks(heads[is_labelled & ~is_same], count)
    kept = ~folded[gone.target]
    gone = Flow(source=gone.source[kept], target=gone.target[kept])
    owner = _owners(gone, marks(heads, count) & ~folded)
    owner[ran] = -1
    has_owner = owner >= 0
    crosses = has_owner[gone.source] & (owner[gone.source] != np.where(ran, np.arange(count), owner)[gone.target])
    shared = gone.before(marks(gone.source[crosses], count)) & has_owner

    # Where do the inputs of a kernel enter the nodes that it replaced?
    is_start = ~marks(used.target, count)
    enters = has_owner[used.target] & (ran | is_start)[used.source]
    source, target = used.source[enters], used.target[enters]
    matched = _are_pairs(owner[target], names.take(pa.array(source)), head, fed)
    # Where a label does not tell the inputs, a kernel of several ops takes what enters them.
    matched |= marks(heads[is_bare & ~is_same], count)[owner[target]] & ran[source]
    inner = used.without(~has_owner)
    inside = inner.after(marks(target[matched], count)) & has_owner
    doubtful = inner.after(marks(target[~matched & ran[source]], count)) & has_owner

    # What the labels name instead of the nodes of the graph may have done the work of these, if they compute.
    of_fed = rows_of_words(fed, names)
    graph_ran = pa.array((of_fed >= 0) & (ran & to_bools(pc.is_valid(ops)))[of_fed])
    is_idle = pc.or_(pc.is_in(taken, value_set=labels.idle), pc.is_in(fed, value_set=labels.idle))
    is_known = to_bools(pc.or_(graph_ran, pc.or_(is_idle, pc.match_substring_regex(taken, _FED))))
    unclear = marks(head[~is_known], count) | marks(heads[~is_labelled | (is_bare & is_same)], count)
    in_kernel = inside & ~doubtful & ~shared & fuses[owner]
    vanished = ~inside & ~shared | ~fuses[owner] & ~shared
    replaced = has_owner & computes & ~in_kernel & ~(vanished & ~unclear[owner])
    return np.where(in_kernel & computes, owner, -1), replaced


def _as_text(labels: pa.Array) -> pa.Array:
    """Return labels as text, those that are not UTF-8 as empty ones."""
    try:
        return labels.cast(pa.string())
    except pa.ArrowInvalid:
        return pa.array([label.decode(errors="replace") for label in labels.to_pylist()], pa.string())


def _owners(gone: Flow, heads: Bools) -> Ints:
    """Return for each node without a record the head that it leads to, -1 if none; `heads` are their own."""
    owner = np.where(heads, np.arange(len(heads)), -1)
    source, target = gone.source, gone.target
    while True:
        fresh = (owner[target] >= 0) & (owner[source] < 0)
        if not fresh.any():
            return owner
        owner[source[fresh]] = owner[target[fresh]]


def _are_pairs(owner: Ints, names: pa.Array, head: Ints, inputs: pa.Array) -> Bools:
    """Return which pairs of a head and a name are among the heads and the inputs of their labels."""
    words = pa.concat_arrays([names, inputs]).dictionary_encode()
    code = to_ints(words.indices)
    size = max(len(words.dictionary), 1)
    result: Bools = np.isin(owner * size + code[: len(names)], head * size + code[len(names) :])
    return result


def _rows_of(inside: Ints, rows: pa.Table) -> pa.Table:
    """Return rows of `Executions.steps` for nodes inside kernels; `rows` are those of one step that ran, by node."""
    nodes = np.flatnonzero(inside >= 0)
    ran = to_ints(rows["node"])
    first, last = (np.searchsorted(ran, inside[nodes], side=side) for side in ("left", "right"))
    taken = rows.take(pa.array(take_ranges(first, last - first)))
    columns = {name: taken[name] for name in taken.column_names}
    zeros = pa.array(np.zeros(taken.num_rows, dtype=np.int64))
    columns |= {name: zeros for name in (*STEP_STEMS, *NANOS.values()) if name != "run_count"}
    columns["node"] = pa.array(np.repeat(nodes, last - first))
    columns["memory_reason"] = pa.nulls(taken.num_rows, rows.schema.field("memory_reason").type)
    columns["is_fused"] = pa.array(np.ones(taken.num_rows, dtype=bool))
    return pa.table(columns, schema=rows.schema)


def diagnose_fused(names: pa.Array, fused: FusedExecutions) -> list[Diagnostic]:
    """Return a note on nodes that ran inside the kernels of others, and one on nodes whose executions are unknown."""
    found = [
        ("fused_nodes", "nodes ran inside the kernel of another node and have its executions", fused.kernel >= 0),
        ("replaced_nodes", "nodes have no record though their result was used: executions unknown", fused.unknown),
        ("untraced_nodes", "nodes have no event in a trace that leaves out cheap ops: runs unknown", fused.untraced),
    ]
    return [
        Diagnostic(
            severity=Severity.NOTE,
            code=code,
            text=text,
            count=int(np.count_nonzero(rows)),
            examples=tuple(names.filter(pa.array(rows)).slice(0, EXAMPLES).to_pylist()),
        )
        for code, text, rows in found
        if rows.any()
    ]
