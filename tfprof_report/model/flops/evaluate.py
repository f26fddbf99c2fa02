"""Evaluates FLOPs rules over all nodes, one rule at a time: a figure per node, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, Lists, prefix_sums, to_bools, to_ints
from tfprof_report.ingest.graph_def import RULE_ATTRS
from tfprof_report.limits import EXACT_IN_FLOAT64, INT64_LIMIT
from tfprof_report.model.columns import Columns
from tfprof_report.model.flops.rule import OUT, OpClass, Operands, Rule, RuleSet
from tfprof_report.model.graph.edges import shapes_of_outputs
from tfprof_report.model.join.memory import MEMORY_STEMS
from tfprof_report.model.params.figures import may_hold, may_train
from tfprof_report.record import record
from tfprof_report.semantics import Semantics

FLOP_STEMS = ("float_ops", "macs", "run_float_ops")
"""Figures that rules give."""

_NEITHER, _LAST, _FIRST = 0, 1, 2
_TRUE_BY_DEFAULT = ("is_training", "compute_uv", "compute_v")


class Reason(StrEnum):
    """Why a node has no figure.

    `LOOP`, `TOO_OFTEN` and `NO_FUNCTION` come from counting executions: one execution may well have a figure.
    """

    NO_RULE = "there is no rule for the op type"
    DATA = "there is no rule for the op type: its FLOPs depend on its data"
    CUSTOM = "custom op: TensorFlow has no such op type; --flops-rules takes a rule for it"
    NOT_IN_GRAPH = "the node is not in the graph"
    SHAPE = "a shape is not fully known"
    MISFIT = "the node's shapes or attributes do not fit the rule's formula"
    LAYOUT = "the formula does not cover the data_format"
    OVERFLOW = "the figure leaves the 64-bit range"
    LOOP = "a loop around the node iterates an unknown number of times"
    TOO_OFTEN = "the node is executed more often than 64 bits can count"
    NO_FUNCTION = "the function that the node calls is not in the library, or not inlined"


WITHOUT_RULE = (Reason.NO_RULE, Reason.DATA, Reason.CUSTOM)
"""Reasons of nodes whose op type has no rule, whatever their shapes are."""


def capable_nodes(nodes: pa.Table | Columns, stem: str) -> pa.ChunkedArray | pa.Array:
    """Return which nodes may have a figure other than 0; never NULL.

    For FLOPs, all nodes of the graph but those whose op type is known to have none, and those with 0 since they are
    never executed; for MACs, moreover, all but those of classes other than contractions; in either case also any node
    with a figure other than 0. For parameters, the nodes of `may_hold` and `may_train`; for memory, the nodes that ran;
    for other metrics, all nodes.
    """
    if stem in ("params", "param_bytes"):
        return may_hold(nodes)
    if stem == "trainable_params":
        return may_train(nodes)
    if stem in MEMORY_STEMS and {stem, "source"} <= set(nodes.column_names):
        has_run = pc.fill_null(pc.not_equal(nodes["source"].cast(pa.string()), "graph"), fill_value=True)
        return pc.or_(has_run, pc.is_null(nodes[stem]))
    if stem not in FLOP_STEMS:
        return pa.array(np.ones(nodes.num_rows, dtype=bool))
    kind = nodes["op_class"].cast(pa.string())
    is_idle = pc.not_equal(kind, OpClass.CONTRACTION) if stem == "macs" else pc.equal(kind, OpClass.NO_ARITHMETIC)
    figure = "macs" if stem == "macs" else "float_ops"
    has_figure = pc.fill_null(pc.not_equal(nodes[figure], 0), fill_value=False)
    is_idle = pc.or_kleene(is_idle, pc.and_(pc.equal(nodes["multiplicity"], 0), pc.equal(nodes[figure], 0)))
    return pc.or_(has_figure, pc.and_(pc.is_valid(nodes["op"]), pc.invert(pc.fill_null(is_idle, fill_value=False))))


def unknown_nodes(nodes: pa.Table, stem: str) -> Bools:
    """Return which nodes could have a figure but have none; all capable ones if the column is missing."""
    capable = to_bools(capable_nodes(nodes, stem))
    return capable & to_bools(pc.is_null(nodes[stem])) if stem in nodes.column_names else capable


def known_nodes(nodes: pa.Table | Columns, stem: str) -> int:
    """Return how many of `capable_nodes` have a figure."""
    return int(pc.sum(pc.and_(pc.is_valid(nodes[stem]), capable_nodes(nodes, stem))).as_py() or 0)


@record
class FloatOps:
    """FLOPs of n nodes by rules.

    values : per execution of the node, int64; NULL without a rule, and where `missing` has the reason
    macs : the multiply-adds of contractions among them; NULL where `values` is
    missing : per reason, the nodes that have a rule but no figure
    """

    values: pa.Array
    macs: pa.Array
    missing: Mapping[Reason, Bools]


def count_float_ops(
    *,
    ops: pa.Array,
    edges: pa.Table,
    output_shapes: pa.ListArray,
    attrs: Mapping[str, pa.Array],
    semantics: Semantics,
    rules: RuleSet,
) -> FloatOps:
    """Return the FLOPs of nodes by rules.

    Parameters
    ----------
    ops : op type per node, NULL where it is not known
    edges : the result of `edges.read_edges`; which output an input takes matters
    output_shapes : per node one shape for each output, NULL where not known
    attrs : the columns of `graph_def.RULE_ATTRS`
    semantics : decides about the registry's quirks
    rules : the rules; at most one of them applies to an op type
    """
    count = len(ops)
    types = ops.dictionary_encode()
    by_type = np.append(rules.find(types.dictionary.to_pylist()), -1)
    rule_of = by_type[to_ints(pc.fill_null(types.indices, -1))]
    order = np.argsort(rule_of, kind="stable")
    bounds = np.searchsorted(rule_of[order], np.arange(len(rules.rules) + 1))
    graph = _Graph.of(edges, output_shapes, attrs, semantics)

    values, macs = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
    known = np.zeros(count, dtype=bool)
    of_rules = (Reason.SHAPE, Reason.LAYOUT, Reason.OVERFLOW, Reason.MISFIT)
    missing = {reason: np.zeros(count, dtype=bool) for reason in of_rules}
    for index, rule in enumerate(rules.rules):
        nodes = order[bounds[index] : bounds[index + 1]]
        if not len(nodes):
            continue
        values[nodes], macs[nodes], failed = _evaluate(rule, nodes, graph)
        known[nodes] = True
        for reason, mask in failed.items():
            missing[reason][nodes] = mask & known[nodes]
            known[nodes] &= ~mask
    return FloatOps(
        values=pa.array(np.where(known, values, 0), mask=~known),
        macs=pa.array(np.where(known, macs, 0), mask=~known),
        missing=missing,
    )


def classes_of(ops: pa.Array, rules: RuleSet) -> pa.Array:
    """Return the `OpClass` of each node's op type, NULL where it has no rule."""
    types = ops.dictionary_encode()
    found = rules.find(types.dictionary.to_pylist())
    kinds = pa.array([str(rule.kind) for rule in rules.rules], pa.string()).take(pa.array(found, mask=found < 0))
    return kinds.take(types.indices)


