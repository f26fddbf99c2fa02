"""Build the graphs of ``tests/data/layers`` with TensorFlow, and write what is true of the layers in them.

    python ci/build_layer_models.py tests/data/layers [MODEL ...]

``MODEL.KIND.pb.gz`` is a GraphDef, ``MODEL.json`` the truth; the folder's README.md says what each fact means. Keras 2
comes from the package ``tf_keras``.
"""

from __future__ import annotations

import gzip
import json
import multiprocessing
import random
import sys
import uuid
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from truth import keras2_models, keras_models, keras_truth, other_models, record

Truth = dict[str, Any]
MODELS: dict[str, Callable[[], tuple[dict[str, Any], Truth]]] = {
    **{name: partial(keras_truth.recorded, build, "keras3") for name, build in keras_models.MODELS.items()},
    **{name: partial(keras_truth.recorded, build, "keras2") for name, build in keras2_models.MODELS.items()},
    **other_models.MODELS,
}


def text_of(truth: Truth) -> str:
    """Return the truth as JSON with a line for each fact and for each layer."""
    parts = [f" {json.dumps(name)}: {json.dumps(value)}" for name, value in truth.items() if name != "layers"]
    layers = ",\n".join(f"  {json.dumps(each)}" for each in truth["layers"])
    return "{\n" + ",\n".join(parts) + f',\n "layers": [\n{layers}\n ]\n}}\n'


def write(folder: Path, name: str, graphs: dict[str, Any], truth: Truth) -> None:
    """Write the graphs of a model and the truth about it."""
    folder.mkdir(parents=True, exist_ok=True)
    files = {}
    for kind, message in graphs.items():
        files[kind] = f"{name}.{kind}.pb.gz"
        data = record.emptied(message).SerializeToString(deterministic=True)
        (folder / files[kind]).write_bytes(gzip.compress(data, mtime=0))
    (folder / f"{name}.json").write_text(text_of({"name": name, "graphs": files, **truth}))


def build(folder: Path, name: str, models: dict[str, Any]) -> None:
    """Build one model, in a process of its own: what TensorFlow and Keras number and draw starts anew."""
    random.seed(0)
    uuid.uuid4 = lambda: uuid.UUID(int=random.getrandbits(128), version=4)
    write(folder, name, *models[name]())


def main(folder: Path, names: list[str], models: dict[str, Any] = MODELS) -> None:
    """Write the chosen models, all by default."""
    processes = multiprocessing.get_context("fork")
    for name in names or models:
        process = processes.Process(target=build, args=(folder, name, models))
        process.start()
        process.join()
        if process.exitcode:
            raise SystemExit(f"{name}: the model could not be built")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
