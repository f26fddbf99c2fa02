"""Finds the commit that changed a figure: reports of a few commits, each time between two whose figures differ."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from tfprof_report.record import record
from tfprof_report.schema.metrics import Number

Figures = dict[int, Number | None]
"""The figure of each position that was asked for; None where its report failed, or does not know it wholly."""


@record
class Change:
    """Where a figure changed: after position `last`, and at the latest at `first`; both figures.

    Between the two are only positions without a figure.
    """

    last: int
    first: int
    before: Number
    after: Number


def find_change(count: int, ask: Callable[[Sequence[int]], Figures], at_once: int) -> Change | None:
    """Return where the figure of positions 0, 1 ... `count` - 1 changed; None if both ends have the same.

    `ask` returns the figures of some positions, at most `at_once` of them at a time after the ends. If it changed more
    than once, one of the changes is found.

    Raises
    ------
    UnknownEndError
        An end has no figure.
    """
    known = ask(sorted({0, count - 1}))
    low, high = 0, count - 1
    before, after = known[low], known[high]
    if before is None or after is None:
        raise UnknownEndError(low if before is None else high)
    if before == after:
        return None
    while open_ones := [at for at in range(low + 1, high) if at not in known]:
        known |= ask(_spread(open_ones, at_once))
        inside = [at for at in range(low, high + 1) if known.get(at) is not None]
        low, high = next(pair for pair in pairwise(inside) if known[pair[0]] != known[pair[1]])
        before, after = known[low], known[high]
    return Change(last=low, first=high, before=_known(before), after=_known(after))


class UnknownEndError(Exception):
    """The figure of an end is not known; `position` is that end."""

    def __init__(self, position: int) -> None:
        super().__init__(position)
        self.position = position


def _known(figure: Number | None) -> Number:
    if figure is None:
        raise ValueError("there is a figure on both sides of a change")
    return figure


def _spread(places: Sequence[int], count: int) -> list[int]:
    """Return at most `count` places that divide all of them into equal parts."""
    parts = min(count, len(places)) + 1
    return sorted({places[len(places) * part // parts] for part in range(1, parts)})
