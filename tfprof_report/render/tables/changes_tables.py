"""The nodes, and the rows of a view, that changed most. Rows are ranked and cut as Arrow columns, then become cells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import to_bools
from tfprof_report.compare.causes.movers import (
    HEADLINE,
    Mover,
    Movers,
    count,
    is_at_least,
    is_blurred,
    largest,
)
from tfprof_report.compare.comparison import RowStatus, State
from tfprof_report.compare.delta import is_one_of, moved_by
from tfprof_report.formatting import ARROW, label_of, plural, shorten, unit_of
from tfprof_report.render.tables.cells import (
    ABSENT,
    Cell,
    Column,
    Row,
    Table,
    delta_cell,
    name_cell,
    number_cell,
    percent_cell,
    text_cell,
    total_cell,
    visible,
)
from tfprof_report.schema.files import table_file
from tfprof_report.schema.metrics import METRICS, Number, Unit

_FILE = table_file("diff_nodes")


_NAME_LIMIT = 120
"""Maximum characters of a name within a sentence."""


def grown_table(movers: Movers, limit: int) -> Table | None:
    """Return the nodes whose figure grew most; None if no node's did."""
    return _table(movers, movers.grown, movers.grown_count, limit, "grew") if movers.grown else None


def shrunk_table(movers: Movers, limit: int) -> Table | None:
    """Return the nodes whose figure shrank most; None if no node's did."""
    return _table(movers, movers.shrunk, movers.shrunk_count, limit, "shrank") if movers.shrunk else None


def fold_notes(movers: Movers, threshold: Fraction) -> tuple[str, ...]:
    """Return notes on what the tables of nodes omit: changes below the threshold, figures known on one side only."""
    label, notes = label_of(movers.stem), []
    if movers.largest_folded:
        name = shorten(visible(movers.largest_folded.name), _NAME_LIMIT)
        largest = delta_cell(movers.largest_folded.delta, unit_of(movers.stem)).text
        nodes = plural(movers.folded_count, "node")
        notes.append(
            f"{label}: {nodes} changed by less than {percent_text(threshold)} of base's total each, "
            f"the largest {largest} ({name}); {_FILE} has them."
        )
    if movers.blurred_count:
        nodes = plural(movers.blurred_count, "node")
        notes.append(f"{label}: changed between known and unknown, so without a difference: {nodes}.")
    return tuple(notes)


def percent_text(threshold: Fraction) -> str:
    """Return a threshold as text: ``0.1 %``."""
    return f"{float(threshold):g} %"


def _table(movers: Movers, rows: Sequence[Mover], count: int, limit: int, verb: str) -> Table:
    unit = unit_of(movers.stem)
    return Table(
        caption=f"{label_of(movers.stem)}: nodes that {verb} most",
        columns=(
            Column("Node"),
            Column("Op"),
            Column("Status"),
            *(Column(label, is_number=True) for label in ("Base", "Head", "Delta", "Change")),
        ),
        rows=tuple(_row(row, unit) for row in rows[:limit]),
        total=count,
        noun=f"nodes that {verb}",
        file=_FILE,
        rest=tuple(delta_cell(row.delta, unit).text for row in rows[: limit + 1]),
    )


def _row(row: Mover, unit: Unit) -> Row:
    ops = dict.fromkeys(op for op in (row.base_op, row.head_op) if op is not None)
    return (
        name_cell(row.name),
        name_cell(ARROW.join(ops)),
        status_cell(row.status),
        ABSENT if row.status is RowStatus.NEW else number_cell(row.base, unit),
        ABSENT if row.status is RowStatus.REMOVED else number_cell(row.head, unit),
        delta_cell(row.delta, unit),
        ABSENT if row.state is None else percent_cell(row.percent, row.state),
    )


def status_cell(status: RowStatus) -> Cell:
    """Return the status of a row, with a tone if only one side has it."""
    return text_cell(status, status if status in (RowStatus.NEW, RowStatus.REMOVED) else "")


def change_key(base: int | None, head: int | None) -> int:
    """Return a key that sorts the largest change first, up or down, and changes from or to an unknown figure last."""
    return 0 if base is None or head is None else -abs(head - base)


PARTS = {"base": "Base", "head": "Head", "delta": "Delta", "percent": "Change"}
"""Columns of a figure in a comparison, with their headers."""


def view_changes(
    name: str,
    rows: pa.Table,
    limit: int,
    *,
    stems: Iterable[str],
    parts: Sequence[str],
    least: Mapping[str, Fraction] | None = None,
) -> Table:
    """Return the rows of the view `name` that changed most, ranked by the figures of `HEADLINE` in their order.

    Figures that are equal in every row are left out and named in a note. Rows whose changes are all smaller than
    `least`, the threshold of each figure, are left out too; a note has their number and their largest change.
    """
    present = [stem for stem in stems if f"delta_{stem}" in rows.column_names]
    differ = [stem for stem in present if _differs(rows, stem)]
    ranked = sorted(differ, key=_rank)[: len(HEADLINE)]
    moved = {stem: moved_by(rows, stem) for stem in ranked}
    ranks = [pc.abs(moved[stem]) for stem in ranked]
    is_changed = pc.invert(is_one_of(rows["status"], RowStatus.UNCHANGED))
    is_small = pc.and_(is_changed, _is_small(rows, moved, least or {}))
    is_listed = pc.and_(is_changed, pc.invert(is_small))
    places = largest(ranks, is_listed, limit)
    top = rows.take(places)
    same = ", ".join(label_of(stem) for stem in present if stem not in differ)
    folded = count(is_small)
    return Table(
        caption=f"Changes by {name}",
        columns=(
            Column("Name"),
            Column("Status"),
            *(Column(PARTS[part], label_of(stem), is_number=True) for stem in differ for part in parts),
        ),
        rows=_rows(top, differ, parts),
        notes=(
            *([_folded(folded, _words(_largest_of(moved, is_small)), ranked)] if folded else []),
            *([f"The same in every row: {same}."] if same else []),
        ),
        total=count(is_listed),
        noun="changed rows",
        file=table_file(f"diff_{name}"),
        rest=_rest(moved, is_listed, places),
    )


