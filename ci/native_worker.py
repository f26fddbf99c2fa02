"""Run the native profiler for `conformance.py`, in an interpreter that has TensorFlow.

Requests and answers are JSON, one per line, on standard input and output; bytes are base64. A request is a model with
the queries to run on it; the answer to a query is what it printed, returned and wrote. Every model runs in a forked
child, since the native tool may crash: the status of the answer then says so, and the other queries get another child.
"""

from __future__ import annotations

import base64
import ctypes
import json
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

os.environ |= {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "", "TF_ENABLE_ONEDNN_OPTS": "0"}

from tensorflow.python.profiler import model_analyzer
from tensorflow.python.util import _pywrap_tfprof as native

ALL_ADVICE = model_analyzer.ALL_ADVICE
SECONDS_PER_QUERY = 10
_LIBC = ctypes.CDLL(None)
_NO_STEP_STATS = b"\x12\x00"  # a RunMetadata that adds no step: cost_graph, empty


def answer(request: dict[str, Any]) -> list[dict[str, Any]]:
    """Return one answer per query of a request."""
    answers: list[dict[str, Any]] = []
    while len(answers) < len(request["queries"]):
        found, ending = in_child(request, skip=len(answers))
        answers += found
        if len(answers) < len(request["queries"]):
            answers.append({"status": ending, "text": "", "proto": "", "errors": "", "files": {}})
    return answers


def in_child(request: dict[str, Any], *, skip: int) -> tuple[list[dict[str, Any]], str]:
    """Run all queries but the first `skip` in a forked child; return its answers and how it ended."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as results:
        child = os.fork()
        if child == 0:
            os.chdir(folder)
            try:
                for found in ask(request, skip=skip):
                    os.write(results.fileno(), json.dumps(found).encode() + b"\n")
            finally:
                os._exit(0)  # skip cleanup that belongs to the parent
        _, status = os.waitpid(child, 0)
        results.seek(0)
        lines = results.read().splitlines()
    ending = f"killed by signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else "ended early"
    return [json.loads(line) for line in lines], ending


def ask(request: dict[str, Any], *, skip: int) -> Iterator[dict[str, Any]]:
    """Yield the answers of the native tool, run in this process with its output captured."""
    graph, op_log = (base64.b64decode(request[name]) for name in ("graph", "op_log"))
    run_metas = [(step, base64.b64decode(data)) for step, data in request["run_metas"]]
    one_shot = [step for step, _ in run_metas] in ([], [0])  # as `profile()` does; otherwise as `Profiler` does
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        os.dup2(out.fileno(), 1)
        os.dup2(err.fileno(), 2)
        if not one_shot:
            native.NewProfiler(graph, b"")
            for step, data in run_metas:
                if data:  # an empty message would abort the process
                    native.AddStep(step, graph, data, b"")
            # The op log comes last, as in the one-shot: it may then name nodes that only run metadata has.
            native.AddStep(run_metas[0][0], graph, _NO_STEP_STATS, op_log)
        for view, options in request["queries"][skip:]:
            signal.alarm(SECONDS_PER_QUERY)
            for file in (out, err):
                os.ftruncate(file.fileno(), 0)
                os.lseek(file.fileno(), 0, os.SEEK_SET)
            command, packed = view.encode(), packed_options(view, options)
            status, proto = "ok", b""
            try:
                if one_shot:
                    data = run_metas[0][1] if run_metas else b""
                    proto = native.PrintModelAnalysis(graph, data, op_log, command, packed)
                else:
                    proto = native.Profile(command, packed)
            except Exception as error:  # noqa: BLE001 - the native code may raise anything
                status = f"raised {type(error).__name__}: {error}"
            _LIBC.fflush(None)
            yield {
                "status": status,
                "text": encoded(caught(out)),
                "proto": encoded(proto),
                "errors": caught(err).decode(errors="replace"),
                "files": {path.name: encoded(path.read_bytes()) for path in sorted(Path.cwd().iterdir())},
            }
            for path in Path.cwd().iterdir():
                path.unlink()


def packed_options(view: str, options: dict[str, Any]) -> bytes:
    """Return options as the native Python layer serializes them, with its defaults."""
    build = model_analyzer._build_advisor_options if view == "advise" else model_analyzer._build_options  # noqa: SLF001
    packed: bytes = build(ALL_ADVICE if view == "advise" else options).SerializeToString()
    return packed


def caught(file: Any) -> bytes:
    """Return all bytes that were written to a file through its descriptor."""
    size = os.fstat(file.fileno()).st_size
    return os.pread(file.fileno(), size, 0)


def encoded(data: bytes) -> str:
    """Return bytes as text for JSON."""
    return base64.b64encode(data).decode()


def main() -> None:
    """Answer requests until standard input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # keep what TensorFlow prints out of the answers
    for line in sys.stdin:
        answers.write(json.dumps(answer(json.loads(line))) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
