"""Text views do not need pandas: without it they print the same."""

from __future__ import annotations

import subprocess
import sys

from command import call
from repository import DATA

MODEL = DATA / "resnet" / "base"
VIEWS = ("scope", "graph", "op", "code")

PROGRAM = """
import sys
from contextlib import suppress

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "pandas":
            raise ModuleNotFoundError("No module named 'pandas'", name="pandas")

sys.meta_path.insert(0, Missing())

from tfprof_report.cli.main import main
from tfprof_report.profiler import profile

for view in sys.argv[2:]:
    with suppress(SystemExit):
        main([view, sys.argv[1]])
print(profile(sys.argv[1] + "/graph.pb.gz").total_parameters)
assert "pandas" not in sys.modules
"""


def test_views_print_the_same_where_pandas_is_missing() -> None:
    command = [sys.executable, "-c", PROGRAM, str(MODEL), *VIEWS]
    result = subprocess.run(command, capture_output=True, check=True, encoding="utf-8")
    texts = "".join(call(view, MODEL).out for view in VIEWS)
    assert result.stdout.startswith(texts)
