"""Measure a whole report and one scope view of the native profiler, on the same synthetic inputs.

    make bench BENCH_SIZES="10k 1m" BENCH_TF_PYTHON=path/to/python    (a Python with TensorFlow; optional)

Our figure is the whole process: reading, all views, Parquet, HTML and Markdown. The native figure is the one call that
prints the scope view to a file, without the import of TensorFlow. Inputs stay in bench/ for the next run.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

CI = Path(__file__).resolve().parent
BENCH = CI.parent / "bench"
INPUTS = ("graph.pb", "run_meta_1", "tfprof_log")
MEBIBYTE = 2**20

NATIVE = """
import sys, time
import tensorflow
from tensorflow.core.profiler import tfprof_options_pb2
from tensorflow.python.util import _pywrap_tfprof
*paths, out = sys.argv[1:]
started = time.perf_counter()
inputs = [open(path, "rb").read() for path in paths]
options = tfprof_options_pb2.OptionsProto(
    max_depth=100, step=-1, order_by="name", account_type_regexes=[".*"], start_name_regexes=[".*"],
    show_name_regexes=[".*"], select=["bytes", "micros", "params", "float_ops", "occurrence"],
    output="file:outfile=" + out)
_pywrap_tfprof.PrintModelAnalysis(*inputs, b"scope", options.SerializeToString())
print(time.perf_counter() - started)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """A finished process: seconds from start to end, peak resident bytes, and standard output."""

    seconds: float
    peak_bytes: int
    output: str


def measure(command: list[str]) -> Measurement:
    """Run `command` and return its run time, peak memory and output.

    A forked child starts with the memory of this process, which counts towards the child's peak: import and build
    nothing large here.
    """
    started = time.perf_counter()
    with tempfile.TemporaryFile("w+") as errors:
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True) as process:
            output = process.stdout.read() if process.stdout else ""
            _, status, usage = os.wait4(process.pid, 0)
            seconds = time.perf_counter() - started
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            errors.seek(0)
            sys.exit(f"bench: {' '.join(command[:3])} ended with {process.returncode}\n{errors.read()}")
    kilo = 1 if sys.platform == "darwin" else 1024
    return Measurement(seconds=seconds, peak_bytes=usage.ru_maxrss * kilo, output=output)


def bench(size: str, tf_python: str | None) -> str:
    """Return the table line of one size, after building its inputs if they are missing."""
    folder = BENCH / size
    if not all((folder / name).exists() for name in INPUTS):
        subprocess.run([sys.executable, CI / "build_bench_inputs.py", folder, size], check=True)
    paths = [str(folder / name) for name in INPUTS]
    megabytes = sum(Path(path).stat().st_size for path in paths) / MEBIBYTE

    tool = str(Path(sys.executable).with_name("tfprof-report"))
    ours = measure([tool, "report", str(folder), "--out", str(BENCH / f"{size}-report")])
    line = f"{size:>6} {megabytes:>10.1f} {ours.seconds:>10.2f} {ours.peak_bytes / MEBIBYTE:>10.0f}"
    if tf_python is None:
        return line
    native = measure([tf_python, "-c", NATIVE, *paths, str(BENCH / f"{size}-native.txt")])
    view = float(native.output.split()[-1])
    return f"{line} {view:>12.2f} {native.peak_bytes / MEBIBYTE:>12.0f} {ours.seconds / view:>8.2f}"


def main() -> None:
    """Print the table, each line as soon as it is measured."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("sizes", nargs="+", help="numbers of nodes, such as 10k or 1m")
    parser.add_argument("--tf-python", help="a Python with TensorFlow, to measure the native profiler too")
    arguments = parser.parse_args()
    header = f"{'nodes':>6} {'input MiB':>10} {'report s':>10} {'peak MiB':>10}"
    if arguments.tf_python:
        header += f" {'native s':>12} {'native MiB':>12} {'ratio':>8}"
    print(header)
    for size in arguments.sizes:
        print(bench(size, arguments.tf_python), flush=True)


if __name__ == "__main__":
    main()
