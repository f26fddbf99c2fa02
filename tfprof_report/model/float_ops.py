"""Evaluates FLOPs rules over all nodes: a figure per node, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.ingest.arrays import Ints, to_bools, to_ints
from tfprof_report.ingest.graph import RULE_ATTRS
from tfprof_report.model.registry import REGISTERED_OPS, rules_of
from tfprof_report.model.rules import FIRST, OUT, SECOND, Bools, Lists, Operands, Rule
from tfprof_report.model.shapes import shapes_of_outputs
from tfprof_report.semantics import Semantics

_INT64 = 2.0**63
_EXACT_IN_FLOAT64 = 2**53
_NEITHER, _LAST, _FIRST = 0, 1, 2


class Reason(StrEnum):
    """Why a node whose op type has a rule has no figure."""

    SHAPE = "a shape is not fully known"
    LAYOUT = "the formula does not know the data_format"
    OVERFLOW = "the figure leaves the 64-bit range"


@dataclass(frozen=True, slots=True, kw_only=True)
class FloatOps:
    """FLOPs of n nodes by rules.

    values : per execution of the definition, int64; NULL without a rule and where `missing` has the reason
    missing : per reason, which nodes have a rule and no figure
    """

    values: pa.Array
    missing: Mapping[Reason, Bools]


def is_flop_capable(nodes: pa.Table) -> pa.ChunkedArray:
    """Return which nodes have a FLOPs figure or an op type that has one in TensorFlow; never NULL."""
    is_registered = pc.is_in(nodes["op"].cast(pa.string()), value_set=pa.array(REGISTERED_OPS))
    return pc.or_(is_registered, pc.is_valid(nodes["float_ops"]))


def count_float_ops(
    *,
    ops: pa.Array,
    edges: pa.Table,
    output_shapes: pa.ListArray,
    attrs: Mapping[str, pa.Array],
    semantics: Semantics,
) -> FloatOps:
    """Return the FLOPs of nodes by the rules of TensorFlow's registry.

    Parameters
    ----------
    ops : op type per node, NULL where it is not known
    edges : as `shapes.read_edges` gives them; the output index of an input counts
    output_shapes : per node one shape for each output, NULL where not known
    attrs : the columns `ingest.graph.RULE_ATTRS`
    semantics : decides about the registry's quirks
    """
    count = len(ops)
    rules = rules_of(semantics)
    number = {op: index for index, rule in enumerate(rules) for op in rule.ops}
    types = ops.dictionary_encode()
    by_type = np.array([number.get(op, -1) for op in types.dictionary.to_pylist()] + [-1], dtype=np.int64)
    rule_of = by_type[to_ints(pc.fill_null(types.indices, -1))]
    order = np.argsort(rule_of, kind="stable")
    rows = order[np.searchsorted(rule_of[order], 0) :]
    bounds = np.searchsorted(rule_of[rows], np.arange(len(rules) + 1))
    operands = _operands(rows, edges, output_shapes, attrs, semantics)

    values, known = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=bool)
    missing = {reason: np.zeros(count, dtype=bool) for reason in Reason}
    for index, rule in enumerate(rules):
        part = slice(int(bounds[index]), int(bounds[index + 1]))
        if part.start == part.stop:
            continue
        nodes = rows[part]
        values[nodes], failed = _evaluate(rule, operands, part)
        known[nodes] = True
        for reason, mask in failed.items():
            missing[reason][nodes] = mask & known[nodes]
            known[nodes] &= ~mask
    return FloatOps(values=pa.array(np.where(known, values, 0), mask=~known), missing=missing)


@dataclass(frozen=True, slots=True, kw_only=True)
class _All:
    """Operands of all nodes that have a rule, sorted by rule."""

    tensors: Mapping[str, Lists]
    lists: Mapping[str, Lists]
    flags: Mapping[str, Bools]
    layout: Ints
    inputs: Ints

    def part(self, rows: slice, dtype: type) -> Operands:
        return Operands(
            tensors={name: tensor.part(rows) for name, tensor in self.tensors.items()},
            lists={name: values.part(rows) for name, values in self.lists.items()},
            flags={name: flag[rows] for name, flag in self.flags.items()},
            channels_first=self.layout[rows] == _FIRST,
            inputs=self.inputs[rows],
            dtype=dtype,
        )


def _operands(
    rows: Ints, edges: pa.Table, output_shapes: pa.ListArray, attrs: Mapping[str, pa.Array], semantics: Semantics
) -> _All:
    offsets = np.searchsorted(to_ints(edges["node"]), np.append(rows, rows + 1))
    first, end = offsets[: len(rows)], offsets[len(rows) :]
    is_control = to_bools(edges["is_control"])
    source = np.where(is_control, -1, to_ints(pc.fill_null(edges["source"], -1)))
    slot = to_ints(edges["slot"])

    def input_shapes(position: int) -> Lists:
        at = first + position
        present = at < end
        edge = np.where(present, at, 0)
        producer = np.where(present, source[edge], -1) if len(source) else np.full(len(rows), -1)
        index = slot[edge] if len(slot) else np.zeros(len(rows), dtype=np.int64)
        return Lists.of(shapes_of_outputs(output_shapes, producer, index))

    inputs = end - first
    if not semantics.add_n_counts_control_inputs:
        controls = np.append(0, np.cumsum(is_control))
        inputs = inputs - (controls[end] - controls[first])
    picked = {name: attrs[name].take(pa.array(rows)) for name in RULE_ATTRS}
    zero = np.zeros(len(rows), dtype=np.int64)
    return _All(
        tensors={
            FIRST: input_shapes(0),
            SECOND: input_shapes(1),
            OUT: Lists.of(shapes_of_outputs(output_shapes, rows, zero)),
        },
        lists={name: Lists.of(column) for name, column in picked.items() if pa.types.is_list(column.type)},
        flags={name: to_bools(column) for name, column in picked.items() if pa.types.is_boolean(column.type)},
        layout=_layout(picked["data_format"], semantics),
        inputs=inputs,
    )


def _layout(formats: pa.Array, semantics: Semantics) -> Ints:
    """Return where each node's channels are: `_LAST`, `_FIRST`, or `_NEITHER` for a format that no formula knows."""
    if semantics.refuse_channels_first:
        return np.where(to_bools(pc.equal(formats, "NHWC")), _LAST, _NEITHER)
    words = pc.fill_null(formats, "NHWC")  # TensorFlow's own default
    places = {"NHWC": _LAST, "NCHW": _FIRST}
    return np.select([to_bools(pc.equal(words, word)) for word in places], list(places.values()), _NEITHER)


