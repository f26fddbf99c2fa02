"""Legal but odd messages are read: only what protobuf itself cannot parse is damaged."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from examples import examples
from google.protobuf.message import DecodeError
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from messages import entry, graph, models, new, node, op_log, ran, run_meta, with_library
from wire import Field, columns_as_plain, encode, fields_of, parse_with_protobuf

from tfprof_report.errors import InputError
from tfprof_report.ingest.decode import decode
from tfprof_report.ingest.descriptors import message_class
from tfprof_report.ingest.sniff import FULL_NAMES, Kind

GROUP = [Field(99, 3, b""), Field(1, 0, 5), Field(98, 3, b""), Field(98, 4, b""), Field(99, 4, b"")]
UNKNOWN = [Field(100 + number, 0, 7) for number in range(60)]
A = node("a", "NoOp")


def raw(message: Any, *more: Field) -> bytes:
    """Return the bytes of a message with more fields at its end."""
    data: bytes = message.SerializeToString()
    return data + encode(list(more))


def inside(message: Any, *more: Field) -> bytes:
    """Return the bytes of a message of which the first field, a message, has more fields."""
    first, *others = fields_of(message)
    assert isinstance(first.value, list)
    return encode([Field(first.number, 2, [*first.value, *more]), *others])


DEVICE = "/device:CPU:0"
PROFILE_NODE = partial(new, "tensorflow.tfprof.ProfileNode")
ODD: dict[str, tuple[Kind, bytes]] = {
    "a nameless node": (Kind.GRAPH, raw(graph(node("", ""), A))),
    "nothing but nameless nodes": (Kind.GRAPH, raw(graph(node("", "Add"), node("", "")))),
    "a node without op": (Kind.GRAPH, raw(graph(node("a", ""), A))),
    "an op without name": (Kind.GRAPH, raw(graph(node("", "NoOp", "x", "y")))),
    "two nodes of a name": (Kind.GRAPH, raw(graph(A, A))),
    "nodes of control characters": (Kind.GRAPH, raw(graph(node("\x01", "\x02"), node("\n", "\x7f")))),
    "a library of a nameless function": (Kind.GRAPH, raw(with_library(graph(), new("tensorflow.FunctionDef")))),
    "unknown fields": (Kind.GRAPH, raw(graph(A), *UNKNOWN)),
    "unknown fields first": (Kind.GRAPH, encode(UNKNOWN) + raw(graph(A))),
    "a node of unknown fields": (Kind.GRAPH, inside(graph(A), *UNKNOWN)),
    "groups": (Kind.GRAPH, raw(graph(A), *GROUP)),
    "groups in a node": (Kind.GRAPH, inside(graph(A), *GROUP)),
    "fixed numbers": (Kind.GRAPH, raw(graph(A)) + b"\xa5\x06abcd\xa1\x06abcdefgh"),
    "another wire type": (Kind.GRAPH, inside(graph(A), Field(4, 0, 5), Field(1, 0, 3))),
    "negative versions": (Kind.GRAPH, raw(graph(A)) + b"\x18" + b"\xff" * 9 + b"\x01"),
    "a nameless record": (Kind.RUN_META, raw(run_meta({DEVICE: [ran("")]}))),
    "an empty record": (Kind.RUN_META, raw(run_meta({DEVICE: [new("tensorflow.NodeExecStats")]}))),
    "a nameless device": (Kind.RUN_META, raw(run_meta({"": [ran("a")]}))),
    "nameless records of nameless devices": (Kind.RUN_META, raw(run_meta([("", [ran("")]), ("", [ran("")])]))),
    "an empty device": (Kind.RUN_META, raw(run_meta({"": []}))),
    "run metadata with unknown fields": (Kind.RUN_META, raw(run_meta({DEVICE: [ran("a")]}), *UNKNOWN)),
    "a nameless entry": (Kind.OP_LOG, raw(op_log(entry("", float_ops=4)))),
    "a nameless entry beside another": (Kind.OP_LOG, raw(op_log(entry("", float_ops=4), entry("m", float_ops=8)))),
    "an empty entry beside another": (Kind.OP_LOG, raw(op_log(entry("m", float_ops=4), entry("")))),
    "an empty entry beside a name": (Kind.OP_LOG, raw(op_log(entry("m"), entry("")))),
    "a negative id": (Kind.OP_LOG, raw(op_log(strings={-7: "f", 0: ""}))),
    "negative FLOPs": (Kind.OP_LOG, raw(op_log(entry("", float_ops=-4)))),
    "a nameless node of a profile": (
        Kind.PROFILE,
        raw(new("tensorflow.tfprof.ProfileProto", nodes={0: PROFILE_NODE(op="Add", id=-3), -1: PROFILE_NODE()})),
    ),
    "a profile of steps": (Kind.PROFILE, raw(new("tensorflow.tfprof.ProfileProto", steps=[1, -2], has_trace=True))),
}


@pytest.mark.parametrize("name", ODD)
def test_a_legal_message_is_read_as_protobuf_reads_it(name: str) -> None:
    kind, data = ODD[name]
    message_class(FULL_NAMES[kind]).FromString(data)  # it is legal
    decoded = decode(data, kind, file="FILE", option="")
    assert decoded.form == "binary"
    if kind is not Kind.PROFILE:
        assert columns_as_plain(decoded.batch) == parse_with_protobuf(data, kind)


STEP_STATS = run_meta({DEVICE: [ran("a", micros=5), ran("b")], "/device:GPU:0": [ran("c")]})
NAMELESS_STATS = run_meta({DEVICE: [ran("")]})


@pytest.mark.parametrize("trace", [STEP_STATS, NAMELESS_STATS], ids=["usual", "nameless"])
def test_step_stats_alone_are_run_metadata(trace: Any) -> None:
    read = decode(trace.step_stats.SerializeToString(), Kind.RUN_META, file="FILE", option="")
    assert read.form == "binary, StepStats"
    assert read.batch.equals(decode(trace.SerializeToString(), Kind.RUN_META, file="FILE", option="").batch)
    text = decode(str(trace.step_stats).encode(), Kind.RUN_META, file="FILE", option="")
    assert (text.form, text.batch.equals(read.batch)) == ("text, StepStats", True)
    with pytest.raises(InputError, match=r"it looks like a StepStats message; pass it with --base-run-meta$"):
        decode(STEP_STATS.step_stats.SerializeToString(), Kind.GRAPH, file="FILE", option="--base-graph")


@st.composite
def odd_messages(draw: st.DrawFn) -> tuple[Kind, bytes]:
    """Draw a legal message: nodes, devices or entries with or without names, and fields that nobody knows."""
    made, run_metas, log = draw(models())
    kind, message = draw(
        st.sampled_from(
            [
                (Kind.GRAPH, made),
                *((Kind.RUN_META, run) for _, run in run_metas),
                (Kind.OP_LOG, log or op_log(entry("a"))),
            ]
        )
    )
    fields = fields_of(message)
    inner = [field.value for field in fields if isinstance(field.value, list)]
    for place in draw(st.lists(st.sampled_from([fields, *inner]), max_size=4)):
        more = st.sampled_from([GROUP, UNKNOWN, UNKNOWN[:1], [Field(77, 2, b"\x0a\x01a")]])
        place[0:0] = draw(more)
    for each in inner:
        if draw(st.booleans()):
            each[:] = [field for field in each if field.number != 1]
    return kind, encode(fields)


@settings(max_examples=examples(30), deadline=None, suppress_health_check=list(HealthCheck))
@given(odd_messages(), st.binary(max_size=6))
@example((Kind.GRAPH, b"\x0a\x02\x12\x00"), b"")
def test_nothing_that_protobuf_parses_is_called_damaged(odd: tuple[Kind, bytes], tail: bytes) -> None:
    kind, data = odd[0], odd[1] + tail
    try:
        message_class(FULL_NAMES[kind]).FromString(data)
    except DecodeError:
        with pytest.raises(InputError):
            decode(data, kind, file="FILE", option="")
        return
    try:
        problem = str(decode(data, kind, file="FILE", option="").form)
    except InputError as error:
        problem = str(error)
    assert "damaged" not in problem
