"""Builds small tables of layers from plain dicts, with the columns of layers.parquet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from tfprof_report.schema.metrics import METRICS, SUMMED_STEMS
from tfprof_report.schema.tables import LAYERS, PHASES


def layers_of(rows: Mapping[str | None, Mapping[str, Any]]) -> pa.Table:
    """Return layers by name with the given columns; figures that are not given are 0, other columns NULL."""
    nothing = dict.fromkeys(METRICS, 0) | {f"unknown_{stem}": 0 for stem in SUMMED_STEMS}
    nothing |= {f"{phase}_float_ops": 0 for phase in PHASES}
    return pa.Table.from_pylist(
        [{**nothing, "layer": name, "alike": place, **row} for place, (name, row) in enumerate(rows.items())], LAYERS
    )
