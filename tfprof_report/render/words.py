"""The columns of a view's table that are words: devices, types and input shapes of the rows that are shown."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.render.cells import Cell, name_cell, text_cell
from tfprof_report.views.view import View

_LABELS = {"device": "Devices", "op_types": "Types", "input_shapes": "Input shapes"}
_COLUMNS = {"device": "run_devices", "op_types": "op_types", "input_shapes": "input_shapes"}


def word_columns(view: View, rows: pa.ChunkedArray, nodes: pa.Table, select: Iterable[str]) -> dict[str, list[Cell]]:
    """Return the cells of the attributes in `select` that are words, by header, for the `rows` of a view.

    Rows of scope and graph view have the words of their node, those of op and code view all words of their nodes;
    input shapes and the first values of a checkpoint's variables are of single nodes only.
    """
    source = view.rows.take(rows)
    if "run_devices" not in source.column_names:
        source = nodes.take(source["node"])
    words = {
        _LABELS[word]: [_cell(word, values) for values in source[_COLUMNS[word]].to_pylist()]
        for word in _LABELS
        if word in set(select) and _COLUMNS[word] in source.column_names
    }
    if "tensor_value" in view.shown.column_names:
        place = pc.index_in(rows, value_set=view.shown["row"].combine_chunks())
        values = view.shown["tensor_value"].take(place).to_pylist()
        words["First values"] = [name_cell(text) if text else text_cell("") for text in values]
    return words


def _cell(word: str, values: list[str] | list[list[int] | None] | None) -> Cell:
    if not values:
        return text_cell("")
    if word == "input_shapes":
        return text_cell(", ".join(_shape(sizes) for sizes in values))  # type: ignore[arg-type]
    return name_cell(" | ".join(values))  # type: ignore[arg-type]


def _shape(sizes: list[int] | None) -> str:
    if sizes is None:
        return "unknown"
    return "x".join(map(str, sizes)) or "scalar"
