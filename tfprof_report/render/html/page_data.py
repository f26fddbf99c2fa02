"""The data of a page for its scripts: the rows of each view, and metadata of figures and views.

`packed_columns` defines the encoding of a block. Its header has ``view``, ``rows``, ``left_out`` (how many rows of the
lowest levels are omitted), ``is_tree``, ``has_base`` and ``statuses`` (the words for the codes of the column
``status``).

Rows are in preorder; in a comparison they are the union of both sides (`compare.union`). Columns: ``parent`` (-1 at the
top), ``depth`` (1 at the top), ``size`` (rows of the subtree, its root included), ``leaf`` (index into the texts
``leaves``: what the row adds to the full name of its parent), ``op`` (index into the texts ``ops``, -1 for a row that
is not a node), ``node`` (for a node of head, how much its row in the node table is above that of the node before, the
first above -1; 0 for other rows), ``base_node`` (the same for base), ``shown`` (1 if the options select the row, else
0), ``status`` (with a base only), then for every figure that is known for any row ``head_self_X`` and ``head_total_X``,
with a base also ``base_self_X`` and ``base_total_X``, unknown where the side lacks the row. A total is a lower bound
where ``head_unknown_X`` (or ``base_unknown_X``), the number of nodes that it lacks, is not 0; ``apart_X`` is 1 where it
can't be compared with the other side's. These columns are left out where they are 0 everywhere.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Ints, marks, to_bools, to_ints, whole
from tfprof_report.compare.comparison import APART, RowStatus
from tfprof_report.compare.delta import is_one_of
from tfprof_report.compare.union import states_of_union
from tfprof_report.formatting import SCALES
from tfprof_report.record import record
from tfprof_report.render.html.packed_columns import Packer
from tfprof_report.render.tables.report_tables import VIEW_TITLES
from tfprof_report.report.report import Report
from tfprof_report.schema.metrics import DEVICE_PEAK, METRICS
from tfprof_report.views.forest import Forest, keep_rows, upper_levels
from tfprof_report.views.layout import SEPARATOR

MAX_ROWS = 200_000
"""Maximum rows of a view in a page; with more, the file is too large to send."""

LAYERS = "layers"
"""What the rows of layers are called where views have their names."""

STATUSES = (RowStatus.UNCHANGED, RowStatus.CHANGED, RowStatus.NEW, RowStatus.REMOVED)


@record
class _Side:
    """A view of one side: its rows, for each row of the block its row here (NULL for none), and the op of each node."""

    view: pa.Table
    row: pa.Array
    node_ops: pa.Array

    def column(self, name: str) -> pa.Array:
        """Return a column of the view in the order of the block."""
        return whole(self.view[name]).take(self.row)


@record
class Rows:
    """Rows of a block; `sides` has head first. `states` has the columns ``state_X`` of a comparison."""

    forest: Forest
    leaf: pa.Array
    status: pa.Array | None
    sides: dict[str, _Side]
    states: pa.Table | None = None


def view_block(report: Report, name: str, *, max_rows: int = MAX_ROWS) -> str:
    """Return the rows of the view `name` in base64, in the format of this module's docstring.

    The same report gives the same text. Names are as displayed (`cells.visible`), figures exact. If there are more than
    `max_rows` rows the lowest levels are left out; totals stay those of all rows.
    """
    everything = rows_of(report, name)
    rows = cut_rows(everything, max_rows)
    return _block(name, rows, left_out=len(everything.forest) - len(rows.forest))


def layers_block(tree: pa.Table) -> str:
    """Return a tree of layers (`layer_tree`) in base64, in the same format."""
    ops = pa.nulls(0, pa.string())
    sides = {"head": _Side(view=tree, row=pa.array(np.arange(tree.num_rows)), node_ops=ops)}
    leaf = whole(tree["leaf"])
    return _block(LAYERS, Rows(forest=Forest.of_rows(tree), leaf=leaf, status=None, sides=sides), left_out=0)


def _block(name: str, rows: Rows, *, left_out: int) -> str:
    packer = Packer()
    for column, values in (("parent", rows.forest.parent), ("depth", rows.forest.depth), ("size", rows.forest.size)):
        packer.add_codes(column, values)
    _add_coded(packer, "leaf", "leaves", rows.leaf)
    _add_coded(packer, "op", "ops", _either(rows, _op))
    for side, view in rows.sides.items():
        packer.add_codes("node" if side == "head" else "base_node", _node_steps(view.column("node")))
    packer.add_codes("shown", to_bools(_either(rows, lambda side: side.column("shown"))).astype(np.int64))
    if rows.status is not None:
        packer.add_codes("status", to_ints(pc.index_in(rows.status, value_set=pa.array(STATUSES, pa.string()))))
    for column, head, base in _figures(rows):
        packer.add_figures(f"head_{column}", head, like=None if base is None else (f"base_{column}", base))
    for column, counts in _gaps(rows):
        packer.add_codes(column, counts)
    header = {
        "view": name,
        "rows": len(rows.forest),
        "left_out": left_out,
        "is_tree": name != "op",
        "has_base": rows.status is not None,
        "statuses": STATUSES,
    }
    return base64.b64encode(packer.to_bytes(header)).decode("ascii")


def page_meta(report: Report) -> str:
    """Return the metadata for scripts as JSON without ``<``, which could end the script element that it is in.

    ``order_by``: the option; ``metrics``: every figure's fields of `schema.metrics.Metric`; ``scales``:
    `formatting.SCALES`; ``views``: name, title and files of each view, ``diff_parquet`` null where it is not compared;
    ``totals``: per side (``head``, with ``has_base`` also ``base``) and stem the exact figure as text, null if unknown.
    """
    compared = report.comparison.views if report.comparison else {}
    totals = {"head": {total.stem: _text(total.value) for total in report.totals}}
    if report.comparison:
        totals["base"] = {total.stem: _text(total.base) for total in report.comparison.totals}
    meta = {
        "has_base": report.comparison is not None,
        "order_by": report.head.measurement.options.order_by,
        "metrics": [asdict(metric) for metric in METRICS.values()],
        "scales": SCALES,
        "views": [
            {
                "name": name,
                "title": VIEW_TITLES[name],
                "parquet": f"{name}.parquet",
                "diff_parquet": f"diff_{name}.parquet" if name in compared else None,
            }
            for name in report.head.views
        ],
        "totals": totals,
    }
    return json.dumps(meta, ensure_ascii=True, separators=(",", ":")).replace("<", "\\u003c")


def _text(value: float | None) -> str | None:
    return None if value is None else repr(value)


def rows_of(report: Report, name: str) -> Rows:
    """Return the rows of a view: of head, or the union of both sides if base has the view too."""
    head = report.head.views[name].rows
    comparison = report.comparison
    ops = whole(report.head.nodes["op"].cast(pa.string()))
    if comparison is None or name not in comparison.forests:
        sides = {"head": _Side(view=head, row=pa.array(np.arange(head.num_rows)), node_ops=ops)}
        return Rows(forest=Forest.of_rows(head), leaf=_parts(head, head), status=None, sides=sides)
    union = comparison.forests[name]
    # The nodes of a comparison begin with base's, in their order.
    base_ops = whole(comparison.nodes["base_op"].cast(pa.string()))
    return Rows(
        forest=Forest.of_rows(union),
        leaf=_parts(head, union),
        status=whole(union["status"].cast(pa.string())),
        sides={
            "head": _Side(view=head, row=whole(union["head_row"]), node_ops=ops),
            "base": _Side(view=comparison.base.views[name].rows, row=whole(union["base_row"]), node_ops=base_ops),
        },
        states=states_of_union(comparison.views[name], union),
    )


def _parts(view: pa.Table, rows: pa.Table) -> pa.Array:
    """Return what each row adds to the full name of its parent; in code view, the frame with the path of its file."""
    if "path" not in view.column_names:
        return whole(rows["leaf"])
    paths = whole(rows["path" if rows is view else "name"])
    return pc.replace_substring_regex(paths, f"(?s)^.*{SEPARATOR}", "")


def cut_rows(rows: Rows, limit: int) -> Rows:
    """Return at most `limit` rows, none without its parent."""
    if len(rows.forest) <= limit:
        return rows
    kept = marks(upper_levels(rows.forest.depth, limit), len(rows.forest))
    index, forest = keep_rows(rows.forest, kept)
    taken = pa.array(index)
    return Rows(
        forest=forest,
        leaf=rows.leaf.take(taken),
        status=None if rows.status is None else rows.status.take(taken),
        sides={word: replace(side, row=side.row.take(taken)) for word, side in rows.sides.items()},
        states=None if rows.states is None else rows.states.take(taken),
    )


def _node_steps(node: pa.Array) -> Ints:
    """Return nodes as steps from one to the next, which compress well, since views mostly have them in order."""
    is_node = to_bools(pc.is_valid(node))
    steps = np.zeros(len(node), dtype=np.int64)
    steps[is_node] = np.diff(to_ints(node.drop_null()), prepend=-1)
    return steps


def _either(rows: Rows, column: Callable[[_Side], pa.Array]) -> pa.Array:
    """Return a column of head; of base for rows that head lacks."""
    return pc.coalesce(*(column(side) for side in rows.sides.values()))


def _op(side: _Side) -> pa.Array:
    return side.node_ops.take(side.column("node"))


def _add_coded(packer: Packer, name: str, texts_name: str, texts: pa.Array) -> None:
    """Add texts dictionary-encoded: codes, -1 for NULL, and the distinct texts."""
    coded = texts.dictionary_encode()
    packer.add_codes(name, to_ints(coded.indices.fill_null(-1)))
    packer.add_names(texts_name, coded.dictionary)


def _figures(rows: Rows) -> Iterator[tuple[str, pa.Array, pa.Array | None]]:
    """Yield ``self_X`` and ``total_X`` with the figures of head and base; figures unknown in every row are left out."""
    head, base = rows.sides["head"], rows.sides.get("base")
    for column in (f"{part}_{stem}" for stem in (*METRICS, DEVICE_PEAK) for part in ("self", "total")):
        if column not in head.view.column_names:
            continue
        values = head.column(column)
        others = base.column(column) if base and column in base.view.column_names else None
        if any(each.null_count < len(each) for each in (values, others) if each is not None):
            yield column, values, others


def _gaps(rows: Rows) -> Iterator[tuple[str, Ints]]:
    """Yield the columns that tell which totals are lower bounds, and which can't be compared; those with any but 0."""
    for stem in METRICS:
        lacks = {
            f"{name}_unknown_{stem}": to_ints(pc.fill_null(side.column(f"unknown_{stem}"), 0))
            for name, side in rows.sides.items()
            if f"unknown_{stem}" in side.view.column_names
        }
        found = dict(lacks)
        if rows.states is not None and (state := f"state_{stem}") in rows.states.column_names:
            states = rows.states[state]
            is_apart = to_bools(is_one_of(states, *APART))
            is_alone = to_bools(pc.is_null(states))  # only one side has the row
            for counts in lacks.values():
                is_apart |= is_alone & (counts > 0)
            found[f"apart_{stem}"] = is_apart.astype(np.int64)
        yield from ((column, counts) for column, counts in found.items() if counts.any())
