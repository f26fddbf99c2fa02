"""Writes the profile of a tf.function, here a training step: graph.pb and run_meta_N.

    python profile_model.py FOLDER

The function is saved as a SavedModel and loaded into a TF1 session, which can trace what it runs.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
TRACED_STEPS = 5  # with four or more, changes of time are tested for significance


# --- your model: a tf.Module, one of its functions, and what that is called with ---
class Classifier(tf.Module):
    def __init__(self):
        self.kernel = tf.Variable(tf.random.normal([784, 10]), name="kernel")
        self.bias = tf.Variable(tf.zeros([10]), name="bias")

    @tf.function
    def train_step(self, images, labels):
        with tf.GradientTape() as tape:
            logits = tf.matmul(images, self.kernel) + self.bias
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
        for variable, gradient in zip([self.kernel, self.bias], tape.gradient(loss, [self.kernel, self.bias])):
            variable.assign_sub(0.1 * gradient)
        return loss


module = Classifier()
function = module.train_step
arguments = {"images": np.ones([32, 784], np.float32), "labels": np.zeros([32], np.int64)}

# --- its profile ---
folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
full_trace = tf1.RunOptions(trace_level=tf1.RunOptions.FULL_TRACE)
specs = {name: tf.TensorSpec(value.shape, value.dtype, name) for name, value in arguments.items()}
with tempfile.TemporaryDirectory() as saved:
    tf.saved_model.save(module, saved, signatures=function.get_concrete_function(**specs))
    with tf.Graph().as_default() as graph, tf1.Session() as session:
        signature = tf1.saved_model.load(session, ["serve"], saved).signature_def["serving_default"]
        feed = {signature.inputs[name].name: value for name, value in arguments.items()}
        outputs = [output.name for output in signature.outputs.values()]
        session.run(outputs, feed)  # the first step also allocates and tunes
        for step in range(1, TRACED_STEPS + 1):
            run_meta = tf1.RunMetadata()
            session.run(outputs, feed, options=full_trace, run_metadata=run_meta)
            (folder / f"run_meta_{step}").write_bytes(run_meta.SerializeToString())
(folder / "graph.pb").write_bytes(graph.as_graph_def(add_shapes=True).SerializeToString(deterministic=True))
