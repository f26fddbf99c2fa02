"""A diagnostic about rows has their number and a few of their names."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tfprof_report.diagnostics import EXAMPLES, Diagnostic, Severity


def test_rows_are_counted_and_a_few_are_named() -> None:
    names = pa.array([f"n{row}" for row in range(9)])
    found = Diagnostic.about(np.arange(1, 9), names, Severity.NOTE, "word", "a sentence")
    assert (found.severity, found.code, found.text) == (Severity.NOTE, "word", "a sentence")
    assert (found.count, found.examples) == (8, ("n1", "n2", "n3", "n4", "n5"))
    assert len(found.examples) == EXAMPLES
