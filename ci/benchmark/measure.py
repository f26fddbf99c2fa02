"""Commands run one after the other, and what they took: CPU seconds, wall-clock seconds, memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from statistics import median

CALL = "bench-call-cpu"
"""The key under which a program says, as its last line, how much CPU one call of its own took."""


class CommandFailedError(Exception):
    """A measured command did not end with exit code 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """What a process took, with the processes it waited for.

    `cpu`: seconds of user and system time. `wall`: seconds from start to end. `peak`: bytes resident at most. `call`:
    CPU seconds of the one call that is measured, without the start; equal to `cpu` if the process did not say.
    """

    cpu: float
    wall: float
    peak: float
    call: float


def run(command: Sequence[str]) -> Sample:
    """Run a command to its end and return what it took.

    A forked child starts with the memory of this process, which counts towards its peak: import nothing large here.

    Raises
    ------
    CommandFailedError
        It ended with another code than 0; the message has the end of its standard error.
    """
    started = time.perf_counter()
    with tempfile.TemporaryFile("w+", errors="replace") as errors:
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True) as process:
            try:
                output = process.stdout.read() if process.stdout else ""
                _, status, usage = os.wait4(process.pid, 0)
            except BaseException:
                process.kill()  # it would go on without us
                raise
            wall = time.perf_counter() - started
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            errors.seek(0)
            last = errors.read().strip().splitlines()[-1:]
            raise CommandFailedError(f"{' '.join(command[:4])} ... ended with {process.returncode}: {''.join(last)}")
    cpu = usage.ru_utime + usage.ru_stime
    kilo = 1 if sys.platform == "darwin" else 1024
    return Sample(cpu=cpu, wall=wall, peak=usage.ru_maxrss * kilo, call=_call_cpu(output, cpu))


def interleave(commands: Mapping[str, Sequence[str]], times: int) -> dict[str, Sample]:
    """Run each of the named commands `times` times, in turn (a b a b), and return the medians under their names.

    In turn, so that whatever else the machine does, it slows all of them down.

    Raises
    ------
    CommandFailedError
        One of them ended with another code than 0.
    """
    samples: dict[str, list[Sample]] = {name: [] for name in commands}
    for _ in range(times):
        for name, command in commands.items():
            samples[name].append(run(command))
    return {name: medians(found) for name, found in samples.items()}


def medians(samples: Sequence[Sample]) -> Sample:
    """Return the median of each figure by itself."""
    return Sample(**{each.name: median(getattr(one, each.name) for one in samples) for each in fields(Sample)})


def _call_cpu(output: str, cpu: float) -> float:
    last = output.strip().rpartition("\n")[2]
    return float(json.loads(last)[CALL]) if last.startswith(f'{{"{CALL}"') else cpu
