"""What the lines read: folders below bench/, each made once by a script and kept for the next run."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

CI = Path(__file__).resolve().parent.parent
BENCH = CI.parent / "bench"
MODELS = ("efficientnet", "transformer", "lstm")


class InputMissingError(Exception):
    """An input is not there and cannot be made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """An input by the name of its folder, and the script with its arguments that fills one.

    Calls are ``SCRIPT FOLDER ARGUMENTS``. `graph` is the one file to read in place of the folder, if any.
    """

    name: str
    script: str
    arguments: tuple[str, ...] = ()
    needs_tensorflow: bool = False
    graph: str = ""

    @property
    def path(self) -> Path:
        """Return the folder or file that commands are given."""
        return BENCH / self.name / self.graph

    @property
    def size(self) -> int:
        """Return the bytes of the files that are read."""
        path = self.path
        return path.stat().st_size if path.is_file() else sum(each.stat().st_size for each in path.iterdir())


def label(count: int) -> str:
    """Return a number as `build_bench_inputs.py` takes it: 10_000 is ``10k``."""
    for letter, factor in (("m", 1_000_000), ("k", 1_000)):
        if count and count % factor == 0:
            return f"{count // factor}{letter}"
    return str(count)


def synthetic(count: int, *, changed: bool = False) -> Input:
    """Return a model of so many nodes; `changed` is what a diff compares it with."""
    name = label(count)
    arguments = (name, "--changed") if changed else (name,)
    return Input(name=f"{name}-changed" if changed else name, script="build_bench_inputs.py", arguments=arguments)


def growth(kind: str, size: int, *, graph: str = "") -> Input:
    """Return an input that grows in one respect, as `growth_inputs.py` makes it."""
    return Input(
        name=f"growth-{kind}-{label(size)}", script="growth_inputs.py", arguments=(kind, str(size)), graph=graph
    )


def real(model: str, *, graph: str = "") -> Input:
    """Return the training step of a Keras model: graph and run metadata, or the one file `graph`."""
    return Input(name=model, script="build_bench_models.py", arguments=(model,), needs_tensorflow=True, graph=graph)


def make(wanted: Input, tf_python: str | None) -> None:
    """Make an input unless it is there; an interrupted script leaves nothing that looks like one.

    Raises
    ------
    InputMissingError
        It needs TensorFlow, and there is no interpreter that has it.
    """
    folder = BENCH / wanted.name
    if folder.exists():
        return
    if wanted.needs_tensorflow and tf_python is None:
        raise InputMissingError(f"{wanted.name} is made with TensorFlow: set BENCH_TF_PYTHON")
    python = tf_python if wanted.needs_tensorflow and tf_python else sys.executable
    part = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    print(f"bench: makes {folder}", file=sys.stderr, flush=True)
    done = subprocess.run(
        [python, CI / wanted.script, part, *wanted.arguments], check=False, capture_output=True, text=True
    )
    if done.returncode:
        raise InputMissingError(f"{wanted.script} failed: {''.join(done.stderr.strip().splitlines()[-1:])}")
    part.rename(folder)
