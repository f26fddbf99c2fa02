"""What the device with the highest peak holds, as the report shows it: no byte is lost on the way."""

from __future__ import annotations

from typing import Any

import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from messages import graph, inputs_of, node, ran, run_meta, used

from tfprof_report.compare.compare import compare
from tfprof_report.compare.side import Side
from tfprof_report.ingest.origin import Origin
from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.parts.peak_kinds import BufferKind, kinds_at_peak
from tfprof_report.report import at_peak
from tfprof_report.report.at_peak import AtPeak, find_at_peak
from tfprof_report.report.measure import measure

CPU, GPU = "/job:x/device:CPU:0", "/job:x/device:GPU:0"


def held(name: str, *sizes: int, in_use: int = 0, micros: int = 50, allocator: str = "cpu") -> Any:
    records = [(place, size) for place, size in enumerate(sizes, start=1)]
    return ran(name, start=1, micros=micros, memory=[used(allocator, in_use=in_use, records=records)])


def side(*runs: Any) -> Side:
    """Return a side with a step for each of `runs`: executions by device."""
    names = ("a", "b", "gradients/c")
    steps = [(step, run_meta(devices)) for step, devices in enumerate(runs)]
    table = build_node_table(inputs_of(graph(*(node(name, "Relu") for name in names)), steps))
    return measure(table, {}, Origin(inputs=()), peak=kinds_at_peak(table))


def found(head: Side, base: Side | None = None) -> AtPeak:
    result = find_at_peak(head, compare(base, head) if base else None)
    assert result is not None
    return result


def rows(held: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    return [(each.name or str(each.kind), each.base, each.head, each.delta) for each in held]


def test_one_side_has_kinds_and_nodes_the_largest_first() -> None:
    one = found(side({CPU: [held("a", 5)]}, {CPU: [held("b", 3), held("a", 20), held("gradients/c", 7)]}))
    assert (one.step, one.micros, one.peak, one.base_peak, one.is_compared) == (1, 0, 30, None, False)
    assert rows(one.kinds) == [
        ("activations", None, 23, None),
        ("gradients", None, 7, None),
        ("not recorded", None, None, None),
    ]
    assert rows(one.holders) == [("a", None, 20, None), ("gradients/c", None, 7, None), ("b", None, 3, None)]


def test_the_device_is_that_of_the_first_screen() -> None:
    head = side({CPU: [held("a", 5)], GPU: [held("b", 9, allocator="GPU_0_bfc")], "/stream:all": []})
    assert (found(head).device, found(head).peak) == (GPU.lower(), head.device_peak)


def test_with_a_base_the_nodes_that_changed_most_are_first() -> None:
    base = side({CPU: [held("a", 50), held("b", 7), held("of no node", 1)]})
    both = found(side({CPU: [held("a", 50), held("b", 9), held("gradients/c", 4)]}), base)
    assert (both.peak, both.base_peak, both.is_compared) == (63, 58, True)
    assert rows(both.kinds) == [
        ("activations", 57, 59, 2),
        ("gradients", 0, 4, 4),
        ("unknown", 1, 0, -1),
        ("not recorded", None, None, None),
    ]
    assert [each.percent for each in both.kinds] == [100 * 2 / 57, None, -100, None]
    assert rows(both.holders) == [
        ("gradients/c", None, 4, 4),
        ("b", 7, 9, 2),
        ("of no node", 1, None, -1),
        ("a", 50, 50, 0),
    ]


def test_no_more_nodes_are_kept_than_listed(monkeypatch: Any) -> None:
    monkeypatch.setattr(at_peak, "LISTED", 1)
    one = found(side({CPU: [held("b", 3), held("a", 20)]}))
    assert (rows(one.holders), one.holder_count) == ([("a", None, 20, None)], 2)


def test_a_base_without_the_records_is_not_compared() -> None:
    head = side({CPU: [held("a", 50)]})
    for base in (side(), side({CPU: [held("a", in_use=9)]}), side({GPU: [held("a", 3, allocator="GPU_0")]})):
        one = found(head, base)
        assert (one.is_compared, one.base_peak, one.kinds) == (False, None, found(head).kinds)


def test_without_a_peak_there_is_nothing_to_show() -> None:
    for head in (side(), side({CPU: [ran("a")]})):
        assert find_at_peak(head, None) is None


def test_a_peak_of_bytes_in_use_alone_has_no_nodes() -> None:
    one = found(side({CPU: [held("a", in_use=9)]}))
    assert (rows(one.kinds), one.holders, one.holder_count) == ([("not recorded", None, 9, None)], (), 0)


@pytest.mark.thorough
@settings(max_examples=examples(40), deadline=None)
@given(data=st.data())
def test_kinds_add_up_to_the_peaks(data: st.DataObject) -> None:
    run = st.builds(
        lambda name, sizes, in_use, micros: held(name, *sizes, in_use=in_use, micros=micros),
        st.sampled_from(["a", "b", "gradients/c", "of no node"]),
        st.lists(st.integers(-9, 30), max_size=4),
        st.sampled_from([0, 0, 40, 90]),
        st.integers(0, 5),
    )
    base, head = (side({CPU: data.draw(st.lists(run, max_size=5))}) for _ in range(2))
    one = find_at_peak(head, compare(base, head) if data.draw(st.booleans()) else None)
    if head.device_peak is None:
        assert one is None
        return
    assert one is not None
    assert sum(kind.head or 0 for kind in one.kinds) == one.peak == head.device_peak
    if one.is_compared:
        assert sum(kind.base or 0 for kind in one.kinds) == one.base_peak == base.device_peak
    assert [kind.kind for kind in one.kinds] == [
        kind for kind in reversed(BufferKind) if kind in {k.kind for k in one.kinds}
    ]
