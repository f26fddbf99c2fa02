"""What reports of one model and of many have in common: their tables, for pandas and polars."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cache
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from tfprof_report.errors import OptionError
from tfprof_report.options import unknown_word

if TYPE_CHECKING:
    import pandas as pd


class Result(ABC):
    """Tables of one report or of many. Each is read, or made, when it is first asked for.

    In frames, NULL (``<NA>``) is unknown, never 0, and ``frame.attrs["units"]`` has the unit of each column that has
    one. ``docs/tables.md`` describes the columns.
    """

    def __init__(self) -> None:
        self._frame = cache(self._make_frame)

    @property
    @abstractmethod
    def tables(self) -> tuple[str, ...]:
        """The names of all tables, as of the files of a report; also ``totals``, ``gates`` and ``verdict``."""

    @abstractmethod
    def _arrow(self, name: str) -> pa.Table:
        """Return one of `tables`."""

    def arrow(self, name: str) -> pa.Table:
        """Return a table as Arrow has it, without a copy.

        Raises
        ------
        OptionError
            There is no such table.
        InputError, BaselineError
            A report in a folder or in a store cannot be read.
        """
        if name not in self.tables:
            raise unknown_word(name, option="table", known=self.tables)
        return self._arrow(name)

    def table(self, name: str) -> pd.DataFrame:
        """Return a table as a data frame of pandas, with Arrow-backed columns; errors are those of `arrow`."""
        return self._frame(name)

    def to_polars(self, name: str = "nodes") -> Any:
        """Return a table as a data frame of polars.

        Raises
        ------
        OptionError
            polars is not installed, or as in `arrow`.
        """
        return as_polars(self.arrow(name))

    @property
    def nodes(self) -> pd.DataFrame:
        """A row per node."""
        return self.table("nodes")

    @property
    def layers(self) -> pd.DataFrame:
        """A row per layer, and one for the nodes in no layer."""
        return self.table("layers")

    @property
    def scopes(self) -> pd.DataFrame:
        """The rows of the scope view: scopes and nodes as a tree, in preorder."""
        return self.table("scope")

    @property
    def ops(self) -> pd.DataFrame:
        """A row per op type."""
        return self.table("op")

    @property
    def steps(self) -> pd.DataFrame:
        """A row per node, step and device, with exact figures."""
        return self.table("steps")

    @property
    def totals(self) -> pd.DataFrame:
        """A row per figure of the model: its value, base's, and the change."""
        return self.table("totals")

    @property
    def gates(self) -> pd.DataFrame:
        """A row per gate: its status, and the figures of its worst row."""
        return self.table("gates")

    @property
    def verdict(self) -> pd.DataFrame:
        """A row per report: its outcome, exit code and verdict."""
        return self.table("verdict")

    def _make_frame(self, name: str) -> pd.DataFrame:
        from tfprof_report.api.frames import to_frame  # noqa: PLC0415 who only writes reports does without pandas

        return to_frame(self.arrow(name))


def as_polars(table: pa.Table) -> Any:
    """Return a table as a data frame of polars; an OptionError if polars is not installed."""
    try:
        import polars  # noqa: ICN001, PLC0415 not everybody has it
    except ImportError as error:
        advice = "install it, as by pip install polars, or use the frames of pandas"
        raise OptionError("polars is not installed", option="to_polars", advice=advice) from error
    return polars.from_arrow(table)
