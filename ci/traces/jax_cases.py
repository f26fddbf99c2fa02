"""Runs of JAX that are recorded: a training step, and a scan."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp

from . import files

STEPS = 3


@contextmanager
def traced(folder: Path, python_level: int) -> Iterator[None]:
    """Record what runs inside as the trace of a case."""
    options = jax.profiler.ProfileOptions()
    options.host_tracer_level = files.HOST_LEVEL
    options.python_tracer_level = python_level
    with files.log_folder() as log:
        jax.profiler.start_trace(str(log), profiler_options=options)
        yield
        jax.profiler.stop_trace()
        files.keep_trace(log, folder)


def loss_of(weights: list[Any], images: Any, labels: Any) -> Any:
    """Return the loss of a perceptron."""
    with jax.named_scope("hidden"):
        hidden = jax.nn.relu(images @ weights[0])
    with jax.named_scope("logits"):
        scores = jax.nn.log_softmax(hidden @ weights[1])
    return -jnp.mean(jnp.sum(scores * jax.nn.one_hot(labels, 10), axis=-1))


@jax.jit
def train_step(weights: list[Any], images: Any, labels: Any) -> tuple[list[Any], Any]:
    """Return the weights after one step, and the loss."""
    loss, gradients = jax.value_and_grad(loss_of)(weights, images, labels)
    return [each - 0.1 * gradient for each, gradient in zip(weights, gradients, strict=True)], loss


@jax.jit
def recurrent(kernel: Any, values: Any) -> Any:
    """Return the last state of a recurrent cell."""

    def cell(state: Any, value: Any) -> tuple[Any, Any]:
        state = jnp.tanh(state @ kernel + value)
        return state, state.sum()

    state, sums = jax.lax.scan(cell, jnp.zeros_like(values[0]), values)
    return state.mean() + sums[-1]


def jax_train(folder: Path) -> None:
    """Train a perceptron; the first step is traced too, with its compilation."""
    keys = jax.random.split(jax.random.key(0), 3)
    weights = [jax.random.normal(keys[0], (32, 64)), jax.random.normal(keys[1], (64, 10))]
    images, labels = jax.random.normal(keys[2], (128, 32)), jnp.zeros(128, int)
    with traced(folder, python_level=0):
        for number in range(STEPS):
            with jax.profiler.StepTraceAnnotation("train", step_num=number):
                weights, loss = train_step(weights, images, labels)
                jax.block_until_ready(loss)


def jax_scan(folder: Path) -> None:
    """Run a scan, compiled before the trace, with the Python tracer that is on by default."""
    kernel, values = jnp.eye(32), jnp.ones((6, 32, 32))
    jax.block_until_ready(recurrent(kernel, values))
    with traced(folder, python_level=1):
        for number in range(STEPS):
            with jax.profiler.StepTraceAnnotation("infer", step_num=number):
                jax.block_until_ready(recurrent(kernel, values))
