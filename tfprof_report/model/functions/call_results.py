"""The tensors that calls return: which tensor of an inlined body each output is, and its shape."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, list_offsets, make_lists, marks, take_ranges, to_bools, to_ints
from tfprof_report.model.functions.calls import Role
from tfprof_report.model.functions.inline import Expansion
from tfprof_report.model.graph.edges import read_edges, shapes_of_outputs
from tfprof_report.model.graph.origins import origins
from tfprof_report.record import record


@record
class Results:
    """The outputs of inlined bodies, one after the other.

    offsets : the outputs of body i, counted from 1, are ``offsets[i - 1]`` to ``offsets[i]``
    source : row of the node that produces the output, -1 if it is not known
    slot : index among the outputs of that node
    """

    offsets: Ints
    source: Ints
    slot: Ints


@record
class Handed:
    """The tensors that each output of a calling node may be: one row per candidate, sorted by node and slot.

    node, slot : the output of a call
    source, source_slot : the candidate: a tensor that the function, or one of the branches, returns; for a loop its
        initial value and what the body returns. `source` is -1 where it is not known
    is_back : the candidate is what a loop's body returns for the next iteration
    """

    node: Ints
    slot: Ints
    source: Ints
    source_slot: Ints
    is_back: Bools

    @classmethod
    def nothing(cls) -> Handed:
        """Return an empty table, for a graph without calls."""
        none = np.zeros(0, dtype=np.int64)
        return cls(node=none, slot=none, source=none, source_slot=none, is_back=none > 0)

    def joined(self, other: Handed) -> Handed:
        """Return the rows of both, sorted by node and slot."""
        node, slot = np.append(self.node, other.node), np.append(self.slot, other.slot)
        order = np.lexsort((slot, node))
        return Handed(
            node=node[order],
            slot=slot[order],
            source=np.append(self.source, other.source)[order],
            source_slot=np.append(self.source_slot, other.source_slot)[order],
            is_back=np.append(self.is_back, other.is_back)[order],
        )


def hand_results(expansion: Expansion, results: Results, edges: pa.Table) -> Handed:
    """Return the tensors that the outputs of calls may be; nodes with a call whose body is missing have no rows.

    Parameters
    ----------
    edges : the result of `edges.read_edges`
    """
    calls = expansion.calls
    missing = np.zeros(len(expansion.body), dtype=bool)
    for rows in expansion.skipped.values():
        missing[rows] = True
    wanted = np.flatnonzero((calls.role != Role.COND) & ~missing[calls.row] & _has_inputs(expansion))
    first, counts = (
        results.offsets[expansion.callee[wanted] - 1],
        np.diff(results.offsets)[expansion.callee[wanted] - 1],
    )
    at, call = take_ranges(first, counts), np.repeat(wanted, counts)
    is_loop = marks(calls.row[wanted[calls.role[wanted] == Role.BODY]], len(expansion.body))
    enters = edges.filter(pc.and_(pc.invert(edges["is_control"]), pa.array(is_loop[to_ints(edges["node"])])))
    node = np.append(calls.row[call], to_ints(enters["node"]))
    slot = np.append(at - np.repeat(first, counts), to_ints(enters["position"]))
    order = np.lexsort((slot, node))
    return Handed(
        node=node[order],
        slot=slot[order],
        source=np.append(results.source[at], to_ints(pc.fill_null(enters["source"], -1)))[order],
        source_slot=np.append(results.slot[at], to_ints(enters["slot"]))[order],
        is_back=np.append(calls.role[call] == Role.BODY, np.zeros(enters.num_rows, dtype=bool))[order],
    )


def _has_inputs(expansion: Expansion) -> Bools:
    """Return which calls have a body with their own inputs: the first of several calls that share a body."""
    return marks(np.unique(expansion.callee, return_index=True)[1], len(expansion.callee))


def results_of(expansion: Expansion, names: pa.Array) -> Results:
    """Return the outputs of the inlined bodies; `names` are those of all nodes."""
    offsets = list_offsets(expansion.results)
    if not offsets[-1]:  # no body returns anything: the names of all nodes need not be searched
        return Results(offsets=offsets, source=np.zeros(0, dtype=np.int64), slot=np.zeros(0, dtype=np.int64))
    edges = read_edges(expansion.results, names)
    at = offsets[:-1][to_ints(edges["node"])] + to_ints(edges["position"])
    source, slot = np.full(int(offsets[-1]), -1), np.zeros(int(offsets[-1]), dtype=np.int64)
    source[at] = to_ints(pc.fill_null(edges["source"], -1))
    slot[at] = to_ints(edges["slot"])
    return Results(offsets=offsets, source=source, slot=slot)


def fill_call_shapes(expansion: Expansion, results: Results, output_shapes: pa.ListArray) -> pa.ListArray:
    """Return `output_shapes`, completed for plain calls without shapes by the shapes that their bodies return."""
    calls = expansion.calls
    is_open = to_bools(pc.is_null(output_shapes))
    wanted = np.flatnonzero((calls.role == Role.CALL) & is_open[calls.row] & _has_inputs(expansion))
    callee = np.zeros(len(is_open), dtype=np.int64)  # body of a call without shapes, 0 for any other node
    callee[calls.row[wanted]] = expansion.callee[wanted]
    source, slot = _follow(results, callee)
    rows = np.flatnonzero(callee)
    if not len(rows):
        return output_shapes
    first, end = results.offsets[callee[rows] - 1], results.offsets[callee[rows]]
    at = take_ranges(first, end - first)
    filled = make_lists(shapes_of_outputs(output_shapes, source[at], slot[at]), end - first)
    index = np.arange(len(is_open))
    index[rows] = len(is_open) + np.arange(len(rows))
    return pa.concat_arrays([output_shapes, filled.cast(output_shapes.type)]).take(pa.array(index))


def _follow(results: Results, callee: Ints) -> tuple[Ints, Ints]:
    """Return source and slot of results, followed through calls that return the results of other calls.

    Pointer jumping: every round doubles the distance that `onward` spans, so a chain of n calls takes log2 n rounds.
    """
    source, slot = results.source, results.slot
    counts = np.diff(results.offsets)
    onward = np.full(len(source), -1)  # the result that a result is equal to, where a call produces it
    body = np.where(source >= 0, callee[source], 0)
    is_call = (body > 0) & (slot < counts[body - 1])
    onward[is_call] = results.offsets[body[is_call] - 1] + slot[is_call]
    for _ in range(len(onward).bit_length()):  # more rounds than this are needed only in a cycle
        going = onward >= 0
        if not going.any():
            break
        source, slot = (np.where(going, column[onward], column) for column in (source, slot))
        onward = np.where(going, onward[onward], -1)
    return source, slot


PUSHES, POPS = ("StackPushV2", "StackPush"), ("StackPopV2", "StackPop")


def hand_stacks(ops: pa.Array, edges: pa.Table) -> Handed:
    """Return the tensors that StackPop nodes may give: the outputs of all StackPush nodes on the same stack.

    A push outputs the tensor that it pushes.

    Parameters
    ----------
    ops : op type per node, NULL where it is not known
    edges : the result of `edges.read_edges`
    """
    push, pop = (np.flatnonzero(to_bools(pc.is_in(ops, value_set=pa.array(names)))) for names in (PUSHES, POPS))
    if not len(push) or not len(pop):
        return Handed.nothing()
    origin = origins(ops, edges)
    is_handle = (to_ints(edges["position"]) == 0) & to_bools(pc.is_valid(edges["source"]))
    stack = np.full(len(ops), -1, dtype=np.int64)
    stack[to_ints(edges["node"])[is_handle]] = origin[to_ints(edges["source"].filter(pa.array(is_handle)))]
    push, pop = push[stack[push] >= 0], pop[stack[pop] >= 0]
    push = push[np.argsort(stack[push], kind="stable")]
    start, end = np.searchsorted(stack[push], stack[pop]), np.searchsorted(stack[push], stack[pop], side="right")
    source = push[take_ranges(start, end - start)]
    node = np.repeat(pop, end - start)
    nothing: Ints = np.zeros(len(node), dtype=np.int64)
    return Handed(node=node, slot=nothing, source=source, source_slot=nothing, is_back=nothing > 0)
