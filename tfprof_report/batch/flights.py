"""Runs tasks on workers until each has a row: one that loses its worker is tried again, one without end given up.

distributed decides what runs where, and starts lost workers again. What is counted here is how often a task really
began, which its worker tells: distributed blames all tasks that it had sent to a lost worker, also those that waited.
"""

from __future__ import annotations

import os
import queue
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from tfprof_report.batch.clusters import PATIENCE, Workers
from tfprof_report.batch.entry import Task
from tfprof_report.batch.outcome import Result, Row, State
from tfprof_report.batch.watch import host_name
from tfprof_report.formatting import format_number
from tfprof_report.schema.metrics import Unit

_BEGUN = "tfprof-report-begun"
_MEMORY = "worker-restart-memory"
"""Topics of events: ours, and that of the nanny that ends a worker with too much memory."""

_TWICE = 2
_TICK, _LOOK = 0.5, 5.0
"""Seconds between one look for messages, or for workers, and the next."""

_UNSEEN = 5
"""How often a task may lose its worker before the worker can tell that it began, for each try."""


class LostError(Exception):
    """The scheduler cannot be reached, or has no workers any more."""


def begin(run: Callable[[Task], Result], task: Task, key: str) -> Result:
    """Tell that a task begins, and run it; this is what workers call."""
    from distributed import get_worker  # noqa: PLC0415 (in a worker it is there)

    get_worker().log_event(_BEGUN, {"key": key, "pid": os.getpid(), "host": host_name()})
    return run(task)


@dataclass(slots=True)
class _Flight:
    """A task on its way. `begun` and `pid` are of the try that runs, `over` is the memory that ended it.

    `tries` is how often it began, as far as its worker lived to tell.
    """

    task: Task
    tries: int = 0
    deaths: int = 0
    begun: float | None = None
    pid: int | None = None
    host: str | None = None
    over: int | None = None
    future: Any = None


