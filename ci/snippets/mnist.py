"""Training on MNIST's shapes with a profiled step now and then, as in the profiler's own tutorial."""

import numpy as np
import tensorflow as tf
from tensorflow.compat.v1 import profiler

tf1 = tf.compat.v1
graph = tf.Graph()
with graph.as_default():
    images = tf1.placeholder(tf.float32, [None, 784])
    labels = tf1.placeholder(tf.int64, [None])
    with tf1.variable_scope("hidden"):
        weights = tf1.get_variable("weights", [784, 128])
        hidden = tf.nn.relu(tf.matmul(images, weights) + tf1.get_variable("biases", [128]))
    with tf1.variable_scope("softmax"):
        logits = tf.matmul(hidden, tf1.get_variable("weights", [128, 10])) + tf1.get_variable("biases", [10])
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    train = tf1.train.GradientDescentOptimizer(0.5).minimize(loss)

builder = profiler.ProfileOptionBuilder
with tf1.Session(graph=graph) as sess:
    sess.run([variable.initializer for variable in graph.get_collection("variables")])
    prof = profiler.Profiler(sess.graph)
    for step in range(4):
        feed = {images: np.ones((32, 784)), labels: np.zeros(32)}
        if step % 2:
            sess.run(train, feed)
            continue
        run_meta = tf1.RunMetadata()
        full_trace = tf1.RunOptions(trace_level=tf1.RunOptions.FULL_TRACE)
        sess.run(train, feed, options=full_trace, run_metadata=run_meta)
        prof.add_step(step, run_meta)

        params = prof.profile_name_scope(options=builder.trainable_variables_parameter())
        print(step, params.total_parameters, [(child.name, child.total_parameters) for child in params.children])
        opts = builder(builder.time_and_memory()).with_step(step).with_empty_output().build()
        times = prof.profile_operations(options=opts)
        print(step, times.total_exec_micros > 0, times.children[0].exec_micros > 0)
        opts = builder(builder.float_operation()).with_step(step).build()
        row = prof.profile_operations(options=opts)
        while row.children:
            row = row.children[0]
            print(step, row.name, row.float_ops, [node.name for node in row.graph_nodes])

    opts = (
        builder(builder.time_and_memory())
        .select(["occurrence"])
        .order_by("occurrence")
        .with_node_names(show_name_regexes=["MatMul", "Relu"])
    )
    prof.profile_operations(options=opts.with_step(2).build())
    print(sorted(prof.advise(options={"OperationChecker": {}}).checkers))
