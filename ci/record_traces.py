"""Record the traces of ``tests/data/xplane`` on a CPU, with TensorFlow and with JAX.

    python ci/record_traces.py tests/data/xplane [CASE ...]

Records the chosen cases, by default all that this Python has the library for: run it once in an environment with
TensorFlow, once in one with JAX. Times and the order of threads differ from run to run, the events do not, apart from
those of waiting and stealing work. What each case runs is in the docstrings of ``ci/traces``. Traces hold the paths of
programs: run a copy of ``ci`` in a neutral place.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

MODULES = {
    "tensorflow": {
        "tf_cases": [
            "train",
            "train_level_1",
            "train_level_2",
            "train_later",
            "train_memory",
            "keras_fit",
            "keras_fit_xla",
            "keras_predict",
            "loops",
            "xla",
            "threads",
        ],
        "tf1_cases": ["session"],
        "tf_hosts": ["two_hosts"],
        "made_cases": ["made_gpu"],
    },
    "jax": {"jax_cases": ["jax_train", "jax_scan"]},
}
# The allocator that TensorFlow uses on a CPU records nothing; the one of GPUs does.
RECORDS_ALLOCATIONS = {"train_memory", "keras_predict"}
THREADS = "4"


def cases() -> dict[str, str]:
    """Return the module of each case that this Python has the library for."""
    found = {}
    for library, modules in MODULES.items():
        if importlib.util.find_spec(library):
            found.update({case: module for module, names in modules.items() for case in names})
    return found


def environment(case: str) -> dict[str, str]:
    """Return the environment that a case is recorded in."""
    ours = {"CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "2", "PYTHONHASHSEED": "0"}
    ours |= {"TF_NUM_INTEROP_THREADS": THREADS, "TF_NUM_INTRAOP_THREADS": "2"}
    if case in RECORDS_ALLOCATIONS:
        ours["TF_CPU_ALLOCATOR_USE_BFC"] = "true"
    return os.environ | ours


def main(folder: Path, names: list[str]) -> None:
    """Record the chosen cases, each in a process of its own: names are numbered anew, and nothing is compiled yet."""
    modules = cases()
    for case in names or modules:
        call = (
            f"from pathlib import Path; from traces import {modules[case]} as m; m.{case}(Path({str(folder / case)!r}))"
        )
        subprocess.run([sys.executable, "-c", call], check=True, cwd=Path(__file__).parent, env=environment(case))
        print(case, sum(path.stat().st_size for path in (folder / case).rglob("*.gz")), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute(), sys.argv[2:])
