"""What a reader of the numbers should know: every stage of the pipeline can add some."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import pyarrow as pa

from tfprof_report.arrays import Ints

EXAMPLES = 5
"""Names that a diagnostic shows."""


class Severity(StrEnum):
    """How much a diagnostic matters."""

    NOTE = "note"
    WARNING = "warning"


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """Something that a reader of the numbers should know.

    `code` is a stable word for machines, `text` a sentence, `count` the rows concerned, `examples` a few names.
    """

    severity: Severity
    code: str
    text: str
    count: int = 0
    examples: tuple[str, ...] = ()

    @classmethod
    def about(cls, rows: Ints, names: pa.Array, severity: Severity, code: str, text: str) -> Diagnostic:
        """Return a diagnostic that counts `rows` and shows the first few of their `names`."""
        examples = tuple(names.take(pa.array(rows[:EXAMPLES])).to_pylist())
        return cls(severity=severity, code=code, text=text, count=len(rows), examples=examples)
