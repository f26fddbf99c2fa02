"""Static trip counts: how often a loop iterates whose counter has a constant start, step and limit."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, list_offsets, list_values, to_bools, to_ints
from tfprof_report.model.functions.call_results import POPS, PUSHES, Results
from tfprof_report.model.functions.calls import Role
from tfprof_report.model.functions.inline import Expansion
from tfprof_report.model.functions.multiplicity import Trips
from tfprof_report.model.functions.v1_frames import ENTER, EXIT, MERGE, NEXT_ITERATION, SWITCH, Frames
from tfprof_report.record import record

_HOPS = 64  # most Identity nodes and loops that a constant is followed through
_MOST = 2.0**62
_COMPARISONS = ("Less", "LessEqual", "Greater", "GreaterEqual")
_STEPS = ("AddV2", "Add", "Sub")
_PASSING = ("Identity", *SWITCH, *ENTER)
_ROUNDS = 8  # longest chain of loops whose trip counts follow from each other


class Unproved(StrEnum):
    """Why the trip count of a loop is not known."""

    CONDITION = "the condition does not compare a counter with a constant"
    START = "the counter does not start at a constant"
    STEP = "the counter does not move by a constant towards its limit"
    SHARED = "the loop is in a function that is inlined once for several calls"
    FRAME = "which nodes are in the loop's frame is ambiguous"
    RUN = "run metadata has no executions of its nodes"


@record
class Tensors:
    """Outputs of nodes, by row and slot; row -1 is no tensor."""

    row: Ints
    slot: Ints


@record
class ProvedTrips:
    """Trip counts of loops: per call of an expansion, and per frame.

    unproved : rows of unproved loops by reason: calling nodes, and for frames the LoopCond or else an Enter node
    """

    calls: Trips
    frames: Trips
    unproved: Mapping[Unproved, Ints]


def prove_trips(
    expansion: Expansion,
    results: Results,
    frames: Frames | None,
    *,
    ops: pa.Array,
    edges: pa.Table,
    constants: pa.ListArray,
) -> ProvedTrips:
    """Return the trip counts of loops that follow from constants.

    The start or limit of a counter may also be the final counter of another loop: the loop of a gradient counts down
    what the forward loop counted.

    Parameters
    ----------
    ops : op type per node
    edges : the result of `edges.read_edges`
    constants : integers that nodes output, from Const nodes and constant folding, NULL for others
    """
    calls = expansion.calls
    bodies, conds = np.flatnonzero(calls.role == Role.BODY), np.flatnonzero(calls.role == Role.COND)
    _, at_body, at_cond = np.intersect1d(calls.row[bodies], calls.row[conds], return_indices=True)
    bodies, conds = bodies[at_body], conds[at_cond]
    graph = _Graph(expansion, results, frames, ops=ops, edges=edges, constants=constants)
    loop = np.append(calls.row[bodies], graph.frame_loops)
    condition = _concat(
        graph.result(expansion.callee[conds], np.zeros(len(conds), dtype=np.int64)), graph.frame_conditions
    )
    placed = expansion.body[calls.row[bodies]] if len(bodies) else bodies
    given_up = np.full(len(loop), -1)
    if expansion.is_shared:
        given_up[: len(bodies)][placed > 0] = list(Unproved).index(Unproved.SHARED)
    if frames is not None:
        given_up[len(bodies) :][~frames.is_whole[1:]] = list(Unproved).index(Unproved.FRAME)
    for _ in range(_ROUNDS):  # every round may prove loops that depend on those of the round before
        found, reason = _prove_either(graph, loop, condition)
        reason = np.where(given_up >= 0, given_up, reason)
        if not graph.learn(loop[reason < 0], found[reason < 0]):
            break
    proved = reason < 0
    found = np.where(proved, found, 0)
    count, known = np.zeros(len(calls.row), dtype=np.int64), np.zeros(len(calls.row), dtype=bool)
    for parts in (bodies, conds):
        count[parts], known[parts] = found[: len(bodies)], proved[: len(bodies)]
    nothing = np.zeros(1, dtype=np.int64)
    row = np.append(calls.row[bodies], frames.rows[1:] if frames else nothing[:0])
    return ProvedTrips(
        calls=Trips(count=count, known=known),
        frames=Trips(
            count=np.append(nothing, found[len(bodies) :]), known=np.append(nothing > 0, proved[len(bodies) :])
        ),
        unproved={why: row[reason == number] for number, why in enumerate(Unproved)},
    )


def _prove_either(graph: _Graph, loop: Ints, condition: Tensors) -> tuple[Ints, Ints]:
    """Return trip counts, and the index in `Unproved` of the reason why there is none, -1 where there is one.

    With ``LogicalAnd`` the loop ends as soon as one of two conditions fails: the smaller trip count.
    """
    condition = graph.resolve(condition)
    is_both = graph.has_op(condition, ("LogicalAnd",))
    found, reason = _prove(graph, loop, graph.resolve(_choose(is_both, graph.input(condition, 0), condition)))
    if is_both.any():
        other, why = _prove(graph, loop, graph.resolve(graph.input(condition, 1)))
        found = np.where(is_both, np.minimum(found, other), found)
        reason = np.where(is_both & (reason < 0), why, reason)
    return found, reason


def _prove(graph: _Graph, loop: Ints, condition: Tensors) -> tuple[Ints, Ints]:
    """Return trip counts and reasons, as `_prove_either`, for one comparison per loop.

    ``counter < limit`` holds ceil((limit - start) / step) times; ``<=`` is ``< limit + 1``, and ``>`` is mirrored.
    """
    left, right = (graph.resolve(graph.input(condition, place)) for place in (0, 1))
    compares = graph.has_op(condition, _COMPARISONS)
    counts_left = compares & (graph.loop_of(left) == loop)
    counts_right = compares & ~counts_left & (graph.loop_of(right) == loop)
    counter, bound = _choose(counts_left, left, right), _choose(counts_left, right, left)
    limit, has_limit = graph.number(bound, loop)
    start, has_start = graph.number(graph.begin(counter), loop)
    step, has_step = graph.step(counter)

    is_less = graph.has_op(condition, ("Less", "LessEqual"))
    sign = np.where(is_less == counts_left, 1, -1)  # mirrors a counter that runs downwards
    estimate = np.abs(limit.astype(np.float64)) + np.abs(start.astype(np.float64))
    fits = (estimate < _MOST) & (np.abs(step.astype(np.float64)) < _MOST)
    limit, start, step = (sign * np.where(fits, values, 0) for values in (limit, start, step))
    limit = limit + graph.has_op(condition, ("LessEqual", "GreaterEqual"))
    distance = np.maximum(limit - start, 0)
    moves = (step > 0) | (distance == 0)
    trips = -(-distance // np.maximum(step, 1))  # rounded up
    is_missing = np.array(
        [~((counts_left | counts_right) & has_limit), ~has_start, ~(has_step & moves & fits)], dtype=bool
    )
    return trips, np.where(is_missing.any(axis=0), is_missing.argmax(axis=0), -1)


def _choose(mask: Bools, yes: Tensors, no: Tensors) -> Tensors:
    return Tensors(row=np.where(mask, yes.row, no.row), slot=np.where(mask, yes.slot, no.slot))


def _same(first: Tensors, second: Tensors) -> Bools:
    same: Bools = (first.row == second.row) & (first.slot == second.slot)
    return same


def _concat(first: Tensors, second: Tensors) -> Tensors:
    return Tensors(row=np.append(first.row, second.row), slot=np.append(first.slot, second.slot))


class _Graph:
    """What trip counts are proved from: inputs of nodes, results of bodies, integer constants, and loops proved so far.

    A loop is identified by the row of its calling node, or for frame i by ``number of nodes + i``. A variable that it
    carries from one iteration to the next is an output of the calling node, or of a Merge node of the frame.
    """

    def __init__(
        self,
        expansion: Expansion,
        results: Results,
        frames: Frames | None,
        *,
        ops: pa.Array,
        edges: pa.Table,
        constants: pa.ListArray,
    ) -> None:
        data = edges.filter(pc.invert(edges["is_control"]))
        count, nothing = len(ops), np.zeros(0, dtype=np.int64)
        self._first = np.searchsorted(to_ints(data["node"]), np.arange(count + 1))
        self._source, self._slot = to_ints(pc.fill_null(data["source"], -1)), to_ints(data["slot"])
        self._results, self._constants = results, constants
        self._types = pc.fill_null(ops, "").dictionary_encode()
        self._codes = to_ints(self._types.indices)
        calls = expansion.calls
        is_body = calls.role == Role.BODY
        self._body = np.zeros(count, dtype=np.int64)
        self._body[calls.row[is_body]] = expansion.callee[is_body]
        self.frame_loops = count + np.arange(1, len(frames.parent)) if frames else nothing
        row = frames.condition[1:] if frames else nothing
        self.frame_conditions = self.input(Tensors(row=row, slot=np.zeros_like(row)), 0)
        self._loop = np.where(self._body > 0, np.arange(count), -1)
        if frames is not None:
            merges = np.flatnonzero(self._is(MERGE) & (frames.frame > 0))
            self._loop[merges] = count + frames.frame[merges]
        self._trips = np.full(count + len(self.frame_loops) + 1, -1)
        self._place = np.full(len(self._trips), -1)
        self._place[: len(expansion.body)] = expansion.body
        if frames is not None:
            self._place[self.frame_loops] = self._place[frames.rows[1:]]
        pushes = np.flatnonzero(self._is(PUSHES))
        handles = self.resolve(self.input(Tensors(row=pushes, slot=np.zeros_like(pushes)), 0)).row
        self._push = np.full(count + 1, -1)  # per node that creates a stack, the node that pushes on it
        self._push[handles] = pushes

    def _is(self, names: tuple[str, ...]) -> Bools:
        return to_bools(pc.is_in(self._types.dictionary, value_set=pa.array(names)))[self._codes]

    def learn(self, loop: Ints, trips: Ints) -> bool:
        """Store the trip counts of loops; return whether any of them is new."""
        is_new = bool((self._trips[loop] != trips).any())
        self._trips[loop] = trips
        return is_new

    def loop_of(self, tensors: Tensors) -> Ints:
        """Return the loop that carries each tensor as a variable, -2 where none does."""
        loop = np.where(tensors.row >= 0, self._loop[tensors.row], -1) if len(self._loop) else tensors.row
        return np.where(loop >= 0, loop, -2)

    def begin(self, carried: Tensors) -> Tensors:
        """Return the initial values of loop variables."""
        place = np.where(self.has_op(carried, MERGE), 0, carried.slot)
        return self.resolve(self.input(carried, place))

    def step(self, carried: Tensors) -> tuple[Ints, Bools]:
        """Return the constant that an iteration adds to each loop variable, and which of them have one."""
        merged = self.input(self.input(carried, 1), 0)  # what NextIteration, input 1 of a Merge, takes
        is_merge = self.has_op(carried, MERGE)
        body = np.where(~is_merge & (carried.row >= 0), self._body[carried.row], 0) if len(self._body) else carried.row
        moved = self.resolve(_choose(is_merge, merged, self.result(body, carried.slot)))
        one, two = (self.resolve(self.input(moved, place)) for place in (0, 1))
        is_one = _same(one, carried)
        is_two = ~is_one & _same(two, carried) & ~self.has_op(moved, ("Sub",))  # constant - counter is no step
        step, has_step = self._constant(_choose(is_one, two, one))
        step = np.where(self.has_op(moved, ("Sub",)), -step, step)
        return step, has_step & self.has_op(moved, _STEPS) & (is_one | is_two)

    def has_op(self, tensors: Tensors, names: tuple[str, ...]) -> Bools:
        is_named = to_bools(pc.is_in(self._types.dictionary, value_set=pa.array(names)))
        return (tensors.row >= 0) & is_named[self._codes[tensors.row]]

    def input(self, tensors: Tensors, place: int | Ints) -> Tensors:
        """Return the data input of nodes at index `place`."""
        at = self._first[tensors.row] + place
        given = (tensors.row >= 0) & (at < self._first[tensors.row + 1])
        if not len(self._source):
            return Tensors(row=np.full(len(given), -1), slot=np.zeros(len(given), dtype=np.int64))
        at = np.where(given, at, 0)
        return Tensors(row=np.where(given, self._source[at], -1), slot=np.where(given, self._slot[at], 0))

    def result(self, body: Ints, place: Ints) -> Tensors:
        """Return the result of bodies at index `place`."""
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
        """Return the tensors that these are copies of, traced back through ops and loops that do not change a value."""
        for _ in range(_HOPS):
            passes = self.has_op(tensors, _PASSING)
            place = np.where(passes, 0, tensors.slot)
            # A loop output is its own initial value where the body returns that loop variable unchanged (While) ...
            body = np.where(tensors.row >= 0, self._body[tensors.row], 0)
            if body.any():
                handed = self._through_identities(self.result(body, tensors.slot))
                passes = passes | ((body > 0) & (handed.row == tensors.row) & (handed.slot == tensors.slot))
            # ... or where NextIteration feeds the Merge with the Merge's own output (frames).
            closing = self.input(tensors, 1)
            carried = self.has_op(tensors, MERGE) & self.has_op(closing, NEXT_ITERATION)
            if carried.any():
                handed = self._through_identities(self.input(closing, 0))
                unchanged = carried & (handed.row == tensors.row)
                passes, place = passes | unchanged, np.where(unchanged, 0, place)
            if not passes.any():
                break
            tensors = _choose(passes, self.input(tensors, place), tensors)
        return tensors

    def _through_identities(self, tensors: Tensors) -> Tensors:
        for _ in range(_HOPS):
            passes = self.has_op(tensors, ("Identity", *SWITCH))
            if not passes.any():
                break
            tensors = _choose(passes, self.input(tensors, 0), tensors)
        return tensors

    def number(self, tensors: Tensors, loop: Ints) -> tuple[Ints, Bools]:
        """Return the integers of tensors as `loop` sees them: constants, and final counters of loops that have ended.

        A loop in the same body as another one is not nested in it, so it sees that one's final counter:
        ``start + trips x step``.
        """
        values, known = self._constant(tensors)
        passed, place = self._pushed(tensors, self._place[loop])
        is_exit = self.has_op(passed, EXIT)
        counter = _choose(is_exit, self.resolve(self.input(self.input(passed, 0), 0)), passed)
        ended = self.loop_of(counter)
        has_ended = (ended >= 0) & (is_exit | (self._place[ended] == place) & ~self.has_op(counter, MERGE))
        trips = np.where(has_ended, self._trips[ended], -1)
        (start, has_start), (step, has_step) = self._constant(self.begin(counter)), self.step(counter)
        total = start.astype(np.float64) + step.astype(np.float64) * trips
        found = ~known & (trips >= 0) & has_start & has_step & (np.abs(total) < _MOST)
        return np.where(found, start + np.where(found, step * trips, 0), values), known | found

    def _constant(self, tensors: Tensors) -> tuple[Ints, Bools]:
        offsets, values = list_offsets(self._constants), to_ints(list_values(self._constants))
        row = np.maximum(tensors.row, 0)
        known = (tensors.row >= 0) & (tensors.slot == 0) & (np.diff(offsets)[row] == 1)
        found = np.zeros(len(row), dtype=np.int64)
        found[known] = values[offsets[:-1][row[known]]]
        return found, known

    def _pushed(self, tensors: Tensors, place: Ints) -> tuple[Tensors, Ints]:
        """Return the tensor that was pushed, for tensors popped from a stack or list, and the body of the push.

        Other tensors are returned as they are, with `place`. The loop of a gradient pops what the forward loop pushed.
        Callers use the tensor only where every push has the same value: a loop's final counter.
        """
        handle = self.resolve(self.input(tensors, 0))
        is_list = self.has_op(tensors, ("TensorListPopBack",)) & (tensors.slot == 1)
        filled = self.begin(handle)
        body = np.where(is_list & (filled.row >= 0), self._body[filled.row], 0)
        last = self.resolve(self.result(body, filled.slot))
        by_list = np.where(self.has_op(last, ("TensorListPushBack",)), last.row, -1)
        by_stack = np.where(self.has_op(tensors, POPS) & (handle.row >= 0), self._push[handle.row], -1)
        push = np.where(is_list, by_list, by_stack)
        found = self.resolve(self.input(Tensors(row=push, slot=np.zeros_like(push)), 1))
        return _choose(push >= 0, found, tensors), np.where(push >= 0, self._place[push], place)
