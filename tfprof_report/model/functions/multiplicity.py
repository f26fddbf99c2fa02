"""Multiplicities: how often the nodes of function bodies are executed when the graph is executed once."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, to_bools, to_ints
from tfprof_report.model.functions.calls import Role
from tfprof_report.model.functions.inline import Expansion
from tfprof_report.record import record
from tfprof_report.vocabulary import Cond

_MOST = 2.0**62


@record
class Trips:
    """Trip counts of loops: per call of an expansion (meaningful for conditions and bodies of loops), or per frame.

    count : 0 where not `known`
    """

    count: Ints
    known: Bools


@record
class Multiplicity:
    """Executions of nodes per execution of the graph.

    values : per node, int64; NULL in a loop whose trip count is not known, and where `is_too_often`
    is_too_often : per node, whether it is executed 2^62 times or more
    left_out : calls of branches that do not count
    body_float_ops : FLOPs of one execution of each body with everything that it calls; a loop with an unknown trip
        count is one iteration, unknown figures are 0; at most 2^62
    """

    values: pa.Array
    is_too_often: Bools
    left_out: Ints
    body_float_ops: Ints


def count_executions(
    expansion: Expansion,
    float_ops: pa.Array,
    trips: Trips,
    cond: Cond,
    *,
    repeats: Trips | None = None,
    is_measured: bool = False,
) -> Multiplicity:
    """Return how often nodes are executed.

    The calls form a DAG of bodies, since recursive ones are not inlined. FLOPs are summed from the innermost bodies
    outwards, which decides between branches; executions are then propagated from the graph inwards.

    Parameters
    ----------
    float_ops : of one execution of each node; with ``cond=max`` the branch with most of them counts
    trips : of the loops; a condition is evaluated once more than its body
    repeats : how often nodes are executed when the body that holds them is executed once, 1 where not `known`; None
        for once each
    is_measured : `trips` are executions of the called bodies per execution of the graph, not per loop
    """
    calls, callee = expansion.calls, expansion.callee
    caller = expansion.body[calls.row]
    count = int(callee.max(initial=0)) + 1
    depth = _depths(caller, callee, count)
    order = np.argsort(depth[caller], kind="stable")
    bounds = np.searchsorted(depth[caller][order], np.arange(int(depth.max()) + 2))
    levels = [order[start:end] for start, end in pairwise(bounds)]  # calls by the depth of their caller

    in_loop = (calls.role == Role.BODY) | (calls.role == Role.COND)
    known = trips.known | ~in_loop
    iterations = trips.count if is_measured else trips.count + (calls.role == Role.COND)
    factor = np.where(in_loop, np.where(trips.known, iterations, 1), 1)
    measured = trips.known & in_loop if is_measured else np.zeros(len(known), dtype=bool)
    is_branch = (calls.role == Role.THEN) | (calls.role == Role.ELSE) | (calls.role == Role.BRANCH)
    own = float_ops
    if repeats is not None:
        repeated = repeats.count[calls.row]
        factor = np.where(measured, factor, factor * repeated)
        known &= measured | repeats.known[calls.row]
        own = times_multiplicity(float_ops, pa.array(repeats.count))
    if cond is Cond.NONE:
        factor = np.where(is_branch, 0, factor)
    total = _own_float_ops(expansion.body, own, count)
    for level in reversed(levels):  # callees are deeper than their callers, so `total` of each callee is complete
        if cond is Cond.MAX:  # of the branches of a node only the one with most FLOPs keeps its factor
            branches = level[is_branch[level]]
            by_node = branches[np.lexsort((branches, -total[callee[branches]], calls.row[branches]))]
            factor[by_node[1:][np.diff(calls.row[by_node]) == 0]] = 0
        _add(total, caller[level], factor[level], total[callee[level]])
    times, is_known = np.zeros(count, dtype=np.int64), np.ones(count, dtype=bool)
    times[0] = 1
    for level in levels:  # `times` of each caller is complete; a measured count holds for the whole graph already
        held = times[caller[level]]
        _add(times, callee[level], factor[level], np.where(measured[level], np.minimum(held, 1), held))
        lost = level[(factor[level] > 0) & ~(known[level] & (is_known[caller[level]] | measured[level]))]
        is_known[callee[lost]] = False
    values, is_known = times[expansion.body], is_known[expansion.body]
    is_too_often = values >= _MOST
    if repeats is not None:
        is_too_often |= values * repeats.count.astype(np.float64) >= _MOST
        values, is_known = values * repeats.count, is_known & (repeats.known | (values == 0))
    return Multiplicity(
        values=pa.array(values, mask=~is_known | is_too_often),
        is_too_often=is_too_often,
        left_out=np.flatnonzero(is_branch & (factor == 0)),
        body_float_ops=total,
    )


def times_multiplicity(figures: pa.Array, multiplicity: pa.Array) -> pa.Array:
    """Return FLOPs or MACs of nodes per execution of the graph; NULL where a factor is NULL or the product overflows.

    A known 0 stays 0 however often the node is executed.
    """
    values, times = (to_ints(pc.fill_null(column, 0)) for column in (figures, multiplicity))
    is_too_large = (np.abs(values.astype(np.float64)) * times >= _MOST) & (times > 1)
    is_zero = (values == 0) & to_bools(pc.is_valid(figures))
    known = is_zero | to_bools(pc.and_(pc.is_valid(figures), pc.is_valid(multiplicity)))
    return pa.array(np.where(is_too_large, 0, values) * times, mask=~known | is_too_large)


def _depths(caller: Ints, callee: Ints, count: int) -> Ints:
    """Return the length of the longest chain of calls to each body, by relaxation; there are no cycles."""
    depth = np.zeros(count, dtype=np.int64)
    while True:
        deeper = depth.copy()
        np.maximum.at(deeper, callee, depth[caller] + 1)
        if np.array_equal(deeper, depth):
            return depth
        depth = deeper


def _own_float_ops(body: Ints, float_ops: pa.Array, count: int) -> Ints:
    total = np.zeros(count, dtype=np.int64)
    _add(total, body, np.ones(len(body), dtype=np.int64), to_ints(pc.fill_null(float_ops, 0)))
    return total


def _add(total: Ints, index: Ints, factor: Ints, values: Ints) -> None:
    """Add ``factor x values`` to ``total[index]``; sums saturate at 2^62.

    A float64 estimate finds the sums that int64 arithmetic would wrap.
    """
    estimate = total + np.bincount(index, weights=factor * values.astype(np.float64), minlength=len(total))
    with np.errstate(over="ignore"):
        np.add.at(total, index, factor * values)
    total[estimate >= _MOST] = int(_MOST)
