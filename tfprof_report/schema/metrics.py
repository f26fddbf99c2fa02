"""All reported figures, each with its column stem, unit, label and meaning, and the schema version."""

from __future__ import annotations

from enum import StrEnum

from tfprof_report.record import record

SCHEMA_VERSION = 3
"""Version of the Parquet schemas and of ``summary.json``, increased by changes that break existing readers."""

COUNTING_VERSION = 3
"""Version of what the figures mean, kept in each report beside the figures.

Raise it with a change that gives the same inputs under the same options another figure, since figures of before and
after such a change are not comparable. Rules for FLOPs have their own version (`model.flops.rule_sets.VERSIONS`), and a
change of columns is one of `SCHEMA_VERSION`. Reports without a counting version were written before there was one: they
have 1.
"""

ROOT = "_TFProfRoot"
"""Name of the root row of every view, as in tfprof."""

VIEWS = ("scope", "graph", "op", "code")
"""All views."""

NODE_VIEWS = ("scope", "graph")
"""Views whose rows are nodes or scopes, so that their rows can be matched through renamed nodes."""

Number = int | float
"""Type of a figure: int where it is exact, float for a mean over several steps."""


class Unit(StrEnum):
    """Unit of a figure."""

    COUNT = "count"
    BYTES = "bytes"
    MICROS = "microseconds"


class Kind(StrEnum):
    """What a figure depends on."""

    STATIC = "static"  # the graph and the op log alone
    RUN = "run"  # run metadata, per step
    COUNT = "definitions"


@record
class Metric:
    """A figure of a node. `stem` is its column, ``self_``/``total_`` + stem its columns in a view.

    `source` names the fields of TensorFlow's messages or the figures that it is computed from.
    """

    stem: str
    unit: Unit
    kind: Kind
    label: str
    doc: str
    source: str

    @property
    def is_mean(self) -> bool:
        """Whether tables of nodes and views have it as a mean over steps (float64), not as an exact int64."""
        return self.kind is Kind.RUN


METRICS = {
    metric.stem: metric
    for metric in (
        Metric(
            stem="params",
            unit=Unit.COUNT,
            kind=Kind.STATIC,
            label="Parameters",
            doc="Elements of the variable or frozen weight; 0 for nodes that hold none, for all but the first node of "
            "a shared variable, and for unused variables (nodes.parquet: unused_params); NULL where the shape is not "
            "known.",
            source="NodeDef.attr: shape, dtype, value of variables and constants",
        ),
        Metric(
            stem="trainable_params",
            unit=Unit.COUNT,
            kind=Kind.STATIC,
            label="Trainable parameters",
            doc="Those of the parameters that are trainable (nodes.parquet: param_kind); NULL for frozen weights, "
            "which do not say whether they were, and where the shape or the kind is not known.",
            source="the op log, MetaGraphDef or SavedModel, else how the graph uses and updates its variables",
        ),
        Metric(
            stem="param_bytes",
            unit=Unit.BYTES,
            kind=Kind.STATIC,
            label="Size of parameters",
            doc="Parameters x size of their type; NULL where the shape or the type is not known.",
            source="NodeDef.attr: shape, dtype, value of variables and constants",
        ),
        Metric(
            stem="float_ops",
            unit=Unit.COUNT,
            kind=Kind.STATIC,
            label="FLOPs",
            doc="Floating-point operations per execution of the graph, multiply and add counted apart: those of one "
            "execution of the node x its multiplicity (nodes.parquet: single_float_ops, multiplicity); "
            "from the op log, else by rules (nodes.parquet: float_ops_source); NULL where neither has a number.",
            source="OpLogEntry.float_ops, else rules over the shapes in NodeDef.attr",
        ),
        Metric(
            stem="macs",
            unit=Unit.COUNT,
            kind=Kind.STATIC,
            label="MACs",
            doc="Multiply-adds of contractions (convolutions, matrix products, recurrent cells) per execution of the "
            "graph, by rules, whatever the op log says of FLOPs; 0 for other classes of ops; NULL where no rule has a "
            "number.",
            source="rules over the shapes in NodeDef.attr",
        ),
        Metric(
            stem="run_float_ops",
            unit=Unit.COUNT,
            kind=Kind.RUN,
            label="FLOPs run",
            doc="FLOPs of one execution x executions in a step; NULL without run metadata.",
            source="single_float_ops x run_count",
        ),
        Metric(
            stem="bytes",
            unit=Unit.BYTES,
            kind=Kind.RUN,
            label="Requested memory",
            doc="Bytes that the node asked its allocators for, summed over the step: not what is held at once.",
            source="NodeExecStats: memory.total_bytes, memory_stats (temporary and persistent)",
        ),
        Metric(
            stem="peak_bytes",
            unit=Unit.BYTES,
            kind=Kind.RUN,
            label="Peak memory of nodes",
            doc="Most bytes a node held at one moment. A total is a sum of peaks at different moments: an upper bound.",
            source="NodeExecStats: memory.peak_bytes, memory_stats (temporary and persistent)",
        ),
        Metric(
            stem="residual_bytes",
            unit=Unit.BYTES,
            kind=Kind.RUN,
            label="Residual memory",
            doc="Bytes requested and not released when the node ended.",
            source="NodeExecStats: memory.live_bytes, memory_stats (persistent)",
        ),
        Metric(
            stem="output_bytes",
            unit=Unit.BYTES,
            kind=Kind.RUN,
            label="Output memory",
            doc="Bytes of the node's outputs, whoever allocated them.",
            source="NodeExecStats: output.tensor_description.allocation_description",
        ),
        Metric(
            stem="micros",
            unit=Unit.MICROS,
            kind=Kind.RUN,
            label="Op time",
            doc="accelerator_micros + cpu_micros of a step. Nodes run at the same time, so a total is not the time of "
            "a step (wall_micros).",
            source="accelerator_micros + cpu_micros",
        ),
        Metric(
            stem="accelerator_micros",
            unit=Unit.MICROS,
            kind=Kind.RUN,
            label="Accelerator time",
            doc="Kernel time on devices named `stream:all`.",
            source="NodeExecStats.op_end_rel_micros on devices named stream:all",
        ),
        Metric(
            stem="cpu_micros",
            unit=Unit.MICROS,
            kind=Kind.RUN,
            label="CPU time",
            doc="Time from start to end on CPU and scheduling devices, waiting included.",
            source="NodeExecStats.op_end_rel_micros on CPU and GPU devices",
        ),
        Metric(
            stem="run_count",
            unit=Unit.COUNT,
            kind=Kind.RUN,
            label="Executions",
            doc="Executions in a step.",
            source="records of NodeExecStats with all_start_micros",
        ),
        Metric(
            stem="definition_count",
            unit=Unit.COUNT,
            kind=Kind.COUNT,
            label="Nodes",
            doc="Nodes defined.",
            source="GraphDef.node, FunctionDef.node_def",
        ),
    )
}
"""All figures by stem, in the order of tables and reports."""

