"""What is known of every output's shape: the graph's word, then what the user says, run metadata, inference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, list_offsets, list_values, make_lists, row_of_value, to_bools, to_ints
from tfprof_report.diagnostics import Diagnostic, Severity
from tfprof_report.errors import OptionError
from tfprof_report.ingest.paths import InputShape
from tfprof_report.ingest.run_meta import RunMetaColumns
from tfprof_report.ingest.shape_attrs import SHAPE_ATTRS
from tfprof_report.model.functions.call_results import Handed
from tfprof_report.model.graph.data_types import RESOURCE
from tfprof_report.model.shapes.from_run import contradicted, fill_shapes
from tfprof_report.model.shapes.infer import MOST_LEVELS, Inferred, infer_shapes, nothing_inferred
from tfprof_report.model.shapes.padded import Shapes, merge
from tfprof_report.semantics import CORRECTED

GRAPH, USER, RUN, INFERRED = "graph", "user", "run_metadata", "inferred"
"""Words of the column shape_source: the last source that told something of a node's shapes."""


class ShapeUse(StrEnum):
    """What shapes are inferred for."""

    NOTHING = "nothing"
    TABLES = "tables"
    RULES = "rules"  # and tables


_DECLARING = (
    *("If", "StatelessIf", "Case", "StatelessCase", "While", "StatelessWhile"),
    *("IteratorGetNext", "IteratorGetNextSync", "DatasetToSingleElement"),
)
PLACEHOLDERS = ("Placeholder", "PlaceholderV2", "PlaceholderWithDefault")
_CANDIDATES = 10
_SHAPES = pa.list_(pa.list_(pa.int64()))


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownShapes:
    """Shapes of all nodes' outputs.

    output_shapes : per node one shape for each output, NULL where not known
    static_shapes : the same without what run metadata told, and what followed from that
    source : per node a word of `GRAPH`, `USER`, `RUN`, `INFERRED`; NULL where nothing is known
    conflicts : nodes of which two sources contradict each other; the first source stands
    values : as `infer_shapes.Inferred.values`, without what run metadata told
    """

    output_shapes: pa.ListArray
    static_shapes: pa.ListArray
    source: pa.Array
    conflicts: Bools
    values: pa.ListArray
    diagnostics: tuple[Diagnostic, ...]


def as_given(output_shapes: pa.ListArray) -> KnownShapes:
    """Return the shapes of the graph alone."""
    source = _words(_tells(output_shapes), GRAPH)
    found = nothing_inferred(output_shapes)
    return KnownShapes(
        output_shapes=output_shapes,
        static_shapes=output_shapes,
        source=source,
        conflicts=found.conflicts,
        values=found.values,
        diagnostics=(),
    )


def know_shapes(
    *,
    names: pa.Array,
    nodes: pa.Table,
    edges: pa.Table,
    output_shapes: pa.ListArray,
    run_metas: tuple[tuple[int, RunMetaColumns], ...],
    input_shapes: Sequence[InputShape] = (),
    handed: Handed,
) -> KnownShapes:
    """Return all shapes; each source fills only what those before it leave open.

    Run metadata is not asked where the user names shapes: it speaks of other ones.

    Parameters
    ----------
    names : of all nodes; those of the graph come first
    nodes : columns of the graph's nodes; a profile's have no `SHAPE_ATTRS`, and nothing is inferred
    edges : as `shapes.read_edges` gives them
    handed : what the outputs of calls are

    Raises
    ------
    OptionError
        A name of `input_shapes` is no placeholder, or the graph knows another shape.
    """
    nodes, inputs = _with_variables(nodes, input_shapes)
    given = _with_inputs(names, nodes, _with_declared(nodes, output_shapes), inputs)
    clashes = np.zeros(len(names), dtype=bool)
    listed = filled = given
    if run_metas and not input_shapes:
        listed = _with_places(names, given, run_metas)
        filled = fill_shapes(names, listed, run_metas, CORRECTED).output_shapes
        clashes[contradicted(names, listed, run_metas)] = True
    told = _differ(listed, filled)
    found = _infer(nodes, edges, filled, handed)
    static = _infer(nodes, edges, given, handed) if told.any() else found
    clashes |= found.conflicts
    source = _words(_tells(found.output_shapes), GRAPH)
    is_named = pc.is_in(names, value_set=pa.array([each.name for each in input_shapes], pa.string()))
    source = pc.if_else(is_named, USER, source)
    source = pc.if_else(pa.array(told), RUN, source)
    source = pc.if_else(pa.array(found.is_inferred), INFERRED, source)
    return KnownShapes(
        output_shapes=found.output_shapes,
        static_shapes=static.output_shapes,
        source=source,
        conflicts=clashes,
        values=static.values,
        diagnostics=tuple(_diagnose(names, input_shapes, clashes, found.beyond)),
    )


