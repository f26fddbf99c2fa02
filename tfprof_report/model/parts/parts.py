"""Recognises the parts of a graph that are not the model: savers, summaries, initializers, gradients, optimizer.

Op types and the use of their results decide first, names decide the rest. Names match below any scope, so also in
replicas and function bodies.
"""

from __future__ import annotations

from enum import StrEnum
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, marks, match_words, to_bools, to_ints
from tfprof_report.later import Later
from tfprof_report.model.graph.reach import Flow
from tfprof_report.model.node_table import NodeTable
from tfprof_report.model.params.count import is_variable
from tfprof_report.record import record


class Part(StrEnum):
    """A part of a graph that is not the model. A node that fits several parts belongs to the first of them."""

    SAVERS = "savers"
    SUMMARIES = "summaries"
    INITIALIZERS = "initializers"
    GRADIENTS = "gradients"
    OPTIMIZER = "optimizer"


MODEL = -1
"""The number of the model in `parts_of`; a part has its index in `Part`."""

_SAVER_OPS = "^(Save(V2|Slices)?|Restore(V2|Slice)?|MergeV2Checkpoints|Sharded(Filename|Filespec)|DisableCopyOnRead)$"
_SUMMARY_OPS = "Summary"
_SUMMARY_NAMES = "(^|/)summar(y|ies)(_[0-9]+)?/"
_INITIALIZER_OPS = "^(VarIsInitializedOp|IsVariableInitialized|InitializeTable.*|LookupTableImport.*)$"
_ASSIGN_OPS = "^(Assign|AssignVariableOp)$"
_GRADIENT_OPS = "Grad(V[0-9]+)?$"
_GRADIENT_NAMES = "(^|/)(gradients|gradient_tape)(_[0-9]+)?(/|$)"
_OPTIMIZER_OPS = "^(Resource)?(Sparse)?Apply[A-Z]"
_OPTIMIZER_NAMES = (
    "(^|/)(Ada[Mm]|AdamW|Adamax|Nadam|Adagrad(DA)?|Adadelta|Adafactor|Ftrl|(Proximal)?GradientDescent|ProximalAdagrad"
    "|Momentum|RMS[Pp]rop|SGD|LAMB|Lion|LossScaleOptimizer|adam|adamw|adamax|nadam|adagrad|adadelta|adafactor|ftrl"
    "|rmsprop|sgd|lamb|lion|loss_scale_optimizer|beta[12]_power)(_[0-9]+)?(/|$)"
)
_UPDATE_OPS = "^(Assign|ResourceScatter|Scatter(Nd)?(Add|Sub|Update|Mul|Div|Min|Max))"
_READ_OPS = "^(Identity|ReadVariableOp)$"
_CONSTANT_OPS = "^(Const|HostConst|NoOp)$"


def parts_of(table: NodeTable) -> Ints:
    """Return the part that each node belongs to, as its index in `Part`; `MODEL` for other nodes.

    ============  =====================================================================================================
    savers        ops that save and restore, nodes that depend on restored values only, and nodes that only feed these
    summaries     ops that write summaries, and nodes that only feed them: constants, and nodes in a scope ``summaries``
    initializers  assignments of values that depend on no input and no variable, or named ``X/Assign`` of variable X;
                  tests whether a variable is initialized; and nodes that only feed these
    gradients     gradient ops, names below ``gradients`` or ``gradient_tape``, and nodes that only feed these or the
                  optimizer: functions of gradients, such as clipped ones, and constants
    optimizer     ops that apply gradients, names below that of an optimizer, updates of variables that depend on
                  gradients by data or control edges, such as a step counter; and nodes that only feed these: slot
                  variables, learning rates
    ============  =====================================================================================================

    A variable belongs to the optimizer or to the model. A NoOp belongs to the part that it waits for, a call to the
    part that the nodes of its body belong to, unless some of them are the model.
    """
    graph = _read(table)
    part = np.full(len(graph.ops), MODEL, dtype=np.int64)
    for find in (_savers, _summaries, _initializers, _gradients_and_optimizer):
        for name, nodes in find(graph, part != MODEL).items():
            part[nodes & (part == MODEL)] = list(Part).index(name)
    return _with_followers(graph, part)


