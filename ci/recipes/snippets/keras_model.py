"""Writes the profile of a Keras model, here of its prediction: graph.pb and run_meta_N.

    python profile_model.py FOLDER

The model is saved as a SavedModel and loaded into a TF1 session, which can trace what it runs.
"""

import sys
import tempfile
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
TRACED_STEPS = 5  # with four or more, changes of time are tested for significance

# --- your model, and a batch for it ---
model = keras.Sequential(
    [
        keras.Input([28, 28, 1]),
        keras.layers.Conv2D(16, 3, activation="relu", name="conv"),
        keras.layers.Flatten(name="flatten"),
        keras.layers.Dense(10, activation="softmax", name="dense"),
    ],
    name="model",
)
batch = np.ones([32, 28, 28, 1], np.float32)

# --- its profile ---
folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
full_trace = tf1.RunOptions(trace_level=tf1.RunOptions.FULL_TRACE)
module = tf.Module()
module.variables_of_model = [variable.value for variable in model.variables]
predict = tf.function(lambda inputs: model(inputs, training=False))
spec = tf.TensorSpec(batch.shape, batch.dtype, "inputs")
with tempfile.TemporaryDirectory() as saved:
    tf.saved_model.save(module, saved, signatures=predict.get_concrete_function(spec))
    with tf.Graph().as_default() as graph, tf1.Session() as session:
        signature = tf1.saved_model.load(session, ["serve"], saved).signature_def["serving_default"]
        feed = {signature.inputs["inputs"].name: batch}
        outputs = [output.name for output in signature.outputs.values()]
        session.run(outputs, feed)  # the first step also allocates and tunes
        for step in range(1, TRACED_STEPS + 1):
            run_meta = tf1.RunMetadata()
            session.run(outputs, feed, options=full_trace, run_metadata=run_meta)
            (folder / f"run_meta_{step}").write_bytes(run_meta.SerializeToString())
(folder / "graph.pb").write_bytes(graph.as_graph_def(add_shapes=True).SerializeToString(deterministic=True))
