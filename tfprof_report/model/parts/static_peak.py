"""Estimates the peak memory of a step from the graph alone: what is alive when nodes run in the order of the graph."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, marks, to_bools, to_ints
from tfprof_report.graph_search import cycles, topological
from tfprof_report.later import Later
from tfprof_report.limits import INT64_LIMIT
from tfprof_report.model.graph.op_types import op_types
from tfprof_report.model.graph.origins import READS
from tfprof_report.model.graph.reach import Flow
from tfprof_report.model.node_table import NodeTable
from tfprof_report.model.params.figures import may_hold
from tfprof_report.model.parts.parts import Part, all_flow, data_flow, later_parts
from tfprof_report.model.totals import PeakEstimate
from tfprof_report.record import record

_PASS_ON = (
    *READS,
    *op_types("""
        Assert Bitcast ControlTrigger EnsureShape Exit ExpandDims IdentityN If LoopCond NextIteration NoOp
        PartitionedCall PlaceholderWithDefault RefExit RefNextIteration Reshape Squeeze StatefulPartitionedCall
        StatelessIf StatelessWhile VarHandleOp Variable VariableV2 While
    """),
)
"""Op types that allocate nothing: their outputs are inputs, variables or what a body returns, or they have none."""

_UPDATES = "^(Resource)?(Sparse)?Apply[A-Z]|^Assign|^(Resource)?Scatter(Nd)?(Add|Sub|Update|Mul|Div|Min|Max)$"
"""Op types that change a variable in place."""

_OF_SHAPES = op_types("Shape ShapeN Size Rank ZerosLike OnesLike BroadcastGradientArgs")
"""Op types that read the shape of an input only: TensorFlow computes them before the step where it is known."""

_IN_PLACE = op_types("""
    Abs Acos Acosh Add AddN AddV2 Asin Asinh Atan Atanh BiasAdd Ceil Cos Cosh Div DivNoNan Elu EluGrad Erf Erfc Exp
    Expm1 Floor FloorDiv FloorMod Inv InvGrad LeakyRelu LeakyReluGrad Lgamma Log Log1p LogSoftmax LogicalAnd LogicalNot
    LogicalOr Maximum Minimum Mod Mul MulNoNan Neg Pow RealDiv Reciprocal ReciprocalGrad Relu Relu6 Relu6Grad ReluGrad
    Rint Round Rsqrt RsqrtGrad Select SelectV2 Selu SeluGrad Sigmoid SigmoidGrad Sign Sin Sinh Softmax Softplus
    SoftplusGrad Softsign SoftsignGrad Sqrt SqrtGrad Square SquaredDifference Sub Tan Tanh TanhGrad TruncateDiv Xdivy
    Xlogy
