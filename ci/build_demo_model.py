"""Make the profiler inputs of a ResNet for CIFAR-10, so that there are two models that differ as two commits do.

This is how ``tests/data/resnet/head`` was made, with TensorFlow 2.21 on a CPU (``pip install tensorflow-cpu``):

    python ci/build_demo_model.py tests/data/resnet/head --units 4,5,6 --widths 16,32,80

Against ``tests/data/resnet/base`` that removes the last unit of the first group, adds one to the last group and widens
the last group from 64 to 80 channels. Without the two options the model has the shapes of ``base``: 5,5,5 and 16,32,64.

Writes graph.pb.gz (with inferred shapes), run_meta_1.gz and run_meta_2.gz (two traced steps) and tfprof_log.gz
(float_ops, trainable variables and code traces) to the folder. Times and allocations depend on the machine, so only the
static figures (float_ops, params) are the same on every run.
"""

from __future__ import annotations

import argparse
import gzip
import os
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf
from google.protobuf.message import Message
from tensorflow.core.profiler import tfprof_log_pb2
from tensorflow.python.profiler import tfprof_logger

tf1 = tf.compat.v1

BATCH, CLASSES, STEM = 128, 10, 16
TRACED_STEPS = 2
REPOSITORY = Path(__file__).resolve().parent.parent


def variable(name: str, shape: list[int], initializer: Any, *, trainable: bool = True) -> Any:
    """Return a reference variable (VariableV2), as in the graph-mode models for which tfprof was written."""
    return tf1.get_variable(name, shape, tf.float32, initializer=initializer, trainable=trainable, use_resource=False)


def batch_norm(name: str, x: Any, updates: list[Any]) -> Any:
    """Return `x` normalised over its batch; append the updates of the moving averages to `updates`."""
    with tf1.variable_scope(name):
        shape = [x.shape[-1]]
        beta = variable("beta", shape, tf1.constant_initializer(0.0))
        gamma = variable("gamma", shape, tf1.constant_initializer(1.0))
        mean, variance = tf.nn.moments(x, [0, 1, 2], name="moments")
        averages = [
            (variable("moving_mean", shape, tf1.constant_initializer(0.0), trainable=False), mean),
            (variable("moving_variance", shape, tf1.constant_initializer(1.0), trainable=False), variance),
        ]
        updates += [tf1.assign_sub(moving, (moving - now) * 0.1) for moving, now in averages]
        return tf.nn.batch_normalization(x, mean, variance, beta, gamma, 0.001)


def convolution(name: str, x: Any, filters: int, stride: int) -> Any:
    """Return a 3 x 3 convolution of `x`."""
    with tf1.variable_scope(name):
        deviation = float(np.sqrt(2.0 / (9 * filters)))
        kernel = variable("DW", [3, 3, x.shape[-1], filters], tf1.random_normal_initializer(stddev=deviation))
        return tf1.nn.conv2d(x, kernel, [1, stride, stride, 1], padding="SAME")


def leaky_relu(x: Any) -> Any:
    """Return the leaky ReLU of `x`, spelled out as the model of the tfprof tutorial did."""
    return tf.where(tf.less(x, 0.0), 0.1 * x, x, name="leaky_relu")


