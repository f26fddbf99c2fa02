"""The oldest packages and all Pythons, with which CI runs."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from pythons import find_pythons
from repository import ROOT


def test_every_package_has_a_lower_bound_and_a_young_one_an_upper() -> None:
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    operators = {each.name: {bound.operator for bound in each.specifier} for each in map(Requirement, wanted)}
    assert {name for name, found in operators.items() if found != {">="}} == {"ptars"}
    assert operators["ptars"] == {">=", "<"}


def test_pythons_of_the_path_and_of_pyenv_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def install(folder: str, name: str, answer: str) -> Path:
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        python = tmp_path / folder / name
        python.write_text(f"#!/bin/sh\n{answer}\n", encoding="utf-8")
        python.chmod(0o755)
        return python

    install("shims", "python3.77", "exit 127")  # as pyenv does for a version that is not in use
    install("shims", "python3.77-config", "echo 3 77")
    install("shims", "python3.9", "echo 3 9")
    on_path = install("shims", "python3.78", "echo 3 78")
    install("pyenv/versions/3.78.1/bin", "python3.78", "echo 3 78")
    of_pyenv = install("pyenv/versions/3.77.0/bin", "python3.77", "echo 3 77")
    monkeypatch.setenv("PATH", f"{tmp_path / 'shims'}:/bin")
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    found = find_pythons()
    assert found[sys.version_info[:2]] == Path(sys.executable)
    assert (found[3, 77], found[3, 78]) == (of_pyenv, on_path)
    assert list(found) == sorted(found)
    assert min(found) >= (3, 11)
