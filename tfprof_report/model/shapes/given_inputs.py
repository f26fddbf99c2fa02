"""Puts the shapes that the user gives inputs and variables beside those of the graph."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, list_offsets, list_values, to_bools, whole
from tfprof_report.errors import OptionError
from tfprof_report.ingest.paths import InputShape
from tfprof_report.model.graph.edges import shapes_of_outputs
from tfprof_report.model.shapes.batch import PLACEHOLDERS, variable_handles
from tfprof_report.model.shapes.padded import Shapes, merge
from tfprof_report.schema.metrics import VARIABLE_OPS

_CANDIDATES = 10
_SHAPES = pa.list_(pa.list_(pa.int64()))


def with_variables(nodes: pa.Table, input_shapes: Sequence[InputShape]) -> tuple[pa.Table, list[InputShape]]:
    """Return the nodes with named variables and handles of the user's shapes, and the other inputs.

    The graph of a ``tf.function`` has a placeholder for the handle of each variable, which does not give its shape.
    """
    inputs = list(input_shapes)
    if not inputs or "dtype" not in nodes.column_names:
        return nodes, inputs
    ops = nodes["op"].cast(pa.string())
    is_handle = pa.array(variable_handles(nodes))
    place = pc.index_in(nodes["name"], value_set=pa.array([each.name for each in inputs], pa.string()))
    is_variable = pc.is_in(ops, value_set=pa.array(VARIABLE_OPS))
    place = whole(pc.if_else(pc.or_(is_handle, is_variable), place, pa.scalar(None, place.type)))
    for row in np.flatnonzero(to_bools(pc.and_(is_variable, place.is_valid()))).tolist():  # a few
        _check_fits(inputs[place[row].as_py()], Shapes.from_lists(whole(nodes["own_shape"].take([row]))))
    sizes = pa.array([each.sizes for each in inputs], nodes["own_shape"].type)
    columns = {
        "op": pc.if_else(pc.and_(is_handle, place.is_valid()), "VarHandleOp", ops),
        "own_shape": pc.coalesce(sizes.take(place), nodes["own_shape"]),
    }
    for name, column in columns.items():
        nodes = nodes.set_column(nodes.column_names.index(name), name, column)
    named = set(place.drop_null().to_pylist())
    return nodes, [each for number, each in enumerate(inputs) if number not in named]


def given_batches(
    names: pa.Array, nodes: pa.Table, output_shapes: pa.ListArray, input_shapes: Sequence[InputShape]
) -> Ints:
    """Return the first sizes that the user gives for placeholders whose first size is open in the graph."""
    rows = np.array([names.index(each.name).as_py() for each in input_shapes], dtype=np.int64)
    shapes = first_shape_of(rows, output_shapes)
    if "own_shape" in nodes.column_names:
        shapes, _ = merge(shapes, Shapes.from_lists(whole(nodes["own_shape"]).take(pa.array(rows))))
    is_open = (shapes.rank > 0) & (shapes.dims[:, 0] < 0)
    return np.array([each.sizes[0] for each, has in zip(input_shapes, is_open, strict=True) if has], dtype=np.int64)


def with_inputs(
    names: pa.Array, nodes: pa.Table, output_shapes: pa.ListArray, input_shapes: Sequence[InputShape]
) -> pa.ListArray:
    """Return the shapes with those that the user gives."""
    if not input_shapes:
        return output_shapes
    is_input = to_bools(pc.is_in(nodes["op"].cast(pa.string()), value_set=pa.array(PLACEHOLDERS)))
    first = _first_shapes(output_shapes)
    if "own_shape" in nodes.column_names:
        first, _ = merge(first, Shapes.from_lists(whole(nodes["own_shape"])))
    index = np.arange(len(names))
    for number, each in enumerate(input_shapes):  # a few
        row = names.index(each.name).as_py()
        if row < 0 or not is_input[row]:
            raise _no_such_input(each, names, is_input, first)
        _check_fits(each, first.take(np.array([row])))
        index[row] = len(names) + number
    named = pa.array([[each.sizes] for each in input_shapes], _SHAPES)
    return pa.concat_arrays([output_shapes.cast(_SHAPES), named]).take(pa.array(index))


def _check_fits(each: InputShape, known: Shapes) -> None:
    """Raise OptionError if the graph has another shape for an input than the user."""
    if merge(known, Shapes.from_lists(pa.array([each.sizes], pa.list_(pa.int64()))))[1].any():
        raise OptionError(
            f"{each.name} has the shape {known.to_lists()[0].as_py()} in the graph, not {list(each.sizes)}",
            option=each.option,
            advice="only sizes that are -1 there can be chosen",
        )


def _first_shapes(output_shapes: pa.ListArray) -> Shapes:
    """Return the shape of each node's first output."""
    offsets = list_offsets(output_shapes)
    held = Shapes.from_lists(list_values(output_shapes))
    shapes = Shapes.unknown(len(output_shapes))
    some = np.diff(offsets) > 0
    shapes.rank[some], shapes.dims[some] = held.rank[offsets[:-1][some]], held.dims[offsets[:-1][some]]
    return shapes


def _no_such_input(each: InputShape, names: pa.Array, is_input: Bools, shapes: Shapes) -> OptionError:
    rows = np.flatnonzero(is_input)
    rows = rows[np.argsort(shapes.is_full[rows], kind="stable")]  # unknown ones first
    listed = names.take(pa.array(rows[:_CANDIDATES])).to_pylist()
    more = f" and {len(rows) - _CANDIDATES:,} more" if len(rows) > _CANDIDATES else ""
    advice = f"choose from {', '.join(listed)}{more}" if listed else "the graph has no placeholders"
    return OptionError(f'there is no placeholder "{each.name}"', option=each.option, advice=advice)


def first_shape_of(rows: Ints, output_shapes: pa.ListArray) -> Shapes:
    """Return the shape of the first output of some nodes."""
    return Shapes.from_lists(shapes_of_outputs(output_shapes, rows, np.zeros(len(rows), dtype=np.int64)))
