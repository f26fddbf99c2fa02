"""What the join of graph, run metadata and op log left out or could not match, counted and with examples."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.diagnostics import Diagnostic, Severity
from tfprof_report.ingest.read import Inputs
from tfprof_report.model.executions import Executions
from tfprof_report.model.op_log_join import LoggedNodes

EXAMPLES = 5
"""Names that a diagnostic shows."""


def diagnose_join(
    inputs: Inputs, executions: Executions, unmatched: pa.Table, log: LoggedNodes, *, misses_stream: bool
) -> list[Diagnostic]:
    """Return what matched nothing and what was left out, each counted and with examples."""
    dangling = unmatched.filter(pc.equal(unmatched["input"], "graph"))
    second = int(pc.sum(pc.invert(executions.steps["first_device"])).as_py() or 0)
    found = [
        (
            Severity.WARNING,
            "duplicate_nodes",
            "graph nodes that repeat an earlier name are left out",
            len(inputs.graph.duplicates),
            inputs.graph.duplicates,
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
            sum(executions.helpers.values()),
            list(executions.helpers),
        ),
        (
            Severity.WARNING,
            "unmatched_op_log",
            "op log entries that name no node are not counted",
            len(log.unmatched),
            log.unmatched,
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
            Severity.NOTE,
            "second_device",
            "rows of steps.parquet on a second device of their node are counted here, though tfprof drops them",
            second,
            (),
        ),
    ]
    if misses_stream:
        found.append(
            (
                Severity.WARNING,
                "missing_stream",
                "GPU devices have no stream:all trace, so accelerator time is missing",
                1,
                (),
            )
        )
    return [
        Diagnostic(severity=severity, code=code, text=text, count=count, examples=tuple(list(names)[:EXAMPLES]))
        for severity, code, text, count, names in found
        if count
    ]
