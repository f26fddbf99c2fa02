"""Make the demo with each Python of this machine from 3.11 on, and with the oldest packages: all reports are one.

    make demo-pythons

Each Python gets a virtual environment in .venv-pythons/, with the newest packages that suit it. The exit code is 1 if a
demo fails, or if a file of a report does not have the same bytes everywhere.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".venv-pythons"
LOWEST = ROOT / ".venv-lowest"
OLDEST = (3, 11)
_VERSION = "import sys; print(*sys.version_info[:2])"


def main() -> int:
    """Print the oldest Python, or make and compare all demos."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--oldest", action="store_true", help="print the path of the oldest Python, and do nothing")
    found = find_pythons()
    if parser.parse_args().oldest:
        print(found[min(found)])
        return 0
    environments = {}
    for (major, minor), python in found.items():
        environments[f"Python {major}.{minor}"] = _new_environment(FOLDER / f"{major}.{minor}", python)
    environments["oldest packages"] = LOWEST
    reports = {name: _demo(environment) for name, environment in environments.items()}
    (first, expected), *others = reports.items()
    unequal = [
        f"{file}: differs between {first} and {name}"
        for name, digests in others
        for file in sorted(expected.keys() | digests.keys())
        if expected.get(file) != digests.get(file)
    ]
    print("\n".join(unequal) or f"{len(expected)} files have the same bytes with {', '.join(reports)}")
    return int(bool(unequal))


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


def _new_environment(environment: Path, python: Path) -> Path:
    """Make a virtual environment of `python` with the package and what it needs; return its folder."""
    subprocess.run([python, "-m", "venv", "--clear", environment], check=True)
    subprocess.run([environment / "bin/python", "-m", "pip", "install", "--quiet", ROOT], check=True)
    return environment


def _demo(environment: Path) -> dict[str, str]:
    """Make the demo in `environment` at a fixed time; return the digest of each of its files."""
    report = environment / "demo"
    shutil.rmtree(report, ignore_errors=True)
    variables = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
    command = ["make", "--silent", "demo", f"BIN={environment / 'bin'}", f"DEMO={report}"]
    subprocess.run(command, check=True, cwd=ROOT, env=variables, stdout=subprocess.DEVNULL)
    files = sorted(path for path in report.rglob("*") if path.is_file())
    return {str(path.relative_to(report)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


if __name__ == "__main__":
    sys.exit(main())
