"""What changed most: the few rows of a comparison worth a reader's time, as tables.

Rows are ranked on Arrow columns and cut before anything becomes a Python object.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.compare.result import Comparison, RowStatus, State
from tfprof_report.model.schema import METRICS
from tfprof_report.render.cells import (
    ABSENT,
    Cell,
    Column,
    Row,
    Table,
    count_of,
    delta_cell,
    name_cell,
    number_cell,
    percent_cell,
    text_cell,
)
from tfprof_report.units import label_of, unit_of

HEADLINE = ("float_ops", "params", "bytes")
"""The figures that a comparison is read by, in the order in which they rank rows."""

PARTS = {"base": "Base", "head": "Head", "delta": "Delta", "percent": "Change"}
"""Columns of a figure in a comparison, with their headers."""


def node_changes(comparison: Comparison, stem: str, limit: int) -> Table | None:
    """Return the nodes whose `stem` differs most between base and head, or None where no node's does.

    New and removed nodes take part with all they brought or took. Nodes whose figure became known or unknown have no
    size of change: a note counts them.
    """
    nodes = comparison.nodes
    if f"delta_{stem}" not in nodes.column_names:
        return None
    impact = impact_of(nodes, stem)
    changed = _count(pc.greater(impact, 0))
    blurred = _count(_is_blurred(nodes, stem))
    if not changed and not blurred:
        return None
    top = nodes.take(_largest([impact], pc.greater(impact, 0), limit))
    note = f"Changed between known and unknown, so without a difference: {count_of(blurred, 'node')}."
    return Table(
        caption=f"{label_of(stem)}: nodes that changed most",
        columns=(
            Column("Node"),
            Column("Op"),
            Column("Status"),
            *(Column(label, is_number=True) for label in PARTS.values()),
        ),
        rows=tuple((row[0], op, *row[1:]) for row, op in zip(_rows(top, [stem], PARTS), _ops(top), strict=True)),
        notes=(note,) if blurred else (),
        total=changed,
        noun="changed nodes",
        file="diff_nodes.parquet",
    )


def view_changes(name: str, rows: pa.Table, limit: int, *, stems: Iterable[str], parts: Sequence[str]) -> Table:
    """Return the rows of the view called `name` that changed most, by `HEADLINE` figures in this order.

    Figures that are the same in every row are left out, and named in a note.
    """
    present = [stem for stem in stems if f"delta_{stem}" in rows.column_names]
    differ = [stem for stem in present if _differs(rows, stem)]
    is_changed = pc.invert(_is_one_of(rows["status"], RowStatus.UNCHANGED))
    ranks = [impact_of(rows, stem) for stem in sorted(differ, key=_rank)[: len(HEADLINE)]]
    top = rows.take(_largest(ranks, is_changed, limit))
    same = ", ".join(label_of(stem) for stem in present if stem not in differ)
    return Table(
        caption=f"Changes by {name}",
        columns=(
            Column("Name"),
            Column("Status"),
            *(Column(PARTS[part], label_of(stem), is_number=True) for stem in differ for part in parts),
        ),
        rows=_rows(top, differ, parts),
        notes=(f"The same in every row: {same}.",) if same else (),
        total=_count(is_changed),
        noun="changed rows",
        file=f"diff_{name}.parquet",
    )


def impact_of(rows: pa.Table, stem: str) -> pa.ChunkedArray:
    """Return how much each row changed the figure: |delta|, for new rows their head, for removed ones their base.

    NULL where a side that has the row does not know its figure.
    """
    size = pc.coalesce(
        rows[f"delta_{stem}"],
        pc.if_else(_is_one_of(rows["status"], RowStatus.NEW), rows[f"head_{stem}"], None),
        pc.if_else(_is_one_of(rows["status"], RowStatus.REMOVED), rows[f"base_{stem}"], None),
    )
    return pc.abs(size)


def _largest(ranks: Sequence[pa.ChunkedArray], mask: pa.ChunkedArray, limit: int) -> pa.Array:
    """Return the indices of the at most `limit` masked rows with the largest ranks; ties in the order of rows."""
    index = pa.array(np.arange(len(mask)))
    keys = {str(place): pc.fill_null(rank, -1) for place, rank in enumerate(ranks)}
    rows = pa.table({**keys, "index": index}).filter(pc.fill_null(mask, fill_value=False))
    # the index as last key makes the order total: the result depends on the input alone
    order = [*((key, "descending") for key in keys), ("index", "ascending")]
    return rows["index"].take(pc.select_k_unstable(rows, k=limit, sort_keys=order)).combine_chunks()


def _differs(rows: pa.Table, stem: str) -> bool:
    moved = _is_one_of(rows[f"state_{stem}"], State.CHANGED, State.NEW_FROM_ZERO, State.LOST, State.NOW_KNOWN)
    return bool(_count(moved) or _count(pc.greater(impact_of(rows, stem), 0)))


def _is_blurred(rows: pa.Table, stem: str) -> pa.ChunkedArray:
    """Return where a figure is known on one side only, though both have the row."""
    return _is_one_of(rows[f"state_{stem}"], State.LOST, State.NOW_KNOWN)


def _rank(stem: str) -> int:
    return HEADLINE.index(stem) if stem in HEADLINE else len(HEADLINE) + list(METRICS).index(stem)


def _rows(top: pa.Table, stems: Sequence[str], parts: Iterable[str]) -> tuple[Row, ...]:
    status = top["status"].to_pylist()
    columns = [
        [name_cell(name) for name in top["name"].to_pylist()],
        [text_cell(word, word if word in (RowStatus.NEW, RowStatus.REMOVED) else "") for word in status],
        *(_cells(top, stem, part, status) for stem in stems for part in parts),
    ]
    return tuple(zip(*columns, strict=True))


def _ops(top: pa.Table) -> list[Cell]:
    sides = (top[f"{side}_op"].to_pylist() for side in ("base", "head"))
    return [
        name_cell(" \N{RIGHTWARDS ARROW} ".join(dict.fromkeys(op for op in ops if op is not None)))
        for ops in zip(*sides, strict=True)
    ]


def _cells(top: pa.Table, stem: str, part: str, status: Sequence[str]) -> list[Cell]:
    """Return the cells of one figure; a side that does not have the row has no figure, which is not an unknown one."""
    unit = unit_of(stem)
    values = top[f"{part}_{stem}"].to_pylist()
    if part == "percent":
        words = top[f"state_{stem}"].to_pylist()
        cells = [percent_cell(percent, word) for percent, word in zip(values, words, strict=True)]
    else:
        cells = [delta_cell(value, unit) if part == "delta" else number_cell(value, unit) for value in values]
    empty = {RowStatus.NEW.value: part != "head", RowStatus.REMOVED.value: part != "base"}
    return [ABSENT if empty.get(word, False) else cell for cell, word in zip(cells, status, strict=True)]


def _is_one_of(column: pa.ChunkedArray, *words: str) -> pa.Array:
    """Return where a dictionary-coded column holds one of `words`; a million codes compare faster than their words."""
    coded = column.combine_chunks()
    if not pa.types.is_dictionary(coded.type):
        coded = coded.dictionary_encode()
    codes = [code for code, word in enumerate(coded.dictionary.to_pylist()) if word in words]
    return pc.is_in(coded.indices, pa.array(codes, coded.indices.type))


def _count(mask: pa.ChunkedArray) -> int:
    return pc.sum(mask).as_py() or 0
