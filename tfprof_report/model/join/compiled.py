"""Joins what XLA compiled to the nodes of a graph: an instruction to the node that it is from, fused ones to several.

In a trace, an instruction has the name of the framework's op that it is from. What is from one node only runs as that
node. A fusion of several is an own row, and its nodes ran in its kernel.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, list_offsets, list_values, row_of_value, to_bools, to_ints, whole
from tfprof_report.ingest.run_meta import RunMetaColumns
from tfprof_report.ingest.xplane.ops import DATASET
from tfprof_report.record import record

Steps = tuple[tuple[int, RunMetaColumns], ...]


@record
class CompiledRuns:
    """Run metadata with the instructions of compiled programs named as the nodes that they are from.

    kernels, inside : names of fusions and of the nodes in them, one pair per row
    names : of all that XLA compiled and that is no node of the graph
    """

    run_metas: Steps
    kernels: pa.Array
    inside: pa.Array
    names: pa.Array


def join_compiled(run_metas: Steps, ops: pa.Table, names: pa.Array) -> CompiledRuns:
    """Join the ops of a trace (`xplane.traced_ops.OPS`) that XLA compiled to the nodes with these names.

    What input pipelines do is no part of the graph: their events belong to no node.

    A function that XLA compiled whole names its nodes without the call that it was reached by: a name without its first
    part stands for the node, if there is only one.
    """
    node = _nodes_of(whole(ops["framework_op"]), names)
    lists = whole(ops["inside"])
    op, inner = row_of_value(list_offsets(pc.fill_null(lists, []))), list_values(pc.fill_null(lists, []))
    inside = _nodes_of(inner, names)
    others = to_bools(pc.fill_null(pc.not_equal(inside, node.take(pa.array(op))), fill_value=False))
    has_others = np.bincount(op[others], minlength=ops.num_rows) > 0
    is_node = to_bools(pc.is_valid(node)) & ~has_others
    first = _first_of_each(node, is_node)
    is_input = to_bools(pc.equal(ops["op"], DATASET))
    renamed = pc.if_else(pa.array(is_node), node, whole(ops["name"]))
    is_pair = to_bools(pc.is_valid(inside)) & has_others[op]
    return CompiledRuns(
        run_metas=tuple(
            (step, _renamed(columns, whole(ops["name"]), renamed, counts=~is_node | first, is_input=is_input))
            for step, columns in run_metas
        ),
        kernels=whole(ops["name"]).take(pa.array(op[is_pair])),
        inside=inside.filter(pa.array(is_pair)),
        names=whole(ops["name"]).filter(pc.and_(whole(ops["is_compiled"]), pa.array(~is_node))),
    )


def _nodes_of(wanted: pa.Array, names: pa.Array) -> pa.Array:
    """Return the name of the node that each name stands for, NULL for none."""
    exact = names.take(pc.index_in(wanted, value_set=names))
    if not pc.any(pc.and_(pc.is_valid(wanted), pc.is_null(exact))).as_py():
        return exact
    called = pc.struct_field(pc.extract_regex(names, "^[^/]+/(?P<rest>.+)$"), "rest")
    counts = called.drop_null().value_counts()
    alone = counts.field("values").filter(pc.equal(counts.field("counts"), 1))
    by_rest = pc.index_in(
        pc.if_else(pc.is_in(wanted, value_set=alone), wanted, None), value_set=called, skip_nulls=True
    )
    return pc.coalesce(exact, names.take(by_rest))


def _first_of_each(nodes: pa.Array, mask: Bools) -> Bools:
    """Return which ops are the first of those of `mask` with their node: a node of several instructions ran once."""
    rows = np.flatnonzero(mask)
    mine = nodes.take(pa.array(rows))
    first = to_ints(pc.index_in(mine, value_set=mine)) == np.arange(len(rows))
    result = np.zeros(len(nodes), dtype=bool)
    result[rows[first]] = True
    return result


def _renamed(
    columns: RunMetaColumns, names: pa.Array, renamed: pa.Array, *, counts: Bools, is_input: Bools
) -> RunMetaColumns:
    table = columns.executions
    row = pc.index_in(table["node_name"], value_set=names)
    name = pc.coalesce(renamed.take(whole(row)), whole(table["node_name"]))
    is_counted = pc.fill_null(pa.array(counts).take(whole(row)), fill_value=True)
    count = pc.if_else(is_counted, whole(table["run_count"]), pa.scalar(0, pa.int64()))
    of_input = pc.fill_null(pa.array(is_input).take(whole(row)), fill_value=False)
    is_runtime = pc.or_(whole(table["is_runtime"]), of_input)
    for word, column in (("node_name", name), ("run_count", count), ("is_runtime", is_runtime)):
        table = table.set_column(table.column_names.index(word), word, column)
    return replace(columns, executions=table)
