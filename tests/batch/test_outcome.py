"""The outcome of a batch: its rows as JSON and Parquet, and the worst exit code."""

from __future__ import annotations

import json
from io import BytesIO
from itertools import permutations
from typing import Any

import pyarrow.parquet as pq
import pytest
from strict_schema import checked

from tfprof_report.batch.entry import Entry
from tfprof_report.batch.outcome import COLUMNS, Result, Row, State, exit_code_of, not_done, outcome_files


def row(code: int = 0, state: State = State.WRITTEN, **facts: Any) -> Row:
    """Return a row of a report with this exit code."""
    entry = Entry(number=0, model="net", name="net", command=("report", "net"), labels={"b": "2", "a": "1"})
    return Row(entry=entry, result=Result(state=state, exit_code=code, **facts), attempts=1)


@pytest.mark.parametrize(
    ("codes", "worst"), [((0, 5), 5), ((5, 1), 1), ((1, 4), 4), ((4, 2), 2), ((2, 3), 3), ((0, 0, 0), 0), ((), 5)]
)
def test_the_worst_exit_code_is_the_first_of_3_2_4_1_5_0(codes: tuple[int, ...], worst: int) -> None:
    for order in permutations(codes):
        assert exit_code_of(row(code) for code in order) == worst


def test_json_and_parquet_have_the_same_rows() -> None:
    rows = [
        row(1, verdict="failed", reason="FAIL: params", messages=("warning: a", "b"), seconds=0.25, peak_bytes=2**31),
        not_done(row().entry, "the batch was interrupted"),
    ]
    files = outcome_files(rows, is_complete=False)
    content = checked("batch", json.loads(files["batch.json"]))
    assert {name: value for name, value in content.items() if name != "entries"} == {
        "version": 1,
        "tool": "tfprof-report",
        "tool_version": "0.1.0",
        "counting_version": 3,
        "is_complete": False,
        "exit_code": 3,
        "counts": {"written": 1, "not done": 1},
    }
    table = pq.read_table(BytesIO(files["batch.parquet"]))
    assert table.schema.equals(COLUMNS)
    assert [{**each, "labels": dict(each["labels"])} for each in table.to_pylist()] == content["entries"]
    assert content["entries"][0] == {
        "model": "net",
        "name": "net",
        "commit": None,
        "branch": None,
        "labels": {"a": "1", "b": "2"},
        "state": "written",
        "exit_code": 1,
        "verdict": "failed",
        "reason": "FAIL: params",
        "report": None,
        "seconds": 0.25,
        "peak_bytes": 2**31,
        "estimated_bytes": None,
        "host": None,
        "attempts": 1,
        "messages": ["warning: a", "b"],
        "command": ["report", "net"],
    }
    assert outcome_files(rows, is_complete=False) == files


def test_names_that_are_not_utf8_are_shown() -> None:
    files = outcome_files([row(3, State.FAILED, reason="caf\udce9: no such file")], is_complete=True)
    assert json.loads(files["batch.json"])["entries"][0]["reason"] == r"caf\xe9: no such file"
