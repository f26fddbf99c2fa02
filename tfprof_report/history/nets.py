"""What moved over a stretch of commits in all: the net, its largest commits, and growth that no commit shows alone."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

from tfprof_report.history.in_order import ERA
from tfprof_report.history.steps import Moves, Step
from tfprof_report.record import record
from tfprof_report.schema.metrics import Number

_LARGEST = 3
"""Most steps that a net names."""
_SMALL = 3
"""A drift is at least this many times as large as the largest step in it."""


@record
class Net:
    """How far a figure moved from one report to the newest.

    start, end : the first and last row
    largest : the largest steps in between, in either direction, the largest first; `count` is the number of all
    is_drift : whether no single step shows it: it has `_SMALL` or more steps, none over a third of it
    """

    stem: str
    start: int
    end: int
    base: Number
    head: Number
    largest: tuple[Step, ...] = ()
    count: int = 0
    is_drift: bool = False

    @property
    def delta(self) -> Number:
        """By how much it moved."""
        return self.head - self.base


@record
class Stretch:
    """What moved since some commit: `words` name it, such as "since v1.2"."""

    words: str
    start: int
    nets: tuple[Net, ...]


def find_stretch(rows: pa.Table, words: str, start: int, moves: Mapping[str, Moves]) -> Stretch:
    """Return the nets of figures from a row to the last; `moves` are those of each figure.

    A figure that is unknown at an end, or counted in different ways at the two, has no net.
    """
    nets = (_net(rows, stem, start, those) for stem, those in moves.items())
    return Stretch(words=words, start=start, nets=tuple(net for net in nets if net is not None))


def _net(rows: pa.Table, stem: str, start: int, moves: Moves) -> Net | None:
    end = rows.num_rows - 1
    base, head = (moves.level_at(row) for row in (start, end))
    is_known = all(rows[stem][row].is_valid for row in (start, end))
    if base is None or head is None or not is_known or rows[ERA][start] != rows[ERA][end]:
        return None
    inside = [step for step in moves.steps if step.before >= start]
    largest = sorted(inside, key=lambda step: (-abs(step.delta), step.row))
    delta = head.value - base.value
    return Net(
        stem=stem,
        start=start,
        end=end,
        base=base.value,
        head=head.value,
        largest=tuple(largest[:_LARGEST]),
        count=len(inside),
        is_drift=len(inside) >= _SMALL and _SMALL * abs(largest[0].delta) <= abs(delta),
    )
