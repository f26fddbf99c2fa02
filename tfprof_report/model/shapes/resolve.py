"""Resolves the shape of every output from its sources in order: graph, user, run metadata, batch, and inference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import (
    Bools,
    Ints,
    distinct,
    list_offsets,
    list_values,
    make_lists,
    marks,
    row_of_value,
    to_bools,
    to_ints,
    whole,
)
from tfprof_report.diagnostics import Diagnostic, Severity
from tfprof_report.ingest.attrs.shape_attrs import SHAPE_ATTRS
from tfprof_report.ingest.paths import InputShape
from tfprof_report.ingest.run_meta import RunMetaColumns
from tfprof_report.model.functions.call_results import Handed
from tfprof_report.model.graph.edges import shapes_of_outputs
from tfprof_report.model.shapes.batch import (
    OPEN_BATCH,
    Batch,
    is_open_batch,
    placeholders_of,
    settle_batch,
)
from tfprof_report.model.shapes.from_run import SeenShapes, contradicted, fill_agreed, matched_outputs, with_shapes
from tfprof_report.model.shapes.given_inputs import first_shape_of, given_batches, with_inputs, with_variables
from tfprof_report.model.shapes.infer import Inferred, infer_shapes, nothing_inferred
from tfprof_report.model.shapes.padded import Shapes
from tfprof_report.record import record

GRAPH, USER, RUN, BATCH, INFERRED = "graph", "user", "run_metadata", "batch", "inferred"
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
_MARK = 1_000_000_007
_SHAPES = pa.list_(pa.list_(pa.int64()))


@record
class Level:
    """Shapes and folded integers of all nodes, as they follow from some of the sources.

    output_shapes : per node one shape for each output, NULL where not known
    values : as `infer.Inferred.values`
    """

    output_shapes: pa.ListArray
    values: pa.ListArray


@record
class KnownShapes:
    """Shapes of all nodes' outputs, by the sources that they rest on.

    static : from the graph, the user and inference
    with_run : from run metadata too
    full : with the batch too; the same object as the level before it where a source adds nothing
    source : per node one of `GRAPH`, `USER`, `RUN`, `BATCH`, `INFERRED`; NULL where nothing is known
    conflicts : nodes whose sources contradict each other; the first source is used
    run_batches : sizes that run metadata has for the open batch of inputs
    batch_varies : steps disagree on it
    """

    static: Level
    with_run: Level
    full: Level
    source: pa.Array
    conflicts: Bools
    diagnostics: tuple[Diagnostic, ...]
    run_batches: tuple[int, ...] = ()
    batch_varies: bool = False


def as_given(output_shapes: pa.ListArray) -> KnownShapes:
    """Return the shapes of the graph alone."""
    found = nothing_inferred(output_shapes)
    level = Level(output_shapes=output_shapes, values=found.values)
    return KnownShapes(
        static=level,
        with_run=level,
        full=level,
        source=_word_where(_has_known(output_shapes), GRAPH),
        conflicts=found.conflicts,
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
    batch: Batch = OPEN_BATCH,
    handed: Handed,
) -> KnownShapes:
    """Return all shapes; each source fills only what the sources before it leave unknown.

    Inference follows every source. Run metadata is ignored if the user gives shapes of inputs, since it is of a run
    with other shapes.

    Parameters
    ----------
    names : of the nodes
    nodes : columns of the nodes; those of a profile lack `SHAPE_ATTRS`, and nothing is inferred
    edges : the result of `edges.read_edges`
    batch : the first size of placeholders whose only open size it is
    handed : the tensors that outputs of calls may be

    Raises
    ------
    OptionError
        A name in `input_shapes` is not a placeholder, the graph has a different shape for it, or the user's batch
        contradicts run metadata or `input_shapes`.
    """
    nodes, inputs = with_variables(nodes, input_shapes)
    declared = _with_declared(nodes, output_shapes)
    given = with_inputs(names, nodes, declared, inputs)

    def infer(shapes: pa.ListArray) -> Inferred:
        return _infer(nodes, edges, shapes, handed)

    static = infer(given)
    found, seen, clashes, listed = static, None, static.conflicts, static.output_shapes
    source = _word_where(_has_known(given), GRAPH)
    is_named = pc.is_in(names, value_set=pa.array([each.name for each in input_shapes], pa.string()))
    source = _then(_then(source, is_named, USER), static.is_inferred, INFERRED)
    if run_metas and not inputs:
        listed = _with_places(names, static.output_shapes, run_metas)
        seen = fill_agreed(names, listed, run_metas)
        clashes = clashes | marks(contradicted(names, listed, run_metas), len(names))
        if seen.filled.any():
            found = infer(seen.output_shapes)
            clashes = clashes | found.conflicts
            source = _then(_then(source, _of_nodes(listed, seen.filled), RUN), found.is_inferred, INFERRED)
    with_run = found
    rows = _open_batches(nodes, found.output_shapes)
    at_run, varies = np.zeros(0, dtype=np.int64), False
    if seen is not None and batch.size is not None and (len(rows) or batch.is_given):
        before = _open_batches(nodes, listed)
        at_run, varies = _batches_at_run(listed, before, seen, infer) if len(before) else (at_run, varies)
    given_sizes = given_batches(names, nodes, declared, inputs)
    size = settle_batch(batch, given_sizes, at_run, varies=varies, names=names.take(pa.array(rows)).to_pylist())
    if len(rows) and size is not None:
        found = infer(_with_batch(found.output_shapes, rows, size))
        clashes = clashes | found.conflicts
        source = _then(_then(source, marks(rows, len(names)), BATCH), found.is_inferred, INFERRED)
    levels = [Level(output_shapes=each.output_shapes, values=each.values) for each in (static, with_run, found)]
    return KnownShapes(
        static=levels[0],
        with_run=levels[0] if with_run is static else levels[1],
        full=levels[0] if found is static else levels[1] if found is with_run else levels[2],
        source=source,
        conflicts=clashes,
        diagnostics=tuple(_diagnose(names, input_shapes, clashes, found.beyond)),
        run_batches=tuple(at_run.tolist()),
        batch_varies=varies,
    )


def _with_places(
    names: pa.Array, output_shapes: pa.ListArray, run_metas: tuple[tuple[int, RunMetaColumns], ...]
) -> pa.ListArray:
    """Return the shapes with, for nodes that have no list, as many unknown shapes as run metadata has outputs."""
    counts = np.where(output_shapes.is_null(), 0, np.diff(list_offsets(output_shapes)))
    has_list = counts > 0
    outputs = matched_outputs(names, run_metas)
    node, place = to_ints(outputs["node"]), to_ints(outputs["position"])
    seen = ~has_list[node]
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
    declared = whole(nodes["declared_shapes"])
    is_said = pc.is_in(nodes["op"].cast(pa.string()), value_set=pa.array(_DECLARING))
    says = pc.and_(is_said, pc.fill_null(pc.greater(pc.list_value_length(declared), 0), fill_value=False))
    if not pc.any(says).as_py():
        return output_shapes
    index = np.arange(len(output_shapes))
    wanted = np.flatnonzero(to_bools(says) & to_bools(output_shapes.is_null()))
    index[wanted] = len(output_shapes) + wanted
    return pa.concat_arrays([output_shapes.cast(_SHAPES), declared.cast(_SHAPES)]).take(pa.array(index))


def _infer(nodes: pa.Table, edges: pa.Table, shapes: pa.ListArray, handed: Handed) -> Inferred:
    """Return `shapes` after inference; unchanged for a profile, whose nodes lack what inference needs."""
    if not set(SHAPE_ATTRS) <= set(nodes.column_names):
        return nothing_inferred(shapes)
    return infer_shapes(nodes, edges, shapes, handed)


def _has_known(output_shapes: pa.ListArray) -> Bools:
    """Return which nodes have at least one shape of known rank."""
    node = row_of_value(list_offsets(output_shapes))
    known = to_bools(pc.is_valid(list_values(output_shapes)))
    has_known: Bools = np.bincount(node[known], minlength=len(output_shapes)) > 0
    return has_known


def _of_nodes(output_shapes: pa.ListArray, outputs: Bools) -> Bools:
    """Return which nodes have one of `outputs`."""
    return marks(row_of_value(list_offsets(output_shapes))[outputs], len(output_shapes))


def _open_batches(nodes: pa.Table, output_shapes: pa.ListArray) -> Ints:
    """Return the rows of placeholders whose only open size is the first; none where nothing can be inferred."""
    rows = np.flatnonzero(placeholders_of(nodes))
    if not set(SHAPE_ATTRS) <= set(nodes.column_names):
        return rows[:0]
    return rows[is_open_batch(first_shape_of(rows, output_shapes))]


def _with_batch(output_shapes: pa.ListArray, rows: Ints, size: int) -> pa.ListArray:
    """Return the shapes with a first size for the placeholders `rows`."""
    offsets = list_offsets(output_shapes)
    changed = marks(offsets[rows], int(offsets[-1]))
    shapes = Shapes.from_lists(list_values(output_shapes).filter(pa.array(changed)))
    shapes.dims[:, 0] = size
    return with_shapes(output_shapes, changed, shapes)


def _batches_at_run(
    listed: pa.ListArray, rows: Ints, seen: SeenShapes, infer: Callable[[pa.ListArray], Inferred]
) -> tuple[Ints, bool]:
    """Return the sizes that run metadata has where the batch of the placeholders `rows` goes, and whether they vary.

    A size that no model has is put in for the batch: wherever inference brings it unchanged, the size is the batch.
    """
    marked = infer(_with_batch(listed, rows, _MARK)).output_shapes
    node = row_of_value(list_offsets(listed))
    node, place = node[seen.rows], seen.rows - list_offsets(listed)[node[seen.rows]]
    is_batch = Shapes.from_lists(shapes_of_outputs(marked, node, place)).dims == _MARK
    return distinct(seen.seen.dims[is_batch & (seen.seen.dims >= 0)]), bool((is_batch & seen.varies).any())


def _then(source: pa.Array, mask: Bools | pa.Array, word: str) -> pa.Array:
    """Return the sources, with `word` for the nodes of `mask`."""
    return pc.if_else(pa.array(mask) if isinstance(mask, np.ndarray) else mask, word, source)


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
        text = "nodes come after chains of too many others: their shapes are not inferred"
        found.append(Diagnostic.about(rows, names, Severity.WARNING, "shapes_beyond_limit", text))
    return found
