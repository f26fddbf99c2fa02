"""What gates say of one row of a finished report."""

from __future__ import annotations

from tfprof_report.clock import time_of
from tfprof_report.compare.explain import Explanation, explain
from tfprof_report.compare.result import Measured
from tfprof_report.report.model import Report


def explain_row(report: Report, name: str) -> tuple[Explanation, ...]:
    """Return what gates say of the node, scope or op type called `name`, as `compare.explain.explain` does.

    Raises
    ------
    OptionError
        The report has no such row.
    """
    head = Measured(
        side=report.side,
        nodes=report.nodes,
        steps=report.steps,
        step_numbers=report.step_numbers,
        devices=report.devices,
        views={},
        capable={},
    )
    time = time_of(report.timestamp)
    return explain(head, report.comparison, report.policy, name, today=time.date() if time else None)
