"""What devices hold at their peaks on both sides: every byte of both peaks is in one row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from messages import graph, inputs_of, node, ran, run_meta, used

from tfprof_report.compare.compare import compare
from tfprof_report.compare.matching.name_map import NameMap
from tfprof_report.compare.peak import highest_peaks
from tfprof_report.compare.side import Side
from tfprof_report.errors import InputError
from tfprof_report.ingest.origin import Origin
from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.parts.peak_kinds import kinds_at_peak
from tfprof_report.report.measure import measure
from tfprof_report.schema.tables import DIFF_PEAK

CPU, GPU = "/job:x/device:CPU:0", "/job:x/device:GPU:0"


def held(name: str, *sizes: int, in_use: int = 0, allocator: str = "cpu") -> Any:
    records = [(place, size) for place, size in enumerate(sizes, start=1)]
    return ran(name, start=1, micros=50, memory=[used(allocator, in_use=in_use, records=records)])


def side(*runs: Any, names: Sequence[str] = ("a", "b", "c"), device: str = CPU) -> Side:
    """Return a side with a step for each of `runs`: the executions in it."""
    steps = [(step, run_meta({device: executions})) for step, executions in enumerate(runs)]
    table = build_node_table(inputs_of(graph(*(node(name, "Relu") for name in names)), steps))
    return measure(table, {}, Origin(inputs=()), peak=kinds_at_peak(table))


def rows(base: Side, head: Side, name_map: NameMap | None = None) -> list[tuple[Any, ...]]:
    found = compare(base, head, name_map).peak
    assert found.schema == DIFF_PEAK
    names = ("name", "status", "base_bytes", "head_bytes", "delta_bytes", "state_bytes")
    return list(zip(*(found[name].to_pylist() for name in names), strict=True))


UNKNOWN = (None, "unchanged", None, None, None, "unknown")


def test_rows_are_those_of_base_then_those_that_only_head_has() -> None:
    base = side([held("a", 10), held("b", 20), held("c", 5)])
    head = side([held("c", 5), held("d", 1), held("a", 16)], names=("a", "c", "d"))
    assert rows(base, head) == [
        ("b", "removed", 20, None, None, None),
        ("a", "changed", 10, 16, 6, "changed"),
        ("c", "unchanged", 5, 5, 0, "unchanged"),
        UNKNOWN,
        ("d", "new", None, 1, None, None),
    ]


def test_a_node_of_both_sides_may_hold_nothing_on_one() -> None:
    assert rows(side([held("a", 10), held("b", 1)]), side([held("b", 1)])) == [
        ("a", "removed", 10, None, None, None),
        ("b", "unchanged", 1, 1, 0, "unchanged"),
        UNKNOWN,
    ]


def test_renamed_nodes_are_one_row() -> None:
    base, head = side([held("a", 10)], names=("a",)), side([held("z", 12)], names=("z",))
    found = compare(base, head, NameMap(path="map", nodes={"a": "z"}, prefixes={})).peak
    assert found.select(["name", "base_name", "matched_by", "delta_bytes"]).to_pylist()[0] == {
        "name": "z",
        "base_name": "a",
        "matched_by": "map",
        "delta_bytes": 2,
    }


def test_records_of_no_node_are_matched_by_name() -> None:
    assert rows(side([held("_SOURCE", 3)]), side([held("_SOURCE", 4)]))[0] == (
        *("_SOURCE", "changed", 3, 4, 1, "changed"),
    )


def test_allocators_are_added_up_and_kinds_are_not() -> None:
    both = [held("a", 10), held("a", 5, allocator="mkl")]
    assert rows(side(both), side(both))[0] == ("a", "unchanged", 15, 15, 0, "unchanged")
    workspace = side([held("a", 10, 30, -30)])
    assert [row[:4] for row in rows(workspace, side([held("a", 10)]))] == [
        ("a", "removed", 30, None),
        ("a", "unchanged", 10, 10),
        (None, "unchanged", None, None),
    ]


def test_each_side_has_the_step_of_its_highest_peak() -> None:
    base, head = side([held("a", 10)], [held("a", 30)], [held("a", 30)]), side([held("a", 40)], [held("a", 20)])
    assert highest_peaks(base) == {CPU.lower(): (1, 30)}
    found = compare(base, head).peak.slice(0, 1).to_pylist()[0]
    assert (found["base_step"], found["head_step"], found["delta_bytes"]) == (1, 0, 10)


def test_the_rest_is_compared_where_both_sides_tell_it() -> None:
    base, head = side([held("a", 10, in_use=100)]), side([held("a", 10, in_use=90)])
    assert rows(base, head)[-1] == (None, "changed", 90, 80, -10, "changed")
    assert rows(base, side([held("a", 10)]))[-1] == (None, "changed", 90, None, None, "lost")


def test_sides_without_records_are_compared_as_wholes() -> None:
    bare = [side([held("a", in_use=size)]) for size in (9, 12)]
    assert rows(*bare) == [(None, "changed", 9, 12, 3, "changed")]


@pytest.mark.parametrize(
    "other",
    [side(), side([]), side([ran("a")]), side([ran("a", micros=5, memory=[used("cpu", in_use=9)])])],
)
def test_a_side_without_records_has_unknown_holders_not_none(other: Side) -> None:
    known = side([held("a", 10)])
    assert rows(known, other) == rows(other, known) == []


def test_a_device_of_one_side_has_no_rows() -> None:
    gpu = side([held("a", 10, allocator="GPU_0_bfc")], device=GPU)
    assert rows(side([held("a", 10)]), gpu) == []


def test_a_difference_beyond_int64_is_one_line() -> None:
    base, head = side([held("a", 5)]), side([held("a", 5, in_use=2**63 - 1)])
    low = base.peak.set_column(base.peak.column_names.index("bytes"), "bytes", pa.array([5, -(2**63)]))
    with pytest.raises(InputError, match="bytes of a row changes by more than a 64-bit number holds"):
        compare(replace(base, peak=low), head)


@pytest.mark.thorough
@settings(max_examples=examples(60), deadline=None)
@given(data=st.data())
def test_the_bytes_of_each_side_add_up_to_its_peak(data: st.DataObject) -> None:
    run = st.builds(
        lambda name, sizes, in_use: held(name, *sizes, in_use=in_use),
        st.sampled_from(["a", "b", "c", "of no node"]),
        st.lists(st.integers(-9, 30), max_size=4),
        st.sampled_from([0, 0, 40, 90]),
    )
    draws = [data.draw(st.lists(st.lists(run, max_size=4), max_size=2)) for _ in range(2)]
    base, head = side(*draws[0]), side(*draws[1], names=("b", "c", "d"))
    found = compare(base, head).peak
    for one, stem in ((base, "base_bytes"), (head, "head_bytes")):
        if found.num_rows:
            assert sum(size or 0 for size in found[stem].to_pylist()) == one.device_peak
