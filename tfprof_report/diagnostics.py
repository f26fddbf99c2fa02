"""What a reader of the numbers should know: every stage of the pipeline can add some."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


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
