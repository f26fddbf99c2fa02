"""Judges the newest report of a model against the one before it, against earlier ones, and against budgets."""

from __future__ import annotations

from datetime import datetime

import pyarrow as pa

from tfprof_report.compare.compare import compare
from tfprof_report.compare.gates.judge import judge
from tfprof_report.compare.gates.policy import Policy
from tfprof_report.compare.gates.verdict import Outcome, Verdict
from tfprof_report.compare.side import Side
from tfprof_report.errors import BaselineError
from tfprof_report.history.in_order import ERA
from tfprof_report.report.find_references import find_references
from tfprof_report.report.starts import Past
from tfprof_report.report.store.index import IndexedRows
from tfprof_report.report.store.store import DamagedError, UnseenError, read_side

_PRUNED = "INCONCLUSIVE: the newest report was pruned, and its totals are not enough to judge it."


def judge_newest(rows: pa.Table, indexed: IndexedRows, policy: Policy, past: Past, today: datetime) -> Verdict:
    """Return the verdict on the last of `rows`, which are the reports of a model in the order of git.

    Its base is the report before it, if that is still in the store and counted in the same way; else relative gates are
    skipped, as where the baseline may be missing. Gates of the drift kind take their reports from `past`.

    Raises
    ------
    BaselineError
        A report is damaged, or the store cannot be read.
    OSError
        The files of a report cannot be read.
    OptionError
        As in `start_of`.
    """
    last = rows.num_rows - 1
    head = _read(rows, last, indexed, past)
    if head is None:
        return Verdict(text=_PRUNED, outcome=Outcome.INCONCLUSIVE)
    has_base = last > 0 and rows[ERA][last - 1] == rows[ERA][last]
    base = _read(rows, last - 1, indexed, past) if has_base else None
    return judge(
        head,
        None if base is None else compare(base, head),
        policy,
        base_missing=base is None and any(not gate.is_budget and not gate.reference for gate in policy.gates),
        today=today.date(),
        references=find_references(policy, head, past).references,
    )


def _read(rows: pa.Table, row: int, indexed: IndexedRows, past: Past) -> Side | None:
    """Return the report of a row; None if it is no longer in the store."""
    path = rows["report"][row].as_py()
    if path not in indexed.held:
        return None
    try:
        return read_side(past.place, path)
    except UnseenError:
        return None
    except DamagedError as problem:
        raise BaselineError(
            f"is damaged ({problem})", file=past.place.shown(path), advice="save the report again"
        ) from problem