@record
class _Graph:
    """What formulas may use of all nodes; the edges of node i are ``first[i]`` to ``first[i + 1]``.

    Per edge, `source` is the row of the producer, -1 if there is none and for control inputs. `controls` is the prefix
    sum of control inputs.
    """

    first: Ints
    source: Ints
    slot: Ints
    controls: Ints
    output_shapes: pa.ListArray
    attrs: Mapping[str, pa.Array]
    semantics: Semantics

    @classmethod
    def of(
        cls, edges: pa.Table, output_shapes: pa.ListArray, attrs: Mapping[str, pa.Array], semantics: Semantics
    ) -> _Graph:
        is_control = to_bools(edges["is_control"])
        return cls(
            first=np.searchsorted(to_ints(edges["node"]), np.arange(len(output_shapes) + 1)),
            source=np.where(is_control, -1, to_ints(pc.fill_null(edges["source"], -1))),
            slot=to_ints(edges["slot"]),
            controls=prefix_sums(is_control),
            output_shapes=output_shapes,
            attrs=attrs,
            semantics=semantics,
        )

    def shapes(self, tensor: str, rows: Ints) -> Lists:
        """Return the shapes of the tensor ``out`` or ``inK`` of some nodes."""
        if tensor == OUT:
            return Lists.of(shapes_of_outputs(self.output_shapes, rows, np.zeros(len(rows), dtype=np.int64)))
        at = self.first[rows] + int(tensor.removeprefix("in"))
        present = at < self.first[rows + 1]
        source, slot = np.full(len(rows), -1), np.zeros(len(rows), dtype=np.int64)
        source[present], slot[present] = self.source[at[present]], self.slot[at[present]]
        return Lists.of(shapes_of_outputs(self.output_shapes, source, slot))

    def inputs(self, rows: Ints) -> Ints:
        """Return the number of inputs, under tfprof's semantics including control inputs."""
        first, end = self.first[rows], self.first[rows + 1]
        if self.semantics.add_n_counts_control_inputs:
            return end - first
        return end - first - (self.controls[end] - self.controls[first])