def later_parts(table: NodeTable) -> Later[Ints]:
    """Return what `parts_of` returns, worked out once for all who ask for it."""
    return Later(partial(parts_of, table))


@record
class _Graph:
    """The facts about a node table that the rules use.

    data, control : edges of data, through calls into bodies and back; edges of control inputs
    has_input, is_used : nodes with a data input, and nodes whose output another node takes
    is_read : reads of variables
    is_fed : nodes that depend on a variable, or on anything else that is not a constant
    """

    table: NodeTable
    names: pa.Array
    ops: pa.DictionaryArray
    data: Flow
    control: Flow
    is_variable: Bools
    has_input: Bools
    is_used: Bools
    is_read: Bools
    is_fed: Bools

    def has_op(self, pattern: str) -> Bools:
        return match_words(self.ops, pattern)

    def has_name(self, pattern: str) -> Bools:
        return to_bools(pc.match_substring_regex(self.names, pattern))

    def have_control(self, sources: Bools) -> Bools:
        """Return which nodes have a control input from one of `sources`."""
        return marks(self.control.target[sources[self.control.source]], len(self.ops))


def _read(table: NodeTable) -> _Graph:
    names, ops = table.column("name"), table.column("op")
    data, control = data_flow(table), _flow(table, is_control=True)
    variables = to_bools(is_variable(ops.cast(pa.string())))
    has_input = marks(data.target, len(ops))
    begins = (~has_input & ~match_words(ops, _CONSTANT_OPS)) | match_words(ops, "^Placeholder")
    return _Graph(
        table=table,
        names=names,
        ops=ops,
        data=data,
        control=control,
        is_variable=variables,
        has_input=has_input,
        is_used=marks(data.source, len(ops)),
        is_read=marks(data.target[variables[data.source]], len(ops)) & match_words(ops, _READ_OPS),
        is_fed=data.after(begins),
    )


def is_end(table: NodeTable) -> Bools:
    """Return which nodes no other node uses, without reads of variables and NoOps."""
    graph = _read(table)
    return ~graph.is_used & ~graph.is_read & ~graph.has_op("^NoOp$") & to_bools(pc.is_valid(graph.ops))


def data_flow(table: NodeTable) -> Flow:
    """Return the edges of data; inputs of an inlined call lead to the nodes of its body only, not to the call."""
    return _flow(table, is_control=False).into(~table.calls.hands_on).joined(table.calls.results)


def all_flow(table: NodeTable) -> Flow:
    """Return all edges: data, control, and from the results of inlined bodies to their calls."""
    return _flow(table, is_control=False).joined(_flow(table, is_control=True)).joined(table.calls.results)


def _flow(table: NodeTable, *, is_control: bool) -> Flow:
    edges = _edges(table, is_control=is_control)
    return Flow(source=to_ints(edges["source"]), target=to_ints(edges["node"]))


def _edges(table: NodeTable, *, is_control: bool) -> pa.Table:
    """Return the edges of one kind that come from a node of the table."""
    edges = table.edges
    of_kind = edges["is_control"] if is_control else pc.invert(edges["is_control"])
    return edges.filter(pc.and_(of_kind, edges["source"].is_valid()))


def _savers(graph: _Graph, earlier: Bools) -> dict[Part, Bools]:
    core, eligible = graph.has_op(_SAVER_OPS), ~graph.is_variable
    names = graph.has_op("^Identity$")  # passes the file name on once the file is written or read
    core |= names & graph.have_control(core)
    others = ~graph.has_op(_CONSTANT_OPS) & ~graph.is_variable & ~graph.has_input
    feeding = graph.data.only_feeding(core, sinks=earlier, eligible=eligible)
    # What depends on restored values only: reachable from savers, but from nothing else.
    rest = graph.data.without(core).after((others | graph.is_read) & ~feeding)
    core |= graph.data.after(core) & ~rest & ~graph.is_variable
    core |= graph.data.into(names).after(names & graph.have_control(core))
    return {Part.SAVERS: graph.data.only_feeding(core, sinks=earlier, eligible=eligible)}


