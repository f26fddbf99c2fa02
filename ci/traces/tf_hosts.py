"""A training run on two hosts, traced at the same time: one run folder with a file for each host."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import tensorflow as tf

from . import files, service

HOSTS = 2
RUN = "2026_01_02_03_04_05"
TRACED_MS = 400
PAUSE_S = 0.08


def work(port: int) -> None:
    """Train as one of the workers until standard input is closed, with a profiler server on a port."""
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    tf.profiler.experimental.server.start(port)
    with strategy.scope():
        kernel = tf.Variable(tf.ones([32, 16]), name="kernel")

    @tf.function
    def train_step(images: Any) -> Any:
        def replica(each: Any) -> Any:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.nn.relu(tf.matmul(each, kernel)))
            context = tf.distribute.get_replica_context()
            gradient = context.all_reduce(tf.distribute.ReduceOp.SUM, tape.gradient(loss, kernel))
            kernel.assign_sub(0.1 * gradient)
            return loss

        return strategy.run(replica, args=(images,))

    images = tf.ones([64, 32])
    for number in range(10**6):
        with tf.profiler.experimental.Trace("train", step_num=number, _r=1):
            train_step(images)
        # All workers leave after the same step: a collective waits for all of them.
        if (number + 1) % 10 == 0:
            print(number, flush=True)
            if sys.stdin.readline() != "on\n":
                return
        time.sleep(PAUSE_S)


def two_hosts(folder: Path) -> None:
    """Train on two workers with collectives, and trace both through their profiler servers."""
    *ports, first, second = service.free_ports(2 * HOSTS)
    cluster = {"worker": [f"localhost:{each}" for each in ports]}
    workers = []
    for index, port in enumerate((first, second)):
        task = {"cluster": cluster, "task": {"type": "worker", "index": index}}
        command = [sys.executable, "-c", f"from traces import tf_hosts; tf_hosts.work({port})"]
        environment = os.environ | {"TF_CONFIG": json.dumps(task), "PYTHONPATH": str(Path(__file__).parents[1])}
        pipe = subprocess.PIPE
        workers.append(subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, text=True))
    answer(workers, "on\n")
    with files.log_folder() as log:
        servers = ",".join(f"grpc://localhost:{each}" for each in (first, second))
        tf.profiler.experimental.client.trace(servers, str(log), TRACED_MS, num_tracing_attempts=1)
        files.keep_run(log, folder, RUN)
    answer(workers, "")
    for each in workers:
        each.wait()


def answer(workers: list[subprocess.Popen[str]], line: str) -> None:
    """Wait until all workers ask whether to go on, and answer."""
    pipes = [(each.stdin, each.stdout) for each in workers if each.stdin and each.stdout]
    for _, questions in pipes:
        questions.readline()
    for answers, _ in pipes:
        answers.write(line)
        answers.flush()
        if not line:
            answers.close()
