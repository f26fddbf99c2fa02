"""Writes the profile of a model that runs in a TF1 session: graph.pb, run_meta_N and tfprof_log.

    python profile_model.py FOLDER

The op log says which variables are trained.
"""

import sys
from pathlib import Path

import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
TRACED_STEPS = 5  # with four or more, changes of time are tested for significance

# --- your model: a graph, what a step runs, and what it is fed ---
with tf.Graph().as_default() as graph:
    images = tf1.placeholder(tf.float32, [32, 784], name="images")
    labels = tf1.placeholder(tf.int64, [32], name="labels")
    with tf1.variable_scope("hidden"):
        kernel = tf1.get_variable("kernel", [784, 128])
        hidden = tf.nn.relu(tf.matmul(images, kernel) + tf1.get_variable("bias", [128]))
    with tf1.variable_scope("logits"):
        logits = tf.matmul(hidden, tf1.get_variable("kernel", [128, 10])) + tf1.get_variable("bias", [10])
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    train = tf1.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
    initialize = tf1.global_variables_initializer()
feed = {images: np.ones([32, 784], np.float32), labels: np.zeros([32], np.int64)}

# --- its profile ---
folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
full_trace = tf1.RunOptions(trace_level=tf1.RunOptions.FULL_TRACE)
with tf1.Session(graph=graph) as session:
    session.run(initialize)
    session.run(train, feed)  # the first step also allocates and tunes
    for step in range(1, TRACED_STEPS + 1):
        run_meta = tf1.RunMetadata()
        session.run(train, feed, options=full_trace, run_metadata=run_meta)
        (folder / f"run_meta_{step}").write_bytes(run_meta.SerializeToString())
(folder / "graph.pb").write_bytes(graph.as_graph_def(add_shapes=True).SerializeToString(deterministic=True))
tf1.profiler.write_op_log(graph, str(folder), run_meta=run_meta)
