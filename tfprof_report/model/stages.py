"""The stages between joined nodes and the columns of the node table: shapes, parameters, FLOPs, fused executions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, marks, to_bools, to_ints
from tfprof_report.ingest.attrs.shape_attrs import SHAPE_ATTRS
from tfprof_report.ingest.graph_def import RULE_ATTRS, SHAPE, SHAPES, TYPE_ATTRS, VARIABLE_ATTRS
from tfprof_report.ingest.paths import InputShape
from tfprof_report.ingest.read import Inputs
from tfprof_report.ingest.xplane.trace_graph import FIGURED_BY, TRACED_BYTES, TRACED_FIGURES, TRACED_REPEATS
from tfprof_report.ingest.xplane.traced_ops import PROGRAM
from tfprof_report.model.execution_counts import CountedCalls, FunctionUse, count_calls
from tfprof_report.model.flops.fused_executions import FusedExecutions, find_fused
from tfprof_report.model.flops.node_flops import Figures, RuleUse, TracedFigures, figure_float_ops
from tfprof_report.model.flops.rule import OpClass
from tfprof_report.model.functions.call_results import fill_call_shapes, hand_results
from tfprof_report.model.functions.multiplicity import Trips
from tfprof_report.model.graph.data_types import type_names
from tfprof_report.model.graph.element_types import element_types
from tfprof_report.model.join.log_entries import (
    marked_trainable,
    run_devices_of,
)
from tfprof_report.model.joined_nodes import (
    JoinedNodes,
)
from tfprof_report.model.layers.assign import Layers, assign_layers
from tfprof_report.model.layers.traced_names import assign_traced
from tfprof_report.model.params.figures import ParamFigures, figure_params, unknown_figures
from tfprof_report.model.params.kinds import Kinds, ParamKind, classify_params, unknown_kinds
from tfprof_report.model.params.weights import Weights, find_weights
from tfprof_report.model.shapes.batch import OPEN_BATCH, Batch
from tfprof_report.model.shapes.imported import imported_shapes
from tfprof_report.model.shapes.moved_bytes import moved_bytes
from tfprof_report.model.shapes.output_bytes import OutputSizes, declared_types, output_sizes
from tfprof_report.model.shapes.resolve import KnownShapes, Level, ShapeUse, as_given, resolve_shapes
from tfprof_report.model.values import run_means
from tfprof_report.record import record


@record
class Shapes:
    """Shapes of the outputs of all nodes.

    shapes : all known shapes, with their source
    of_rules : the shapes that FLOPs are counted with, before `RuleUse.fill_shapes` completes them from run metadata;
        then those without the batch, and those without run metadata too
    are_shown : whether the table shows `shapes`; otherwise it shows the shapes that FLOPs are counted with
    """

    shapes: KnownShapes
    of_rules: tuple[Level, Level, Level]
    are_shown: bool


def find_shapes(inputs: Inputs, nodes: JoinedNodes, use: ShapeUse, batch: Batch) -> Shapes:
    """Return the shapes that the graph gives, and those that all other sources add if asked for."""
    given = fill_call_shapes(nodes.expansion, nodes.results, nodes.column("output_shapes", SHAPES))
    if use is ShapeUse.IMPORT:
        given = imported_shapes(nodes.expansion.nodes, nodes.edges, given)
    if use in (ShapeUse.NOTHING, ShapeUse.IMPORT):
        known = as_given(given)
        return Shapes(shapes=known, of_rules=(known.full, known.full, known.full), are_shown=False)
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
        return Shapes(shapes=known, of_rules=(known.full, known.with_run, known.static), are_shown=True)
    own = Level(output_shapes=given, values=known.static.values)
    return Shapes(shapes=known, of_rules=(own, own, own), are_shown=True)


def _find_weights(inputs: Inputs, nodes: JoinedNodes, known: Shapes) -> Weights:
    """Find the nodes that hold parameters."""
    attrs = {"shape": SHAPE, "own_shape": SHAPE, **VARIABLE_ATTRS}
    return find_weights(
        names=nodes.names,
        ops=nodes.ops,
        edges=nodes.edges,
        attrs={name: nodes.column(name, kind) for name, kind in attrs.items()},
        output_shapes=known.shapes.static.output_shapes,  # parameters must not depend on a run
        given=_given_shapes(nodes.names, inputs.input_shapes),
        body_row=nodes.expansion.origin,
    )


def _given_shapes(names: pa.Array, input_shapes: Sequence[InputShape]) -> pa.ListArray:
    """Return the shape that the user gives each node, NULL for most."""
    place = pc.index_in(names, value_set=pa.array([each.name for each in input_shapes], pa.string()))
    return pa.array([each.sizes for each in input_shapes], SHAPE).take(place)


@record
class Flops:
    """FLOPs of one execution of each node, and of all its executions per execution of the graph."""

    figures: Figures
    counted: CountedCalls


def _count_flops(
    inputs: Inputs, nodes: JoinedNodes, level: Level, rules: RuleUse | None, functions: FunctionUse | None
) -> Flops:
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
        traced=_traced_figures(nodes),
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
        turns=_turns(nodes),
    )
    return Flops(figures=figures, counted=counted)


def _traced_figures(nodes: JoinedNodes) -> TracedFigures | None:
    """Return the figures of the trace that the graph is from, or of what XLA compiled of a graph of its own.

    The FLOPs of the latter are those of the graph's nodes: the instructions add none.
    """
    if nodes.compiled is not None:
        is_compiled = pc.is_in(nodes.names, value_set=nodes.compiled.names)
        none = pc.if_else(pc.and_(is_compiled, pc.is_null(nodes.ops)), pa.scalar(0, pa.int64()), None)
        return TracedFigures(float_ops=none, macs=none, source=pa.array([PROGRAM] * len(none), pa.string()))
    if not set(TRACED_FIGURES) <= set(nodes.expansion.nodes.column_names):
        return None
    float_ops, macs = (nodes.column(name, kind) for name, kind in TRACED_FIGURES.items())
    return TracedFigures(float_ops=float_ops, macs=macs, source=nodes.column(FIGURED_BY, pa.string()))


def _turns(nodes: JoinedNodes) -> Trips | None:
    """Return how often programs execute the ops of a trace, if these are the nodes."""
    if TRACED_REPEATS not in nodes.expansion.nodes.column_names:
        return None
    repeats = nodes.column(TRACED_REPEATS, pa.int64())
    known = to_bools(pc.is_valid(repeats))
    known[nodes.expansion.defined :] = True  # nodes that only the run has are in no program
    return Trips(count=to_ints(pc.fill_null(repeats, 1)), known=known)


def _is_inlined(nodes: JoinedNodes) -> Bools:
    """Return the nodes that call functions whose bodies are all inlined."""
    inlined = marks(nodes.expansion.calls.row, len(nodes.names))
    for rows in nodes.expansion.skipped.values():
        inlined[rows] = False
    return inlined


def _find_fused(nodes: JoinedNodes, flops: Flops) -> FusedExecutions:
    """Return the executions of nodes with FLOPs that ran inside the kernels of others."""
    figures = flops.figures
    has_none = pc.or_kleene(pc.equal(figures.float_ops, 0), pc.equal(figures.op_class(), OpClass.NO_ARITHMETIC))
    computes = to_bools(pc.is_valid(nodes.ops)) & ~to_bools(has_none) & ~_is_inlined(nodes)
    return find_fused(
        names=nodes.names,
        ops=nodes.ops,
        edges=nodes.edges,
        results=nodes.calls.results,
        body=nodes.expansion.body,
        executions=nodes.executions,
        computes=computes,
        compiled=nodes.compiled,
    )


class Stages:
    """What is worked out of joined nodes and their shapes, each part when it is first needed."""

    def __init__(
        self, inputs: Inputs, nodes: JoinedNodes, known: Shapes, rules: RuleUse | None, functions: FunctionUse | None
    ) -> None:
        self.inputs, self.nodes, self.known = inputs, nodes, known
        self._rules, self._functions = rules, functions

    @property
    def counts_calls(self) -> bool:
        """Whether functions and loops are counted; otherwise every node is executed once."""
        return self._functions is not None

    @property
    def is_of_trace(self) -> bool:
        """Whether the nodes are the ops of a trace, for lack of a graph."""
        return self.inputs.traced is not None and self.inputs.traced.is_graph

    @cached_property
    def weights(self) -> Weights:
        """Which nodes hold parameters."""
        return _find_weights(self.inputs, self.nodes, self.known)

    @cached_property
    def trainable(self) -> pa.Array:
        """Which nodes the op log marks as trainable variables."""
        return marked_trainable(self.nodes.log, len(self.nodes.names))

    @cached_property
    def kinds(self) -> Kinds:
        """What the parameters of nodes are for."""
        nodes = self.nodes
        if self.is_of_trace:
            return unknown_kinds(len(nodes.names))
        return classify_params(
            self.weights,
            names=nodes.names,
            ops=nodes.ops,
            edges=nodes.edges,
            logged=self.trainable,
            declared=self.inputs.graph.trainable,
            expansion=nodes.expansion,
            executed=nodes.executed.nodes,
        )

    @cached_property
    def params(self) -> ParamFigures:
        """How many parameters nodes hold: a trace without a graph does not tell any."""
        return unknown_figures(len(self.nodes.names)) if self.is_of_trace else figure_params(self.weights, self.kinds)

    @cached_property
    def layers(self) -> Layers:
        """Which layer nodes belong to, and when they compute."""
        if self.is_of_trace:
            return assign_traced(self.nodes.column("framework_op", pa.string()))
        nodes, kind = self.nodes, self.kinds.kind.cast(pa.string())
        trained, slots = (
            to_bools(pc.fill_null(pc.equal(kind, word), fill_value=False))
            for word in (ParamKind.TRAINABLE, ParamKind.SLOT)
        )
        return assign_layers(
            self.weights,
            trained=trained,
            slots=slots,
            names=nodes.names,
            ops=nodes.ops,
            edges=nodes.edges,
            calls=nodes.calls,
        )

    @property
    def dtype(self) -> pa.Array:
        """The name of the type of what each node computes."""
        kinds = VARIABLE_ATTRS | TYPE_ATTRS
        return type_names(pc.coalesce(*(self.nodes.column(name, kinds[name]) for name in ("DstT", "dtype", "T"))))

    @cached_property
    def flops(self) -> Flops:
        """FLOPs with all known shapes."""
        return self.flops_of(self.known.of_rules[0])

    def flops_of(self, level: Level) -> Flops:
        """Return FLOPs with the shapes of one level."""
        return _count_flops(self.inputs, self.nodes, level, self._rules, self._functions)

    def figures_of(self, level: Level) -> tuple[pa.Array, pa.Array]:
        """Return FLOPs and multiply-adds with the shapes of one level."""
        flops = self.flops if level is self.known.of_rules[0] else self.flops_of(level)
        return flops.counted.float_ops, flops.figures.macs

    @property
    def float_ops_source(self) -> pa.Array:
        """Where FLOPs are from."""
        return self.flops.figures.source()

    @property
    def op_class(self) -> pa.Array:
        """The class of each node's op type."""
        return self.flops.figures.op_class()

    @cached_property
    def fused(self) -> FusedExecutions:
        """The executions, with those inside the kernels of other nodes."""
        return _find_fused(self.nodes, self.flops)

    @cached_property
    def output_shapes(self) -> pa.ListArray:
        """The shapes that the table shows."""
        known = self.known
        return known.shapes.full.output_shapes if known.are_shown else self.flops.figures.output_shapes

    @cached_property
    def output_sizes(self) -> OutputSizes:
        """The bytes of each output of one execution, by shape and type."""
        nodes = self.nodes
        declared = declared_types(nodes.column("dtype", pa.int64()), nodes.column("numbers", SHAPE_ATTRS["numbers"]))
        return output_sizes(self.output_shapes, element_types(nodes.ops, nodes.edges, declared), nodes.ops)

    @property
    def static_output_bytes(self) -> pa.Array:
        """The bytes of the outputs of one execution, by shape and type; NULL where one of these is not known."""
        return self.output_sizes.sums()

    @property
    def moved_bytes(self) -> pa.Array:
        """The bytes that one execution of each node moves at least; NULL where they are not known."""
        nodes = self.nodes
        if self.is_of_trace:
            return nodes.column(TRACED_BYTES, pa.int64())
        return moved_bytes(
            nodes.ops,
            nodes.edges,
            self.output_sizes,
            kernel=self.fused.kernel,
            is_inlined=_is_inlined(nodes),
            is_defined=nodes.expansion.is_defined,
        )

    @cached_property
    def run_devices(self) -> pa.ListArray:
        """The devices that nodes ran on."""
        return run_devices_of(self.nodes.executions, len(self.nodes.names))

    @cached_property
    def means(self) -> dict[str, pa.Array]:
        """Means over steps."""
        nodes = self.nodes
        return run_means(self.fused, self.flops.figures.float_ops, nodes.names, nodes.executions.step_numbers)
