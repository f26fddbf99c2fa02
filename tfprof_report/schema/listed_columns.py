"""The columns of the rows that the index page of many reports lists.

They are those of the index of a store, in part, and what says where a report is. Whoever makes such rows leaves out
what is not known: ``pa.Table.from_pylist(rows, schema=LISTED)`` makes it NULL, and drops other columns of an index.
"""

from __future__ import annotations

import pyarrow as pa

from tfprof_report.schema.index_columns import INDEX, figure_columns
from tfprof_report.schema.metrics import DEVICE_PEAK, ESTIMATED_PEAK, WALL

LISTED_FIGURES = ("float_ops", "macs", "params", "param_bytes", DEVICE_PEAK, ESTIMATED_PEAK, WALL, "definition_count")
"""The figures of a row."""

_FROM_INDEX = (
    *("model", "commit", "time", "branch", "label", "outcome"),
    *(column for stem in LISTED_FIGURES for column in figure_columns(stem)),
)

LISTED = pa.schema([*(INDEX.field(name) for name in _FROM_INDEX), ("link", pa.string()), ("problem", pa.string())])
"""The columns of a row.

model : what the report is called
outcome : the outcome of its gates (`compare.gates.verdict.Outcome`); of a row without a report any other word
link : the address of its page, seen from the index page; NULL if there is none
problem : why there is no report, or what is wrong with it; NULL if nothing is
"""
