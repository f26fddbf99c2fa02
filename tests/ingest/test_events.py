"""Event files of TensorBoard: their graph and run metadata, by themselves and in folders."""

from __future__ import annotations

import gzip
import struct
from pathlib import Path
from typing import Any

import google_crc32c
import pytest
from messages import graph, new, node, ran, run_meta
from repository import DATA

from tfprof_report.errors import InputError
from tfprof_report.ingest import packed
from tfprof_report.ingest.decode import decode, decode_all
from tfprof_report.ingest.events import is_record_file, read_events
from tfprof_report.ingest.paths import InputPaths, resolve_paths
from tfprof_report.ingest.read import Inputs, read_inputs
from tfprof_report.ingest.sniff import Kind

GRAPH = graph(node("a", "MatMul"), node("b", "Const"))
OTHER = graph(node("other", "NoOp"))
VERSION = new("events.Event", file_version="brain.Event:2")
RECORDED = DATA / "kinds" / "events.out.tfevents.gz"
"""What a FileWriter of TensorFlow 2.21 wrote: a graph, a MetaGraphDef and the run metadata of a step."""


def step(micros: int) -> Any:
    return run_meta({"/device:CPU:0": [ran("a", micros=micros)]})


def of_graph(made: Any) -> Any:
    return new("events.Event", graph_def=made.SerializeToString())


def of_run(number: int, made: Any, tag: str = "step") -> Any:
    tagged = {"tag": tag, "run_metadata": made.SerializeToString()}
    return new("events.Event", step=number, tagged_run_metadata=tagged)


def of_summary(number: int, made: Any, plugin: str = "graph_run_metadata") -> Any:
    """Return an event as ``tf.summary.trace_export`` writes it."""
    value = {
        "tag": "trace",
        "metadata": {"plugin_data": {"plugin_name": plugin}},
        "tensor": {"string_val": [made.SerializeToString()]},
    }
    return new("events.Event", step=number, summary={"value": [value]})


def masked(data: bytes) -> int:
    crc = google_crc32c.value(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def records(*messages: Any) -> bytes:
    """Return messages as a TFRecord file."""
    out = bytearray()
    for message in messages:
        data = message if isinstance(message, bytes) else message.SerializeToString()
        length = struct.pack("<Q", len(data))
        out += length + struct.pack("<I", masked(length)) + data + struct.pack("<I", masked(data))
    return bytes(out)


def event_file(*events: Any) -> bytes:
    return records(VERSION, *events)


def names(inputs: Inputs) -> list[str]:
    found: list[str] = inputs.graph.nodes["name"].to_pylist()
    return found


def steps(inputs: Inputs) -> dict[int, list[int]]:
    return {number: columns.executions["micros"].to_pylist() for number, columns in inputs.run_metas}


def written(folder: Path, **files: bytes) -> str:
    for name, data in files.items():
        (folder / name.replace("__", ".")).write_bytes(data)
    return str(folder)


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_a_file_of_tensorflow_has_its_graph_and_run_metadata(tmp_path: Path, pack: Any) -> None:
    path = tmp_path / "named_graph.pb"
    path.write_bytes(pack(gzip.decompress(RECORDED.read_bytes())))
    inputs = read_inputs(resolve_paths(str(path)))
    end = "" if pack is bytes else ", gzip"
    assert names(inputs) == ["x", "Const", "m"]
    assert [(file.role, file.form, file.step) for file in inputs.files] == [
        ("graph", f"binary, tfevents{end}", None),
        ("run_meta", f"binary, tfevents{end}", 0),
    ]
    ((number, columns),) = inputs.run_metas
    assert (number, columns.executions["node_name"].to_pylist()) == (
        0,
        ["_SOURCE", "Const", "_arg_x_0_0", "m", "_retval_m_0_0"],
    )
    assert inputs.diagnostics == ()


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([of_run(7, step(3))], {7: [3]}),
        ([of_run(7, step(3)), of_run(20, step(4))], {7: [3], 20: [4]}),
        ([of_run(7, step(3)), of_run(7, step(4), "next")], {0: [3], 1: [4]}),
        ([of_summary(5, step(3))], {5: [3]}),
        ([of_summary(5, step(3), "graph_run_metadata_graph")], {}),
    ],
    ids=["one", "two", "equal steps", "summary", "another plugin"],
)
def test_run_metadata_has_the_steps_of_its_events(tmp_path: Path, events: list[Any], expected: Any) -> None:
    written(tmp_path, events=event_file(of_graph(GRAPH), *events))
    assert steps(read_inputs(resolve_paths(f"{tmp_path}/events"))) == expected


