"""The histories of many models as the tasks of a batch: on the cores of this machine, or on a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from tfprof_report.batch.entry import Entry, Target, Task
from tfprof_report.batch.outcome import Result, Row, State
from tfprof_report.batch.run_batch import run_batch
from tfprof_report.batch.task import as_where_started
from tfprof_report.batch.watch import Meter, host_name
from tfprof_report.cli.commands.batch_settings import settings_of
from tfprof_report.cli.commands.over_time.history_work import HistoryWork, build_one
from tfprof_report.cli.params.history_options import HistoryValues
from tfprof_report.compare.gates.policy import Policy
from tfprof_report.errors import BaselineError, ExitCode, InputError, OptionError, TfprofReportError
from tfprof_report.history.build_history import Wanted
from tfprof_report.history.history_data import ModelHistory
from tfprof_report.record import record
from tfprof_report.report.store.place import open_place, refused

_ERRORS: Mapping[int, type[TfprofReportError]] = {ExitCode.USAGE: OptionError, ExitCode.BASELINE: BaselineError}
"""The classes of errors by their exit codes; a worker sends the line and the code."""


@record
class _Piece:
    """What a worker has to know of a model; it opens the store by itself, with its own credentials."""

    values: HistoryValues
    wanted: Wanted
    policy: Policy


def build_on_workers(
    work: HistoryWork, policies: Mapping[str, Policy], finished: Callable[[str], None]
) -> list[ModelHistory | TfprofReportError]:
    """Return the history of each model, or why it has none; `finished` is told of each.

    Raises
    ------
    TfprofReportError
        As `run_batch` does, before anything is started.
    """
    values = work.values
    entries = [
        Entry(
            number=number,
            model=name,
            name=name,
            command=("history", values.store, f"--model={name}"),
            work=_Piece(values=values, wanted=work.wanted, policy=policy),
        )
        for number, (name, policy) in enumerate(policies.items())
    ]
    rows = run_batch(
        entries,
        Target(folder=None, store=None),
        settings_of(values.jobs, scheduler=values.scheduler),
        build_there,
        ready=lambda _: None,
        finished=lambda row: finished(row.entry.name),
    )
    return [_made(row) for row in rows]


def _made(row: Row) -> ModelHistory | TfprofReportError:
    """Return what came back of a model: its history, or its error as that of this process would be."""
    made: ModelHistory | None = row.result.made
    if made is not None:
        return made
    if row.result.state is State.FAILED:
        return _ERRORS.get(row.result.exit_code, InputError)(row.result.reason or "")
    return InputError(f"{row.result.state}: {row.result.reason}")


def build_there(task: Task) -> Result:
    """Build the history of a task in this process: what workers find by this name and run."""
    piece: _Piece = task.entry.work
    meter, result = Meter(), Result(state=State.WRITTEN, exit_code=0)
    with as_where_started(task):
        try:
            with refused(piece.values.store, BaselineError, "read"):
                place = open_place(piece.values.store)
            result = replace(result, made=build_one(place, piece.values, task.entry.model, piece.wanted, piece.policy))
        except TfprofReportError as error:
            result = Result(state=State.FAILED, exit_code=int(error.exit_code), reason=str(error))
    return replace(result, seconds=meter.seconds, peak_bytes=meter.peak_bytes, host=host_name())
