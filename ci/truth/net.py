"""A small Keras model and, next to it, its figures by formulas.

Each method adds a layer to the model and counts it by hand: parameters, and the multiplications of convolutions and
matrix products. Nothing is asked of Keras or of this package but for a check that the parameters are right.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import keras
import tensorflow as tf
from keras import layers

from truth import keras_truth, record

ONE_GRADIENT, BOTH_GRADIENTS = 2, 3
"""How often a product runs in a training step: itself, the gradient of its weights, and mostly that of its input."""


@dataclass
class Figures:
    """Sizes of a model. FLOPs are those of convolutions, matrix products and their gradients, 2 for each product."""

    trainable: int = 0
    non_trainable: int = 0
    forward_flops: int | None = 0
    step_flops: int | None = 0

    def add(
        self, *, products: int = 0, times: int = BOTH_GRADIENTS, trainable: int = 0, non_trainable: int = 0
    ) -> None:
        """Count a layer."""
        self.trainable += trainable
        self.non_trainable += non_trainable
        if self.forward_flops is not None and self.step_flops is not None:
            self.forward_flops += 2 * products
            self.step_flops += 2 * products * times

    def forget_flops(self) -> None:
        """Leave out the FLOPs, which no simple formula gives."""
        self.forward_flops = self.step_flops = None


@dataclass
class Side:
    """One graph of a pair.

    Parameters
    ----------
    graph
        The GraphDef.
    figures
        What is known of its size.
    kind
        ``train``, ``infer``, ``frozen`` or ``tf1``.
    scopes
        The name scope of each layer's forward pass.
    """

    graph: Any
    figures: Figures
    kind: str
    scopes: dict[str, str] = field(default_factory=dict)


def scopes_of(layers_of: list[Any], watch: record.Watch) -> dict[str, str]:
    """Return the name scope of each layer's first call, by the layer's name, which TensorFlow may give a number."""
    found: dict[str, str] = {}
    for name, number in watch.node_owner.items():
        layer, parts = layers_of[number].name, name.split("/")
        places = [place for place, part in enumerate(parts, 1) if re.fullmatch(rf"{re.escape(layer)}(_\d+)*", part)]
        if places:
            found.setdefault(layer, "/".join(parts[: places[-1]]))
    return found


def watch_of(made: keras_truth.Made) -> record.Watch:
    """Return a watch of all layers of a model."""
    return record.Watch({id(each): number for number, each in enumerate(made.model.layers)})


class Net:
    """A functional model that grows at its end.

    Parameters
    ----------
    shape
        Shape of one input; a sentence of words if it has one number.
    batch
        Number of inputs.
    name
        Name of the model.
    """

    def __init__(self, *shape: int, batch: int = 8, name: str = "net") -> None:
        dtype = "int32" if len(shape) == 1 else "float32"
        self.batch, self.name, self.shape = batch, name, shape
        self.given = keras.Input(shape, dtype=dtype, name="words" if len(shape) == 1 else "image")
        self.spec = tf.TensorSpec((batch, *shape), dtype, self.given.name)
        self.x, self.figures, self.is_input = self.given, Figures(), True

    @property
    def width(self) -> int:
        """Return the number of channels."""
        return self.shape[-1]

    @property
    def times(self) -> int:
        """Return how often a product of the next layer runs; nobody needs the gradient of the model's input."""
        return ONE_GRADIENT if self.is_input else BOTH_GRADIENTS

    def add(self, layer: Any, shape: tuple[int, ...] | None = None) -> Net:
        """Add a layer that has no weights, or whose figures were counted."""
        self.x = layer(self.x)
        self.shape = self.shape if shape is None else shape
        self.is_input = self.is_input and not layer.weights
        return self

    def conv(
        self,
        filters: int,
        kernel: int = 3,
        stride: int = 1,
        *,
        name: str | None = None,
        bias: bool = False,
        **rest: Any,
    ) -> Net:
        """Add a convolution that keeps the size, but for its stride."""
        places = tuple(math.ceil(size / stride) for size in self.shape[:-1])
        if rest.get("padding") == "valid":
            places = tuple((size - kernel) // stride + 1 for size in self.shape[:-1])
        weights = kernel ** len(places) * self.width * filters
        products = self.batch * math.prod(places) * weights
        self.figures.add(products=products, times=self.times, trainable=weights + bias * filters)
        options = {"padding": "same", "use_bias": bias, "name": name} | rest
        return self.add(layers.Conv2D(filters, kernel, stride, **options), (*places, filters))

    def depthwise(self, kernel: int = 3, *, name: str | None = None) -> Net:
        """Add a depthwise convolution."""
        weights = kernel**2 * self.width
        self.figures.add(products=self.batch * math.prod(self.shape[:-1]) * weights, trainable=weights)
        return self.add(layers.DepthwiseConv2D(kernel, padding="same", use_bias=False, name=name))

    def dense(self, units: int, *, name: str | None = None, bias: bool = True, **rest: Any) -> Net:
        """Add a dense layer."""
        weights = self.width * units
        products = self.batch * math.prod(self.shape[:-1]) * weights
        self.figures.add(products=products, times=self.times, trainable=weights + bias * units)
        return self.add(layers.Dense(units, use_bias=bias, name=name, **rest), (*self.shape[:-1], units))

    def norm(self, kind: str = "batch", *, name: str | None = None) -> Net:
        """Add a batch or layer normalization."""
        if kind == "layer":
            self.figures.add(trainable=2 * self.width)
            return self.add(layers.LayerNormalization(name=name))
        self.figures.add(trainable=2 * self.width, non_trainable=2 * self.width)
        return self.add(layers.BatchNormalization(name=name))

    def act(self, kind: str = "relu", *, name: str | None = None) -> Net:
        """Add an activation."""
        return self.add(layers.Activation(kind, name=name))

    def pool(self, *, name: str | None = None) -> Net:
        """Add a pooling by 2."""
        return self.add(layers.MaxPooling2D(name=name), (*(size // 2 for size in self.shape[:-1]), self.width))

    def mean(self, *, name: str | None = None) -> Net:
        """Add the mean over all places."""
        layer = layers.GlobalAveragePooling1D if len(self.shape) == 2 else layers.GlobalAveragePooling2D  # noqa: PLR2004
        return self.add(layer(name=name), (self.width,))

    def embed(self, rows: int, width: int, *, name: str | None = None) -> Net:
        """Add an embedding."""
        self.figures.add(trainable=rows * width)
        return self.add(layers.Embedding(rows, width, name=name), (*self.shape, width))

    def attend(self, heads: int, size: int, *, name: str | None = None) -> Net:
        """Add self-attention with a residual."""
        steps, width, inner = self.shape[0], self.width, heads * size
        self.figures.add(trainable=3 * (width + 1) * inner + (inner + 1) * width)
        self.figures.add(products=self.batch * (4 * steps * width * inner + 2 * steps * steps * inner))
        before = self.x
        attended = layers.MultiHeadAttention(heads, size, name=name)(before, before)
        self.x = layers.Add(name=name and f"{name}_add")([before, attended])
        return self

    def feed(self, inner: int, *, name: str | None = None, activation: str = "gelu") -> Net:
        """Add two dense layers with a residual."""
        before, width = self.x, self.width
        self.dense(inner, name=name and f"{name}_up", activation=activation)
        self.dense(width, name=name and f"{name}_down")
        self.x = layers.Add(name=name and f"{name}_add")([before, self.x])
        return self

    def unit(self, filters: int, stride: int, *, name: str, is_normed: bool = False) -> Net:
        """Add a residual unit of two convolutions."""
        before, width, places = self.x, self.width, self.shape
        for number in (1, 2):
            self.conv(filters, 3, stride if number == 1 else 1, name=f"{name}_conv{number}")
            if is_normed:
                self.norm(name=f"{name}_bn{number}")
            if number == 1:
                self.act(name=f"{name}_relu1")
        after, shape = self.x, self.shape
        if width != filters or stride > 1:
            self.x, self.shape = before, places
            self.conv(filters, 1, stride, name=f"{name}_shortcut")
            before = self.x
        self.x, self.shape = layers.Add(name=f"{name}_add")([before, after]), shape
        return self.act(name=f"{name}_out")

    def recur(
        self, layer: Callable[..., Any], units: int, *, name: str | None = None, gates: int, biases: int = 1
    ) -> Net:
        """Add a recurrent layer; its FLOPs depend on what is counted of a loop."""
        self.figures.add(trainable=gates * units * (self.width + units + biases))
        self.figures.forget_flops()
        return self.add(layer(units, return_sequences=True, name=name), (*self.shape[:-1], units))

    def made(self, optimizer: Any = None) -> keras_truth.Made:
        """Return the model, after a check of its parameters."""
        model = keras.Model(self.given, self.x, name=self.name)
        if model.count_params() != self.figures.trainable + self.figures.non_trainable:
            raise ValueError(f"{self.name} has {model.count_params()} parameters, the formulas say {self.figures}")
        return keras_truth.Made(keras, model, [self.spec], optimizer)

    def train(self, optimizer: Any = None, *, loss: Callable[..., Any] | None = None) -> Side:
        """Return the graph of a training step, with Adam by default."""
        return self.train_made(self.made(optimizer or keras.optimizers.Adam(0.001)), loss)

    def train_made(self, made: keras_truth.Made, loss: Callable[..., Any] | None = None) -> Side:
        """Return the graph of a training step of the model that was made."""
        step, specs = keras_truth.step_of(made, loss or keras_truth.loss_of)
        made.optimizer.build(made.model.trainable_variables)
        watch = watch_of(made)
        graph, _ = record.train_graph(step, specs, watch, layer_classes=[layers.Layer])
        return Side(graph, self.figures, "train", scopes_of(made.model.layers, watch))

    def infer(self) -> Side:
        """Return the graph of the model as it is served."""
        made = self.made()
        watch = watch_of(made)
        with record.calls_watched(layers.Layer, watch):
            graph = keras_truth.served(made)
        return Side(graph, self.figures, "infer", scopes_of(made.model.layers, watch))
