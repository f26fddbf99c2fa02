"""Diagnoses the join: what it left out or could not match of graph, run metadata and op log, with examples."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import distinct, to_bools
from tfprof_report.diagnostics import EXAMPLES, Diagnostic, Severity
from tfprof_report.formatting import format_number, plural
from tfprof_report.ingest.graph_def import GraphColumns
from tfprof_report.ingest.read import Inputs
from tfprof_report.ingest.run_meta import RunMetaColumns
from tfprof_report.model.join.executions import Executions
from tfprof_report.model.join.log_entries import LoggedNodes
from tfprof_report.schema.metrics import NANOS_PER_MICRO, Unit
from tfprof_report.schema.tables import UNMATCHED
from tfprof_report.semantics import Semantics


def diagnose_join(
    inputs: Inputs,
    executions: Executions,
    unmatched: pa.Table,
    log: LoggedNodes,
    semantics: Semantics,
    *,
    misses_stream: bool,
) -> list[Diagnostic]:
    """Return a diagnostic for each kind of thing that matched nothing or was left out, with count and examples."""
    dangling = unmatched.filter(pc.equal(unmatched["input"], "graph"))
    is_named = pc.not_equal(executions.helpers["name"], "")
    helpers, nameless = executions.helpers.filter(is_named), executions.helpers.filter(pc.invert(is_named))
    duplicates = [name for name in inputs.graph.duplicates if name or semantics.count_nameless]
    log_names = [name for name in log.unmatched if name]
    second = int(pc.sum(pc.invert(executions.steps["first_device"])).as_py() or 0)
    found = [
        (
            Severity.WARNING,
            "duplicate_nodes",
            "graph nodes that repeat an earlier name are left out",
            len(duplicates),
            duplicates,
        ),
        (
            Severity.WARNING,
            "conflicting_graphs",
            "nodes have another op in a later graph; the first one counts",
            len(inputs.graph.conflicts),
            inputs.graph.conflicts,
        ),
        (
            Severity.NOTE,
            "run_only_nodes",
            "nodes seen only in run metadata have no op, inputs or shapes",
            len(executions.run_only),
            executions.run_only.slice(0, EXAMPLES).to_pylist(),
        ),
        (
            Severity.NOTE,
            "helper_records",
            "run metadata records of the runtime, not of a node, are not counted",
            int(pc.sum(helpers["records"]).as_py() or 0),
            _listed(helpers),
        ),
        (
            Severity.WARNING,
            "nameless_nodes",
            "graph nodes without a name are left out",
            0 if semantics.count_nameless else _nameless_nodes(inputs.graph),
            (),
        ),
        (
            Severity.WARNING,
            "nameless_records",
            "run metadata records without the name of a node are not counted",
            int(pc.sum(nameless["records"]).as_py() or 0),
            _listed(nameless, "no name"),
        ),
        (
            Severity.WARNING,
            "nameless_op_log",
            "op log entries without a name are not counted",
            len(log.unmatched) - len(log_names),
            (),
        ),
        (
            Severity.WARNING,
            "unmatched_op_log",
            "op log entries that name no node are not counted",
            len(log_names),
            log_names,
        ),
        (
            Severity.WARNING,
            "repeated_op_log",
            "op log entries repeat the name of an earlier one; the last FLOPs other than 0 and the types of all count",
            len(log.repeated),
            log.repeated,
        ),
        (
            Severity.WARNING,
            "dangling_inputs",
            "inputs that name no node of the graph are left out of shapes",
            int(pc.sum(dangling["records"]).as_py() or 0),
            dangling["name"].to_pylist(),
        ),
        (
            Severity.NOTE,
            "without_start_time",
            "run metadata records without a start time count for neither time nor memory",
            executions.without_start,
            (),
        ),
        (
            Severity.WARNING,
            "unknown_device",
            "devices are neither a CPU nor a GPU: run-time figures of nodes that ran there are unknown",
            executions.unknown_devices.num_rows,
            _listed(executions.unknown_devices),
        ),
        (
            Severity.NOTE,
            "second_device",
            "rows of steps.parquet on a second device of their node are counted here, though tfprof drops them",
            second,
            (),
        ),
    ]
    if executions.without_stream or misses_stream:
        gpus = executions.without_stream
        text = "GPUs that launched kernels have no stream:all trace: accelerator time of their nodes is unknown"
        found.append((Severity.WARNING, "missing_stream", text, max(len(gpus), 1), gpus))
    return [
        *(
            Diagnostic(severity=severity, code=code, text=text, count=count, examples=tuple(list(names)[:EXAMPLES]))
            for severity, code, text, count, names in found
            if count
        ),
        *executions.diagnostics,
    ]


def _listed(rows: pa.Table, nameless: str = "a device without a name") -> list[str]:
    """Return names with their records, time and bytes, in words."""
    return [
        f"{row['name'] or nameless} ({plural(row['records'], 'record')}, "
        f"time {format_number(_micros(row['nanos']), Unit.MICROS)}, memory {format_number(row['bytes'], Unit.BYTES)})"
        for row in rows.slice(0, EXAMPLES).to_pylist()
    ]


def _micros(nanos: int | None) -> float | None:
    return None if nanos is None else nanos / NANOS_PER_MICRO


def unmatched_table(
    *,
    dangling: pa.Array,
    helpers: pa.Table,
    devices: pa.Table,
    log_names: Sequence[str],
    traced: pa.Table | None = None,
) -> pa.Table:
    """Return one row per input and name, in the order of the parameters.

    Parameters
    ----------
    dangling : inputs of graph nodes whose source is missing from the graph, as written
    helpers : records of the runtime itself by name, such as tensor transfers, as in `Executions.helpers`
    devices : the same by device of unknown kind, whose records belong to nodes but are in none of their figures
    log_names : names of op log entries that match no node
    traced : what of a trace is in no step, or no op, as rows of this table (`xplane.runs.Run.outside`)
    """
    parts = [
        _counted("graph", dangling),
        _of_run("run_meta", helpers),
        _of_run("device", devices),
        _counted("op_log", pa.array(log_names, pa.string())),
        *([] if traced is None else [traced]),
    ]
    return pa.concat_tables(parts)


def _counted(source: str, names: pa.Array) -> pa.Table:
    counts = pc.value_counts(names)
    unknown = pa.nulls(len(counts), pa.int64())
    columns = [[source] * len(counts), counts.field("values"), counts.field("counts"), unknown, unknown]
    return pa.table(columns, schema=UNMATCHED)


def _of_run(source: str, rows: pa.Table) -> pa.Table:
    return pa.table([[source] * rows.num_rows, *rows.columns], schema=UNMATCHED)


def defined_nodes(
    graph: GraphColumns, run_metas: tuple[tuple[int, RunMetaColumns], ...], semantics: Semantics
) -> pa.Table:
    """Return the nodes of the graphs; under tfprof without definitions that came after run metadata named the node.

    tfprof creates such a node without a definition when it reads the run metadata, and ignores the later definition.
    Nodes without a name are left out unless tfprof counts them.
    """
    is_kept = np.ones(graph.nodes.num_rows, dtype=bool)
    if not semantics.count_nameless:
        is_kept = to_bools(pc.not_equal(graph.nodes["name"], ""))
    if graph.late is not None and semantics.late_definitions_are_lost:
        for after in distinct(graph.late[graph.late > 0]).tolist():
            earlier = [columns.executions["node_name"] for _, columns in run_metas[:after] if columns.has_step_stats]
            ran = pa.chunked_array([chunk for names in earlier for chunk in names.chunks], pa.string()).unique()
            is_kept &= (graph.late != after) | ~to_bools(pc.is_in(graph.nodes["name"], value_set=ran))
    return graph.nodes if is_kept.all() else graph.nodes.filter(pa.array(is_kept))


def _nameless_nodes(graph: GraphColumns) -> int:
    """Return the number of nodes without a name, those in the bodies of functions included."""
    first = int(pc.sum(pc.equal(graph.nodes["name"], "")).as_py() or 0)
    return first + graph.duplicates.count("") + (graph.library.nameless if graph.library else 0)
