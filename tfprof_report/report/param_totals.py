"""Parameters told apart by what they are for."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.model.param_kinds import ParamKind

ALL = "all"
"""Stands for parameters of every kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParamTotal:
    """The parameters of one kind (`param_kinds.ParamKind`, or `ALL`).

    nodes : that hold some; of `guesses` of them the kind is a guess, of `known` the number of elements is known
    params, param_bytes : elements and their size, summed over nodes where they are known; None if they are of none
    """

    kind: str
    nodes: int
    guesses: int
    known: int
    params: int | None
    param_bytes: int | None


def totals_by_kind(nodes: pa.Table) -> tuple[ParamTotal, ...]:
    """Return the total of each kind that `nodes` (the columns of nodes.parquet) have, and that of all of them last.

    Empty where no node holds parameters.
    """
    held = nodes.select(["param_kind", "param_kind_is_guess", "params", "param_bytes"])
    held = held.filter(held["param_kind"].is_valid())
    kinds = held["param_kind"].cast(pa.string())
    parts = [(kind.value, held.filter(pc.equal(kinds, kind))) for kind in ParamKind]
    return tuple(_total(kind, part) for kind, part in [*parts, (ALL, held)] if part.num_rows)


def _total(kind: str, held: pa.Table) -> ParamTotal:
    return ParamTotal(
        kind=kind,
        nodes=held.num_rows,
        guesses=pc.sum(held["param_kind_is_guess"], min_count=0).as_py(),
        known=held.num_rows - held["params"].null_count,
        params=_sum(held["params"]),
        param_bytes=_sum(held["param_bytes"]),
    )


def _sum(values: pa.ChunkedArray) -> int | None:
    """Return the sum of the known values; a sum of int64 would wrap without a word."""
    total = pc.sum(values.cast(pa.decimal256(76))).as_py()
    return None if total is None else int(total)
