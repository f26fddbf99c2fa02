"""A report as one of several columns: its row of figures, and its layers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from tfprof_report.compare.gates.reference import PastTotal
from tfprof_report.record import record
from tfprof_report.report.past_totals import totals_of_row


@record
class Column:
    """A report of one model among several.

    name : what the user calls it
    source : what was read: a path, or where a store has it
    row : its columns of `schema.index_columns.INDEX`
    totals : its figures by stem, exact
    layers : columns of layers.parquet, those that `layers.NEEDED` names; None if they are not known, for the reason
        `no_layers`
    link : the address of its page, seen from the folder that is written; empty if there is none
    """

    name: str
    source: str
    row: Mapping[str, Any]
    totals: Mapping[str, PastTotal]
    layers: pa.Table | None = None
    no_layers: str = ""
    link: str = ""

    def known(self, stem: str) -> bool:
        """Return whether a figure is wholly known, so that its total is no lower bound."""
        total = self.totals[stem]
        return total.value is not None and not total.unknown


def column_of(
    name: str,
    source: str,
    row: Mapping[str, Any],
    *,
    layers: pa.Table | None = None,
    no_layers: str = "",
    link: str = "",
) -> Column:
    """Return a column with the figures of a row of the index."""
    totals = totals_of_row(row).figures
    return Column(name=name, source=source, row=row, totals=totals, layers=layers, no_layers=no_layers, link=link)
