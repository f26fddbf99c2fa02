"""With protoc, and in one long line, a text is read as the parser in Python reads its lines, to byte and error."""

from __future__ import annotations

from itertools import chain

import pytest
from google.protobuf import text_format
from hypothesis import given
from hypothesis import strategies as st

from tfprof_report.errors import InputError
from tfprof_report.ingest.descriptors import message_class
from tfprof_report.ingest.sniff import Kind
from tfprof_report.ingest.text import text_message

GRAPHS = {
    "plain": 'node { name: "a" op: "B" input: "^c" attr { key: "n" value { i: -3 } } } versions { producer: 5 }',
    "forms of text": "# a comment\nnode < name: 'a' \"b\\n\\303\\251\\x41\", op: 'B'; >\n",
    "floats": 'node { attr { key: "f" value { f: 1e39 } } attr { key: "g" value { f: -nan } }'
    ' attr { key: "h" value { f: 0.1f } } }',
    "a list": 'node { attr { key: "l" value { list { i: [1, 2] b: [true, t, 1] type: DT_FLOAT type: 99 } } } }',
    "a key twice": 'node { attr { key: "a" value { i: 1 } } attr { key: "a" value { f: 2.5 } } }',
    "a field twice": 'node { name: "a" name: "b" }',
    "both of a oneof": 'node { attr { key: "a" value { i: 1 f: 2 } } }',
    "an unknown field": 'node { name: "a" newer: 1 }',
    "an unknown escape": 'node { name: "\\z" }',
    "not UTF-8 escaped": 'node { name: "\\377" }',
    "cut off": 'node {\n  name: "a"\n  op: ',
    "too large": 'node { attr { key: "a" value { i: 9223372036854775808 } } }',
    "not a message": "\n\nhello",
    "nested deeply": "node { attr { value { " + "func { attr { value { " * 60 + "i: 1" + " } } }" * 60 + " } } }",
    "a byte order mark": '\ufeffnode { name: "a" }',
}
RESERVED = 'log_entries { name: "x" code_def { traces { lineno: 3 file: "a.py" } } }'


def read(text: bytes, kind: Kind = Kind.GRAPH) -> tuple[bytes, bool] | tuple[str, str]:
    try:
        return text_message.text_to_binary(text, kind, file="f", option="--graph")
    except InputError as error:
        return str(error), error.details


@pytest.fixture
def by_protoc(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("grpc_tools")
    monkeypatch.setattr(text_message, "LEAST", 0)


@pytest.mark.usefixtures("by_protoc")
@pytest.mark.parametrize("name", GRAPHS)
def test_protoc_and_python_read_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = read(GRAPHS[name].encode())
    monkeypatch.setattr(text_message, "is_installed", lambda: False)
    assert read(GRAPHS[name].encode()) == found


@pytest.mark.usefixtures("by_protoc")
def test_text_that_is_not_utf_8_has_the_same_error(monkeypatch: pytest.MonkeyPatch) -> None:
    found = read(b'node { name: "\xff" }')
    monkeypatch.setattr(text_message, "is_installed", lambda: False)
    assert read(b'node { name: "\xff" }') == found


@pytest.mark.usefixtures("by_protoc")
def test_fields_that_are_left_out_count_as_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    by_protoc = text_message.encode(RESERVED.encode(), "tensorflow.tfprof.OpLogProto")
    assert by_protoc == read(RESERVED.encode(), Kind.OP_LOG)
    monkeypatch.setattr(text_message, "is_installed", lambda: False)
    assert read(RESERVED.encode(), Kind.OP_LOG)[1] is True


@pytest.mark.usefixtures("by_protoc")
def test_python_does_not_read_what_protoc_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    message = message_class("tensorflow.GraphDef")()
    text_format.Parse(GRAPHS["plain"], message)

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError

    monkeypatch.setattr(text_format, "Parse", refuse)
    assert read(GRAPHS["plain"].encode()) == (message.SerializeToString(deterministic=True), False)


def test_small_text_starts_no_protoc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_message, "encode", lambda *_: pytest.fail("started"))
    assert read(GRAPHS["plain"].encode())[1] is False


WORDS = ["node", " ", "  ", "{", "}", "<", ",", ":", "[", "]", "x", "1", "-", ".5", "'a\\''", '"b#"', "'", "\\"]


@given(st.lists(st.sampled_from(WORDS)), st.booleans())
def test_pieces_of_a_line_end_between_tokens(words: list[str], has_comment: bool) -> None:  # noqa: FBT001
    line = "".join(words) + "# it's \"" * has_comment
    pieces = text_message._PIECE.findall(line)
    assert "".join(pieces) == line
    assert list(map(tokens, [line])) == [list(chain.from_iterable(map(tokens, pieces)))]


def tokens(line: str) -> list[str]:
    tokenizer = text_format.Tokenizer([line])
    found = []
    while not tokenizer.AtEnd():
        found.append(tokenizer.token)
        tokenizer.NextToken()
    return found


@pytest.mark.parametrize("name", GRAPHS)
def test_a_long_line_is_read_as_its_parts(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = read(GRAPHS[name].encode())
    monkeypatch.setattr(text_message, "_LONG", 0)
    with_details = read(GRAPHS[name].encode())
    assert with_details[0] == found[0]


def test_the_line_of_an_error_is_that_of_the_file() -> None:
    long, words = "# a comment\n" + 'node { name: "a" } ' * 1000, "of the GraphDef text is not UTF-8"
    for text, problem in (
        (f"{long}\n\nnode ?", "the GraphDef text cannot be parsed at line 4"),
        (f"{long} ?\n", "the GraphDef text cannot be parsed at line 2"),
        (f'{long} node {{ name: "\\377" }}', f"name in line 2 {words}"),
        (f'{long}\nnode {{\n op:\n"\\377" }}', f"op in line 5 {words}"),
    ):
        assert read(text.encode())[0].split("; ")[0] == f"f (--graph): {problem}"
