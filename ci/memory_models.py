"""Record small models with TensorFlow: the graph and the run metadata of traced steps, for `memory_gates.py`.

    python ci/memory_models.py transformer FOLDER --batch 100 --steps 8

Needs `tensorflow-cpu`. Every tensor of a model but its weights grows with the batch, so that 1 % more of it is a true
change of memory. Weights, gradients of weights and inputs that are fed are unlike in size, some models train and some
infer, and several threads run each, as in a program of a user: TensorFlow reuses the buffer of an input for an output
only where no other op still holds it, so that the bytes of a step depend on the order in which threads ran.

Writes graph.pb.gz and run_meta_1.gz, run_meta_2.gz ... to the folder.
"""

from __future__ import annotations

import argparse
import gzip
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ |= {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}

import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1

BATCH = 100
THREADS = 4
WARM_UP = 2

Feeds = dict[Any, Any]


def weight(name: str, *shape: int) -> Any:
    """Return a variable with small random values."""
    return tf1.get_variable(name, shape, tf.float32, initializer=tf1.random_normal_initializer(stddev=0.1, seed=1))


def dense(name: str, x: Any, units: int, activation: Callable[[Any], Any] | None = tf.nn.relu) -> Any:
    """Return a fully connected layer over the last axis."""
    y = tf.tensordot(x, weight(f"{name}/kernel", x.shape[-1], units), 1) + weight(f"{name}/bias", units)
    return activation(y) if activation else y


def convolution(name: str, x: Any, filters: int, size: int = 3, stride: int = 1) -> Any:
    """Return a convolution with a bias."""
    kernel = weight(f"{name}/kernel", size, size, x.shape[-1], filters)
    return tf.nn.bias_add(tf.nn.conv2d(x, kernel, stride, "SAME"), weight(f"{name}/bias", filters))


def fed(feeds: Feeds, *shape: int, classes: int | None = None) -> Any:
    """Return a placeholder, fed with random numbers, or with random classes."""
    random = np.random.default_rng(len(feeds))
    values = random.random(shape, np.float32) if classes is None else random.integers(classes, size=shape)
    tensor = tf1.placeholder(tf.as_dtype(values.dtype), shape)
    feeds[tensor] = values
    return tensor


def trained(logits: Any, labels: Any, optimizer: Any) -> Any:
    """Return the op of a training step."""
    return optimizer.minimize(tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)))


def mlp(batch: int, feeds: Feeds) -> Any:
    """Return a training step of a perceptron, with Adam."""
    x = fed(feeds, batch, 64)
    for layer in range(4):
        x = dense(f"layer_{layer}", x, 128)
    return trained(dense("logits", x, 10, None), fed(feeds, batch, classes=10), tf1.train.AdamOptimizer(0.001))


def cnn(batch: int, feeds: Feeds) -> Any:
    """Return a training step of a convolutional network, with gradient descent."""
    x = fed(feeds, batch, 16, 16, 3)
    for layer, filters in enumerate((8, 16)):
        x = tf.nn.max_pool2d(tf.nn.relu(convolution(f"conv_{layer}", x, filters)), 2, 2, "SAME")
    x = dense("hidden", tf.reshape(x, [batch, -1]), 32)
    return trained(
        dense("logits", x, 10, None), fed(feeds, batch, classes=10), tf1.train.GradientDescentOptimizer(0.01)
    )


def lstm(batch: int, feeds: Feeds, units: int = 24, length: int = 12) -> Any:
    """Return a training step of an LSTM in a while loop."""
    inputs, kernel = fed(feeds, length, batch, 16), weight("kernel", 16 + units, 4 * units)

    def step(at: Any, cell: Any, state: Any) -> tuple[Any, Any, Any]:
        gates = tf.concat([inputs[at], state], 1) @ kernel
        i, j, f, o = tf.split(gates, 4, 1)
        cell = cell * tf.sigmoid(f + 1.0) + tf.sigmoid(i) * tf.tanh(j)
        return at + 1, cell, tf.tanh(cell) * tf.sigmoid(o)

    zeros = tf.zeros([batch, units])
    _, _, state = tf1.while_loop(lambda at, *_: at < length, step, [tf.constant(0), zeros, zeros])
    return trained(dense("logits", state, 10, None), fed(feeds, batch, classes=10), tf1.train.AdamOptimizer(0.001))


def gru(batch: int, feeds: Feeds, units: int = 32) -> Any:
    """Return the inference of an unrolled recurrent network with gates."""
    inputs, state = fed(feeds, 10, batch, 16), tf.zeros([batch, units])
    kernel, candidate = weight("kernel", 16 + units, 2 * units), weight("candidate", 16 + units, units)
    outputs = []
    for x in tf.unstack(inputs):
        reset, update = tf.split(tf.sigmoid(tf.concat([x, state], 1) @ kernel), 2, 1)
        state = update * state + (1.0 - update) * tf.tanh(tf.concat([x, reset * state], 1) @ candidate)
        outputs.append(state)
    return tf.nn.softmax(dense("logits", tf.add_n(outputs), 10, None))


