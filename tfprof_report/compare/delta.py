"""Subtracts matched rows: five columns per metric, with one truth table for figures that may be unknown."""

from __future__ import annotations

from fractions import Fraction

import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.compare.comparison import SAME, RowStatus, State
from tfprof_report.compare.matching.pairs import Pairs
from tfprof_report.errors import InputError
from tfprof_report.schema.metrics import METRICS, Kind, Metric

_STATES = list(State)
_STATUSES = list(RowStatus)


def diff_nodes(base: pa.Table, head: pa.Table, pairs: Pairs) -> pa.Table:
    """Return one row per node of either side, as `Comparison.nodes` describes it.

    ``definition_count`` has no columns: it is 1 for every node, so `status` already shows its change.

    Raises
    ------
    InputError
        A difference does not fit into int64.
    """
    metrics = [metric for metric in _shared(base, head, prefix="") if metric.kind is not Kind.COUNT]
    columns, is_changed = _diff(base, head, pairs, metrics, prefix="")
    base_op, head_op = (
        table["op"].cast(pa.string()).take(rows).combine_chunks()
        for table, rows in ((base, pairs.base_rows), (head, pairs.head_rows))
    )
    is_changed = pc.or_(is_changed, pc.fill_null(pc.not_equal(base_op, head_op), fill_value=False))
    ops = {"base_op": base_op.dictionary_encode(), "head_op": head_op.dictionary_encode()}
    return pa.table({"name": pairs.names, "status": _status(pairs, is_changed), **_partner(pairs), **ops, **columns})


def diff_view(base: pa.Table, head: pa.Table, pairs: Pairs) -> pa.Table:
    """Return one row per row of a view on either side, as `Comparison.views` describes it.

    Raises
    ------
    InputError
        A difference does not fit into int64.
    """
    columns, is_changed = _diff(base, head, pairs, _shared(base, head, prefix="total_"), prefix="total_")
    depth = pc.coalesce(head["depth"].take(pairs.head_rows), base["depth"].take(pairs.base_rows))
    leading = {"name": pairs.names, "status": _status(pairs, is_changed), **_partner(pairs), "depth": depth}
    return pa.table({**leading, **columns})


def state_of(base: Fraction | None, head: Fraction | None) -> State:
    """Return what happened to one figure: the scalar form of `_states`."""
    if base is None:
        return State.UNKNOWN if head is None else State.NOW_KNOWN
    if head is None:
        return State.LOST
    if base == head:
        return State.UNCHANGED
    return State.NEW_FROM_ZERO if base == 0 else State.CHANGED


def moved_by(rows: pa.Table, stem: str) -> pa.ChunkedArray:
    """Return the change of a figure in each row of a comparison, where a side that lacks the row counts as 0.

    NULL where the figure is unknown on a side that has the row.
    """
    return pc.coalesce(
        rows[f"delta_{stem}"],
        pc.if_else(is_one_of(rows["status"], RowStatus.NEW), rows[f"head_{stem}"], None),
        pc.if_else(is_one_of(rows["status"], RowStatus.REMOVED), pc.negate(rows[f"base_{stem}"]), None),
    )


def is_one_of(column: pa.ChunkedArray, *words: str) -> pa.Array:
    """Return where a column holds one of `words`. Dictionary codes are compared, which is faster than text."""
    coded = column.combine_chunks()
    if not pa.types.is_dictionary(coded.type):
        coded = coded.dictionary_encode()
    codes = [code for code, word in enumerate(coded.dictionary.to_pylist()) if word in words]
    return pc.is_in(coded.indices, pa.array(codes, coded.indices.type))


def _shared(base: pa.Table, head: pa.Table, *, prefix: str) -> list[Metric]:
    """Return the metrics that both sides have a column for, in the order of every report."""
    names = set(base.column_names) & set(head.column_names)
    return [metric for metric in METRICS.values() if prefix + metric.stem in names]


