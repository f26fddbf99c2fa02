"""What advise says, as plain data: checkers, their options, and what each found. Words are made in render."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from tfprof_report.schema.metrics import Number


class Checker(StrEnum):
    """The checkers, under tfprof's names and in the order in which they run and are shown."""

    EXPENSIVE = "ExpensiveOperationChecker"
    UTILIZATION = "AcceleratorUtilizationChecker"
    OPERATION = "OperationChecker"


IGNORED = ("JobChecker",)
"""Names that tfprof accepts and does nothing for."""


class Topic(StrEnum):
    """What a finding is about."""

    OPERATION_TYPE = "operation type"
    GRAPH_NODE = "graph node"
    LINE = "line of code"
    DEVICE = "device"
    BATCH_NORM = "batch normalisation"
    DATA_FORMAT = "data format"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that a checker found.

    name : the op type, node, line of code or device; ``""`` for a hint about the whole model
    rank : place among its likes, from 1
    level : indentation of a line of code
    cpu_micros, accelerator_micros, micros : time per step, None where there is none to tell
    percent : of the time of the model
    share : of a device's time that it was busy, from 0 to 1
    is_low : a device that was busy for less than the share that counts as enough
    step : the step of a device's time, None where it is all of them
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """What one checker says. `reports` are groups of findings; `notes` say which of them could not be made and why."""

    checker: Checker
    reports: tuple[tuple[Finding, ...], ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckerOptions:
    """Options of all checkers; tfprof has none and uses the defaults.

    top : rows of each list of expensive things
    min_line_micros : least time of a line of code that is listed
    low_utilization : share of a step below which an accelerator counts as idle
    """

    top: int = 3
    min_line_micros: int = 1000
    low_utilization: float = 0.5
