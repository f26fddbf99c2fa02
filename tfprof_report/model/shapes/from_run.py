"""Fills unknown shapes from run metadata: as TensorFlow's Python layer does, or with what all records agree on."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import (
    Bools,
    Ints,
    Lists,
    distinct,
    list_offsets,
    list_values,
    make_lists,
    marks,
    places_of,
    prefix_sums,
    take_ranges,
    to_bools,
    to_ints,
    whole,
)
from tfprof_report.ingest.run_meta import OUTPUTS, RunMetaColumns
from tfprof_report.model.params.count import unknown_dims
from tfprof_report.model.shapes.padded import Shapes, merge, open_shapes
from tfprof_report.record import record
from tfprof_report.semantics import Semantics

_HANDLE = 2
"""Number of elements of a TensorArray's or stack's handle, by TensorFlow's shape functions."""


@record
class FilledShapes:
    """Shapes of outputs after filling.

    output_shapes : per node one shape for each output, NULL where not known
    conflicts : node rows of records whose shape contradicts the graph's, in their order
    """

    output_shapes: pa.ListArray
    conflicts: Ints


def fill_shapes(
    names: pa.Array,
    output_shapes: pa.ListArray,
    run_metas: tuple[tuple[int, RunMetaColumns], ...],
    semantics: Semantics,
) -> FilledShapes:
    """Return `output_shapes` with unknown ranks and dimensions taken from the first record that agrees.

    A record is used if it has as many outputs as the node of its name; outputs correspond by their index.
    """
    shapes = list_values(output_shapes)
    is_open = to_bools(shapes.is_null()) | unknown_dims(shapes)
    with_absent = semantics.absent_run_shape_is_scalar
    node, tensor, run = _run_shapes(names, output_shapes, run_metas, among=is_open, with_absent=with_absent)
    if not len(node):
        return FilledShapes(output_shapes=output_shapes, conflicts=node)
    agrees, merged = _merge(shapes.take(pa.array(tensor)), run)

    chosen, first = np.unique(tensor[agrees], return_index=True)
    order = np.full(len(shapes), len(node))
    order[chosen] = np.flatnonzero(agrees)[first]
    conflicts = node[~agrees & (np.arange(len(node)) < order[tensor])]
    index = np.arange(len(shapes))
    index[chosen] = len(shapes) + order[chosen]
    filled = pa.concat_arrays([shapes, merged]).take(pa.array(index))
    is_null = to_bools(output_shapes.is_null())
    return FilledShapes(
        output_shapes=make_lists(filled, np.diff(list_offsets(output_shapes)), is_null=is_null), conflicts=conflicts
    )


@record
class SeenShapes:
    """Shapes of outputs, completed by the records that agree.

    output_shapes : per node one shape for each output, NULL where not known
    rows : the outputs, among those of all nodes, whose shapes were not fully known
    seen : for each of `rows` the sizes that all records agree on; unknown without a record
    varies : likewise the sizes on which records disagree, of shape (n, RANK)
    filled : per output of all nodes whether the records add anything
    """

    output_shapes: pa.ListArray
    rows: Ints
    seen: Shapes
    varies: Bools
    filled: Bools


def fill_agreed(
    names: pa.Array, output_shapes: pa.ListArray, run_metas: tuple[tuple[int, RunMetaColumns], ...]
) -> SeenShapes:
    """Return `output_shapes` with unknown ranks and sizes taken from run metadata, where all steps agree on them.

    A record that contradicts a known size is not used: a run may have another layout (NCHW) than its graph.
    """
    lists = list_values(output_shapes)
    is_open = open_shapes(lists)
    rows = np.flatnonzero(is_open)
    static = Shapes.from_lists(lists.take(pa.array(rows)))
    _, tensor, run = _run_shapes(names, output_shapes, run_metas, among=is_open, with_absent=False)
    tensor, at_run = places_of(is_open)[tensor], Shapes.from_lists(run)
    fits = (at_run.rank >= 0) & ~merge(static.take(tensor), at_run)[1]
    order = np.flatnonzero(fits)[np.argsort(tensor[fits], kind="stable")]
    tensor, at_run = tensor[order], at_run.take(order)
    seen, varies = Shapes.unknown(len(rows)), np.zeros(static.dims.shape, dtype=bool)
    if len(tensor):
        starts = np.flatnonzero(np.append(True, np.diff(tensor) != 0))
        ran = tensor[starts]
        low, high = (of.reduceat(at_run.dims, starts, axis=0) for of in (np.minimum, np.maximum))
        same_rank = np.minimum.reduceat(at_run.rank, starts) == np.maximum.reduceat(at_run.rank, starts)
        varies[ran] = (low != high) & same_rank[:, None]
        seen.rank[ran] = np.where(same_rank, at_run.rank[starts], -1)
        seen.dims[ran] = np.where(same_rank[:, None] & (low == high), low, -1)
    merged, _ = merge(static, seen)
    adds = (merged.rank != static.rank) | (merged.dims != static.dims).any(axis=1)
    filled = marks(rows[adds], len(lists))
    return SeenShapes(
        output_shapes=with_shapes(output_shapes, filled, merged.take(adds)),
        rows=rows,
        seen=seen,
        varies=varies,
        filled=filled,
    )


