"""Breakdowns of totals: FLOPs by class of ops, parameters by kind, and op types without a figure, with the reason."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Ints, exact_sum, to_ints, whole
from tfprof_report.model.flops.evaluate import capable_nodes
from tfprof_report.model.flops.rule import OpClass
from tfprof_report.model.params.figures import may_hold
from tfprof_report.model.params.kinds import ParamKind
from tfprof_report.record import record
from tfprof_report.schema.tables import NOT_COUNTED

NO_CLASS = "no rule"
"""The class of op types without a rule."""


_EXAMPLES = 3


_CLASSES = (*(kind.value for kind in OpClass if kind is not OpClass.NO_ARITHMETIC), NO_CLASS)


@record
class ClassTotal:
    """The FLOPs and MACs of the nodes of one class (`OpClass`, or `NO_CLASS`) per execution of the graph.

    `float_ops` and `macs` are sums over the `known` of `nodes`; None if no node has a known figure. MACs are also None
    without a rule.
    """

    op_class: str
    nodes: int
    known: int
    float_ops: int | None
    macs: int | None


@record
class NotCounted:
    """The nodes of one op type that may have FLOPs but no known figure, for one reason; `examples` names a few."""

    op: str
    reason: str
    nodes: int
    examples: tuple[str, ...]


def totals_by_class(nodes: pa.Table) -> tuple[ClassTotal, ...]:
    """Return the total of each class with FLOP-capable nodes; `nodes` has the columns of nodes.parquet.

    Ops without arithmetic are in no class; the classes add up to the totals of all nodes.
    """
    chosen = nodes.select(["op_class", "float_ops", "macs"]).filter(capable_nodes(nodes, "float_ops"))
    kinds = whole(chosen["op_class"]).dictionary_encode()
    words = kinds.dictionary.cast(pa.string())
    words = pc.if_else(pc.equal(words, OpClass.NO_ARITHMETIC), NO_CLASS, words)  # with a figure from the op log
    words = pa.concat_arrays([words, pa.array([NO_CLASS])])
    kinds = words.dictionary_encode().take(pc.fill_null(kinds.indices, len(words) - 1))
    table = pa.table({"kind": kinds, "float_ops": chosen["float_ops"], "macs": chosen["macs"]})
    sums = table.group_by("kind").aggregate(
        [("kind", "count"), ("float_ops", "count"), ("float_ops", "sum"), ("macs", "sum")]
    )
    found = {
        row["kind"]: ClassTotal(
            op_class=row["kind"],
            nodes=row["kind_count"],
            known=row["float_ops_count"],
            float_ops=row["float_ops_sum"],
            macs=None if row["kind"] == NO_CLASS else row["macs_sum"],
        )
        for row in sums.to_pylist()
    }
    return tuple(found[kind] for kind in _CLASSES if kind in found)


def not_counted(nodes: pa.Table) -> tuple[NotCounted, ...]:
    """Return the op types of FLOP-capable nodes without a figure, by reason, the one with the most nodes first."""
    missing = pc.and_(capable_nodes(nodes, "float_ops"), pc.is_null(nodes["float_ops"]))
    said = pc.and_(nodes["op"].is_valid(), nodes["float_ops_reason"].is_valid())
    chosen = nodes.select(["op", "float_ops_reason", "name"]).filter(pc.and_(missing, said))
    op, op_words = _codes(chosen["op"])
    reason, reason_words = _codes(chosen["float_ops_reason"])
    keys, group = np.unique(op * len(reason_words) + reason, return_inverse=True)
    order, counts = np.argsort(group, kind="stable"), np.bincount(group, minlength=len(keys))
    first = np.cumsum(counts) - counts
    return tuple(
        NotCounted(
            op=op_words[keys[each] // len(reason_words)].as_py(),
            reason=reason_words[keys[each] % len(reason_words)].as_py(),
            nodes=int(counts[each]),
            examples=tuple(chosen["name"].take(order[first[each] :][: min(_EXAMPLES, counts[each])]).to_pylist()),
        )
        for each in np.argsort(-counts, kind="stable")
    )


def _codes(words: pa.ChunkedArray) -> tuple[Ints, pa.Array]:
    """Return the codes of words without NULLs, and the distinct words that they index."""
    column = whole(words.unify_dictionaries()).dictionary_encode()
    return to_ints(column.indices), column.dictionary


def not_counted_table(found: tuple[NotCounted, ...]) -> pa.Table:
    """Return the table of not_counted.parquet."""
    return pa.Table.from_pylist([asdict(group) for group in found], schema=NOT_COUNTED)


ALL = "all"
"""The kind of the total over all kinds but unused parameters."""


@record
class ParamTotal:
    """The parameters of one kind (`ParamKind`, or `ALL`).

    nodes : the number of nodes that hold parameters
    guesses, known : the number of these whose kind is guessed, and whose number of elements is known
    params, param_bytes : the sums of known elements and bytes; None if none are known. Those of unused ones are of no
        other kind and not in `ALL`
    """

    kind: str
    nodes: int
    guesses: int
    known: int
    params: int | None
    param_bytes: int | None


def totals_by_kind(nodes: pa.Table) -> tuple[ParamTotal, ...]:
    """Return the total of each kind that occurs, and the total of all kinds but unused ones last.

    `nodes` has the columns of nodes.parquet. Empty if no node holds parameters.
    """
    columns = ("param_kind", "param_kind_is_guess", "params", "param_bytes", "unused_params", "unused_param_bytes")
    held = nodes.select(columns).filter(nodes["param_kind"].is_valid())
    kinds = held["param_kind"].cast(pa.string())
    parts = [(kind.value, held.filter(pc.equal(kinds, kind))) for kind in ParamKind]
    found = [_total(kind, part) for kind, part in parts if part.num_rows]
    return (*found, _total(ALL, held.filter(may_hold(held)))) if found else ()


def _total(kind: str, held: pa.Table) -> ParamTotal:
    prefix = "unused_" if kind == ParamKind.UNUSED else ""
    params, sizes = held[f"{prefix}params"], held[f"{prefix}param_bytes"]
    return ParamTotal(
        kind=kind,
        nodes=held.num_rows,
        guesses=pc.sum(held["param_kind_is_guess"], min_count=0).as_py(),
        known=held.num_rows - params.null_count,
        params=_sum(params),
        param_bytes=_sum(sizes),
    )


def _sum(values: pa.ChunkedArray) -> int | None:
    """Return the sum of the known values, None if there are values but none is known."""
    return exact_sum(values) if values.null_count < len(values) or not len(values) else None
