"""Batches on a cluster of another process: `dask scheduler` and `dask worker`, lost and back."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from batches import EPOCH, Running, content_of, rows_of, serial, states_of, wait_until, write_models

from tfprof_report.batch.clusters import described, remote_workers
from tfprof_report.errors import InputError, OptionError

DASK = Path(sys.executable).with_name("dask")


class Cluster:
    """A scheduler on a port of this machine, with two workers of one thread."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{self.port}"
        self._folder = folder
        self._started: list[subprocess.Popen[bytes]] = []

    def start(self, *, workers: int = 2) -> None:
        """Start the scheduler and its workers."""
        self._run("scheduler", "--host", "127.0.0.1", "--port", str(self.port), "--dashboard-address", "127.0.0.1:0")
        if workers:
            place = str(self._folder / "scratch")
            self._run("worker", self.address, "--nworkers", str(workers), "--nthreads", "1", "--local-directory", place)

    def _run(self, *arguments: str) -> None:
        command = [DASK, *arguments, "--no-dashboard"]
        with (self._folder / f"{arguments[0]}.log").open("ab") as log:
            started = subprocess.Popen(command, cwd=self._folder, stdout=log, stderr=log, start_new_session=True)
        self._started.append(started)

    def answers(self) -> bool:
        """Return whether the scheduler takes connections."""
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def kill(self) -> None:
        """Kill the scheduler, its workers and theirs."""
        for process in self._started:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        self._started = []


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    """Return a cluster that is not started yet."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", EPOCH)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cluster").mkdir()
    cluster = Cluster(tmp_path / "cluster")
    yield cluster
    cluster.kill()


@pytest.mark.thorough
@pytest.mark.parametrize("count", [8, pytest.param(200, marks=pytest.mark.thorough)])
def test_a_scheduler_is_lost_and_back_and_nothing_else_is(cluster: Cluster, tmp_path: Path, count: int) -> None:
    names, out = write_models(tmp_path / "runs", count), tmp_path / "out"
    cluster.start()
    running = Running(tmp_path, "runs/*", "--out", "out", "--scheduler", cluster.address)
    wait_until(lambda: len(list(out.glob("m*/summary.json"))) > 2)
    cluster.kill()
    cluster.start()
    code, _, err = running.end()
    assert (code, err.count("distributed"), err.count("Traceback")) == (0, 0, 0)
    assert states_of(out) == dict.fromkeys(names, "written")
    for name in names[:: count // 4]:
        assert content_of(out / name) == serial(f"runs/{name}", tmp_path / "alone" / name), name
    assert {row["host"] for row in rows_of(out).values()} == {socket.gethostname()}


def test_a_scheduler_that_is_not_there_is_said_before_anything_starts(cluster: Cluster) -> None:
    with pytest.raises(InputError, match=r"--scheduler tcp://.*: no scheduler answers; start it with: dask scheduler"):
        remote_workers(cluster.address, patience=1)


def test_a_scheduler_without_workers_is_refused(cluster: Cluster) -> None:
    cluster.start(workers=0)
    wait_until(cluster.answers)
    with pytest.raises(InputError, match="the scheduler has no workers; start some with: dask worker"):
        remote_workers(cluster.address, patience=3)


def test_another_version_on_a_worker_is_refused(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster.start()
    wait_until(cluster.answers)
    monkeypatch.setattr("tfprof_report.batch.clusters.__version__", "9.9.9")
    with pytest.raises(OptionError, match=r"worker tcp://.* has tfprof-report 0\.1\.0, this command 9\.9\.9"):
        remote_workers(cluster.address, patience=60)


def test_a_word_is_not_an_address() -> None:
    with pytest.raises(OptionError, match="--scheduler nonsense: is not an address; write tcp://HOST:PORT"):
        remote_workers("nonsense")


class Client:
    """Distributed's client of a scheduler with a dashboard, and perhaps without what draws it."""

    dashboard_link = "http://host:8787/status"

    def __init__(self, packages: tuple[str, ...]) -> None:
        self._packages = packages

    def scheduler_info(self, n_workers: int) -> dict[str, Any]:
        """Return one worker of two threads."""
        assert n_workers == -1
        return {"workers": {"tcp://w": {"nthreads": 2, "memory_limit": 8}}, "services": {"dashboard": 8787}}

    def run_on_scheduler(self, function: Any, package: str) -> str:
        """Return the version of a package."""
        assert function is metadata.version
        if package not in self._packages:
            raise metadata.PackageNotFoundError(package)
        return "1"


@pytest.mark.parametrize(("packages", "shown"), [(("bokeh",), Client.dashboard_link), ((), None)])
def test_a_dashboard_is_named_if_the_scheduler_can_draw_it(packages: tuple[str, ...], shown: str | None) -> None:
    found = described(Client(packages))
    assert (found.dashboard, found.count, found.memory_bytes) == (shown, 2, {"tcp://w": 4})
