"""A view as part of a report: all its rows, the shown ones, and the root's totals."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Ints
from tfprof_report.record import record
from tfprof_report.schema.metrics import SUMMED_STEMS, Number


@record
class View:
    """One view of the model.

    rows : all rows in preorder, for Parquet: row, parent (NULL at the top), depth (1 at the top), subtree_size, name,
        leaf, node (row of the node table, NULL for an implied scope), accounted, shown, position (among the shown rows,
        NULL if not shown), ``self_X`` and ``total_X`` for each metric, and ``unknown_X``: how many of the nodes in the
        total could have a figure but have none. With any of them total_X is a lower bound; it is NULL if no node that
        could have a figure has one, and 0 if none could.
        Code view also has a unique path, the names from the outermost frame to the row; op and code view have the
        lists run_devices and op_types, as nodes do.
    shown : the shown rows in display order: row, depth (1 at the top); total_X and unknown_X if they differ from those
        of `rows`, because totals are over shown rows only; tensor_value (text) if values of a checkpoint were
        requested. All else of a shown row is in `rows`: `shown_rows` has both.
    stems : of the figures that shown rows have, in schema order
    total, unknown : the root's totals by stem, None where unknown, and their numbers of unknown nodes
    """

    name: str
    rows: pa.Table
    shown: pa.Table
    stems: tuple[str, ...]
    total: dict[str, Number | None]
    unknown: dict[str, int]

    def shown_rows(self, places: Ints | None = None) -> pa.Table:
        """Return the shown rows at `places` in display order, all by default.

        Columns: row, depth, name, leaf, then ``self_X`` and ``total_X`` of `stems`, and their ``unknown_X``.
        """
        shown = self.shown if places is None else self.shown.take(pa.array(places))
        figures = [f"{prefix}_{stem}" for prefix in ("self", "total") for stem in self.stems]
        figures += [f"unknown_{stem}" for stem in self.stems if stem in SUMMED_STEMS]
        rows = self.rows.select(["name", "leaf", *figures]).take(shown["row"])
        own = set(shown.column_names)
        names = ("row", "depth", "name", "leaf", *figures)
        return pa.table({name: (shown if name in own else rows)[name] for name in names})

    def has_known(self, stem: str) -> bool:
        """Return whether any shown row has a total of a figure."""
        column = f"total_{stem}"
        if column in self.shown.column_names:
            return bool(self.shown[column].null_count < self.shown.num_rows)
        return bool(pc.any(pc.and_(self.rows[column].is_valid(), self.rows["shown"])).as_py())
