"""Build the graphs of ``tests/data/params`` with TensorFlow, and write what TensorFlow says about their parameters.

    python ci/build_param_models.py tests/data/params

One small model each of TensorFlow 1 and 2, trained, exported, frozen and optimised, a graph for every optimizer of
TensorFlow 1, and the function of a training step for those of Keras. ``expected.json`` holds elements by kind, from
TensorFlow's own lists of variables.
"""

from __future__ import annotations

import gzip
import json
import math
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

os.environ |= {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "", "TF_ENABLE_ONEDNN_OPTS": "0"}

import keras
import tensorflow as tf
from tensorflow.core.protobuf import saved_model_pb2
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2
from tensorflow.python.tools import optimize_for_inference_lib

tf1 = tf.compat.v1
KEPT_ELEMENTS = 16
Kinds = dict[str, int]


def build_v1(*, is_training: bool) -> Any:
    """Return the output of a network of reference variables, in the default graph."""
    image = tf1.placeholder(tf.float32, (2, 8, 8, 3), name="image")
    words = tf1.placeholder(tf.int32, (2, 4), name="words")

    def variable(name: str, *shape: int, trainable: bool = True) -> Any:
        ones = tf1.ones_initializer()
        return tf1.get_variable(name, shape, initializer=ones, use_resource=False, trainable=trainable)

    with tf1.variable_scope("conv"):
        x = tf1.nn.conv2d(image, variable("kernel", 3, 3, 3, 5), strides=[1, 1, 1, 1], padding="SAME")
        statistics = {}
        if not is_training:
            mean, variance = (variable(name, 5, trainable=False) for name in ("moving_mean", "moving_variance"))
            statistics = {"mean": mean, "variance": variance}
        norm = tf1.nn.fused_batch_norm(
            x, variable("gamma", 5), variable("beta", 5), is_training=is_training, epsilon=0.001, **statistics
        )
        x = tf1.nn.relu(norm[0])
    table = variable("embed/table", 11, 5)
    x = tf1.reduce_mean(x, [1, 2]) + tf1.reduce_mean(tf1.nn.embedding_lookup(table, words), 1)
    scale = variable("scale")
    x = tf1.matmul(x, variable("dense/kernel", 5, 4)) * scale
    return tf1.nn.bias_add(x, variable("dense/bias", 4), name="scores")


def kinds_v1() -> Kinds:
    """Return elements of the default graph's variables by kind; slots are the global variables of no other kind."""
    trainable = elements(tf1.trainable_variables())
    names = ("moving_mean", "moving_variance", "global_step")
    others = [each for each in tf1.global_variables() if each.op.name.endswith(names)]
    rest = elements(tf1.global_variables()) - trainable - elements(others)
    return {"trainable": trainable, "not_trainable": elements(others), "slot": rest}


def elements(variables: list[Any]) -> int:
    """Return how many elements variables have in all."""
    return sum(math.prod(each.shape) for each in variables)


def graphs_v1() -> dict[str, tuple[Any, Kinds]]:
    """Return the graphs of the TensorFlow 1 network, with their parameters, by name."""
    found: dict[str, tuple[Any, Kinds]] = {}
    with tf.Graph().as_default() as graph:
        build_v1(is_training=False)
        kinds = kinds_v1()
        found["v1"] = graph.as_graph_def(), kinds
        found["v1_meta_graph"] = tf1.train.export_meta_graph(), kinds
        with tf1.Session() as session:
            session.run(tf1.global_variables_initializer())
            frozen = tf1.graph_util.convert_variables_to_constants(session, graph.as_graph_def(), ["scores"])
        found["v1_frozen"] = frozen, {"frozen": elements(tf1.global_variables())}
        bare = tf1.graph_util.remove_training_nodes(frozen)
        frozen_elements = elements(tf1.global_variables()) - 1  # the scalar, which has no name that freezing leaves
        found["v1_without_identities"] = bare, {"frozen": frozen_elements}
        folded = optimize_for_inference_lib.optimize_for_inference(
            frozen, ["image", "words"], ["scores"], [tf.float32.as_datatype_enum, tf.int32.as_datatype_enum]
        )
        norm = 4 * 5 - 5  # gamma, beta, mean and variance become one bias of the convolution
        found["v1_folded"] = folded, {"frozen": frozen_elements - norm}
    return found


OPTIMIZERS = {
    "adadelta": tf1.train.AdadeltaOptimizer,
    "adagrad": tf1.train.AdagradOptimizer,
    "adagrad_da": lambda rate: tf1.train.AdagradDAOptimizer(rate, tf1.train.get_or_create_global_step()),
    "adam": tf1.train.AdamOptimizer,
    "ftrl": tf1.train.FtrlOptimizer,
    "descent": tf1.train.GradientDescentOptimizer,
    "momentum": lambda rate: tf1.train.MomentumOptimizer(rate, 0.9),
    "proximal": tf1.train.ProximalAdagradOptimizer,
    "rms_prop": tf1.train.RMSPropOptimizer,
    "centered": lambda rate: tf1.train.RMSPropOptimizer(rate, centered=True),
}


def graphs_of_optimizers() -> dict[str, tuple[Any, Kinds]]:
    """Return a training graph for every optimizer of TensorFlow 1."""
    found = {}
    for name, optimizer in OPTIMIZERS.items():
        with tf.Graph().as_default() as graph:
            loss = tf1.reduce_sum(build_v1(is_training=True) ** 2)
            optimizer(0.1).minimize(loss, global_step=tf1.train.get_or_create_global_step())
            found[f"train_{name}"] = graph.as_graph_def(), kinds_v1()
    return found


