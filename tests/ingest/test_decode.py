"""Bytes to Arrow: all forms, damaged bytes, and protobuf's own runtime as the oracle."""

from __future__ import annotations

import gzip
import random
from typing import Any

import pyarrow as pa
import pytest
from examples import examples
from google.protobuf import text_format
from google.protobuf.message import DecodeError
from hypothesis import HealthCheck, given, settings
from messages import entry, graph, graphs, models, new, node, op_log, ran, run_meta, used
from wire import Field, columns_as_plain, encode, fields_of, flip_bytes, mutate_fields, parse_with_protobuf, varint

from tfprof_report.errors import ExitCode, InputError
from tfprof_report.ingest import decode as decode_module
from tfprof_report.ingest import packed as packed_module
from tfprof_report.ingest.decode import decode
from tfprof_report.ingest.descriptors import message_descriptor
from tfprof_report.ingest.sniff import Kind

OPTIONS = {Kind.GRAPH: "--graph", Kind.RUN_META: "--run-meta", Kind.OP_LOG: "--op-log"}
SAMPLES: dict[Kind, Any] = {
    Kind.GRAPH: graph(
        node("a", "Conv2D", "b", "c:1", "^d", shape=[2, 3], output_shapes=[[1, -1], None, []], device="/gpu:0"),
        node("b", "Const", shape=None, data_format="NHWC"),
        node("é/b", "NoOp", output_shapes=[]),
    ),
    Kind.RUN_META: run_meta(
        {
            "/device:GPU:0": [
                ran(
                    "a:Conv2D",
                    start=5,
                    micros=3,
                    memory=[used("gpu", total=5, peak=6, live=-7, in_use=8, records=[(1, 2), (3, -4)])],
                    outputs=[(3, 4), None],
                    temp=1,
                    persistent=2,
                ),
                ran("_SOURCE", start=0),
            ],
            "/device:GPU:0/stream:all": [ran("b")],
        }
    ),
    Kind.OP_LOG: op_log(
        entry("a", float_ops=12, types=["x", "y"], traces=[(1, 2, 3)]),
        entry("b", traces=[]),
        entry("c"),
        strings={1: "a", 2: "é", -3: ""},
    ),
}
KINDS = pytest.mark.parametrize("kind", SAMPLES)


def read(data: bytes, kind: Kind) -> pa.RecordBatch:
    return decode(data, kind, file="FILE", option=OPTIONS[kind]).batch


def check_refusal(error: InputError, kind: Kind) -> None:
    line = str(error)
    assert line.startswith(f"FILE ({OPTIONS[kind]}): ")
    assert line.isprintable()
    assert error.exit_code is ExitCode.INPUT


def text_of(message: Any) -> bytes:
    return text_format.MessageToString(message, as_utf8=True).encode()


@KINDS
@pytest.mark.parametrize(
    ("form", "write"),
    [
        ("binary", lambda message: message.SerializeToString()),
        ("text", text_of),
        ("binary, gzip", lambda message: gzip.compress(message.SerializeToString())),
        ("text, gzip", lambda message: gzip.compress(text_of(message))),
    ],
)
def test_every_form_gives_the_columns_that_protobuf_reads(kind: Kind, form: str, write: Any) -> None:
    decoded = decode(write(SAMPLES[kind]), kind, file="FILE", option="")
    assert decoded.form == form
    assert not decoded.skipped_unknown_fields
    assert columns_as_plain(decoded.batch) == parse_with_protobuf(SAMPLES[kind].SerializeToString(), kind)


@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(models())
def test_text_and_binary_of_any_message_give_the_same_columns(model: tuple[Any, list[tuple[int, Any]], Any]) -> None:
    made, run_metas, log = model
    messages = [(Kind.GRAPH, made), *((Kind.RUN_META, each) for _, each in run_metas), (Kind.OP_LOG, log)]
    for kind, message in messages:
        if message is not None:
            expected = parse_with_protobuf(message.SerializeToString(), kind)
            assert columns_as_plain(read(text_of(message), kind)) == expected
            assert columns_as_plain(read(message.SerializeToString(), kind)) == expected


@KINDS
@pytest.mark.parametrize(
    ("data", "form"),
    [(b"", "empty"), (b" \n\t\r\n", "empty"), (gzip.compress(b""), "empty, gzip")],
    ids=["no byte", "blanks", "gzip"],
)
def test_nothing_is_a_legal_message_without_content(kind: Kind, data: bytes, form: str) -> None:
    decoded = decode(data, kind, file="FILE", option="")
    assert decoded.form == form
    assert columns_as_plain(decoded.batch) == parse_with_protobuf(b"", kind)


