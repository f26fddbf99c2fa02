"""What the user asks about single rows: which gates judged them, in one report or in several."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from tfprof_report.clock import moment_of
from tfprof_report.compare.gates.explain import Explanation, explain
from tfprof_report.compare.gates.policy import Gate
from tfprof_report.errors import OptionError
from tfprof_report.report.report import Report


class Explained:
    """Explanations of the rows called `names`; at least one of the models has to have each name."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = tuple(dict.fromkeys(names))
        self._lines: dict[str, list[str]] = {name: [] for name in self._names}
        self._unknown: dict[str, OptionError] = {}

    def add(self, report: Report, of: str | None = None) -> None:
        """Explain the rows of one report; `of` is the name of its model, if there are several."""
        today = moment_of(report.timestamp).date()
        for name in self._names:
            try:
                found = explain(
                    report.head, report.comparison, report.policy, name, today=today, references=report.references
                )
            except OptionError as error:
                self._unknown.setdefault(name, error)
            else:
                self._lines[name] += _in_words(found, f"{of}: " if of else "")

    def check(self) -> None:
        """Raise OptionError if no model has a row of one of the names: before anything is written."""
        for name, lines in self._lines.items():
            if not lines and name in self._unknown:
                raise self._unknown[name]

    @property
    def lines(self) -> tuple[str, ...]:
        """Return them in words, in the order of the names."""
        return tuple(line for lines in self._lines.values() for line in lines)


def _in_words(found: Iterable[Explanation], lead: str) -> Iterator[str]:
    """Yield a line for each row, and below it one for each metric."""
    for (subject, name), metrics in groupby(found, lambda each: (each.subject, each.name)):
        yield f"{lead}{subject} {name}"
        for each in metrics:
            what = f"{_gate(each.gate)} {each.row.status}" if each.gate else f"{each.metric}, no gate"
            yield f"  {what}: {each.row.text}"
            if each.earlier:
                yield f"    instead of {', '.join(map(_gate, each.earlier))}"


def _gate(gate: Gate) -> str:
    return f"{gate.text} ({gate.source})"
