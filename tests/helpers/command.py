"""Runs the command line in this process, and writes the files of tiny models for it."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple, TextIO
from unittest.mock import patch

import pytest
from messages import entry, graph, node, op_log, ran, run_meta, used

from tfprof_report.cli.main import main

CPU = "/job:localhost/replica:0/task:0/device:CPU:0"
WHEN = "2024-05-02T08:30:00Z"


class Outcome(NamedTuple):
    """The result of a command. Output is text as it was written: line ends are not translated."""

    code: int
    out: str
    err: str

    @property
    def error(self) -> str:
        """The one line of an error, without the name of the command."""
        assert self.err.startswith("tfprof-report: ")
        assert self.err.count("\n") == 1
        assert self.err.endswith("\n")
        return self.err[len("tfprof-report: ") : -1]


def call(*arguments: object) -> Outcome:
    """Run the command in this process, with an empty standard input."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="") for _ in range(2)]
    code = call_into(*streams, *arguments)
    texts = []
    for stream in streams:
        stream.flush()
        raw = stream.buffer
        assert isinstance(raw, io.BytesIO)
        texts.append(raw.getvalue().decode())
    return Outcome(code, *texts)


def broken_pipe() -> io.TextIOWrapper:
    """Return a stream whose reader has gone."""
    reader, writer = os.pipe()
    os.close(reader)
    return open(writer, "w", encoding="utf-8")  # noqa: PTH123 (of a file descriptor)


def full_disk() -> io.TextIOWrapper:
    """Return a stream to a disk without space."""
    return Path("/dev/full").open("w", encoding="utf-8")


def call_into(out: TextIO, err: TextIO, *arguments: object, stdin: str = "") -> int:
    """Run the command in this process with these streams, and return its exit code."""
    script = io.TextIOWrapper(io.BytesIO(stdin.encode()))
    streams = redirect_stdout(out), redirect_stderr(err), patch.object(sys, "stdin", script)
    with streams[0], streams[1], streams[2], pytest.raises(SystemExit) as stop:
        main([str(argument) for argument in arguments])
    assert isinstance(stop.value.code, int)
    return stop.value.code


def spawn(*arguments: object, stdin: bytes = b"", folder: Path | None = None, **environment: str) -> Outcome:
    """Run the installed script in a subprocess, in `folder`."""
    script = Path(sys.executable).with_name("tfprof-report")
    done = subprocess.run(
        [script, *map(str, arguments)],
        input=stdin,
        capture_output=True,
        check=False,
        cwd=folder,
        env={**os.environ, **environment},
        timeout=120,
    )
    return Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())


def write_model(folder: Path, model: Any, run_metas: Mapping[int, Any] | None = None, log: Any = None) -> Path:
    """Write the files of a model under their usual names, and return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "graph.pb").write_bytes(model.SerializeToString())
    for step, message in (run_metas or {}).items():
        (folder / f"run_meta_{step}").write_bytes(message.SerializeToString())
    if log is not None:
        (folder / "tfprof_log").write_bytes(log.SerializeToString())
    return folder


def small_model(folder: Path, *, width: int = 4, float_ops: int = 24, micros: int = 30, in_use: int = 4096) -> Path:
    """Write a dense layer that ran in two steps: 3 x width parameters, the second step twice as slow."""
    nodes = [
        node("fc/kernel", "VariableV2", shape=[3, width]),
        node("fc/MatMul", "MatMul", "fc/kernel", output_shapes=[[2, width]]),
        node("out", "Relu", "fc/MatMul"),
    ]
    steps = {}
    for step, time in ((1, micros), (2, 2 * micros)):
        memory = [used("cpu", total=256, peak=128, live=64, in_use=in_use)]
        steps[step] = run_meta({CPU: [ran("fc/MatMul", micros=time, memory=memory), ran("out", micros=5, temp=0)]})
    log = op_log(entry("fc/MatMul", float_ops=float_ops), entry("fc/kernel", types=["_trainable_variables"]))
    return write_model(folder, graph(*nodes), steps, log)


def write_report(source: Path, out: Path, *arguments: object, code: int = 0) -> Path:
    """Write a report at a fixed time and return its folder."""
    outcome = call("report", source, "--out", out, "--timestamp", WHEN, *arguments)
    assert outcome.code == code, outcome
    return out


def summary_of(folder: Path) -> Any:
    """Return the summary of a report folder as JSON."""
    return json.loads((folder / "summary.json").read_text())


def contents(folder: Path) -> dict[str, bytes]:
    """Return all files of a folder by name, hidden ones too."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
