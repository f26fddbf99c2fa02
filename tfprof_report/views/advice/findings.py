"""Checkers, their options and their findings as plain data; ``render`` turns them into text."""

from __future__ import annotations

from enum import StrEnum

from tfprof_report.record import record
from tfprof_report.schema.metrics import Number


class Checker(StrEnum):
    """The checkers, under tfprof's names and in the order in which they run and are shown."""

    EXPENSIVE = "ExpensiveOperationChecker"
    UTILIZATION = "AcceleratorUtilizationChecker"
    OPERATION = "OperationChecker"


IGNORED = ("JobChecker",)
"""Checkers that tfprof accepts but that do nothing."""


class Topic(StrEnum):
    """What a finding is about."""

    OPERATION_TYPE = "operation type"
    GRAPH_NODE = "graph node"
    LINE = "line of code"
    DEVICE = "device"
    BATCH_NORM = "batch normalisation"
    DATA_FORMAT = "data format"


@record
class Finding:
    """One finding of a checker.

    name : the op type, node, line of code or device; ``""`` for a hint about the whole model
    rank : position in its list, from 1
    level : indentation of a line of code
    cpu_micros, accelerator_micros, micros : time per step, None where it is unknown or does not apply
    percent : of the total time of the model
    share : the part of its time in which a device was busy, from 0 to 1
    is_low : whether `share` is below `CheckerOptions.low_utilization`
    step : the step of a device's time, None if it is over all steps
    """

    topic: Topic
    name: str = ""
    rank: int = 0
    level: int = 0
    cpu_micros: Number | None = None
    accelerator_micros: Number | None = None
    micros: Number | None = None
    percent: float | None = None
    share: float | None = None
    is_low: bool = False
    step: int | None = None


@record
class Advice:
    """The result of one checker: groups of findings, and notes on the groups that are missing and why."""

    checker: Checker
    reports: tuple[tuple[Finding, ...], ...]
    notes: tuple[str, ...] = ()


@record
class CheckerOptions:
    """Options of all checkers; tfprof always uses the defaults.

    top : most rows of each list of op types, nodes or lines
    min_line_micros : minimum time of a line of code to be listed
    low_utilization : busy share below which a device gets a hint
    """

    top: int = 3
    min_line_micros: int = 1000
    low_utilization: float = 0.5
