"""The nodes of head that a change brought without a figure: no sum shows them, so the first screen names them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from tfprof_report.arrays import to_bools
from tfprof_report.compare.comparison import Comparison
from tfprof_report.record import record

STEMS = ("float_ops", "params")
"""Figures that depend on the graph alone, which every node should have."""

_NAMED = 3


@record
class Uncounted:
    """Nodes that are new, or were known or different in base, and have no figure `stem` in head.

    nodes : name and op type of the first of them, in the order of the graph
    count : the number of all
    """

    stem: str
    nodes: tuple[tuple[str, str | None], ...]
    count: int


def find_uncounted(comparison: Comparison) -> tuple[Uncounted, ...]:
    """Return for each of `STEMS` the nodes without a figure because of which its difference is not known."""
    return tuple(_find(comparison))


def _find(comparison: Comparison) -> Iterator[Uncounted]:
    nodes = comparison.nodes
    for stem in STEMS:
        found = comparison.open_nodes.get(stem)
        if found is None or f"head_{stem}" not in nodes.column_names:
            continue
        # A node may have a figure that merely rests on other sizes than base's.
        rows = np.flatnonzero(found.head & to_bools(nodes[f"head_{stem}"].is_null()))
        if len(rows):
            first = nodes.select(["name", "head_op"]).take(pa.array(rows[:_NAMED]))
            named = zip(*(column.cast(pa.string()).to_pylist() for column in first.columns), strict=True)
            yield Uncounted(stem=stem, nodes=tuple(named), count=len(rows))
