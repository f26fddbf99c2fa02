"""Chooses the few scopes that explain a model or a change of it, for the first screen of a report.

A scope is chosen by its weight: the sum of its shares of several totals. In a comparison increases and decreases both
count as weight, so a scope that swaps one layer for another is found although its total is unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import islice

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Floats, to_bools
from tfprof_report.compare.causes.carriers import VIEW
from tfprof_report.compare.causes.movers import HEADLINE
from tfprof_report.compare.comparison import Comparison, RowStatus
from tfprof_report.compare.exact_figures import Exact, as_exact, known_figures, sum_figures
from tfprof_report.compare.side import Side
from tfprof_report.formatting import normalise
from tfprof_report.record import record
from tfprof_report.schema.metrics import Number
from tfprof_report.views.forest import Forest, sum_subtrees

_REPEATS = 0.9
"""A scope with at least this share of its parent's weight replaces the parent."""

_EXPLAINS = 0.5
"""The heaviest children replace their parent if together they have at least this share of its weight."""

_COUNTS = 0.05
"""Share of the total weight from which a scope counts as one of the `_ENOUGH` that a list should have."""

_ENOUGH = 3
_SCOPES = 7
_TIMES, _LEAST_TIME = 2, 10
"""Maximum number of scopes named for their time, and the percent of all time that one must take or change by."""

_LEAST = 0.002
"""A scope, or a further figure of it, below this share of the total is named only if the heaviest is small as well."""


@record
class ScopeFigure:
    """A figure of a scope. `share` is `amount` in percent of the model's total, of base if there is one.

    `amount` is head's total without a base, else head - base, where a side that lacks the scope counts as 0.
    """

    stem: str
    base: Number | None
    head: Number | None
    amount: Number
    share: float | None


@record
class Highlight:
    """A scope worth naming, with the figures that make it so, the largest share first.

    `figures` is empty if changes within the scope cancel out.
    """

    name: str
    status: RowStatus | None
    figures: tuple[ScopeFigure, ...]


@record
class Highlights:
    """The scopes named on the first screen, the most important first; no scope of a list contains another.

    scopes : those that changed the `HEADLINE` figures most; without a base, those with the largest figures
    times : the same for time, at least `_LEAST_TIME` percent each, since less is noise
    """

    scopes: tuple[Highlight, ...] = ()
    times: tuple[Highlight, ...] = ()


def find_highlights(head: Side, comparison: Comparison | None, judged: Sequence[str] = ()) -> Highlights:
    """Return the scopes that the first screen of a report on `head` names; empty without a scope view.

    `judged` are the figures that gates are on: scopes that changed are ranked by those, without any by FLOPs, and where
    these did not change by all of `HEADLINE`.
    """
    if VIEW not in head.views:
        return Highlights()
    if comparison is None:
        rows = head.views[VIEW].rows
        scopes = expensive_scopes(rows, HEADLINE, limit=_SCOPES)
        times = expensive_scopes(rows, ("micros",), limit=_TIMES)
    else:
        ranks = tuple(stem for stem in HEADLINE if stem in judged), ("float_ops",), HEADLINE
        scopes = changed_scopes(comparison, HEADLINE, limit=_SCOPES, ranks=ranks)
        times = changed_scopes(comparison, ("micros",), limit=_TIMES)
    return Highlights(scopes=scopes, times=tuple(filter(_is_more_than_noise, times)))


def changed_scopes(
    comparison: Comparison, stems: Sequence[str], *, limit: int, ranks: Sequence[Sequence[str]] = ()
) -> tuple[Highlight, ...]:
    """Return at most `limit` disjoint scopes that changed `stems` most, the most important first.

    The first of `ranks` of which any figure changed decides what is important, without any all of `stems`.

    A figure of a matched row that is known on one side only has no size of change, so it adds no weight.
    """
    forest = comparison.forests.get(VIEW)
    if forest is None or not forest.num_rows:
        return ()
    base, head = (side.views[VIEW].rows for side in (comparison.base, comparison.head))
    both = pc.and_(forest["base_row"].is_valid(), forest["head_row"].is_valid())
    shape, weights = Forest.of_rows(forest), dict[str, Floats]()
    wholes: dict[str, Number] = {}
    for stem in stems:
        column = f"self_{stem}"
        if column not in base.column_names or column not in head.column_names:
            continue
        old, new = base[column].take(forest["base_row"]), head[column].take(forest["head_row"])
        half_known = to_bools(pc.and_(both, pc.xor(old.is_valid(), new.is_valid())))
        was, now = known_figures(old), known_figures(new)
        wholes[stem] = sum_figures(was)
        moved = np.abs(np.where(half_known, 0, now - was))
        weights[stem] = _weight(shape, moved, max(wholes[stem], sum_figures(now)))
    sums = (sum((weights[stem] for stem in rank if stem in weights), np.zeros(len(shape))) for rank in (*ranks, stems))
    weight = next((found for found in sums if found.any()), np.zeros(len(shape)))
    rows = choose_rows(shape, weight, limit=limit)
    return tuple(_changed(forest.slice(int(row), 1), base, head, wholes) for row in rows)