def _operands(rule: Rule, rows: Ints, graph: _Graph) -> tuple[Operands, Bools]:
    """Return the operands of a rule's formula, and which nodes have a data format that no formula covers."""
    picked = {name: graph.attrs[name].take(pa.array(rows)) for name in RULE_ATTRS}
    layout = _layout(picked["data_format"], graph.semantics)
    operands = Operands(
        tensors={name: graph.shapes(name, rows) for name in (*rule.needs, *rule.uses)},
        lists={name: Lists.of(column) for name, column in picked.items() if pa.types.is_list(column.type)},
        flags={
            name: to_bools(column.fill_null(name in _TRUE_BY_DEFAULT))
            for name, column in picked.items()
            if pa.types.is_boolean(column.type)
        },
        words={name: column for name, column in picked.items() if pa.types.is_string(column.type)},
        numbers={name: column for name, column in picked.items() if pa.types.is_integer(column.type)},
        channels_first=layout == _FIRST,
        inputs=graph.inputs(rows),
        dtype=np.int64,
    )
    return operands, layout == _NEITHER


def _layout(formats: pa.Array, semantics: Semantics) -> Ints:
    """Return where each node's channels are: `_LAST`, `_FIRST`, or `_NEITHER` for a format that no formula covers."""
    if semantics.refuse_channels_first:
        return np.where(to_bools(pc.equal(formats, "NHWC")), _LAST, _NEITHER)
    words = pc.fill_null(formats, "NHWC")  # TensorFlow's own default
    places = {"NHWC": _LAST, "NCHW": _FIRST}
    return np.select([to_bools(pc.equal(words, word)) for word in places], list(places.values()), _NEITHER)


def _evaluate(rule: Rule, rows: Ints, graph: _Graph) -> tuple[Ints, Ints, dict[Reason, Bools]]:
    """Return the figures of a rule's nodes, their multiply-adds, and per reason the nodes that have no figure.

    The formula is evaluated twice: in int64 for the figure, which wraps on overflow, and in float64 to detect that.
    """
    if rule.kind is OpClass.NO_ARITHMETIC:
        return np.zeros(len(rows), dtype=np.int64), np.zeros(len(rows), dtype=np.int64), {}
    exact, is_foreign = _operands(rule, rows, graph)
    estimate = replace(exact, dtype=np.float64)
    unknown, misfit = np.zeros(len(rows), dtype=bool), np.zeros(len(rows), dtype=bool)
    for lists, least in ((exact.tensors, rule.needs), (exact.lists, rule.lists)):
        for name, rank in least.items():
            unknown |= ~lists[name].known
            misfit |= lists[name].rank < rank
    for name in rule.uses:
        unknown |= ~exact.tensors[name].known & (exact.inputs > int(name.removeprefix("in")))
    with np.errstate(over="ignore", invalid="ignore"):
        if rule.applies is not None:
            misfit |= ~rule.applies(exact)
        values, bound = rule.formula(exact), rule.formula(estimate)
        if rule.divisor is not None:
            values = _divide(values, rule.divisor(exact))
        macs = values // 2 if rule.kind is OpClass.CONTRACTION else np.zeros_like(values)
        if rule.on_top is not None:
            values, bound = values + rule.on_top(exact), bound + rule.on_top(estimate)
    failed = {
        Reason.SHAPE: unknown,
        Reason.LAYOUT: is_foreign if rule.has_layout else np.zeros(len(rows), dtype=bool),
        Reason.OVERFLOW: np.abs(bound) >= float(INT64_LIMIT),
        Reason.MISFIT: misfit | np.isnan(bound),
    }
    return values, macs, failed


def _divide(numbers: Ints, divisors: Ints) -> Ints:
    """Return truncated quotients as TensorFlow computes them, in float64; 0 for a divisor of 0.

    Below 2^53 the integer quotient is the same, so only larger numbers take the slow way.
    """
    result: Ints = np.where(divisors > 0, numbers // np.maximum(divisors, 1), 0)
    for row in np.flatnonzero((np.abs(numbers) > EXACT_IN_FLOAT64) & (divisors > 0)):  # a few huge layers
        result[row] = int(int(numbers[row]) / int(divisors[row]))
    return result
