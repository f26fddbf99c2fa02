"""How many examples properties are tried with."""

from __future__ import annotations

import os

THOROUGH = "TFPROF_REPORT_THOROUGH"
"""The environment variable that asks for all examples, as `make test-lowest` does."""

_PART = 6


def are_all_asked_for() -> bool:
    """Return whether tests are to try all examples, whatever time they take."""
    return bool(os.environ.get(THOROUGH))


def examples(count: int) -> int:
    """Return `count` if all examples are asked for, else a sixth of it: the default run is for every change."""
    return count if are_all_asked_for() else max(count // _PART, 5)
