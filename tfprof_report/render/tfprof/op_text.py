"""The table of the op view as tfprof prints it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, make_lists, number_distinct, to_ints
from tfprof_report.model.node_table import NodeTable
from tfprof_report.model.values import Measure, Measures, node_measures
from tfprof_report.options import Options
from tfprof_report.render.tfprof.text import (
    UNKNOWN,
    columns_of,
    format_each,
    header,
    join,
    lines_of,
    preamble,
    rows_of,
)
from tfprof_report.render.tfprof.tree_text import input_shape_texts, word_texts
from tfprof_report.schema.metrics import ROOT
from tfprof_report.semantics import Semantics
from tfprof_report.views.layout import Layout
from tfprof_report.views.members import Members
from tfprof_report.views.selection import Selection

_COLUMNS = (
    "bytes",
    "peak_bytes",
    "residual_bytes",
    "output_bytes",
    "micros",
    "accelerator_micros",
    "cpu_micros",
    "params",
    "float_ops",
    "macs",
    "device",
    "op_types",
    "occurrence",
    "input_shapes",
)
_TIMES = ("micros", "accelerator_micros", "cpu_micros")
_COUNTS = {"params": " params", "float_ops": " float_ops", "macs": " macs"}
_NAME_WIDTH, _CELL_WIDTH, _OCCURRENCE_WIDTH = 25, 30, 10


def op_text(
    table: NodeTable,
    layout: Layout,
    selection: Selection,
    options: Options,
    semantics: Semantics,
    *,
    is_terminal: bool = False,
) -> Iterator[str]:
    """Yield tfprof's text of an op view: doc lines, header, one row per shown op type, its input shapes."""
    columns = columns_of(options, _COLUMNS)
    yield preamble("op", options, semantics, misses_stream=table.misses_stream)
    if not len(layout) and semantics.root_row_for_empty_op_view:
        yield _root_row(selection, columns, semantics)
        return
    yield header(columns, occurrence="op occurrence (run|defined)")
    if not len(selection.rows):
        return
    members = Members(table, layout, selection.rows, options, semantics)
    names = layout.names.take(pa.array(selection.rows))
    padded = _padded(names, _NAME_WIDTH, left=True)
    cells = [_cell(column, selection, members, semantics) for column in columns if column != "input_shapes"]
    rows = rows_of([padded, join(cells, ", ") if cells else ""], is_terminal=is_terminal)
    if "input_shapes" in columns:
        rows = join([rows, _shape_lines(table, members, options, semantics)])
    yield lines_of(rows)


def _root_row(selection: Selection, columns: list[str], semantics: Semantics) -> str:
    """Return the root row that tfprof prints, without a header, for a graph without nodes."""
    words = {"device": "", "op_types": "", "occurrence": f"{'0|0':>{_OCCURRENCE_WIDTH}}"}
    cells = [
        words[column]
        if column in words
        else _number_cell(column, selection.root, selection.root, selection.root, semantics)[0].as_py()
        for column in columns
        if column != "input_shapes"
    ]
    return f"{ROOT:<{_NAME_WIDTH}}{', '.join(cells)}\n"


def _cell(column: str, selection: Selection, members: Members, semantics: Semantics) -> pa.Array:
    match column:
        case "device":
            return word_texts(members.devices())
        case "op_types":
            return word_texts(members.types())
        case "occurrence":
            runs = format_each(selection.self_shown["run_count"], "plain")
            defined = format_each(selection.self_shown["definition_count"], "plain")
            return _padded(join([runs, defined], "|"), _OCCURRENCE_WIDTH)
        case _:
            return _number_cell(column, selection.self_shown, selection.total_shown, selection.root, semantics)


def _number_cell(stem: str, own: Measures, total: Measures, root: Measures, semantics: Semantics) -> pa.Array:
    """Return ``<self> (<cumulative>%, <own>%)``, in percent of the root's total."""
    kind = "time" if stem in _TIMES else "count" if stem in _COUNTS else "memory"
    by_self = kind == "memory" and semantics.zero_memory_has_zero_share
    counted = (own if by_self else total)[stem].values > 0
    shares = [_percent(part[stem], root[stem].values[0], counted, semantics) for part in (total, own)]
    text = join([format_each(own[stem], kind), _COUNTS.get(stem, "")])
    return _padded(join([text, " (", shares[0], "%, ", shares[1], "%)"]), _CELL_WIDTH)


def _percent(part: Measure, whole: np.int64, counted: Bools, semantics: Semantics) -> pa.Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(counted, 100.0 * part.values.astype(np.float64) / np.float64(whole), 0.0)
    if not semantics.nan_percentages:
        shares = np.where(np.isfinite(shares), shares, 0.0)
    code, bits = number_distinct(shares.view(np.int64))  # by bits: 0.0 equals -0.0, but prints otherwise
    distinct = bits.view(np.float64)
    # C prints the NaN of 0/0 with its sign on x86-64.
    words = pa.array(["-nan" if np.isnan(share) else f"{share:.2f}" for share in distinct.tolist()], pa.string())
    return pc.if_else(pa.array(part.known), words.take(pa.array(code)), UNKNOWN)


def _padded(texts: pa.Array, width: int, *, left: bool = False) -> pa.Array:
    """Return texts padded with spaces to `width` bytes; C's printf counts bytes, not characters."""
    missing = np.maximum(width - to_ints(pc.binary_length(texts)), 0)
    spaces = pa.array([" " * count for count in range(width + 1)]).take(pa.array(missing))
    return join([texts, spaces] if left else [spaces, texts])


def _shape_lines(table: NodeTable, members: Members, options: Options, semantics: Semantics) -> pa.Array:
    """Return for each row its distinct input signatures with their runs and time, the most frequent first."""
    signatures = input_shape_texts(table, members.nodes, ",\t", semantics)
    measures = node_measures(table, step=options.step, semantics=semantics)
    runs, micros = (measures[stem].take(members.nodes) for stem in ("run_count", "micros"))
    groups = (
        pa.table({"row": members.row, "text": signatures, "runs": runs.values, "micros": micros.values})
        .group_by(["row", "text"])
        .aggregate([("runs", "sum"), ("micros", "sum"), ("text", "count")])
        .sort_by([("row", "ascending"), ("runs_sum", "descending"), ("text", "ascending")])
    )

    def as_measure(name: str, divisor: int = 1) -> Measure:
        known = np.full(groups.num_rows, bool(runs.known.all()))
        return Measure.of_nodes(to_ints(groups[name]), known, divisor=divisor)

    lines = join(
        [
            "input_type: ",
            groups["text"].combine_chunks(),
            "\t(run*",
            format_each(as_measure("runs_sum", runs.divisor), "plain"),
            "|defined*",
            groups["text_count"].combine_chunks().cast(pa.string()),
            ")\texec_time: ",
            format_each(as_measure("micros_sum", micros.divisor), "time"),
        ]
    )
    row = to_ints(groups["row"])
    blocks = pc.binary_join(make_lists(lines, np.bincount(row, minlength=members.count).astype(np.int64)), "\n")
    return pc.if_else(pc.equal(blocks, ""), "", join(["\n", blocks, "\n\n"]))
