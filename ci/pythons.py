"""Find a Python of each version from 3.11 on.

    python ci/pythons.py

Printed is the path of the oldest.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OLDEST = (3, 11)
_VERSION = "import sys; print(*sys.version_info[:2])"


def find_pythons() -> dict[tuple[int, int], Path]:
    """Return an interpreter of each version from 3.11 on, the oldest first: on the path, then of pyenv."""
    found: dict[tuple[int, int], Path] = {}
    for python in (Path(sys.executable), *_candidates()):
        version = _version_of(python)
        if version and version >= OLDEST:
            found.setdefault(version, python)
    return dict(sorted(found.items()))


def _candidates() -> Iterator[Path]:
    folders = [Path(folder) for folder in os.environ.get("PATH", "").split(os.pathsep) if folder]
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    for folder in (*folders, *sorted(pyenv.glob("versions/*/bin"))):
        yield from (path for path in sorted(folder.glob("python3.*")) if re.fullmatch(r"python3\.\d+", path.name))


def _version_of(python: Path) -> tuple[int, int] | None:
    """Return the version of an interpreter, None if it does not run, as commands of pyenv for unused versions."""
    try:
        answer = subprocess.run([python, "-c", _VERSION], capture_output=True, check=True, text=True, timeout=60)
    except (OSError, subprocess.SubprocessError):
        return None
    major, minor = map(int, answer.stdout.split())
    return major, minor


if __name__ == "__main__":
    found = find_pythons()
    print(found[min(found)])
