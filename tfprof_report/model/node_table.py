"""The node table: one row per profiler node with everything known about it, and the tables that refer to its rows."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Ints
from tfprof_report.diagnostics import Diagnostic, Severity
from tfprof_report.ingest.checkpoint import Checkpoint
from tfprof_report.ingest.saved_model import Entry
from tfprof_report.later import Later
from tfprof_report.model.columns import Columns
from tfprof_report.model.functions.placed_calls import PlacedCalls
from tfprof_report.model.join.traces import Traces
from tfprof_report.model.totals import DeviceActivity, DevicePeak, StepWall
from tfprof_report.record import record
from tfprof_report.threads import Threads

if TYPE_CHECKING:
    import pandas as pd


@record
class Found:
    """Diagnostics of one part of the work; `may_warn` is False where they are notes only."""

    diagnostics: Later[tuple[Diagnostic, ...]]
    may_warn: bool = True


@record
class LaterParts:
    """What of a node table is computed when it is first asked for, since most views do without it."""

    steps: Later[pa.Table]
    traces: Later[Traces]
    devices: Later[tuple[DevicePeak, ...]]
    memory: Later[pa.Table]
    buffers: Later[pa.Table]
    activity: Later[DeviceActivity]
    without_figure: Later[int]


_APART = ("layer", "run_float_ops")
"""Columns that take long and share little on the way: layers, and executions with their FLOPs."""


@dataclass(frozen=True, kw_only=True)
class NodeTable:
    """All nodes of one model, with the tables that refer to their rows.

    Columns and some other parts are computed when they are first asked for, and keep the inputs in memory until then;
    `settle` computes all of them.

    columns : one row per node: graph nodes in graph order, then nodes seen only in run metadata in order of appearance.
        Unknown is NULL. `nodes` is the same as a pandas table. Columns:

        ==================  ========================  ===========================================================
        name                string                    unique
        op                  dictionary                NULL for a node seen only in run metadata
        source              dictionary                ``graph``, ``run_metadata`` or ``both``
        device              dictionary                as assigned in the graph; NULL if not assigned
        run_devices         list of string            CPU and GPU devices it ran on, lower case, sorted
        op_types            list of string            op, devices it ran on and op-log types, sorted, each once
        inputs              list of string            as written in the graph, control inputs included
        attrs_digest        int64                     equal for equal attributes (`attrs.attr_digests`); NULL for a node
                                                      that is not in the graph or is of a profile, and unless
                                                      `read_inputs` is asked for digests
        shape               list of int64             attr ``shape``; -1 unknown dimension, [] scalar, NULL none
        input_shapes        list of list of int64     per data input the shape of that output; NULL unknown
        output_shapes       list of list of int64     attr ``_output_shapes``, completed if asked for; NULL unknown
        shape_source        dictionary                the last of ``graph``, ``user``, ``run_metadata``, ``batch`` and
                                                      ``inferred`` that added to output_shapes; NULL if nothing is known
        shape_conflict      bool                      two sources contradict each other; the first one is used
        params              int64                     elements of a variable or of a frozen weight; 0 for other nodes,
                                                      for further nodes of a shared variable and for unused ones
        param_bytes         int64                     their size in bytes
        trainable_params    int64                     those that are trainable; NULL for frozen weights
        unused_params       int64                     elements of unused variables
        unused_param_bytes  int64                     their size in bytes
        param_kind          dictionary                `kinds.ParamKind`; NULL for a node without parameters
        param_kind_is_guess  bool                     the kind is a guess, by `kinds.RULES`; NULL likewise
        float_ops           int64                     per execution of the graph: single_float_ops x multiplicity
        macs                int64                     multiply-adds of contractions per execution of the graph, by
                                                      rules; 0 for other classes
        single_float_ops    int64                     of one execution of the node
        multiplicity        int64                     executions per execution of the graph; NULL unknown; 1 outside
                                                      functions and loops; 0 for dead code
        float_ops_source    dictionary                ``op_log``, ``tfprof_rules`` (a rule of TensorFlow's registry),
                                                      ``extended_rules`` or ``user_rules``; NULL where float_ops is
        float_ops_reason    dictionary                why float_ops is NULL (`evaluate.Reason`); NULL where it is not
        float_ops_assumes   dictionary                ``batch`` or ``run_metadata``: without it float_ops or macs
                                                      would be unknown or another figure; NULL if neither
        op_class            dictionary                `rule.OpClass` of the op type; NULL if no rule set knows it
        trainable           bool                      NULL unless an op log marks trainable variables
        layer               dictionary                what its builder calls a layer (`layers.assign`); NULL for nodes
                                                      that are in none
        phase               dictionary                `layers.phases.Phase`
        is_layer_output     bool                      it gives its layer's output; NULL for nodes that are in none
        dtype               dictionary                type of what it computes, such as ``float32``; NULL if not known
        code_line           dictionary                the innermost line of the model's own code that built it, by the
                                                      op log's call stacks (`traces.own_lines`); NULL if not known
        static_output_bytes  int64                    of the outputs of one execution, by shape and type; NULL unknown
        moved_bytes         int64                     that one execution moves at least (`shapes.moved_bytes`);
                                                      NULL unknown
        run_count ...       float64                   `metrics.RUN_STEMS`: means over all steps; 0 for a node that
                                                      did not run, NULL without run metadata; bytes are NULL where
                                                      a record does not tell them
        memory_reason       dictionary                why bytes are NULL in a step (`memory.NoMemory`)
        ran_in              string                    the node in whose fused kernel it ran; NULL if in its own
        run_count_reason    dictionary                why run_count is NULL (`fused_executions.REPLACED`)
        ==================  ========================  ===========================================================
    own_steps : `executions.Executions.steps`, exact figures per node, step and device.
    steps : `fused_executions.FusedExecutions.steps`, the same with the rows of nodes that ran in the kernels of others.
    records, allocations : `executions.Executions.records` and `.allocations`, one row per record of run metadata.
    edges : one row per input: node, position, source (row, NULL if the graph has no such node), slot, is_control.
    canonical_device : per node the first CPU or GPU device that it ran on; NULL if none. tfprof knows no other device.
    data_format : per node the attribute of that name, such as ``NHWC``; NULL if it has none.
    log_types : per node its op-log types, in log order.
    traces : the call stacks that built the nodes.
    without_figure : number of nodes whose FLOPs rule gives no figure, mostly for lack of a shape; 0 without rules.
    unmatched : names in the inputs that match no node, with how often they occur (`tables.UNMATCHED`).
    diagnostics : all notes and warnings; `warnings` are those that are more than notes.
    has_run_meta : at least one step was added.
    calls : which nodes call inlined functions, and which are in their bodies.
    walls : the wall time of each step, over all nodes and devices of its run metadata.
    memory : bytes held by devices over time (`tables.MEMORY`).
    buffers : what devices hold at their peaks, by name of the node (`peak_buffers.BUFFERS`).
    activity : how long devices were busy, idle and waiting, and what was moved between them.
    holder : per node the row that counts its parameters: the first node of a shared variable, otherwise itself.
    checkpoint : the values of variables, read on demand.
    entry : which of the nodes a SavedModel's signature needs.
    """

    columns: Columns
    own_steps: pa.Table
    records: pa.Table
    allocations: pa.Table
    edges: pa.Table
    canonical_device: pa.Array
    data_format: pa.Array
    log_types: pa.ListArray
    step_numbers: tuple[int, ...]
    walls: tuple[StepWall, ...]
    misses_stream: bool
    unmatched: pa.Table
    found: tuple[Found, ...]
    calls: PlacedCalls
    holder: Ints
    later: LaterParts
    checkpoint: Checkpoint | None = None
    entry: Entry = field(default_factory=Entry)

    @property
    def steps(self) -> pa.Table:
        """Exact figures per node, step and device, with the nodes inside fused kernels."""
        return self.later.steps()

    @property
    def traces(self) -> Traces:
        """The call stacks that built the nodes."""
        return self.later.traces()

    @property
    def devices(self) -> tuple[DevicePeak, ...]:
        """Peak memory of each device and step."""
        return self.later.devices()

    @property
    def memory(self) -> pa.Table:
        """Bytes held by devices over time."""
        return self.later.memory()

    @property
    def buffers(self) -> pa.Table:
        """What devices hold at their peaks."""
        return self.later.buffers()

    @property
    def activity(self) -> DeviceActivity:
        """What devices did in all steps."""
        return self.later.activity()

    @property
    def without_figure(self) -> int:
        """Number of nodes whose FLOPs rule gives no figure."""
        return self.later.without_figure()

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All diagnostics."""
        return tuple(each for found in self.found for each in found.diagnostics())

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """The diagnostics that are no notes. What finds notes only is not computed."""
        of_parts = (each for found in self.found if found.may_warn for each in found.diagnostics())
        return tuple(each for each in of_parts if each.severity is not Severity.NOTE)

    def settle(self, threads: Threads) -> None:
        """Compute all that is computed later, so that the inputs are no longer kept in memory for it."""
        for done in [threads.start(self.columns.__getitem__, name) for name in _APART]:
            done()
        for name in self.columns.column_names:
            self.columns[name]
        for part in fields(self.later):
            getattr(self.later, part.name)()
        _ = self.diagnostics

    @property
    def has_run_meta(self) -> bool:
        """Whether at least one step was added."""
        return bool(self.step_numbers)

    @cached_property
    def nodes(self) -> pd.DataFrame:
        """The pandas table: all `columns` with Arrow's types, which are not copied."""
        import pandas as pd  # noqa: PLC0415 a third of a second, which text views do without

        nodes: pd.DataFrame = self.columns.to_batch().to_pandas(types_mapper=pd.ArrowDtype)
        return nodes

    @property
    def count(self) -> int:
        """How many nodes there are."""
        return self.columns.num_rows

    def column(self, name: str) -> pa.Array:
        """Return one of `columns`."""
        return self.columns[name]

    @property
    def ops(self) -> pa.Array:
        """The op types that views show: a node seen only in run metadata has its own name, as in tfprof."""
        return pc.coalesce(self.column("op").cast(pa.string()), self.column("name"))
