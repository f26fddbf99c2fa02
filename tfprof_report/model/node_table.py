"""The node table: one row per profiler node with everything known about it, and the tables that hang on its rows."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tfprof_report.diagnostics import Diagnostic
from tfprof_report.ingest.arrays import Ints, list_values, to_ints
from tfprof_report.ingest.checkpoint import Checkpoint
from tfprof_report.ingest.graph import RULE_ATTRS, SHAPE, SHAPES, VARIABLE_ATTRS
from tfprof_report.ingest.read import Inputs
from tfprof_report.ingest.saved_model import UNCOUNTED_SIGNATURE
from tfprof_report.model.call_results import fill_call_shapes, hand_results, results_of
from tfprof_report.model.checkpoint_types import add_checkpoint_type, compare_with_checkpoint
from tfprof_report.model.device_memory import device_peaks, memory_over_time
from tfprof_report.model.executions import join_executions
from tfprof_report.model.function_use import FunctionUse, count_calls, with_calls
from tfprof_report.model.functions import Expansion, expand_functions
from tfprof_report.model.join_notes import diagnose_join
from tfprof_report.model.known_shapes import ShapeUse, as_given, know_shapes
from tfprof_report.model.later_graphs import defined_nodes
from tfprof_report.model.multiplicity import times_multiplicity
from tfprof_report.model.op_log_join import join_op_log, marked_trainable
from tfprof_report.model.param_kinds import tell_kinds
from tfprof_report.model.params import unknown_params
from tfprof_report.model.placed_calls import PlacedCalls, place_calls
from tfprof_report.model.rule_use import RuleUse, figure_float_ops
from tfprof_report.model.run_trips import name_as_inlined
from tfprof_report.model.shapes import input_shapes_of, read_edges
from tfprof_report.model.totals import DevicePeak
from tfprof_report.model.traces import Traces
from tfprof_report.model.type_lists import op_types_of, run_devices_of
from tfprof_report.model.unmatched import unmatched_table
from tfprof_report.model.values import run_means
from tfprof_report.model.weights import find_weights
from tfprof_report.semantics import CORRECTED, Semantics

_NO_TEXT = pa.scalar(None, pa.string())


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeTable:
    """All nodes of one model, with the tables that point at their rows.

    nodes : DataFrame of Arrow-backed columns, one row per node: graph nodes in graph order, then nodes seen only in run
        metadata in order of appearance. Unknown is NULL. Columns:

        ==================  ========================  ===========================================================
        name                string                    unique
        op                  dictionary                NULL for a node seen only in run metadata
        source              dictionary                ``graph``, ``run_metadata`` or ``both``
        device              dictionary                as assigned in the graph; NULL if not assigned
        run_devices         list of string            CPU and GPU devices it ran on, lower case, sorted
        op_types            list of string            op, devices it ran on and op-log types, sorted, each once
        inputs              list of string            as written in the graph, control inputs included
        shape               list of int64             attr ``shape``; -1 unknown dimension, [] scalar, NULL none
        input_shapes        list of list of int64     per data input the shape of that output; NULL unknown
        output_shapes       list of list of int64     attr ``_output_shapes``, completed if asked for; NULL unknown
        shape_source        dictionary                the last of ``graph``, ``user``, ``run_metadata`` and ``inferred``
                                                      that told something of output_shapes; NULL if nothing is known
        shape_conflict      bool                      two sources contradict each other; the first one counts
        params              int64                     elements of a variable or of a frozen weight; 0 for other nodes
                                                      and for further nodes of a shared variable
        param_bytes         int64                     their size in bytes
        param_kind          dictionary                `param_kinds.ParamKind`; NULL for a node without parameters
        param_kind_is_guess  bool                     the kind is a guess, by `param_kinds.RULES`; NULL likewise
        float_ops           int64                     per execution of the graph: single_float_ops x multiplicity
        macs                int64                     multiply-adds of contractions per execution of the graph, by
                                                      rules; 0 for other classes
        single_float_ops    int64                     of one execution of the node
        multiplicity        int64                     executions per execution of the graph; NULL unknown; 1 outside
                                                      of functions
        float_ops_source    dictionary                ``op_log``, ``tfprof_rules`` (a rule of TensorFlow's registry),
                                                      ``extended_rules`` or ``user_rules``; NULL where float_ops is
        float_ops_reason    dictionary                why float_ops is NULL (`float_ops.Reason`); NULL where it is not
        op_class            dictionary                `rules.OpClass` of the op type; NULL if no rule set knows it
        trainable           bool                      NULL unless an op log marks trainable variables
        run_count ...       float64                   `schema.RUN_STEMS`: means over all steps; 0 for a node that
                                                      did not run, NULL without run metadata
        ==================  ========================  ===========================================================
    steps : `executions.Executions.steps`, exact figures per node, step and device.
    records, allocations : `executions.Executions.records` and `.allocations`, every record of run metadata by itself.
    edges : one row per input: node, position, source (row, NULL if the graph has no such node), slot, is_control.
    canonical_device : per node the first CPU or GPU device that it ran on; NULL if none. tfprof's only device.
    data_format : per node the attribute of that name, such as ``NHWC``; NULL if it has none.
    log_types : per node its op-log types, in log order.
    traces : the call stacks that built the nodes.
    without_figure : nodes that have a FLOPs rule which gives no figure, for lack of a shape mostly; 0 without rules.
    unmatched : names in the inputs that are no node, with how often they occur (`unmatched.UNMATCHED`).
    has_run_meta : at least one step was added.
    calls : which nodes call inlined functions, and which stand in their bodies.
    memory : what devices held over time (`device_memory.MEMORY`).
    holder : per node the row that counts the parameters it stands for: the first one of a shared variable, else itself.
    checkpoint : the values of variables, read on demand.
    """

    nodes: pd.DataFrame
    steps: pa.Table
    records: pa.Table
    allocations: pa.Table
    edges: pa.Table
    canonical_device: pa.Array
    data_format: pa.Array
    log_types: pa.ListArray
    traces: Traces
    step_numbers: tuple[int, ...]
    devices: tuple[DevicePeak, ...]
    memory: pa.Table
    misses_stream: bool
    without_figure: int
    unmatched: pa.Table
    diagnostics: tuple[Diagnostic, ...]
    calls: PlacedCalls
    holder: Ints
    checkpoint: Checkpoint | None = None

    @property
    def has_run_meta(self) -> bool:
        """Whether at least one step was added."""
        return bool(self.step_numbers)

    def column(self, name: str) -> pa.Array:
        """Return a column of `nodes` as one Arrow array."""
        return pa.Array.from_pandas(self.nodes[name])

    @property
    def ops(self) -> pa.Array:
        """The op types that views show: a node seen only in run metadata has its own name, as in tfprof."""
        return pc.coalesce(self.column("op").cast(pa.string()), self.column("name"))


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
    ran = np.zeros(count, dtype=bool)
    ran[to_ints(executions.steps["node"])] = True
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
        nodes=pa.table(columns).to_pandas(types_mapper=pd.ArrowDtype),
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


def _inlined(expansion: Expansion | None, count: int) -> NDArray[np.bool_]:
    """Return the nodes that call functions, of which all stand below them."""
    inlined = np.zeros(count, dtype=bool)
    if expansion:
        inlined[expansion.calls.row] = True
        for rows in expansion.skipped.values():
            inlined[rows] = False
    return inlined
