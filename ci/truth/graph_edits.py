"""Edits of graphs of TensorFlow 1, some by hand as a compiler or a library of kernels makes them."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import tensorflow as tf

from truth.edit import Cause, Edit
from truth.net import Figures, Side

tf1 = tf.compat.v1
BATCH, SIZE, WIDTH, CLASSES = 4, 12, 6, 5


def constant(name: str, *shape: int) -> Any:
    """Return a weight of a frozen graph."""
    return tf1.constant(0.5, tf.float32, shape, name)


def frozen() -> Side:
    """Return a frozen network: two convolutions with norm and relu, and a dense layer."""
    figures = Figures()
    with tf.Graph().as_default() as graph:
        x = tf1.placeholder(tf.float32, (BATCH, SIZE, SIZE, 3), "image")
        for number in (1, 2):
            with tf1.name_scope(f"conv{number}"):
                kernel = constant("kernel", 3, 3, x.shape[-1], WIDTH)
                x = tf1.nn.conv2d(x, kernel, 1, "SAME", name="Conv2D")
                figures.add(products=BATCH * SIZE**2 * 9 * int(kernel.shape[2]) * WIDTH)
                weights = [constant(name, WIDTH) for name in ("gamma", "beta", "mean", "variance")]
                x, *_ = tf1.nn.fused_batch_norm(x, *weights, epsilon=0.001, is_training=False, name="FusedBatchNormV3")
                x = tf1.nn.relu(x, name="Relu")
                figures.add(trainable=9 * int(kernel.shape[2]) * WIDTH + 4 * WIDTH)
        x = tf1.reduce_mean(x, [1, 2], name="mean")
        for name, units in (("hidden", 8), ("scores", CLASSES)):
            with tf1.name_scope(name):
                kernel = constant("kernel", x.shape[-1], units)
                figures.add(products=BATCH * math.prod(kernel.shape), trainable=math.prod(kernel.shape) + units)
                x = tf1.nn.bias_add(tf1.matmul(x, kernel, name="MatMul"), constant("bias", units), name="BiasAdd")
        return Side(graph.as_graph_def(add_shapes=True), figures, "frozen")


def without(graph: Any, *names: str) -> dict[str, Any]:
    """Remove nodes from a graph, and return copies of them by name."""
    removed = {}
    for node in [each for each in graph.node if each.name in names]:
        removed[node.name] = type(node).FromString(node.SerializeToString())
        graph.node.remove(node)
    return removed


def fused(side: Side, layer: str) -> Side:
    """Replace convolution, norm and relu by one op, as TensorFlow's remapper does."""
    removed = without(side.graph, f"{layer}/Conv2D", f"{layer}/FusedBatchNormV3", f"{layer}/Relu")
    convolution, norm, relu = removed.values()
    node = side.graph.node.add(name=relu.name, op="_FusedConv2D", input=[*convolution.input, *norm.input[1:]])
    for name, value in convolution.attr.items():
        node.attr[name].CopyFrom(value)
    node.attr["num_args"].i = 4
    node.attr["fused_ops"].list.s.extend([b"FusedBatchNorm", b"Relu"])
    node.attr["epsilon"].f = norm.attr["epsilon"].f
    node.attr["leakyrelu_alpha"].f = 0.2
    node.attr["TArgs"].list.type.extend([tf.float32.as_datatype_enum] * 4)
    node.attr["num_host_args"].i = 0
    return side


def fused_dense(side: Side, layer: str) -> Side:
    """Replace product and bias by one op."""
    product, bias = without(side.graph, f"{layer}/MatMul", f"{layer}/BiasAdd").values()
    node = side.graph.node.add(name=bias.name, op="_FusedMatMul", input=[*product.input, bias.input[1]])
    for name, value in product.attr.items():
        node.attr[name].CopyFrom(value)
    node.attr["num_args"].i = 1
    node.attr["fused_ops"].list.s.append(b"BiasAdd")
    node.attr["epsilon"].f = 0.0
    node.attr["leakyrelu_alpha"].f = 0.2
    return side


