"""Which unknown figures cancel in a comparison: both sides have the node, and its figure must be the same in both.

That is certain only if op and attributes are equal and either

* the node has data inputs, whose shapes are all known and equal, none of which may be the handle of a variable, and
  it is executed equally often; or
* nothing upstream has changed: no node that it depends on, through data or control edges, is new, removed, or has
  another op, attributes, inputs or output shapes.

Dependencies that are not edges of the graph count, too: a variable depends on all that is assigned to it, a call on the
bodies of its functions and they on it (a loop's body on its condition), and the frame of a loop on its condition. Only
columns of nodes.parquet are used, so that sides read back from report folders compare alike. Where `attrs_digest` is
NULL (an older report, a profile, a node that is not in the graph), nothing is known to be unchanged.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import (
    Bools,
    Hashes,
    Ints,
    list_offsets,
    list_values,
    mix,
    sum_by_row,
    to_bools,
    to_ints,
    whole,
)
from tfprof_report.compare.matching.pairs import Pairs
from tfprof_report.compare.matching.structure import hash_lists
from tfprof_report.graph_search import components
from tfprof_report.model.flops.evaluate import Reason
from tfprof_report.model.graph.edges import read_edges
from tfprof_report.model.graph.origins import origins
from tfprof_report.model.graph.reach import Flow
from tfprof_report.record import record
from tfprof_report.schema.metrics import METRICS, Kind

CANCELLING_STEMS = (*(stem for stem, metric in METRICS.items() if metric.kind is Kind.STATIC), "run_float_ops")
"""The metrics whose unknown figures can cancel: those that follow from the graph, per execution and per step."""

_OF_COUNTING = (Reason.LOOP, Reason.TOO_OFTEN, Reason.NO_FUNCTION)
"""Reasons that come from how often a node is executed, which its inputs do not determine."""

_WRITES = "^(Assign|Resource(Apply|SparseApply|Scatter|StridedSliceAssign)|Scatter|(Sparse)?Apply|StridedSliceAssign).*"
"""Op types, as a regular expression, that write to the variable that is their first input."""

_CALLS = (
    *("PartitionedCall", "StatefulPartitionedCall", "SymbolicGradient", "While", "StatelessWhile"),
    *("If", "StatelessIf", "Case", "StatelessCase"),
)

_OF_NODES = ("op", "attrs_digest", "multiplicity", "input_shapes", "float_ops_reason", "run_count")
"""The columns that are compared pair by pair; the graphs of both sides are read from others."""

_SALTS = {"control": np.uint64(0xC0), "dangling": np.uint64(0xDA)}


@record
class Cancelling:
    """Per pair, whether a figure that is unknown on both sides is the same unknown number on both.

    static : figures that depend on the graph alone, such as params, float_ops and macs
    run_float_ops : those per step: `static`, and executed equally often
    """

    static: Bools
    run_float_ops: Bools

    def of(self, stem: str) -> Bools:
        """Return which unknown figures of a metric cancel; measured ones (times, bytes) never do."""
        if stem == "run_float_ops":
            return self.run_float_ops
        return self.static if stem in CANCELLING_STEMS else np.zeros(len(self.static), dtype=bool)


def cancelling(base: pa.Table, head: pa.Table, pairs: Pairs, wanted: Bools) -> Cancelling:
    """Return which unknown figures cancel, per pair.

    Parameters
    ----------
    base, head : the columns of nodes.parquet
    pairs : the join of their rows
    wanted : the pairs in question; the others are False. Nothing is computed where none is wanted.
    """
    asked = np.flatnonzero(to_bools(pairs.is_matched) & wanted)
    nothing = np.zeros(len(wanted), dtype=bool)
    if not len(asked):
        return Cancelling(static=nothing, run_float_ops=nothing)
    rows = [to_ints(side.take(pa.array(asked))) for side in (pairs.base_rows, pairs.head_rows)]
    sides = [table.select([*_OF_NODES]).take(pa.array(place)) for table, place in zip((base, head), rows, strict=True)]
    graphs = [
        _Graph.of(table, _numbers(place, table.num_rows))
        for table, place in ((base, pairs.base_rows), (head, pairs.head_rows))
    ]
    alike = _same_text(*(side["op"] for side in sides)) & _equal(*(side["attrs_digest"] for side in sides))
    executed = [side["multiplicity"] for side in sides]
    both_null = to_bools(pc.and_(*(pc.is_null(column) for column in executed)))
    as_often = _equal(*executed)
    sure = alike & as_often & _known_inputs(*(side["input_shapes"] for side in sides))
    for side, graph, place in zip(sides, graphs, rows, strict=True):
        sure &= ~_is_counting(side) & ~graph.may_take_handle()[place]
    open_ones = alike & (as_often | both_null) & ~sure
    if open_ones.any():
        sure |= open_ones & ~_depends_on_change(graphs, pairs)[asked]
    static, per_step = nothing.copy(), nothing.copy()
    static[asked] = sure
    per_step[asked] = sure & _equal(*(side["run_count"] for side in sides))
    return Cancelling(static=static, run_float_ops=per_step)


def _same_text(base: pa.ChunkedArray, head: pa.ChunkedArray) -> Bools:
    return to_bools(pc.equal(base.cast(pa.string()), head.cast(pa.string())))


def _equal(base: pa.ChunkedArray, head: pa.ChunkedArray) -> Bools:
    """Return where both are known and equal."""
    return to_bools(pc.equal(base, head))


def _is_counting(nodes: pa.Table) -> Bools:
    reasons = pa.array(_OF_COUNTING, pa.string())
    return to_bools(pc.is_in(nodes["float_ops_reason"].cast(pa.string()), value_set=reasons))


def _known_inputs(base: pa.ChunkedArray, head: pa.ChunkedArray) -> Bools:
    """Return where there is at least one data input, and all their shapes are known and equal."""
    lists = [whole(column) for column in (base, head)]
    known = np.ones(len(base), dtype=bool)
    for side in lists:
        offsets, shapes = list_offsets(side), list_values(side)
        shape_offsets, sizes = list_offsets(shapes), list_values(shapes)
        is_open = to_bools(pc.less(sizes, 0)) | to_bools(pc.is_null(sizes))
        unknown = to_bools(pc.is_null(shapes)) | (_count(is_open, shape_offsets) > 0)
        known &= (np.diff(offsets) > 0) & (_count(unknown, offsets) == 0)
    known &= hash_lists(lists[0]) == hash_lists(lists[1])
    return known


def _count(flags: Bools, offsets: Ints) -> Ints:
    return sum_by_row(flags.astype(np.int64), offsets)


def _depends_on_change(graphs: list[_Graph], pairs: Pairs) -> Bools:
    """Return the pairs that have changed, or that depend on one that has, on either side."""
    changed = _changed(graphs, pairs, _dangling(graphs))
    flows = [graph.flow() for graph in graphs]
    return flows[0].joined(flows[1]).after(changed)


def _numbers(rows: pa.Array, count: int) -> Ints:
    """Return for each row of a side the number of its pair."""
    held = to_bools(rows.is_valid())
    numbers = np.zeros(count, dtype=np.int64)
    numbers[to_ints(rows.filter(pa.array(held)))] = np.flatnonzero(held)
    return numbers


@record
class _Graph:
    """One side: its nodes and edges (`edges.read_edges`), the number of each node's pair, and the text of each edge."""

    nodes: pa.Table
    edges: pa.Table
    pair: Ints
    text: pa.Array

    @classmethod
    def of(cls, nodes: pa.Table, pair: Ints) -> _Graph:
        inputs = whole(nodes["inputs"])
        names = whole(nodes["name"]).cast(pa.string())
        return cls(nodes=nodes, edges=read_edges(inputs, names), pair=pair, text=list_values(inputs).drop_null())

    def flow(self) -> Flow:
        """Return what depends on what, as edges between pairs."""
        node, source = to_ints(self.edges["node"]), to_ints(pc.fill_null(self.edges["source"], -1))
        known = source >= 0
        ops = whole(self.nodes["op"].cast(pa.string()))
        parts = [(source[known], node[known]), *_writes(ops, self.edges), *_frames(ops, self.edges)]
        parts += _units(ops, whole(self.nodes["name"]).cast(pa.string()))
        return Flow(
            source=self.pair[np.concatenate([part[0] for part in parts])],
            target=self.pair[np.concatenate([part[1] for part in parts])],
        )

    def may_take_handle(self) -> Bools:
        """Return the nodes with a scalar input that is no constant: it may stand for a variable, a list or a dataset.

        The shape of such a handle says nothing about what it stands for, and nodes.parquet has no types of inputs.
        """
        data = self.edges.filter(pc.invert(self.edges["is_control"]))
        node, shapes = to_ints(data["node"]), whole(self.nodes["input_shapes"])
        counts = np.bincount(node, minlength=self.nodes.num_rows)
        has_shapes = counts == np.diff(list_offsets(shapes))  # not where an older report lacks them
        is_scalar = to_bools(pc.equal(pc.list_value_length(list_values(shapes.filter(pa.array(has_shapes)))), 0))
        ops, source = whole(self.nodes["op"].cast(pa.string())), whole(data["source"])
        is_constant = to_bools(pc.equal(ops.take(source), "Const"))[has_shapes[node]]
        found: Bools = ~has_shapes
        found[node[has_shapes[node]][is_scalar & ~is_constant]] = True
        return found

    def inputs(self, dangling: Ints) -> Hashes:
        """Return per node a hash of its inputs by the pairs of their sources; `dangling` numbers unknown sources."""
        source = to_ints(pc.fill_null(self.edges["source"], -1))
        who = np.zeros(len(source), dtype=np.uint64)
        who[source >= 0] = mix(self.pair[source[source >= 0]])
        who[source < 0] = mix(dangling) ^ _SALTS["dangling"]
        place = mix(to_ints(self.edges["position"])) + to_ints(self.edges["slot"]).astype(np.uint64)
        place = np.where(to_bools(self.edges["is_control"]), _SALTS["control"], place)  # control inputs have no order
        hashes = mix(who ^ mix(place))
        counts = np.bincount(to_ints(self.edges["node"]), minlength=self.nodes.num_rows)
        offsets = np.append(0, np.cumsum(counts))
        return mix(sum_by_row(hashes.view(np.int64), offsets) + mix(counts).view(np.int64))


