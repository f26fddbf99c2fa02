"""A history as plain data: what renderers lay out."""

from __future__ import annotations

from datetime import datetime

import pyarrow as pa

from tfprof_report.compare.gates.verdict import Verdict
from tfprof_report.errors import ExitCode
from tfprof_report.history.budgets import Budget
from tfprof_report.history.changes import Change
from tfprof_report.history.drift import Drift
from tfprof_report.history.figures_over_time import FigureOverTime
from tfprof_report.history.nets import Stretch
from tfprof_report.history.steps import Moves
from tfprof_report.record import record
from tfprof_report.report.links import Links
from tfprof_report.report.store.usable import PassedOver


@record
class Line:
    """One figure of a model over its reports.

    moves : its levels and steps
    drift : growth that no single step shows, in the newest level of a noisy figure
    budgets : limits to draw
    """

    stem: str
    moves: Moves
    drift: Drift | None
    budgets: tuple[Budget, ...]
    over_time: FigureOverTime


@record
class ModelHistory:
    """The history of one model.

    rows : its reports in the order of git, one for each commit: rows of the index with commit number and era
    times : the date of the commit of each row; where it is not known, that of the report
    tags : the names of the releases at the commit of each row
    held : whether each report is still in the store
    lines : the figures that any report has
    never : the figures that were asked for by name and that no report knows
    changes : what moved, the oldest first
    stretches : what moved over the last days and since the last release; first over the stretch that was asked for
    left_out : reports that are not shown, and why
    elsewhere, earlier : the number of reports of other commits, and of reports with a newer one of their commit
    before : the number of reports before `rows`; levels, drifts and figures over time are found among these too
    verdict : that of the newest report; None if it is not asked for
    """

    name: str
    rows: pa.Table
    times: tuple[datetime | None, ...]
    tags: tuple[tuple[str, ...], ...]
    held: tuple[bool, ...]
    lines: tuple[Line, ...]
    never: tuple[str, ...]
    changes: tuple[Change, ...]
    stretches: tuple[Stretch, ...]
    left_out: tuple[PassedOver, ...]
    elsewhere: int
    earlier: int
    before: int = 0
    verdict: Verdict | None = None


@record
class FailedModel:
    """A model without a history: the line that says why, and the exit code that this has alone."""

    name: str
    reason: str
    exit_code: ExitCode


@record
class History:
    """The histories of the models of a store.

    commits : the ids of the commits that are shown, the oldest first
    since : in words, which ones these are; empty for all
    store : the name of the store
    store_url : the address under which the store is published; empty if it is not known
    failed : the models of which none could be made
    """

    tool_version: str
    timestamp: str
    store: str
    store_url: str
    commits: tuple[str, ...]
    since: str
    models: tuple[ModelHistory, ...]
    links: Links
    failed: tuple[FailedModel, ...] = ()

    @property
    def exit_code(self) -> ExitCode:
        """The worst exit code of all models: of those without a history, and of verdicts, where they are asked for."""
        verdicts = (0 if model.verdict is None else model.verdict.exit_code for model in self.models)
        return ExitCode.worst([*verdicts, *(model.exit_code for model in self.failed)])
