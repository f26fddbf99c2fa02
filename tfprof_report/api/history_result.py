"""The history of the models of a store."""

from __future__ import annotations

import json
import os
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from tfprof_report.api.result import as_polars
from tfprof_report.cli.commands.over_time.history_work import HistoryWork
from tfprof_report.cli.commands.store_outputs import check_outside
from tfprof_report.history.history_data import History
from tfprof_report.render.files.atomic import write_folder
from tfprof_report.render.history.history_cell import render_history_cell
from tfprof_report.render.history.history_content import HistoryContent, history_content
from tfprof_report.render.history.history_files import points_table, render_history_json

if TYPE_CHECKING:
    import pandas as pd


class HistoryResult:
    """How figures moved over commits. In a notebook it shows the figures of each model and their lines.

    ``warnings`` says which reports are left out, and why.
    """

    def __init__(self, work: HistoryWork, history: History, content: HistoryContent, warnings: tuple[str, ...]) -> None:
        self._work, self._history, self._content = work, history, content
        self.warnings = warnings

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the models."""
        return tuple(model.name for model in self._history.models)

    @property
    def text(self) -> str:
        """The lines that the command prints: how many reports a model has, and how many changes."""
        return "\n".join(f"{model.name.text}: {model.headline}" for model in self._content.models)

    @cached_property
    def points(self) -> pd.DataFrame:
        """A row for each figure of each report, as in history.parquet; the unit of its value is in ``unit``."""
        from tfprof_report.api.frames import to_frame  # noqa: PLC0415 who only writes pages does without pandas

        return to_frame(self.arrow())

    @cached_property
    def details(self) -> dict[str, Any]:
        """What history.json has: levels, changes with their causes, and what moved over stretches of time."""
        found: dict[str, Any] = json.loads(render_history_json(self._history))
        return found

    def arrow(self) -> pa.Table:
        """Return the points as a table of Arrow."""
        return points_table(self._history)

    def to_polars(self) -> Any:
        """Return the points as a data frame of polars; an OptionError if that is not installed."""
        return as_polars(self.arrow())

    def write(self, folder: str | os.PathLike[str]) -> None:
        """Write the page, the Markdown, the points and the JSON into a folder, with the bytes that the command writes.

        Raises
        ------
        OptionError
            The folder is in the store.
        OutputError
            A file cannot be written; earlier ones are kept.
        """
        name = os.fspath(folder)
        check_outside(self._work.place, {"--out": [name]})
        history = self._work.seen_from(name, self._history)
        write_folder(name, self._work.render(history, history_content(history)), option="--out")

    def __repr__(self) -> str:
        return f"<history of {self._history.store}: {self.text}>"

    def _repr_html_(self) -> str:
        return render_history_cell(self._history, self._content)
