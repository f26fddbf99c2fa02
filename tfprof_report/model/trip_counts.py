"""Proves from constants how often loops iterate: a counter that begins at a constant, moves by a constant and is
compared with a constant.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.ingest.arrays import Ints, list_offsets, list_values, to_bools, to_ints
from tfprof_report.model.call_results import Results
from tfprof_report.model.calls import Bools, Role
from tfprof_report.model.functions import Expansion
from tfprof_report.model.multiplicity import Trips

_HOPS = 64  # Identity nodes and loops that a constant is followed through
_MOST = 2.0**62
_COMPARISONS = ("Less", "LessEqual", "Greater", "GreaterEqual")
_STEPS = ("AddV2", "Add", "Sub")


class Unproved(StrEnum):
    """Why the number of iterations of a loop is not known."""

    CONDITION = "the condition does not compare a counter with a constant"
    START = "the counter does not begin at a constant"
    STEP = "the counter does not move by a constant towards its limit"
    SHARED = "the loop stands in a function that is placed once for several calls"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tensors:
    """Outputs of nodes: `row` -1 is none."""

    row: Ints
    slot: Ints


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvedTrips:
    """Iterations of loops per call of an expansion, and the calling rows of unproved loops by reason."""

    trips: Trips
    unproved: Mapping[Unproved, Ints]


def prove_trips(
    expansion: Expansion, results: Results, *, ops: pa.Array, edges: pa.Table, constants: pa.ListArray
) -> ProvedTrips:
    """Return the iterations of loops that follow from constants.

    Parameters
    ----------
    ops : op type per node
    edges : as `shapes.read_edges` gives them
    constants : values of Const nodes that hold integers, NULL for others
    """
    calls = expansion.calls
    bodies, conds = np.flatnonzero(calls.role == Role.BODY), np.flatnonzero(calls.role == Role.COND)
    count, known = np.zeros(len(calls.row), dtype=np.int64), np.zeros(len(calls.row), dtype=bool)
    _, at_body, at_cond = np.intersect1d(calls.row[bodies], calls.row[conds], return_indices=True)
    if not len(at_body):
        return ProvedTrips(trips=Trips(count=count, known=known), unproved={})
    bodies, conds = bodies[at_body], conds[at_cond]
    graph = _Graph(expansion, results, ops=ops, edges=edges, constants=constants)
    loop = calls.row[bodies]
    condition = graph.resolve(graph.result(expansion.callee[conds], np.zeros(len(conds), dtype=np.int64)))
    is_both = graph.has_op(condition, ("LogicalAnd",))
    first = graph.resolve(_choose(is_both, graph.input(condition, 0), condition))
    found, reason = _prove(graph, loop, expansion.callee[bodies], first)
    if is_both.any():  # the loop ends with the first of two conditions that fails
        second = graph.resolve(graph.input(condition, 1))
        other, why = _prove(graph, loop, expansion.callee[bodies], second)
        found = np.where(is_both, np.minimum(found, other), found)
        reason = np.where(is_both & (reason < 0), why, reason)
    if expansion.is_shared:
        reason = np.where(expansion.body[loop] > 0, len(Unproved) - 1, reason)
    proved = reason < 0
    for parts in (bodies, conds):
        count[parts], known[parts] = np.where(proved, found, 0), proved
    unproved = {why: loop[reason == number] for number, why in enumerate(Unproved)}
    return ProvedTrips(trips=Trips(count=count, known=known), unproved=unproved)


def _prove(graph: _Graph, loop: Ints, body: Ints, condition: Tensors) -> tuple[Ints, Ints]:
    """Return iterations, and the place in `Unproved` of what is missing, -1 where nothing is."""
    left, right = (graph.resolve(graph.input(condition, place)) for place in (0, 1))
    compares = graph.has_op(condition, _COMPARISONS)
    counts_left = compares & (left.row == loop)
    counts_right = compares & ~counts_left & (right.row == loop)
    counter, bound = _choose(counts_left, left, right), _choose(counts_left, right, left)
    limit, has_limit = graph.number(bound)
    start, has_start = graph.number(graph.resolve(graph.input(Tensors(row=loop, slot=loop), counter.slot)))

    moved = graph.resolve(graph.result(body, counter.slot))
    one, two = (graph.resolve(graph.input(moved, place)) for place in (0, 1))
    is_one = (one.row == loop) & (one.slot == counter.slot)
    is_two = ~is_one & (two.row == loop) & (two.slot == counter.slot) & ~graph.has_op(moved, ("Sub",))
    step, has_step = graph.number(_choose(is_one, two, one))
    step = np.where(graph.has_op(moved, ("Sub",)), -step, step)
    has_step &= graph.has_op(moved, _STEPS) & (is_one | is_two)

    is_less = graph.has_op(condition, ("Less", "LessEqual"))
    sign = np.where(is_less == counts_left, 1, -1)  # downwards, everything is mirrored
    estimate = np.abs(limit.astype(np.float64)) + np.abs(start.astype(np.float64))
    fits = (estimate < _MOST) & (np.abs(step.astype(np.float64)) < _MOST)
    limit, start, step = (sign * np.where(fits, values, 0) for values in (limit, start, step))
    limit = limit + graph.has_op(condition, ("LessEqual", "GreaterEqual"))
    distance = np.maximum(limit - start, 0)
    moves = (step > 0) | (distance == 0)
    trips = -(-distance // np.maximum(step, 1))
    is_missing = np.array(
        [~((counts_left | counts_right) & has_limit), ~has_start, ~(has_step & moves & fits)], dtype=bool
    )
    return trips, np.where(is_missing.any(axis=0), is_missing.argmax(axis=0), -1)


def _choose(mask: Bools, yes: Tensors, no: Tensors) -> Tensors:
    return Tensors(row=np.where(mask, yes.row, no.row), slot=np.where(mask, yes.slot, no.slot))


class _Graph:
    """What loops are proved from: the inputs of nodes, the results of bodies, and integer constants."""

    def __init__(
        self, expansion: Expansion, results: Results, *, ops: pa.Array, edges: pa.Table, constants: pa.ListArray
    ) -> None:
        data = edges.filter(pc.invert(edges["is_control"]))
        self._first = np.searchsorted(to_ints(data["node"]), np.arange(len(ops) + 1))
        self._source, self._slot = to_ints(pc.fill_null(data["source"], -1)), to_ints(data["slot"])
        self._results, self._constants = results, constants
        self._types = pc.fill_null(ops, "").dictionary_encode()
        self._codes = to_ints(self._types.indices)
        calls = expansion.calls
        is_body = calls.role == Role.BODY
        self._body = np.zeros(len(ops), dtype=np.int64)
        self._body[calls.row[is_body]] = expansion.callee[is_body]

    def has_op(self, tensors: Tensors, names: tuple[str, ...]) -> Bools:
        is_named = to_bools(pc.is_in(self._types.dictionary, value_set=pa.array(names)))
        return (tensors.row >= 0) & is_named[self._codes[tensors.row]]

    def input(self, tensors: Tensors, place: int | Ints) -> Tensors:
        """Return what stands at `place` among the data inputs of nodes."""
        at = self._first[tensors.row] + place
        given = (tensors.row >= 0) & (at < self._first[tensors.row + 1])
        if not len(self._source):
            return Tensors(row=np.full(len(given), -1), slot=np.zeros(len(given), dtype=np.int64))
        at = np.where(given, at, 0)
        return Tensors(row=np.where(given, self._source[at], -1), slot=np.where(given, self._slot[at], 0))

    def result(self, body: Ints, place: Ints) -> Tensors:
        """Return what bodies return at `place`."""
        offsets = self._results.offsets
        at = offsets[body - 1] + place
        given = (body > 0) & (at < offsets[body])
        if not len(self._results.source):
            return Tensors(row=np.full(len(given), -1), slot=np.zeros(len(given), dtype=np.int64))
        at = np.where(given, at, 0)
        return Tensors(
            row=np.where(given, self._results.source[at], -1), slot=np.where(given, self._results.slot[at], 0)
        )

    def resolve(self, tensors: Tensors) -> Tensors:
        """Return tensors without the Identity nodes before them, and without loops that hand them on unchanged."""
        for _ in range(_HOPS):
            passes = self.has_op(tensors, ("Identity",))
            place = np.where(passes, 0, tensors.slot)
            body = np.where(tensors.row >= 0, self._body[tensors.row], 0)
            if body.any():
                handed = self._behind_identities(self.result(body, tensors.slot))
                passes = passes | ((body > 0) & (handed.row == tensors.row) & (handed.slot == tensors.slot))
            if not passes.any():
                break
            tensors = _choose(passes, self.input(tensors, place), tensors)
        return tensors

    def _behind_identities(self, tensors: Tensors) -> Tensors:
        for _ in range(_HOPS):
            passes = self.has_op(tensors, ("Identity",))
            if not passes.any():
                break
            tensors = _choose(passes, self.input(tensors, 0), tensors)
        return tensors

    def number(self, tensors: Tensors) -> tuple[Ints, Bools]:
        """Return the integers that tensors hold, and which of them are constants of one integer."""
        offsets, values = list_offsets(self._constants), to_ints(list_values(self._constants))
        row = np.maximum(tensors.row, 0)
        known = self.has_op(tensors, ("Const",)) & (np.diff(offsets)[row] == 1)
        found = np.zeros(len(row), dtype=np.int64)
        found[known] = values[offsets[:-1][row[known]]]
        return found, known