def unit(x: Any, filters: int, stride: int, updates: list[Any], *, shared_activation: bool = False) -> Any:
    """Return a residual unit of two convolutions; the shortcut is padded if there are more channels."""
    skip = x
    with tf1.variable_scope("shared_activation" if shared_activation else "residual_only_activation"):
        x = leaky_relu(batch_norm("init_bn", x, updates))
        skip = x if shared_activation else skip
    with tf1.variable_scope("sub1"):
        x = convolution("conv1", x, filters, stride)
    with tf1.variable_scope("sub2"):
        x = convolution("conv2", leaky_relu(batch_norm("bn2", x, updates)), filters, 1)
    with tf1.variable_scope("sub_add"):
        missing = filters - skip.shape[-1]
        if missing:
            skip = tf1.nn.avg_pool(skip, [1, stride, stride, 1], [1, stride, stride, 1], "VALID")
            skip = tf.pad(skip, [[0, 0], [0, 0], [0, 0], [missing // 2, missing - missing // 2]])
        return x + skip


def build(units: list[int], widths: list[int]) -> tuple[Any, dict[Any, Any]]:
    """Build the training graph in the default graph; return the training op and one batch to feed."""
    images = tf1.placeholder(tf.float32, [BATCH, 32, 32, 3], name="images")
    labels = tf1.placeholder(tf.float32, [BATCH, CLASSES], name="labels")
    step = tf1.train.get_or_create_global_step()
    updates: list[Any] = []

    with tf1.variable_scope("init"):
        x = convolution("init_conv", images, STEM, 1)
    for group, (count, width) in enumerate(zip(units, widths, strict=True), 1):
        for i in range(count):
            with tf1.variable_scope(f"unit_{group}_{i}"):
                stride = 2 if i == 0 and group > 1 else 1
                x = unit(x, width, stride, updates, shared_activation=(group, i) == (1, 0))
    with tf1.variable_scope("unit_last"):
        x = tf.reduce_mean(leaky_relu(batch_norm("final_bn", x, updates)), [1, 2])
    with tf1.variable_scope("pool_logit"):
        x = tf.reshape(x, [BATCH, -1])
        weights = variable("DW", [x.shape[1], CLASSES], tf1.uniform_unit_scaling_initializer(factor=1.0))
        logits = tf1.nn.xw_plus_b(x, weights, variable("biases", [CLASSES], tf1.constant_initializer()))
        tf.nn.softmax(logits)
    with tf1.variable_scope("costs"):
        entropy = tf1.nn.softmax_cross_entropy_with_logits(logits=logits, labels=labels)
        decayed = [v for v in tf1.trainable_variables() if "DW" in v.op.name]
        decay = tf.multiply(0.0002, tf.add_n([tf.nn.l2_loss(v) for v in decayed]))
        cost = tf.reduce_mean(entropy, name="xent") + decay

    rate = tf.constant(0.1, tf.float32)
    trainable = tf1.trainable_variables()
    gradients = zip(tf1.gradients(cost, trainable), trainable, strict=True)
    optimizer = tf1.train.MomentumOptimizer(rate, 0.9)
    train = tf.group(optimizer.apply_gradients(gradients, global_step=step, name="train_step"), *updates)

    rng = np.random.RandomState(0)
    batch = {
        images: rng.rand(BATCH, 32, 32, 3).astype(np.float32),
        labels: np.eye(CLASSES, dtype=np.float32)[rng.randint(CLASSES, size=BATCH)],
    }
    return train, batch


def traced_steps(train: Any, batch: dict[Any, Any]) -> list[Any]:
    """Run one step to warm up, then return the run metadata of the traced ones."""
    threads = tf1.ConfigProto(intra_op_parallelism_threads=2, inter_op_parallelism_threads=2)
    full = tf1.RunOptions(trace_level=tf1.RunOptions.FULL_TRACE)
    metas = [tf1.RunMetadata() for _ in range(TRACED_STEPS)]
    with tf1.Session(config=threads) as session:
        session.run(tf1.global_variables_initializer())
        session.run(train, batch)
        for meta in metas:
            session.run(train, batch, options=full, run_metadata=meta)
    return metas


def op_log(graph: Any, meta: Any) -> Any:
    """Return the op log that TensorFlow writes for `graph`, with relative names of source files."""
    with tempfile.TemporaryDirectory() as folder:
        tfprof_logger.write_op_log(graph, folder, run_meta=meta)
        log = tfprof_log_pb2.OpLogProto.FromString(Path(folder, "tfprof_log").read_bytes())
    for key, text in log.id_to_string.items():
        log.id_to_string[key] = relative(text)
    return log


def relative(text: str) -> str:
    """Return `text` without the folders of this machine, on which committed files must not depend."""
    paths = sysconfig.get_paths()
    roots = [(paths["purelib"], ""), (paths["platlib"], ""), (paths["stdlib"], "python/"), (str(REPOSITORY), "")]
    for root, replacement in roots:
        if text.startswith(root + "/"):
            return replacement + text.removeprefix(root + "/")
    return text


def write(folder: Path, name: str, message: Message) -> None:
    """Write `message` as ``name.gz`` with neither a time nor a file name inside: same message, same bytes."""
    data = message.SerializeToString(deterministic=True)
    (folder / f"{name}.gz").write_bytes(gzip.compress(data, 9, mtime=0))


def numbers(text: str) -> list[int]:
    """Return ``4,5,6`` as a list."""
    return [int(part) for part in text.split(",")]


def main() -> None:
    """Read the command line, build the model and write its files."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, help="where the files go")
    parser.add_argument("--units", type=numbers, default=[5, 5, 5], help="residual units of the three groups")
    parser.add_argument("--widths", type=numbers, default=[16, 32, 64], help="channels of the three groups")
    arguments = parser.parse_args()

    tf1.disable_v2_behavior()
    tf1.set_random_seed(3)
    train, batch = build(arguments.units, arguments.widths)
    graph = tf1.get_default_graph()
    graph_def = graph.as_graph_def(add_shapes=True)  # before the session adds its own operations
    metas = traced_steps(train, batch)

    arguments.folder.mkdir(parents=True, exist_ok=True)
    write(arguments.folder, "graph.pb", graph_def)
    for number, meta in enumerate(metas, 1):
        write(arguments.folder, f"run_meta_{number}", meta)
    write(arguments.folder, "tfprof_log", op_log(graph, metas[0]))


if __name__ == "__main__":
    main()
