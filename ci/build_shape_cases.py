"""Write tests/data/op_shapes/graph.pb.gz: single ops on random inputs, with the shapes that TensorFlow infers.

    path/to/python-with-tensorflow ci/build_shape_cases.py [--seed 1] [--out FILE]

A case is one op named ``case/OP/KIND/NUMBER/op``. For kind ``full`` all its inputs are known; for kind ``open`` some
sizes or ranks of its inputs are unknown, for kind ``late`` its constants are. `shape_cases.py` lists the ops and the
inputs that fit them.
"""

from __future__ import annotations

import argparse
import gzip
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
sys.path.insert(0, str(Path(__file__).resolve().parent))
import tensorflow as tf
from shape_cases import CASES, Constant, Drawn, draw
from tensorflow.python.framework import op_def_library, op_def_registry

OUT = Path(__file__).resolve().parent.parent / "tests" / "data" / "op_shapes" / "graph.pb.gz"
KINDS = {"full": 2, "open": 3, "late": 1}
"""How many cases of each kind an op gets."""

HIDDEN_RANK, HIDDEN_SIZE = 0.15, 0.3
"""Probabilities that an input of kind ``open`` has an unknown rank, and that one of its sizes is unknown."""

TRIES = 8
"""Number of draws that TensorFlow may refuse before a case is given up."""

_PREFERRED = (tf.float32, tf.int32, tf.complex64, tf.qint8, tf.quint8, tf.qint32, tf.int64)


def main() -> None:
    """Build all cases and write them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    graph = tf.Graph()
    lacking = []
    with graph.as_default():
        for op, texts in CASES.items():
            for kind, count in KINDS.items():
                built = [_build(Random(f"{options.seed} {op} {kind} {n}"), op, texts, kind, n) for n in range(count)]  # noqa: S311 - cases, not secrets
                if kind == "full" and not any(built):
                    lacking.append(op)
    data = graph.as_graph_def(add_shapes=True)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_bytes(gzip.compress(data.SerializeToString(deterministic=True), 9, mtime=0))
    print(f"{len(CASES)} op types, {len(data.node):,} nodes, {options.out.stat().st_size:,} bytes")
    if lacking:
        raise SystemExit("TensorFlow refuses every case of " + ", ".join(lacking))


def _build(random: Random, op: str, texts: Sequence[str], kind: str, number: int) -> bool:
    """Add one case to the graph; return whether TensorFlow took one of the draws."""
    for attempt in range(TRIES):
        drawn = draw(random, random.choice(texts))
        scope = f"{op.lstrip('_')}/{kind}/{number}" if not attempt else f"{op.lstrip('_')}/{kind}/{number}.{attempt}"
        try:
            _apply(random, op, drawn, kind, f"case/{scope}/")
        except (ValueError, TypeError, NotImplementedError) as error:
            if os.environ.get("SHOW_REFUSED"):
                print(op, kind, str(error)[:300])
            continue
        return True
    return False


def _apply(random: Random, op: str, drawn: Drawn, kind: str, scope: str) -> None:
    definition = op_def_registry.get(op)
    allowed = {attr.name: list(attr.allowed_values.list.type) for attr in definition.attr}
    inputs = iter(drawn.inputs)
    arguments: dict[str, Any] = dict(drawn.attrs)
    types = {
        attr.name: tf.dtypes.as_dtype(arguments[attr.name])
        for attr in definition.attr
        if attr.type == "type" and attr.name in arguments
    }
    with tf.name_scope(scope):
        for arg in definition.input_arg:
            dtype = types.get(arg.type_attr) or _dtype(arg, allowed)
            if arg.number_attr or arg.type_list_attr:
                kind_of_list = dtype if arg.number_attr else tf.float32
                listed = next(inputs, ())
                arguments[arg.name] = [_tensor(random, each, kind_of_list, kind) for each in listed]
            else:
                given = next(inputs)
                if arg.is_ref:
                    arguments[arg.name] = tf.raw_ops.VariableV2(shape=given, dtype=dtype)
                else:
                    arguments[arg.name] = _tensor(random, given, dtype, kind)
        inferred = {
            name for arg in definition.input_arg for name in (arg.type_attr, arg.number_attr, arg.type_list_attr)
        }
        for attr in definition.attr:
            if attr.name in inferred:
                arguments.pop(attr.name, None)
            elif attr.name not in arguments:
                has_default = attr.HasField("default_value")
                arguments[attr.name] = _plain(attr.default_value) if has_default else _preferred(allowed[attr.name])
        if next(inputs, None) is not None:
            raise SystemExit(f"{op}: too many inputs")
        op_def_library.apply_op(op, name="op", **arguments)


def _plain(value: Any) -> Any:
    kind = value.WhichOneof("value")
    if kind == "list":
        return [each for _, values in value.list.ListFields() for each in values]
    return tf.TensorShape(value.shape) if kind == "shape" else getattr(value, kind)


def _preferred(allowed: list[int]) -> tf.DType:
    types = [tf.dtypes.as_dtype(number) for number in allowed]
    return next((each for each in _PREFERRED if not types or each in types), types[0] if types else tf.float32)


def _dtype(arg: Any, allowed: dict[str, list[int]]) -> tf.DType:
    return tf.dtypes.as_dtype(arg.type) if arg.type else _preferred(allowed.get(arg.type_attr, []))


def _tensor(random: Random, given: Any, dtype: tf.DType, kind: str) -> tf.Tensor:
    if isinstance(given, Constant):
        if kind != "late":
            return tf.constant(given.values, dtype=dtype, shape=given.shape)
        return tf.compat.v1.placeholder(dtype, given.shape)
    if kind == "open" and random.random() < HIDDEN_RANK:
        return tf.compat.v1.placeholder(dtype)
    hidden = [None if kind == "open" and random.random() < HIDDEN_SIZE else size for size in given]
    return tf.compat.v1.placeholder(dtype, hidden)


if __name__ == "__main__":
    main()
