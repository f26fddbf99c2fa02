"""The nodes that stand in rows of op and code view, and the texts that are made of them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.ingest.arrays import Ints, make_lists, to_ints
from tfprof_report.model.node_table import NodeTable, type_pairs
from tfprof_report.options import Options
from tfprof_report.render.node_text import device_lists
from tfprof_report.semantics import Semantics
from tfprof_report.views.accounting import count_type_matches
from tfprof_report.views.layout import Layout


class Members:
    """The picked nodes of some rows. `nodes` are their rows in the node table, `row` their place among the rows."""

    def __init__(self, table: NodeTable, layout: Layout, rows: Ints, options: Options, semantics: Semantics) -> None:
        place = np.full(len(layout) + 1, -1, dtype=np.int64)  # the last one is for nodes that have no row
        place[rows] = np.arange(len(rows))
        row = place[layout.row_of_node]
        picked = count_type_matches(table, options.account_type_regexes, semantics) > 0
        self.nodes = np.flatnonzero(picked & (row >= 0))
        self.row = row[self.nodes]
        self.count = max(len(rows), 1)
        self._table, self._semantics = table, semantics

    def devices(self) -> pa.Array:
        """Return the devices of each row's nodes."""
        devices = device_lists(self._table, self._semantics).take(pa.array(self.nodes))
        if self._semantics.first_device_wins:
            devices = pc.fill_null(devices, "")  # a node without device leaves an empty word
        return self._union([devices])

    def types(self) -> pa.Array:
        """Return the types of each row's nodes."""
        index = pa.array(self.nodes)
        device = device_lists(self._table, self._semantics).take(index)
        return self._union([self._table.ops.take(index), device, self._table.log_types.take(index)])

    def _union(self, parts: list[pa.Array]) -> pa.Array:
        """Return the sorted distinct strings of each row's nodes, joined by ``|``."""
        node, strings = type_pairs(parts)
        pairs = pa.table({"row": self.row[node], "string": strings}).group_by(["row", "string"]).aggregate([])
        pairs = pairs.sort_by([("row", "ascending"), ("string", "ascending")])
        counts = np.bincount(to_ints(pairs["row"]), minlength=self.count).astype(np.int64)
        return pc.binary_join(make_lists(pairs["string"].combine_chunks(), counts), "|")
