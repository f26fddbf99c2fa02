"""Trace a small model as users do, and note which nodes of the graph each of its layers made.

Nothing here guesses from names. While a graph is traced, a layer's call, the gradient of an operation and the update
of a variable are watched, and the nodes that appear meanwhile are theirs. Nodes are created in the order of the
GraphDef, so a range of positions ``[first, after_last]`` says which.
"""

from __future__ import annotations

import functools
import math
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

os.environ |= {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "", "TF_ENABLE_ONEDNN_OPTS": "0"}

import tensorflow as tf
from tensorflow.python import pywrap_tfe
from tensorflow.python.eager import backprop

tf1 = tf.compat.v1
KEPT_ELEMENTS = 16
"""Constants with more elements than this are emptied; those that define shapes have fewer."""

Range = tuple[int, int]


@dataclass
class Owned:
    """The nodes that one layer made in one graph, as ranges of positions."""

    forward: list[Range] = field(default_factory=list)
    gradient: list[Range] = field(default_factory=list)
    update: list[Range] = field(default_factory=list)

    def facts(self) -> dict[str, list[Range]]:
        """Return the ranges that are not empty, neighbours joined."""
        return {name: joined(ranges) for name, ranges in vars(self).items() if ranges}


def joined(ranges: list[Range]) -> list[Range]:
    """Return the same positions in the fewest ranges, in order."""
    found: list[Range] = []
    for first, last in sorted(ranges):
        if found and first <= found[-1][1]:
            found[-1] = found[-1][0], max(last, found[-1][1])
        else:
            found.append((first, last))
    return found


@dataclass
class Watch:
    """What was seen of each layer, by its number in the list of layers.

    Parameters
    ----------
    leaves
        The number of each layer by ``id``.
    variables
        The number of the layer of each variable by ``id``.
    """

    leaves: dict[int, int]
    variables: dict[int, int] = field(default_factory=dict)
    shapes: dict[int, list[list[int | None]]] = field(default_factory=dict)
    owned: dict[int, Owned] = field(default_factory=dict)
    node_owner: dict[str, int] = field(default_factory=dict)

    @contextmanager
    def note(self, layer: int | None, kind: str) -> Iterator[None]:
        """Give the nodes that appear meanwhile to a layer."""
        if layer is None or tf.executing_eagerly():
            yield
            return
        graph = tf1.get_default_graph()
        first = len(graph.get_operations())
        yield
        nodes = graph.get_operations()[first:]
        if kind == "forward":  # what layers inside made is theirs
            places = [place for place, each in enumerate(nodes, first) if each.name not in self.node_owner]
            self.node_owner |= {each.name: layer for each in nodes if each.name not in self.node_owner}
            found = [(place, place + 1) for place in places]
        else:
            found = [(first, first + len(nodes))] if nodes else []
        if found:
            getattr(self.owned.setdefault(layer, Owned()), kind).extend(found)

    def owner_of(self, tensors: Any, scope: str) -> int | None:
        """Return the layer that made the first known tensor, else everything in the operation's name scope."""
        for each in tensors or ():
            if hasattr(each, "op") and each.op.name in self.node_owner:
                return self.node_owner[each.op.name]
        scope = scope.rstrip("/") + "/"
        inside = {owner for name, owner in self.node_owner.items() if f"{name}/".startswith(scope)}
        return inside.pop() if scope != "/" and len(inside) == 1 else None


@contextmanager
def calls_watched(layer_class: Any, watch: Watch) -> Iterator[None]:
    """Note the nodes and output shapes of all calls of layers."""
    original = layer_class.__call__

    @functools.wraps(original)
    def call(layer: Any, *args: Any, **options: Any) -> Any:
        number = watch.leaves.get(id(layer))
        with watch.note(number, "forward"):
            output = original(layer, *args, **options)
        if number is not None:
            shapes = [list(each.shape) for each in tf.nest.flatten(output) if hasattr(each, "shape")]
            watch.shapes.setdefault(number, []).extend(shapes[:1])
        return output

    layer_class.__call__ = call
    try:
        yield
    finally:
        layer_class.__call__ = original


