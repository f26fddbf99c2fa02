"""What the FLOPs of a model rest on besides its graph: an assumed batch, and sizes from run metadata."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, to_bools, to_ints, whole
from tfprof_report.formatting import called
from tfprof_report.model.shapes.resolve import BATCH, RUN, Level
from tfprof_report.record import record

_SHOWN = 3


@record
class Basis:
    """What FLOPs of a side rest on.

    batch : the first size that the inputs `names` were given; None if no figure rests on one
    has_run : whether any figure rests on sizes from run metadata
    """

    batch: int | None = None
    names: tuple[str, ...] = ()
    has_run: bool = False

    @property
    def of_batch(self) -> str:
        """``at batch 1 of x``; empty if no figure rests on a batch."""
        if self.batch is None:
            return ""
        listed = [called(name) for name in self.names[:_SHOWN]]
        more = [f"{len(self.names) - _SHOWN:,} more"] if len(self.names) > _SHOWN else []
        *most, last = [*listed, *more]
        return f"at batch {self.batch:,} of {', '.join(most)}{' and ' if most else ''}{last}"

    @property
    def words(self) -> str:
        """The same, with a word about run metadata."""
        return "; ".join([*([self.of_batch] if self.of_batch else []), *(["sizes from a run"] if self.has_run else [])])


def basis_of(nodes: pa.Table) -> Basis:
    """Return what FLOPs rest on, from the columns of nodes.parquet."""
    has_run = bool(rests_on(nodes, RUN).any())
    if not rests_on(nodes, BATCH).any():
        return Basis(has_run=has_run)
    inputs = nodes.filter(pa.array(is_word(nodes, "shape_source", BATCH)))
    return Basis(batch=int(first_sizes(inputs)[0]), names=tuple(inputs["name"].to_pylist()), has_run=has_run)


def rests_on(nodes: pa.Table, source: str) -> Bools:
    """Return the nodes whose FLOPs rest on `source`, `BATCH` or `RUN`."""
    return is_word(nodes, "float_ops_assumes", source)


def is_word(nodes: pa.Table, column: str, word: str) -> Bools:
    """Return where a column of words holds `word`; nowhere if the table has no such column."""
    if column not in nodes.column_names:
        return np.zeros(nodes.num_rows, dtype=bool)
    return to_bools(pc.fill_null(pc.equal(nodes[column].cast(pa.string()), word), fill_value=False))


def first_sizes(nodes: pa.Table) -> Ints:
    """Return the first size of the first output of each node; -1 where it is unknown."""
    shapes = whole(nodes["output_shapes"])
    has = pc.fill_null(pc.greater(pc.list_value_length(shapes), 0), fill_value=False)
    first = pc.list_element(shapes.filter(has), 0)
    some = pc.fill_null(pc.greater(pc.list_value_length(first), 0), fill_value=False)
    sizes = np.full(len(shapes), -1, dtype=np.int64)
    rows = np.flatnonzero(to_bools(has))[to_bools(some)]
    sizes[rows] = to_ints(pc.list_element(first.filter(some), 0))
    return sizes


def sources_of_figures(levels: tuple[Level, Level, Level], count: Callable[[Level], tuple[pa.Array, ...]]) -> pa.Array:
    """Return per node the last source of shapes that its figures rest on, `BATCH` or `RUN`; NULL if neither.

    A figure rests on a source if it is another one, or unknown, without it.

    Parameters
    ----------
    levels : shapes from all sources, those without the batch, and those without run metadata too
    count : the figures of the nodes that follow from shapes
    """
    full, with_run, static = levels
    figures = count(full)
    rests = pa.nulls(len(figures[0]), pa.string())
    for level, less, word in ((full, with_run, BATCH), (with_run, static, RUN)):
        if less is not level:
            before, figures = figures, count(less)
            rests = pc.coalesce(rests, pc.if_else(_differ(before, figures), word, pa.scalar(None, pa.string())))
    return rests.dictionary_encode()


def _differ(ones: tuple[pa.Array, ...], others: tuple[pa.Array, ...]) -> pa.Array:
    """Return for which nodes any figure is not the same."""
    differ = [
        pc.fill_null(pc.not_equal(one, other), pc.xor(pc.is_null(one), pc.is_null(other)))
        for one, other in zip(ones, others, strict=True)
    ]
    return reduce(pc.or_, differ)
