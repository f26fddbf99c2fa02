"""The nodes grouped in the rows of op and code view, and the union of their devices and types."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Ints, make_lists, to_ints, whole
from tfprof_report.model.join.log_entries import type_pairs
from tfprof_report.model.node_table import NodeTable
from tfprof_report.options import Options
from tfprof_report.semantics import Semantics
from tfprof_report.views.layout import Layout
from tfprof_report.views.patterns import count_type_matches


class Members:
    """The accounted nodes of some rows of a view: `nodes` in the node table, and for each its index `row` in `rows`."""

    def __init__(self, table: NodeTable, layout: Layout, rows: Ints, options: Options, semantics: Semantics) -> None:
        place = np.full(len(layout) + 1, -1, dtype=np.int64)  # the last element is for row -1: nodes without a row
        place[rows] = np.arange(len(rows))
        row = place[layout.row_of_node]
        picked = count_type_matches(table, options.account_type_regexes, semantics) > 0
        self.nodes = np.flatnonzero(picked & (row >= 0))
        self.row = row[self.nodes]
        self.count = max(len(rows), 1)  # without rows there is still the root, which has no nodes
        self._table, self._semantics = table, semantics

    def devices(self) -> pa.ListArray:
        """Return the sorted distinct devices of each row's nodes; under tfprof a node without a device adds ``""``."""
        devices = self._devices()
        return self._union([pc.fill_null(devices, "") if self._semantics.first_device_wins else devices])

    def known_devices(self) -> pa.ListArray:
        """Return the sorted distinct devices of each row's nodes; a node without a device adds none."""
        return self._union([self._devices()])

    def types(self) -> pa.ListArray:
        """Return the sorted distinct types of each row's nodes."""
        index = pa.array(self.nodes)
        return self._union([self._table.ops.take(index), self._devices(), self._table.log_types.take(index)])

    def _devices(self) -> pa.Array:
        return device_lists(self._table, self._semantics).take(pa.array(self.nodes))

    def _union(self, parts: list[pa.Array]) -> pa.ListArray:
        node, strings = type_pairs(parts)
        pairs = pa.table({"row": self.row[node], "string": strings}).group_by(["row", "string"]).aggregate([])
        pairs = pairs.sort_by([("row", "ascending"), ("string", "ascending")])
        counts = np.bincount(to_ints(pairs["row"]), minlength=self.count).astype(np.int64)
        return make_lists(whole(pairs["string"]), counts)


def member_words(table: NodeTable, layout: Layout, options: Options, semantics: Semantics) -> dict[str, pa.Array]:
    """Return the columns ``run_devices`` and ``op_types`` of all rows of an op or code view."""
    members = Members(table, layout, np.arange(len(layout)), options, semantics)
    words = {"run_devices": members.known_devices(), "op_types": members.types()}
    return {name: column.slice(0, len(layout)) for name, column in words.items()}


def device_lists(table: NodeTable, semantics: Semantics) -> pa.Array:
    """Return per node the devices that views show: the first one as a string under tfprof, else the list of all."""
    if semantics.first_device_wins:
        return table.canonical_device.cast(pa.string())
    return table.column("run_devices")
