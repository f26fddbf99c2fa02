"""The columns of the index of a store, which has a row of totals for each report.

To add a column, add it here and in `report.store.summary_row`; it is NULL in rows of earlier versions.
"""

from __future__ import annotations

import pyarrow as pa

from tfprof_report.schema.metrics import DEVICE_PEAK, ESTIMATED_PEAK, IDLE, METRICS, OF_STEPS, TRANSFER, WALL

FIGURES = (*METRICS, DEVICE_PEAK, WALL, ESTIMATED_PEAK, IDLE, TRANSFER)
"""The stems of the figures in a row."""

MEANS = frozenset((*(stem for stem, metric in METRICS.items() if metric.is_mean), *OF_STEPS))
"""Those that are means over steps (float64); the others are exact (int64)."""

SPREAD = (WALL, DEVICE_PEAK, IDLE)
"""Figures of which a row also has the least and the most over steps."""


def figure_columns(stem: str) -> tuple[str, str, str]:
    """Return the columns of a figure: its total, its lower bound, and how many nodes, devices or steps lack it."""
    return stem, f"{stem}_at_least", f"{stem}_unknown"


def spread_columns(stem: str) -> tuple[str, str]:
    """Return the columns with the least and the most of a figure over steps."""
    return f"{stem}_low", f"{stem}_high"


def _type_of(stem: str) -> pa.DataType:
    return pa.float64() if stem in MEANS else pa.int64()


_TIME = pa.timestamp("us", tz="UTC")

INDEX = pa.schema(
    [
        ("model", pa.string()),
        ("commit", pa.string()),
        ("saved", _TIME),
        ("time", _TIME),
        ("branch", pa.string()),
        ("label", pa.string()),
        ("report", pa.string()),
        ("outcome", pa.string()),
        ("tool_version", pa.string()),
        ("schema_version", pa.int64()),
        ("counting_version", pa.int64()),
        ("rules", pa.string()),
        ("semantics", pa.string()),
        ("options", pa.string()),
        ("counting", pa.string()),
        ("inputs", pa.string()),
        ("basis", pa.string()),
        ("steps", pa.int64()),
        *(
            (column, kind)
            for stem in FIGURES
            for column, kind in zip(figure_columns(stem), (_type_of(stem), _type_of(stem), pa.int64()), strict=True)
        ),
        *((column, _type_of(stem)) for stem in SPREAD for column in spread_columns(stem)),
    ]
)
