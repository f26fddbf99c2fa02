"""The reports that drift gates are relative to, as plain data; `report.find_references` finds them."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from tfprof_report.compare.comparison import Comparison
from tfprof_report.compare.gates.policy import Gate
from tfprof_report.record import record


@record
class PastTotal:
    """A total of a report, exact. `value` is None where nothing is known, and a lower bound if `unknown` nodes lack it.

    low, high : the least and the most over steps; None where that is not known
    """

    value: Fraction | None = None
    unknown: int = 0
    low: Fraction | None = None
    high: Fraction | None = None


@record
class PastTotals:
    """What is known of a report without reading it: totals by metric, and over how many steps they are."""

    steps: int
    figures: Mapping[str, PastTotal]


@record
class Found:
    """The report that a drift gate is relative to.

    words : since what, which commit and how far back it is: ``since v1.2 (commit 3f2a9c1b2d4e, 41 commits back)``
    report : its path in the store, or its folder
    commits_back : the place of its commit in the list of ancestors; 0 is the first
    age_seconds : the time from it to head
    doubt : why its figure cannot be compared with head's; empty if it can
    totals : the gate is judged on these, unless there is a `comparison`
    comparison : it against head
    """

    words: str
    report: str
    commit: str | None = None
    commits_back: int | None = None
    age_seconds: int | None = None
    doubt: str = ""
    totals: PastTotals | None = None
    comparison: Comparison | None = None


@record
class NotFound:
    """There is no report that a drift gate could be relative to: why not."""

    reason: str


References = Mapping[Gate, Found | NotFound]
"""What was found for each drift gate."""

NO_STORE = NotFound(reason="no store of reports was given")
