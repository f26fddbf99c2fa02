"""Names the inputs whose open sizes keep figures unknown, and the options that close them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, to_bools, to_ints
from tfprof_report.diagnostics import EXAMPLES, Diagnostic, Severity
from tfprof_report.model.graph.edges import shapes_of_outputs
from tfprof_report.model.graph.reach import Flow
from tfprof_report.model.shapes.batch import is_open_batch, placeholders_of, variable_handles
from tfprof_report.model.shapes.padded import Shapes
from tfprof_report.model.shapes.resolve import KnownShapes

_READS = ("ReadVariableOp", "ResourceGather", "ResourceGatherNd")


def diagnose_open_inputs(
    nodes: pa.Table, edges: pa.Table, names: pa.Array, known: KnownShapes, without_shape: Bools
) -> list[Diagnostic]:
    """Return a warning that names the open inputs of the nodes `without_shape`, if any, and how to close them.

    Parameters
    ----------
    nodes : columns of the nodes
    edges : the result of `edges.read_edges`
    without_shape : nodes whose FLOPs are unknown for lack of a shape
    """
    if not without_shape.any():
        return []
    linked = edges.filter(pc.is_valid(edges["source"]))
    flow = Flow(source=to_ints(linked["source"]), target=to_ints(linked["node"]))
    matters = flow.before(without_shape)
    rows, shapes = _open_data(nodes, known.full.output_shapes, matters)
    variables, of_variables = _open_variables(nodes, flow, known.full.output_shapes, matters)
    both = np.concatenate([rows, variables])
    if not len(both):
        return []
    written = [
        f"{name}={_sizes(shape)}"
        for name, shape in zip(
            names.take(pa.array(both[:EXAMPLES])).to_pylist(),
            [*shapes.to_lists().to_pylist(), *of_variables.to_lists().to_pylist()][:EXAMPLES],
            strict=True,
        )
    ]
    text = (
        f"inputs have open sizes, so FLOPs of {int(without_shape.sum()):,} nodes are unknown: "
        f"{_batch_words(known, is_open_batch(shapes))}{_option_words(written, len(both))}"
    )
    return [Diagnostic.about(both, names, Severity.WARNING, "open_inputs", text)]


def _open_data(nodes: pa.Table, output_shapes: pa.ListArray, matters: Bools) -> tuple[Ints, Shapes]:
    """Return the placeholders of data whose shape is open, and it."""
    rows = np.flatnonzero(placeholders_of(nodes) & matters)
    shapes = Shapes.from_lists(shapes_of_outputs(output_shapes, rows, np.zeros(len(rows), dtype=np.int64)))
    return rows[~shapes.is_full], shapes.take(~shapes.is_full)


def _open_variables(nodes: pa.Table, flow: Flow, output_shapes: pa.ListArray, matters: Bools) -> tuple[Ints, Shapes]:
    """Return the placeholders that stand for variables whose shape is open, and what is known of it."""
    is_handle = variable_handles(nodes)
    ops = nodes["op"].cast(pa.string())
    reads = to_bools(pc.is_in(ops, value_set=pa.array(_READS)))
    found = is_handle[flow.source] & reads[flow.target] & matters[flow.source]
    rows, first = np.unique(flow.source[found], return_index=True)
    read = flow.target[found][first]
    shapes = Shapes.from_lists(shapes_of_outputs(output_shapes, read, np.zeros(len(read), dtype=np.int64)))
    is_gather = ~to_bools(pc.equal(ops.take(pa.array(read)), "ReadVariableOp"))
    is_open = ~shapes.is_full | is_gather
    return rows[is_open], shapes.where(~is_gather).take(is_open)


def _sizes(shape: Sequence[int] | None) -> str:
    return "?" if shape is None else ",".join("?" if size < 0 else str(size) for size in shape)


def _batch_words(known: KnownShapes, is_batch: Bools) -> str:
    """Return what run metadata says about the batch, if that is what is open."""
    if not is_batch.any():
        return ""
    if known.batch_varies:
        return "steps disagree on the batch; "
    if len(known.run_batches) == 1:
        return f"the batch is {known.run_batches[0]:,} in run metadata, so add --batch {known.run_batches[0]}; else "
    return "add --batch 1; else " if not len(known.run_batches) else ""


def _option_words(written: Sequence[str], count: int) -> str:
    more = f" and {count - len(written):,} more" if count > len(written) else ""
    options = " ".join(f"--input-shape {each}" for each in written)
    keys = ", ".join(f'"{each}"' for each in written)
    return f"give {options}{more}, with a number for each ? (input_shape = [{keys}] below [inputs] in a rules file)"
