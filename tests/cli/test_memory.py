"""Large reports keep freed memory for the next table, unless the user has set how memory is allocated."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

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