def _dangling(graphs: list[_Graph]) -> list[Ints]:
    """Return for each side a number per input whose source is not in the graph, equal for equal texts."""
    texts = [graph.text.filter(pc.is_null(whole(graph.edges["source"]))) for graph in graphs]
    codes = to_ints(pa.concat_arrays(texts).dictionary_encode().indices)
    return [codes[: len(texts[0])], codes[len(texts[0]) :]]


def _changed(graphs: list[_Graph], pairs: Pairs, dangling: list[Ints]) -> Bools:
    """Return the pairs that lack a side or differ in op, attributes, inputs or output shapes.

    A call whose function is not inlined counts as changed, since nobody knows what it does.
    """
    matched = np.flatnonzero(to_bools(pairs.is_matched))
    rows = [to_ints(side.take(pa.array(matched))) for side in (pairs.base_rows, pairs.head_rows)]
    same = np.ones(len(matched), dtype=bool)
    for name in ("attrs_digest", "op"):
        columns = [
            graph.nodes[name].cast(pa.string() if name == "op" else pa.int64()).take(pa.array(place))
            for graph, place in zip(graphs, rows, strict=True)
        ]
        same &= _equal(*columns)
    inputs = [graph.inputs(loose)[place] for graph, loose, place in zip(graphs, dangling, rows, strict=True)]
    shapes = [hash_lists(whole(graph.nodes["output_shapes"]))[place] for graph, place in zip(graphs, rows, strict=True)]
    same &= (inputs[0] == inputs[1]) & (shapes[0] == shapes[1])
    for graph, place in zip(graphs, rows, strict=True):
        reason = graph.nodes["float_ops_reason"].cast(pa.string())
        same &= ~to_bools(pc.equal(reason, Reason.NO_FUNCTION.value))[place]
    changed = np.ones(len(pairs.names), dtype=bool)
    changed[matched[same]] = False
    return changed


