"""Values that are computed when they are first asked for: a view needs few of all that is known about nodes."""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import Generic, TypeVar

T_co = TypeVar("T_co", covariant=True)


class Later(Generic[T_co]):
    """A value that the first call computes; it is kept, and what it is computed from is given up.

    Of threads that call at the same time, the first computes it.
    """

    def __init__(self, compute: Callable[[], T_co]) -> None:
        self._compute: Callable[[], T_co] | None = compute
        self._lock = RLock()

    def __call__(self) -> T_co:
        """Return the value."""
        with self._lock:
            if self._compute is not None:
                self._value = self._compute()
                self._compute = None
            return self._value
