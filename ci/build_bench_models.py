"""Build the training steps of large Keras models and record them, for the lines of `bench` on real graphs.

    python ci/build_bench_models.py FOLDER lstm

Needs `tensorflow-cpu`. Writes graph.pb, the flat graph of the traced step, and run_meta_1 of one executed step. Weights
are random; batches are small, since the graph is what counts. A model takes one or two minutes.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ |= {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "", "KERAS_BACKEND": "tensorflow"}

import keras
import numpy as np
import tensorflow as tf
from tensorflow.python.ops.handle_data_util import get_resource_handle_data

tf1 = tf.compat.v1

CLASSES = 100
LAYERS, WIDTH, HEADS, WORDS = 48, 64, 4, 32
STEPS, UNITS = 500, 32
RATE = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class Training:
    """A model, what updates its weights, and the shapes of a batch.

    With `any_batch`, the step is traced for batches of any size, which adds the nodes that work out shapes when run.
    """

    model: Any
    optimizer: Any
    inputs: tuple[int, ...]
    labels: tuple[int, ...]
    any_batch: bool = True
    whole_numbers: bool = False


def efficientnet() -> Training:
    """Return EfficientNetB7 with plain gradient descent: 29,000 nodes."""
    model = keras.applications.EfficientNetB7(weights=None, input_shape=(64, 64, 3), classes=CLASSES)
    return Training(model=model, optimizer=None, inputs=(2, 64, 64, 3), labels=(2,), any_batch=False)


def transformer() -> Training:
    """Return an encoder of 48 layers with Lion: 47,000 nodes."""
    words = keras.Input((WORDS,), dtype="int32")
    x = keras.layers.Embedding(1000, WIDTH)(words)
    for _ in range(LAYERS):
        attended = keras.layers.MultiHeadAttention(HEADS, key_dim=WIDTH // HEADS, dropout=0.1)(x, x)
        x = keras.layers.LayerNormalization()(x + keras.layers.Dropout(0.1)(attended))
        inner = keras.layers.Dense(4 * WIDTH, activation="gelu")(x)
        x = keras.layers.LayerNormalization()(x + keras.layers.Dropout(0.1)(keras.layers.Dense(WIDTH)(inner)))
    model = keras.Model(words, keras.layers.Dense(CLASSES, activation="softmax")(x))
    shape = (2, WORDS)
    return Training(model=model, optimizer=keras.optimizers.Lion(RATE), inputs=shape, labels=shape, whole_numbers=True)


def lstm() -> Training:
    """Return two layers of LSTM, unrolled over 500 steps each of which has a label, with Adam: 78,000 nodes."""
    given = keras.Input((STEPS, UNITS))
    x = keras.layers.LSTM(UNITS, unroll=True, return_sequences=True)(given)
    x = keras.layers.LSTM(UNITS, unroll=True, return_sequences=True)(x)
    head = keras.layers.Dense(CLASSES, activation="softmax")
    model = keras.Model(given, keras.ops.stack([head(state) for state in keras.ops.unstack(x, axis=1)], axis=1))
    return Training(model=model, optimizer=keras.optimizers.Adam(RATE), inputs=(2, STEPS, UNITS), labels=(2, STEPS))


MODELS: dict[str, Callable[[], Training]] = {build.__name__: build for build in (efficientnet, transformer, lstm)}


def traced_step(training: Training) -> Any:
    """Return the training step as a concrete function of inputs and labels."""
    model, optimizer = training.model, training.optimizer
    weights = model.trainable_variables
    loss_of = keras.losses.SparseCategoricalCrossentropy()
    if optimizer:
        optimizer.build(weights)

    @tf.function(autograph=False)  # type: ignore[untyped-decorator] # TensorFlow has no types
    def train_step(inputs: Any, labels: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = loss_of(labels, model(inputs, training=True))
        gradients = tape.gradient(loss, weights)
        if optimizer:
            optimizer.apply_gradients(zip(gradients, weights, strict=True))
        else:
            for weight, gradient in zip(weights, gradients, strict=True):
                weight.value.assign_sub(RATE * gradient)
        return loss

    batch = None if training.any_batch else training.inputs[0]
    return train_step.get_concrete_function(
        tf.TensorSpec((batch, *training.inputs[1:]), tf.int32 if training.whole_numbers else tf.float32, "inputs"),
        tf.TensorSpec((batch, *training.labels[1:]), tf.int32, "labels"),
    )


def with_variables(step: Any) -> Any:
    """Return the flat graph of a concrete function, with variables in place of the placeholders that stand for them."""
    handles = {inner.op.name: inner for outer, inner in step.graph.captures if outer.dtype == tf.resource}
    graph = step.graph.as_graph_def(add_shapes=True)
    for node in graph.node:
        if node.name in handles:
            held = get_resource_handle_data(handles[node.name]).shape_and_type[0]
            shapes = node.attr["_output_shapes"]
            node.op = "VarHandleOp"
            node.ClearField("attr")
            node.attr["_output_shapes"].CopyFrom(shapes)
            node.attr["shared_name"].s = node.name.encode()
            node.attr["dtype"].type = held.dtype
            node.attr["shape"].shape.CopyFrom(held.shape)
    return graph


def run_once(step: Any, graph_def: Any, training: Training) -> Any:
    """Return the run metadata of one step, run in a session with random weights."""
    batch = np.ones(training.inputs, np.int32 if training.whole_numbers else np.float32)
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(graph_def, name="")
        handles = [node for node in graph.get_operations() if node.type == "VarHandleOp"]
        starts = [tf.raw_ops.AssignVariableOp(resource=node.outputs[0], value=_start_value(node)) for node in handles]
        # The optimizer of graphs takes minutes here, and renames the nodes that are executed.
        config = tf1.ConfigProto()
        config.graph_options.rewrite_options.disable_meta_optimizer = True
        config.graph_options.optimizer_options.opt_level = -1
        with tf1.Session(config=config) as session:
            session.run(starts)
            run_meta = tf1.RunMetadata()
            session.run(
                [step.outputs[0].name, *(operation.name for operation in step.graph.control_outputs)],
                {"inputs:0": batch, "labels:0": np.zeros(training.labels, np.int32)},
                options=tf1.RunOptions(trace_level=tf1.RunOptions.FULL_TRACE),
                run_metadata=run_meta,
            )
    return run_meta


def _start_value(handle: Any) -> Any:
    """Return small numbers for a variable: random ones for weights, zeros for counts and seeds."""
    dtype, shape = handle.get_attr("dtype"), tf.TensorShape(handle.get_attr("shape"))
    return tf.random.normal(shape, stddev=0.01) if dtype.is_floating else tf.zeros(shape, dtype)


def record(name: str, folder: Path) -> None:
    """Write the graph of a model's training step, then the run metadata of one execution of it."""
    folder.mkdir(parents=True, exist_ok=True)
    keras.utils.set_random_seed(1)
    training = MODELS[name]()
    step = traced_step(training)
    graph = with_variables(step)
    _write(folder / "graph.pb", graph)
    _write(folder / "run_meta_1", run_once(step, graph, training))


def _write(path: Path, message: Any) -> None:
    """Write a message under a temporary name first, so that an interrupted run leaves no half of it."""
    part = path.with_name(f"{path.name}.part")
    part.write_bytes(message.SerializeToString(deterministic=True))
    part.replace(path)


def main() -> None:
    """Record one model, as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("model", choices=MODELS)
    chosen = parser.parse_args()
    record(chosen.model, chosen.folder)


if __name__ == "__main__":
    main()