def _evaluate(rule: Rule, operands: _All, part: slice) -> tuple[Ints, dict[Reason, Bools]]:
    """Return the figures of a rule's nodes, and which of them do not count and why."""
    exact, estimate = operands.part(part, np.int64), operands.part(part, np.float64)
    unknown = np.zeros(part.stop - part.start, dtype=bool)
    for lists, least in ((exact.tensors, rule.needs), (exact.lists, rule.lists)):
        for name, rank in least.items():
            unknown |= ~lists[name].known | (lists[name].rank < rank)
    with np.errstate(over="ignore"):
        values = rule.formula(exact)
        too_large = np.abs(rule.formula(estimate)) >= _INT64
        if rule.divisor is not None:
            values = _divide(values, rule.divisor(exact))
    layout = np.full(len(unknown), rule.has_layout) & (operands.layout[part] == _NEITHER)
    return values, {Reason.SHAPE: unknown, Reason.LAYOUT: layout, Reason.OVERFLOW: too_large}


def _divide(numbers: Ints, divisors: Ints) -> Ints:
    """Return quotients without their fraction as TensorFlow gets them: by way of a float64; 0 for a divisor of 0."""
    result: Ints = np.where(divisors > 0, numbers // np.maximum(divisors, 1), 0)
    for row in np.flatnonzero((np.abs(numbers) > _EXACT_IN_FLOAT64) & (divisors > 0)):  # huge layers: a few
        result[row] = int(int(numbers[row]) / int(divisors[row]))
    return result
