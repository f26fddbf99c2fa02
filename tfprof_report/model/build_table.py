"""Joins graph, run metadata and op log into the node table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, list_values, marks, to_ints
from tfprof_report.ingest.graph_def import RULE_ATTRS, SHAPE, SHAPES, VARIABLE_ATTRS
from tfprof_report.ingest.read import Inputs
from tfprof_report.ingest.saved_model import UNCOUNTED_SIGNATURE
from tfprof_report.model.execution_counts import FunctionUse, count_calls, with_calls
from tfprof_report.model.flops.node_flops import RuleUse, figure_float_ops
from tfprof_report.model.functions.call_results import fill_call_shapes, hand_results, results_of
from tfprof_report.model.functions.inline import Expansion, expand_functions
from tfprof_report.model.functions.multiplicity import times_multiplicity
from tfprof_report.model.functions.placed_calls import place_calls
from tfprof_report.model.functions.trips_from_run import name_as_inlined
from tfprof_report.model.graph.edges import input_shapes_of, read_edges
from tfprof_report.model.join.checkpoint_variables import add_checkpoint_type, compare_with_checkpoint
from tfprof_report.model.join.device_memory import device_peaks, memory_over_time
from tfprof_report.model.join.executions import join_executions
from tfprof_report.model.join.log_entries import join_op_log, marked_trainable, op_types_of, run_devices_of
from tfprof_report.model.join.unmatched import defined_nodes, diagnose_join, unmatched_table
from tfprof_report.model.node_table import NodeTable
from tfprof_report.model.params.count import unknown_params
from tfprof_report.model.params.kinds import tell_kinds
from tfprof_report.model.params.weights import find_weights
from tfprof_report.model.shapes.resolve import ShapeUse, as_given, know_shapes
from tfprof_report.model.values import run_means
from tfprof_report.semantics import CORRECTED, Semantics

_NO_TEXT = pa.scalar(None, pa.string())


def build_node_table(
    inputs: Inputs,
    rules: RuleUse | None = None,
    semantics: Semantics = CORRECTED,
    functions: FunctionUse | None = None,
    *,
    shapes: ShapeUse = ShapeUse.NOTHING,
) -> NodeTable:
    """Join graph, run metadata and op log into one row per node; `rules` count FLOPs that the op log does not give.

    `functions` inlines the bodies of functions, whose nodes follow those of the graph. `semantics` says what is
    forgotten of a graph that came late and of a profile; figures are those of both.
    `shapes` says what shapes are inferred for; where the user names some they are for everything.
    """
    graph = defined_nodes(inputs.graph, inputs.run_metas, semantics)
    expansion = expand_functions(graph, inputs.graph.library) if functions else None
    graph = expansion.nodes if expansion else graph
    if expansion:
        inputs = replace(inputs, run_metas=name_as_inlined(inputs.run_metas, expansion))
    executions = join_executions(graph["name"].combine_chunks(), inputs.run_metas)
    run_only = len(executions.run_only)
    count = graph.num_rows + run_only
    names = pa.concat_arrays([graph["name"].combine_chunks(), executions.run_only])
    edges = read_edges(graph["inputs"].combine_chunks(), names)
    log = join_op_log(names, inputs.op_log)
    log = replace(log, types=add_checkpoint_type(log.types, names, inputs.checkpoint))

    def extend(column: pa.ChunkedArray, kind: pa.DataType) -> pa.Array:
        return pa.concat_arrays([column.cast(kind).combine_chunks(), pa.nulls(run_only, kind)])

    ops = extend(graph["op"], pa.string())
    shape = extend(graph["shape"], SHAPE)
    output_shapes = extend(graph["output_shapes"], SHAPES)
    results = results_of(expansion, names) if expansion else None
    if expansion and results:
        output_shapes = fill_call_shapes(expansion, results, output_shapes)
    shapes = ShapeUse.RULES if inputs.input_shapes else shapes
    known = as_given(output_shapes)
    if shapes is not ShapeUse.NOTHING:
        known = know_shapes(
            names=names,
            nodes=graph,
            edges=edges,
            output_shapes=output_shapes,
            run_metas=inputs.run_metas,
            input_shapes=inputs.input_shapes,
            handed=hand_results(expansion, results, edges) if expansion and results else None,
        )
    if shapes is ShapeUse.RULES:
        output_shapes = known.output_shapes if rules and rules.fill_shapes else known.static_shapes
    weight_attrs = {"own_shape": SHAPE, **VARIABLE_ATTRS}
    weights = find_weights(
        names=names,
        ops=ops,
        edges=edges,
        attrs={
            "shape": shape,
            **{
                name: extend(graph[name], kind) if name in graph.column_names else pa.nulls(count, kind)
                for name, kind in weight_attrs.items()
            },
        },
        output_shapes=known.static_shapes,  # figures do not depend on a run
        body_row=np.append(expansion.origin if expansion else np.full(graph.num_rows, -1), np.full(run_only, -1)),
    )
    trainable = marked_trainable(log, count)
    kinds = tell_kinds(
        weights,
        names=names,
        ops=ops,
        edges=edges,
        logged=trainable,
        declared=inputs.graph.trainable,
        expansion=expansion,
    )
    devices = extend(graph["device"], pa.string())
    run_devices = run_devices_of(executions, count)
    figures = figure_float_ops(
        rules,
        names=names,
        ops=ops,
        edges=edges,
        output_shapes=output_shapes,
        attrs={name: extend(graph[name], kind) for name, kind in RULE_ATTRS.items()},
        run_metas=inputs.run_metas,
        logged=log.float_ops,
        is_logged=log.is_named,
        functions=frozenset(library.functions["name"].to_pylist()) if (library := inputs.graph.library) else (),
        is_inlined=_inlined(expansion, count),
    )
    counted = count_calls(
        expansion,
        results,
        functions,
        names=names,
        ops=ops,
        edges=edges,
        executions=executions,
        float_ops=figures.float_ops,
        values=known.values,
    )
    is_inlining = expansion is not None and len(expansion.calls.row) > 0
    shown = figures.output_shapes if shapes is ShapeUse.NOTHING else known.output_shapes
    misses_stream = executions.misses_stream
    if inputs.misses_stream is not None:
        misses_stream = inputs.misses_stream and not semantics.profile_forgets_missing_stream
    ran = marks(to_ints(executions.steps["node"]), count)
    source = np.where(np.arange(count) >= graph.num_rows, "run_metadata", np.where(ran, "both", "graph"))
    columns = {
        "name": names,
        "op": ops.dictionary_encode(),
        "source": pa.array(source, pa.string()).dictionary_encode(),
        "device": pc.if_else(pc.equal(devices, ""), _NO_TEXT, devices).dictionary_encode(),
        "run_devices": run_devices,
        "op_types": op_types_of(ops, run_devices, log.types),
        "inputs": extend(graph["inputs"], pa.list_(pa.string())),
        "shape": shape,
        "input_shapes": input_shapes_of(edges, shown),
        "output_shapes": shown,
        "shape_source": known.source.dictionary_encode(),
        "shape_conflict": pa.array(known.conflicts),
        "params": weights.params,
        "param_bytes": weights.param_bytes,
        "param_kind": kinds.kind,
        "param_kind_is_guess": kinds.is_guess,
        "float_ops": counted.float_ops,
        "macs": times_multiplicity(figures.macs, counted.multiplicity),
        "single_float_ops": figures.float_ops,
        "multiplicity": counted.multiplicity,
        "float_ops_source": figures.source.dictionary_encode(),
        "float_ops_reason": with_calls(figures.reason, figures.float_ops, counted).dictionary_encode(),
        "op_class": figures.op_class.dictionary_encode(),
        "trainable": trainable,
        **run_means(executions, figures.float_ops, count),
    }
    unmatched = unmatched_table(
        dangling=list_values(graph["inputs"].combine_chunks()).drop_null().filter(pc.is_null(edges["source"])),
        helpers=executions.helpers,
        log_names=log.unmatched,
    )
    return NodeTable(
        columns=pa.record_batch(columns),
        steps=executions.steps,
        records=executions.records,
        allocations=executions.allocations,
        edges=edges,
        canonical_device=executions.canonical_device,
        data_format=extend(graph["data_format"], pa.string()),
        log_types=log.types,
        traces=log.traces,
        step_numbers=executions.step_numbers,
        devices=device_peaks(inputs.run_metas),
        memory=memory_over_time(inputs.run_metas),
        misses_stream=misses_stream,
        calls=place_calls(expansion, results, count),
        holder=weights.holder,
        checkpoint=inputs.checkpoint,
        without_figure=figures.missing,
        unmatched=unmatched,
        diagnostics=(
            *(found for found in inputs.diagnostics if not (is_inlining and found.code == UNCOUNTED_SIGNATURE)),
            *diagnose_join(inputs, executions, unmatched, log, misses_stream=misses_stream),
            *weights.diagnostics,
            *unknown_params(names, holds=weights.holds, params=weights.params),
            *known.diagnostics,
            *figures.diagnostics,
            *counted.diagnostics,
            *compare_with_checkpoint(names, inputs.checkpoint),
        ),
    )


def _inlined(expansion: Expansion | None, count: int) -> Bools:
    """Return the nodes that call functions, of which all stand below them."""
    inlined = np.zeros(count, dtype=bool)
    if expansion:
        inlined[expansion.calls.row] = True
        for rows in expansion.skipped.values():
            inlined[rows] = False
    return inlined
