"""Build Keras models for `flops_table.py` and export each as users do, in an interpreter that has TensorFlow.

    python ci/flops_models.py OUT_FOLDER

Writes ``MODEL/PATH.pb`` for every model and path, and ``keras.json`` with facts about them: per model the multiply-adds
and parameters that follow from the shapes of its layers, per path `Export.facts`. The values of weights do not matter
and are not kept: large constants lose their content and keep their shape.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

os.environ |= {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "", "TF_ENABLE_ONEDNN_OPTS": "0"}

import keras
import numpy as np
import tensorflow as tf
from tensorflow.core.protobuf import saved_model_pb2
from tensorflow.python.framework import ops
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2
from tensorflow.python.grappler import tf_optimizer

tf1 = tf.compat.v1

WORDS, STEPS, UNITS, WIDTH, HEADS = 1000, 20, 64, 32, 4
KEPT_ELEMENTS = 16
"""Constants with more elements than this are emptied; those that define shapes have fewer."""


# Models -----------------------------------------------------------------------------------------------------------


def picture_model(application: Callable[..., Any]) -> Callable[[], Any]:
    """Return the builder of one of Keras' applications, for an image of 224 x 224."""
    return lambda: application(weights=None, input_tensor=keras.Input(batch_shape=(1, 224, 224, 3), name="image"))


def lstm() -> Any:
    """Return a classifier of sentences: embedding, LSTM, dense."""
    words = keras.Input(batch_shape=(1, STEPS), dtype="int32", name="words")
    x = keras.layers.Embedding(WORDS, WIDTH)(words)
    x = keras.layers.LSTM(UNITS)(x)
    return keras.Model(words, keras.layers.Dense(2, activation="softmax")(x), name="lstm_model")


