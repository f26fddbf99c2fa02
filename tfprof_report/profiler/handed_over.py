"""Arguments of the Python API to columns: paths, bytes, TensorFlow's messages, and graphs (recognised by methods)."""

from __future__ import annotations

import copyreg
import hashlib
import os
import sys
from collections.abc import Iterable
from typing import Any

from google.protobuf.message import Message

from tfprof_report.errors import InputError, OptionError
from tfprof_report.ingest.decode import Decoded, decode
from tfprof_report.ingest.descriptors import message_class, proto_file
from tfprof_report.ingest.files.file_bytes import read_bytes
from tfprof_report.ingest.graph_def import GraphColumns, read_graph
from tfprof_report.ingest.origin import InputFile
from tfprof_report.ingest.read import ROLES
from tfprof_report.ingest.sniff import Kind
from tfprof_report.record import record
from tfprof_report.schema.metrics import TRAINABLE_TYPE
from tfprof_report.urls import name_of


def parse_message(name: str, data: bytes) -> Message:
    """Return the message with this full name that `data` contains; pickles of messages call it."""
    return message_class(name).FromString(data)


def _parts(message: Message) -> tuple[Any, tuple[str, bytes]]:
    return parse_message, (message.DESCRIPTOR.full_name, message.SerializePartialToString())


def _can_be_pickled(descriptor: Any) -> None:
    """Let `pickle` and `copy` know messages and those within: protobuf looks for their classes in its default pool."""
    copyreg.pickle(message_class(descriptor.full_name), _parts)
    for nested in descriptor.nested_types:
        _can_be_pickled(nested)


for _file in ("tensorflow.proto", "tfprof.proto", "tfprof_options.proto", "tfprof_output.proto"):
    for _each in proto_file(_file).message_types_by_name.values():
        _can_be_pickled(_each)


def _tfprof(name: str) -> Any:
    return message_class(f"tensorflow.tfprof.{name}")


AdviceProto = _tfprof("AdviceProto")


AdvisorOptionsProto = _tfprof("AdvisorOptionsProto")


GraphNodeProto = _tfprof("GraphNodeProto")


MultiGraphNodeProto = _tfprof("MultiGraphNodeProto")


OpLogEntry = _tfprof("OpLogEntry")


OpLogProto = _tfprof("OpLogProto")


OptionsProto = _tfprof("OptionsProto")


ProfileProto = _tfprof("ProfileProto")


_TRAINABLE = "trainable_variables"
"""TensorFlow's name of the collection of trainable variables."""


_NO_LINE = -1


@record
class Given:
    """A message that was passed as an argument: decoded, and a description of the input."""

    decoded: Decoded
    file: InputFile


def read_given(value: Any, kind: Kind, *, step: int | None = None) -> Given:
    """Decode a message given as a path, as bytes (binary or text) or as a protobuf message.

    Raises
    ------
    InputError
        It cannot be read or is not a message of `kind`.
    """
    role = ROLES[kind]
    path, data = given_bytes(value, kind)
    decoded = decode(data, kind, file=path, option=role)
    digest = hashlib.sha256(data).hexdigest()
    file = InputFile(role=role, path=name_of(path), form=decoded.form, size_bytes=len(data), sha256=digest, step=step)
    return Given(decoded=decoded, file=file)


def given_bytes(value: Any, kind: Kind) -> tuple[str, bytes]:
    """Return a message's path, or its type in angle brackets, and its bytes; InputError if it cannot be read."""
    if isinstance(value, str | os.PathLike):
        path = str(os.fspath(value))
        return path, read_bytes(path, option=ROLES[kind])
    name = f"<{type(value).__name__}>"
    if isinstance(value, bytes | bytearray | memoryview):
        return name, bytes(value)
    if hasattr(value, "SerializeToString"):
        return name, value.SerializeToString()
    raise InputError(f"is not of type {kind}", file=name, option=ROLES[kind], advice="give a path, bytes or a message")


def resolve_graph(graph: Any) -> Any:
    """Return the graph: TensorFlow's default graph for None, the attribute ``graph`` of a function, else `graph`.

    Raises
    ------
    OptionError
        `graph` is None, and TensorFlow is not imported.
    """
    if graph is None:
        tensorflow = sys.modules.get("tensorflow")
        if tensorflow is None:
            raise OptionError(
                "no graph is given, and TensorFlow is not imported",
                option="graph",
                advice="give a path, bytes, a GraphDef or a tf.Graph",
            )
        return tensorflow.compat.v1.get_default_graph()
    inner = getattr(graph, "graph", None)
    return inner if not is_live(graph) and is_live(inner) else graph


def is_live(graph: Any) -> bool:
    """Return whether this is a graph object, such as a ``tf.Graph``, and not a path, bytes or a message."""
    return hasattr(graph, "as_graph_def")


def read_any_graph(graph: Any) -> tuple[GraphColumns, InputFile]:
    """Return the columns of a graph: a path, bytes, a GraphDef, or an object with ``as_graph_def``."""
    given = read_given(graph.as_graph_def(add_shapes=True) if is_live(graph) else graph, Kind.GRAPH)
    return read_graph(given.decoded), given.file


def trainable_names(graph: Any) -> list[str]:
    """Return the names of the ops of a graph object's trainable variables."""
    if not hasattr(graph, "get_collection"):
        return []
    return [variable.op.name for variable in graph.get_collection(_TRAINABLE)]


class LogWriter:
    """Writes an OpLogProto entry by entry; strings get ids from `first_id` on, the first one is ``none``."""

    def __init__(self, first_id: int = 0) -> None:
        self._log = OpLogProto()
        self._entries: dict[str, Any] = {}
        self._ids = {"none": first_id}

    def message(self) -> Any:
        """Return the OpLogProto."""
        for string, number in self._ids.items():
            self._log.id_to_string[number] = string
        return self._log

    def add_type(self, node: str, word: str) -> None:
        """Add a type of a node."""
        self._entry(node).types.append(word)

    def add_trace(self, node: str, traceback: Iterable[Any] | None) -> None:
        """Add the frames of a node's call stack, outermost first, as (file, line, function, text)."""
        entry, ids = self._entry(node), self._ids
        none = ids["none"]
        for file, line, function, text, *_ in traceback or ():
            entry.code_def.traces.add(
                file_id=ids.setdefault(file, none + len(ids)) if file else none,
                lineno=line or _NO_LINE,
                function_id=ids.setdefault(function, none + len(ids)) if function else none,
                line_id=ids.setdefault(text, none + len(ids)) if text else none,
                func_start_line=_NO_LINE,
            )

    def _entry(self, node: str) -> Any:
        if node not in self._entries:
            self._entries[node] = self._log.log_entries.add(name=node)
        return self._entries[node]


def log_of(graph: Any, *, with_traces: bool, first_id: int = 0) -> Any:
    """Return an OpLogProto with a graph object's trainable variables and call stacks; empty for any other graph.

    Strings get ids from `first_id` on; the first one is ``none``, as in TensorFlow.
    """
    if not is_live(graph):
        return OpLogProto()
    log = LogWriter(first_id)
    if with_traces and hasattr(graph, "get_operations"):
        for op in graph.get_operations():  # TensorFlow's objects: there are no columns to read
            log.add_trace(op.name, getattr(op, "traceback", None))
    for name in trainable_names(graph):
        log.add_type(name, TRAINABLE_TYPE)
    return log.message()
