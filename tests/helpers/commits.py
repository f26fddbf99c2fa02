"""Makes repositories with commits at fixed times."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path


def git(folder: Path, *arguments: str, **environment: str) -> str:
    """Run git in a folder, without the settings of this machine, and return what it prints."""
    alone = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    people = {f"GIT_{who}_{what}": "a@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments],
        env={**os.environ, **alone, **people, **environment},
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


def write_commits(folder: Path, states: Sequence[Mapping[str, str]]) -> list[str]:
    """Make a repository with a commit for each state of its files, a day apart, and return the commits."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "--quiet")
    commits = []
    for day, files in enumerate(states, 1):
        for name, text in files.items():
            (folder / name).write_text(text)
        git(folder, "add", "--all")
        when = f"2024-05-{day:02}T08:30:00Z"
        message = f"make step {day}"
        git(folder, "commit", "--quiet", "--allow-empty", "-m", message, GIT_COMMITTER_DATE=when, GIT_AUTHOR_DATE=when)
        commits.append(git(folder, "rev-parse", "HEAD"))
    return commits
