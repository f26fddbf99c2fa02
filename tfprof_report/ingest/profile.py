"""ProfileProto to the columns that graph, run metadata and op log would give: what ProfileContext and tfprof write.

A profile keeps less than the files that it was made of. Of an edge it has neither the output index nor whether it is a
control input, of a scalar shape the size 1, of a record on another device than a node's first one nothing at all, and
the figures of records on devices that count for nothing (single streams, copies) only as first start and last end.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.ingest.arrays import (
    Ints,
    Struct,
    list_offsets,
    list_values,
    make_lists,
    row_of_value,
    to_bools,
    to_ints,
)
from tfprof_report.ingest.decode import Decoded
from tfprof_report.ingest.graph import GraphColumns, first_of_each_name, frame_names, rule_attrs
from tfprof_report.ingest.op_log import OpLogColumns
from tfprof_report.ingest.profile_steps import read_steps
from tfprof_report.ingest.run_meta import RunMetaColumns
from tfprof_report.ingest.shape_attrs import shape_attrs

_SPARE_POSITIONS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """A model's graph, run metadata by step, and op log, whether from a profile or from files of their own.

    misses_stream : a profile's flag for GPU devices without ``stream:all``; None where run metadata tells.
    """

    graph: GraphColumns
    run_metas: tuple[tuple[int, RunMetaColumns], ...]
    op_log: OpLogColumns | None
    misses_stream: bool | None = None


def read_profile(decoded: Decoded) -> Content:
    """Return the columns of a decoded ProfileProto; nodes are in the order of their ids.

    A node without edges, attributes and shape whose op is its own name, and which ran, is one that only run metadata
    knows, as far as a profile can tell.
    """
    batch = decoded.batch
    by_id = batch.column("nodes")
    ids = to_ints(by_id.keys)
    order = np.argsort(ids, kind="stable")
    node = Struct(by_id.items.take(pa.array(order)))
    names, ops = node["name"], node["op"]
    ran = np.diff(list_offsets(node["execs"])) > 0
    is_bare = np.ones(len(names), dtype=bool)
    for column in ("inputs", "attrs", "shape"):
        is_bare &= np.diff(list_offsets(node[column])) == 0
    is_run_only = ran & is_bare & to_bools(pc.equal(ops, names))
    shape = _known_shapes(node["shape"])
    table = pa.table(
        {
            "name": names,
            "op": ops.dictionary_encode(),
            "device": pa.array([""] * len(names), pa.string()).dictionary_encode(),
            "inputs": _inputs(node["inputs"], ids[order], names),
            "shape": shape,
            "output_shapes": _output_shapes(node["output_shapes"]),
            **rule_attrs(node["attrs"], len(names)),
            "frame_name": frame_names(node["attrs"], len(names)),
            "value": shape_attrs(node["attrs"], shape)["value"],
        }
    )
    strings = batch.column("id_to_string")
    has_trace = bool(batch.column("has_trace")[0].as_py())
    entries = {
        "name": names,
        "float_ops": node["float_ops"],
        "types": _log_types(node["op_types"], ops, node["canonical_device"]),
        "has_code_def": pa.array(np.full(len(names), has_trace)),
        "traces": node["trace"].field("traces"),
    }
    return Content(
        graph=first_of_each_name(table.filter(pa.array(~is_run_only))),
        run_metas=read_steps(node, to_ints(list_values(batch.column("steps")))),
        op_log=OpLogColumns(
            entries=pa.table(entries),
            strings=pa.table({"id": strings.keys, "string": pc.fill_null(strings.items, "")}),
        ),
        misses_stream=bool(batch.column("miss_accelerator_stream")[0].as_py()),
    )


def _inputs(inputs: pa.MapArray, ids: Ints, names: pa.Array) -> pa.ListArray:
    """Return the names of each node's sources by position; NULL where a position or a node is missing."""
    row, position = row_of_value(list_offsets(inputs)), to_ints(inputs.keys)
    source = to_ints(pc.fill_null(inputs.items, 0))
    place = np.minimum(np.searchsorted(ids, source), max(len(ids) - 1, 0))
    written = pc.if_else(pc.starts_with(names, "^"), pc.binary_join_element_wise("^", names, ""), names)
    found = written.take(pa.array(place, mask=ids[place] != source))
    return _by_position(found, row, position, len(inputs))


def _output_shapes(shapes: pa.MapArray) -> pa.ListArray:
    """Return each node's shapes by output; NULL for an unknown rank, and for a node without any."""
    row, position = row_of_value(list_offsets(shapes)), to_ints(shapes.keys)
    sizes = _known_shapes(shapes.items.field("int64_values"))
    lists = _by_position(sizes, row, position, len(shapes))
    is_empty = pa.array(np.diff(list_offsets(shapes)) == 0)
    return pc.if_else(is_empty, pa.scalar(None, lists.type), lists)


def _by_position(values: pa.Array, row: Ints, position: Ints, count: int) -> pa.ListArray:
    """Return a list per row with each value at its position, NULL at positions that are missing."""
    order = np.lexsort((position, row))
    row, position = row[order], position[order]
    counts = np.bincount(row, minlength=count).astype(np.int64)
    ends = np.cumsum(counts)
    if len(position) and (position.min() < 0 or position.max() > len(position) + _SPARE_POSITIONS):
        position = np.arange(len(position)) - np.repeat(ends - counts, counts)  # nonsense: one after the other
    sizes = np.zeros(count, dtype=np.int64)
    np.maximum.at(sizes, row, position + 1)
    starts = np.cumsum(sizes) - sizes
    index = np.full(int(sizes.sum()), -1, dtype=np.int64)
    index[starts[row] + position] = order
    return make_lists(values.take(pa.array(index, mask=index < 0)), sizes)


def _known_shapes(shapes: pa.ListArray) -> pa.ListArray:
    """Return shapes with NULL for one without sizes: a scalar has the size 1 in a profile."""
    sizes = list_offsets(shapes)
    return make_lists(list_values(shapes), np.diff(sizes), is_null=np.diff(sizes) == 0)


def _log_types(types: pa.ListArray, ops: pa.Array, devices: pa.Array) -> pa.ListArray:
    """Return the types that neither the op nor the device of a node explains."""
    row, words = row_of_value(list_offsets(types)), list_values(types)
    index = pa.array(row)
    explained = to_bools(pc.or_(pc.equal(words, ops.take(index)), pc.equal(words, devices.take(index))))
    counts = np.bincount(row[~explained], minlength=len(types)).astype(np.int64)
    return make_lists(words.filter(pa.array(~explained)), counts)
