"""Whether both sides of a comparison are the same thing: what a reader has to know before any figure."""

from __future__ import annotations

from tfprof_report.diagnostics import Diagnostic, Severity
from tfprof_report.ingest.sources import Side


def same_sides(base: Side, head: Side) -> tuple[Diagnostic, ...]:
    """Return the warning that base is head, if it is: the same files, or the same commit."""
    if base.digest is not None and base.digest == head.digest:
        text = "base and head are the same files: this compares a model with itself"
    elif base.commit is not None and base.commit == head.commit:
        text = "base and head are the same commit: this compares it with itself"
    else:
        return ()
    return (Diagnostic(severity=Severity.WARNING, code="same_sides", text=text),)