def _with_places(
    names: pa.Array, output_shapes: pa.ListArray, run_metas: tuple[tuple[int, RunMetaColumns], ...]
) -> pa.ListArray:
    """Return the shapes with as many unknown ones as run metadata has outputs, for nodes that have no list of them."""
    counts = np.where(output_shapes.is_null(), 0, np.diff(list_offsets(output_shapes)))
    has_list = counts > 0
    for _, columns in run_metas:
        if columns.has_step_stats:
            node = pc.index_in(columns.executions["node_name"], value_set=names).take(columns.outputs["execution"])
            node, place = to_ints(pc.fill_null(node, -1)), to_ints(columns.outputs["position"])
            seen = node >= 0
            seen[seen] = ~has_list[node[seen]]
            np.maximum.at(counts, node[seen], place[seen] + 1)
    held = list_values(output_shapes)
    index = np.full(int(counts.sum()), -1, dtype=np.int64)
    index[np.repeat(has_list, counts)] = np.arange(len(held))
    is_null = to_bools(output_shapes.is_null()) & (counts == 0)
    return make_lists(held.take(pa.array(index, mask=index < 0)), counts, is_null=is_null)


def _with_declared(nodes: pa.Table, output_shapes: pa.ListArray) -> pa.ListArray:
    """Return the shapes with those of the attribute ``output_shapes`` of ops of which it says what they give."""
    if "declared_shapes" not in nodes.column_names:
        return output_shapes
    declared = nodes["declared_shapes"].combine_chunks()
    is_said = pc.is_in(nodes["op"].cast(pa.string()), value_set=pa.array(_DECLARING))
    says = pc.and_(is_said, pc.fill_null(pc.greater(pc.list_value_length(declared), 0), fill_value=False))
    if not pc.any(says).as_py():
        return output_shapes
    count = nodes.num_rows
    index = np.arange(len(output_shapes))
    wanted = np.flatnonzero(to_bools(says) & to_bools(output_shapes.slice(0, count).is_null()))
    index[wanted] = len(output_shapes) + wanted
    return pa.concat_arrays([output_shapes.cast(_SHAPES), declared.cast(_SHAPES)]).take(pa.array(index))


def _infer(nodes: pa.Table, edges: pa.Table, shapes: pa.ListArray, handed: Handed) -> Inferred:
    """Return what inference makes of `shapes`, of which those of the graph's nodes come first."""
    count, rest = nodes.num_rows, np.zeros(len(shapes) - nodes.num_rows, dtype=bool)
    if not set(SHAPE_ATTRS) <= set(nodes.column_names):
        return nothing_inferred(shapes)
    found = infer_shapes(nodes, edges, shapes.slice(0, count), handed)
    return Inferred(
        output_shapes=pa.concat_arrays([found.output_shapes, shapes.slice(count)]),
        is_inferred=np.append(found.is_inferred, rest),
        conflicts=np.append(found.conflicts, rest),
        beyond=np.append(found.beyond, rest),
        values=pa.concat_arrays([found.values, pa.nulls(len(rest), found.values.type)]),
    )


