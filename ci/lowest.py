"""Print the oldest release of each package that pyproject.toml allows, as constraints for pip."""

from __future__ import annotations

import tomllib
from pathlib import Path

from packaging.requirements import Requirement

PROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"


def lowest(requirements: list[str]) -> list[str]:
    """Return requirements such as ``numpy>=2.0,<3`` with their lower bound as the only release: ``numpy==2.0``."""
    bounds = []
    for requirement in map(Requirement, requirements):
        (bound,) = (each.version for each in requirement.specifier if each.operator == ">=")
        bounds.append(f"{requirement.name}=={bound}")
    return bounds


if __name__ == "__main__":
    print("\n".join(lowest(tomllib.loads(PROJECT.read_text("utf-8"))["project"]["dependencies"])))