_Edges = list[tuple[Ints, Ints]]


def _writes(ops: pa.Array, edges: pa.Table) -> _Edges:
    """Return edges from nodes that write a variable to the variable, and to what passes on its reference."""
    words = ops.dictionary_encode()
    writes = to_bools(pc.match_substring_regex(words.dictionary, _WRITES))
    is_write = np.append(writes, False)[to_ints(pc.fill_null(words.indices, len(writes)))]
    node, source = to_ints(edges["node"]), to_ints(pc.fill_null(edges["source"], -1))
    first = is_write[node] & (to_ints(edges["position"]) == 0) & (source >= 0)
    first &= ~to_bools(edges["is_control"])
    if not first.any():
        return []
    return [(node[first], origins(ops, edges)[source[first]])]


def _frames(ops: pa.Array, edges: pa.Table) -> _Edges:
    """Return edges from the condition of a loop of control flow v1 to everything that enters its frame.

    A frame is what stays connected without the edges into `Enter` and out of `Exit`.
    """
    conditions = np.flatnonzero(to_bools(pc.equal(ops, "LoopCond")))
    if not len(conditions):
        return []
    enters = to_bools(pc.is_in(ops, value_set=pa.array(["Enter", "RefEnter"])))
    exits = to_bools(pc.is_in(ops, value_set=pa.array(["Exit", "RefExit"])))
    node, source = to_ints(edges["node"]), to_ints(pc.fill_null(edges["source"], -1))
    inside = (source >= 0) & ~enters[node] & ~exits[source]
    _, frame = components(source[inside], node[inside], len(ops))
    condition = np.full(int(frame.max()) + 1, -1, dtype=np.int64)
    condition[frame[conditions]] = conditions
    entering = np.flatnonzero(enters & (condition[frame] >= 0))
    return [(condition[frame[entering]], entering)]