def graphs_v2() -> dict[str, tuple[Any, Kinds]]:
    """Return the graphs of a Keras network, with their parameters, by name."""
    layers = keras.layers
    model = keras.Sequential(
        [
            keras.Input((8, 8, 3), batch_size=2),
            layers.Conv2D(5, 3),
            layers.BatchNormalization(),
            layers.DepthwiseConv2D(3),
            layers.BatchNormalization(scale=False),
            layers.Flatten(),
            layers.Dense(6),
            layers.LayerNormalization(),
            layers.Dense(4),
        ]
    )
    trainable = sum(math.prod(each.shape) for each in model.trainable_weights)
    kinds = {"trainable": trainable, "not_trainable": model.count_params() - trainable}
    frozen = {"frozen": model.count_params()}
    spec = tf.TensorSpec((2, 8, 8, 3))
    concrete = tf.function(lambda x: model(x, training=False)).get_concrete_function(spec)
    found: dict[str, tuple[Any, Kinds]] = {"v2_function": (concrete.graph.as_graph_def(add_shapes=True), kinds)}
    found["v2_frozen"] = convert_variables_to_constants_v2(concrete).graph.as_graph_def(), frozen
    with tempfile.TemporaryDirectory() as folder:
        model.export(folder, verbose=False)
        saved = saved_model_pb2.SavedModel.FromString(Path(folder, "saved_model.pb").read_bytes())
        found["v2_saved_model"] = saved, kinds
        with tf.Graph().as_default() as graph, tf1.Session() as session:
            loaded = tf1.saved_model.load(session, ["serve"], folder)
            outputs = [each.name.split(":")[0] for each in loaded.signature_def["serving_default"].outputs.values()]
            called = tf1.graph_util.convert_variables_to_constants(session, graph.as_graph_def(), outputs)
            found["v2_frozen_calls"] = called, frozen
    return found


STEP_OPTIMIZERS: dict[str, Any] = {
    "sgd": lambda: keras.optimizers.SGD(0.1, momentum=0.9, nesterov=True),
    "rmsprop": lambda: keras.optimizers.RMSprop(0.1, momentum=0.9, centered=True),
    "adam": lambda: keras.optimizers.Adam(0.1, amsgrad=True, global_clipnorm=1.0, name="mine"),
    "adamw": lambda: keras.optimizers.AdamW(0.1, weight_decay=0.01),
    "adadelta": lambda: keras.optimizers.Adadelta(0.1),
    "adagrad": lambda: keras.optimizers.Adagrad(0.1),
    "adamax": lambda: keras.optimizers.Adamax(0.1),
    "adafactor": lambda: keras.optimizers.Adafactor(0.1),
    "nadam": lambda: keras.optimizers.Nadam(0.1),
    "ftrl": lambda: keras.optimizers.Ftrl(0.1),
    "lion": lambda: keras.optimizers.Lion(0.1),
    "lamb": lambda: keras.optimizers.Lamb(0.1),
    "plain": lambda: keras.optimizers.SGD(0.1),
}
"""Optimizers of Keras, which update variables by plain assignments."""


def graphs_of_steps() -> dict[str, tuple[Any, Kinds]]:
    """Return the function of a training step for optimizers of Keras, with their parameters, by name."""
    layers, found = keras.layers, {}
    for name, optimizer_of in STEP_OPTIMIZERS.items():
        model = keras.Sequential(
            [
                keras.Input((8,), batch_size=4),
                layers.Dense(6),
                layers.BatchNormalization(),
                layers.Dense(5, activation="relu"),
                layers.Dense(3),
            ]
        )
        model.layers[-2].trainable = False
        optimizer = optimizer_of()
        optimizer.build(model.trainable_variables)
        step = tf.function(_step_of(model, optimizer))
        concrete = step.get_concrete_function(tf.TensorSpec((4, 8)), tf.TensorSpec((4, 3)))
        trainable = elements(model.trainable_weights)
        rest = model.count_params() - trainable + 2  # and the learning rate and the number of iterations
        held = {id(each) for each in concrete.graph.variables}  # Adafactor has variables that it never uses
        slots = elements([each for each in optimizer.variables if id(each.value) in held]) - 2
        kinds = {"trainable": trainable, "not_trainable": rest, "slot": slots}
        found[f"step_{name}"] = concrete.graph.as_graph_def(add_shapes=True), kinds
    return found


def _step_of(model: Any, optimizer: Any) -> Any:
    def step(inputs: Any, wanted: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(inputs, training=True) - wanted) ** 2)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return loss

    return step


def emptied(message: Any) -> Any:
    """Return the message without the elements of large constants."""
    match message:
        case saved_model_pb2.SavedModel():
            graphs = [each.graph_def for each in message.meta_graphs]
        case tf1.MetaGraphDef():
            graphs = [message.graph_def]
        case _:
            graphs = [message]
    for graph in graphs:
        for node in [*graph.node, *(node for function in graph.library.function for node in function.node_def)]:
            tensor = node.attr["value"].tensor
            if node.op == "Const" and math.prod(size.size for size in tensor.tensor_shape.dim) > KEPT_ELEMENTS:
                for field in ("tensor_content", "float_val"):
                    tensor.ClearField(field)
    return message


def main(folder: Path) -> None:
    """Write all graphs and the expected counts."""
    folder.mkdir(parents=True, exist_ok=True)
    found = {**graphs_v1(), **graphs_of_optimizers(), **graphs_v2(), **graphs_of_steps()}
    for name, (message, _) in found.items():
        data = emptied(message).SerializeToString(deterministic=True)
        (folder / f"{name}.pb.gz").write_bytes(gzip.compress(data, mtime=0))
    expected = {name: {kind: count for kind, count in kinds.items() if count} for name, (_, kinds) in found.items()}
    (folder / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