class Flights:
    """Runs tasks; `finished` takes each row.

    run : what a worker does with a task; it is found by its name there
    retries : how often a task whose worker was lost is tried again
    reconnect : returns the workers anew when the scheduler was lost, or raises `LostError`; None if it cannot be lost
    """

    def __init__(
        self,
        workers: Workers,
        run: Callable[[Task], Result],
        *,
        retries: int,
        finished: Callable[[Row], None],
        reconnect: Callable[[], Workers] | None = None,
    ) -> None:
        self._workers = workers
        self._run = run
        self._retries = retries
        self._finished = finished
        self._reconnect = reconnect
        self._messages: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        self._flying: dict[str, _Flight] = {}
        self._too_small: list[Row] = []
        self._name, self._launched = uuid4().hex, 0
        self._looked = self._had_workers = time.monotonic()

    def fly(self, tasks: Iterable[Task]) -> list[Row]:
        """Run tasks to their end; return the rows of those that need more memory than their worker may use.

        Raises
        ------
        LostError
            As `reconnect` does.
        """
        waiting = [_Flight(task=task) for task in reversed(list(tasks))]
        self._listen()
        try:
            while waiting or self._flying:
                while waiting and len(self._flying) < self._window:
                    self._launch(waiting.pop())
                self._take_messages()
                self._give_up_overdue()
                self._check_connection()
        finally:
            self._cancel(list(self._flying))
        return self._too_small

    @property
    def _window(self) -> int:
        """How many tasks are sent ahead, so that no worker waits for us and no list is long."""
        return max(4 * self._workers.count, 32)

    def _listen(self) -> None:
        for topic in (_BEGUN, _MEMORY):
            self._workers.client.subscribe_topic(
                topic, lambda event, topic=topic: self._messages.put((topic, event[1]))
            )

    def _launch(self, flight: _Flight) -> None:
        self._launched += 1
        key = f"report-{self._name}-{self._launched}"
        flight.begun = flight.pid = flight.over = None
        self._flying[key] = flight
        roomy = self._roomy(flight.task)
        place = {"workers": roomy, "allow_other_workers": True} if roomy else {}
        flight.future = self._workers.client.submit(begin, self._run, flight.task, key, key=key, pure=False, **place)
        flight.future.add_done_callback(lambda future: self._messages.put(("", future)))

    def _roomy(self, task: Task) -> list[str] | None:
        """Return the workers that have the memory for a task; None if all have it, or nothing is known."""
        need, limits = task.entry.need_bytes, self._workers.memory_bytes
        roomy = [name for name, limit in limits.items() if need is None or limit >= need]
        return roomy if roomy and len(roomy) < len(limits) else None

    def _take_messages(self) -> None:
        """Take what came, or wait for it."""
        with suppress(queue.Empty):
            message = self._messages.get(timeout=_TICK)
            while True:
                self._take(*message)
                message = self._messages.get_nowait()

    def _take(self, topic: str, message: Any) -> None:
        if topic == _BEGUN:
            self._has_begun(message)
        elif topic == _MEMORY:
            for flight in self._flying.values():
                if flight.begun is not None and flight.pid == message["pid"]:
                    flight.over = message["rss"]
        elif message.key in self._flying:
            self._has_ended(message)

    def _has_begun(self, message: dict[str, Any]) -> None:
        flight = self._flying.get(message["key"])
        if flight is None:
            return
        flight.tries += 1
        flight.begun, flight.pid, flight.host = time.monotonic(), message["pid"], message["host"]
        if flight.tries > self._retries + 1:  # a scheduler of others has its own number of retries
            self._cancel([message["key"]])
            self._end_lost(flight)

    def _has_ended(self, future: Any) -> None:
        flight = self._flying.pop(future.key)
        if future.status == "finished":
            try:
                result = future.result(timeout=PATIENCE)
            except Exception:  # noqa: BLE001 (the worker was lost with its result; what it wrote is found)
                self._launch(flight)
                return
            self._end(flight, result)
        elif future.status == "error":
            error = future.exception()
            if type(error).__name__ == "KilledWorker":
                self._has_lost_worker(flight)
            else:
                reason = f"the worker cannot run it ({type(error).__name__}: {error})"
                self._end(flight, Result(state=State.FAILED, reason=reason))
        else:  # distributed lost the result or the scheduler
            self._launch(flight)

    def _has_lost_worker(self, flight: _Flight) -> None:
        flight.deaths += 1
        if flight.over or flight.tries > self._retries or flight.deaths >= _UNSEEN * (self._retries + 1):
            self._end_lost(flight)
        else:
            self._launch(flight)

    def _give_up_overdue(self) -> None:
        now = time.monotonic()
        for key, flight in list(self._flying.items()):
            limit = flight.task.limit
            if limit is not None and flight.begun is not None and now - flight.begun > limit:
                self._cancel([key])
                reason = f"took longer than --time-limit, {limit:,.0f} seconds"
                self._end(
                    flight,
                    Result(
                        state=State.TIMED_OUT, reason=reason, host=flight.host, seconds=round(now - flight.begun, 3)
                    ),
                )

    def _end_lost(self, flight: _Flight) -> None:
        if flight.over is not None:
            used = format_number(flight.over, Unit.BYTES)
            reason = f"its worker was ended when it took {used}, which is all that it may use"
            lost = Result(state=State.LOST, reason=reason, host=flight.host, peak_bytes=flight.over)
            self._too_small.append(Row(entry=flight.task.entry, result=lost, attempts=flight.tries))
            return
        times = "once" if flight.tries < _TWICE else f"{flight.tries} times"
        reason = f"its worker was lost {times} while it ran: it was killed, or crashed"
        self._end(flight, Result(state=State.LOST, reason=reason, host=flight.host))

    def _end(self, flight: _Flight, result: Result) -> None:
        self._finished(Row(entry=flight.task.entry, result=result, attempts=flight.tries))

    def _cancel(self, keys: list[str]) -> None:
        futures = [self._flying.pop(key).future for key in keys]
        if futures:
            with suppress(Exception):  # a client that lost its scheduler has nothing to cancel
                self._workers.client.cancel(futures, force=True)

    def _check_connection(self) -> None:
        """Connect again when the scheduler was lost; raise `LostError` if it or all workers stay away."""
        if self._reconnect is None:
            return
        client, now = self._workers.client, time.monotonic()
        if client.status != "running":
            self._come_back(self._reconnect)
        elif now - self._looked > _LOOK:
            self._looked = now
            with suppress(Exception):
                if client.scheduler_info(n_workers=-1)["workers"]:
                    self._had_workers = now
            if now - self._had_workers > PATIENCE:
                raise LostError(f"the scheduler has had no workers for {PATIENCE:.0f} seconds")

    def _come_back(self, reconnect: Callable[[], Workers]) -> None:
        flights, self._flying = list(self._flying.values()), {}
        with suppress(Exception):
            self._workers.client.close(timeout=1)
        self._workers = reconnect()
        self._had_workers = time.monotonic()
        self._listen()
        for flight in flights:
            self._launch(flight)