@KINDS
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["binary", "gzip"])
def test_a_cut_file_is_one_clear_line_unless_it_ends_between_two_fields(
    kind: Kind, pack: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    fields = fields_of(SAMPLES[kind])
    whole = pack(encode(fields))
    ends = {0} if pack is gzip.compress else {len(encode(fields[:count])) for count in range(len(fields))}
    # A single newline is skipped: it is the first byte of most messages, but also a blank file, which is valid.
    outcomes = {length: outcome_of(whole[:length], kind) for length in range(len(whole)) if whole[:length] != b"\n"}
    assert {length for length, outcome in outcomes.items() if outcome == "equal"} == ends
    assert capfd.readouterr() == ("", "")


def outcome_of(data: bytes, kind: Kind) -> str:
    """Decode `data` and compare with protobuf: the result is equal or refused; anything else fails the test."""
    try:
        decoded = decode(data, kind, file="FILE", option=OPTIONS[kind])
    except InputError as error:
        check_refusal(error, kind)
        return "refused"
    if "StepStats" in decoded.form:  # what is left when the field around it is lost
        data = new("columns.RawRunMeta", step_stats=data).SerializeToString()
    assert columns_as_plain(decoded.batch) == parse_with_protobuf(data, kind), data.hex()
    return "equal"


@KINDS
def test_bytes_that_were_changed_give_what_protobuf_reads_or_are_refused_too(
    kind: Kind, capfd: pytest.CaptureFixture[str]
) -> None:
    draw = random.Random(f"bytes of {kind}")
    whole = SAMPLES[kind].SerializeToString()
    outcomes = [outcome_of(flip_bytes(whole, draw), kind) for _ in range(1000)]
    assert outcomes.count("equal") > 50
    assert capfd.readouterr() == ("", "")


@KINDS
def test_fields_that_were_changed_give_what_protobuf_reads(kind: Kind, capfd: pytest.CaptureFixture[str]) -> None:
    """Without sniffing, so that unusual but valid messages are compared too; then refusals agree exactly."""
    draw = random.Random(f"fields of {kind}")
    fields = fields_of(SAMPLES[kind])
    assert parse_with_protobuf(encode(fields), kind) == parse_with_protobuf(SAMPLES[kind].SerializeToString(), kind)
    read_back = 0
    for _ in range(1000):
        data = encode(mutate_fields(fields, draw))
        try:
            expected = parse_with_protobuf(data, kind)
        except DecodeError:
            with pytest.raises(ValueError, match=r"."):
                decode_module._to_arrow(data, kind)
            continue
        assert columns_as_plain(decode_module._to_arrow(data, kind)) == expected, data.hex()
        read_back += 1
    assert read_back > 500
    assert capfd.readouterr() == ("", "")


def attr(*fields: Field) -> Field:
    return Field(5, 2, list(fields))


SHAPE_2 = [Field(7, 2, [Field(2, 2, [Field(1, 0, 2)])])]
LIST_3 = [Field(1, 2, [Field(7, 2, [Field(2, 2, [Field(1, 0, 3)])])])]
KEY = Field(1, 2, b"shape")
DIM_2 = {"dim": [{"size": 2}], "unknown_rank": False}


@pytest.mark.parametrize(
    ("attrs", "shape"),
    [
        ([attr(KEY)], None),
        ([attr(KEY, Field(2, 2, b""))], None),
        ([attr(KEY, Field(2, 2, SHAPE_2)), attr(KEY)], None),
        ([attr(KEY), attr(KEY, Field(2, 2, SHAPE_2))], DIM_2),
        ([attr(KEY, Field(2, 2, [*LIST_3, *SHAPE_2]))], DIM_2),
        ([attr(KEY, Field(2, 2, [*SHAPE_2, *LIST_3]))], None),
        ([attr(Field(2, 2, SHAPE_2), KEY)], DIM_2),
        ([attr(KEY, Field(9, 2, b"new"), Field(2, 2, SHAPE_2))], DIM_2),
    ],
    ids=["no value", "empty", "then none", "none first", "shape last", "list last", "value first", "unknown field"],
)
def test_odd_attributes_hold_what_comes_last(attrs: list[Field], shape: Any, capfd: pytest.CaptureFixture[str]) -> None:
    data = encode([Field(1, 2, [Field(1, 2, b"a"), Field(2, 2, b"NoOp"), *attrs])])
    (read_node,) = columns_as_plain(read(data, Kind.GRAPH))["node"]
    assert read_node["attr"]["shape"]["shape"] == shape
    assert capfd.readouterr() == ("", "")


def test_a_decoder_that_panics_is_answered_by_protobufs_own_normal_form(monkeypatch: pytest.MonkeyPatch) -> None:
    class PanicException(BaseException):
        """Stands in for pyo3's exception of this name."""

    whole = SAMPLES[Kind.GRAPH].SerializeToString(deterministic=True)
    expected = read(whole, Kind.GRAPH)
    original = decode_module._handlers()

    class Handler:
        calls = 0

        def list_to_record_batch(self, messages: list[bytes]) -> pa.RecordBatch:
            Handler.calls += 1
            if Handler.calls == 1:
                raise PanicException
            descriptor = message_descriptor("columns.Graph")
            return original.get_for_message(descriptor).list_to_record_batch(messages)

    class Pool:
        def get_for_message(self, _descriptor: Any) -> Handler:
            return Handler()

    monkeypatch.setattr(decode_module, "_handlers", Pool)
    assert read(whole, Kind.GRAPH).equals(expected)
    assert Handler.calls == 2


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (r'node { name: "\377" op: "x" }', "name in line 1 of the GraphDef text is not UTF-8"),
        (r'node { name: "\355\240\200" op: "x" }', "name in line 1 of the GraphDef text is not UTF-8"),
        ('node {\n name: "a" name: "b"\n}', "the GraphDef text cannot be parsed at line 2"),
        ('node { name: "a', "the GraphDef text cannot be parsed at line 1"),
        (
            'node { attr { key: "i" value { i: 99999999999999999999 } } }',
            "the GraphDef text cannot be parsed at line 1",
        ),
        ("node { experimental_type { " + "args { " * 5000 + "} " * 5002, "the GraphDef text is nested too deeply"),
        ("node: hello", "the GraphDef text cannot be parsed at line 1"),
        ("# a comment and nothing else\n", "is plain text, not a GraphDef message"),
    ],
    ids=["UTF-8", "surrogate", "twice", "open string", "integer", "depth", "prose", "comment"],
)
def test_text_that_cannot_be_read_says_why(text: str, problem: str) -> None:
    with pytest.raises(InputError) as caught:
        read(text.encode(), Kind.GRAPH)
    check_refusal(caught.value, Kind.GRAPH)
    assert str(caught.value).removeprefix("FILE (--graph): ").split("; see")[0].startswith(problem)


