"""Gzip files that unpack to too much are refused, unless the user allows their size."""

from __future__ import annotations

import gzip
import random
import resource
from collections.abc import Callable

import pytest
from messages import entry, function, graph, new, node, op_log, ran, run_meta, with_library
from queries import CPU

from tfprof_report.errors import InputError, OptionError
from tfprof_report.ingest import packed as packed_module
from tfprof_report.ingest.decode import _count_elements, decode
from tfprof_report.ingest.descriptors import element_file
from tfprof_report.ingest.packed import parse_max_unpacked
from tfprof_report.ingest.sniff import Kind

ONE = node("a", "b")


def refusal(data: bytes, kind: Kind = Kind.GRAPH, *, option: str = "--graph") -> str:
    with pytest.raises(InputError) as caught:
        decode(data, kind, file="F", option=option)
    return str(caught.value)


def test_a_small_file_with_more_bytes_than_allowed_says_which_option_allows_them() -> None:
    packed = gzip.compress(b"\0" * (2**25 + 1))
    assert refusal(packed, option="--base-graph") == (
        f"F (--base-graph): has {len(packed):,} bytes that unpack to more than 33,554,432 bytes; if it is meant to, "
        "unpack it, or add --base-max-unpacked SIZE"
    )
    assert refusal(packed, option="graph").endswith("; if it is meant to, unpack it")  # no option in Python


MANY: dict[str, tuple[Kind, str, Callable[[int], bytes]]] = {
    "nodes": (Kind.GRAPH, "columns.Graph", lambda n: graph(*[ONE] * n).SerializeToString()),
    "inputs": (Kind.GRAPH, "columns.Graph", lambda n: graph(node("a", "b", *["x"] * (n - 1))).SerializeToString()),
    "records": (
        Kind.RUN_META,
        "columns.RunMeta",
        lambda n: run_meta({CPU: [ran("a")] * (n - 1)}).SerializeToString(),
    ),
    "entries": (Kind.OP_LOG, "columns.OpLog", lambda n: op_log(*[entry("a")] * n).SerializeToString()),
}


@pytest.mark.parametrize("what", MANY)
def test_elements_are_counted_whatever_they_are(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kind, message, make = MANY[what]
    assert _count_elements(make(50), message).total() == 50
    monkeypatch.setattr(packed_module, "_ELEMENTS_OF_SMALL", 50)
    decode(gzip.compress(make(50)), kind, file="F", option="--graph")
    assert "unpack to more than 50 nodes, attributes and other elements; " in refusal(gzip.compress(make(51)), kind)
    decode(make(51), kind, file="F", option="--graph")  # not packed: as large as it looks
    decode(gzip.compress(make(51)), kind, file="F", option="--graph", max_unpacked=10_000)


def test_elements_are_counted_with_little_address_space() -> None:
    for name in ("Graph", "MetaGraph", "SavedModel", "RunMeta", "OpLog", "Profile"):
        numbers, waiting = [0], [element_file().message_types_by_name[name]]
        seen = set(waiting)
        while waiting:  # the decoder has a table of all field numbers up to the highest one
            fields = waiting.pop().fields
            numbers += [field.number for field in fields]
            found = {field.message_type for field in fields if field.message_type} - seen
            seen |= found
            waiting += found
        assert max(numbers) <= 1000


def test_nodes_have_a_limit_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed_module, "_NODES_OF_SMALL", 50)
    body = function("f", ["x"], {}, *[ONE] * 30)
    model = with_library(graph(*[ONE] * 20, *[node("a", "b", *["x"] * 100)]), body)
    assert "unpack to more than 50 nodes or records; " in refusal(gzip.compress(model.SerializeToString()))
    del model.node[0]
    decode(gzip.compress(model.SerializeToString()), Kind.GRAPH, file="F", option="--graph")


def test_elements_around_the_graph_count_too(monkeypatch: pytest.MonkeyPatch) -> None:
    model = new("tensorflow.MetaGraphDef", graph_def=graph(ONE))
    model.meta_info_def.tags.extend(["serve"] * 50)
    assert _count_elements(model.SerializeToString(), "columns.MetaGraph")["tags"] == 50
    monkeypatch.setattr(packed_module, "_ELEMENTS_OF_SMALL", 49)
    assert "unpack to more than 49 nodes" in refusal(gzip.compress(model.SerializeToString()))


def test_text_is_limited_by_its_fields_and_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed_module, "_ELEMENTS_OF_SMALL", 60)
    text = b'node { name: "a" op: "b" }\n'
    decode(gzip.compress(text * 20), Kind.GRAPH, file="F", option="")
    for much in (text * 21, text + b"#\n" * 60, text + b"node <" * 59, text + b"node { name: " + b'""' * 59):
        assert "unpack to more than 60 fields" in refusal(gzip.compress(much))
    decode(gzip.compress(text * 21), Kind.GRAPH, file="F", option="", max_unpacked=2**20)


def test_larger_files_may_unpack_to_multiples_of_their_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed_module, "_SMALL", 100)
    monkeypatch.setattr(packed_module, "_ELEMENTS_OF_SMALL", 3)
    monkeypatch.setattr(packed_module, "_NODES_PER_BYTE", 4)
    noise = random.Random(1).randbytes(300)
    message = graph(*[ONE] * 400)
    message.node[0].name = noise.hex()
    packed = gzip.compress(message.SerializeToString())
    assert 100 < len(packed) < 1000  # 400 elements in so many bytes are allowed
    decode(packed, Kind.GRAPH, file="F", option="")


@pytest.mark.parametrize(
    ("text", "size"), [("500", 500), ("2KB", 2000), ("2KiB", 2048), ("3 MiB", 3 * 2**20), ("1GB", 10**9), ("7B", 7)]
)
def test_a_size_is_a_number_of_bytes(text: str, size: int) -> None:
    assert parse_max_unpacked(text) == size


@pytest.mark.parametrize("text", ["", "-1", "1.5GB", "5 apples", "9" * 30, "MiB"])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(OptionError, match=r"is not a size"):
        parse_max_unpacked(text, "head-")


def test_many_members_take_no_more_time_than_one() -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    decode(gzip.compress(ONE.SerializeToString()[:0]) * 20_000, Kind.GRAPH, file="F", option="")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_utime - before < 3
