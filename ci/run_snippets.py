"""Run public snippets of profiler code with both imports, and compare what they print.

    PYTHON_WITH_TENSORFLOW_AND_THIS_PACKAGE ci/run_snippets.py

Also run the programs of `tfprof-report init --snippet` twice: the model must have the figures computed by hand from its
layers, and both runs must count the same. That of JAX is left out where JAX is not installed. And run docs/tutorial.md,
which has to print what its page shows.

The exit code is 1 if a snippet fails or prints something else with `tfprof_report.profiler`. Snippets do not print
times, which differ from run to run.
"""

from __future__ import annotations

import difflib
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tutorial import PAGE, run_page

SNIPPETS = Path(__file__).resolve().parent / "snippets"
RECIPES = SNIPPETS.with_name("recipes")
THEIRS = "from tensorflow.compat.v1 import profiler"
OURS = "from tfprof_report import profiler"
ENVIRONMENT = {
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "CUDA_VISIBLE_DEVICES": "",
    "TF_ENABLE_ONEDNN_OPTS": "0",
    "PYTHONUNBUFFERED": "1",  # keep the output of Python and of the native tool in order
}

TRACED_STEPS = 5
FIGURES = {
    # (parameters, multiply-adds) of a batch of 32; None where they are unknown. Momentum has a slot of the size of each
    # variable; the gradient of a matrix product is two products of the same size, also where the one for the images is
    # not needed.
    "tf1_session.py": (2 * (784 * 128 + 128 + 128 * 10 + 10), 3 * 32 * (784 * 128 + 128 * 10)),
    # Of the others no gradient for the images is computed. Keras has counters of its own: two of the loss, two of SGD.
    "tf_function.py": (784 * 128 + 128 + 128 * 10 + 10, 32 * (2 * 784 * 128 + 3 * 128 * 10)),
    "keras_model.py": (
        3 * 3 * 16 + 16 + 26 * 26 * 16 * 10 + 10 + 2 + 2,
        32 * (2 * 26 * 26 * 16 * 3 * 3 + 3 * 26 * 26 * 16 * 10),
    ),
    "jax_step.py": (None, 32 * (2 * 784 * 128 + 3 * 128 * 10)),
}
NEEDS = {"jax_step.py": "jax"}
"""Packages besides TensorFlow; without them a program is left out."""


def output_of(source: str) -> tuple[int, str, str]:
    """Return exit code, standard output and standard error of a program; drop lines that name its temporary folder."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, **ENVIRONMENT, "TMPDIR": folder}
        done = subprocess.run(
            [sys.executable, "-c", source], check=False, capture_output=True, text=True, env=environment
        )
        lines = [line for line in done.stdout.split("\n") if folder not in line]
    return done.returncode, "\n".join(lines), done.stderr


SAME_IN_EVERY_RUN = ("params", "float_ops", "macs")
"""Figures on which two runs must agree."""

SAME_IN_RUN_METADATA = ("run_float_ops", "run_count", "definition_count")
RUN_METADATA = ("tf1_session.py",)
"""More of them for programs that write run metadata: a trace lacks nodes that the runtime replaced, and has those of
data sets. Memory in use depends on the order of threads, and varies by a percent.
"""


def difference(path: Path) -> list[str]:
    """Return the lines that a snippet prints differently with our import, or why it fails."""
    source = path.read_text()
    if source.count(THEIRS) != 1:
        return [f"{path.name} does not import the profiler once, by: {THEIRS}"]
    first = f"{OURS}\n{source.replace(THEIRS, 'pass')}"  # our import before TensorFlow's
    runs = [output_of(each) for each in (source, source.replace(THEIRS, OURS), first)]
    for code, _, errors in runs:
        if code:
            return [f"exit code {code}", *errors.splitlines()[-5:]]
    native, *ours = (printed.split("\n") for _, printed, _ in runs)
    return [line for each in ours for line in difflib.unified_diff(native, each, "native", "ours", n=0, lineterm="")]


def wrong_profile(path: Path) -> list[str]:
    """Return what is wrong with the profile that a program writes: its figures, or that two runs differ."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = [sys.executable, str(path)]
        command = [sys.executable, "-m", "tfprof_report", "diff", "first", "second", "--out", "report"]
        more = SAME_IN_RUN_METADATA if path.name in RUN_METADATA else ()
        stems = [stem for stem in (*SAME_IN_EVERY_RUN, *more) if stem != "params" or FIGURES[path.name][0] is not None]
        gates = [word for stem in stems for word in ("--gate", f"{stem} == +0")]
        for each in ([*program, "first"], [*program, "second"], [*command, *gates]):
            done = subprocess.run(
                each, check=False, capture_output=True, text=True, cwd=folder, env={**os.environ, **ENVIRONMENT}
            )
            if done.returncode:
                return [f"exit code {done.returncode}", *(done.stdout + done.stderr).splitlines()[-5:]]
        summary = json.loads((folder / "report" / "summary.json").read_text())
    totals = {total["stem"]: total["value"] for total in summary["totals"]}
    found = (totals["params"], totals["macs"])
    pairs = zip(found, FIGURES[path.name], strict=True)
    is_right = all(figure == wanted for figure, wanted in pairs)
    problems = [] if is_right else [f"parameters and multiply-adds {found}, not {FIGURES[path.name]}"]
    if len(summary["steps"]) != TRACED_STEPS or not totals["micros"]:
        problems.append(f"steps {summary['steps']} with {totals['micros']} microseconds")
    return problems


def wrong_tutorial() -> list[str]:
    """Return what the tutorial prints that is not on its page."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    with tempfile.TemporaryDirectory() as folder:
        return run_page(PAGE.read_text(encoding="utf-8"), Path(folder), {**ENVIRONMENT, "PATH": path})


def main() -> int:
    """Run all snippets and print a line for each; return 1 if any differs."""
    paths = sorted(SNIPPETS.glob("*.py"))
    differences = {path.name: difference(path) for path in paths}
    for path in sorted((RECIPES / "snippets").glob("*.py")):
        if importlib.util.find_spec(NEEDS.get(path.name, "tensorflow")) is None:
            print(f"{path.name:<20}left out: {NEEDS[path.name]} is not installed")
            continue
        differences[path.name] = wrong_profile(path)
    differences[PAGE.name] = wrong_tutorial()
    for name, lines in differences.items():
        print(f"{name:<20}{'different' if lines else 'equal'}")
        for line in lines[:20]:
            print(f"    {line}")
    return int(any(differences.values()) or not paths)


if __name__ == "__main__":
    sys.exit(main())
