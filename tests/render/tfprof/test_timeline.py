"""Timelines: boxes nest, time increases, arrows have two ends; and moments worked out by hand."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from examples import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from messages import graph, inputs_of, models, node, ran, run_meta, used
from option_draws import options
from queries import CPU, GPU, STREAM, table_of
from written import events, written

from tfprof_report.errors import InputError
from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.node_table import NodeTable
from tfprof_report.options import Options
from tfprof_report.render.tfprof import graph_timeline
from tfprof_report.render.tfprof.output_spec import OutputType
from tfprof_report.semantics import CORRECTED, TFPROF, Semantics

QUICK = settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.too_slow])
SEMANTICS = st.sampled_from([TFPROF, CORRECTED])


def boxes_by_track(found: list[dict[str, Any]]) -> dict[tuple[int, int], list[tuple[float, float]]]:
    tracks = defaultdict(list)
    for event in found:
        if event["ph"] == "X":
            tracks[event["pid"], event["tid"]].append((event["ts"], event["ts"] + event["dur"]))
    return tracks


def steps_of(table: NodeTable) -> tuple[int, ...]:
    return (-1, *table.step_numbers)


@QUICK
@given(models(), st.sampled_from(["scope", "code"]), st.data())
def test_boxes_of_a_tree_nest_and_follow_each_other(model: Any, view: str, data: st.DataObject) -> None:
    table = build_node_table(inputs_of(*model))
    if view == "code" and not len(table.traces.frame):
        return
    asked = data.draw(options(steps=table.step_numbers))
    asked = replace(asked, order_by="name", select=(), min_params=0, min_float_ops=0)
    result = written(table, view, OutputType.TIMELINE, TFPROF, asked)
    assert result.files.keys() == {f"out_{asked.step}"}
    found = events(result.only)
    named = [event["pid"] for event in found if event["ph"] == "M"]
    assert named == list(range(len(named)))
    tracks = boxes_by_track(found)
    assert sorted(tracks) == [(pid, 0) for pid in named]
    for (depth, _), boxes in tracks.items():
        assert all(end <= start for (_, end), (start, _) in pairwise(boxes))
        if depth > 1:
            parents = tracks[depth - 1, 0]
            assert all(any(first <= start and end <= last for first, last in parents) for start, end in boxes)
    assert written(table, view, OutputType.TIMELINE, TFPROF, asked) == result


@QUICK
@given(models(), SEMANTICS, st.data())
def test_what_ran_is_on_tracks_without_overlap_and_every_arrow_has_two_ends(
    model: Any, semantics: Semantics, data: st.DataObject
) -> None:
    table = build_node_table(inputs_of(*model))
    asked = replace(data.draw(options(steps=table.step_numbers)), order_by="name", select=("micros",))
    result = written(table, "graph", OutputType.TIMELINE, semantics, asked)
    steps = table.step_numbers if asked.step < 0 else (asked.step,)
    assert result.files.keys() == {f"out_{step}" for step in steps}
    for found in map(events, result.files.values()):
        tracks = boxes_by_track(found)
        for boxes in tracks.values():
            assert all(end <= start for (_, end), (start, _) in pairwise(boxes))
        starts, ends = ([event for event in found if event["ph"] == phase] for phase in "st")
        assert [event["id"] for event in starts] == [event["id"] for event in ends] == list(range(1, len(starts) + 1))
        for begin, end in zip(starts, ends, strict=True):
            assert begin["name"] == end["name"]
            assert begin["pid"] != end["pid"]
            assert begin["ts"] in [last for _, last in tracks[begin["pid"], begin["tid"]]]
            assert end["ts"] in [first for first, _ in tracks[end["pid"], end["tid"]]]
        for name in ("Allocated Bytes", "Top Allocations"):
            points = [(event["pid"], event["ts"]) for event in found if event["name"] == name]
            assert points == sorted(points)
    assert written(table, "graph", OutputType.TIMELINE, semantics, asked) == result


def test_siblings_are_end_to_end_and_rows_without_time_are_left_out() -> None:
    table = table_of(
        graph(node("a/x", "A"), node("a/y", "B"), node("b", "C"), node("c", "D")),
        run_meta({CPU: [ran("a/x", micros=3), ran("a/y", micros=4), ran("c", micros=5)]}),
    )
    found = events(written(table, "scope", OutputType.TIMELINE, CORRECTED).only)
    assert [(each["name"], each["pid"], each["ts"], each["dur"]) for each in found if each["ph"] == "X"] == [
        ("_TFProfRoot", 0, 0, 12),
        ("a", 1, 0, 7),
        ("a/x", 2, 0, 3),
        ("a/y", 2, 3, 4),
        ("c", 1, 7, 5),
    ]
    assert [each["args"]["name"] for each in found if each["ph"] == "M"] == ["Scope:0", "Scope:1", "Scope:2"]


AT_ONCE = table_of(
    graph(node("a", "A"), node("b", "B"), node("c", "C", "a", "b")),
    run_meta({CPU: [ran("a", start=10, micros=4), ran("b", start=10, micros=2)], GPU: [ran("c", start=20, micros=1)]}),
)


@pytest.mark.parametrize(
    ("semantics", "boxes", "arrows"),
    [
        (TFPROF, [("c", 0, 20), ("a", 0, 10)], [("a", 14), ("a", 14)]),
        (CORRECTED, [("c", 0, 20), ("a", 0, 10), ("b", 1, 10)], [("a", 14), ("b", 12)]),
        (replace(CORRECTED, drop_simultaneous_executions=True), [("c", 0, 20), ("a", 0, 10)], [("a", 14), ("a", 14)]),
        (
            replace(TFPROF, drop_simultaneous_executions=False),
            [("c", 0, 20), ("a", 0, 10), ("b", 1, 10)],
            [("a", 14), ("b", 12)],
        ),
    ],
    ids=["tfprof", "corrected", "switched on", "switched off"],
)
def test_executions_of_one_microsecond_are_all_drawn_unless_tfprof_drops_them(
    semantics: Semantics, boxes: list[Any], arrows: list[Any]
) -> None:
    found = events(written(AT_ONCE, "graph", OutputType.TIMELINE, semantics).only)
    assert [(each["name"], each["tid"], each["ts"]) for each in found if each["ph"] == "X"] == boxes
    flows = [(each["name"].removesuffix("_flow"), each["ts"]) for each in found if each["ph"] == "s"]
    assert sorted(flows) == arrows


def test_kernels_have_a_track_of_their_own_and_overlapping_boxes_take_the_next_lane() -> None:
    table = table_of(
        graph(node("a", "A"), node("b", "B")),
        run_meta(
            {
                GPU: [ran("a", start=1, micros=5), ran("b", start=3, micros=9), ran("a", start=6, micros=1)],
                STREAM: [ran("a", start=4, micros=0)],
            }
        ),
    )
    found = events(written(table, "graph", OutputType.TIMELINE).only)
    assert [each["args"]["name"] for each in found if each["ph"] == "M"][:2] == [
        "Op scheduling threads: /device:gpu:0",
        "Op execution threads: /device:gpu:0/stream:all",
    ]
    assert [
        (each["name"], each["pid"], each["tid"], each["ts"], each["dur"]) for each in found if each["ph"] == "X"
    ] == [("a", 0, 0, 1, 5), ("a", 0, 0, 6, 1), ("b", 0, 1, 3, 9), ("a", 1, 0, 4, 1)]


def test_stray_times_are_not_drawn_and_a_device_with_another_clock_is_aligned_unless_tfprof_is_asked_for() -> None:
    now = 1_700_000_000_000_000
    table = table_of(
        graph(*(node(name, "A") for name in ("a", "b", "c", "d"))),
        run_meta(
            {
                GPU: [
                    *(ran(name, start=now + 10 * place, micros=5) for place, name in enumerate("abc")),
                    ran("d", start=now + 10**10, micros=1),
                ],
                STREAM: [ran("a", start=7, micros=4), ran("b", start=27, micros=6)],
            }
        ),
    )

    def starts(semantics: Semantics) -> list[tuple[str, int]]:
        found = events(written(table, "graph", OutputType.TIMELINE, semantics=semantics).only)
        return sorted((each["name"], each["ts"] - now) for each in found if each["ph"] == "X")

    assert starts(CORRECTED) == [("a", 0), ("a", 0), ("b", 10), ("b", 20), ("c", 20)]
    assert starts(TFPROF) == [*(("a", 7 - now), ("a", 0), ("b", 27 - now), ("b", 10), ("c", 20), ("d", 10**10))]


def test_memory_is_drawn_every_100_microseconds_with_its_largest_holders() -> None:
    def holding(name: str, start: int, in_use: int, *records: tuple[int, int]) -> Any:
        return ran(name, start=start, micros=10, memory=[used("GPU_0", in_use=in_use, records=records)])

    table = table_of(
        graph(node("a", "A"), node("b", "B"), node("c", "C")),
        run_meta(
            {
                GPU: [
                    holding("a", 100, 5_000_000, (100, 2_000_000), (300, -2_000_000)),
                    holding("b", 150, 9_000_000, (150, 4_000_000)),
                    holding("c", 390, 4_500_000, (395, 500_000)),
                ]
            }
        ),
    )
    result = written(table, "graph", OutputType.TIMELINE)
    counters = [each for each in events(result.only) if each["ph"] == "C"]
    assert [each["ts"] for each in counters] == [110, 110, 400, 400]  # 160 is skipped: less than 100 after 110
    assert [each["args"].get("Allocator Bytes in Use") for each in counters[::2]] == [5_000_000, 4_500_000]
    assert [{key: text for key, text in each["args"].items() if text != "N/A"} for each in counters[1::2]] == [
        {"Top Allocation 00": "2 MB from a", "Not Displayed": "3.00 MB"},
        {"Top Allocation 00": "4 MB from b", "Top Allocation 01": "0.5 MB from c", "Not Displayed": "0.00 MB"},
    ]
    assert result.text.startswith("generating trace file.\n/device:gpu:0 peak memory: 9.00 MB\n")


def test_an_allocation_that_does_not_fit_is_passed_over() -> None:
    table = table_of(
        graph(node("a", "A"), node("b", "B")),
        run_meta(
            {
                GPU: [
                    ran("a", start=100, micros=1, memory=[used("GPU_0", in_use=50, records=[(5, 100)])]),
                    ran("b", start=100, micros=1, memory=[used("GPU_0", in_use=50, records=[(5, 30)])]),
                ]
            }
        ),
    )
    (top,) = (
        each["args"]
        for each in events(written(table, "graph", OutputType.TIMELINE).only)
        if each["name"] == "Top Allocations"
    )
    assert (top["Top Allocation 00"], top["Not Displayed"]) == ("3e-05 MB from b", "0.00 MB")


def test_arrows_without_bound_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_timeline, "MAX_ARROWS", 1)
    with pytest.raises(InputError, match="more than 1 arrows"):
        written(AT_ONCE, "graph", OutputType.TIMELINE)


def test_a_model_that_never_ran_gives_no_timeline_of_graph_view() -> None:
    assert written(table_of(graph(node("a", "A"))), "graph", OutputType.TIMELINE) == ("", {})


def test_each_step_has_a_timeline_of_its_own() -> None:
    table = table_of(
        graph(node("a", "A")), (5, run_meta({CPU: [ran("a", micros=3)]})), (7, run_meta({CPU: [ran("a", micros=4)]}))
    )
    result = written(table, "graph", OutputType.TIMELINE, options=Options(step=-1))
    assert list(result.files) == ["out_5", "out_7"]
    assert result.text.count("Timeline file is written to out_7.") == 1