def test_options_take_one_part_of_a_file_and_give_its_step(tmp_path: Path) -> None:
    written(
        tmp_path,
        graph=GRAPH.SerializeToString(),
        one=event_file(of_graph(OTHER), of_run(5, step(3))),
        two=event_file(of_run(5, step(3)), of_run(6, step(4))),
    )
    mine, other = f"{tmp_path}/graph", f"{tmp_path}/one"
    assert steps(read_inputs(resolve_paths(mine, run_metas=[f"9={other}"]))) == {9: [3]}
    both = read_inputs(resolve_paths(mine, run_metas=[other, f"{tmp_path}/two"]))
    assert (names(both), steps(both)) == (["a", "b"], {0: [3], 5: [3], 6: [4]})
    assert both.diagnostics == ()
    unused = read_inputs(resolve_paths(mine, run_metas=[f"9={tmp_path}/two"]))
    assert steps(unused) == {5: [3], 6: [4]}
    assert [note.text for note in unused.diagnostics] == [
        f"step 9 is not used: {tmp_path}/two has several runs with steps of their own"
    ]
    inputs = read_inputs(InputPaths(graph=other, run_metas=((1, f"{tmp_path}/one"),)))
    assert (names(inputs), steps(inputs)) == (["other"], {1: [3]})


def test_the_last_graph_counts_and_a_meta_graph_where_there_is_no_graph() -> None:
    meta = new("tensorflow.MetaGraphDef", graph_def=OTHER).SerializeToString()
    last = new("events.Event", meta_graph_def=meta)
    assert read_events(event_file(of_graph(OTHER), of_graph(GRAPH), last), file="", option="").graph == (
        GRAPH.SerializeToString()
    )
    decoded = decode(event_file(last), Kind.GRAPH, file="", option="")
    assert decoded.form == "binary, MetaGraphDef, tfevents"


def test_a_file_that_is_still_written_is_read_up_to_its_last_whole_record(tmp_path: Path) -> None:
    whole = event_file(of_graph(GRAPH), of_run(1, step(3)), of_run(2, step(4)))
    start = len(event_file(of_graph(GRAPH), of_run(1, step(3))))
    for end in (start + 3, start + 12, start + 20, len(whole) - 1):
        written(tmp_path, events=whole[:end])
        inputs = read_inputs(resolve_paths(f"{tmp_path}/events"))
        assert steps(inputs) == {1: [3]}
        assert {found.code for found in inputs.diagnostics} == {"event_file_cut"}
    written(tmp_path, events=whole[:start])
    assert read_inputs(resolve_paths(f"{tmp_path}/events")).diagnostics == ()


def test_a_small_file_has_only_so_many_steps() -> None:
    events = [of_run(number, run_meta({})) for number in range(1001)]
    with pytest.raises(InputError, match=r"F \(O\): has more than 1,000 steps; record fewer steps in one file"):
        decode_all(event_file(*events), Kind.RUN_META, file="F", option="O")
    assert len(decode_all(event_file(*events[1:]), Kind.RUN_META, file="F", option="O")) == 1000


