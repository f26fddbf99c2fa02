"""A view as part of a report: all its rows, the shown ones, and the root's totals."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from tfprof_report.schema.metrics import Number


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """One view of the model.

    rows : all rows in preorder, for Parquet: row, parent (NULL at the top), depth (1 at the top), subtree_size, name,
        leaf, node (row of the node table, NULL for an implied scope), accounted, shown, position (among the shown rows,
        NULL if not shown), ``self_X`` and ``total_X`` for each metric, and ``unknown_X``: how many of the nodes in the
        total could have a figure but have none. With any of them total_X is a lower bound; it is NULL if no node that
        could have a figure has one, and 0 if none could.
        Code view also has a unique path, the names from the outermost frame to the row; op and code view have the
        lists run_devices and op_types, as nodes do.
    shown : the shown rows in display order: row, depth (1 at the top), name, leaf, ``self_X``, ``total_X``,
        ``unknown_X``;
        tensor_value (text) if values of a checkpoint were requested
    total, unknown : the root's totals by stem, None where unknown, and their numbers of unknown nodes
    """

    name: str
    rows: pa.Table
    shown: pa.Table
    total: dict[str, Number | None]
    unknown: dict[str, int]
