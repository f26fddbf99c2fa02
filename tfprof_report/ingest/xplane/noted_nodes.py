"""Nodes that TensorFlow's executor ran without a kernel, which have no event of an op: ``NoOp`` and constants.

At the highest level of the tracer, the executor notes for every node that it hands on its results (event
``ExecutorPropagateOutputs`` with the stat ``kernel_name``), also for nodes whose results are dead: those of a branch
that was not taken, and of the last round of a loop. What lives is told by the other nodes of the same function body,
which have events of their own when they live.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Ints, to_bools, to_ints, whole
from tfprof_report.ingest.xplane.ops import OpEvents, ops_of_framework
from tfprof_report.ingest.xplane.space import Space
from tfprof_report.ingest.xplane.stats import matches

_NOTE, _NODE, _OUTPUTS = "ExecutorPropagateOutputs", "kernel_name", "num_output_edges"
_BODY = r"^(?P<body>.*/(?:(?:cond|body|then|else|branch\d+)/_\d+/|pivot_\w+/_\d+$))"
"""The body of a function that a loop or conditional runs, in names of its nodes; the innermost one.

The pivot of a branch, which begins it, is a body of its own: where it lives it has an event.
"""


def has_notes(space: Space) -> bool:
    """Return whether the file has notes, which the executor writes at level 3 only."""
    return pc.any(pc.equal(space.kinds["name"], _NOTE)).as_py() or False


def find_noted(space: Space, ops: OpEvents, step: Ints) -> OpEvents:
    """Return the executions of nodes without an event in `ops`; `step` is that of each event of the file, -1 for none.

    Their events are those of the note, whose time is none of the node's: no kernel ran.
    """
    rows = np.zeros(0, dtype=np.int64)
    if space.of_events.has(_NODE):
        node = space.of_events.codes(_NODE)
        lacks_event = pc.invert(pc.is_in(node.dictionary, value_set=whole(ops.ops["name"]))).take(node.indices)
        rows = np.flatnonzero(to_bools(lacks_event) & to_bools(matches(space.names(), f"^{_NOTE}$")))
        node = node.take(pa.array(rows)).cast(pa.string())
    if not len(rows):
        nothing = pa.nulls(0, pa.string())
        return ops_of_framework(rows, nothing, nothing)
    lives = _lives(node, step[rows], space.times()[0][rows], ops, step)
    rows, node = rows[lives], node.take(pa.array(lives))
    taken = pa.array(rows)
    outputs = pc.fill_null(space.of_events.ints(_OUTPUTS).take(taken), 0)
    op = pc.coalesce(_kernel_types(space, node), pc.if_else(pc.greater(outputs, 0), "Const", "NoOp"))
    return ops_of_framework(rows, node, op)


def _kernel_types(space: Space, names: pa.Array) -> pa.Array:
    """Return the types of nodes with an asynchronous kernel, whose event another tool may leave out; else NULL."""
    told = space.of_events.codes("kernel_type"), space.of_events.codes("name")
    is_known = pc.and_(*map(pc.is_valid, told))
    kinds, nodes = (column.filter(is_known).cast(pa.string()) for column in told)
    return kinds.take(pc.index_in(names, value_set=nodes))


def _lives(names: pa.Array, step: Ints, start: Ints, ops: OpEvents, of_event: Ints) -> Ints:
    """Return the notes, by their place, that are not of a dead node."""
    texts = pa.concat_arrays([names, whole(ops.ops["name"])]).dictionary_encode()
    code = to_ints(pc.fill_null(texts.indices, -1))
    body = pc.struct_field(pc.extract_regex(texts.dictionary, _BODY), "body").dictionary_encode()
    body_of = np.append(to_ints(pc.fill_null(body.indices, -1)), -1)
    mine, others = code[: len(names)], code[len(names) :][ops.row]

    # In a step, the nodes of a body that live ran as often as the one that ran most.
    steps = int(max(step.max(initial=-1), of_event.max(initial=-1))) + 2
    nodes, runs = np.unique(others * steps + of_event[ops.event] + 1, return_counts=True)
    most = np.zeros((len(body.dictionary) + 1) * steps, dtype=np.int64)
    np.maximum.at(most, body_of[nodes // steps] * steps + nodes % steps, runs)

    key = mine * steps + step + 1
    order = np.lexsort((start, key))
    ordered = key[order]
    first = np.flatnonzero(np.append(True, np.diff(ordered) != 0))
    number = np.arange(len(order)) - np.repeat(first, np.diff(np.append(first, len(order))))
    its_body = body_of[mine[order]]
    lives = (its_body < 0) | (number < most[its_body * steps + step[order] + 1])
    return np.sort(order[lives])
