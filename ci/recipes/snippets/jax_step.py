"""Writes the profile of a training step in JAX.

    python profile_model.py FOLDER
    tfprof-report report FOLDER --out report

The folder gets the trace of five steps, which holds the program.
"""

import sys

import jax
import jax.numpy as jnp

import tfprof_report


# --- your model, and what a step is called with ---
def loss_of(params, images, labels):
    with jax.named_scope("hidden"):
        hidden = jax.nn.relu(images @ params["hidden"])
    with jax.named_scope("logits"):
        logits = hidden @ params["logits"]
    return -(labels * jax.nn.log_softmax(logits)).sum(axis=1).mean()


@jax.jit
def train_step(params, images, labels):
    gradients = jax.grad(loss_of)(params, images, labels)
    return jax.tree.map(lambda param, gradient: param - 0.1 * gradient, params, gradients)


params = {"hidden": jnp.ones([784, 128]), "logits": jnp.ones([128, 10])}
images, labels = jnp.ones([32, 784]), jax.nn.one_hot(jnp.zeros([32]), 10)

# --- its profile ---
params = train_step(params, images, labels)  # the first step also compiles
with tfprof_report.capture(sys.argv[1]) as run:
    for number in range(5):  # with four or more, changes of time are tested for significance
        with run.step(number):
            params = train_step(params, images, labels)
