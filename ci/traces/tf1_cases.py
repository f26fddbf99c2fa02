"""A run of a TensorFlow 1 session that is recorded twice: as a trace and as run metadata."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import tensorflow as tf

from . import files, service

tf1 = tf.compat.v1
STEPS, ITERATIONS = 3, 3


def session(folder: Path) -> None:
    """Run three steps of a graph while the profiler traces them; each has its run metadata.

    FULL_TRACE would start a profiler itself, for devices, which TensorFlow refuses while another one runs. On a CPU
    SOFTWARE_TRACE gives the same.
    """
    graph = tf1.Graph()
    with graph.as_default():
        tf1.set_random_seed(0)
        images = tf1.placeholder(tf.float32, [64, 32], "images")
        kernel = tf1.get_variable("fc/kernel", [32, 16])
        with tf1.name_scope("fc"):
            hidden = tf1.nn.relu(tf1.matmul(images, kernel))
        _, total = tf1.while_loop(
            lambda i, _: i < ITERATIONS, lambda i, x: (i + 1, tf1.sin(x) + 1.0), (0, hidden), name="loop"
        )
        loss = tf1.reduce_mean(total, name="loss")
        train = tf1.train.GradientDescentOptimizer(0.1).minimize(loss)
        initialize = tf1.global_variables_initializer()
    options = tf1.RunOptions(trace_level=tf1.RunOptions.SOFTWARE_TRACE)
    feed = {images: np.ones((64, 32), "float32")}
    with tf1.Session(graph=graph) as running, files.log_folder() as log:
        running.run(initialize)
        running.run([loss, train], feed, options=options, run_metadata=tf1.RunMetadata())
        with service.traced(log, files.HOST_LEVEL):
            for number in range(STEPS):
                metadata = tf1.RunMetadata()
                with tf.profiler.experimental.Trace("train", step_num=number, _r=1):
                    running.run([loss, train], feed, options=options, run_metadata=metadata)
                files.keep_message(metadata, folder / f"run_meta_{number}.gz")
        files.keep_trace(log, folder)
    files.keep_message(graph.as_graph_def(), folder / "graph.pb.gz")