def test_a_packed_file_has_only_so_many_records(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "_NODES_OF_SMALL", 3)
    file = gzip.compress(event_file(of_graph(GRAPH), of_graph(GRAPH)))  # the first record is the version
    assert decode(file, Kind.GRAPH, file="F", option="O").form == "binary, tfevents, gzip"
    file = gzip.compress(event_file(of_graph(GRAPH), *[of_run(1, step(3))] * 2))
    with pytest.raises(InputError, match="unpack to more than 3 events"):
        decode(file, Kind.GRAPH, file="F", option="O")


def test_every_changed_byte_is_noticed() -> None:
    whole = event_file(of_graph(GRAPH), of_run(1, step(3)))
    for at in range(len(event_file()), len(whole)):
        changed = whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]
        with pytest.raises(InputError, match=r"F \(--graph\): the event file is damaged; write the file again"):
            decode(changed, Kind.GRAPH, file="F", option="--graph")


@pytest.mark.parametrize(
    ("data", "kind", "problem"),
    [
        (records(b"\x0a\x03abc", b""), Kind.GRAPH, "is a TFRecord file without events, such as a data set; give what"),
        (event_file(b"\xff"), Kind.GRAPH, "the event file is damaged; write"),
        (
            event_file(of_run(1, step(3))),
            Kind.GRAPH,
            "is an event file without a GraphDef message; give a GraphDef mes",
        ),
        (event_file(of_graph(GRAPH)), Kind.RUN_META, "is an event file without a RunMetadata message; give"),
        (event_file(of_graph(GRAPH)), Kind.OP_LOG, "is an event file without an OpLogProto message; give"),
        (event_file(of_run(1, step(3)), of_run(2, step(3))), Kind.RUN_META, "has 2 RunMetadata messages; name"),
        (event_file(new("events.Event", graph_def=b"\x0a\x05a")), Kind.GRAPH, "is not a GraphDef message: damaged"),
    ],
    ids=["data set", "no event", "no graph", "no run", "log", "several", "damaged graph"],
)
def test_what_an_event_file_lacks_is_said(data: bytes, kind: Kind, problem: str) -> None:
    with pytest.raises(InputError) as caught:
        decode(data, kind, file="F", option="")
    assert str(caught.value).startswith(f"F: {problem}")


def test_a_folder_without_a_graph_file_is_read_from_its_event_files(tmp_path: Path) -> None:
    folder = written(
        tmp_path,
        events__out__tfevents__100__host=event_file(of_graph(OTHER), of_run(1, step(1)), of_run(2, step(2))),
        events__out__tfevents__200__host=event_file(of_graph(GRAPH), of_run(2, step(5))),
        events__out__tfevents__300__host=event_file(of_run(9, step(7))),
        events__out__tfevents__400__host=event_file(),
        events__out__tfevents__500__host=b"",
    )
    paths = resolve_paths(folder)
    name = "events.out.tfevents"
    assert paths.notes == (f"{folder}: reading {name}.200.host, {name}.300.host",)
    inputs = read_inputs(paths)
    assert (names(inputs), steps(inputs)) == (["a", "b"], {2: [5], 9: [7]})  # the newest of equal steps counts
    written(tmp_path, run_meta_4=step(8).SerializeToString())
    assert steps(read_inputs(resolve_paths(folder))) == {4: [8]}
    written(tmp_path, graph__pb=OTHER.SerializeToString())
    kept = resolve_paths(folder)
    assert (names(read_inputs(kept)), steps(read_inputs(kept))) == (["other"], {4: [8]})
    assert kept.notes[1].endswith(f"{name}.500.host are ignored in favour of graph.pb")


def test_a_damaged_event_file_of_a_folder_is_named(tmp_path: Path) -> None:
    whole = event_file(of_graph(GRAPH))
    folder = written(tmp_path, events__out__tfevents__1=whole[:-1] + b"!")
    with pytest.raises(InputError, match=r"events.out.tfevents.1 \(--graph\): the event file is damaged"):
        resolve_paths(folder)
    assert not is_record_file(whole[:11])
