"""XSpace to columns: names, stats, times on one clock; what is odd or hostile in a file."""

from __future__ import annotations

import pytest
from traces import Trace, space_of

from tfprof_report.errors import InputError
from tfprof_report.ingest.descriptors import message_class


def test_events_have_the_line_the_name_and_the_time_since_the_first_line_with_events() -> None:
    trace = Trace(level=None)
    trace.line("empty", start=1)
    trace.line("a", start=1000).event("x", 5, 7).event("y", 20, 1)
    trace.line("b", start=1500).event("x", 2, 3)
    space = trace.space()
    assert space.first_nanos == 1000
    assert space.lines["name"].to_pylist() == ["empty", "a", "b"]
    assert space.names().to_pylist() == ["x", "y", "x"]
    assert space.events.select(["line", "start_ps", "duration_ps", "count"]).to_pydict() == {
        "line": [1, 1, 2],
        "start_ps": [5000, 20_000, 502_000],
        "duration_ps": [7000, 1000, 3000],
        "count": [1, 1, 1],
    }


def test_what_was_added_up_has_no_start() -> None:
    trace = Trace(level=None)
    trace.line().summed("x", 7, 30).event("y", 4, 1)
    assert trace.space().events["count"].to_pylist() == [7, 1]
    assert trace.space().events["start_ps"].to_pylist() == [None, 4000]


def test_names_are_by_plane() -> None:
    trace = Trace(level=None)
    trace.line(plane="one").event("x", 0, 1, word="first")
    trace.line(plane="two").event("y", 0, 1, word="second")
    space = trace.space()
    assert space.names().to_pylist() == ["x", "y"]
    assert space.codes("word").to_pylist() == ["first", "second"]


def test_stats_are_read_as_what_they_are_and_the_first_of_a_name_counts() -> None:
    trace = Trace(level=None)
    line = trace.line().event("x", 0, 1, n=5, id=2**64 - 1, part=0.5).event("x", 1, 1)
    event = line.message.events[0]
    line.plane.write(event, "n", 6)
    line.plane.write(event, "text", "t")
    event.stats.add(metadata_id=line.plane._number("plain")).str_value = "written"
    space = trace.space()
    assert space.ints("n").to_pylist() == [5, None]
    assert space.ints("id").to_pylist() == [-1, None]
    assert space.ints("part").to_pylist() == [None, None]
    assert space.codes("text").to_pylist() == ["t", None]
    assert space.codes("plain").to_pylist() == ["written", None]
    assert space.ints("absent").to_pylist() == [None, None]


def test_a_stat_of_the_kind_stands_in_for_that_of_the_event() -> None:
    trace = Trace(level=None)
    trace.plane().kind("x", n=3, text="of the kind")
    trace.line().event("x", 0, 1).event("x", 1, 1, n=4, text="own")
    assert trace.space().ints("n").to_pylist() == [3, 4]
    assert trace.space().codes("text").to_pylist() == ["of the kind", "own"]


def test_numbers_that_the_file_lacks_are_no_names() -> None:
    trace = Trace(level=None)
    line = trace.line().event("x", 0, 1)
    line.message.events.add(metadata_id=99, duration_ps=5).stats.add(metadata_id=77, int64_value=1)
    line.message.events.add(metadata_id=1).stats.add(metadata_id=78).ref_value = 79
    assert trace.space().names().to_pylist() == ["x", None, "x"]
    assert trace.space().codes("text").to_pylist() == [None, None, None]


def test_names_that_are_not_utf_8_are_read() -> None:
    trace = Trace(level=None)
    trace.line().event("xy", 0, 1)
    (name,) = space_of(trace.bytes().replace(b"\x12\x02xy", b"\x12\x02x\xff")).names().to_pylist()
    assert name == "x\N{REPLACEMENT CHARACTER}"


def test_impossible_times_stay_within_bounds() -> None:
    most = 2**63 - 1
    space = message_class("tensorflow.profiler.XSpace")()
    plane = space.planes.add(name="/host:CPU")
    plane.event_metadata[1].name = "a:MatMul"
    for stamp in (-most, 0, most):
        line = plane.lines.add(timestamp_ns=stamp)
        for offset in (-most, 0, most):
            for duration in (-most, 0, most):
                line.events.add(metadata_id=1, offset_ps=offset, duration_ps=duration)
        line.events.add(metadata_id=1, num_occurrences=most, duration_ps=most)
        line.events.add(metadata_id=1, num_occurrences=-most, duration_ps=most)
    found = space_of(space.SerializeToString())
    start, duration = found.times()
    assert (duration >= 0).all()
    assert (abs(start) + duration < 2**60).all()
    assert 0 <= sum(found.events["count"].to_pylist()) < 2**62


def test_an_empty_trace_has_no_rows() -> None:
    assert space_of(b"").events.num_rows == 0
    assert Trace(level=None).space().names().to_pylist() == []


@pytest.mark.parametrize("size", [0.2, 0.5, 0.99])
def test_a_cut_trace_is_one_line(size: float) -> None:
    trace = Trace(hostnames=["vm"])
    trace.line().event("a:MatMul", 5, 7).event("b:Relu", 30, 7)
    data = trace.bytes()
    with pytest.raises(InputError, match=r"^FILE \(--xplane\): [^\n]*(damaged|cut short)[^\n]*$"):
        space_of(data[: int(len(data) * size)])
