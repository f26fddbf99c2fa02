"""Freed memory goes back to the system between the stages of a large report."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import numpy as np
from tfprof_report.cli.memory import keep_freed_memory
from tfprof_report.heap import give_back_freed
keep_freed_memory()

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

tables = [np.ones(2**20) for _ in range(40)]
kept = tables[::2]
del tables
before = resident()
give_back_freed(NODES)
print(before - resident() > 100 * 2**20)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only glibc keeps freed memory between what is in use")
@pytest.mark.parametrize(("nodes", "is_given_back"), [(1_000_000, True), (1000, False)])
def test_only_a_large_report_gives_freed_memory_back(nodes: int, *, is_given_back: bool) -> None:
    program = PROGRAM.replace("NODES", str(nodes))
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == str(is_given_back)
