"""Makes the report of one entry in this process, unless it is there, and says how that ended."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import chdir, contextmanager, nullcontext
from pathlib import Path
from typing import Protocol

from tfprof_report.batch.checkout import CommandError, checked_out
from tfprof_report.batch.entry import Task
from tfprof_report.batch.made import Made, find_made, folder_place, key_of, note_made
from tfprof_report.batch.outcome import Result, State
from tfprof_report.batch.watch import Meter, host_name, limited
from tfprof_report.clock import VARIABLE, moment
from tfprof_report.errors import ExitCode, OutputError, TfprofReportError
from tfprof_report.ingest.files.bucket_files import each_read_once
from tfprof_report.record import record
from tfprof_report.report.store.index import index_saved
from tfprof_report.report.store.place import Place, open_place, refused
from tfprof_report.report.store.store import check_model, commit_to_save, read_to_save, save
from tfprof_report.schema.files import SUMMARY

_MOST_MESSAGES = 20
_WITH_REPORT = (ExitCode.OK, ExitCode.GATE_FAILED, ExitCode.INCONCLUSIVE)


class Ended(Protocol):
    """How a command line ended: its exit code, what it printed on standard error, and its error, if any."""

    @property
    def code(self) -> int:
        """Return the exit code."""

    @property
    def messages(self) -> str:
        """Return the lines on standard error, without the error."""

    @property
    def error(self) -> str | None:
        """Return the one line of the error."""


Call = Callable[[Sequence[str]], Ended]
"""Runs a command line in this process."""


def run_task(task: Task, call: Call) -> Result:
    """Make the report of an entry with `call`, and return how that ended; no error is raised."""
    meter = Meter()
    with as_where_started(task), each_read_once():
        try:
            made = _make(task, call)
        except CommandError as error:
            made = _Ending(state=State.FAILED, exit_code=error.exit_code, reason=str(error), messages=error.output)
        except TfprofReportError as error:
            made = _Ending(state=State.FAILED, exit_code=error.exit_code, reason=str(error))
        except Exception as error:  # noqa: BLE001 (one entry must not end the batch)
            made = _Ending(
                state=State.FAILED,
                exit_code=ExitCode.INPUT,
                reason=f"internal error ({type(error).__name__}: {error}); run its command alone, with --verbose",
            )
    return Result(
        state=made.state,
        exit_code=int(made.exit_code),
        verdict=made.verdict,
        reason=made.reason,
        messages=made.messages,
        report=made.report,
        seconds=meter.seconds,
        peak_bytes=meter.peak_bytes,
        host=host_name(),
    )


@contextmanager
def as_where_started(task: Task) -> Iterator[None]:
    """Run the block in the folder and at the time of the process that started the batch, up to the task's limit."""
    os.environ[VARIABLE] = task.fixed_time or ""
    with limited(task.limit), chdir(task.cwd) if Path(task.cwd).is_dir() else nullcontext():
        yield


@record
class _Ending:
    """What became of an entry, without what was measured."""

    state: State
    exit_code: int
    verdict: str | None = None
    reason: str | None = None
    messages: tuple[str, ...] = ()
    report: str | None = None


def _make(task: Task, call: Call) -> _Ending:
    """Make the report of an entry, or find it."""
    entry, target = task.entry, task.target
    if target.store is not None:
        check_model(entry.model)
        commit_to_save(entry.commit, None)
    where = target.store or target.folder or ""
    with refused(where, OutputError, "read"):
        place = open_place(where) if target.store is not None else folder_place(where)
        try:
            key = key_of(entry)
        except OSError:  # the report says what is wrong with the file
            key = None
        made = find_made(place, target, entry, key) if key else None
    if made:  # by a worker of this batch that was lost with its result, or by an earlier batch
        return _ending(State.WRITTEN if made.batch == task.batch else State.SKIPPED, place, made)
    with tempfile.TemporaryDirectory(prefix="tfprof-report-") if target.store is not None else nullcontext() as folder:
        out = folder or place.shown(entry.name)
        out = os.path.abspath(out) if entry.checkout else out  # noqa: PTH100 (links stay)
        with checked_out(entry.checkout):
            ended = call([*entry.command, "--jobs=1", f"--out={out}"])
        if failed := _failed(ended):
            return failed
        with refused(where, OutputError, "written"):
            made = _in_folder(place, task) if folder is None else _saved(place, task, folder)
            if key:
                note_made(place, target, entry, key, made)
    return _ending(State.WRITTEN, place, made, _lines(ended))


def _in_folder(place: Place, task: Task) -> Made:
    """Return the report that was written into the output folder."""
    name = task.entry.name
    return Made(path=name, summary=place.read(f"{name}/{SUMMARY}"), batch=task.batch)


def _saved(place: Place, task: Task, folder: str) -> Made:
    """Save the report in `folder` in the store, as `baseline save` does."""
    files, own = read_to_save(folder)
    now = moment()
    commit = commit_to_save(task.entry.commit, own)
    saved, is_new = save(place, files, model=task.entry.model, commit=commit, now=now)
    index_saved(place, saved, files[SUMMARY], now, is_new=is_new)
    return Made(path=saved.path, summary=files[SUMMARY], batch=task.batch)


def _ending(state: State, place: Place, made: Made, messages: tuple[str, ...] = ()) -> _Ending:
    verdict = made.verdict
    code = int(verdict["exit_code"])
    return _Ending(
        state=state,
        exit_code=code,
        verdict=str(verdict["outcome"]),
        reason=str(verdict["text"]) if code else None,
        messages=messages,
        report=place.shown(made.path),
    )


def _failed(ended: Ended) -> _Ending | None:
    """Return the ending of a command line without a report; None if there is one."""
    if ended.error is None and ended.code in _WITH_REPORT:
        return None
    reason = ended.error or f"ended with exit code {ended.code}"
    return _Ending(state=State.FAILED, exit_code=ended.code, reason=reason, messages=_lines(ended))


def _lines(ended: Ended) -> tuple[str, ...]:
    return tuple(line.removeprefix("tfprof-report: ") for line in ended.messages.splitlines()[:_MOST_MESSAGES])
