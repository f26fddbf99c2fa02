"""Notes and warnings about the numbers of a report, which every stage of the pipeline can add."""

from __future__ import annotations

from enum import StrEnum

import pyarrow as pa

from tfprof_report.arrays import Ints
from tfprof_report.record import record

EXAMPLES = 5
"""Most names that a diagnostic lists."""


DROPPED = "dropped_events"
"""Code of the warning that a profiler lost events, so that all figures of what ran are too low."""

FIRST_STEP = "first_step"
"""Code of the note on steps that are left out since they traced, compiled or tuned functions."""


class Severity(StrEnum):
    """How serious a diagnostic is."""

    NOTE = "note"
    WARNING = "warning"


@record
class Diagnostic:
    """A note or warning about the numbers.

    `code` is a stable identifier for programs, `text` a sentence, `count` the number of rows concerned, `examples` a
    few of their names.
    """

    severity: Severity
    code: str
    text: str
    count: int = 0
    examples: tuple[str, ...] = ()

    @classmethod
    def about(cls, rows: Ints, names: pa.Array, severity: Severity, code: str, text: str) -> Diagnostic:
        """Return a diagnostic that counts `rows` and lists the first few of their `names`."""
        examples = tuple(names.take(pa.array(rows[:EXAMPLES])).to_pylist())
        return cls(severity=severity, code=code, text=text, count=len(rows), examples=examples)