def with_shapes(output_shapes: pa.ListArray, changed: Bools, shapes: Shapes) -> pa.ListArray:
    """Return the shapes of all outputs, with `shapes` in place of those that are `changed`."""
    if not changed.any():
        return output_shapes
    lists = list_values(output_shapes)
    index = np.arange(len(lists))
    index[changed] = len(lists) + np.arange(int(changed.sum()))
    values = pa.concat_arrays([lists, shapes.to_lists().cast(lists.type)]).take(pa.array(index))
    return make_lists(values, np.diff(list_offsets(output_shapes)), is_null=to_bools(output_shapes.is_null()))


def contradicted(
    names: pa.Array, output_shapes: pa.ListArray, run_metas: tuple[tuple[int, RunMetaColumns], ...]
) -> Ints:
    """Return the nodes with a record whose shape contradicts `output_shapes`, which may be fully known.

    A handle of a TensorArray or stack has the shape [2] in graphs and is a scalar at run time: no contradiction.
    """
    shapes = list_values(output_shapes)
    everything = np.ones(len(shapes), dtype=bool)
    node, tensor, run = _run_shapes(names, output_shapes, run_metas, among=everything, with_absent=False)
    static = shapes.take(pa.array(tensor))
    agrees, _ = _merge(static, run)
    in_graph, at_run = Lists.of(static), Lists.of(run)
    is_handle = (in_graph.rank == 1) & (in_graph.dim(0) == _HANDLE) & (at_run.rank == 0)
    return distinct(node[~agrees & ~is_handle])


def _run_shapes(
    names: pa.Array,
    output_shapes: pa.ListArray,
    run_metas: tuple[tuple[int, RunMetaColumns], ...],
    *,
    among: Bools,
    with_absent: bool,
) -> tuple[Ints, Ints, pa.ListArray]:
    """Return the outputs of records, in order: node, index among the outputs of all nodes, and shape.

    A record is used if it has as many outputs as its node; what others took, of whatever number. Of its outputs those
    are returned that are `among` all outputs and, unless `with_absent`, have a shape at run time.
    """
    offsets, seen = list_offsets(output_shapes), matched_outputs(names, run_metas)
    node, place = to_ints(seen["node"]), to_ints(seen["position"])
    count, outputs = to_ints(pc.fill_null(seen["count"], -1)), np.diff(offsets)[node]
    fits = np.where(count < 0, place < outputs, count == outputs)
    tensor = np.where(fits, offsets[:-1][node] + place, 0)
    fits[fits] = among[tensor[fits]]
    if not with_absent:
        fits &= to_bools(pc.is_valid(seen["shape"]))
    rows = np.flatnonzero(fits)
    return node[rows], tensor[rows], whole(seen["shape"]).take(pa.array(rows))


def matched_outputs(names: pa.Array, run_metas: tuple[tuple[int, RunMetaColumns], ...]) -> pa.Table:
    """Return the outputs of the records of all steps that match a node: position, count, shape, node.

    With those that others took, whose `count` is NULL: how many there are is not told.
    """
    ran = [columns for _, columns in run_metas if columns.has_step_stats]
    # One look-up for all steps: there may be many, and each would build an index of all nodes.
    records = pa.chunked_array(
        [each for columns in ran for each in columns.executions["node_name"].chunks], pa.string()
    )
    first = prefix_sums(np.array([columns.executions.num_rows for columns in ran], dtype=np.int64))
    execution = [to_ints(columns.outputs["execution"]) + start for columns, start in zip(ran, first, strict=False)]
    node = whole(pc.index_in(records, value_set=names)).take(pa.array(np.concatenate([first[:0], *execution])))
    outputs = pa.concat_tables([OUTPUTS.empty_table(), *(columns.outputs for columns in ran)])
    table = outputs.drop_columns("execution").append_column("node", node)
    if any(columns.taken.num_rows for columns in ran):
        taken = pa.concat_tables([columns.taken for columns in ran])
        row, nothing = pc.index_in(taken["node_name"], value_set=names), pa.nulls(taken.num_rows, pa.int64())
        more = pa.table([taken["position"], nothing, taken["shape"], row], schema=table.schema)
        table = pa.concat_tables([table, more])
    return table.filter(pc.is_valid(table["node"])).combine_chunks()


def _merge(static: pa.ListArray, run: pa.ListArray) -> tuple[Bools, pa.ListArray]:
    """Return which pairs of shapes agree, and the run-time shapes with unknown sizes taken from the graph.

    A run-time shape that is NULL counts as a scalar.
    """
    run = pc.fill_null(run, pa.scalar([], run.type))
    ranks, own = np.diff(list_offsets(run)), np.diff(list_offsets(static))
    free = to_bools(static.is_null())
    same_rank = ranks == own
    paired = np.where(~free & same_rank, ranks, 0)
    here = to_ints(list_values(static))[take_ranges(list_offsets(static)[:-1], paired)]
    at_run = take_ranges(list_offsets(run)[:-1], paired)
    sizes = to_ints(list_values(run)).copy()
    there = sizes[at_run]
    differ = prefix_sums((here >= 0) & (there >= 0) & (here != there))
    ends = np.cumsum(paired)
    agrees = free | (same_rank & (differ[ends] == differ[ends - paired]))
    sizes[at_run] = np.where(there < 0, here, there)
    return agrees, make_lists(pa.array(sizes), ranks)
