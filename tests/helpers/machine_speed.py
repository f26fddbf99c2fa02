"""How fast this machine is just now, so that a limit on processor time means the same on a slow or busy one."""

from __future__ import annotations

from time import process_time

_ROUNDS, _REFERENCE = 10**6, 0.06
"""A loop, and the seconds that it takes on a machine of the usual speed."""


def slowness() -> float:
    """Return how many times slower than usual this machine is, at least 1; of three tries the fastest counts."""
    return max(1.0, min(_loop() for _ in range(3)) / _REFERENCE)


def _loop() -> float:
    start, total = process_time(), 0
    for number in range(_ROUNDS):
        total += number
    assert total
    return process_time() - start
