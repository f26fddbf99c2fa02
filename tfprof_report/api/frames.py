"""Arrow tables as data frames of pandas, which know the units of their columns and show them in notebooks."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import pyarrow as pa

from tfprof_report.api.facts import plain
from tfprof_report.schema.units import units_of

UNITS = "units"
"""The key of a frame's `attrs` that holds the unit of each column that has one."""


class TableFrame(pd.DataFrame):
    """A data frame that shows the units in `attrs` below the names of its columns; so do frames made of it."""

    @property
    def _constructor(self) -> Callable[..., TableFrame]:
        return TableFrame

    def _repr_html_(self) -> str | None:
        units = self.attrs.get(UNITS, {})
        shown = pd.DataFrame(self)
        if self.columns.nlevels == 1 and any(name in units for name in self.columns):
            below = [units.get(name, "") for name in self.columns]
            shown.columns = pd.MultiIndex.from_arrays([self.columns, below])
        made: str | None = getattr(shown, "_repr_html_")()  # noqa: B009 its stubs take it for a column
        return made


def to_frame(table: pa.Table) -> TableFrame:
    """Return a table as a frame of Arrow-backed columns, in which NULL stays apart from NaN and int64 exact."""
    frame = TableFrame(plain(table).to_pandas(types_mapper=pd.ArrowDtype))
    frame.attrs[UNITS] = units_of(table.column_names)
    return frame