def _with_variables(nodes: pa.Table, input_shapes: Sequence[InputShape]) -> tuple[pa.Table, list[InputShape]]:
    """Return the nodes with variables for the handles among the inputs that the user names, and the other inputs.

    The graph of a ``tf.function`` has a placeholder for the handle of each variable, which tells no shape.
    """
    inputs = list(input_shapes)
    if not inputs or "dtype" not in nodes.column_names:
        return nodes, inputs
    ops = nodes["op"].cast(pa.string())
    is_handle = pc.and_(pc.equal(ops, "Placeholder"), pc.fill_null(pc.equal(nodes["dtype"], RESOURCE), False))  # noqa: FBT003
    place = pc.index_in(nodes["name"], value_set=pa.array([each.name for each in inputs], pa.string()))
    place = pc.if_else(is_handle, place, pa.scalar(None, place.type)).combine_chunks()
    sizes = pa.array([each.sizes for each in inputs], nodes["own_shape"].type)
    columns = {
        "op": pc.if_else(place.is_valid(), "VarHandleOp", ops),
        "own_shape": pc.coalesce(sizes.take(place), nodes["own_shape"]),
    }
    for name, column in columns.items():
        nodes = nodes.set_column(nodes.column_names.index(name), name, column)
    named = set(place.drop_null().to_pylist())
    return nodes, [each for number, each in enumerate(inputs) if number not in named]


def _with_inputs(
    names: pa.Array, nodes: pa.Table, output_shapes: pa.ListArray, input_shapes: Sequence[InputShape]
) -> pa.ListArray:
    """Return the shapes with those that the user names."""
    if not input_shapes:
        return output_shapes
    count = nodes.num_rows
    is_input = to_bools(pc.is_in(nodes["op"].cast(pa.string()), value_set=pa.array(PLACEHOLDERS)))
    first = _first_shapes(output_shapes.slice(0, count))
    if "own_shape" in nodes.column_names:
        first, _ = merge(first, Shapes.from_lists(nodes["own_shape"].combine_chunks()))
    index = np.arange(len(names))
    for number, each in enumerate(input_shapes):  # a few
        row = names.index(each.name).as_py()
        if not 0 <= row < count or not is_input[row]:
            raise _no_such_input(each, names, is_input, first)
        wanted = Shapes.from_lists(pa.array([each.sizes], pa.list_(pa.int64())))
        known = first.take(np.array([row]))
        if merge(known, wanted)[1].any():
            raise OptionError(
                f"{each.name} has the shape {known.to_lists()[0].as_py()} in the graph, not {list(each.sizes)}",
                option=each.option,
                advice="give sizes for what is -1",
            )
        index[row] = len(names) + number
    named = pa.array([[each.sizes] for each in input_shapes], _SHAPES)
    return pa.concat_arrays([output_shapes.cast(_SHAPES), named]).take(pa.array(index))


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


def _tells(output_shapes: pa.ListArray) -> Bools:
    """Return which nodes have at least one shape of known rank."""
    node = row_of_value(list_offsets(output_shapes))
    known = to_bools(pc.is_valid(list_values(output_shapes)))
    tells: Bools = np.bincount(node[known], minlength=len(output_shapes)) > 0
    return tells


def _differ(before: pa.ListArray, after: pa.ListArray) -> Bools:
    """Return which nodes have other shapes after than before; the number of each node's shapes is the same."""
    if before is after:
        return np.zeros(len(before), dtype=bool)
    first, second = Shapes.from_lists(list_values(before)), Shapes.from_lists(list_values(after))
    changed = (first.rank != second.rank) | (first.dims != second.dims).any(axis=1)
    differ: Bools = np.bincount(row_of_value(list_offsets(before))[changed], minlength=len(before)) > 0
    return differ


def _words(mask: Bools, word: str) -> pa.Array:
    return pc.if_else(pa.array(mask), word, pa.scalar(None, pa.string()))


def _diagnose(names: pa.Array, input_shapes: Sequence[InputShape], clashes: Bools, beyond: Bools) -> list[Diagnostic]:
    found = []
    if input_shapes:
        said = ", ".join(map(str, input_shapes))
        text = f"shapes of inputs as the user gave them: {said}"
        found.append(Diagnostic(severity=Severity.NOTE, code="input_shapes", text=text))
    rows = np.flatnonzero(clashes)
    if len(rows):
        text = "nodes have shapes that run metadata or their inputs contradict; the graph's count"
        found.append(Diagnostic.about(rows, names, Severity.NOTE, "contradicted_shapes", text))
    rows = np.flatnonzero(beyond)
    if len(rows):
        text = f"nodes come after a chain of {MOST_LEVELS:,} others: their shapes are not inferred"
        found.append(Diagnostic.about(rows, names, Severity.WARNING, "shapes_beyond_limit", text))
    return found
