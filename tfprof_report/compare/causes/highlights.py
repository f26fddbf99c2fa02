"""The few scopes that explain a model, or a change of one: what the first screen names. Chosen on columns.

A scope is chosen by its weight: the sum of its shares of several totals. In a comparison increases and decreases both
weigh, so a scope that swaps one layer for another is found though its total is as before.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Floats
from tfprof_report.compare.comparison import Comparison, RowStatus
from tfprof_report.schema.metrics import Number
from tfprof_report.views.forest import Forest, sum_subtrees

VIEW = "scope"
"""The view whose rows are chosen."""


_REPEATS = 0.9
"""From this part of its parent's weight on, a scope says all that its parent would say."""

_EXPLAINS = 0.5
"""Scopes stand for their parent where the largest of them make up this part of its weight."""

_COUNTS = 0.05
"""From this part of the whole weight on a scope counts as one of the `_ENOUGH` that a list should have."""

_ENOUGH = 3
_LEAST = 0.002
"""A scope, or one more figure of it, below this part of the whole is named only where the heaviest is as light."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A figure of a scope. `share` is the part of the whole model's total in percent, of base's where there is one.

    `amount` is head's total without a base, else head's minus base's, where a side that lacks the scope has 0.
    """

    stem: str
    base: Number | None
    head: Number | None
    amount: Number
    share: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Highlight:
    """A scope worth naming, with the figures that make it so, the largest share first.

    None of them where changes within the scope cancel out.
    """

    name: str
    status: RowStatus | None
    figures: tuple[Figure, ...]


def changed_scopes(
    comparison: Comparison, head: pa.Table, stems: Sequence[str], *, limit: int
) -> tuple[Highlight, ...]:
    """Return at most `limit` scopes that changed `stems` most, none within another, the most important first.

    Parameters
    ----------
    head : rows of head's scope view (`View.rows`)

    Notes
    -----
    A figure that is known on one side of a row only has no size of change: it weighs nothing.
    """
    forest = comparison.forests.get(VIEW)
    if forest is None or not forest.num_rows:
        return ()
    base = comparison.base.views[VIEW].rows
    both = pc.and_(forest["base_row"].is_valid(), forest["head_row"].is_valid())
    shape, weight = Forest.of_rows(forest), np.zeros(forest.num_rows)
    wholes: dict[str, float] = {}
    for stem in stems:
        sides = [
            _on_rows(rows, f"self_{stem}", forest[place]) for rows, place in ((base, "base_row"), (head, "head_row"))
        ]
        if any(side is None for side in sides):
            continue
        old, new = (side for side in sides if side is not None)
        blurred = pc.and_(both, pc.xor(old.is_valid(), new.is_valid()))
        moved = np.where(blurred.to_numpy(zero_copy_only=False), 0.0, _floats(new) - _floats(old))
        wholes[stem] = float(_floats(old).sum())
        whole = max(wholes[stem], float(_floats(new).sum()))
        weight += sum_subtrees(shape, np.abs(moved)) / whole if whole else 0.0
    rows = choose_rows(shape, weight, limit=limit)
    return tuple(_changed(forest.slice(int(row), 1), base, head, wholes) for row in rows)


def expensive_scopes(rows: pa.Table, stems: Sequence[str], *, limit: int) -> tuple[Highlight, ...]:
    """Return at most `limit` scopes that take most of `stems`, none within another.

    `rows` are those of a scope view (`View.rows`).
    """
    known = [stem for stem in stems if f"self_{stem}" in rows.column_names]
    if not rows.num_rows or not known:
        return ()
    shape, weight = Forest.of_rows(rows), np.zeros(rows.num_rows)
    wholes = {stem: float(_floats(rows[f"self_{stem}"]).sum()) for stem in known}
    for stem in known:
        weight += sum_subtrees(shape, _floats(rows[f"self_{stem}"])) / wholes[stem] if wholes[stem] else 0.0
    return tuple(
        Highlight(name=rows["name"][row].as_py(), status=None, figures=_taken(rows.slice(row, 1), wholes))
        for row in map(int, choose_rows(shape, weight, limit=limit))
    )