def _differs(rows: pa.Table, stem: str) -> bool:
    moved = is_one_of(rows[f"state_{stem}"], State.CHANGED, State.NEW_FROM_ZERO, State.LOST, State.NOW_KNOWN)
    return bool(count(moved) or count(pc.not_equal(moved_by(rows, stem), 0)))


def _is_small(rows: pa.Table, moved: Mapping[str, pa.ChunkedArray], least: Mapping[str, Fraction]) -> pa.ChunkedArray:
    """Return where every figure in `moved` changed by less than its threshold in `least`.

    A missing difference counts as 0, but a figure that became known or unknown is never small. Without figures no row
    is small.
    """
    small = pa.chunked_array([np.full(rows.num_rows, bool(moved))])
    for stem, change in moved.items():
        limit = least.get(stem, Fraction())
        is_less = pc.fill_null(pc.invert(is_at_least(pc.abs(change), limit)), fill_value=limit > 0)
        small = pc.and_(small, pc.and_(is_less, pc.invert(is_blurred(rows, stem))))
    return small


def _folded(rows: int, words: str, ranked: Sequence[str]) -> str:
    labels = ", ".join(label_of(stem) for stem in ranked)
    largest_words = f", the largest {words}" if words else ""
    return f"Below the threshold in {labels}: {plural(rows, 'changed row')}{largest_words}."


def _largest_of(moved: Mapping[str, pa.ChunkedArray], mask: pa.ChunkedArray) -> dict[str, Number]:
    """Return the largest change of each figure among the masked rows."""
    found = {}
    for stem, change in moved.items():
        place = largest([pc.abs(change)], pc.and_(mask, pc.fill_null(pc.not_equal(change, 0), fill_value=False)), 1)
        if len(place):
            found[stem] = change.take(place)[0].as_py()
    return found


def _rest(moved: Mapping[str, pa.ChunkedArray], is_listed: pa.ChunkedArray, places: pa.Array) -> tuple[str, ...]:
    """Return `Table.rest` for the rows in `places`: as text, the largest changes of each row and all after it.

    Starts with the listed rows that have no place, then takes in the rows in `places` from the last to the first.
    """
    is_beyond = to_bools(is_listed).copy()
    is_beyond[places.to_numpy()] = False
    found = _largest_of(moved, pa.chunked_array([is_beyond]))
    words = [_words(found)]
    shown = {stem: change.take(places).to_pylist() for stem, change in moved.items()}
    for place in reversed(range(len(places))):
        for stem, changes in shown.items():
            if changes[place] and abs(changes[place]) >= abs(found.get(stem, 0)):
                found[stem] = changes[place]
        words.append(_words(found))
    return tuple(reversed(words))


def _words(largest_changes: Mapping[str, Number]) -> str:
    ordered = sorted(largest_changes.items(), key=lambda change: _rank(change[0]))
    return ", ".join(f"{label_of(stem)} {delta_cell(change, unit_of(stem)).text}" for stem, change in ordered)


def _rank(stem: str) -> int:
    return HEADLINE.index(stem) if stem in HEADLINE else len(HEADLINE) + list(METRICS).index(stem)


def _rows(top: pa.Table, stems: Sequence[str], parts: Iterable[str]) -> tuple[Row, ...]:
    status = top["status"].to_pylist()
    columns = [
        [name_cell(name) for name in top["name"].to_pylist()],
        [status_cell(RowStatus(word)) for word in status],
        *(_cells(top, stem, part, status) for stem in stems for part in parts),
    ]
    return tuple(zip(*columns, strict=True))


def _cells(top: pa.Table, stem: str, part: str, status: Sequence[str]) -> list[Cell]:
    """Return the cells of one figure; a side without the row shows it as absent, which differs from unknown."""
    unit = unit_of(stem)
    values = top[f"{part}_{stem}"].to_pylist()
    if part == "percent":
        words = top[f"state_{stem}"].to_pylist()
        cells = [percent_cell(percent, word) for percent, word in zip(values, words, strict=True)]
    else:
        column = f"{part}_unknown_{stem}"
        unknown = top[column].to_pylist() if column in top.column_names else [0] * len(values)
        cells = (
            [delta_cell(value, unit) for value in values]
            if part == "delta"
            else [total_cell(value, unit, count) for value, count in zip(values, unknown, strict=True)]
        )
    empty = {RowStatus.NEW.value: part != "head", RowStatus.REMOVED.value: part != "base"}
    return [ABSENT if empty.get(word, False) else cell for cell, word in zip(cells, status, strict=True)]
