"""Names many layers in few words: a stage instead of its units, the first and the last of a row of numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice

_BOUNDARY = re.compile(r"(?<=[0-9])(?![0-9])|(?=/)")
_LAST_NUMBER = re.compile(r"^(.*?)([0-9]{1,18})$", re.DOTALL)

_MOST_BEGINNINGS = 16
"""Most beginnings of a name besides itself: those of a long name take many times its memory."""

_MOSTLY = 0.5
"""Share of the layers in a scope or with a number above which its name stands for them."""

_ALL = 0.8
"""Share of all layers from which on they are only counted."""

_MOST = 10_000
"""Most layers that are looked through; of more, the beginnings of the first ones stand for all."""

_NAMED = 3
"""Most names in a list."""


class FoldedNames:
    """Names for layers of one side."""

    def __init__(self, layers: Iterable[str | None]) -> None:
        self._names = [name for name in layers if name is not None]

    @cached_property
    def _within(self) -> Counter[str]:
        """How many layers have each beginning."""
        return Counter(each for name in self._names[:_MOST] for each in beginnings(name))

    def fold(self, layers: Collection[str | None]) -> str:
        """Return words for some of the layers: at most `_NAMED` names, or how many there are if that is nearly all."""
        names = [name for name in layers if name is not None]
        if len(names) > 1 and len(names) >= _ALL * len(self._names):
            return f"{len(names):,} of {len(self._names):,} layers"
        rows = list(_rows(self.stand_ins(names[:_MOST])))
        shown = [_row(row) for row in rows[:_NAMED]]
        more = sum(map(len, rows[_NAMED:]))
        return _listed([*shown, *([f"{more:,} more"] if more else [])])

    def stand_ins(self, names: Sequence[str]) -> list[str]:
        """Return the shortest beginnings of names that stand for most of the layers with it, each once."""
        own = Counter(each for name in names for each in beginnings(name))
        return list(dict.fromkeys(self._shortest(name, own) for name in names))

    def _shortest(self, name: str, own: Counter[str]) -> str:
        return next((each for each in beginnings(name) if own[each] > _MOSTLY * self._within[each]), name)


def beginnings(name: str) -> Iterator[str]:
    """Yield the first beginnings of a name that end with a number or a scope, and the whole name last."""
    ends = (found.start() for found in _BOUNDARY.finditer(name))
    yield from (name[:end] for end in islice((end for end in ends if 0 < end < len(name)), _MOST_BEGINNINGS))
    yield name


def _rows(names: Iterable[str]) -> Iterator[list[str]]:
    """Yield names that only count on as one list, any other as a list of its own."""
    row: list[str] = []
    for name in names:
        if row and not _counts_on(row[-1], name):
            yield row
            row = []
        row.append(name)
    if row:
        yield row


def _counts_on(before: str, name: str) -> bool:
    old, new = _LAST_NUMBER.match(before), _LAST_NUMBER.match(name)
    return bool(old and new and old[1] == new[1] and int(new[2]) == int(old[2]) + 1)


def _row(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}"


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else "nothing"
