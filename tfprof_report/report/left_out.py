"""How much a report leaves out: the totals of every part that was asked to go."""

from __future__ import annotations

from collections.abc import Mapping

from tfprof_report.ingest.sources import Side
from tfprof_report.model.node_table import NodeTable
from tfprof_report.model.totals import LeftOut
from tfprof_report.report.build import totals_of
from tfprof_report.report.measured import measure


def sum_left_out(parts: Mapping[str, NodeTable]) -> tuple[LeftOut, ...]:
    """Return the totals of the parts, in their order, as those of a report: with them its totals are the input's."""
    nowhere = Side(inputs=())
    return tuple(LeftOut(part=name, totals=totals_of(measure(table, {}, nowhere))) for name, table in parts.items())