def custom(side: Side, layer: str) -> Side:
    """Replace product and bias by an op that nobody knows."""
    product, bias = without(side.graph, f"{layer}/MatMul", f"{layer}/BiasAdd").values()
    node = side.graph.node.add(name=bias.name, op="AcmeSparseLinear", input=[*product.input, bias.input[1]])
    node.attr["T"].type = tf.float32.as_datatype_enum
    node.attr["sparsity"].f = 0.9
    node.attr["_output_shapes"].CopyFrom(bias.attr["_output_shapes"])
    side.figures.forget_flops()
    return side


def tower(
    widths: tuple[int, ...] = (8, 12), scope: str = "tower", optimizer: Callable[[], Any] = tf1.train.AdamOptimizer
) -> Side:
    """Return the training graph of a network of TensorFlow 1."""
    figures = Figures()
    with tf.Graph().as_default() as graph:
        x = tf1.placeholder(tf.float32, (BATCH, 16), "features")
        with tf1.variable_scope(scope):
            for number, units in enumerate((*widths, CLASSES)):
                with tf1.variable_scope(f"fc{number}"):
                    kernel = tf1.get_variable("weights", (x.shape[-1], units), use_resource=False)
                    bias = tf1.get_variable("biases", (units,), use_resource=False)
                    products = math.prod(kernel.shape)
                    figures.add(products=BATCH * products, trainable=products + units)
                    x = tf1.nn.relu(tf1.nn.bias_add(tf1.matmul(x, kernel), bias))
        optimizer().minimize(tf1.reduce_mean(x**2, name="loss"))
        return Side(graph.as_graph_def(add_shapes=True), figures, "tf1")


def momentum() -> Any:
    """Return gradient descent with momentum."""
    return tf1.train.MomentumOptimizer(0.1, 0.9)


def edits() -> dict[str, Edit]:
    """Return the edits by name."""
    dense = [f"tower/fc{number}" for number in range(3)]
    renamed = [(name, name.replace("tower", "model/net")) for name in dense]
    return {
        "fused_conv": Edit(
            frozen,
            lambda: fused(fused(frozen(), "conv1"), "conv2"),
            "Convolution, norm and relu of conv1 and conv2 became one op each.",
            [Cause("fused", ["conv1", "conv2"], ["conv1", "conv2"], None, ("ops", 6, 2))],
        ),
        "unfused_conv": Edit(
            lambda: fused(frozen(), "conv1"),
            frozen,
            "The fused op of conv1 became convolution, norm and relu.",
            [Cause("unfused", ["conv1"], ["conv1"], None, ("ops", 1, 3))],
        ),
        "fused_dense": Edit(
            frozen,
            lambda: fused_dense(frozen(), "scores"),
            "Product and bias of scores became one op.",
            [Cause("fused", ["scores"], ["scores"], None, ("ops", 2, 1))],
        ),
        "custom_op": Edit(
            frozen,
            lambda: custom(frozen(), "hidden"),
            "hidden is computed by AcmeSparseLinear, an op of unknown cost.",
            [Cause("now_unknown", ["hidden"], ["hidden"])],
        ),
        "tf1_wider": Edit(
            tower,
            partial(tower, (8, 20)),
            "tower/fc1 got wider (12 to 20 units).",
            [Cause("wider", ["tower/fc1"], ["tower/fc1"], ("units", 12, 20))],
            ["tower/fc2"],
        ),
        "tf1_scope_renamed": Edit(
            tower,
            partial(tower, scope="model/net"),
            'Only names changed: the scope "tower" is "model/net".',
            [Cause("names_only", dense, [name for _, name in renamed])],
            [],
            renamed,
        ),
        "tf1_adam_to_momentum": Edit(
            tower,
            partial(tower, optimizer=momentum),
            "The optimizer is Momentum instead of Adam.",
            [Cause("optimizer", [], [], ("optimizer", "Adam", "Momentum"))],
        ),
        "tf1_layer_added": Edit(
            tower,
            partial(tower, (8, 12, 10)),
            "A dense layer of 10 units is new before the last one, which is tower/fc3 now.",
            [Cause("layer_added", [], ["tower/fc2"], ("units", None, 10), ("dense layers", 3, 4))],
            ["tower/fc2"],
            [("tower/fc2", "tower/fc3")],
        ),
    }
