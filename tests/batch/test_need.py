"""Estimates of memory, from what inputs unpack to, and which entries may run at once."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tfprof_report.batch.entry import Entry
from tfprof_report.batch.need import BASE_BYTES, Rate, estimate_need
from tfprof_report.batch.run_batch import Settings, by_room

MIB = 2**20


def test_each_byte_counts_unpacked(tmp_path: Path) -> None:
    plain, packed = tmp_path / "graph.pb", tmp_path / "run_meta_0"
    plain.write_bytes(bytes(1000))
    packed.write_bytes(gzip.compress(bytes(50_000)))
    assert packed.stat().st_size < 200
    graph, run = (Rate.GRAPH, str(plain)), (Rate.RUN_META, str(packed))
    assert estimate_need([]) == BASE_BYTES
    assert estimate_need([graph]) == BASE_BYTES + 1000 * 36
    assert estimate_need([graph, run]) == BASE_BYTES + 1000 * 36 + 50_000 * 24
    assert estimate_need([(Rate.REPORT, str(tmp_path))]) == BASE_BYTES + 51_000 * 40


def test_a_file_that_is_not_there_has_no_estimate(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        estimate_need([(Rate.GRAPH, str(tmp_path / "graph.pb"))])


def test_entries_run_with_as_many_others_as_the_memory_has_room_for() -> None:
    needs = {"small": 200, "half": 500, "most": 900, "all": 1000, "more": 1001, "unknown": None}
    entries = [
        Entry(number=at, model=name, name=name, command=("report",), need_bytes=None if need is None else need * MIB)
        for at, (name, need) in enumerate(needs.items())
    ]
    groups = by_room(entries, Settings(jobs=5, memory_bytes=1000 * MIB, setup=""))
    assert {count: [entry.name for entry in group] for count, group in groups.items()} == {
        5: ["small", "unknown"],
        2: ["half"],
        1: ["most", "all"],
        0: ["more"],
    }
