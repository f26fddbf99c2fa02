"""Resolves the shape of every output from four sources in order of precedence: graph, user, run metadata, inference."""

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
"""Values of the column shape_source: the last source that added to a node's shapes."""


class ShapeUse(StrEnum):
    """What inferred shapes are used for."""

    NOTHING = "nothing"
    IMPORT = "import"  # what TensorFlow infers when it imports the graph counts as given by the graph
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
    static_shapes : the same without run metadata, and without what was inferred from it
    source : per node one of `GRAPH`, `USER`, `RUN`, `INFERRED`; NULL where nothing is known
    conflicts : nodes whose sources contradict each other; the first source is used
    values : as `infer.Inferred.values`, without run metadata
    """

    output_shapes: pa.ListArray
    static_shapes: pa.ListArray
    source: pa.Array
    conflicts: Bools
    values: pa.ListArray
    diagnostics: tuple[Diagnostic, ...]


def as_given(output_shapes: pa.ListArray) -> KnownShapes:
    """Return the shapes of the graph alone."""
    source = _word_where(_has_known(output_shapes), GRAPH)
    found = nothing_inferred(output_shapes)
    return KnownShapes(
        output_shapes=output_shapes,
        static_shapes=output_shapes,
        source=source,
        conflicts=found.conflicts,
        values=found.values,
        diagnostics=(),
    )


def resolve_shapes(
    *,
    names: pa.Array,
    nodes: pa.Table,
    edges: pa.Table,
    output_shapes: pa.ListArray,
    run_metas: tuple[tuple[int, RunMetaColumns], ...],
    input_shapes: Sequence[InputShape] = (),
    handed: Handed,
) -> KnownShapes:
    """Return all shapes; each source fills only what the sources before it leave unknown.

    Run metadata is ignored if the user gives input shapes, since it is of a run with other shapes.

    Parameters
    ----------
    names : of all nodes; those of the graph come first
    nodes : columns of the graph's nodes; those of a profile lack `SHAPE_ATTRS`, and nothing is inferred
    edges : the result of `edges.read_edges`
    handed : the tensors that outputs of calls may be

    Raises
    ------
    OptionError
        A name in `input_shapes` is not a placeholder, or the graph has a different shape for it.
    """
    nodes, inputs = _with_variables(nodes, input_shapes)
    given = _with_inputs(names, nodes, _with_declared(nodes, output_shapes), inputs)
    clashes = np.zeros(len(names), dtype=bool)
    listed = filled = given
    if run_metas and not input_shapes:
        listed = _with_places(names, given, run_metas)
        filled = fill_shapes(names, listed, run_metas, CORRECTED).output_shapes
        clashes[contradicted(names, listed, run_metas)] = True
    changed = _differ(listed, filled)
    found = _infer(nodes, edges, filled, handed)
    # Without run metadata: a second inference, only needed if run metadata added anything.
    static = _infer(nodes, edges, given, handed) if changed.any() else found
    clashes |= found.conflicts
    source = _word_where(_has_known(found.output_shapes), GRAPH)
    is_named = pc.is_in(names, value_set=pa.array([each.name for each in input_shapes], pa.string()))
    source = pc.if_else(is_named, USER, source)
    source = pc.if_else(pa.array(changed), RUN, source)
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
    """Return the shapes with, for nodes that have no list, as many unknown shapes as run metadata has outputs."""
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
    """Return the shapes, completed by the attribute ``output_shapes`` of op types whose outputs it describes."""
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
    """Return `shapes` after inference over the graph's nodes, which come first."""
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
    """Return the nodes with named handles turned into variables of the user's shapes, and the other inputs.

    The graph of a ``tf.function`` has a placeholder for the handle of each variable, which does not give its shape.
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
    """Return the shapes with those that the user gives."""
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
                advice="only sizes that are -1 there can be chosen",
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


def _has_known(output_shapes: pa.ListArray) -> Bools:
    """Return which nodes have at least one shape of known rank."""
    node = row_of_value(list_offsets(output_shapes))
    known = to_bools(pc.is_valid(list_values(output_shapes)))
    has_known: Bools = np.bincount(node[known], minlength=len(output_shapes)) > 0
    return has_known


def _differ(before: pa.ListArray, after: pa.ListArray) -> Bools:
    """Return which nodes have different shapes; the number of shapes per node must be the same."""
    if before is after:
        return np.zeros(len(before), dtype=bool)
    first, second = Shapes.from_lists(list_values(before)), Shapes.from_lists(list_values(after))
    changed = (first.rank != second.rank) | (first.dims != second.dims).any(axis=1)
    differ: Bools = np.bincount(row_of_value(list_offsets(before))[changed], minlength=len(before)) > 0
    return differ


def _word_where(mask: Bools, word: str) -> pa.Array:
    return pc.if_else(pa.array(mask), word, pa.scalar(None, pa.string()))


def _diagnose(names: pa.Array, input_shapes: Sequence[InputShape], clashes: Bools, beyond: Bools) -> list[Diagnostic]:
    found = []
    if input_shapes:
        said = ", ".join(map(str, input_shapes))
        text = f"shapes of inputs as the user gave them: {said}"
        found.append(Diagnostic(severity=Severity.NOTE, code="input_shapes", text=text))
    rows = np.flatnonzero(clashes)
    if len(rows):
        text = "nodes have shapes that run metadata or their inputs contradict; the graph's shapes are used"
        found.append(Diagnostic.about(rows, names, Severity.NOTE, "contradicted_shapes", text))
    rows = np.flatnonzero(beyond)
    if len(rows):
        text = f"nodes come after a chain of {MOST_LEVELS:,} others: their shapes are not inferred"
        found.append(Diagnostic.about(rows, names, Severity.WARNING, "shapes_beyond_limit", text))
    return found
