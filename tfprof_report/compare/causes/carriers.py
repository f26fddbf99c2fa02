"""Explains changed figures: the scopes that contribute most to each change, and why FLOPs of nodes changed (`flops`).

The scopes of a figure form a small tree in which the changes of children add up to that of their parent.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from heapq import heappop, heappush

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Floats, Ints, to_bools, to_ints
from tfprof_report.compare.causes.flops import FlopReasons, find_flop_reasons
from tfprof_report.compare.causes.movers import HEADLINE, least_change
from tfprof_report.compare.comparison import APART, Comparison, RowStatus
from tfprof_report.compare.delta import is_one_of
from tfprof_report.compare.union import states_of_union
from tfprof_report.record import record
from tfprof_report.schema.metrics import Number
from tfprof_report.views.forest import Forest, sum_subtrees

Figures = Ints | Floats

VIEW = "scope"
"""The view whose rows explain changes, here and on the first screen."""

_SCOPES = 12
"""Maximum number of scopes in a tree: those with the largest changes, at any level."""

_WIDEST, _LEAST_PART = 5, 0.05
"""Maximum number of children shown per scope, and the share of its change below which a child is not shown."""

_NOISE = 1e-9
"""Share of the total below which a difference of means is only rounding error of the sums."""

_TOP = -1


@record
class Carrier:
    """One row of the tree: a scope, or the rest of one (what is not shown of it), with its change of the figure.

    name : the scope; for a rest the scope that it is part of, None at the top
    label : `name` relative to the parent row; empty for a rest
    depth : 0 at the top
    delta : head - base, where a side that lacks the scope counts as 0; without nodes whose figures can't be compared
    share : `delta` in percent of that of the parent row; None where that is 0
    is_unknown : the figure is unknown on a side that has the scope
    is_rest : the row sums up the other children of its scope and the scope's own figure
    others, largest : the number of children in a rest, and the largest change among them (None without any)
    """

    name: str | None
    label: str
    depth: int
    delta: Number
    share: float | None
    status: RowStatus | None = None
    is_unknown: bool = False
    is_rest: bool = False
    others: int = 0
    largest: Number | None = None


@record
class Carried:
    """The contributions to the change `delta` of one figure over the view: a tree in preorder, the largest first."""

    stem: str
    delta: Number
    rows: tuple[Carrier, ...]


@record
class Why:
    """What explains a comparison, apart from the split of changes by op type, which is in the table of op view.

    carried : for each figure of `HEADLINE` that changed, the scopes that contribute most
    flops : the matched nodes whose FLOPs changed; None without any
    """

    carried: tuple[Carried, ...]
    flops: FlopReasons | None


def find_reasons(comparison: Comparison, threshold: Fraction) -> Why:
    """Return why figures changed. Changes of scopes below `threshold` percent of base's total are summed up."""
    found = [find_carriers(comparison, stem, threshold) for stem in HEADLINE]
    return Why(
        carried=tuple(carried for carried in found if carried is not None),
        flops=find_flop_reasons(comparison),
    )


def find_carriers(comparison: Comparison, stem: str, threshold: Fraction) -> Carried | None:
    """Return the scopes that contribute to the change of `stem`; None if no scope changed or a side lacks the metric.

    A scope whose whole change is in one child is replaced by the child. Changes below `threshold` percent of base's
    total are part of a rest.
    """
    if VIEW not in comparison.forests:
        return None
    forest, column = comparison.forests[VIEW], f"total_{stem}"
    base, head = (side.views[VIEW].rows for side in (comparison.base, comparison.head))
    if column not in head.column_names or column not in base.column_names:
        return None
    old, new = base[column].take(forest["base_row"]), head[column].take(forest["head_row"])
    delta = _known(new) - _known(old)
    delta = np.subtract(delta, _incomparable(comparison, stem, base, head))
    parent = to_ints(forest["parent"].fill_null(_TOP))
    if delta.dtype.kind == "f":
        delta[np.abs(delta) < _NOISE * np.abs(_known(old)[parent == _TOP]).sum()] = 0
    if not delta.any():
        return None
    tree = _Tree(
        names=forest["name"],
        status=forest["status"],
        is_unknown=to_bools(_is_unknown(forest, old, new)),
        delta=delta,
        whole=delta[parent == _TOP].sum().item(),
        children=_Children(parent, delta),
    )
    shown = _choose(tree, float(least_change(comparison, stem, threshold)))
    return Carried(stem=stem, delta=tree.whole, rows=tuple(_rows(tree, shown)))


class _Children:
    """The changed children of each row, the largest change first; `end_of` is the row that replaces a row."""

    def __init__(self, parent: Ints, delta: Figures) -> None:
        rows = np.flatnonzero(delta)
        self._order = rows[np.lexsort((rows, -np.abs(delta[rows]), parent[rows]))]
        self._starts = np.searchsorted(parent[self._order], np.arange(_TOP, len(parent) + 1))
        counts = np.diff(self._starts)[1:]
        first = self._order[np.minimum(self._starts[1:-1], len(self._order) - 1)]
        replaced = np.flatnonzero((counts == 1) & (delta[first] == delta))
        end = np.arange(len(parent))
        end[replaced] = first[replaced]
        # Pointer doubling: chains of scopes may be deep, and each round follows twice as many links.
        while not np.array_equal(further := end[end], end):
            end = further
        self.end_of = end

    def of(self, row: int) -> Ints:
        """Return the changed children of a row, of `_TOP` the top rows."""
        below: Ints = self._order[self._starts[row + 1] : self._starts[row + 2]]
        return below


