"""Joins graph, run metadata and op log into the node table, stage by stage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, marks, to_bools, to_ints
from tfprof_report.diagnostics import Diagnostic
from tfprof_report.ingest.graph_def import RULE_ATTRS, SHAPE, SHAPES, VARIABLE_ATTRS
from tfprof_report.ingest.paths import InputShape
from tfprof_report.ingest.read import Inputs
from tfprof_report.ingest.saved_model import Entry
from tfprof_report.model.execution_counts import CountedCalls, FunctionUse, count_calls, with_calls
from tfprof_report.model.flops.evaluate import Reason
from tfprof_report.model.flops.fused_executions import FusedExecutions, diagnose_fused, find_fused
from tfprof_report.model.flops.node_flops import Figures, RuleUse, figure_float_ops
from tfprof_report.model.flops.rule import OpClass
from tfprof_report.model.functions.call_results import fill_call_shapes, hand_results
from tfprof_report.model.functions.executed import executed_only
from tfprof_report.model.functions.multiplicity import times_multiplicity
from tfprof_report.model.functions.placed_calls import place_calls
from tfprof_report.model.graph.edges import input_shapes_of
from tfprof_report.model.join.checkpoint_variables import compare_with_checkpoint
from tfprof_report.model.join.device_memory import device_peaks, memory_over_time
from tfprof_report.model.join.log_entries import (
    marked_trainable,
    op_types_of,
    run_devices_of,
)
from tfprof_report.model.join.memory import diagnose_memory
from tfprof_report.model.join.unmatched import diagnose_join
from tfprof_report.model.joined_nodes import (
    JoinedNodes,
    diagnostics_of,
    expand_nodes,
    join_nodes,
    misses_stream_of,
    unmatched_names,
)
from tfprof_report.model.node_table import NodeTable
from tfprof_report.model.params.count import unknown_params
from tfprof_report.model.params.figures import ParamFigures, figure_params
from tfprof_report.model.params.kinds import Kinds, classify_params
from tfprof_report.model.params.weights import Weights, find_weights
from tfprof_report.model.shapes.basis import sources_of_figures
from tfprof_report.model.shapes.batch import OPEN_BATCH, Batch
from tfprof_report.model.shapes.imported import imported_shapes
from tfprof_report.model.shapes.open_inputs import diagnose_open_inputs
from tfprof_report.model.shapes.resolve import KnownShapes, Level, ShapeUse, as_given, resolve_shapes
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
    batch: Batch = OPEN_BATCH,
    outputs: tuple[str, ...] = (),
) -> NodeTable:
    """Join graph, run metadata and op log into one row per node.

    Parameters
    ----------
    rules : count FLOPs that the op log does not give; None for the op log alone
    semantics : decides whether definitions of nodes that run metadata named before their graph came, and missing
        streams that a profile reports, are dropped as tfprof does, and whether nodes count that are never executed; all
        else is the same for both presets
    functions : how the bodies of functions are inlined, whose nodes then follow those of the graph; None for not at all
    shapes : what shapes are inferred for; always `ShapeUse.RULES` where the user gave input shapes or a batch
    batch : the first size of placeholders whose only open size it is, where rules use inferred shapes
    outputs : as in `executed.find_executed`
    """
    expansion = expand_nodes(inputs, semantics, functions)
    nodes = join_nodes(inputs, expansion, semantics, outputs)
    is_asked = inputs.input_shapes or (batch.is_given and batch.size is not None)
    known = _resolve_shapes(inputs, nodes, ShapeUse.RULES if is_asked else shapes, batch)
    params = _count_params(inputs, nodes, known)

    flops = _count_flops(inputs, nodes, known.of_rules[0], rules, functions)

    def count(level: Level) -> tuple[pa.Array, pa.Array]:
        counted = flops if level is known.of_rules[0] else _count_flops(inputs, nodes, level, rules, functions)
        return counted.counted.float_ops, counted.figures.macs

    fused = _find_fused(nodes, flops)
    unmatched = unmatched_names(nodes)
    misses_stream = misses_stream_of(inputs, nodes.executions, semantics)
    return NodeTable(
        columns=_columns(nodes, known, params, flops, fused=fused, assumes=sources_of_figures(known.of_rules, count)),
        steps=fused.steps,
        records=nodes.executions.records,
        allocations=nodes.executions.allocations,
        edges=nodes.edges,
        canonical_device=nodes.executions.canonical_device,
        data_format=nodes.column("data_format", pa.string()),
        log_types=nodes.log.types,
        traces=nodes.log.traces,
        step_numbers=nodes.executions.step_numbers,
        devices=device_peaks(nodes.run_metas),
        walls=nodes.executions.walls,
        memory=memory_over_time(nodes.run_metas),
        misses_stream=misses_stream,
        calls=place_calls(nodes.expansion, nodes.results),
        holder=params.weights.holder,
        checkpoint=inputs.checkpoint,
        entry=Entry() if semantics.count_what_never_runs else inputs.entry,
        without_figure=flops.figures.missing,
        unmatched=unmatched,
        diagnostics=(
            *diagnostics_of(inputs, expansion),
            *diagnose_join(inputs, nodes.executions, unmatched, nodes.log, semantics, misses_stream=misses_stream),
            *diagnose_memory(nodes.names, nodes.executions.steps, nodes.executions.negative),
            *diagnose_fused(nodes.names, fused),
            *params.weights.diagnostics,
            *unknown_params(nodes.names, holds=params.weights.holds, params=params.figures.params),
            *known.shapes.diagnostics,
            *nodes.executed.diagnostics,
            *flops.figures.diagnostics,
            *_open_inputs(nodes, known, flops),
            *flops.counted.diagnostics,
            *compare_with_checkpoint(nodes.names, inputs.checkpoint),
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shapes:
    """Shapes of the outputs of all nodes.

    shapes : all known shapes, with their source
    of_rules : the shapes that FLOPs are counted with, before `RuleUse.fill_shapes` completes them from run metadata;
        then those without the batch, and those without run metadata too
    are_shown : whether the table shows `shapes`; otherwise it shows the shapes that FLOPs are counted with
    """

    shapes: KnownShapes
    of_rules: tuple[Level, Level, Level]
    are_shown: bool


def _resolve_shapes(inputs: Inputs, nodes: JoinedNodes, use: ShapeUse, batch: Batch) -> _Shapes:
    """Return the shapes that the graph gives, and those that all other sources add if asked for."""
    given = fill_call_shapes(nodes.expansion, nodes.results, nodes.column("output_shapes", SHAPES))
    if use is ShapeUse.IMPORT:
        given = imported_shapes(nodes.expansion.nodes, nodes.edges, given)
    if use in (ShapeUse.NOTHING, ShapeUse.IMPORT):
        known = as_given(given)
        return _Shapes(shapes=known, of_rules=(known.full, known.full, known.full), are_shown=False)
    known = resolve_shapes(
        names=nodes.names,
        nodes=nodes.expansion.nodes,
        edges=nodes.edges,
        output_shapes=given,
        run_metas=nodes.run_metas,
        input_shapes=inputs.input_shapes,
        batch=batch if use is ShapeUse.RULES else OPEN_BATCH,
        handed=hand_results(nodes.expansion, nodes.results, nodes.edges),
    )
    if use is ShapeUse.RULES:
        return _Shapes(shapes=known, of_rules=(known.full, known.with_run, known.static), are_shown=True)
    own = Level(output_shapes=given, values=known.static.values)
    return _Shapes(shapes=known, of_rules=(own, own, own), are_shown=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Params:
    """Which nodes hold parameters, their number and kind, and which ones the op log marks as trainable."""

    weights: Weights
    kinds: Kinds
    figures: ParamFigures
    trainable: pa.Array


def _count_params(inputs: Inputs, nodes: JoinedNodes, known: _Shapes) -> _Params:
    """Find the nodes that hold parameters."""
    attrs = {"shape": SHAPE, "own_shape": SHAPE, **VARIABLE_ATTRS}
    weights = find_weights(
        names=nodes.names,
        ops=nodes.ops,
        edges=nodes.edges,
        attrs={name: nodes.column(name, kind) for name, kind in attrs.items()},
        output_shapes=known.shapes.static.output_shapes,  # parameters must not depend on a run
        given=_given_shapes(nodes.names, inputs.input_shapes),
        body_row=nodes.expansion.origin,
    )
    trainable = marked_trainable(nodes.log, len(nodes.names))
    kinds = classify_params(
        weights,
        names=nodes.names,
        ops=nodes.ops,
        edges=nodes.edges,
        logged=trainable,
        declared=inputs.graph.trainable,
        expansion=nodes.expansion,
        executed=nodes.executed.nodes,
    )
    return _Params(weights=weights, kinds=kinds, figures=figure_params(weights, kinds), trainable=trainable)


def _given_shapes(names: pa.Array, input_shapes: Sequence[InputShape]) -> pa.ListArray:
    """Return the shape that the user gives each node, NULL for most."""
    place = pc.index_in(names, value_set=pa.array([each.name for each in input_shapes], pa.string()))
    return pa.array([each.sizes for each in input_shapes], SHAPE).take(place)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Flops:
    """FLOPs of one execution of each node, and of all its executions per execution of the graph."""

    figures: Figures
    counted: CountedCalls


def _count_flops(
    inputs: Inputs, nodes: JoinedNodes, level: Level, rules: RuleUse | None, functions: FunctionUse | None
) -> _Flops:
    """Take FLOPs from the op log and the rules, and multiply them by how often functions and loops execute a node."""
    library = inputs.graph.library
    figures = figure_float_ops(
        rules,
        names=nodes.names,
        ops=nodes.ops,
        edges=nodes.edges,
        output_shapes=level.output_shapes,
        attrs={name: nodes.column(name, kind) for name, kind in RULE_ATTRS.items()},
        run_metas=nodes.run_metas,
        logged=nodes.log.float_ops,
        is_logged=nodes.log.is_named,
        functions=frozenset(library.functions["name"].to_pylist()) if library else (),
        is_inlined=_is_inlined(nodes),
    )
    counted = count_calls(
        nodes.expansion,
        nodes.results,
        functions,
        names=nodes.names,
        ops=nodes.ops,
        edges=nodes.edges,
        executions=nodes.executions,
        executed=nodes.executed.nodes,
        float_ops=figures.float_ops,
        values=level.values,
    )
    return _Flops(figures=figures, counted=counted)


def _open_inputs(nodes: JoinedNodes, known: _Shapes, flops: _Flops) -> list[Diagnostic]:
    """Return which inputs lack sizes that FLOPs need."""
    if not known.are_shown:
        return []
    without = to_bools(pc.fill_null(pc.equal(flops.figures.reason, str(Reason.SHAPE)), fill_value=False))
    return diagnose_open_inputs(nodes.expansion.nodes, nodes.edges, nodes.names, known.shapes, without)


def _is_inlined(nodes: JoinedNodes) -> Bools:
    """Return the nodes that call functions whose bodies are all inlined."""
    inlined = marks(nodes.expansion.calls.row, len(nodes.names))
    for rows in nodes.expansion.skipped.values():
        inlined[rows] = False
    return inlined


def _find_fused(nodes: JoinedNodes, flops: _Flops) -> FusedExecutions:
    """Return the executions of nodes with FLOPs that ran inside the kernels of others."""
    figures = flops.figures
    has_none = pc.or_kleene(pc.equal(figures.float_ops, 0), pc.equal(figures.op_class, OpClass.NO_ARITHMETIC))
    computes = to_bools(pc.is_valid(nodes.ops)) & ~to_bools(has_none) & ~_is_inlined(nodes)
    return find_fused(
        names=nodes.names,
        ops=nodes.ops,
        edges=nodes.edges,
        results=place_calls(nodes.expansion, nodes.results).results,
        body=nodes.expansion.body,
        executions=nodes.executions,
        computes=computes,
    )


def _columns(
    nodes: JoinedNodes, known: _Shapes, params: _Params, flops: _Flops, *, fused: FusedExecutions, assumes: pa.Array
) -> pa.RecordBatch:
    """Return the columns that `NodeTable.columns` describes."""
    figures, counted = flops.figures, flops.counted
    count = len(nodes.names)
    output_shapes = known.shapes.full.output_shapes if known.are_shown else figures.output_shapes
    device = nodes.column("device", pa.string())
    run_devices = run_devices_of(nodes.executions, count)
    ran = marks(to_ints(nodes.executions.steps["node"]), count)
    source = np.where(~nodes.expansion.is_defined, "run_metadata", np.where(ran, "both", "graph"))
    return pa.record_batch(
        {
            "name": nodes.names,
            "op": nodes.ops.dictionary_encode(),
            "source": pa.array(source, pa.string()).dictionary_encode(),
            "device": pc.if_else(pc.equal(device, ""), _NO_TEXT, device).dictionary_encode(),
            "run_devices": run_devices,
            "op_types": op_types_of(nodes.ops, run_devices, nodes.log.types),
            "inputs": nodes.column("inputs", pa.list_(pa.string())),
            "attrs_digest": nodes.column("attrs_digest", pa.int64()),
            "shape": nodes.column("shape", SHAPE),
            "input_shapes": input_shapes_of(nodes.edges, output_shapes),
            "output_shapes": output_shapes,
            "shape_source": known.shapes.source.dictionary_encode(),
            "shape_conflict": pa.array(known.shapes.conflicts),
            "params": params.figures.params,
            "param_bytes": params.figures.param_bytes,
            "trainable_params": params.figures.trainable_params,
            "unused_params": params.figures.unused_params,
            "unused_param_bytes": params.figures.unused_param_bytes,
            "param_kind": params.kinds.kind,
            "param_kind_is_guess": params.kinds.is_guess,
            "float_ops": counted.float_ops,
            "macs": times_multiplicity(executed_only(figures.macs, nodes.executed.nodes), counted.multiplicity),
            "single_float_ops": figures.float_ops,
            "multiplicity": counted.multiplicity,
            "float_ops_source": figures.source.dictionary_encode(),
            "float_ops_reason": with_calls(figures.reason, figures.float_ops, counted).dictionary_encode(),
            "float_ops_assumes": assumes,
            "op_class": figures.op_class.dictionary_encode(),
            "trainable": params.trainable,
            **run_means(fused, figures.float_ops, nodes.names, nodes.executions.step_numbers),
        }
    )