def _diff(
    base: pa.Table, head: pa.Table, pairs: Pairs, metrics: list[Metric], *, prefix: str
) -> tuple[dict[str, pa.Array], pa.Array]:
    """Return the five columns of each metric, and which matched rows have a figure that changed."""
    is_matched = pairs.is_matched
    is_changed = pc.and_(is_matched, pa.scalar(value=False))
    columns: dict[str, pa.Array] = {}
    for metric in metrics:
        old = _figures(base, prefix + metric.stem, metric).take(pairs.base_rows)
        new = _figures(head, prefix + metric.stem, metric).take(pairs.head_rows)
        delta = _subtract(old, new, metric)
        state = _states(old, new, is_matched)
        columns |= {
            f"base_{metric.stem}": old,
            f"head_{metric.stem}": new,
            f"delta_{metric.stem}": delta,
            f"percent_{metric.stem}": _percent(old, new, delta),
            f"state_{metric.stem}": pa.DictionaryArray.from_arrays(state, pa.array(_STATES, pa.string())),
        }
        is_same = pc.is_in(state, value_set=pa.array([_STATES.index(same) for same in SAME], pa.int8()))
        is_changed = pc.or_(is_changed, pc.and_(is_matched, pc.invert(is_same)))
    return columns, is_changed


def _figures(table: pa.Table, column: str, metric: Metric) -> pa.Array:
    """Return a column in the type of its metric; NaN and infinity, which no input should hold, become NULL."""
    figures = table[column].combine_chunks()
    if metric.kind is not Kind.RUN:
        return figures.cast(pa.int64())
    return _finite(figures.cast(pa.float64(), safe=False))


def _subtract(base: pa.Array, head: pa.Array, metric: Metric) -> pa.Array:
    """Return head - base, NULL unless both are known."""
    if metric.kind is Kind.RUN:
        return _finite(pc.subtract(head, base))
    try:
        return pc.subtract_checked(head, base)
    except pa.ArrowInvalid as error:
        raise InputError(
            f"{metric.stem} of a row changes by more than a 64-bit number holds",
            advice="check the figures of both sides in the op log",
            details=str(error),
        ) from error


def _percent(base: pa.Array, head: pa.Array, delta: pa.Array) -> pa.Array:
    """Return the change in percent: the vectorised form of `percent_of`."""
    floats = base.cast(pa.float64(), safe=False)
    ratio = pc.divide(pc.multiply(delta.cast(pa.float64(), safe=False), 100.0), pc.abs(floats))
    unknown = pa.scalar(None, pa.float64())
    conditions = pc.make_struct(
        pc.and_(pc.equal(base, 0), pc.equal(head, 0)),
        pc.equal(base, 0),
        pc.equal(head, 0),  # -100 % without the rounding of the quotient
    )
    return _finite(pc.case_when(conditions, 0.0, unknown, pc.multiply(pc.sign(floats), -100.0), ratio))


def _states(base: pa.Array, head: pa.Array, is_matched: pa.Array) -> pa.Array:
    """Return the index of each row's state in `_STATES`, NULL where only one side has the row."""
    conditions = pc.make_struct(
        pc.invert(is_matched),
        pc.and_(base.is_null(), head.is_null()),
        head.is_null(),
        base.is_null(),
        pc.equal(base, head),
        pc.equal(base, 0),
    )
    states = (State.UNKNOWN, State.LOST, State.NOW_KNOWN, State.UNCHANGED, State.NEW_FROM_ZERO, State.CHANGED)
    codes = [pa.scalar(_STATES.index(state), pa.int8()) for state in states]
    return pc.case_when(conditions, pa.scalar(None, pa.int8()), *codes)


def _status(pairs: Pairs, is_changed: pa.Array) -> pa.Array:
    """Return the `RowStatus` of each row."""
    conditions = pc.make_struct(pairs.base_rows.is_null(), pairs.head_rows.is_null(), is_changed)
    statuses = (RowStatus.NEW, RowStatus.REMOVED, RowStatus.CHANGED, RowStatus.UNCHANGED)
    codes = pc.case_when(conditions, *(pa.scalar(_STATUSES.index(status), pa.int8()) for status in statuses))
    return pa.DictionaryArray.from_arrays(codes, pa.array(_STATUSES, pa.string()))


def _partner(pairs: Pairs) -> dict[str, pa.Array]:
    """Return the columns with the name of a row in base, and why it was matched."""
    return {"base_name": pairs.base_names, "matched_by": pairs.matched_by}


def _finite(values: pa.Array) -> pa.Array:
    return pc.if_else(pc.is_finite(values), values, pa.scalar(None, values.type))
