"""Large reports keep freed memory for the next table, unless the user has set how memory is allocated."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from repository import DATA

PROGRAM = """
from tfprof_report.cli.memory import keep_freed_memory
keep_freed_memory()
import pyarrow as pa
print(pa.default_memory_pool().backend_name)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only glibc has these settings")
@pytest.mark.parametrize(
    ("variables", "is_shared"),
    [({}, True), ({"ARROW_DEFAULT_MEMORY_POOL": "mimalloc"}, False), ({"MALLOC_ARENA_MAX": "2"}, False)],
    ids=["nothing set", "pool", "malloc"],
)
def test_arrow_shares_the_heap_of_numpy_unless_the_user_says_otherwise(
    variables: dict[str, str], *, is_shared: bool
) -> None:
    others = {name: value for name, value in os.environ.items() if not name.startswith(("MALLOC_", "ARROW_", "GLIBC_"))}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=others | variables, check=True, capture_output=True, text=True
    )
    assert (done.stdout.strip() == "system") is is_shared


COMMAND = """
import atexit, os, sys
atexit.register(
    lambda: print(sys.modules["pyarrow"].default_memory_pool().backend_name, os.environ["OPENBLAS_NUM_THREADS"])
)
from tfprof_report.cli.main import main
sys.argv = ["tfprof-report", "scope", sys.argv[1], "--max-depth", "1"]
main()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only glibc has these settings")
def test_a_command_shares_the_heap_and_starts_no_threads_of_blas_before_it_imports_arrow() -> None:
    names = ("MALLOC_", "ARROW_", "GLIBC_", "OPENBLAS_")
    others = {name: value for name, value in os.environ.items() if not name.startswith(names)}
    command = [sys.executable, "-c", COMMAND, str(DATA / "resnet" / "base")]
    done = subprocess.run(command, env=others, check=True, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "system 1"


OWN_PROCESS = """
import atexit, gc, sys
atexit.register(lambda: print(gc.get_threshold()[0], gc.get_freeze_count() > 0, file=sys.stderr))
from tfprof_report.cli.main import main
{call}
"""


@pytest.mark.parametrize(
    ("call", "answer"),
    [("sys.argv = ['tfprof-report', 'schema']; main()", "100000 True"), ("main(['schema'])", "700 False")],
    ids=["its own", "another's"],
)
def test_cycles_are_collected_seldom_in_a_process_of_its_own(call: str, answer: str) -> None:
    program = f"import gc; gc.set_threshold(700)\n{OWN_PROCESS.format(call=call)}"
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stderr.strip() == answer
