"""Whether both sides of a comparison are the same thing: what a reader has to know before any figure."""

from __future__ import annotations

from tfprof_report.diagnostics import Diagnostic, Severity
from tfprof_report.ingest.sources import Side

CODE = "same_sides"
"""The code of the warning that base is head."""


def same_sides(base: Side, head: Side) -> Diagnostic | None:
    """Return the warning that base is head: the same files, or the same commit; None if they differ."""
    if base.digest is not None and base.digest == head.digest:
        text = "base and head are the same files: this compares a model with itself"
    elif base.commit is not None and base.commit == head.commit:
        text = "base and head are the same commit: this compares it with itself"
    else:
        return None
    return Diagnostic(severity=Severity.WARNING, code=CODE, text=text)
