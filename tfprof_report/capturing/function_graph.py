"""The graph of a concrete function as a GraphDef whose variables have names and shapes, and its op log."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping, MutableSet, Sequence
from pathlib import Path
from typing import Any

from tfprof_report.capturing.variable_names import handle_of
from tfprof_report.model.functions.calls import ROLES, SCOPES
from tfprof_report.model.functions.inline import MAX_EXPANDED, MAX_NESTING
from tfprof_report.profiler.handed_over import LogWriter
from tfprof_report.schema.metrics import TRAINABLE_TYPE

_FRAMEWORK = re.compile(r"[/\\](site|dist)-packages[/\\](tensorflow|keras|tf_keras)[/\\]")
_OWN = str(Path(__file__).parent)
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_.\-/]")

_CALLS: dict[str, list[tuple[str, str]]] = {}
for _word, _role in ROLES.items():
    _op, _attr = _word.split(":")
    _CALLS.setdefault(_op, []).append((_attr, SCOPES[int(_role)].as_py()))
"""Per op type that calls functions, the attributes that name these and the scopes that they are inlined in."""


def graph_and_log(concrete: Any, paths: Mapping[int, str]) -> tuple[bytes, bytes]:
    """Return the bytes of a GraphDef and of an OpLogProto of a ``ConcreteFunction``.

    Variables that the function captures are placeholders of handles, which have neither name nor shape. Here each is
    the ``VarHandleOp`` that a SavedModel has in its place, with the name in `paths` (by identity of the handle), else
    the variable's own. The log says which variables are trained, and which lines of code made the nodes, those of
    functions that it calls included, under the names that `inline.expand_functions` gives them. Frames within
    TensorFlow and Keras, which are nine of ten, are left out.
    """
    graph = concrete.graph
    message = graph.as_graph_def(add_shapes=True)
    variables = _captured_variables(graph)
    taken = {node.name for node in message.node}
    names = {
        placeholder: _free_name(paths.get(id(handle_of(variable))) or variable.name, taken)
        for placeholder, variable in variables.items()
    }
    for node in message.node:
        if node.name in names:
            _make_variable(node, names[node.name], variables[node.name])
        for position, given in enumerate(node.input):
            mark, name, output = re.fullmatch(r"(\^?)(.*?)((?::\d+)?)", given, re.DOTALL).groups()  # type: ignore[union-attr]
            if name in names:
                node.input[position] = f"{mark}{names[name]}{output}"
    log, keeps = LogWriter(), _Keeps()
    bodies = {each.signature.name: [node.name for node in each.node_def] for each in message.library.function}
    for name, traceback in _tracebacks(graph, bodies):
        log.add_trace(names.get(name, name), [frame for frame in traceback or () if keeps[frame[0]]])
    for placeholder, variable in variables.items():
        if variable.trainable:
            log.add_type(names[placeholder], TRAINABLE_TYPE)
    return message.SerializeToString(deterministic=True), log.message().SerializeToString(deterministic=True)


class _Keeps(dict[str, bool]):
    """Per file whether frames in it are kept: the file is of neither TensorFlow nor Keras, nor of this package."""

    def __missing__(self, file: str) -> bool:
        self[file] = _FRAMEWORK.search(file) is None and not file.startswith(_OWN)
        return self[file]


def _captured_variables(graph: Any) -> dict[str, Any]:
    """Return the variables that a function graph captures, by the names of their placeholders."""
    by_handle = {id(handle): each for each in graph.variables if (handle := handle_of(each)) is not None}
    return {inner.op.name: by_handle[id(outer)] for outer, inner in graph.captures if id(outer) in by_handle}


def _free_name(wanted: str, taken: MutableSet[str]) -> str:
    """Return `wanted`, with a number if it is taken, as a name that inputs can refer to; it is taken from then on."""
    base = _NOT_IN_NAMES.sub("_", wanted.removesuffix(":0")).lstrip("/_-") or "variable"
    name, number = base, 0
    while name in taken:
        number += 1
        name = f"{base}_{number}"
    taken.add(name)
    return name


def _make_variable(node: Any, name: str, variable: Any) -> None:
    node.name, node.op = name, "VarHandleOp"
    shapes = list(node.attr["_output_shapes"].list.shape)
    node.attr.clear()
    node.attr["dtype"].type = variable.dtype.as_datatype_enum
    node.attr["shape"].shape.CopyFrom(variable.shape.as_proto())
    node.attr["shared_name"].s = name.encode()
    node.attr["container"].s = b""
    node.attr["_output_shapes"].list.shape.extend(shapes)


def _tracebacks(graph: Any, bodies: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, Any]]:
    """Yield the name and the call stack of each node of a graph and of the functions that it calls.

    `bodies` has the names of the nodes of each function, which are other ones than in its graph where the function has
    an argument or a result of that name. The order is the same.
    """
    own = [op.name for op in graph.get_operations()]
    waiting, count = deque[tuple[str, Any, Sequence[str], int]]([("", graph, own, 0)]), 0
    while waiting:
        scope, owner, names, depth = waiting.popleft()
        arguments = {id(each.op) for each in owner.inputs} if depth else set()  # inlining replaces them by inputs
        ops = [op for op in owner.get_operations() if id(op) not in arguments]
        count += len(ops)
        for op, name in zip(ops, names, strict=False):
            yield scope + name, op.traceback
            if depth < MAX_NESTING and count < MAX_EXPANDED:
                called = ((role, each, owner._get_function(each)) for role, each in _called_by(op))  # noqa: SLF001 (no other way)
                waiting.extend(
                    (f"{scope}{name}{role}/", inner.graph, bodies.get(each, ()), depth + 1)
                    for role, each, inner in called
                    if inner is not None
                )


def _called_by(op: Any) -> Iterator[tuple[str, str]]:
    """Yield the scope of each function that an op calls, below the op's name, and the function's name."""
    for attr, scope in _CALLS.get(op.type, ()):
        value = op.get_attr(attr)
        if isinstance(value, list):
            yield from ((f"{scope}{number}", each.name) for number, each in enumerate(value))
        else:
            yield scope, value.name
