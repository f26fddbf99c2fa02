"""Finds figures of both sides that rest on unlike sizes: another batch, or sizes from a run of one side only."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tfprof_report.arrays import Bools, Ints, to_ints
from tfprof_report.compare.matching.pairs import Pairs
from tfprof_report.model.shapes.basis import Basis, basis_of, first_sizes, is_word, rests_on
from tfprof_report.model.shapes.resolve import BATCH, RUN
from tfprof_report.record import record


@record
class UnlikeSizes:
    """Which FLOPs can't be compared, since they rest on unlike sizes.

    nodes : a boolean per row of `Comparison.nodes`
    reasons : why, a clause each; empty if no row is unlike
    """

    nodes: Bools
    reasons: tuple[str, ...]


def find_unlike_sizes(base: pa.Table, head: pa.Table, pairs: Pairs) -> UnlikeSizes:
    """Return the rows of `pairs` whose FLOPs rest on a batch or a run that the other side does not have.

    A batch that is written in the graph is a property of the model: two of them are compared. An assumed one is
    compared with the same size, assumed or written.
    """
    places = [_places(rows) for rows in (pairs.base_rows, pairs.head_rows)]
    bases = [basis_of(side) for side in (base, head)]
    reasons, is_unlike = [], np.zeros(len(pairs.names), dtype=bool)
    if bases[0].has_run != bases[1].has_run:
        reasons.append(f"only {'base' if bases[0].has_run else 'head'} has sizes from a run")
        is_unlike |= _either(base, head, places, RUN)
    if _has_other_batch(base, head, places, bases):
        words = [basis.of_batch or "at no assumed batch" for basis in bases]
        reasons.append(f"base is {words[0]}, head {words[1]}")
        is_unlike |= _either(base, head, places, BATCH)
    return UnlikeSizes(nodes=is_unlike, reasons=tuple(reasons))


def _places(rows: pa.Array) -> Ints:
    return to_ints(rows.fill_null(-1))


def _either(base: pa.Table, head: pa.Table, places: list[Ints], source: str) -> Bools:
    """Return the rows of the comparison whose FLOPs rest on `source` on either side."""
    found = [_at(rests_on(side, source), place) for side, place in zip((base, head), places, strict=True)]
    either: Bools = found[0] | found[1]
    return either


def _at(marked: Bools, place: Ints) -> Bools:
    is_there = place >= 0
    result = np.zeros(len(place), dtype=bool)
    result[is_there] = marked[place[is_there]]
    return result


def _has_other_batch(base: pa.Table, head: pa.Table, places: list[Ints], bases: list[Basis]) -> bool:
    """Return whether an input with an assumed batch has another first size on the other side, or no partner there.

    An input without a partner is compared with the batch that the other side assumes.
    """
    sizes = {basis.batch for basis in bases}
    if sizes == {None}:
        return False
    if None not in sizes:
        return len(sizes) > 1
    assumed, other = (0, 1) if bases[1].batch is None else (1, 0)
    sides = (base, head)
    inputs = _at(is_word(sides[assumed], "shape_source", BATCH), places[assumed])
    partner = places[other][inputs]
    if (partner < 0).any():
        return True
    return bool((first_sizes(sides[other].take(pa.array(partner))) != bases[assumed].batch).any())
