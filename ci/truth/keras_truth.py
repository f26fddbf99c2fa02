"""The graphs of a Keras model, and its layers as Keras itself lists them; Keras 3 and Keras 2."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from truth import record


@dataclass(frozen=True)
class Made:
    """A Keras model and how it is trained.

    Parameters
    ----------
    keras
        The package it was made with: ``keras`` or ``tf_keras``.
    model
        The model.
    inputs
        A TensorSpec for each input, batch included.
    optimizer
        Its optimizer; None records no training graph.
    is_fitted
        Train with Keras' own training step instead of a loop of the user.
    is_exported
        Save with ``model.export`` instead of ``tf.saved_model.save``.
    """

    keras: Any
    model: Any
    inputs: list[Any]
    optimizer: Any = None
    is_fitted: bool = False
    is_exported: bool = False

    def called(self, *inputs: Any, training: bool = False) -> Any:
        """Return the model's output."""
        return self.model(list(inputs) if len(inputs) > 1 else inputs[0], training=training)


def children(layer: Any) -> list[Any]:
    """Return the layers that a layer directly holds."""
    return list(layer._flatten_layers(recursive=False, include_self=False))  # noqa: SLF001


def is_container(keras: Any, layer: Any) -> bool:
    """Return whether people see through a layer: a model, or a class of the user that holds layers.

    Layers of Keras itself that are made of others (LSTM of a cell, MultiHeadAttention of projections) are one layer.
    """
    own = type(layer).__module__.startswith(("keras.", "tf_keras."))
    return isinstance(layer, keras.Model) or (not own and bool(children(layer)))


def leaves_of(made: Made) -> list[tuple[Any, tuple[str, ...]]]:
    """Return each layer with the names of what contains it; a container that has weights of its own is one too."""
    found: dict[int, tuple[Any, tuple[str, ...]]] = {}

    def walk(layer: Any, within: tuple[str, ...]) -> None:
        if id(layer) in found or isinstance(layer, made.keras.layers.InputLayer):
            return
        if not is_container(made.keras, layer):
            found[id(layer)] = layer, within
            return
        if own_weights(made, layer):
            found[id(layer)] = layer, within
        for each in children(layer):
            walk(each, (*within, layer.name))

    walk(made.model, ())
    return list(found.values())


def own_weights(made: Made, layer: Any) -> list[Any]:
    """Return the weights of a layer, for a container those that no layer in it has."""
    if not is_container(made.keras, layer):
        return list(layer.weights)
    held = {id(weight) for each in children(layer) for weight in each.weights}
    return [each for each in layer.weights if id(each) not in held]


def path_of(weight: Any) -> str:
    """Return a weight's full name."""
    return str(getattr(weight, "path", weight.name.split(":")[0]))


def is_in(weight: Any, weights: list[Any]) -> bool:
    """Return whether a weight is one of these."""
    return any(weight is each for each in weights)


def weight_facts(weight: Any, nodes: dict[int, str]) -> dict[str, Any]:
    """Return name, path, shape, trainable, and the node of the training graph that is the variable."""
    facts = {"name": weight.name, "path": path_of(weight)}
    facts |= {"shape": list(weight.shape), "trainable": bool(weight.trainable)}
    node = nodes.get(id(record.resource(weight).handle))
    return facts | ({"train_node": node} if node else {})


def elements(weights: list[Any], *, trainable: bool) -> int:
    """Return how many elements the weights of a kind have in all."""
    return sum(int(tf.TensorShape(each.shape).num_elements()) for each in weights if bool(each.trainable) == trainable)


def loss_of(outputs: Any, wanted: Any) -> Any:
    """Return the cross-entropy of labels, or the mean squared error where the target has the shape of the output."""
    if wanted.dtype.is_integer:
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=wanted, logits=outputs))
    return tf.reduce_mean((outputs - wanted) ** 2)


