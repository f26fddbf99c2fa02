"""How much of a test the default run tries; `make test-thorough` tries the rest."""

from __future__ import annotations

import os
from collections.abc import Iterable

import pytest
from _pytest.mark import ParameterSet

THOROUGH = "TFPROF_REPORT_THOROUGH"
"""The environment variable that asks for all examples of properties, as `make test-thorough` does."""

_PART = 6


def examples(count: int) -> int:
    """Return `count` if all examples are asked for, else a sixth of it: the default run is for every change."""
    return count if os.environ.get(THOROUGH) else max(count // _PART, 5)


def every(step: int, cases: Iterable[str]) -> list[ParameterSet]:
    """Return all cases, marked thorough but for each `step`-th: those are for the default run."""
    marks = pytest.mark.thorough
    return [pytest.param(case, id=case, marks=() if at % step == 0 else marks) for at, case in enumerate(cases)]
