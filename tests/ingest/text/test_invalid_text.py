"""Text that is not UTF-8 is named with its field, in every string field that is read."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from messages import entry, graph, node, op_log, ran, run_meta

from tfprof_report.errors import InputError
from tfprof_report.ingest.decode import COLUMNS, decode
from tfprof_report.ingest.descriptors import message_descriptor
from tfprof_report.ingest.sniff import FULL_NAMES, Kind
from tfprof_report.ingest.text.invalid_text import invalid_text

WHOLE = {
    Kind.GRAPH: graph(node("a", "Add"), node("b", "Mul")).SerializeToString(),
    Kind.RUN_META: run_meta({"/cpu:0": [ran("a", micros=5), ran("b", micros=1)]}).SerializeToString(),
    Kind.OP_LOG: op_log(entry("a", float_ops=1), entry("b", float_ops=2)).SerializeToString(),
}
Path = tuple[FieldDescriptor, ...]


def paths_to_text(message: Descriptor, above: Path = ()) -> Iterator[Path]:
    """Yield the fields that lead to each string field, each message type once on a path."""
    for field in message.fields:
        if field.type == FieldDescriptor.TYPE_STRING:
            yield (*above, field)
        elif field.message_type is not None and field.message_type not in [each.message_type for each in above]:
            yield from paths_to_text(field.message_type, (*above, field))


def bytes_of(path: Path, text: bytes) -> bytes:
    """Return a message with this text at the end of a path, and nothing else."""
    for field in reversed(path):
        assert len(text) < 128
        text = bytes(varint(field.number << 3 | 2)) + bytes([len(text)]) + text
    return text


def varint(number: int) -> list[int]:
    return [number] if number < 128 else [number & 127 | 128, *varint(number >> 7)]


@pytest.mark.parametrize("kind", WHOLE)
def test_every_string_field_is_named(kind: Kind) -> None:
    paths = list(paths_to_text(message_descriptor(COLUMNS[kind])))
    assert len(paths) > 2
    for path in paths:
        data = 200 * WHOLE[kind] + bytes_of(path, b"caf\xe9")
        with pytest.raises(InputError) as caught:
            decode(data, kind, file="f", option="--o")
        field = f"{path[-2].message_type.name}.{path[-1].name}"
        assert f'.{path[-1].name} is not UTF-8: "caf\\xe9"; protobuf allows no other text' in str(caught.value), field


def test_the_message_is_named_as_in_tensorflow() -> None:
    data = WHOLE[Kind.GRAPH].replace(b"Add", b"\xff\xfe\xfd")
    with pytest.raises(InputError) as caught:
        decode(data, Kind.GRAPH, file="g.pb", option="--graph")
    words = r'NodeDef.op is not UTF-8: "\xff\xfe\xfd"; protobuf allows no other text'
    assert str(caught.value) == f"g.pb (--graph): {words}"


@pytest.mark.parametrize("kind", WHOLE)
def test_a_whole_message_and_one_that_is_cut_short_have_no_such_text(kind: Kind) -> None:
    message = message_descriptor(FULL_NAMES[kind])
    assert all(invalid_text(WHOLE[kind][:end], message) is None for end in range(len(WHOLE[kind]) + 1))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            b'node { name: "a" op: "A" }\nnode { name: "caf\xe9" }',
            "the GraphDef text is not UTF-8 (byte 0xe9 in line 2)",
        ),
        (b'# caf\xe9\nnode { name: "a" op: "A" }', "the GraphDef text is not UTF-8 (byte 0xe9 in line 1)"),
        (b'node { name: "a"\n op: "A\\351" }', "op in line 2 of the GraphDef text is not UTF-8"),
        (b'node { name: "a" op: "A" input: "\\xff" }', "input in line 1 of the GraphDef text is not UTF-8"),
    ],
)
def test_a_text_file_is_named_with_the_line(text: bytes, words: str) -> None:
    with pytest.raises(InputError) as caught:
        decode(text, Kind.GRAPH, file="g.pbtxt", option="--graph")
    assert str(caught.value).partition(";")[0] == f"g.pbtxt (--graph): {words}"
