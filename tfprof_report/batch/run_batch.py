"""Runs a batch: what fits nowhere is named, the rest goes to workers, and the outcome is kept while it grows."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self
from uuid import uuid4

from tfprof_report.batch.clusters import PATIENCE, Workers, local_workers, remote_workers
from tfprof_report.batch.entry import Entry, Target, Task
from tfprof_report.batch.flights import Flights, LostError
from tfprof_report.batch.made import HIDDEN
from tfprof_report.batch.outcome import Result, Row, State, not_done, outcome_files
from tfprof_report.clock import VARIABLE
from tfprof_report.errors import InputError, OutputError
from tfprof_report.formatting import format_number
from tfprof_report.record import record
from tfprof_report.render.files.atomic import local_folder, write_folder
from tfprof_report.render.files.lock import drop_lock, take_lock
from tfprof_report.schema.metrics import Unit

_OPTION = "--out"
_LOCK = "lock"
_EVERY = 5.0
"""Seconds from one writing of the outcome to the next, while a batch runs."""

_SHARE = 20
"""The outcome is written again only after this many times as long as writing it took."""


@record
class Settings:
    """How a batch runs.

    jobs : most reports at the same time on this machine
    memory_bytes : what all of them may use together
    retries : how often a report whose worker was lost is tried again
    limit : most seconds of a report; None for any
    setup : name of the module that sets up workers on this machine, see `local_workers`
    scheduler : address of the scheduler of a cluster; None for workers on this machine
    patience : seconds that it has to come back when it is lost
    """

    jobs: int
    memory_bytes: int
    setup: str
    retries: int = 2
    limit: float | None = None
    scheduler: str | None = None
    patience: float = PATIENCE


def run_batch(
    entries: Sequence[Entry],
    target: Target,
    settings: Settings,
    run: Callable[[Task], Result],
    *,
    ready: Callable[[Workers], None],
    finished: Callable[[Row], None],
) -> list[Row]:
    """Run the entries and return a row for each, in their order; `run` is what a worker does with a task.

    `ready` is told of workers that take tasks, `finished` of each row when it is known. The outcome is in the folder of
    `target`, if it has one: while the batch runs the rows so far, and at the end, also that by a signal, all of them.

    Raises
    ------
    TfprofReportError
        The scheduler is not there or of another version, the folder cannot be written, or another batch writes it.
        Nothing was started.
    """
    rows: dict[int, Row] = {}
    with ExitStack() as stack:
        workers = None
        if settings.scheduler is not None:
            workers = remote_workers(settings.scheduler)
            stack.callback(workers.client.close)
        kept = stack.enter_context(_Kept(entries, rows, target.folder))

        def keep(row: Row) -> None:
            rows[row.entry.number] = row
            finished(row)
            kept.keep_now_and_then()

        make = _Make(target=target, batch=uuid4().hex, settings=settings, run=run, ready=ready, finished=keep)
        if workers is None:
            _make_here(make, entries)
        else:
            try:
                _make_there(make, entries, workers)
            except LostError as error:
                kept.reason = str(error)
        return kept.rows


@record
class _Make:
    """How reports are made, and who is told."""

    target: Target
    batch: str
    settings: Settings
    run: Callable[[Task], Result]
    ready: Callable[[Workers], None]
    finished: Callable[[Row], None]

    def flights(
        self, workers: Workers, finished: Callable[[Row], None], reconnect: Callable[[], Workers] | None = None
    ) -> Flights:
        """Return what runs tasks on these workers, after they were told of."""
        self.ready(workers)
        return Flights(workers, self.run, retries=self.settings.retries, finished=finished, reconnect=reconnect)

    def tasks(self, entries: Iterable[Entry]) -> Iterator[Task]:
        """Yield entries as workers get them."""
        cwd, time = str(Path.cwd()), os.environ.get(VARIABLE)
        for entry in entries:
            limit = _limit_of(entry, self.settings.limit)
            yield Task(entry=entry, target=self.target, batch=self.batch, cwd=cwd, fixed_time=time, limit=limit)


def _limit_of(entry: Entry, of_report: float | None) -> float | None:
    """Return the seconds that an entry has in a worker, those of its command included; None for any."""
    if entry.checkout is None or of_report is None:
        return of_report
    return None if entry.checkout.limit is None else of_report + entry.checkout.limit


def _make_here(make: _Make, entries: Sequence[Entry]) -> None:
    """Run entries on this machine, first those of which most fit into its memory at once.

    One that takes more than its part is tried again, with all the memory.
    """
    memory = make.settings.memory_bytes
    groups = by_room(entries, make.settings)
    for entry in groups.pop(0, ()):
        make.finished(_too_large(entry, memory, "--memory allows"))
    over: dict[int, Row] = {}

    def with_earlier(row: Row) -> None:
        earlier = over.get(row.entry.number)
        make.finished(replace(row, attempts=row.attempts + earlier.attempts) if earlier else row)

    while groups:
        count = max(groups)
        group = groups.pop(count)
        with local_workers(min(count, len(group)), memory, make.settings.setup) as workers:
            found = make.flights(workers, with_earlier).fly(make.tasks(group))
        if workers.count == 1:
            for row in found:
                with_earlier(row)
            continue
        over |= {row.entry.number: row for row in found}
        if found:
            groups[1] = [*groups.get(1, ()), *(row.entry for row in found)]


def _make_there(make: _Make, entries: Sequence[Entry], workers: Workers) -> None:
    """Make reports on the cluster of a scheduler; raises `LostError`."""
    most = max(workers.memory_bytes.values(), default=None)
    fitting = []
    for entry in entries:
        if most is not None and (entry.need_bytes or 0) > most:
            make.finished(_too_large(entry, most, "the largest worker has"))
        else:
            fitting.append(entry)
    later: list[Workers] = []

    def reconnect() -> Workers:
        try:
            later.append(remote_workers(make.settings.scheduler or "", make.settings.patience))
        except InputError as error:
            raise LostError(
                f"the scheduler was lost, and after {make.settings.patience:.0f} seconds: {error}"
            ) from error
        return later[-1]

    try:
        for row in make.flights(workers, make.finished, reconnect).fly(make.tasks(fitting)):
            make.finished(row)
    finally:
        for each in later:
            each.client.close(timeout=1)


def by_room(entries: Sequence[Entry], settings: Settings) -> dict[int, list[Entry]]:
    """Return the entries by how many of them have the memory to run at once: all jobs, half of them, ... 1, or 0."""
    counts = [settings.jobs]
    while counts[-1] > 1:
        counts.append(counts[-1] // 2)
    groups: dict[int, list[Entry]] = {}
    for entry in entries:
        need = entry.need_bytes or 0
        room = next((count for count in counts if need <= settings.memory_bytes // count), 0)
        groups.setdefault(room, []).append(entry)
    return groups


def _too_large(entry: Entry, most: int, whose: str) -> Row:
    need, has = (format_number(each, Unit.BYTES) for each in (entry.need_bytes, most))
    reason = f"needs an estimated {need} of memory, {whose} {has}"
    return Row(entry=entry, result=Result(state=State.TOO_LARGE, reason=reason))


class _Kept:
    """Keeps the outcome in the folder, which one batch at a time writes; without a folder it keeps nothing.

    Leaving the ``with`` block, however that ends, writes a row for each entry.
    """

    def __init__(self, entries: Sequence[Entry], rows: Mapping[int, Row], folder: str | None) -> None:
        self._entries = entries
        self._done = rows
        self._folder = folder
        self._lock: int | None = None
        self._due = time.monotonic() + _EVERY
        self.reason = "the batch was interrupted"

    @property
    def rows(self) -> list[Row]:
        """Return a row for each entry."""
        return [self._done.get(entry.number) or not_done(entry, self.reason) for entry in self._entries]

    def __enter__(self) -> Self:
        if self._folder is not None:
            local_folder(self._folder, option=_OPTION)
            try:
                self._lock = take_lock(self._lock_file)
            except BlockingIOError as error:
                advice = "wait until it has ended, or give another folder"
                raise self._refused("another batch is writing there", advice) from error
            except OSError as error:
                words = f"cannot be written ({error.strerror or error})"
                raise self._refused(words, "give a folder that can be written") from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._lock is not None:
            try:
                self._keep(is_complete=len(self._done) == len(self._entries))
            finally:
                drop_lock(self._lock_file, self._lock)

    def keep_now_and_then(self) -> None:
        """Write the rows so far if the last time is a while ago."""
        start = time.monotonic()
        if self._lock is not None and start >= self._due:
            self._keep(is_complete=False)
            end = time.monotonic()
            self._due = end + max(_EVERY, _SHARE * (end - start))

    def _keep(self, *, is_complete: bool) -> None:
        files = outcome_files(self.rows, is_complete=is_complete)
        write_folder(self._folder or "", files, option=_OPTION)

    @property
    def _lock_file(self) -> Path:
        return Path(self._folder or "", HIDDEN, _LOCK)

    def _refused(self, problem: str, advice: str) -> OutputError:
        return OutputError(problem, file=self._folder, option=_OPTION, advice=advice)