RUN_STEMS = tuple(stem for stem, metric in METRICS.items() if metric.kind is Kind.RUN)
SUMMED_STEMS = tuple(stem for stem, metric in METRICS.items() if metric.kind is not Kind.COUNT)
"""Figures that may be unknown for a node, so that sums of them may be lower bounds."""

STEP_STEMS = tuple(stem for stem in RUN_STEMS if stem != "run_float_ops")
"""Figures that run metadata gives directly, per node, step and device."""

NANOS = {"micros": "nanos", "accelerator_micros": "accelerator_nanos", "cpu_micros": "cpu_nanos"}
"""The columns of steps.parquet with exact times in nanoseconds, by the stems that are computed from them."""

NANOS_PER_MICRO = 1000

DEVICE_PEAK = "device_peak_bytes"
"""The most memory in use on any device in any step; not a sum over nodes, so not one of `METRICS`."""

ESTIMATED_PEAK = "estimated_peak_bytes"
"""An estimate of the peak memory from the graph alone; no sum over nodes either, and never mixed with measured ones."""

VARYING = ("bytes", "peak_bytes", "residual_bytes", DEVICE_PEAK)
"""Figures of memory that differ between steps of one graph, with the order in which threads run."""

WALL = "wall_micros"
"""Stem of the wall time of a step; it belongs to no node, so it is not one of `METRICS`."""

IDLE, TRANSFER = "idle_micros", "transfer_bytes"
"""Stems of the idle time of a step and of the bytes that are moved in it, summed over all devices."""

STEP_TIMES = (WALL, IDLE)
OF_STEPS = (*STEP_TIMES, TRANSFER)
"""Figures that belong to a step, of which a report has the mean."""

OF_NO_NODE = (DEVICE_PEAK, *OF_STEPS)
"""Figures of a run that are no sums over nodes."""

VARIABLE_OPS = ("VariableV2", "Variable", "VarHandleOp")
"""Op types that hold parameters."""

TRAINABLE_TYPE = "_trainable_variables"
"""The op-log type with which TensorFlow's Python layer marks trainable variables."""

UNIT_CONVENTIONS = {
    "float_ops": "per execution of the graph: single_float_ops x multiplicity; multiply and add counted apart",
    "macs": "multiply-adds of contractions per execution of the graph; each is two of float_ops",
    "single_float_ops": "of one execution of the node",
    "run_float_ops": "single_float_ops x executions per step",
    "micros": "microseconds; accelerator_micros + cpu_micros, summed over nodes, which may run at the same time",
    "nanos": "nanoseconds, from which micros are computed: exact where the trace has nanoseconds",
    "wall_micros": "microseconds from the first start to the last end of a step, over all devices",
    "idle_micros": "microseconds of a step in which a device is not busy, summed over devices",
    "transfer_bytes": "bytes moved between devices in a step: copies, receives, collectives",
    "bytes": "bytes requested from allocators, summed over a step",
    "peak_bytes": "bytes; totals are sums of peaks at different moments",
    "estimated_peak_bytes": "bytes; an estimate from the graph alone, with the shapes that FLOPs are counted with",
    "params": "elements of variables, each once, and of frozen weights; without unused ones",
    "trainable_params": "those of params that are trainable; NULL for frozen weights",
    "unused_params": "elements of variables that are only assigned, saved and restored",
    "param_bytes": "bytes; params x size of the type",
    "mean": "run-time columns of nodes.parquet are means over all steps; steps.parquet is exact",
    "unknown": "NULL, never 0",
}
