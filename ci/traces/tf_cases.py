"""Runs of TensorFlow 2 that are recorded: training, inference, loops, XLA, input pipelines.

Each function records one case into its folder: ``xplane.pb.gz``, and the graph of what was run as ``graph.pb.gz``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from . import files, service

STEPS = 4
OUTER, INNER = 3, 2


@contextmanager
def traced(folder: Path, level: int | None = files.HOST_LEVEL) -> Iterator[None]:
    """Record what runs inside as the trace of a case; without a level, with the public API and what it records."""
    with files.log_folder() as log:
        if level is None:
            with tf.profiler.experimental.Profile(str(log)):
                yield
        else:
            with service.traced(log, level):
                yield
        files.keep_trace(log, folder)


def steps_of(run: Callable[[], Any], name: str = "train", count: int = STEPS) -> None:
    """Run steps, each marked as the profiler's guide says."""
    for number in range(count):
        with tf.profiler.experimental.Trace(name, step_num=number, _r=1):
            run()


def keep_graph(function: Any, folder: Path, *arguments: Any, name: str = "graph") -> None:
    """Keep the graph of a function, with its library."""
    graph = function.get_concrete_function(*arguments).graph
    files.keep_message(graph.as_graph_def(), folder / f"{name}.pb.gz")


def training_step() -> tuple[Any, list[Any]]:
    """Return a training step of a perceptron with momentum, and its arguments."""
    tf.random.set_seed(0)
    with tf.name_scope("hidden"):
        hidden = tf.Variable(tf.random.normal([32, 64]), name="kernel")
    with tf.name_scope("logits"):
        logits = tf.Variable(tf.random.normal([64, 10]), name="kernel")
    moments = [tf.Variable(tf.zeros_like(each)) for each in (hidden, logits)]

    @tf.function
    def train_step(images: Any, labels: Any) -> Any:
        with tf.GradientTape() as tape:
            with tf.name_scope("hidden"):
                features = tf.nn.relu(tf.matmul(images, hidden))
            with tf.name_scope("logits"):
                scores = tf.matmul(features, logits)
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=scores)
            loss = tf.reduce_mean(losses)
        with tf.name_scope("momentum"):
            for each, moment, gradient in zip(
                (hidden, logits), moments, tape.gradient(loss, [hidden, logits]), strict=True
            ):
                moment.assign(0.9 * moment + gradient)
                each.assign_sub(0.01 * moment)
        return loss

    return train_step, [tf.random.normal([128, 32]), tf.zeros([128], tf.int64)]


def train(folder: Path, level: int | None = files.HOST_LEVEL) -> None:
    """Train a ``tf.function``; the first step is traced too, with its tracing and optimizing."""
    step, arguments = training_step()
    with traced(folder, level):
        steps_of(lambda: step(*arguments))
    keep_graph(step, folder, *arguments)


def train_later(folder: Path) -> None:
    """Train the same; the trace begins after the first step."""
    step, arguments = training_step()
    step(*arguments)
    with traced(folder):
        steps_of(lambda: step(*arguments))
    keep_graph(step, folder, *arguments)


def tf_function_in(function: Any) -> Any:
    """Return the only ``tf.function`` that a function of Keras calls."""
    (found,) = (
        each for each in inspect.getclosurevars(function).nonlocals.values() if hasattr(each, "python_function")
    )
    return found


def keras_model() -> Any:
    """Return a small convolutional network."""
    keras.utils.set_random_seed(0)
    return keras.Sequential(
        [
            keras.Input((12, 12, 3)),
            keras.layers.Conv2D(8, 3, activation="relu", name="conv"),
            keras.layers.BatchNormalization(name="norm"),
            keras.layers.GlobalAveragePooling2D(name="pool"),
            keras.layers.Dense(10, name="dense"),
        ],
        name="net",
    )


def keras_fit(folder: Path, *, jit_compile: bool = False) -> None:
    """Fit a Keras model with the TensorBoard callback, which traces batches 2 to 4 at its own level."""
    model = keras_model()
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(optimizer="adam", loss=loss, jit_compile=jit_compile)
    data = tf.data.Dataset.from_tensor_slices((np.ones((48, 12, 12, 3), "float32"), np.zeros(48, "int64")))
    batches = data.batch(8)
    with files.log_folder() as log:
        callback = keras.callbacks.TensorBoard(str(log), write_graph=False, profile_batch=(2, 4))
        model.fit(batches, epochs=1, verbose=0, shuffle=False, callbacks=[callback])
        files.keep_trace(log, folder)
    keep_graph(tf_function_in(model.train_function), folder, iter(batches))


