"""Stacks of V1 gradient loops: which nodes take off what which others put on."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.ingest.arrays import Ints, take_ranges, to_bools, to_ints
from tfprof_report.model.call_results import Handed
from tfprof_report.model.passed_values import origins

PUSHES, POPS = ("StackPushV2", "StackPush"), ("StackPopV2", "StackPop")


def hand_stacks(ops: pa.Array, edges: pa.Table) -> Handed:
    """Return what nodes take off stacks: the outputs of all nodes that put something on, which hand it on.

    Parameters
    ----------
    ops : op type per node, NULL where it is not known
    edges : as `shapes.read_edges` gives them
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
