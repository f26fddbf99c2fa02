"""Joins graph, run metadata and op log into the node table, stage by stage."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import marks, to_bools, to_ints
from tfprof_report.diagnostics import Diagnostic
from tfprof_report.ingest.graph_def import SHAPE
from tfprof_report.ingest.read import Inputs
from tfprof_report.ingest.saved_model import Entry
from tfprof_report.later import Later
from tfprof_report.model.activity.measure_activity import measure_activity
from tfprof_report.model.columns import Columns
from tfprof_report.model.execution_counts import FunctionUse, with_calls
from tfprof_report.model.flops.evaluate import Reason
from tfprof_report.model.flops.fused_executions import diagnose_fused
from tfprof_report.model.flops.node_flops import RuleUse
from tfprof_report.model.functions.executed import executed_only
from tfprof_report.model.functions.inline import Expansion
from tfprof_report.model.functions.multiplicity import times_multiplicity
from tfprof_report.model.graph.edges import input_shapes_of
from tfprof_report.model.join.checkpoint_variables import compare_with_checkpoint
from tfprof_report.model.join.device_memory import device_peaks, memory_over_time
from tfprof_report.model.join.log_entries import (
    op_types_of,
)
from tfprof_report.model.join.memory import diagnose_memory
from tfprof_report.model.join.peak_buffers import buffers_at_peak
from tfprof_report.model.join.traces import own_lines
from tfprof_report.model.join.unmatched import diagnose_join
from tfprof_report.model.joined_nodes import (
    JoinedNodes,
    diagnostics_of,
    expand_nodes,
    join_nodes,
    misses_stream_of,
    unmatched_names,
)
from tfprof_report.model.node_table import Found, LaterParts, NodeTable
from tfprof_report.model.params.count import unknown_params
from tfprof_report.model.shapes.basis import sources_of_figures
from tfprof_report.model.shapes.batch import OPEN_BATCH, Batch
from tfprof_report.model.shapes.open_inputs import diagnose_open_inputs
from tfprof_report.model.shapes.resolve import ShapeUse
from tfprof_report.model.stages import Flops, Shapes, Stages, find_shapes
from tfprof_report.model.values import RUN_COLUMNS
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
    known = find_shapes(inputs, nodes, ShapeUse.RULES if is_asked else shapes, batch)
    stages = Stages(inputs, nodes, known, rules, functions)
    executions, run_metas = nodes.executions, nodes.run_metas
    unmatched = unmatched_names(inputs, nodes)
    misses_stream = misses_stream_of(inputs, executions, semantics)
    joined = partial(diagnose_join, inputs, executions, unmatched, nodes.log, semantics, misses_stream=misses_stream)
    return NodeTable(
        columns=_columns(stages),
        own_steps=executions.steps,
        records=executions.records,
        allocations=executions.allocations,
        edges=nodes.edges,
        canonical_device=executions.canonical_device,
        data_format=nodes.column("data_format", pa.string()),
        log_types=nodes.log.types,
        step_numbers=executions.step_numbers,
        walls=executions.walls,
        misses_stream=misses_stream,
        calls=nodes.calls,
        holder=stages.weights.holder,
        checkpoint=inputs.checkpoint,
        entry=Entry() if semantics.count_what_never_runs else inputs.entry,
        unmatched=unmatched,
        found=_found(stages, expansion, joined),
        later=LaterParts(
            steps=Later(lambda: stages.fused.steps),
            traces=nodes.log.traces,
            devices=Later(partial(device_peaks, run_metas)),
            memory=Later(partial(memory_over_time, run_metas)),
            buffers=Later(partial(buffers_at_peak, run_metas)),
            activity=Later(
                lambda: measure_activity(
                    run_metas,
                    executions.walls,
                    executions.without_stream,
                    nodes.names,
                    nodes.edges,
                    has_other_clocks=executions.has_other_clocks,
                )
            ),
            without_figure=Later(lambda: stages.flops.figures.missing if rules else 0),
        ),
    )


def _found(stages: Stages, expansion: Expansion, joined: Callable[[], list[Diagnostic]]) -> tuple[Found, ...]:
    """Return all diagnostics in the order in which reports have them."""
    inputs, nodes, known = stages.inputs, stages.nodes, stages.known
    executions, names = nodes.executions, nodes.names

    def part(find: Callable[[], Iterable[Diagnostic]], *, may_warn: bool = True) -> Found:
        return Found(diagnostics=Later(lambda: tuple(find())), may_warn=may_warn)

    return (
        part(lambda: diagnostics_of(inputs, expansion)),
        part(joined),
        part(lambda: diagnose_memory(names, executions.steps, executions.negative)),
        part(lambda: diagnose_fused(names, stages.fused), may_warn=False),
        part(lambda: stages.weights.diagnostics, may_warn=False),
        part(lambda: unknown_params(names, holds=stages.weights.holds, params=stages.weights.params)),
        part(lambda: known.shapes.diagnostics),
        part(lambda: nodes.executed.diagnostics),
        part(lambda: stages.flops.figures.diagnostics, may_warn=False),
        part(lambda: _open_inputs(nodes, known, stages.flops) if known.are_shown else ()),
        part(lambda: stages.flops.counted.diagnostics, may_warn=stages.counts_calls),
        part(lambda: compare_with_checkpoint(names, inputs.checkpoint)),
    )


def _open_inputs(nodes: JoinedNodes, known: Shapes, flops: Flops) -> list[Diagnostic]:
    """Return which inputs lack sizes that FLOPs need."""
    without = to_bools(pc.fill_null(pc.equal(flops.figures.reason(), str(Reason.SHAPE)), fill_value=False))
    return diagnose_open_inputs(nodes.expansion.nodes, nodes.edges, nodes.names, known.shapes, without)


def _columns(stages: Stages) -> Columns:
    """Return the columns that `NodeTable.columns` describes."""
    nodes, known = stages.nodes, stages.known
    return Columns(
        len(nodes.names),
        {
            "name": lambda: nodes.names,
            "op": _coded(lambda: nodes.ops),
            "source": _coded(lambda: _source(nodes, is_of_trace=stages.is_of_trace)),
            "device": _coded(lambda: _device(nodes)),
            "run_devices": lambda: stages.run_devices,
            "op_types": lambda: op_types_of(nodes.ops, stages.run_devices, nodes.log.types),
            "inputs": lambda: nodes.column("inputs", pa.list_(pa.string())),
            "attrs_digest": lambda: nodes.column("attrs_digest", pa.int64()),
            "shape": lambda: nodes.column("shape", SHAPE),
            "input_shapes": lambda: input_shapes_of(nodes.edges, stages.output_shapes),
            "output_shapes": lambda: stages.output_shapes,
            "shape_source": _coded(lambda: known.shapes.source),
            "shape_conflict": lambda: pa.array(known.shapes.conflicts),
            "params": lambda: stages.params.params,
            "param_bytes": lambda: stages.params.param_bytes,
            "trainable_params": lambda: stages.params.trainable_params,
            "unused_params": lambda: stages.params.unused_params,
            "unused_param_bytes": lambda: stages.params.unused_param_bytes,
            "param_kind": lambda: stages.kinds.kind,
            "param_kind_is_guess": lambda: stages.kinds.is_guess,
            "float_ops": lambda: stages.flops.counted.float_ops,
            "macs": lambda: _macs(nodes, stages.flops),
            "single_float_ops": lambda: stages.flops.figures.float_ops,
            "multiplicity": lambda: stages.flops.counted.multiplicity,
            "float_ops_source": _coded(lambda: stages.float_ops_source),
            "float_ops_reason": _coded(lambda: _reason(stages.flops)),
            "float_ops_assumes": lambda: sources_of_figures(known.of_rules, stages.figures_of),
            "op_class": _coded(lambda: stages.op_class),
            "trainable": lambda: stages.trainable,
            "layer": lambda: stages.layers.layer,
            "phase": lambda: stages.layers.phase,
            "is_layer_output": lambda: stages.layers.is_output,
            "dtype": _coded(lambda: stages.dtype),
            "code_line": _coded(lambda: own_lines(nodes.log.traces())),
            "static_output_bytes": lambda: stages.static_output_bytes,
            "moved_bytes": lambda: stages.moved_bytes,
            **{name: partial(_mean, stages, name) for name in RUN_COLUMNS},
        },
    )


def _coded(words: Callable[[], pa.Array]) -> Callable[[], pa.DictionaryArray]:
    """Return what computes a column of words, as dictionary codes."""
    return lambda: words().dictionary_encode()


def _mean(stages: Stages, name: str) -> pa.Array:
    return stages.means[name]


def _source(nodes: JoinedNodes, *, is_of_trace: bool) -> pa.Array:
    if is_of_trace:
        return pa.array(["run_metadata"] * len(nodes.names), pa.string())
    ran = marks(to_ints(nodes.executions.steps["node"]), len(nodes.names))
    source = np.where(~nodes.expansion.is_defined, "run_metadata", np.where(ran, "both", "graph"))
    return pa.array(source, pa.string())


def _device(nodes: JoinedNodes) -> pa.Array:
    device = nodes.column("device", pa.string())
    return pc.if_else(pc.equal(device, ""), _NO_TEXT, device)


def _macs(nodes: JoinedNodes, flops: Flops) -> pa.Array:
    return times_multiplicity(executed_only(flops.figures.macs, nodes.executed.nodes), flops.counted.multiplicity)


def _reason(flops: Flops) -> pa.Array:
    return with_calls(flops.figures.reason(), flops.figures.float_ops, flops.counted)
