"""Run a case: each command in a fork of this process, with limits of time and memory."""

from __future__ import annotations

import math
import os
import resource
import shutil
import signal
import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import NoReturn

from machine_speed import slowness

from fuzz.cases import Command, Step, Tampering
from fuzz.tamper import tamper
from tfprof_report.cli.main import main

CPU_S = 20
"""Most processor time of a command in seconds, on a machine of the usual speed: other work does not count."""

WALL_S = 300
_ADDRESSES = 8 << 30
_DIED = 97
"""Exit code of a fork that ended in an exception, which no command does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """How a command ended.

    code : exit code, negative for a signal
    rss : largest resident memory in bytes
    made : paths below the folder of the case that the command made
    """

    command: Command
    code: int
    cpu_s: float
    rss: int
    stdout: bytes
    stderr: bytes
    made: frozenset[str]


def run_case(steps: Sequence[Step], folder: Path) -> Iterator[Result]:
    """Take the steps of a case in its folder; yield the result of each command while its files are there."""
    for step in steps:
        if isinstance(step, Tampering):
            if (folder / step.folder).is_dir():
                tamper(Random(step.seed), folder / step.folder)
        else:
            yield run_command(step, folder)


def run_command(command: Command, folder: Path, *, cpu_s: int | None = None) -> Result:
    """Run a command in `folder`; beside it, ``.in``, ``.out`` and ``.err`` are its standard streams.

    After `cpu_s` seconds of processor time a signal ends it, by default after `CPU_S` for the speed of this machine.
    """
    cpu_s = cpu_s or math.ceil(CPU_S * _slowness())
    streams = [folder.with_name(f"{folder.name}.{end}") for end in ("in", "out", "err")]
    streams[0].write_bytes(command.stdin)
    before = _paths(folder)
    pid = os.fork()
    if pid == 0:
        _be_the_command(command, folder, streams, cpu_s)
    _, status, used = os.wait4(pid, 0)
    return Result(
        command=command,
        code=os.waitstatus_to_exitcode(status),
        cpu_s=used.ru_utime + used.ru_stime,
        rss=used.ru_maxrss * 1024,
        stdout=streams[1].read_bytes(),
        stderr=streams[2].read_bytes(),
        made=_paths(folder) - before,
    )


def remove(folder: Path) -> None:
    """Remove the folder of a case and the streams beside it, whatever rights its files have."""
    for end in ("in", "out", "err"):
        folder.with_name(f"{folder.name}.{end}").unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)


_slowness = cache(slowness)


def _paths(folder: Path) -> frozenset[str]:
    return frozenset(str(path.relative_to(folder)) for path in folder.rglob("*"))


def _be_the_command(command: Command, folder: Path, streams: Sequence[Path], cpu_s: int) -> NoReturn:
    """Become the command: what it does and how it ends is that of this process."""
    code: int | str | None = _DIED
    try:
        _limit(cpu_s)
        os.chdir(folder)
        for number, path in enumerate(streams):
            opened = os.open(path, os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
            os.dup2(opened, number)
            os.close(opened)
        sys.stdin = os.fdopen(0, encoding="utf-8", errors="surrogateescape")
        sys.stdout = os.fdopen(1, "w", encoding="utf-8")
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace")
        warnings.resetwarnings()  # all are shown, and the judge takes each for a fault
        main(command.arguments)
    except SystemExit as stop:
        code = stop.code
    except BaseException:  # noqa: BLE001 - whatever it is, the judge reads it
        traceback.print_exc()
    finally:
        _flush()
        os._exit(code if isinstance(code, int) else _DIED)


def _limit(cpu_s: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_ADDRESSES, _ADDRESSES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + 5))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(WALL_S)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):  # closed by the command
            continue
