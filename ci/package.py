"""Build the wheel and the source archive, and use both as users with each Python and with the oldest packages do.

    make package

The archives are written to the folder that is given, which is emptied, and have to pass ``twine check --strict``; the
wheel is built from the source archive. Each Python of the machine from 3.11 on gets environments with the wheel,
outside the clone: one with the newest packages that suit it, one with the oldest that `pyproject.toml` allows and that
are there as wheels for it. The source archive is installed with the oldest Python. In each, the demo is made, and
``python -m tfprof_report`` run. The exit code is 1 if a command fails, or if a file of a report does not have the same
bytes everywhere.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from pythons import ROOT, find_pythons

from tfprof_report import __version__

TOOLS = Path(sys.executable).parent
USUAL = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}


def main() -> int:
    """Build, check and use both archives; print what differs between reports."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="folder for both archives")
    wheel, source = build(parser.parse_args().folder.resolve())
    with TemporaryDirectory(prefix="tfprof-report-package-") as scratch:
        reports = {
            name: _demo(environment) for name, environment in _environments(wheel, source, Path(scratch).resolve())
        }
    unequal = differences(reports)
    files = len(next(iter(reports.values())))
    print("\n".join(unequal) or f"{files} files have the same bytes with {', '.join(reports)}")
    return int(bool(unequal))


def build(folder: Path) -> tuple[Path, Path]:
    """Build the wheel and the source archive into an empty `folder`, check both, and return them."""
    shutil.rmtree(folder, ignore_errors=True)
    _run(sys.executable, "-m", "build", "--quiet", "--outdir", folder, ROOT)
    (wheel,), (source,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    _run(TOOLS / "twine", "check", "--strict", wheel, source)
    return wheel, source


def _environments(wheel: Path, source: Path, scratch: Path) -> Iterator[tuple[str, Path]]:
    """Yield the names and folders of fresh environments below `scratch`, each once the one before it was used."""
    pythons = find_pythons()
    for version, python in pythons.items():
        name = "Python {}.{}".format(*version)
        for age in ("newest", "oldest"):
            yield f"{name} and its {age} packages", _install(wheel, python, scratch, oldest=age == "oldest")
        if version == min(pythons):
            yield f"{name} and the source archive", _install(source, python, scratch)


def _install(archive: Path, python: Path, scratch: Path, *, oldest: bool = False) -> Path:
    """Make an environment of `python` with an archive and what it needs; return its folder."""
    environment, constraints = scratch / "environment", scratch / "constraints.txt"
    _run(TOOLS / "uv", "venv", "--quiet", "--clear", "--python", python, environment)
    resolution = ("--resolution", "lowest-direct", "--only-binary", ":all:") if oldest else ()
    compiling = ("pip", "compile", "--quiet", "--python", environment, *resolution, "--output-file", constraints)
    constraints.unlink(missing_ok=True)  # uv would keep to what it says
    _run(TOOLS / "uv", *compiling, ROOT / "pyproject.toml")
    _run(TOOLS / "uv", "pip", "install", "--quiet", "--python", environment, "--constraint", constraints, archive)
    return environment


def _demo(environment: Path) -> dict[str, str]:
    """Make the demo in `environment` at a fixed time; return the digest of each of its files."""
    outside, report = environment.parent, environment / "demo"
    python = environment / "bin" / "python"
    where = _run(python, "-c", "import tfprof_report; print(tfprof_report.__file__)", folder=outside)
    if not Path(where.strip()).is_relative_to(environment):
        sys.exit(f"{where.strip()} is imported, which is outside {environment}")
    for command in ([python, "-m", "tfprof_report"], [environment / "bin" / "tfprof-report"]):
        if _run(*command, "--version", folder=outside) != f"tfprof-report {__version__}\n":
            sys.exit(f"{command[0]} does not say that this is version {__version__}")
    if not (environment / "share" / "man" / "man1" / "tfprof-report.1").is_file():
        sys.exit(f"there is no manual page in {environment}")
    _run("make", "--silent", "demo", f"BIN={environment / 'bin'}", f"DEMO={report}", folder=ROOT)
    files = sorted(path for path in report.rglob("*") if path.is_file())
    return {str(path.relative_to(report)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def differences(reports: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Return a line for each file whose digest in a report is not that in the first one."""
    (first, expected), *others = reports.items()
    return [
        f"{file}: differs between {first} and {name}"
        for name, digests in others
        for file in sorted(expected.keys() | digests.keys())
        if expected.get(file) != digests.get(file)
    ]


def _run(*command: str | Path, folder: Path | None = None) -> str:
    """Run a command without the variables of this Python, and return its output; end with its errors if it fails."""
    variables = {**USUAL, "SOURCE_DATE_EPOCH": "1700000000"}
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=folder, env=variables)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
