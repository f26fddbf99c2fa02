"""The edge list of the graph, and the shapes of the tensors on its edges."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import (
    Ints,
    contains,
    list_offsets,
    list_values,
    make_lists,
    row_of_value,
    take_ranges,
    to_bools,
    to_ints,
)
from tfprof_report.record import record


@record
class WrittenInputs:
    """The inputs of nodes as they are written, one row each in input order; a NULL input has no row.

    node, position : the consumer, and the index among its inputs (NULL inputs counted)
    producer : the text up to the first ``:`` without one leading ``^`` (NodeDef.input; tfprof's rule)
    slot : output index, from ``x:2``; 0 for ``x`` and for anything that is not a number
    is_control : written as ``^x``
    """

    node: Ints
    position: Ints
    producer: pa.Array
    slot: Ints
    is_control: pa.Array

    def edges(self, source: pa.Array | pa.ChunkedArray) -> pa.Table:
        """Return the edge list, given the row of each producer, NULL if no node has that name."""
        return pa.table(
            {
                "node": self.node,
                "position": self.position,
                "source": source,
                "slot": self.slot,
                "is_control": self.is_control,
            }
        )


def read_edges(inputs: pa.ListArray, names: pa.Array) -> pa.Table:
    """Return the edge list of `inputs` between the nodes called `names`: as `WrittenInputs`, with `source` the row."""
    written = read_inputs(inputs)
    return written.edges(pc.index_in(written.producer, value_set=names))


def read_inputs(inputs: pa.ListArray) -> WrittenInputs:
    """Return the inputs of nodes, by parts."""
    offsets = list_offsets(inputs)
    node = row_of_value(offsets)
    text = list_values(inputs)
    position = np.arange(len(text), dtype=np.int64) - offsets[:-1][node]
    if text.null_count:
        is_there = pc.is_valid(text)
        node, position, text = node[to_bools(is_there)], position[to_bools(is_there)], text.filter(is_there)
    is_control = pc.starts_with(text, "^")
    bare = pc.if_else(is_control, pc.utf8_slice_codeunits(text, 1), text) if pc.any(is_control).as_py() else text
    slot = np.zeros(len(text), dtype=np.int64)
    if contains(bare, b":"):
        has_slot = pc.match_substring(bare, ":")
        parts = pc.split_pattern(bare.filter(has_slot), ":", max_splits=1)
        bare = pc.replace_with_mask(bare, has_slot, pc.list_element(parts, 0))
        number = pc.list_element(parts, 1)
        is_number = pc.match_substring_regex(number, "^[0-9]{1,9}$")
        slot[to_bools(has_slot)] = to_ints(pc.if_else(is_number, number, "0").cast(pa.int64()))
    return WrittenInputs(node=node, position=position, producer=bare, slot=slot, is_control=is_control)


def input_shapes_of(edges: pa.Table, output_shapes: pa.ListArray) -> pa.ListArray:
    """Return per node the shapes of its data inputs, each that of output `slot` of the source; NULL where not known."""
    data = edges.filter(pc.invert(edges["is_control"]))
    counts = np.bincount(to_ints(data["node"]), minlength=len(output_shapes)).astype(np.int64)
    shapes = shapes_of_outputs(output_shapes, to_ints(pc.fill_null(data["source"], -1)), to_ints(data["slot"]))
    return make_lists(shapes, counts)


def shapes_of_outputs(output_shapes: pa.ListArray, source: Ints, slot: Ints) -> pa.ListArray:
    """Return the shape of output `slot` of node `source` for each pair; NULL for row -1 or an output without shape."""
    offsets = list_offsets(output_shapes)
    shapes = list_values(output_shapes)
    known = source >= 0
    start = offsets[:-1][source] if len(offsets) > 1 else np.zeros(len(source), dtype=np.int64)
    known &= slot < (np.diff(offsets)[source] if len(offsets) > 1 else 0)
    index = np.where(known, start + slot, 0)
    known[known] = to_bools(pc.is_valid(shapes))[index[known]]
    dim_offsets = list_offsets(shapes)
    first = dim_offsets[:-1][index] if len(shapes) else np.zeros(len(index), dtype=np.int64)
    counts = np.where(known, np.diff(dim_offsets)[index] if len(shapes) else 0, 0)
    return make_lists(list_values(shapes).take(pa.array(take_ranges(first, counts))), counts, is_null=~known)