def keras_predict(folder: Path) -> None:
    """Predict with a Keras model, traced after a first time."""
    model = keras_model()
    model.compile(jit_compile=False)
    images = np.ones((32, 12, 12, 3), "float32")
    model.predict(images, batch_size=8, verbose=0)
    with traced(folder):
        model.predict(images, batch_size=8, verbose=0)
    keep_graph(model.predict_function, folder, [(tf.constant(images[:8]),)])


def loops(folder: Path) -> None:
    """Run loops and a function that is called twice, one step."""

    @tf.function(autograph=False)
    def twice(value: Any) -> Any:
        return tf.tanh(tf.matmul(value, value))

    @tf.function(autograph=False)
    def once_more(value: Any) -> Any:
        with tf.name_scope("outer"):
            return twice(value) + twice(value + 1.0)

    def inner(index: Any, value: Any) -> Any:
        _, sums = tf.while_loop(lambda j, _: j < INNER, lambda j, s: (j + 1, s + tf.sin(s)), (0, value))
        return index + 1, sums

    @tf.function
    def program(value: Any, *, positive: Any) -> Any:
        with tf.name_scope("loop"):
            _, value = tf.while_loop(lambda i, _: i < OUTER, inner, (0, value))
        for _ in tf.range(4):
            value = value / 2.0
        value = tf.cond(positive, lambda: tf.abs(value), lambda: tf.negative(value))
        mapped = tf.map_fn(tf.exp, value, parallel_iterations=2)
        return once_more(mapped)

    argument = tf.ones([8, 8]) * 0.1
    program(argument, positive=tf.constant(value=True))
    with traced(folder):
        steps_of(lambda: program(argument, positive=tf.constant(value=True)), "infer", 2)
    concrete = program.get_concrete_function(argument, positive=tf.constant(value=True))
    files.keep_message(concrete.graph.as_graph_def(), folder / "graph.pb.gz")


def xla(folder: Path) -> None:
    """Run a function that XLA compiles (dots, fusions, a reduction), first compiled in the trace."""
    tf.random.set_seed(0)
    kernel = tf.Variable(tf.random.normal([64, 64]), name="kernel")

    @tf.function(jit_compile=True)
    def compiled(value: Any) -> Any:
        with tf.name_scope("dense"):
            hidden = tf.nn.gelu(tf.matmul(value, kernel))
        with tf.name_scope("attention"):
            weights = tf.nn.softmax(tf.matmul(hidden, value, transpose_b=True))
        return tf.reduce_sum(tf.matmul(weights, hidden), axis=0)

    @tf.function
    def program(value: Any) -> Any:
        return tf.sqrt(tf.abs(compiled(value))) + 1.0

    argument = tf.random.normal([128, 64])
    with traced(folder):
        steps_of(lambda: program(argument), "infer", 3)
    keep_graph(program, folder, argument)


def threads(folder: Path) -> None:
    """Run parallel branches on four threads, fed by an input pipeline with parallel calls."""
    tf.random.set_seed(0)

    @tf.function
    def program(value: Any) -> Any:
        branches = []
        for number in range(4):
            with tf.name_scope(f"branch_{number}"):
                hidden = tf.matmul(value, value, transpose_b=True)
                branches.append(tf.reduce_sum(tf.tanh(hidden) + float(number)))
        return tf.add_n(branches)

    def prepare(seed: Any) -> Any:
        return tf.random.stateless_normal([96, 96], tf.stack([seed, 0]))

    data = tf.data.Dataset.range(64).map(prepare, num_parallel_calls=4).batch(2).prefetch(2)
    batches = iter(data.map(lambda each: each[0]))
    program(next(batches))
    with traced(folder):
        steps_of(lambda: program(next(batches)), "infer", 3)
    keep_graph(program, folder, next(batches))


def train_level_1(folder: Path) -> None:
    """Train as in ``train``, at tracer level 1."""
    train(folder, level=1)


def train_level_2(folder: Path) -> None:
    """Train as in ``train``, traced with the public API, whose level is 2."""
    train(folder, level=None)


def train_memory(folder: Path) -> None:
    """Train as in ``train_later``, with an allocator that records allocations."""
    train_later(folder)


def keras_fit_xla(folder: Path) -> None:
    """Fit as in ``keras_fit``, compiled by XLA as Keras does by default."""
    keras_fit(folder, jit_compile=True)