def test_fields_that_a_newer_tensorflow_added_to_text_are_skipped_and_told() -> None:
    decoded = decode(b'node { name: "a" op: "b" new { x: 1 } }', Kind.GRAPH, file="FILE", option="")
    assert decoded.skipped_unknown_fields
    assert columns_as_plain(decoded.batch)["node"][0]["name"] == "a"


@settings(max_examples=examples(30), deadline=None)
@given(graphs(max_nodes=4))
def test_text_that_was_changed_is_read_or_refused(message: Any) -> None:
    draw = random.Random(0)
    whole = text_of(message)
    for _ in range(20):
        try:
            read(flip_bytes(whole, draw), Kind.GRAPH)
        except InputError as error:
            check_refusal(error, Kind.GRAPH)


@pytest.mark.parametrize(
    "data",
    [
        encode([Field(1, 2, [Field(1, 2, b"\xff"), Field(2, 2, b"NoOp")])]),
        b"\x0a" + b"\x80" * 9 + b"\x01",
        b"\x0a" + b"\xff" * 11,
        b"\x0a" + varint(2**63) + b"a",
        b"\x0a" + varint(2**32 + 1) + b"a",
        b"\x80" * 11,
        b"\x00\x00",
    ],
    ids=["invalid UTF-8", "length 2^63", "endless length", "length 2^63 + a", "length 2^32", "endless tag", "field 0"],
)
def test_bytes_that_no_writer_makes_are_refused(data: bytes) -> None:
    with pytest.raises(InputError) as caught:
        read(data, Kind.GRAPH)
    check_refusal(caught.value, Kind.GRAPH)


def test_members_of_a_gzip_file_are_one_message() -> None:
    whole = SAMPLES[Kind.GRAPH].SerializeToString()
    packed = gzip.compress(whole[:40]) + gzip.compress(whole[40:]) + b"\0\0\0"
    assert read(packed, Kind.GRAPH).equals(read(whole, Kind.GRAPH))


@pytest.mark.parametrize(
    ("packed", "problem"),
    [
        (gzip.compress(b"abc")[:-1], "the gzip data is cut short"),
        (b"\x1f\x8b", "the gzip data is cut short"),
        (gzip.compress(b"abc")[:-8] + b"\0" * 8, "the gzip data is damaged"),
        (gzip.compress(b"abc") + b"more", "the gzip data is damaged"),
        (
            gzip.compress(gzip.compress(b"abc")),
            "is a gzip file within a gzip file, not a GraphDef message",
        ),
    ],
    ids=["cut", "magic only", "checksum", "trailing bytes", "twice"],
)
def test_gzip_that_cannot_be_unpacked_says_why(packed: bytes, problem: str) -> None:
    with pytest.raises(InputError) as caught:
        read(packed, Kind.GRAPH)
    check_refusal(caught.value, Kind.GRAPH)
    assert str(caught.value).startswith(f"FILE (--graph): {problem};")


@pytest.mark.parametrize("members", [1, 3], ids=["one member", "members"])
def test_gzip_stops_at_the_size_that_no_message_has(monkeypatch: pytest.MonkeyPatch, members: int) -> None:
    monkeypatch.setattr(packed_module, "MAX_MESSAGE_BYTES", 10_000)
    with pytest.raises(InputError, match=r"has [0-9,]+ bytes that unpack to more than 10,000 bytes"):
        read(gzip.compress(b"\0" * 5_000) * members if members > 1 else gzip.compress(b"\0" * 50_000), Kind.GRAPH)


def test_an_unknown_escape_in_text_is_read_without_a_word() -> None:
    batch = read(rb'node { name: "a\z" op: "NoOp" }', Kind.GRAPH)
    assert batch.column(0).values.field("name").to_pylist() == ["a\\z"]