@contextmanager
def gradients_watched(watch: Watch) -> Iterator[None]:
    """Note the nodes of all gradients that a tape computes."""
    original = backprop._gradient_function  # noqa: SLF001

    def gradient(*args: Any) -> Any:
        *_, outputs, _, _, scope = args  # and between them the gradients of the outputs, and the inputs to skip
        with watch.note(watch.owner_of(outputs, scope), "gradient"):
            return original(*args)

    pywrap_tfe.TFE_Py_RegisterGradientFunction(gradient)
    try:
        yield
    finally:
        pywrap_tfe.TFE_Py_RegisterGradientFunction(original)


def resource(variable: Any) -> Any:
    """Return the tf.Variable of a variable of any Keras."""
    return variable if isinstance(variable, tf.Variable) else variable.value


@contextmanager
def updates_watched(optimizer: Any, watch: Watch) -> Iterator[None]:
    """Note the nodes with which an optimizer of Keras updates a variable."""
    original = optimizer.update_step

    def update(gradient: Any, variable: Any, *rest: Any) -> Any:
        with watch.note(watch.variables.get(id(resource(variable))), "update"):
            return original(gradient, variable, *rest)

    optimizer.update_step = update
    try:
        yield
    finally:
        del optimizer.update_step


def train_graph(
    step: Callable[..., Any], specs: list[Any], watch: Watch, *, layer_classes: Sequence[Any], optimizer: Any = None
) -> tuple[Any, dict[int, str]]:
    """Return the GraphDef of a training step, and for each captured resource (by ``id``) its placeholder's name."""
    watch.owned, watch.node_owner = {}, {}
    with ExitStack() as stack:
        for each in layer_classes:
            stack.enter_context(calls_watched(each, watch))
        stack.enter_context(gradients_watched(watch))
        if optimizer is not None:
            stack.enter_context(updates_watched(optimizer, watch))
        graph = tf.function(step, autograph=False).get_concrete_function(*specs).graph
    message = graph.as_graph_def(add_shapes=True)
    if [each.name for each in graph.get_operations()] != [each.name for each in message.node]:
        raise RuntimeError("the nodes of the GraphDef are not in the order of their creation")
    return message, {id(outer): inner.op.name for outer, inner in graph.captures}


def served_graph(saved: str) -> Any:
    """Return the graph of a SavedModel's signature, as a session of TensorFlow 1 loads it."""
    with tf.Graph().as_default() as graph, tf1.Session() as session:
        tf1.saved_model.load(session, ["serve"], saved)
        return graph.as_graph_def(add_shapes=True)


def infer_graph(predict: Callable[..., Any], variables: list[Any], specs: list[Any]) -> Any:
    """Return the graph of a function as it is served: saved as a signature and loaded again."""
    module = tf.Module()
    module.variables_of_model = variables
    with tempfile.TemporaryDirectory() as saved:
        function = tf.function(predict, autograph=False).get_concrete_function(*specs)
        tf.saved_model.save(module, saved, signatures=function)
        return served_graph(saved)


def variables_read(message: Any, watch: Watch) -> dict[str, set[int]]:
    """Return the layers whose forward pass reads each node, by the node's name."""
    found: dict[str, set[int]] = {}
    for node in message.node:
        for name in node.input if node.name in watch.node_owner else ():
            found.setdefault(name, set()).add(watch.node_owner[node.name])
    return found


def served_nodes(message: Any, watch: Watch) -> tuple[str, dict[int, list[Range]]]:
    """Return the function of a served graph that holds the layers, and the ranges of its nodes by layer."""
    owner = watch.node_owner
    function = max(message.library.function, key=lambda each: sum(node.name in owner for node in each.node_def))
    found: dict[int, list[Range]] = {}
    for place, node in enumerate(function.node_def):
        if node.name in owner:
            found.setdefault(owner[node.name], []).append((place, place + 1))
    return function.signature.name, {layer: joined(ranges) for layer, ranges in found.items()}


def emptied(message: Any) -> Any:
    """Return the GraphDef without the elements of large constants."""
    functions = (node for function in message.library.function for node in function.node_def)
    for node in [*message.node, *functions]:
        tensor = node.attr["value"].tensor
        if node.op == "Const" and math.prod(size.size for size in tensor.tensor_shape.dim) > KEPT_ELEMENTS:
            for name in ("tensor_content", "float_val"):
                tensor.ClearField(name)
    return message