def _units(ops: pa.Array, names: pa.Array) -> _Edges:
    """Return edges in both directions between a call and the nodes of its bodies, which are named ``call/...``."""
    calls = np.flatnonzero(to_bools(pc.is_in(ops, value_set=pa.array(_CALLS))))
    if not len(calls):
        return []
    held = _callers(names, calls)
    inside = np.flatnonzero(held >= 0)
    return [(inside, held[inside]), (held[inside], inside)]


def _callers(names: pa.Array, calls: Ints) -> Ints:
    """Return per node the innermost call in whose scope it is, -1 for none; the scope's name may end in ``~``."""
    scopes = _scope_of(names).dictionary_encode()
    left = scopes.dictionary
    found = np.full(len(left), -1, dtype=np.int64)
    called = names.take(pa.array(calls))
    shortest = pc.min(pc.binary_length(called)).as_py()
    rest = np.arange(len(left))
    while len(rest):
        at = pc.index_in(pc.utf8_rtrim(left, "~"), value_set=called)
        hit = to_bools(at.is_valid())
        found[rest[hit]] = calls[to_ints(at.drop_null())]
        left = _scope_of(left)
        stays = ~hit & to_bools(pc.greater_equal(pc.binary_length(left), shortest))
        rest, left = rest[stays], left.filter(pa.array(stays))
    return np.append(found, -1)[to_ints(pc.fill_null(scopes.indices, len(found)))]


def _scope_of(names: pa.Array) -> pa.Array:
    """Return the name up to its last slash; NULL for a name without one."""
    return pc.struct_field(pc.extract_regex(names, r"(?s)^(?P<scope>.*)/[^/]*$"), "scope")
