"""Shape inference: unknown output shapes from the shapes and constants that flow into each node.

Nodes are processed in topological levels, all nodes of a level with the same rule at once. A call has the shapes that
its body returns, a stack those that were pushed. Back edges of loops are cut: inference first assumes that an iteration
does not change the shapes that enter the loop. Sizes for which the back edge contradicts this become unknown, and
inference starts again, until nothing changes.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tfprof_report.arrays import Bools, Ints, list_values, make_lists, marks, row_of_value, take_ranges
from tfprof_report.model.functions.call_results import Handed
from tfprof_report.model.shapes.fold import VALUES
from tfprof_report.model.shapes.memo import Memo
from tfprof_report.model.shapes.padded import Shapes, agreed_by_segment, column, merge
from tfprof_report.model.shapes.plan import WIDE, Plan, groups, has_pending
from tfprof_report.model.shapes.state import Nodes, State, Values
from tfprof_report.record import record

MOST_STEPS = 30_000
_SMALL = 50_000
"""Most applications of a rule to nodes of one level, over all turns, for a graph of up to `_SMALL` nodes; a larger one
may have one more for each node more. Shapes after these stay unknown.

Each costs time, however few the nodes: these bound what a file of 1 MB takes, 6,000 levels of four kinds of nodes.
"""

_MOST_TURNS = 8


@record
class Inferred:
    """Shapes of outputs after inference.

    output_shapes : per node one shape for each output, NULL where not known
    is_inferred : nodes for which inference found something new
    conflicts : nodes whose given shapes contradict their inputs; the given shapes are kept
    values : per node the elements of its first output in row-major order, where all of them follow from constants and
        shapes; NULL elsewhere, and where they were not needed
    beyond : nodes that are not inferred because of `MOST_STEPS`
    """

    output_shapes: pa.ListArray
    is_inferred: Bools
    conflicts: Bools
    values: pa.ListArray
    beyond: Bools


def infer_shapes(
    nodes: pa.Table,
    edges: pa.Table,
    output_shapes: pa.ListArray,
    handed: Handed | None = None,
    *,
    is_import: bool = False,
) -> Inferred:
    """Return `output_shapes` with unknown ranks and sizes filled in where they follow from the inputs.

    Parameters
    ----------
    nodes : columns of the nodes, including `shape_attrs.SHAPE_ATTRS`
    edges : the result of `edges.read_edges`
    output_shapes : per node one shape for each output, NULL where not known
    handed : the tensors that outputs of calls may be; None without calls
    is_import : infer no more than an import by TensorFlow does: nothing of loops and of elements of lists
    """
    handed = handed or Handed.nothing()
    if not has_pending(nodes, output_shapes, handed):
        return nothing_inferred(output_shapes)
    plan = Plan(nodes, edges, output_shapes, handed, is_import=is_import)
    if not plan.is_pending.any():
        return nothing_inferred(output_shapes)
    most = MOST_STEPS + max(len(output_shapes) - _SMALL, 0)
    left = most
    for turn in range(_MOST_TURNS + 1):
        state = plan.start()
        _infer(plan, state, most // 2 if plan.has_loops else most)
        left -= plan.steps
        is_last_but_one = turn == _MOST_TURNS - 1 or left < 2 * plan.steps
        if not plan.disprove(state, everything=is_last_but_one):
            break
    return _finish(plan, state, output_shapes)


def _infer(plan: Plan, state: State, most: int) -> None:
    """Infer the shapes of all nodes, level by level; of narrow levels only what no other node has shown before."""
    memo = None

    def apply(rows: Ints) -> None:
        _infer_level(plan, state, rows)
        plan.steps += plan.steps_of(rows)

    for level in plan.levels(most):
        if len(level) < WIDE:
            memo = memo or Memo(plan, state)
            memo.infer(level, apply)
            continue
        if memo:
            memo.settle()
        apply(np.asarray(level))
    if memo:
        memo.settle()


def nothing_inferred(output_shapes: pa.ListArray) -> Inferred:
    """Return the shapes as they are given."""
    nothing = np.zeros(len(output_shapes), dtype=bool)
    values = pa.nulls(len(output_shapes), pa.list_(pa.int64()))
    return Inferred(output_shapes=output_shapes, is_inferred=nothing, conflicts=nothing, values=values, beyond=nothing)


def _infer_level(plan: Plan, state: State, level: Ints) -> None:
    """Infer the shapes and fold the elements of nodes whose inputs have been processed."""
    calls = level[plan.is_call[level]]
    if len(calls):
        _infer_calls(plan, state, calls)
        level = level[plan.rule[level] >= 0]
    for code, rows in groups(plan.rule[level], level):
        found = plan.rules[code](Nodes(state, rows))
        if isinstance(found, Shapes):
            counts = plan.first[rows + 1] - plan.first[rows]
            which = np.repeat(np.arange(len(rows)), counts)
            _add_shapes(plan, state, rows[which], take_ranges(plan.first[rows], counts), found.take(which))
            continue
        for place, shapes in enumerate(found):
            has = plan.first[rows + 1] - plan.first[rows] > place
            _add_shapes(plan, state, rows[has], plan.first[rows[has]] + place, shapes.take(has))
    handed = level[plan.passes[level]]
    if len(handed):
        nodes = Nodes(state, handed)
        which = np.repeat(np.arange(len(handed)), nodes.outputs)
        state.variable[take_ranges(plan.first[handed], nodes.outputs)] = state.variable[nodes.tensor(0)][which]
    folded = level[plan.folds[level] & (plan.first[level + 1] > plan.first[level])]
    for code, rows in groups(plan.op[folded], folded):
        nodes = Nodes(state, rows)
        made = VALUES[plan.ops[code]](nodes, state.shapes.take(plan.first[rows]))
        for place in range(int(nodes.outputs.max(initial=0))):
            has = nodes.outputs > place
            values = made if isinstance(made, Values) else made[place]
            _add_values(state, plan.first[rows[has]] + place, values.take(has))


def _infer_calls(plan: Plan, state: State, calls: Ints) -> None:
    """Give outputs of calls what all their candidate tensors agree on, and the elements of a single candidate."""
    start, end = (np.searchsorted(plan.call_node, calls, side=side) for side in ("left", "right"))
    at = take_ranges(start, end - start)
    if not len(at):
        return
    output, tensor = plan.call_output[at], plan.call_tensor[at]
    starts = np.flatnonzero(np.append(True, np.diff(output) != 0))
    outputs, sizes = output[starts], np.diff(np.append(starts, len(output)))
    _add_shapes(plan, state, plan.call_node[at][starts], outputs, agreed_by_segment(state.shapes.take(tensor), starts))
    is_value = (sizes == 1) & (plan.loop[outputs] < 0)
    state.set_values(outputs[is_value], state.values(tensor[starts[is_value]]))


def _add_values(state: State, tensors: Ints, values: Values) -> None:
    """Store the elements of tensors, unless their number contradicts the shape."""
    elements = state.shapes.take(tensors).elements
    state.set_values(tensors, values.where((elements < 0) | (elements == values.count)))


def _add_shapes(plan: Plan, state: State, rows: Ints, tensors: Ints, shapes: Shapes) -> None:
    """Merge inferred shapes into the state; `rows` are the nodes of `tensors`, which are marked on a contradiction."""
    if (plan.loop[tensors] >= 0).any():
        shapes = plan.held(tensors, shapes)
    merged, clash = merge(state.shapes.take(tensors), shapes)
    state.shapes.rank[tensors], state.shapes.dims[tensors] = merged.rank, merged.dims
    state.contradicted[rows[clash]] = True


def _finish(plan: Plan, state: State, output_shapes: pa.ListArray) -> Inferred:
    """Return the given lists of shapes, with only the shapes replaced that inference changed."""
    count = int(plan.first[-1])
    found, given = state.shapes.take(np.arange(count)), plan.given.take(np.arange(count))
    changed = (found.rank != given.rank) | (found.dims != given.dims).any(axis=1)
    node = row_of_value(plan.first)
    is_inferred = marks(node[changed], plan.count)
    has_list = plan.is_given | is_inferred
    old = list_values(output_shapes)
    rows = np.flatnonzero(plan.is_given)
    index = column(count, -1)
    index[take_ranges(plan.first[rows], np.diff(plan.first)[rows])] = np.arange(len(old))
    index[changed] = len(old) + np.arange(int(changed.sum()))
    index = index[has_list[node]]
    everything = pa.concat_arrays([old, found.take(changed).to_lists()])
    return Inferred(
        output_shapes=make_lists(
            everything.take(pa.array(index, mask=index < 0)),
            np.where(has_list, np.diff(plan.first), 0),
            is_null=~has_list,
        ),
        is_inferred=is_inferred,
        conflicts=state.contradicted,
        values=_folded_values(plan, state),
        beyond=plan.beyond,
    )


def _folded_values(plan: Plan, state: State) -> pa.ListArray:
    has = np.diff(plan.first) > 0
    held = state.values(np.where(has, plan.first[:-1], plan.first[-1]))
    known = has & held.is_full
    counts = np.where(known, held.count, 0)
    items = held.items[np.arange(held.items.shape[1]) < counts[:, None]]
    return make_lists(pa.array(items), counts, is_null=~known)