def _summaries(graph: _Graph, earlier: Bools) -> dict[Part, Bools]:
    core = graph.has_op(_SUMMARY_OPS)
    # In an evaluation graph the whole model only feeds summaries, so feeding them alone is not enough.
    eligible = ~graph.is_variable & (~graph.is_fed | graph.has_name(_SUMMARY_NAMES))
    return {Part.SUMMARIES: graph.data.only_feeding(core, sinks=earlier, eligible=eligible)}


def _initializers(graph: _Graph, earlier: Bools) -> dict[Part, Bools]:
    edges = _edges(graph.table, is_control=False)
    node, source, position = (to_ints(edges[name]) for name in ("node", "source", "position"))
    assigns = graph.has_op(_ASSIGN_OPS)
    is_value, is_target = position == 1, (position == 0) & assigns[node]
    takes_fed = marks(node[is_value & graph.is_fed[source]], len(graph.ops))
    variable, assigned = source[is_target], node[is_target]
    usual = pc.binary_join_element_wise(graph.names.take(pa.array(variable)), "Assign", "/")
    has_usual = to_bools(pc.equal(graph.names.take(pa.array(assigned)), usual))
    named = marks(assigned[has_usual], len(graph.ops))
    core = graph.has_op(_INITIALIZER_OPS) | (assigns & (named | ~takes_fed))
    return {Part.INITIALIZERS: graph.data.only_feeding(core, sinks=earlier, eligible=~graph.is_variable)}


def _gradients_and_optimizer(graph: _Graph, earlier: Bools) -> dict[Part, Bools]:
    is_gradient = (graph.has_op(_GRADIENT_OPS) | graph.has_name(_GRADIENT_NAMES)) & ~graph.is_variable & ~earlier
    applies = graph.has_op(_OPTIMIZER_OPS)
    steps = (applies | (graph.has_name(_OPTIMIZER_NAMES) & ~is_gradient)) & ~earlier
    is_gradient &= ~applies
    # Updates that depend on gradients, and those that wait until gradients are applied: step counters, powers of beta.
    updates = graph.data.after(is_gradient) | graph.control.joined(graph.data).after(applies)
    steps |= updates & graph.has_op(_UPDATE_OPS) & ~is_gradient & ~earlier
    core = is_gradient | steps
    dead_reads = graph.is_read & ~graph.is_used
    sinks = (earlier | dead_reads) & ~core

    # The nodes that gradients are computed from are the model, even if its loss is used for nothing else.
    made, used = graph.data.after(is_gradient), graph.data.before(is_gradient)
    eligible = ~used & ~made
    if not is_gradient.any():
        eligible &= ~graph.is_fed | graph.is_variable
    optimizer = graph.data.only_feeding(steps, sinks=sinks, eligible=eligible)
    slots = optimizer & graph.is_variable
    optimizer |= dead_reads & graph.data.into(dead_reads).after(slots)
    eligible = (~graph.is_fed | graph.data.after(core)) & ~graph.is_variable
    gradients = graph.data.only_feeding(core, sinks=sinks, eligible=eligible) & ~optimizer
    return {Part.GRADIENTS: gradients, Part.OPTIMIZER: optimizer}


def _with_followers(graph: _Graph, part: Ints) -> Ints:
    """Return the parts, completed for nodes that do nothing by themselves: NoOps and calls."""
    calls, count = graph.table.calls, graph.table.calls.count
    is_noop = graph.has_op("^NoOp$")
    links = graph.control.into(is_noop).joined(calls.members)
    follows = marks(links.target, count)
    part = np.concatenate([part, np.full(count - len(part), MODEL)])
    follows &= part == MODEL
    does = (part == MODEL) & ~follows
    does[: len(is_noop)] &= ~is_noop
    follows &= ~links.after(does)
    for place in reversed(range(len(Part))):
        part[links.after(part == place) & follows] = place
    return part[: len(graph.ops)]