def choose_rows(forest: Forest, weight: Floats, *, limit: int) -> list[int]:
    """Return at most `limit` rows that explain the whole `weight`, none within another, the heaviest first.

    From the top rows on, a scope that hardly weighs more than one of the scopes in it gives way to that one; and while
    fewer than three scopes carry the weight, the heaviest gives way to what is in it, if a few of these explain it, or
    if it is nearly all there is, which says nothing. What holds nodes alone stands for them.
    """
    weight = np.round(weight, 9)  # sums of floats differ in their last digits where figures are the same
    order = np.lexsort((-weight, forest.parent))  # the heaviest first among siblings
    starts = np.searchsorted(forest.parent[order], np.arange(-1, len(forest) + 1))

    def heaviest(parent: int) -> list[int]:
        rows = order[starts[parent + 1] : starts[parent + 2]]
        return [int(row) for row in islice(rows, limit) if weight[row] > 0]

    whole = float(weight[forest.parent < 0].sum())
    found, settled = heaviest(-1), set[int]()
    while pending := [row for row in found if row not in settled]:
        row = max(pending, key=lambda row: (weight[row], -row))
        below = heaviest(row)
        scopes = [child for child in below if forest.size[child] > 1]
        carrying = sum(weight[each] >= _COUNTS * whole for each in found)
        if scopes and weight[scopes[0]] >= _REPEATS * weight[row]:
            below = scopes[:1]
        elif (
            not scopes or carrying >= _ENOUGH or not _gives_way(weight[row] / whole, weight[below].sum() / weight[row])
        ):
            settled.add(row)
            continue
        found = sorted((*(each for each in found if each != row), *below), key=lambda row: (-weight[row], row))[:limit]
    least = min(_LEAST * whole, _COUNTS * weight[found[0]]) if found else 0.0
    return [row for row in found if weight[row] >= least]


def _gives_way(part: float, explained: float) -> bool:
    """Return whether a scope, `part` of the whole, gives way to the heaviest in it, which have `explained` of it."""
    return part >= _REPEATS or (part >= _COUNTS and explained >= _EXPLAINS)


def _on_rows(rows: pa.Table, column: str, places: pa.ChunkedArray) -> pa.ChunkedArray | None:
    return rows[column].take(places) if column in rows.column_names else None


def _floats(values: pa.ChunkedArray) -> Floats:
    """Return figures for weighing, unknown ones as 0."""
    floats: Floats = np.nan_to_num(pc.fill_null(values, 0).to_numpy().astype(np.float64), posinf=0.0, neginf=0.0)
    return floats


def _changed(row: pa.Table, base: pa.Table, head: pa.Table, wholes: dict[str, float]) -> Highlight:
    figures = []
    for stem, whole in wholes.items():
        old, new = (
            _on_rows(rows, f"total_{stem}", row[place])[0].as_py()  # type: ignore[index]
            for rows, place in ((base, "base_row"), (head, "head_row"))
        )
        known = [side for side in (old, new) if side is not None]
        status = row["status"][0].as_py()
        if not known or (len(known) == 1 and status not in (RowStatus.NEW, RowStatus.REMOVED)):
            continue
        amount = (new or 0) - (old or 0)
        share = 100 * amount / whole if whole else None
        if amount:
            figures.append(Figure(stem=stem, base=old, head=new, amount=amount, share=share))
    return Highlight(name=row["name"][0].as_py(), status=RowStatus(status), figures=_by_share(figures))


def _taken(row: pa.Table, wholes: dict[str, float]) -> tuple[Figure, ...]:
    totals = {stem: row[f"total_{stem}"][0].as_py() for stem in wholes}
    return _by_share(
        Figure(stem=stem, base=None, head=total, amount=total, share=100 * total / wholes[stem])
        for stem, total in totals.items()
        if total
    )


def _by_share(figures: Iterable[Figure]) -> tuple[Figure, ...]:
    ordered = sorted(figures, key=lambda figure: -_size(figure))
    return tuple(figure for place, figure in enumerate(ordered) if place == 0 or _size(figure) >= 100 * _LEAST)


def _size(figure: Figure) -> float:
    return float("inf") if figure.share is None else abs(figure.share)
