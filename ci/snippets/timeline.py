"""A timeline of a step, as a file for chrome://tracing."""

import json
import tempfile
from pathlib import Path

import numpy as np
import tensorflow as tf
from tensorflow.compat.v1 import profiler

tf1 = tf.compat.v1
with tf.Graph().as_default(), tf1.Session() as sess:
    x = tf1.placeholder(tf.float32, [64, 256])
    for layer in range(3):
        with tf1.name_scope(f"layer_{layer}"):
            x = tf.tanh(tf.matmul(x, tf.ones([256, 256])))
    run_meta = tf1.RunMetadata()
    sess.run(
        x,
        {"Placeholder:0": np.ones((64, 256))},
        options=tf1.RunOptions(trace_level=tf1.RunOptions.FULL_TRACE),
        run_metadata=run_meta,
    )

    with tempfile.TemporaryDirectory() as folder:
        builder = profiler.ProfileOptionBuilder
        opts = (
            builder(builder.time_and_memory(min_micros=0, min_bytes=0))
            .with_step(0)
            .with_timeline_output(f"{folder}/timeline.json")
            .build()
        )
        profiler.profile(sess.graph, run_meta=run_meta, cmd="graph", options=opts)
        events = json.loads(Path(f"{folder}/timeline.json_0").read_text())["traceEvents"]
    names = sorted(event["args"]["name"] for event in events if event["ph"] == "X")
    print(names)
    print(sorted({event["ph"] for event in events}))