def expensive_scopes(rows: pa.Table, stems: Sequence[str], *, limit: int) -> tuple[Highlight, ...]:
    """Return at most `limit` disjoint scopes with the largest share of `stems`.

    `rows` are those of a scope view (`View.rows`).
    """
    known = [stem for stem in stems if f"self_{stem}" in rows.column_names]
    if not rows.num_rows or not known:
        return ()
    shape, weight = Forest.of_rows(rows), np.zeros(rows.num_rows)
    wholes: dict[str, Number] = {}
    for stem in known:
        own = known_figures(rows[f"self_{stem}"])
        wholes[stem] = sum_figures(own)
        weight += _weight(shape, own, wholes[stem])
    return tuple(
        Highlight(name=rows["name"][row].as_py(), status=None, figures=_taken(rows, row, wholes))
        for row in map(int, choose_rows(shape, weight, limit=limit))
    )


def choose_rows(forest: Forest, weight: Floats, *, limit: int) -> list[int]:
    """Return at most `limit` disjoint rows that explain the total `weight`, the heaviest first.

    Starts with the top rows and refines the list, the heaviest row first. A row is replaced by its heaviest child
    scope, if that has nearly all of its weight, or by its heaviest children, if the list has fewer than three large
    scopes (`_COUNTS`) and either these children explain the row or the row is nearly the whole model, which would be
    no news. A scope that contains only nodes is not replaced by them.
    """
    weight = np.round(weight, 9)  # sums of equal figures may differ in their last digits
    order = np.lexsort((-weight, forest.parent))  # the heaviest first among siblings
    starts = np.searchsorted(forest.parent[order], np.arange(-1, len(forest) + 1))

    def heaviest(parent: int) -> list[int]:
        rows = order[starts[parent + 1] : starts[parent + 2]]
        return [int(row) for row in islice(rows, limit) if weight[row] > 0]

    whole = float(weight[forest.parent < 0].sum())
    found, settled = heaviest(-1), set[int]()
    while pending := [row for row in found if row not in settled]:
        row = max(pending, key=lambda row: (weight[row], -row))  # ties: the first row
        below = heaviest(row)
        scopes = [child for child in below if forest.size[child] > 1]
        carrying = sum(weight[each] >= _COUNTS * whole for each in found)
        if scopes and weight[scopes[0]] >= _REPEATS * weight[row]:
            # A chain such as model/encoder/layers: only its innermost scope is news. Its light siblings are dropped.
            below = scopes[:1]
        elif (
            not scopes or carrying >= _ENOUGH or not _gives_way(weight[row] / whole, weight[below].sum() / weight[row])
        ):
            settled.add(row)
            continue
        found = sorted((*(each for each in found if each != row), *below), key=lambda row: (-weight[row], row))[:limit]
    # If even the heaviest scope is small, as with thousands of equal nodes, measure the others against it.
    least = min(_LEAST * whole, _COUNTS * weight[found[0]]) if found else 0.0
    return [row for row in found if weight[row] >= least]


def _gives_way(part: float, explained: float) -> bool:
    """Return whether a scope, with the share `part` of the total, is replaced by children with `explained` of it."""
    return part >= _REPEATS or (part >= _COUNTS and explained >= _EXPLAINS)


def _weight(shape: Forest, values: Exact, whole: Number) -> Floats:
    """Return for each row the sum of `values` (not negative) in its subtree, as a share of `whole`."""
    sums = sum_subtrees(shape, as_exact(values)) if whole else np.zeros(len(shape))
    return np.asarray(sums.astype(np.float64) / float(whole or 1))


def _total(rows: pa.Table, stem: str, row: int | None) -> Number | None:
    """Return the total of a row, None where it is unknown or there is no row."""
    return None if row is None else normalise(rows[f"total_{stem}"][row].as_py())


def _changed(row: pa.Table, base: pa.Table, head: pa.Table, wholes: dict[str, Number]) -> Highlight:
    base_row, head_row, status = (row[name][0].as_py() for name in ("base_row", "head_row", "status"))
    figures = []
    for stem, whole in wholes.items():
        old, new = _total(base, stem, base_row), _total(head, stem, head_row)
        is_one_sided = status in (RowStatus.NEW, RowStatus.REMOVED)
        if (old is None or new is None) and not is_one_sided:
            continue
        if amount := (new or 0) - (old or 0):
            figures.append(ScopeFigure(stem=stem, base=old, head=new, amount=amount, share=_share(amount, whole)))
    return Highlight(name=row["name"][0].as_py(), status=RowStatus(status), figures=_by_share(figures))


def _taken(rows: pa.Table, row: int, wholes: dict[str, Number]) -> tuple[ScopeFigure, ...]:
    return _by_share(
        ScopeFigure(stem=stem, base=None, head=total, amount=total, share=_share(total, whole))
        for stem, whole in wholes.items()
        if (total := _total(rows, stem, row))
    )


def _share(amount: Number, whole: Number) -> float | None:
    """Return the share in percent, correctly rounded to a float; None if the whole is 0."""
    return float(100 * Fraction(amount) / Fraction(whole)) if whole else None


def _is_more_than_noise(found: Highlight) -> bool:
    return any(_size(figure) >= _LEAST_TIME for figure in found.figures)


def _by_share(figures: Iterable[ScopeFigure]) -> tuple[ScopeFigure, ...]:
    ordered = sorted(figures, key=lambda figure: -_size(figure))
    return tuple(figure for place, figure in enumerate(ordered) if place == 0 or _size(figure) >= 100 * _LEAST)


def _size(figure: ScopeFigure) -> float:
    return float("inf") if figure.share is None else abs(figure.share)
