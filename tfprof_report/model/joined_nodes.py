"""Joins run metadata, op log and checkpoint to the nodes of the graph and of the functions that it calls."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import list_values, whole
from tfprof_report.diagnostics import Diagnostic
from tfprof_report.ingest.read import Inputs
from tfprof_report.ingest.run_meta import RunMetaColumns
from tfprof_report.ingest.saved_model import UNCOUNTED_SIGNATURE
from tfprof_report.model.execution_counts import FunctionUse
from tfprof_report.model.functions.call_results import Results, results_of
from tfprof_report.model.functions.executed import Executed, find_executed
from tfprof_report.model.functions.inline import Expansion, expand_functions, without_bodies
from tfprof_report.model.functions.placed_calls import PlacedCalls, place_calls
from tfprof_report.model.functions.trips_from_run import name_as_inlined
from tfprof_report.model.graph.edges import read_inputs
from tfprof_report.model.join.checkpoint_variables import add_checkpoint_type
from tfprof_report.model.join.compiled import CompiledRuns, join_compiled
from tfprof_report.model.join.executions import Executions, join_executions
from tfprof_report.model.join.log_entries import (
    LoggedNodes,
    join_op_log,
)
from tfprof_report.model.join.name_rows import rows_of_names, with_more_names
from tfprof_report.model.join.run_records import concat_records
from tfprof_report.model.join.unmatched import defined_nodes, unmatched_table
from tfprof_report.model.shapes.from_consumers import add_taken
from tfprof_report.record import record
from tfprof_report.semantics import Semantics

_NO_NAMES = pa.array([], pa.string())


def expand_nodes(inputs: Inputs, semantics: Semantics, functions: FunctionUse | None) -> Expansion:
    """Return the nodes of the graph, followed by those of the functions that they call if `functions` is given."""
    graph = defined_nodes(inputs.graph, inputs.run_metas, semantics)
    return expand_functions(graph, inputs.graph.library) if functions else without_bodies(graph)


@record
class JoinedNodes:
    """All nodes: those of the expanded graph, then those seen only in run metadata, which have nothing but a name.

    Every array has a row for each of them, in this order.

    expansion : the nodes, with those that only run metadata has at its end
    results : what the bodies of functions return
    names, ops : per node; ops are NULL for nodes seen only in run metadata
    edges : as `edges.read_edges` gives them
    executions, log : run metadata and op log, joined to these nodes
    run_metas : run metadata in which the nodes of function bodies are renamed to their names in `expansion`
    executed : which nodes are executed; all where dead code counts
    compiled : which nodes XLA fused, by a trace; None without one, or where the nodes are those of the trace
    """

    expansion: Expansion
    results: Results
    names: pa.Array
    ops: pa.Array
    edges: pa.Table
    executions: Executions
    log: LoggedNodes
    run_metas: tuple[tuple[int, RunMetaColumns], ...]
    executed: Executed
    compiled: CompiledRuns | None = None

    @property
    def calls(self) -> PlacedCalls:
        """Which nodes call inlined functions, and which are in their bodies."""
        return place_calls(self.expansion, self.results)

    def column(self, name: str, kind: pa.DataType) -> pa.Array:
        """Return a column of the graph; NULL where a node, or the graph of a profile, has none."""
        nodes = self.expansion.nodes
        return whole(nodes[name].cast(kind)) if name in nodes.column_names else pa.nulls(len(nodes), kind)


def join_nodes(inputs: Inputs, expansion: Expansion, semantics: Semantics, outputs: tuple[str, ...]) -> JoinedNodes:
    """Join run metadata, op log and checkpoint to the nodes of the graph, and find those that `outputs` need."""
    graph = expansion.nodes
    run_metas = name_as_inlined(inputs.run_metas, expansion)
    compiled = None
    if inputs.traced is not None and not inputs.traced.is_graph:
        compiled = join_compiled(run_metas, inputs.traced.run.ops, whole(graph["name"]))
        run_metas = compiled.run_metas
    records, entries = concat_records(run_metas), inputs.op_log.entries["name"] if inputs.op_log else _NO_NAMES
    written = read_inputs(whole(graph["inputs"]))
    row, source, logged = rows_of_names(whole(graph["name"]), [records["node_name"], written.producer, entries])
    executions = join_executions(
        records, row, graph["op"].cast(pa.string()), run_metas, count_nameless=semantics.count_nameless
    )
    more = executions.run_only
    expansion = expansion.with_undefined(more)
    nodes = expansion.nodes
    names, ops = whole(nodes["name"]), whole(nodes["op"].cast(pa.string()))
    edges = written.edges(with_more_names(source, written.producer, more, first=graph.num_rows))
    log = join_op_log(names, inputs.op_log, with_more_names(logged, entries, more, first=graph.num_rows))
    run_metas = add_taken(run_metas, names=names, ops=ops, edges=edges)
    results = results_of(expansion, names)
    executed = Executed(nodes=np.ones(len(names), dtype=bool))
    if not semantics.count_what_never_runs:
        library = inputs.graph.library
        executed = find_executed(expansion, results, library, names=names, ops=ops, edges=edges, outputs=outputs)
    return JoinedNodes(
        expansion=expansion,
        results=results,
        names=names,
        ops=ops,
        edges=edges,
        executed=executed,
        executions=executions,
        log=replace(log, types=add_checkpoint_type(log.types, names, inputs.checkpoint)),
        run_metas=run_metas,
        compiled=compiled,
    )


def unmatched_names(inputs: Inputs, nodes: JoinedNodes) -> pa.Table:
    """Return the names in the inputs that match no node."""
    written = list_values(whole(nodes.expansion.nodes["inputs"])).drop_null()
    return unmatched_table(
        dangling=written.filter(pc.is_null(nodes.edges["source"])),
        helpers=nodes.executions.helpers,
        devices=nodes.executions.unknown_devices,
        log_names=nodes.log.unmatched,
        traced=inputs.traced.run.outside if inputs.traced else None,
    )


def misses_stream_of(inputs: Inputs, executions: Executions, semantics: Semantics) -> bool:
    """Return whether a GPU device has no kernel times; a ProfileProto has its own flag for this."""
    if inputs.misses_stream is None:
        return executions.misses_stream
    return inputs.misses_stream and not semantics.profile_forgets_missing_stream


def diagnostics_of(inputs: Inputs, expansion: Expansion) -> Iterator[Diagnostic]:
    """Yield the diagnostics of reading, except for a signature that inlining has counted after all."""
    is_inlining = len(expansion.calls.row) > 0
    yield from (found for found in inputs.diagnostics if not (is_inlining and found.code == UNCOUNTED_SIGNATURE))
