"""Write tests/data/op_shapes/lists_*.pb.gz: programs that use TensorArrays, with the shapes of their results.

    path/to/python-with-tensorflow ci/build_list_cases.py [--out FOLDER]

Each program is built in both generations: `lists_v2` has tensor lists and While nodes with functions, `lists_v1`
TensorArrays and control flow nodes. A result is named ``case/PROGRAM/KIND/NUMBER/result``. For kind ``full`` the input
is known, and the result has the shape that it had when TensorFlow ran the graph; for kind ``open`` sizes of the input
are unknown, and the result has the shape that TensorFlow infers.
"""

from __future__ import annotations

import argparse
import gzip
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf

OUT = Path(__file__).resolve().parent.parent / "tests" / "data" / "op_shapes"
KINDS: dict[str, list[tuple[int | None, ...]]] = {"full": [(5, 2, 3)], "open": [(5, None, 3), (None, 2, None)]}
UNITS = 7


def main() -> None:
    """Build all programs in both generations and write the graphs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    for generation, has_lists in (("v1", False), ("v2", True)):
        data = _build(has_lists=has_lists)
        target = options.out / f"lists_{generation}.pb.gz"
        target.write_bytes(gzip.compress(data, 9, mtime=0))
        print(f"{target.name}: {target.stat().st_size:,} bytes")


def _build(*, has_lists: bool) -> bytes:
    switch = tf.compat.v1.enable_control_flow_v2 if has_lists else tf.compat.v1.disable_control_flow_v2
    switch()
    graph, inputs, results = tf.Graph(), {}, []
    with graph.as_default():
        for name, program in PROGRAMS.items():
            for kind, shapes in KINDS.items():
                for number, shape in enumerate(shapes):
                    with tf.name_scope(f"case/{name}/{kind}/{number}"):
                        x = tf.compat.v1.placeholder(tf.float32, shape, name="x")
                        made = program(x)
                    if kind == "full":
                        inputs[x] = np.ones([size or 0 for size in shape], np.float32)
                    for place, result in enumerate(made if isinstance(made, tuple) else (made,)):
                        suffix = f"_{place}" if place else ""
                        named = tf.identity(result, name=f"case/{name}/{kind}/{number}/result{suffix}")
                        results.append((kind, named))
    with tf.compat.v1.Session(graph=graph) as session:
        full = [result for kind, result in results if kind == "full"]
        ran = dict(zip([result.op.name for result in full], session.run(full, inputs), strict=True))
    proto = graph.as_graph_def(add_shapes=True)
    for node in proto.node:
        if node.name in ran:
            shape = tf.TensorShape(ran[node.name].shape).as_proto()
            node.attr["_output_shapes"].list.shape[0].CopyFrom(shape)
    data: bytes = proto.SerializeToString(deterministic=True)
    return data


def _weights(x: Any) -> Any:
    return tf.ones([x.shape[-1] if x.shape[-1] is not None else tf.shape(x)[-1], UNITS])


def _each(x: Any, body: Callable[[Any, Any], Any], **options: Any) -> Any:
    """Return a TensorArray with `body` of each row of `x` and of what it gave for the row before."""
    rows = tf.TensorArray(tf.float32, size=tf.shape(x)[0] if x.shape[0] is None else x.shape[0]).unstack(x)
    count = x.shape[0] if x.shape[0] is not None else tf.shape(x)[0]
    made = tf.TensorArray(tf.float32, size=count, **options)
    state = tf.zeros([tf.shape(x)[1] if x.shape[1] is None else x.shape[1], UNITS])

    def step(place: Any, state: Any, made: Any) -> Any:
        state = body(rows.read(place), state)
        return place + 1, state, made.write(place, state)

    shapes = (tf.TensorShape([]), tf.TensorShape([None, None]), None)
    invariants = {} if x.shape.is_fully_defined() else {"shape_invariants": (*shapes[:2], tf.TensorShape(None))}
    return tf.while_loop(lambda place, *_: place < count, step, (0, state, made), **invariants)[2]


def _recurrent(x: Any) -> Any:
    weights = _weights(x)
    return _each(x, lambda row, state: tf.tanh(row @ weights + state)).stack()


def _two_layers(x: Any) -> Any:
    return _recurrent(_recurrent(x))


def _gathered(x: Any) -> Any:
    weights = _weights(x)
    return _each(x, lambda row, state: row @ weights + state, infer_shape=False).gather([2, 0])


def _concatenated(x: Any) -> Any:
    weights = _weights(x)
    return _each(x, lambda row, state: row @ weights + state).concat()


def _split(x: Any) -> Any:
    return tf.TensorArray(tf.float32, size=2, infer_shape=False).split(x, [1, tf.shape(x)[0] - 1]).read(1)


def _scattered(x: Any) -> Any:
    scattered = tf.TensorArray(tf.float32, size=9, clear_after_read=False).scatter([3, 1], x[:2])
    return scattered.read(3), scattered.gather([1, 3])


def _gradient(x: Any) -> Any:
    return tf.gradients(tf.reduce_sum(_two_layers(x)), x)[0]


def _mapped(x: Any) -> Any:
    return tf.map_fn(lambda row: tf.transpose(row) @ row, x)


def _scanned(x: Any) -> Any:
    return tf.scan(lambda total, row: total + row, x)


def _of_earlier(x: Any) -> Any:
    """Elements that are made of earlier elements of the same TensorArray."""
    size = 6
    made = tf.TensorArray(tf.float32, size=size, clear_after_read=False).write(0, x[0]).write(1, x[0])

    def step(place: Any, made: Any) -> Any:
        return place + 1, made.write(place, made.read(place - 1) + made.read(place - 2))

    return tf.while_loop(lambda place, _: place < size, step, (2, made))[1].stack()


def _chosen(x: Any) -> Any:
    def write(times: int) -> Callable[[], Any]:
        made = tf.TensorArray(tf.float32, size=2)
        return lambda: made.write(0, x * times).write(1, x).stack()

    return tf.cond(tf.reduce_sum(x) > 0, write(1), write(2))


def _grown(x: Any) -> Any:
    made = tf.TensorArray(tf.float32, size=0, dynamic_size=True, element_shape=x.shape)
    return made.write(0, x).write(1, x).write(2, x).stack()


def _sized(x: Any) -> Any:
    return tf.zeros([tf.TensorArray(tf.float32, size=4).size(), x.shape.rank])


PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "recurrent": _recurrent,
    "two_layers": _two_layers,
    "gathered": _gathered,
    "concatenated": _concatenated,
    "split": _split,
    "scattered": _scattered,
    "gradient": _gradient,
    "mapped": _mapped,
    "scanned": _scanned,
    "of_earlier": _of_earlier,
    "chosen": _chosen,
    "grown": _grown,
    "sized": _sized,
}


if __name__ == "__main__":
    main()
