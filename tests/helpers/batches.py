"""Tiny models for batches, the batches themselves, and what a serial run of `report` makes of the same models."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import psutil
from command import call
from messages import graph, node
from strict_schema import checked

SCRIPT = Path(sys.executable).with_name("tfprof-report")
EPOCH = "1700000000"
"""SOURCE_DATE_EPOCH of all runs, so that the same model has the same bytes."""


def write_models(folder: Path, count: int) -> list[str]:
    """Write models of different sizes into folders m000, m001 ... and return these names."""
    names = [f"m{number:03}" for number in range(count)]
    for number, name in enumerate(names):
        (folder / name).mkdir(parents=True)
        chain = (node(f"r{at}", "Relu", f"r{at - 1}" if at else "x") for at in range(3 + number))
        model = graph(node("x", "Placeholder", shape=[2, 3]), *chain)
        (folder / name / "graph.pb").write_bytes(model.SerializeToString())
    return names


def content_of(folder: Path) -> dict[str, bytes]:
    """Return the files of a folder by name."""
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def serial(source: str, out: Path, *options: str) -> dict[str, bytes]:
    """Return the files that `report` alone writes of a model."""
    assert call("report", source, "--out", out, *options).code in {0, 1, 5}
    return content_of(out)


def rows_of(out: Path) -> dict[str, dict[str, Any]]:
    """Return the entries of batch.json by name."""
    return {entry["name"]: entry for entry in checked("batch", json.loads((out / "batch.json").read_text()))["entries"]}


def states_of(out: Path) -> dict[str, str]:
    """Return the state of each entry by name."""
    return {name: row["state"] for name, row in rows_of(out).items()}


class Running:
    """A batch in a process of its own, in a folder."""

    def __init__(self, folder: Path, *arguments: object) -> None:
        self.process = subprocess.Popen(
            [SCRIPT, "batch", *map(str, arguments)],
            cwd=folder,
            env={**os.environ, "SOURCE_DATE_EPOCH": EPOCH},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def end(self, seconds: float = 240) -> tuple[int, str, str]:
        """Wait for the end; return the exit code, what it printed, and standard error without its progress."""
        try:
            out, err = self.process.communicate(timeout=seconds)
        finally:
            if self.process.poll() is None:
                os.killpg(self.process.pid, signal.SIGKILL)
        lines = (line for line in err.splitlines(keepends=True) if " done, " not in line)
        return self.process.returncode, out, "".join(lines)

    def workers(self) -> list[int]:
        """Return the processes of its workers that run, the oldest first."""

        def is_worker(process: Any) -> bool:
            try:
                return "spawn_main" in " ".join(process.cmdline())
            except psutil.Error:
                return False

        children = psutil.Process(self.process.pid).children(recursive=True)
        return sorted(each.pid for each in children if is_worker(each))


def wait_until(is_so: Callable[[], bool], seconds: float = 120) -> None:
    """Wait until something is so; fail if it is not in time."""
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end, "it never was"
        time.sleep(0.05)


def without_measures(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row without what differs from run to run."""
    return {name: value for name, value in row.items() if name not in {"seconds", "peak_bytes", "host", "attempts"}}
