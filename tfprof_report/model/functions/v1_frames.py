"""The frames of V1 control flow: which nodes are in which loop, and how often each is executed.

A frame begins at its Enter nodes and ends at its Exit nodes, and the nodes between are connected. So frames are the
connected components of the graph once each Enter and Exit is split in two (core/common_runtime/executor.cc).
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, distinct, marks, to_bools, to_ints
from tfprof_report.errors import InputError
from tfprof_report.graph_search import components
from tfprof_report.model.functions.multiplicity import Trips
from tfprof_report.model.graph.reach import Flow
from tfprof_report.record import record

ENTER, EXIT, MERGE = ("Enter", "RefEnter"), ("Exit", "RefExit"), ("Merge", "RefMerge")
SWITCH, NEXT_ITERATION = ("Switch", "RefSwitch"), ("NextIteration", "RefNextIteration")

_MOST_NESTED = 100
_MOST = 2.0**62


@record
class Frames:
    """The frames of a graph; frame 0 is the graph itself. Enter and Exit nodes belong to the frame that they leave.

    frame : per node the frame that holds it
    turns : nodes that are executed once per iteration; other nodes of a frame, such as its condition, are executed once
        more. That includes ControlTrigger, which is executed even after the loop has ended
    exits : Exit nodes, which are executed once per loop
    enters, entered : rows of Enter nodes, and the frame that each enters
    parent, depth : per frame; `depth` of frame 0 is 0
    condition : per frame the row of its LoopCond node, -1 if there is not exactly one
    is_whole : per frame whether TensorFlow's executor sees the same frame: one name, one parent
    """

    frame: Ints
    turns: Bools
    exits: Bools
    enters: Ints
    entered: Ints
    parent: Ints
    depth: Ints
    condition: Ints
    is_whole: Bools

    @property
    def rows(self) -> Ints:
        """A node that identifies each frame: its LoopCond, otherwise one of its Enter nodes; -1 for frame 0."""
        rows = np.full(len(self.parent), -1, dtype=np.int64)
        rows[self.entered] = self.enters
        return np.where(self.condition >= 0, self.condition, rows)


def find_frames(ops: pa.Array, edges: pa.Table, frame_names: pa.Array, body: Ints) -> Frames | None:
    """Return the frames; None in a graph without Enter nodes.

    Parameters
    ----------
    ops : op type per node, NULL where it is not known
    edges : the result of `edges.read_edges`
    frame_names : per node the attribute ``frame_name``, NULL without one
    body : per node the placed function body that holds it; frames in different bodies differ even with the same name
    """
    is_enter = _is(ops, ENTER)
    if not is_enter.any():
        return None
    count, enters, exits = len(ops), np.flatnonzero(is_enter), _is(ops, EXIT)
    known = to_bools(pc.is_valid(edges["source"]))
    source, node = to_ints(edges["source"].filter(pa.array(known))), to_ints(edges["node"])[known]
    inner = body[source] == body[node]  # an edge into another body is an argument: it does not join frames
    source, node = source[inner], node[inner]
    names = pc.binary_join_element_wise(
        pa.array(body[enters]).cast(pa.string()), pc.fill_null(frame_names.take(pa.array(enters)), ""), "/"
    ).dictionary_encode()
    has_name = to_bools(pc.is_valid(frame_names.take(pa.array(enters))))
    name = to_ints(names.indices)
    # Vertices: i takes the inputs of node i; Enter and Exit give their outputs as vertex count + i, other nodes as i
    # itself. One more vertex per frame name connects the Enter nodes that share it.
    out = np.where(is_enter | exits, count, 0) + np.arange(count)
    head = np.concatenate([out[source], out[enters[has_name]]])
    tail = np.concatenate([node, 2 * count + name[has_name]])
    size = 2 * count + len(names.dictionary)
    _, label = components(head, tail, size)
    inside, entered = np.unique(label[out[enters]], return_inverse=True)
    number = np.zeros(int(label.max()) + 1, dtype=np.int64)
    number[inside] = np.arange(len(inside)) + 1
    frame, entered = number[label[:count]], entered.astype(np.int64) + 1

    parent = np.zeros(len(inside) + 1, dtype=np.int64)
    parent[entered] = frame[enters]
    named = np.unique(np.stack([entered[has_name], name[has_name]]), axis=1)[0]
    is_whole = np.bincount(named, minlength=len(parent)) <= 1
    is_whole[entered[frame[enters] != parent[entered]]] = False
    depth, is_nested = _depths(parent)
    is_whole &= is_nested
    conditions = np.flatnonzero(_is(ops, ("LoopCond",)) & (frame > 0))
    condition = np.full(len(parent), -1, dtype=np.int64)
    condition[frame[conditions]] = conditions
    condition[np.bincount(frame[conditions], minlength=len(parent)) > 1] = -1
    closes = _is(ops, NEXT_ITERATION)[source] & _is(ops, MERGE)[node]
    decides = _is(ops, SWITCH)[node] & (condition[frame[node]] == source) & (frame[node] > 0)
    turns = _after_switches(
        distinct(node[decides]),
        source[~closes],
        node[~closes],
        depth=np.where(is_nested, depth, 0)[frame],
        exits=exits,
    )
    return Frames(
        frame=frame,
        turns=turns & ~_is(ops, ("ControlTrigger",)),
        exits=exits & (frame > 0),
        enters=enters,
        entered=entered,
        parent=parent,
        depth=depth,
        condition=condition,
        is_whole=is_whole,
    )


def _is(ops: pa.Array, names: tuple[str, ...]) -> Bools:
    return to_bools(pc.is_in(ops, value_set=pa.array(names)))


def _depths(parent: Ints) -> tuple[Ints, Bools]:
    """Return the nesting depth of each frame, 1 for an outermost one, and where it is valid: not cyclic or too deep."""
    depth, at = np.zeros(len(parent), dtype=np.int64), np.arange(len(parent))
    for _ in range(_MOST_NESTED):
        depth += at > 0
        at = parent[at]
        if not at.any():
            break
    at[0] = 0
    return depth, at == 0


def _after_switches(switches: Ints, source: Ints, node: Ints, *, depth: Ints, exits: Bools) -> Bools:
    """Return which nodes are reachable from one of `switches` within its frame, also through inner frames."""
    behind, count = np.zeros(len(depth), dtype=bool), len(depth)
    for level in range(1, int(depth.max(initial=0)) + 1):
        first = marks(switches[depth[switches] == level], count)
        stays = (depth[source] >= level) & (depth[node] >= level) & ~(exits[source] & (depth[source] == level))
        behind |= Flow(source=source[stays], target=node[stays]).after(first) & (depth == level)
    behind[switches] = False
    return behind


def count_turns(frames: Frames, trips: Trips) -> Trips:
    """Return per node how often it is executed when the body that holds it is executed once.

    A loop with an unknown trip count counts as one iteration.

    Parameters
    ----------
    trips : trip counts per frame

    Raises
    ------
    InputError
        A number of executions leaves the 64-bit range.
    """
    frame, turns = frames.frame, frames.turns
    known, length = trips.known, np.where(trips.known, trips.count, 1)
    starts, started = np.ones(len(length), dtype=np.int64), np.ones(len(length), dtype=bool)
    count, is_known = np.ones(len(frame), dtype=np.int64), np.ones(len(frame), dtype=bool)
    level_of_node, level_of_enter = frames.depth[frame], frames.depth[frames.entered]
    for level in range(1, int(frames.depth.max()) + 1):  # outer frames first
        enters = np.flatnonzero(level_of_enter == level)
        entered, row = frames.entered[enters], frames.enters[enters]
        starts[entered] = np.iinfo(np.int64).max
        # The minimum: an Enter node of an invariant may be executed once more than the inner loop is started.
        np.minimum.at(starts, entered, count[row])
        np.logical_and.at(started, entered, is_known[row])
        rows = np.flatnonzero(level_of_node == level)
        mine = frame[rows]
        again = np.where(frames.exits[rows], 1, length[mine] + np.where(known[mine], ~turns[rows], 0))
        if (again * starts[mine].astype(np.float64) >= _MOST).any():
            raise InputError("loops iterate more often than 64 bits can count", advice="see --loops once")
        count[rows] = starts[mine] * again
        is_known[rows] = started[mine] & (known[mine] | frames.exits[rows])
    return Trips(count=count, known=is_known)


def iteration_float_ops(frames: Frames, float_ops: pa.Array, trips: Trips | None) -> Ints:
    """Return the FLOPs of one iteration per frame, including inner loops; an unknown trip count counts as 1.

    Sums saturate at 2^62; unknown figures count as 0.
    """
    own = np.where(frames.exits, 0, to_ints(pc.fill_null(float_ops, 0))).astype(np.float64)
    total = np.bincount(frames.frame, weights=own, minlength=len(frames.parent))
    for level in range(int(frames.depth.max()), 1, -1):  # innermost first
        inner = np.flatnonzero(frames.depth == level)
        length = 1 if trips is None else np.where(trips.known, trips.count, 1)[inner]
        np.add.at(total, frames.parent[inner], total[inner] * length)
        total = np.clip(total, -_MOST, _MOST)  # at each level: products of many levels are infinite
    return np.clip(total, -_MOST, _MOST).astype(np.int64)