def step_of(made: Made, measured: Callable[..., Any] = loss_of) -> tuple[Callable[..., Any], list[Any]]:
    """Return a training step and the specs of its arguments."""
    model, count = made.model, len(made.inputs)
    outputs = made.called(*(tf.zeros(each.shape, each.dtype) for each in made.inputs))
    labels = tf.TensorSpec(outputs.shape[:1], tf.int32, "labels")
    target = labels if len(outputs.shape) == 2 else tf.TensorSpec(outputs.shape, outputs.dtype, "target")  # noqa: PLR2004

    def step(*args: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = measured(made.called(*args[:count], training=True), args[count])
        gradients = tape.gradient(loss, model.trainable_variables)
        made.optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return loss

    def fitted(*args: Any) -> Any:
        return model.train_step((list(args[:count]) if count > 1 else args[0], args[count]))

    if made.is_fitted:
        loss = "sparse_categorical_crossentropy" if target is labels else "mse"
        model.compile(optimizer=made.optimizer, loss=loss, jit_compile=False)
    return (fitted if made.is_fitted else step), [*made.inputs, target]


def served(made: Made) -> Any:
    """Return the graph of the model as it is served."""
    if not made.is_exported:
        variables = [record.resource(each) for each in made.model.variables]
        return record.infer_graph(made.called, variables, made.inputs)
    with tempfile.TemporaryDirectory() as saved:
        made.model.export(saved, verbose=False, input_signature=[tuple(made.inputs)])
        return record.served_graph(saved)


def recorded(build: Callable[[], Made], kind: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the graphs of a model by kind, and the truth about its layers."""
    made = build()
    zeros = [tf.zeros(each.shape, each.dtype) for each in made.inputs]
    made.called(*zeros)  # builds the model
    leaves, layer_class = leaves_of(made), made.keras.layers.Layer
    watch = record.Watch({id(layer): number for number, (layer, _) in enumerate(leaves)})
    for number, (layer, _) in enumerate(leaves):
        for weight in own_weights(made, layer):
            watch.variables.setdefault(id(record.resource(weight)), number)
    with record.calls_watched(layer_class, watch):
        made.called(*zeros)
        shapes, watch.shapes = watch.shapes, {}
        graphs = {"infer": served(made)}
    function, served_nodes = record.served_nodes(graphs["infer"], watch)
    nodes: dict[int, str] = {}
    if made.optimizer is not None:
        step, specs = step_of(made)
        made.optimizer.build(made.model.trainable_variables)
        options = {"layer_classes": [layer_class], "optimizer": made.optimizer}
        graphs["train"], nodes = record.train_graph(step, specs, watch, **options)
    read = record.variables_read(graphs.get("train", tf.compat.v1.GraphDef()), watch)
    rows, counted = [], set()
    for number in [*shapes, *(number for number in range(len(leaves)) if number not in shapes)]:
        layer, within = leaves[number]
        weights = own_weights(made, layer)
        own = [each for each in weights if id(each) not in counted]
        counted |= {id(each) for each in weights}
        inside = [] if is_container(made.keras, layer) else list(layer._flatten_layers(include_self=False))  # noqa: SLF001
        row = {"name": layer.name, "within": list(within), "class": type(layer).__name__}
        row |= {"trainable": elements(own, trainable=True), "non_trainable": elements(own, trainable=False)}
        row |= {"output_shape": shapes.get(number, [None])[0], "calls": len(shapes.get(number, []))}
        row["weights"] = [weight_facts(each, nodes) for each in own]
        row["shares"] = [
            path_of(each)
            for each in made.model.weights
            if watch.variables[id(record.resource(each))] != number
            and (number in read.get(nodes.get(id(record.resource(each).handle), ""), ()) or is_in(each, weights))
        ]
        row["parts"] = [{"name": each.name, "class": type(each).__name__} for each in inside]
        row["infer_nodes"] = served_nodes.get(number, [])
        row["train_nodes"] = watch.owned[number].facts() if number in watch.owned else {}
        rows.append({name: value for name, value in row.items() if value not in ([], {})})
    return graphs, {
        "kind": kind,
        "model": made.model.name,
        "class": type(made.model).__name__,
        "batch": made.inputs[0].shape[0],
        "inputs": [{"name": each.name, "shape": list(each.shape), "dtype": each.dtype.name} for each in made.inputs],
        "optimizer": type(made.optimizer).__name__ if made.optimizer is not None else None,
        "infer_function": function,
        "trainable": elements(made.model.weights, trainable=True),
        "non_trainable": elements(made.model.weights, trainable=False),
        "layers": rows,
    }
