"""docs/compare.md has the options, the keys of queries and the columns that there are."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from command import call
from repository import ROOT

from tfprof_report.errors import OptionError
from tfprof_report.render.reports_index.index_page import MOST_ROWS
from tfprof_report.render.side_by_side.machine_files import TIDY
from tfprof_report.report.store.store_query import parse_query
from tfprof_report.side_by_side.differences import Standing
from tfprof_report.side_by_side.layers import MOST

PAGE = (ROOT / "docs" / "compare.md").read_text("utf-8")


def options(command: str) -> set[str]:
    """Return the options of a command in its help, without those that say how figures are counted."""
    text = call(command, "--help").out
    _, _, counted = text.partition("How models given as files are counted:")
    others = text.replace(counted.partition("What to write:")[0], "") if counted else text
    return set(re.findall(r"^  (--[\w-]+)", others, re.MULTILINE)) - {"--verbose"}


def names(part: str) -> list[str]:
    """Return the names in the first column of a table."""
    cells = re.findall(r"^\| (`.*?) \|", part, re.MULTILINE)
    return [name for cell in cells for name in re.findall(r"`(\w+)`", cell)]


@pytest.mark.parametrize("command", ["compare", "index"])
def test_every_option_is_described(command: str) -> None:
    part = PAGE.split("## `index`")[command == "index"]
    described = set(re.findall(r"^\| `(--[\w-]+)[ `]", part, re.MULTILINE))
    assert described - {"--config"} == options(command)


def test_every_key_of_a_query_is_described() -> None:
    keys = names(PAGE.split("### Queries")[1].split("###")[0])
    with pytest.raises(OptionError) as raised:
        parse_query("zzz=1", option="--query", now=datetime.now(UTC), last=1)
    assert sorted(keys) == str(raised.value).rpartition("choose from ")[2].split(", ")


def test_every_column_of_the_table_is_described() -> None:
    part = PAGE.split("### `compare.parquet`")[1].split("\n## ")[0]
    assert names(part) == TIDY.names
    assert {f"`{word}`" for word in Standing} <= set(re.findall(r"`[\w ]+`", part))


def test_limits_are_those_of_the_code() -> None:
    assert f"up to {MOST_ROWS:,} reports" in PAGE
    assert f"the {MOST} with the most FLOPs" in PAGE