@record
class _Tree:
    """Columns of the forest from which rows are chosen; `whole` is the total change."""

    names: pa.ChunkedArray
    status: pa.ChunkedArray
    is_unknown: Bools
    delta: Figures
    whole: Number
    children: _Children

    def change(self, row: int) -> Number:
        """Return the change of a row; for `_TOP`, the total change."""
        found: Number = self.whole if row == _TOP else self.delta[row].item()
        return found


def _choose(tree: _Tree, least: float) -> dict[int, list[int]]:
    """Return the children to show, by their parent row.

    Best-first search from the top: a child becomes a candidate once its parent is shown, and the candidate with the
    largest change is shown next.
    """
    shown: dict[int, list[int]] = {}
    pending: list[tuple[float, int, int]] = []

    def offer(row: int) -> None:
        smallest = least if row == _TOP else max(least, _LEAST_PART * abs(tree.change(row)))
        for child in map(int, tree.children.of(row)[:_WIDEST]):
            if (size := abs(tree.change(child))) >= smallest:
                heappush(pending, (-size, child, row))

    offer(_TOP)
    for _ in range(_SCOPES):
        if pending:
            _, child, row = heappop(pending)
            shown.setdefault(row, []).append(child)
            offer(int(tree.children.end_of[child]))
    return shown


def _rows(tree: _Tree, shown: dict[int, list[int]]) -> Iterator[Carrier]:
    """Yield the tree in preorder."""
    pending = _below(tree, shown, _TOP, depth=0, name=None)
    while pending:
        carrier, row = pending.pop()
        yield carrier
        if row is not None:
            pending += _below(tree, shown, row, depth=carrier.depth + 1, name=carrier.name)


def _below(
    tree: _Tree, shown: dict[int, list[int]], row: int, *, depth: int, name: str | None
) -> list[tuple[Carrier, int | None]]:
    """Return the rows right below a row, in reverse order: shown children with their row, and the rest with None."""
    chosen = shown.get(row, [])
    if not chosen and row != _TOP:
        return []
    whole = tree.change(row)
    found: list[tuple[Carrier, int | None]] = []
    for child in chosen:
        carrier = _carrier(tree, child, whole, depth=depth, above=name)
        found.append((carrier, int(tree.children.end_of[child])))
    others = tree.children.of(row)[len(chosen) :]  # children are sorted by change, and the largest ones are shown
    rest = whole - sum(tree.change(child) for child in chosen)
    if len(others) == 1 and tree.change(int(others[0])) == rest:
        return [(_carrier(tree, int(others[0]), whole, depth=depth, above=name), None), *found[::-1]]
    if len(others) or abs(rest) > (_NOISE * abs(whole) if isinstance(rest, float) else 0):
        carrier = Carrier(
            name=name,
            label="",
            depth=depth,
            delta=rest,
            share=_share(rest, whole),
            is_rest=True,
            others=len(others),
            largest=tree.change(int(others[0])) if len(others) else None,
        )
        found.append((carrier, None))
    return found[::-1]


def _carrier(tree: _Tree, child: int, whole: Number, *, depth: int, above: str | None) -> Carrier:
    """Return a scope, or the descendant that replaces it, as part of the change `whole` of the scope `above`."""
    end = int(tree.children.end_of[child])
    name = tree.names[end].as_py()
    return Carrier(
        name=name,
        label=name.removeprefix(f"{above}/") if above else name,
        depth=depth,
        delta=tree.change(child),
        share=_share(tree.change(child), whole),
        status=RowStatus(tree.status[end].as_py()),
        is_unknown=bool(tree.is_unknown[end]),
    )


def _share(part: Number, whole: Number) -> float | None:
    return 100 * part / whole if whole else None


def _incomparable(comparison: Comparison, stem: str, base: pa.Table, head: pa.Table) -> Figures:
    """Return for each scope the change of its nodes whose figures can't be compared, such as a lost one."""
    forest, states = comparison.forests[VIEW], states_of_union(comparison.views[VIEW], comparison.forests[VIEW])
    if f"state_{stem}" not in states.column_names:
        return np.zeros(forest.num_rows, dtype=np.int64)
    is_apart = to_bools(is_one_of(states[f"state_{stem}"], *APART))
    if not is_apart.any():
        return np.zeros(forest.num_rows, dtype=np.int64)
    own: list[Figures] = [
        np.where(
            is_apart & to_bools(pc.fill_null(side["accounted"].take(forest[f"{word}_row"]), fill_value=False)),
            _known(side[f"self_{stem}"].take(forest[f"{word}_row"])),
            0,
        )
        for word, side in (("base", base), ("head", head))
    ]
    return sum_subtrees(Forest.of_rows(forest), np.subtract(own[1], own[0]))


def _known(values: pa.ChunkedArray) -> Figures:
    """Return figures to subtract, with 0 where a side lacks the scope or its figure."""
    figures: Figures = pc.fill_null(values, 0).to_numpy()
    return figures


def _is_unknown(forest: pa.Table, old: pa.ChunkedArray, new: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return where the figure is unknown on a side that has the scope."""
    sides = ((forest["base_row"], old), (forest["head_row"], new))
    unknown = (pc.and_(row.is_valid(), figure.is_null()) for row, figure in sides)
    return pc.or_(*unknown)
