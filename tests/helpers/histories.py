"""A git repository whose commits change a tiny model in known ways, with the report of each commit in a store."""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

from command import CPU, call, write_model
from messages import graph, node, ran, run_meta, used

from tfprof_report.render import write

START = datetime(2024, 1, 1, 3, tzinfo=UTC)
"""The day of the first commit; there is one a day."""

STEPS = 5
"""Steps of run metadata of each report."""


@dataclass
class State:
    """A model: the widths of its dense layers, and what a step takes, in microseconds and bytes."""

    widths: dict[str, int] = field(default_factory=lambda: {"encoder": 16, "decoder": 8})
    micros: float = 10_000.0
    peak: int = 1 << 20


def write_state(folder: Path, state: State, noise: random.Random) -> Path:
    """Write the files of a model, with step times that vary by 1 %."""
    nodes, before, width = [node("x", "Placeholder", output_shapes=[[4, 32]])], "x", 32
    for name, units in state.widths.items():
        nodes += [
            node(f"{name}/kernel", "VariableV2", shape=[width, units]),
            node(f"{name}/MatMul", "MatMul", before, f"{name}/kernel", output_shapes=[[4, units]]),
        ]
        before, width = f"{name}/MatMul", units
    return write_model(folder, graph(*nodes), {step: _step(before, state, noise) for step in range(STEPS)})


def _step(name: str, state: State, noise: random.Random) -> Any:
    micros = round(state.micros * noise.gauss(1, 0.01))
    memory = [used("cpu", total=256, peak=128, in_use=state.peak)]
    return run_meta({CPU: [ran(name, micros=micros, memory=memory)]})


class Repository:
    """A repository at `top`/repository and a store at `top`/store."""

    def __init__(self, top: Path, seed: int = 1) -> None:
        self.top, self.state, self.commits = top, State(), list[str]()
        self.folder, self.store = top / "repository", top / "store"
        self.noise = random.Random(seed)
        self.folder.mkdir(parents=True)
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *arguments: str, day: int = 0) -> str:
        """Run git on a day and return what it prints."""
        date = f"{(START + timedelta(days=day)).timestamp():.0f} +0000"
        author = {
            f"GIT_{who}_{what}": "nobody@example.com" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
        }
        dates = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date, "GIT_CONFIG_GLOBAL": os.devnull}
        run = subprocess.run(
            ["git", "-C", self.folder, *arguments],
            env={**os.environ, **author, **dates},
            check=True,
            capture_output=True,
        )
        return run.stdout.decode().strip()

    def commit(self, *, report: Sequence[object] | None = (), gap: int = 1, **changes: Any) -> str:
        """Commit a change of the model, and save its report, written with these options; None saves none."""
        for name, value in changes.items():
            setattr(self.state, name, value)
        day = len(self.commits) * gap
        self.git("commit", "--quiet", "--allow-empty", "--message", f"day {day}", day=day)
        self.commits.append(self.git("rev-parse", "HEAD"))
        if report is not None:
            self.save(self.commits[-1], day, report)
        return self.commits[-1]

    def save(self, commit: str, day: int, options: Sequence[object] = (), model: str = "net") -> None:
        """Save the report of the model as it is now."""
        seconds = str(int((START + timedelta(days=day, hours=2)).timestamp()))
        folder = write_state(self.top / "model", self.state, self.noise)
        # No pages: what a report looks like has no part in a history.
        pages = [patch.object(write, name, lambda *_: "") for name in ("render_html", "render_markdown")]
        with patch.dict(os.environ, {"SOURCE_DATE_EPOCH": seconds}), pages[0], pages[1]:
            made = call("report", folder, "--out", self.top / "out", "--commit", commit, "--config", "none", *options)
            assert made.code in (0, 1), made
            saved = call("baseline", "save", self.store, self.top / "out", "--model", model)
            assert saved.code == 0, saved

    def tag(self, name: str, commit: str) -> None:
        """Tag a commit as a release."""
        self.git("tag", "--annotate", "--message", name, name, commit)


def sixty_commits(top: Path) -> tuple[Repository, Mapping[int, tuple[str, ...]]]:
    """Return a repository of 60 commits, and the figures that move at some of them, by number.

    Two commits have no report, one night is bad, and two commits are tagged.
    """
    repository = Repository(top)
    known = {
        7: ("float_ops", "params"),
        15: ("float_ops", "params"),
        22: ("wall_micros",),
        30: ("device_peak_bytes",),
        31: ("float_ops", "params"),
        41: ("float_ops", "params"),
        44: ("wall_micros",),
    }
    edits: dict[int, dict[str, Any]] = {
        7: {"widths": {"encoder": 24, "decoder": 8}},
        15: {"widths": {"encoder": 24, "middle": 24, "decoder": 8}},
        22: {"micros": 11_000.0},
        30: {"peak": 3 << 19},
        31: {"widths": {"encoder": 24, "middle": 24, "decoder": 12}},
        40: {"widths": {"encoder": 24, "decoder": 12}},
        44: {"micros": 9_900.0},
        50: {"micros": 20_000.0},  # a bad night
        51: {"micros": 9_900.0},
    }
    for number in range(60):
        repository.commit(report=None if number in (40, 55) else (), **edits.get(number, {}))
    repository.tag("v1.0", repository.commits[10])
    repository.tag("v1.1", repository.commits[35])
    return repository, known
