"""The words that complete values in a shell, where the type of the parameter does not have them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

Complete = Callable[[str], list[str]]
"""Returns what may stand for a value that has begun."""

_LISTS = frozenset({"select", "leave_out", "checkers"})
"""Parameters whose value is a list with commas, of which the last item is completed."""


def completion_of(name: str) -> Complete | None:
    """Return what completes the value of the parameter with this name; None if only typer knows, or nobody."""
    if name not in _LISTS | {"bisect", "metric", "op_class", "order_by", "account_displayed_op_only"}:
        return None

    def complete(incomplete: str) -> list[str]:
        before, comma, _ = incomplete.rpartition(",") if name in _LISTS else ("", "", "")
        words = (f"{before}{comma}{word}" for word in _words(name))
        return [word for word in words if word.startswith(incomplete)]

    return complete


def _words(name: str) -> Sequence[str]:
    """Return the words of a parameter; only a shell that asks for them needs what they are imported from."""
    from tfprof_report.compare.gates.grammar import UNITS
    from tfprof_report.model.flops.rule import OpClass
    from tfprof_report.model.parts.parts import Part
    from tfprof_report.options import ORDER_BY, SELECT
    from tfprof_report.views.advice.findings import Checker

    return {
        "account_displayed_op_only": ("true", "false"),
        "bisect": tuple(UNITS),
        "checkers": tuple(Checker),
        "leave_out": (*Part, "training", "all"),
        "metric": tuple(UNITS),
        "op_class": tuple(OpClass),
        "order_by": ORDER_BY,
        "select": SELECT,
    }[name]
