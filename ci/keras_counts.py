"""Count models of `flops_models.py` with keras-flops, for `compare_tools.py`.

    python ci/keras_counts.py

Prints JSON: versions, the errors that keras-flops raises as it is, and per model what its method gives: the model is
frozen at batch 1, and `tf.compat.v1.profiler` counts with the rules that keras-flops registers besides TensorFlow's.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import sys
from importlib.metadata import version
from typing import Any

import tensorflow as tf
from flops_models import MODELS, spec_of
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2
from tensorflow.python.framework.registry import Registry

COMPARED = ("resnet50", "mobilenet_v2", "efficientnet_b0", "lstm", "transformer")


def register_what_is_new() -> None:
    """Import keras-flops with rules for ops that TensorFlow itself has rules for by now left out."""
    register = Registry.register

    def register_new(self: Any, candidate: Any, name: Any = None) -> None:
        with contextlib.suppress(KeyError):
            register(self, candidate, name)

    Registry.register = register_new
    try:
        importlib.import_module("keras_flops")
    finally:
        Registry.register = register


def error_of(call: Any) -> str:
    """Return how a call fails, in one line."""
    try:
        call()
    except Exception as error:  # noqa: BLE001 - whatever the versions at hand make of it
        return f"{type(error).__name__}: {str(error.args[0]).split(' (Prev')[0]}"
    return "none"


def count(build: Any) -> dict[str, Any]:
    """Return the FLOPs of a model by keras-flops' method, and those of each op type."""
    model = build()
    concrete = tf.function(lambda x: model(x, training=False)).get_concrete_function(spec_of(model))
    options = tf.compat.v1.profiler.ProfileOptionBuilder.float_operation() | {"output": "none"}
    frozen = convert_variables_to_constants_v2(concrete).graph
    run_meta = tf.compat.v1.RunMetadata()
    found = tf.compat.v1.profiler.profile(frozen, run_meta=run_meta, cmd="scope", options=options)
    by_op: dict[str, int] = {}
    below = tf.compat.v1.profiler.profile(frozen, run_meta=run_meta, cmd="op", options=options)
    while below.children:
        (below,) = below.children
        by_op[below.name] = below.total_float_ops - sum(each.total_float_ops for each in below.children)
    return {"flops": found.total_float_ops, "by_op": dict(sorted(by_op.items()))}


def main() -> None:
    """Print the counts."""
    errors = [error_of(lambda: importlib.import_module("keras_flops"))]
    for name in [name for name in sys.modules if name.startswith("keras_flops")]:
        del sys.modules[name]
    register_what_is_new()
    tool = sys.modules["keras_flops"]
    errors.append(error_of(lambda: tool.get_flops(MODELS["lstm"](), batch_size=1)))
    counts = {name: {"keras_flops": count(MODELS[name])} for name in COMPARED}
    names = ("keras-flops", "tensorflow-cpu", "keras")
    json.dump({"versions": {name: version(name) for name in names}, "errors": errors, "models": counts}, sys.stdout)


if __name__ == "__main__":
    main()