def transformer(batch: int, feeds: Feeds, width: int = 32, heads: int = 4) -> Any:
    """Return a training step of two transformer blocks with dropout, with Adam."""
    x = fed(feeds, batch, 12, width)
    for block in range(2):
        with tf1.variable_scope(f"block_{block}"):
            q, k, v = (
                tf.transpose(tf.reshape(dense(name, x, width, None), [batch, 12, heads, -1]), [0, 2, 1, 3])
                for name in ("query", "key", "value")
            )
            weights = tf1.nn.dropout(tf.nn.softmax(tf.matmul(q, k, transpose_b=True) / 3.0), rate=0.1, seed=2)
            mixed = tf.reshape(tf.transpose(weights @ v, [0, 2, 1, 3]), [batch, 12, width])
            x = normalized("attention_norm", x + dense("output", mixed, width, None))
            x = normalized("feed_forward_norm", x + dense("down", dense("up", x, 4 * width, tf.nn.gelu), width, None))
    return trained(
        dense("logits", tf.reduce_mean(x, 1), 10, None),
        fed(feeds, batch, classes=10),
        tf1.train.AdamOptimizer(0.001),
    )


def normalized(name: str, x: Any) -> Any:
    """Return `x` normalised over its last axis."""
    mean, variance = tf.nn.moments(x, [-1], keepdims=True)
    scale, offset = (weight(f"{name}/{part}", x.shape[-1]) for part in ("scale", "offset"))
    return tf.nn.batch_normalization(x, mean, variance, offset, scale, 0.001)


def resnet(batch: int, feeds: Feeds) -> Any:
    """Return a training step of a residual network, with momentum."""
    x = convolution("stem", fed(feeds, batch, 12, 12, 3), 8)
    for unit in range(3):
        with tf1.variable_scope(f"unit_{unit}"):
            inner = tf.nn.relu(normalized("norm_1", convolution("conv_1", x, 8)))
            x = tf.nn.relu(x + normalized("norm_2", convolution("conv_2", inner, 8)))
    return trained(
        dense("logits", tf.reduce_mean(x, [1, 2]), 10, None),
        fed(feeds, batch, classes=10),
        tf1.train.MomentumOptimizer(0.01, 0.9),
    )


def recommender(batch: int, feeds: Feeds) -> Any:
    """Return a training step of embeddings that feed three towers, with Adagrad."""
    towers = []
    for tower, (rows, units) in enumerate(((500, 16), (300, 24), (200, 32))):
        ids = fed(feeds, batch, 5, classes=rows)
        x = tf.reduce_sum(tf.gather(weight(f"embedding_{tower}", rows, units), ids), 1)
        for layer in range(3):
            x = dense(f"tower_{tower}_{layer}", x, 32, tf.nn.leaky_relu)
        towers.append(x)
    crossed = [a * b for a in towers for b in towers]
    logits = dense("logits", tf.concat([*towers, tf.add_n(crossed)], 1), 2, None)
    return trained(logits, fed(feeds, batch, classes=2), tf1.train.AdagradOptimizer(0.01))


def inception(batch: int, feeds: Feeds) -> Any:
    """Return the inference of a network with parallel branches."""
    x = fed(feeds, batch, 12, 12, 8)
    for module in range(3):
        with tf1.variable_scope(f"module_{module}"):
            branches = [tf.nn.relu(convolution(f"branch_{size}", x, 4, size)) for size in (1, 3, 5)]
            pooled = tf.nn.relu(convolution("pooled", tf.nn.avg_pool2d(x, 3, 1, "SAME"), 4, 1))
            x = tf.concat([*branches, pooled], 3)
            x = x * tf.sigmoid(x) + tf.tanh(x)
    return tf.nn.softmax(dense("logits", tf.reduce_mean(x, [1, 2]), 10, None))


MODELS = {build.__name__: build for build in (mlp, cnn, lstm, gru, transformer, resnet, recommender, inception)}


def record(name: str, folder: Path, *, batch: int, steps: int) -> None:
    """Build a model, run it, and write its graph and the run metadata of its steps."""
    folder.mkdir(parents=True, exist_ok=True)
    feeds: Feeds = {}
    config = tf1.ConfigProto(intra_op_parallelism_threads=THREADS, inter_op_parallelism_threads=THREADS)
    with tf.Graph().as_default() as graph, tf1.Session(config=config) as session:
        tf1.set_random_seed(1)
        fetched = MODELS[name](batch, feeds)
        session.run(tf1.global_variables_initializer())
        for _ in range(WARM_UP):
            session.run(fetched, feeds)
        _write(folder / "graph.pb.gz", graph.as_graph_def(add_shapes=True))
        for step in range(1, steps + 1):
            traced = tf1.RunMetadata()
            session.run(fetched, feeds, tf1.RunOptions(trace_level=tf1.RunOptions.FULL_TRACE), traced)
            _write(folder / f"run_meta_{step}.gz", traced)


def _write(path: Path, message: Any) -> None:
    path.write_bytes(gzip.compress(message.SerializeToString(deterministic=True), mtime=0))


def main() -> None:
    """Record one model, as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", choices=MODELS)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--batch", type=int, default=BATCH)
    parser.add_argument("--steps", type=int, default=8)
    chosen = parser.parse_args()
    record(chosen.model, chosen.folder, batch=chosen.batch, steps=chosen.steps)


if __name__ == "__main__":
    main()
