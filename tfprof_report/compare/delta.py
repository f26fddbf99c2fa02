"""Subtracts matched rows: the same columns per metric, with one truth table for figures that may be unknown."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, to_ints, whole
from tfprof_report.compare.comparison import SAME, RowStatus, State
from tfprof_report.compare.matching.pairs import Pairs
from tfprof_report.errors import InputError
from tfprof_report.schema.metrics import METRICS, Kind, Metric

_STATES = list(State)
_STATUSES = list(RowStatus)


Open = Mapping[str, Bools]
"""By metric, the rows of one side with an unknown part that the other side does not cancel; none if it is missing."""


def diff_nodes(base: pa.Table, head: pa.Table, pairs: Pairs, base_open: Open, head_open: Open) -> pa.Table:
    """Return one row per node of either side, as `Comparison.nodes` describes it.

    ``definition_count`` has no columns: it is 1 for every node, so `status` already shows its change.

    Raises
    ------
    InputError
        A difference does not fit into int64.
    """
    metrics = [metric for metric in _shared(base, head, prefix="") if metric.kind is not Kind.COUNT]
    columns, is_changed = _diff((base, base_open), (head, head_open), pairs, metrics, prefix="")
    base_op, head_op = (
        whole(table["op"].cast(pa.string()).take(rows))
        for table, rows in ((base, pairs.base_rows), (head, pairs.head_rows))
    )
    is_changed = pc.or_(is_changed, pc.fill_null(pc.not_equal(base_op, head_op), fill_value=False))
    ops = {"base_op": base_op.dictionary_encode(), "head_op": head_op.dictionary_encode()}
    return pa.table(
        {"name": pairs.names, "status": row_status(pairs, is_changed), **partner_columns(pairs), **ops, **columns}
    )


def diff_view(base: pa.Table, head: pa.Table, pairs: Pairs, base_open: Open, head_open: Open) -> pa.Table:
    """Return one row per row of a view on either side, as `Comparison.views` describes it.

    Raises
    ------
    InputError
        A difference does not fit into int64.
    """
    metrics = _shared(base, head, prefix="total_")
    columns, is_changed = _diff((base, base_open), (head, head_open), pairs, metrics, prefix="total_")
    depth = pc.coalesce(head["depth"].take(pairs.head_rows), base["depth"].take(pairs.base_rows))
    leading = {"name": pairs.names, "status": row_status(pairs, is_changed), **partner_columns(pairs), "depth": depth}
    return pa.table({**leading, **columns})


def state_of(base: Fraction | None, head: Fraction | None, *, base_open: bool, head_open: bool) -> State:
    """Return what happened to one figure: the scalar form of `_states`."""
    if base is None and head is None:
        return State.NOT_COMPARABLE if base_open or head_open else State.UNKNOWN
    is_lost, is_found = head_open or head is None, base_open or base is None
    if is_lost or is_found:
        return State.NOT_COMPARABLE if is_lost and is_found else State.LOST if is_lost else State.NOW_KNOWN
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
    coded = whole(column)
    if not pa.types.is_dictionary(coded.type):
        coded = coded.dictionary_encode()
    codes = [code for code, word in enumerate(coded.dictionary.to_pylist()) if word in words]
    return pc.is_in(coded.indices, pa.array(codes, coded.indices.type))


def _shared(base: pa.Table, head: pa.Table, *, prefix: str) -> list[Metric]:
    """Return the metrics that both sides have a column for, in the order of every report."""
    names = set(base.column_names) & set(head.column_names)
    return [metric for metric in METRICS.values() if prefix + metric.stem in names]


def _diff(
    base_side: tuple[pa.Table, Open],
    head_side: tuple[pa.Table, Open],
    pairs: Pairs,
    metrics: list[Metric],
    *,
    prefix: str,
) -> tuple[dict[str, pa.Array], pa.Array]:
    """Return the columns of each metric, and which matched rows have a figure that changed."""
    (base, base_open), (head, head_open) = base_side, head_side
    is_matched = pairs.is_matched
    is_changed = pc.and_(is_matched, pa.scalar(value=False))
    columns: dict[str, pa.Array] = {}
    nothing = pairs.of_base(_zeros(base.num_rows)), pairs.of_head(_zeros(head.num_rows))
    for metric in metrics:
        old = pairs.of_base(_figures(base, prefix + metric.stem, metric))
        new = pairs.of_head(_figures(head, prefix + metric.stem, metric))
        old_open = _open_pairs(base_open.get(metric.stem), pairs.base_rows)
        new_open = _open_pairs(head_open.get(metric.stem), pairs.head_rows)
        is_open = pc.or_(old_open, new_open)
        delta = pc.if_else(is_open, pa.scalar(None, old.type), _subtract(old, new, metric))
        has_none = pc.and_(old.is_null(), new.is_null())
        same = pc.and_(has_none, pc.invert(is_open)) if metric.kind is Kind.STATIC else has_none
        is_lost, is_found = pc.or_(new_open, new.is_null()), pc.or_(old_open, old.is_null())
        state = _states(old, new, is_matched, is_lost=is_lost, is_found=is_found, same=same)
        columns |= {
            f"base_{metric.stem}": old,
            f"head_{metric.stem}": new,
            f"delta_{metric.stem}": delta,
            f"percent_{metric.stem}": _percent(old, new, delta),
            **_unknown(base, head, pairs, metric, nothing),
            f"state_{metric.stem}": _state_words(state),
        }
        is_changed = pc.or_(is_changed, _is_other(state, is_matched))
    return columns, is_changed


def diff_exact(stem: str, base: pa.Array, head: pa.Array, pairs: Pairs) -> tuple[dict[str, pa.Array], pa.Array]:
    """Return the columns of one figure, int64 and NULL where unknown, and which matched rows have another value.

    Raises
    ------
    InputError
        A difference does not fit into int64.
    """
    old, new = pairs.of_base(base), pairs.of_head(head)
    delta = _subtract_exact(old, new, stem, advice="check the run metadata of both sides")
    has_none = pc.and_(old.is_null(), new.is_null())
    state = _states(old, new, pairs.is_matched, is_lost=new.is_null(), is_found=old.is_null(), same=has_none)
    columns = {
        f"base_{stem}": old,
        f"head_{stem}": new,
        f"delta_{stem}": delta,
        f"percent_{stem}": _percent(old, new, delta),
        f"state_{stem}": _state_words(state),
    }
    return columns, _is_other(state, pairs.is_matched)


def _state_words(state: pa.Array) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(state, pa.array(_STATES, pa.string()))


def _is_other(state: pa.Array, is_matched: pa.Array) -> pa.Array:
    """Return which matched rows have a state with a visible change."""
    is_same = pc.is_in(state, value_set=pa.array([_STATES.index(same) for same in SAME], pa.int8()))
    return pc.and_(is_matched, pc.invert(is_same))


def _open_pairs(rows: Bools | None, place: pa.Array) -> pa.Array:
    """Return the open rows of one side in the order of pairs."""
    if rows is None:
        return pa.array(np.zeros(len(place), dtype=bool))
    return pc.fill_null(pa.array(rows).take(place), fill_value=False)


def _zeros(count: int) -> pa.Array:
    return pa.array(np.zeros(count, dtype=np.int64))


def _unknown(
    base: pa.Table, head: pa.Table, pairs: Pairs, metric: Metric, nothing: tuple[pa.Array, pa.Array]
) -> dict[str, pa.Array]:
    """Return the numbers of unknown nodes in each row of a view.

    `nothing` is 0 for each row of base, and of head, in the order of pairs: most metrics share it.
    """
    column = f"unknown_{metric.stem}"
    if column not in base.column_names or column not in head.column_names:
        return {}
    old, new = (whole(side[column]) for side in (base, head))
    return {
        f"base_{column}": nothing[0] if _is_zero(old) else pairs.of_base(old),
        f"head_{column}": nothing[1] if _is_zero(new) else pairs.of_head(new),
    }


def _is_zero(values: pa.Array) -> bool:
    return not values.null_count and not to_ints(values).any()


def _figures(table: pa.Table, column: str, metric: Metric) -> pa.Array:
    """Return a column in the type of its metric; NaN and infinity, which no input should hold, become NULL."""
    figures = whole(table[column])
    if metric.kind is not Kind.RUN:
        return figures.cast(pa.int64())
    return _finite(figures.cast(pa.float64(), safe=False))


def _subtract(base: pa.Array, head: pa.Array, metric: Metric) -> pa.Array:
    """Return head - base, NULL unless both are known."""
    if metric.kind is Kind.RUN:
        return _finite(pc.subtract(head, base))
    return _subtract_exact(base, head, metric.stem, advice="check the figures of both sides in the op log")


def _subtract_exact(base: pa.Array, head: pa.Array, stem: str, *, advice: str) -> pa.Array:
    try:
        return pc.subtract_checked(head, base)
    except pa.ArrowInvalid as error:
        raise InputError(
            f"{stem} of a row changes by more than a 64-bit number holds", advice=advice, details=str(error)
        ) from error


def _percent(base: pa.Array, head: pa.Array, delta: pa.Array) -> pa.Array:
    """Return the change in percent: the vectorised form of `percent_of`."""
    floats = base.cast(pa.float64(), safe=False)
    ratio = pc.divide(pc.multiply(delta.cast(pa.float64(), safe=False), 100.0), pc.abs(floats))
    unknown = pa.scalar(None, pa.float64())
    conditions = pc.make_struct(
        delta.is_null(),
        pc.and_(pc.equal(base, 0), pc.equal(head, 0)),
        pc.equal(base, 0),
        pc.equal(head, 0),  # -100 % without the rounding of the quotient
    )
    return _finite(pc.case_when(conditions, unknown, 0.0, unknown, pc.multiply(pc.sign(floats), -100.0), ratio))


def _states(
    base: pa.Array, head: pa.Array, is_matched: pa.Array, *, is_lost: pa.Array, is_found: pa.Array, same: pa.Array
) -> pa.Array:
    """Return the index of each row's state in `_STATES`, NULL where only one side has the row.

    `is_lost` and `is_found` are the rows that are not fully known in head, and in base; `same` those that both sides
    lack, without a sign of a difference.
    """
    conditions = pc.make_struct(
        pc.invert(is_matched),
        same,
        pc.and_(is_lost, is_found),
        is_lost,
        is_found,
        pc.equal(base, head),
        pc.equal(base, 0),
    )
    states = (
        *(State.UNKNOWN, State.NOT_COMPARABLE, State.LOST, State.NOW_KNOWN),
        *(State.UNCHANGED, State.NEW_FROM_ZERO, State.CHANGED),
    )
    codes = [pa.scalar(_STATES.index(state), pa.int8()) for state in states]
    return pc.case_when(conditions, pa.scalar(None, pa.int8()), *codes)


def row_status(pairs: Pairs, is_changed: pa.Array) -> pa.Array:
    """Return the `RowStatus` of each row."""
    conditions = pc.make_struct(pairs.base_rows.is_null(), pairs.head_rows.is_null(), is_changed)
    statuses = (RowStatus.NEW, RowStatus.REMOVED, RowStatus.CHANGED, RowStatus.UNCHANGED)
    codes = pc.case_when(conditions, *(pa.scalar(_STATUSES.index(status), pa.int8()) for status in statuses))
    return pa.DictionaryArray.from_arrays(codes, pa.array(_STATUSES, pa.string()))


def partner_columns(pairs: Pairs) -> dict[str, pa.Array]:
    """Return the columns with the name of a row in base, and why it was matched."""
    return {"base_name": pairs.base_names, "matched_by": pairs.matched_by}


def _finite(values: pa.Array) -> pa.Array:
    is_finite = pc.is_finite(values)
    if pc.all(is_finite, min_count=0).as_py():  # of those that are known
        return values
    return pc.if_else(is_finite, values, pa.scalar(None, values.type))
