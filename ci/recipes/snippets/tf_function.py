"""Writes the profile of a training step in a tf.function.

    python profile_model.py FOLDER
    tfprof-report report FOLDER --out report

The folder gets graph.pb, tfprof_log, which has the lines of code, and the trace of five steps.
"""

import sys

import tensorflow as tf

import tfprof_report


# --- your model, its training step, and what that is called with ---
class Dense(tf.Module):
    def __init__(self, inputs, units):
        self.kernel = tf.Variable(tf.random.normal([inputs, units]), name="kernel")
        self.bias = tf.Variable(tf.zeros([units]), name="bias")

    def __call__(self, inputs):
        return tf.matmul(inputs, self.kernel) + self.bias


class Classifier(tf.Module):
    def __init__(self):
        self.hidden, self.logits = Dense(784, 128), Dense(128, 10)

    @tf.function
    def train_step(self, images, labels):
        with tf.GradientTape() as tape:
            logits = self.logits(tf.nn.relu(self.hidden(images)))
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
        variables = self.trainable_variables
        for variable, gradient in zip(variables, tape.gradient(loss, variables)):
            variable.assign_sub(0.1 * gradient)
        return loss


model = Classifier()
images, labels = tf.ones([32, 784]), tf.zeros([32], tf.int64)

# --- its profile ---
model.train_step(images, labels)  # the first step also builds the graph, allocates and tunes
with tfprof_report.capture(sys.argv[1], model=model) as run:
    for number in range(5):  # with four or more, changes of time are tested for significance
        with run.step(number):
            model.train_step(images, labels)
