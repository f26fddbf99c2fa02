"""Figures as a table for people and as JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from benchmark.goals import Figure

WIDTHS = (26, 44, 8, 8, 16, 10, 12)
HEADINGS = ("line", "what", "ours", "native", "figure", "goal", "")
_NUMBERS_FROM = 2
_SMALL = 0.095
"""Below it, a number has three decimals."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The figures of a line, or why it has none."""

    name: str
    what: str
    figures: tuple[Figure, ...] = ()
    problem: str = ""


def header() -> str:
    """Return the first row of the table."""
    return _row(*HEADINGS)


def rows(result: Result) -> list[str]:
    """Return the rows of a line: one for each figure, or one that says why there is none."""
    if result.problem:
        return [f"{_row(result.name, result.what).rstrip()}  not measured: {result.problem}"]
    return [
        _row(
            result.name,
            result.what,
            _number(figure.ours),
            _number(figure.native),
            f"{_number(figure.value)} {figure.unit}",
            f"{'>=' if figure.at_least else '<='} {figure.goal:g}",
            verdict(figure),
        )
        for figure in result.figures
    ]


def verdict(figure: Figure) -> str:
    """Return ``met``, ``missed``, or ``not measured``."""
    return {True: "met", False: "missed", None: "not measured"}[figure.met]


def to_json(results: Sequence[Result]) -> str:
    """Return all results as a JSON list, each figure with its verdict."""
    found = [
        {
            "line": result.name,
            "what": result.what,
            "problem": result.problem or None,
            "figures": [{**asdict(figure), "verdict": verdict(figure)} for figure in result.figures],
        }
        for result in results
    ]
    return json.dumps(found, indent=2) + "\n"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}" if abs(value) >= _SMALL else f"{value:.3f}"


def _row(*cells: str) -> str:
    padded = [
        f"{cell:>{width}}" if at >= _NUMBERS_FROM else f"{cell:<{width}}"
        for at, (cell, width) in enumerate(zip(cells, WIDTHS, strict=False))
    ]
    return " ".join(padded).rstrip()