def transformer() -> Any:
    """Return a small encoder: embedding, then attention and two dense layers twice, each with a residual."""
    words = keras.Input(batch_shape=(1, STEPS), dtype="int32", name="words")
    x = keras.layers.Embedding(WORDS, WIDTH)(words)
    for _ in range(2):
        attended = keras.layers.MultiHeadAttention(HEADS, key_dim=WIDTH // HEADS)(x, x)
        x = keras.layers.LayerNormalization()(keras.layers.Add()([x, attended]))
        inner = keras.layers.Dense(4 * WIDTH, activation="gelu")(x)
        x = keras.layers.LayerNormalization()(keras.layers.Add()([x, keras.layers.Dense(WIDTH)(inner)]))
    x = keras.layers.GlobalAveragePooling1D()(x)
    return keras.Model(words, keras.layers.Dense(2, activation="softmax")(x), name="transformer_model")


def stacked() -> Any:
    """Return a classifier of sequences: LSTM, GRU and LSTM on top of each other."""
    given = keras.Input(batch_shape=(1, STEPS, WIDTH), name="given")
    x = keras.layers.LSTM(UNITS, return_sequences=True)(given)
    x = keras.layers.GRU(WIDTH, return_sequences=True, reset_after=False)(x)
    x = keras.layers.LSTM(UNITS)(x)
    return keras.Model(given, keras.layers.Dense(2, activation="softmax")(x), name="stacked_model")


def conv_lstm() -> Any:
    """Return a classifier of videos: two layers of ConvLSTM, pooling, dense."""
    video = keras.Input(batch_shape=(1, 6, 16, 16, 3), name="video")
    x = keras.layers.ConvLSTM2D(8, 3, padding="same", return_sequences=True)(video)
    x = keras.layers.ConvLSTM2D(4, 3, strides=2)(x)
    x = keras.layers.GlobalAveragePooling2D()(x)
    return keras.Model(video, keras.layers.Dense(2, activation="softmax")(x), name="conv_lstm_model")


class Gathered(keras.layers.Layer):
    """Rows of a table by ``tf.gather``, and of a table of positions."""

    def build(self, _: Any) -> None:
        """Create the tables."""
        self.words = self.add_weight(shape=(WORDS, WIDTH), name="words")
        self.places = self.add_weight(shape=(STEPS, WIDTH), name="places")

    def call(self, words: Any) -> Any:
        """Return a row for each word plus that of its place."""
        return tf.gather(self.words, words) + tf.gather(self.places, tf.range(words.shape[1]))


class Tied(keras.layers.Layer):
    """Scores of all words by the table of an embedding, which is not a weight of this layer."""

    def __init__(self, embedding: Any) -> None:
        """Take the embedding's table."""
        super().__init__()
        self.table: Callable[[], Any] = lambda: embedding.embeddings

    def call(self, x: Any) -> Any:
        """Return the products with the rows of the table."""
        return tf.matmul(x, tf.convert_to_tensor(self.table()), transpose_b=True)


def gathered() -> Any:
    """Return a classifier of sentences whose embedding is ``tf.gather``."""
    words = keras.Input(batch_shape=(1, STEPS), dtype="int32", name="words")
    x = keras.layers.GlobalAveragePooling1D()(Gathered()(words))
    return keras.Model(words, keras.layers.Dense(2, activation="softmax")(x), name="gathered_model")


def tied() -> Any:
    """Return a language model whose output has the weights of its embedding."""
    words = keras.Input(batch_shape=(1, STEPS), dtype="int32", name="words")
    embedding = keras.layers.Embedding(WORDS, WIDTH)
    x = keras.layers.GRU(WIDTH, return_sequences=True, reset_after=False)(embedding(words))
    return keras.Model(words, Tied(embedding)(x), name="tied_model")


def encoder_decoder() -> Any:
    """Return an encoder and a decoder of LSTMs with attention; the input holds both sentences."""
    words = keras.Input(batch_shape=(1, 2, STEPS), dtype="int32", name="words")
    embedding = keras.layers.Embedding(WORDS, WIDTH)
    encoded, *state = keras.layers.LSTM(UNITS, return_sequences=True, return_state=True)(embedding(words[:, 0]))
    decoded = keras.layers.LSTM(UNITS, return_sequences=True)(embedding(words[:, 1]), initial_state=state)
    attended = keras.layers.MultiHeadAttention(HEADS, key_dim=UNITS // HEADS)(decoded, encoded)
    x = keras.layers.Add()([decoded, attended])
    return keras.Model(words, keras.layers.Dense(WORDS)(x), name="encoder_decoder_model")


MODELS = {
    "resnet50": picture_model(keras.applications.ResNet50),
    "mobilenet_v1": picture_model(keras.applications.MobileNet),
    "mobilenet_v2": picture_model(keras.applications.MobileNetV2),
    "efficientnet_b0": picture_model(keras.applications.EfficientNetB0),
    "lstm": lstm,
    "transformer": transformer,
    "stacked": stacked,
    "conv_lstm": conv_lstm,
    "gathered": gathered,
    "tied": tied,
    "encoder_decoder": encoder_decoder,
}


# Counts from the layers -------------------------------------------------------------------------------------------


def macs_of(layer: Any) -> int:
    """Return the multiply-adds of one call of a layer, only from the shapes of its output and its weights."""
    layers = keras.layers
    found: int = 0
    match layer:
        case layers.SeparableConv2D():
            batch, *places, _ = layer.output.shape
            kernels = (layer.depthwise_kernel, layer.pointwise_kernel)
            found = batch * math.prod(places) * elements(kernels)
        case layers.DepthwiseConv2D():
            found = math.prod(layer.output.shape) * math.prod(layer.kernel.shape[:2])
        case layers.Conv2D():
            found = math.prod(layer.output.shape) * math.prod(layer.kernel.shape[:3])
        case layers.Dense():
            found = math.prod(layer.output.shape) * layer.kernel.shape[0]
        case layers.LSTM() | layers.GRU() | layers.ConvLSTM2D():
            batch, steps = tf.nest.flatten(layer.input)[0].shape[:2]
            places = layer.output.shape[-3:-1] if isinstance(layer, layers.ConvLSTM2D) else ()
            kernels = (layer.cell.kernel, layer.cell.recurrent_kernel)
            found = batch * steps * math.prod(places) * elements(kernels)
        case layers.MultiHeadAttention():
            batch, steps, _ = layer.output.shape
            projections = (layer.query_dense, layer.key_dense, layer.value_dense, layer.output_dense)
            found = batch * steps * elements(each.kernel for each in projections)
            found += 2 * batch * layer.num_heads * steps * steps * layer.key_dim
        case Tied():
            found = math.prod(layer.output.shape) * layer.input.shape[-1]
        case layers.Embedding() | Gathered():
            pass
        case _ if any(len(weight.shape) > 1 for weight in layer.weights):
            raise NotImplementedError(f"no count for the layer {layer.name}, which has a matrix of weights")
    return found


def count_layers(model: Any) -> dict[str, int]:
    """Return multiply-adds and parameters of a model by its layers.

    `params` excludes the data of Normalization layers: mean and variance, which are `statistics`, and the number of
    examples.
    """
    known = [layer for layer in model.layers if isinstance(layer, keras.layers.Normalization)]
    return {
        "macs": sum(macs_of(layer) for layer in model.layers),
        "params": elements(model.weights) - sum(elements(layer.weights) for layer in known),
        "statistics": sum(elements([layer.adapt_mean, layer.adapt_variance]) for layer in known),
    }


def elements(weights: Iterable[Any]) -> int:
    """Return the total number of elements of weights."""
    return sum(math.prod(weight.shape) for weight in weights)


# Exports ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """A message with the name of its path.

    output : name of the node that gives the model's output
    registry : FLOPs by op type as counted by TensorFlow's profiler; empty if it was not run or lacks shapes
    captured : shapes of the variables for which the graph has only a placeholder, as ``--input-shape`` takes them
    """

    path: str
    message: Any
    output: str
    registry: dict[str, int] = field(default_factory=dict)
    captured: list[str] = field(default_factory=list)

    @property
    def facts(self) -> dict[str, Any]:
        """The facts about the message, for JSON."""
        return {"output": self.output, "registry": self.registry, "captured": self.captured}


def with_weights(model: Any) -> Any:
    """Return a model without weights of 0 or 1, with which arithmetic would be folded too."""
    draw = np.random.default_rng(0)
    model.set_weights([draw.uniform(0.2, 0.8, each.shape).astype(each.dtype) for each in model.weights])
    return model


def later_exports(model: Any) -> Iterator[Export]:
    """Yield the exports of TensorFlow 2."""
    spec = spec_of(model)
    concrete = tf.function(lambda x: model(x, training=False)).get_concrete_function(spec)
    output = concrete.outputs[0].op.name
    with_shapes = concrete.graph.as_graph_def(add_shapes=True)
    yield Export(
        path="function_shapes", message=with_shapes, output=output, registry=registered_float_ops(concrete.graph)
    )
    sizes = {id(each.handle): ",".join(map(str, each.shape)) for each in concrete.graph.variables}
    captures = [(inner.op.name, sizes.get(id(outer))) for outer, inner in concrete.graph.captures]
    captured = [f"{name}={shape}" for name, shape in captures if shape is not None]
    yield Export(path="function", message=concrete.graph.as_graph_def(), output=output, captured=captured)
    frozen = convert_variables_to_constants_v2(concrete)
    yield Export(
        path="frozen",
        message=frozen.graph.as_graph_def(),
        output=frozen.outputs[0].op.name,
        registry=registered_float_ops(frozen.graph),
    )
    yield Export(path="optimised", message=optimised(frozen), output=frozen.outputs[0].op.name)
    yield _saved("saved", lambda folder: tf.saved_model.save(model, folder, signatures=concrete))
    yield _saved("saved_model", lambda folder: model.export(folder, verbose=False, input_signature=[spec]))


def _saved(path: str, save: Callable[[str], Any]) -> Export:
    """Return the SavedModel that `save` writes to a folder."""
    with tempfile.TemporaryDirectory() as folder:
        save(folder)
        saved = saved_model_pb2.SavedModel.FromString((Path(folder) / "saved_model.pb").read_bytes())
    (meta_graph,) = saved.meta_graphs
    meta_graph.ClearField("object_graph_def")  # Python's view of the model, which no profiler needs
    (given,) = meta_graph.signature_def["serving_default"].outputs.values()
    return Export(path=path, message=saved, output=given.name)


def optimised(frozen: Any) -> Any:
    """Return the graph of a frozen function as TensorFlow's Grappler leaves it: constants folded, ops merged."""
    meta_graph = tf1.train.export_meta_graph(graph=frozen.graph, graph_def=frozen.graph.as_graph_def(add_shapes=True))
    meta_graph.collection_def["train_op"].node_list.value.append(frozen.outputs[0].op.name)  # what must be kept
    config = tf1.ConfigProto()
    config.graph_options.rewrite_options.min_graph_nodes = -1
    graph = tf_optimizer.OptimizeGraph(config, meta_graph)
    for node in graph.node:
        node.attr.pop("_output_shapes", None)  # those of the graph before optimisation
    return graph


def early_exports(build: Callable[[], Any]) -> Iterator[Export]:
    """Yield the exports of TensorFlow 1: of a graph, and of a graph that calls a function."""
    with tf.Graph().as_default() as graph:
        model = build()
        spec = spec_of(model)
        output = model(tf1.placeholder(spec.dtype, spec.shape, spec.name), training=False)
    yield Export(
        path="tf1",
        message=graph.as_graph_def(add_shapes=True),
        output=output.op.name,
        registry=registered_float_ops(graph),
    )
    with tf.Graph().as_default() as graph:
        model = build()
        output = tf.function(lambda x: model(x, training=False))(tf1.placeholder(spec.dtype, spec.shape, spec.name))
    yield Export(path="called", message=graph.as_graph_def(), output=output.op.name)


def spec_of(model: Any) -> Any:
    """Return the shape, type and name of a model's only input."""
    (given,) = model.inputs
    return tf.TensorSpec(given.shape, given.dtype, name=given.name)


def registered_float_ops(graph: Any) -> dict[str, int]:
    """Return the FLOPs of a graph by op type, as counted by TensorFlow's profiler; empty if it lacks shapes.

    Function bodies are not counted.
    """
    try:
        for node in graph.get_operations():
            ops.get_stats_for_node_def(graph, node.node_def, "flops")
    except ValueError:
        return {}
    options = tf1.profiler.ProfileOptionBuilder.float_operation()
    options |= {"output": "none", "min_float_ops": 1}
    found = tf1.profiler.profile(graph, cmd="op", options=options)
    figures: dict[str, int] = {}
    while found is not None and found.children:
        (found,) = found.children
        figures[found.name] = found.total_float_ops - sum(each.total_float_ops for each in found.children)
    return figures


def emptied(message: Any) -> bytes:
    """Return the bytes of a message in which large constants lose their content and keep their shape."""
    graphs = [each.graph_def for each in message.meta_graphs] if hasattr(message, "meta_graphs") else [message]
    for graph in graphs:
        for node in (*graph.node, *(each for function in graph.library.function for each in function.node_def)):
            tensor = node.attr["value"].tensor if node.op == "Const" else None
            if tensor and math.prod(dim.size for dim in tensor.tensor_shape.dim) > KEPT_ELEMENTS:
                tensor.CopyFrom(type(tensor)(dtype=tensor.dtype, tensor_shape=tensor.tensor_shape))
    data: bytes = message.SerializeToString(deterministic=True)
    return data


def export(folder: Path, *, is_early: bool) -> dict[str, Any]:
    """Write the exports of one TensorFlow version to `folder`; return the facts about them."""
    found: dict[str, Any] = {}
    for name, build in MODELS.items():
        keras.backend.clear_session()  # names start from 1 again
        (folder / name).mkdir(parents=True, exist_ok=True)
        model = None if is_early else with_weights(build())
        exports = early_exports(build) if model is None else later_exports(model)
        found[name] = {"layers": None if model is None else count_layers(model), "paths": {}}
        for each in exports:
            found[name]["paths"][each.path] = each.facts
            (folder / name / f"{each.path}.pb").write_bytes(emptied(each.message))
    return found


def main() -> None:
    """Write all exports; those of TensorFlow 1 need a separate process."""
    folder = Path(sys.argv[1])
    early = folder / "early.json"
    if "--early" in sys.argv:
        tf1.disable_v2_behavior()
        tf1.enable_resource_variables()
        early.write_text(json.dumps(export(folder, is_early=True)))
        return
    models = export(folder, is_early=False)
    subprocess.run([sys.executable, __file__, str(folder), "--early"], check=True)
    for name, found in json.loads(early.read_text()).items():
        models[name]["paths"] |= found["paths"]
    early.unlink()
    facts = {"tensorflow": tf.__version__, "keras": keras.__version__, "models": models}
    (folder / "keras.json").write_text(json.dumps(facts, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