""")
"""Op types that write into an input of the size of their result that nobody else needs, by their kernels' calls of
forward_input_or_allocate_output."""

_LISTS = "^(Stack|Tensor(Array|List))"
"""Op types on stacks and lists of tensors, whose elements an iteration adds: what they hold is not known."""

_BACK = ("NextIteration", "RefNextIteration")
"""Op types that lead back to the beginning of a loop."""

_STAY = ("Const", "HostConst", "Placeholder")
"""Op types whose outputs are there during the whole step: constants, and what is fed."""

_CALL_ROUNDS = 64
"""Most calls in one another whose results are followed."""


def estimate_peak(table: NodeTable, part: Later[Ints] | None = None) -> PeakEstimate:
    """Return an estimate of the peak memory of one execution of the graph, in bytes.

    It is parameters, constants and fed tensors, which are there all the time, and the outputs of nodes from their
    execution to that of their last consumer. Nodes run by levels from the inputs to the outputs, each once; savers,
    summaries and initializers do not run. A node that can write its result in place of its input does where nobody else
    needs that. Temporary memory of kernels, copies of weights and rounding by allocators are not in it.

    Nodes whose shape, type or place in the order is unknown, and lists of tensors, are left out: it is a lower bound
    then (`PeakEstimate.known` < `capable`). `part` is `later_parts` of the table, if it is there.
    """
    graph = _read(table, (part or later_parts(table))())
    if graph is None:
        return PeakEstimate(bytes=None, known=0, capable=table.count)
    total = graph.always + _most_alive(graph) if graph.known or not graph.capable else None
    return PeakEstimate(bytes=total, known=graph.known, capable=graph.capable)


@record
class _Graph:
    """The nodes that run, as the estimate needs them; arrays have a row per node of the table.

    ops : op types
    flow : edges of data between nodes that run, without those that only hand on a shape, and those back into a loop
    place : the place of a node in the order in which they run; -1 for nodes that do not, or are in a cycle
    origin : the node whose output a node hands on; its own row if it computes one
    joins : nodes that hand on several outputs, such as those of the body that they call
    size : bytes that a node allocates and that are released again; 0 if it allocates none, and where that is unknown
    always : bytes that are held all the time
    known, capable : nodes with known bytes, and nodes that have any
    """

    ops: pa.Array
    flow: Flow
    place: Ints
    origin: Ints
    joins: Bools
    size: Ints
    always: int
    known: int
    capable: int


def _read(table: NodeTable, part: Ints) -> _Graph | None:
    """Return the graph of a table; None if it holds more bytes than an integer does."""
    ops = table.column("op").cast(pa.string())
    runs = _running(table, part)
    goes_on = runs & ~_is_one_of(ops, _BACK)
    loops, place = _order(table, _between(all_flow(table), goes_on, runs))
    place[~runs] = -1
    passes = _is_one_of(ops, _PASS_ON) | to_bools(pc.match_substring_regex(ops, _UPDATES))
    origin = _origins(table, passes & runs)
    sizes, params = table.column("static_output_bytes"), table.column("param_bytes")
    holds = to_bools(may_hold(table.columns))
    makes = runs & ~passes & ~to_bools(table.column("param_kind").is_valid())
    is_known = makes & (place >= 0) & to_bools(sizes.is_valid()) & ~to_bools(pc.match_substring_regex(ops, _LISTS))
    size = np.where(is_known, to_ints(pc.fill_null(sizes, 0)), 0)
    stays = _is_one_of(ops, _STAY)
    held = np.where(holds, to_ints(pc.fill_null(params, 0)), np.where(stays, size, 0))
    if size.astype(np.float64).sum() + held.astype(np.float64).sum() >= INT64_LIMIT:
        return None
    reads_size = _is_one_of(ops, _OF_SHAPES) & is_known  # of a known size: it is read before the step
    return _Graph(
        ops=ops,
        flow=_between(data_flow(table).joined(all_flow(table).into(loops)), goes_on, runs & ~reads_size),
        place=place,
        origin=origin,
        joins=passes & (origin == np.arange(table.count)),
        size=np.where(stays, 0, size),
        always=int(held.sum()),
        known=int(is_known.sum() + (holds & to_bools(params.is_valid())).sum()),
        capable=int(makes.sum() + holds.sum()),
    )


def _running(table: NodeTable, part: Ints) -> Bools:
    """Return the nodes that run in a step: not those that save, summarize or initialize, nor gradients of no use."""
    apart = [list(Part).index(each) for each in (Part.SAVERS, Part.SUMMARIES, Part.INITIALIZERS)]
    runs = to_bools(table.column("op").is_valid()) & ~np.isin(part, apart)
    runs &= to_bools(pc.not_equal(pc.fill_null(table.column("multiplicity"), 1), 0))
    if not (part == list(Part).index(Part.OPTIMIZER)).any():
        return runs
    return runs & data_flow(table).before(runs & (part != list(Part).index(Part.GRADIENTS)))


def _is_one_of(ops: pa.Array, types: tuple[str, ...]) -> Bools:
    return to_bools(pc.is_in(ops, value_set=pa.array(types)))


def _order(table: NodeTable, flow: Flow) -> tuple[Bools, Ints]:
    """Return which nodes are loops whose bodies read their state from them, and the place of each node in the order.

    Such a loop, a While, would wait for itself. So its body waits for another vertex, which has its inputs.
    """
    count, is_call = table.count, marks(table.calls.node, table.count)
    cycle = cycles(flow.source, flow.target, count)
    inside = cycle[flow.source] == cycle[flow.target]
    begins = inside & is_call[flow.source] & (table.calls.body[flow.target] > 0)
    loops = marks(flow.source[begins], count)
    entry = count + np.cumsum(loops) - 1
    enters = loops[flow.target] & ~inside
    source = np.concatenate([np.where(begins, entry[flow.source], flow.source), flow.source[enters]])
    target = np.concatenate([flow.target, entry[flow.target[enters]]])
    return loops, topological(source, target, count + int(loops.sum()))[:count]


def _between(flow: Flow, sources: Bools, targets: Bools) -> Flow:
    """Return the edges from `sources` to `targets`."""
    kept = sources[flow.source] & targets[flow.target]
    return Flow(source=flow.source[kept], target=flow.target[kept])


def _origins(table: NodeTable, passes: Bools) -> Ints:
    """Return the node whose output each node hands on: its first input, unless inputs go to a body that it calls."""
    edges = table.edges
    node = to_ints(edges["node"])
    is_first = (to_ints(edges["position"]) == 0) & ~to_bools(edges["is_control"])
    is_first &= to_bools(edges["source"].is_valid()) & (passes & ~table.calls.hands_on)[node]
    onward = np.arange(table.count)
    onward[node[is_first]] = to_ints(pc.fill_null(edges["source"], -1))[is_first]
    return _ends(onward)


def _ends(onward: Ints) -> Ints:
    """Return where each chain of pointers ends; that of a cycle ends at any node of it."""
    for _ in range(len(onward).bit_length()):
        further: Ints = onward[onward]
        if np.array_equal(further, onward):
            break
        onward = further
    return onward


def _most_alive(graph: _Graph) -> int:
    """Return the most bytes of outputs that are alive at once."""
    last = _last_uses(graph)
    buffer = _buffers(graph, last)
    np.maximum.at(last, buffer, last.copy())
    rows = np.flatnonzero((graph.size > 0) & (buffer == np.arange(len(buffer))))
    changes = np.zeros(int(graph.place.max(initial=-1)) + 2, dtype=np.int64)
    np.add.at(changes, graph.place[rows], graph.size[rows])
    np.add.at(changes, last[rows] + 1, -graph.size[rows])
    return int(np.cumsum(changes).max(initial=0))


def _last_uses(graph: _Graph) -> Ints:
    """Return the place of the last node that uses what a node computes; that of the node itself if none does."""
    source, target = graph.origin[graph.flow.source], graph.flow.target
    last = graph.place.copy()
    np.maximum.at(last, source, graph.place[target])
    through = graph.joins[target]
    source, target = source[through], target[through]
    for _ in range(_CALL_ROUNDS if len(source) else 0):
        before = last[source]
        np.maximum.at(last, source, last[target])
        if np.array_equal(before, last[source]):
            break
    return last


def _buffers(graph: _Graph, last: Ints) -> Ints:
    """Return the node whose buffer each node writes its result into; its own row if it allocates one."""
    source, target = graph.origin[graph.flow.source], graph.flow.target
    count = len(last)
    fits = _is_one_of(graph.ops, _IN_PLACE)[target] & (graph.size[target] > 0)
    fits &= (graph.size[source] == graph.size[target]) & (last[source] == graph.place[target])
    source, target = source[fits], target[fits]
    onward = np.arange(count)
    onward[target[::-1]] = source[::-1]  # the first input that fits
    return _ends(onward)
