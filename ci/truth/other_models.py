"""Small models of TensorFlow 1, and a module; their layers are what the code says."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from truth import record
from truth.tf1_truth import Layers, Recorded

tf1 = tf.compat.v1
BATCH, CLASSES = 4, 5


def in_graph(build: Callable[[], Recorded]) -> Callable[[], Recorded]:
    """Return a builder that runs in a graph of its own."""

    @functools.wraps(build)
    def call() -> Recorded:
        with tf.Graph().as_default():
            return build()

    return call


def cross_entropy(scores: Any) -> Any:
    """Return the loss against labels that are fed."""
    labels = tf1.placeholder(tf.int32, (BATCH,), "labels")
    with tf1.name_scope("loss"):
        return tf1.reduce_mean(tf1.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=scores))


def variable(name: str, *shape: int, trainable: bool = True, value: float | None = None) -> Any:
    """Return a reference variable, as TensorFlow 1 made them."""
    start = tf1.glorot_uniform_initializer() if value is None else tf1.constant_initializer(value)
    return tf1.get_variable(name, shape, initializer=start, trainable=trainable, use_resource=False)


@in_graph
def tf1_towers() -> Recorded:
    """Build the same network on two devices, its variables shared."""
    noted = Layers()
    losses = []
    for tower in range(2):
        image = tf1.placeholder(tf.float32, (BATCH, 12, 12, 3), f"image_{tower}")
        with tf1.variable_scope(tf1.get_variable_scope(), reuse=tower > 0), tf1.name_scope(f"tower_{tower}"):
            x = image
            for number, filters in enumerate((6, 8), 1):
                with tf1.variable_scope(f"conv{number}"), noted.layer(f"conv{number}", "conv") as out:
                    kernel = variable("weights", 3, 3, x.shape[-1], filters)
                    x = tf1.nn.conv2d(x, kernel, [1, 2, 2, 1], "SAME")
                    x = out(tf1.nn.relu(tf1.nn.bias_add(x, variable("biases", filters, value=0)), "conv"))
            x = tf1.reduce_mean(x, [1, 2])
            with tf1.variable_scope("local3"), noted.layer("local3", "dense") as out:
                x = tf1.matmul(x, variable("weights", 8, 12)) + variable("biases", 12, value=0.1)
                x = out(tf1.nn.relu(x))
            with tf1.variable_scope("softmax_linear"), noted.layer("softmax_linear", "dense") as out:
                weights, biases = variable("weights", 12, CLASSES), variable("biases", CLASSES, value=0)
                x = out(tf1.add(tf1.matmul(x, weights), biases, "softmax_linear"))
            labels = tf1.placeholder(tf.int32, (BATCH,), "labels")
            losses.append(tf1.reduce_mean(tf1.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=x)))
    return noted.finish(tf1.train.MomentumOptimizer(0.1, 0.9), tf1.add_n(losses, "total_loss"), BATCH)


@in_graph
def slim_resnet() -> Recorded:
    """Build bottleneck units with the names of TF-Slim."""
    noted = Layers()
    image = tf1.placeholder(tf.float32, (BATCH, 16, 16, 3), "image")

    def conv(x: Any, kernel: tuple[int, int, int], name: str, within: str, *, is_relu: bool = True) -> Any:
        size, stride, filters = kernel
        with tf1.variable_scope(name):
            with noted.layer(name, "conv", within) as out:
                x = out(
                    tf1.nn.conv2d(
                        x, variable("weights", size, size, x.shape[-1], filters), stride, "SAME", name="Conv2D"
                    )
                )
            with noted.layer("BatchNorm", "batch_norm", f"{within}/{name}") as out, tf1.variable_scope("BatchNorm"):
                gamma, beta = variable("gamma", filters, value=1), variable("beta", filters, value=0)
                mean = variable("moving_mean", filters, value=0, trainable=False)
                variance = variable("moving_variance", filters, value=1, trainable=False)
                x, *moments = tf1.nn.fused_batch_norm(x, gamma, beta, epsilon=1e-5, name="FusedBatchNormV3")
                for each, moment in zip((mean, variance), moments, strict=True):
                    decayed = tf1.assign_sub(each, (each - moment) * 0.003, name="AssignMovingAvg")
                    tf1.add_to_collection(tf1.GraphKeys.UPDATE_OPS, decayed)
                out(x)
            if is_relu:
                with noted.layer("Relu", "relu", f"{within}/{name}") as out:
                    x = out(tf1.nn.relu(x))
        return x

    root = "resnet_v1_50"
    with tf1.variable_scope(root):
        x = conv(image, (3, 1, 8), "conv1", root)
        for block, (filters, stride) in enumerate(((4, 1), (8, 2)), 1):
            for unit in (1, 2):
                within = f"{root}/block{block}/unit_{unit}/bottleneck_v1"
                with tf1.variable_scope(within.removeprefix(f"{root}/")):
                    step = stride if unit == 1 else 1
                    short = conv(x, (1, step, 4 * filters), "shortcut", within, is_relu=False) if unit == 1 else x
                    y = conv(x, (1, 1, filters), "conv1", within)
                    y = conv(y, (3, step, filters), "conv2", within)
                    y = conv(y, (1, 1, 4 * filters), "conv3", within, is_relu=False)
                    x = tf1.nn.relu(short + y)
        x = tf1.reduce_mean(x, [1, 2], keepdims=True, name="pool5")
        with tf1.variable_scope("logits"), noted.layer("logits", "conv", root) as out:
            x = tf1.nn.conv2d(x, variable("weights", 1, 1, x.shape[-1], CLASSES), 1, "SAME", name="Conv2D")
            x = out(tf1.nn.bias_add(x, variable("biases", CLASSES, value=0), name="BiasAdd"))
        x = tf1.squeeze(x, [1, 2], "SpatialSqueeze")
    loss = cross_entropy(x)
    with tf1.control_dependencies(tf1.get_collection(tf1.GraphKeys.UPDATE_OPS)):
        loss = tf1.identity(loss, "train_loss")
    return noted.finish(tf1.train.RMSPropOptimizer(0.01), loss, BATCH)


@in_graph
def estimator_dnn() -> Recorded:
    """Build the graph of a canned DNNClassifier: partitioned variables, a global step, Adagrad."""
    noted = Layers()
    tf1.train.get_or_create_global_step()
    x = tf1.placeholder(tf.float32, (BATCH, 6), "features")
    with tf1.variable_scope("dnn", partitioner=tf1.fixed_size_partitioner(1)):
        for name, units in (("hiddenlayer_0", 16), ("hiddenlayer_1", 8), ("logits", CLASSES)):
            with tf1.variable_scope(name), noted.layer(name, "dense", "dnn") as out:
                kernel = tf1.get_variable("kernel", (x.shape[-1], units), use_resource=False)
                bias = tf1.get_variable("bias", (units,), use_resource=False)
                x = tf1.nn.bias_add(tf1.matmul(x, tf1.convert_to_tensor(kernel)), tf1.convert_to_tensor(bias))
                x = out(tf1.nn.relu(x) if name != "logits" else x)
    return noted.finish(tf1.train.AdagradOptimizer(0.05), cross_entropy(x), BATCH)


@in_graph
def tf1_layers() -> Recorded:
    """Build layers of ``tf.layers``, named and not, with resource variables."""
    from tf_keras.src.legacy_tf_layers import convolutional, core, normalization, pooling  # noqa: PLC0415

    noted = Layers()
    x = tf1.placeholder(tf.float32, (BATCH, 16, 16, 3), "image")
    for number in range(2):
        end = f"_{number}" if number else ""
        with noted.layer(f"conv2d{end}", "Conv2D") as out:
            x = out(convolutional.conv2d(x, 6, 3, padding="same", use_bias=False))
        with noted.layer(f"batch_normalization{end}", "BatchNormalization") as out:
            x = out(normalization.batch_normalization(x, training=True))
        x = tf1.nn.relu(x)
        with noted.layer(f"max_pooling2d{end}", "MaxPooling2D") as out:
            x = out(pooling.max_pooling2d(x, 2, 2))
    x = core.flatten(x)
    with noted.layer("hidden", "Dense") as out:
        x = out(core.dense(x, 12, tf1.nn.relu, name="hidden"))
    with noted.layer("logits", "Dense") as out:
        x = out(core.dense(x, CLASSES, name="logits"))
    with tf1.control_dependencies(tf1.get_collection(tf1.GraphKeys.UPDATE_OPS)):
        loss = tf1.identity(cross_entropy(x))
    return noted.finish(tf1.train.AdamOptimizer(), loss, BATCH)


@in_graph
def keras_in_tf1() -> Recorded:
    """Build layers of Keras 2 in a graph of TensorFlow 1, with a cell of TensorFlow 1's recurrent networks."""
    import tf_keras as keras  # noqa: PLC0415

    noted = Layers()
    given = tf1.placeholder(tf.int32, (BATCH, 6), "words")
    made = [
        keras.layers.Embedding(50, 8, name="embedding"),
        keras.layers.Conv1D(8, 3, activation="relu", name="conv1d"),
        keras.layers.LayerNormalization(name="norm"),
        keras.layers.GlobalMaxPooling1D(name="pool"),
        keras.layers.Dense(6, activation="relu", name="dense"),
        keras.layers.Dense(CLASSES, name="dense_1"),
    ]
    x = given
    for each in made:
        with noted.layer(each.name, type(each).__name__) as out:
            x = out(each(x))
    return noted.finish(tf1.train.AdamOptimizer(0.01), cross_entropy(x), BATCH)


class DenseModule(tf.Module):
    """A dense layer of a plain module."""

    def __init__(self, width: int, units: int, name: str) -> None:
        """Make the weights."""
        super().__init__(name=name)
        with self.name_scope:
            self.w = tf.Variable(tf.zeros((width, units)), name="w")
            self.b = tf.Variable(tf.zeros((units,)), name="b")

    @tf.Module.with_name_scope  # type: ignore[untyped-decorator]
    def __call__(self, x: Any) -> Any:
        """Return the layer's values."""
        return tf.nn.relu(x @ self.w + self.b)


class MlpModule(tf.Module):
    """Dense layers and a scale of its own."""

    def __init__(self) -> None:
        """Make the layers."""
        super().__init__(name="mlp")
        with self.name_scope:
            self.layers = [
                DenseModule(6, 12, "linear_0"),
                DenseModule(12, 8, "linear_1"),
                DenseModule(8, 3, "linear_2"),
            ]
            self.scale = tf.Variable(tf.ones((3,)), name="scale")

    @tf.Module.with_name_scope  # type: ignore[untyped-decorator]
    def __call__(self, x: Any) -> Any:
        """Return scores."""
        for each in self.layers:
            x = each(x)
        return x * self.scale


def module_mlp() -> Recorded:
    """Build a tf.Module with tf.Variable weights, trained by plain gradient descent."""
    model, spec = MlpModule(), tf.TensorSpec((BATCH, 6), tf.float32, "x")
    watch = record.Watch({id(each): number for number, each in enumerate([*model.layers, model])})

    def step(x: Any, wanted: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(x) - wanted) ** 2)
        gradients = tape.gradient(loss, model.trainable_variables)
        for each, gradient in zip(model.trainable_variables, gradients, strict=True):
            owners = [number for number, layer in enumerate(model.layers) if each is layer.w or each is layer.b]
            owner = owners[0] if owners else len(model.layers)
            with watch.note(owner, "update"):
                each.assign_sub(0.1 * gradient)
        return loss

    specs = [spec, tf.TensorSpec((BATCH, 3), tf.float32, "wanted")]
    classes = [DenseModule, MlpModule]
    with record.calls_watched(DenseModule, watch), record.calls_watched(MlpModule, watch):
        served = record.infer_graph(model, list(model.variables), [spec])
    function, served_nodes = record.served_nodes(served, watch)
    train, nodes = record.train_graph(step, specs, watch, layer_classes=classes)
    graphs = {"infer": served, "train": train}
    layers: list[dict[str, Any]] = []
    rows: list[Any] = [*model.layers, model]
    for number, each in enumerate(rows):
        own = [model.scale] if each is model else [each.w, each.b]
        weights = [
            {"name": weight.name.split(":")[0].rsplit("/", 1)[1], "path": weight.name.split(":")[0]}
            | {"shape": weight.shape.as_list(), "trainable": True, "train_node": nodes.get(id(weight.handle))}
            for weight in own
        ]
        facts = {"name": each.name, "within": [] if each is model else ["mlp"], "class": type(each).__name__}
        facts |= {"trainable": sum(weight.shape.num_elements() for weight in own), "non_trainable": 0}
        facts |= {"output_shape": [BATCH, own[-1].shape[-1]], "calls": 1, "weights": weights}
        facts["infer_nodes"] = served_nodes[number]
        layers.append(facts | ({"train_nodes": watch.owned[number].facts()} if number in watch.owned else {}))
    total = sum(each["trainable"] for each in layers)
    truth = {"kind": "module", "model": "mlp", "class": "MlpModule", "batch": BATCH}
    truth |= {"inputs": [{"name": "x", "shape": [BATCH, 6], "dtype": "float32"}], "optimizer": None}
    truth["infer_function"] = function
    return graphs, {**truth, "trainable": total, "non_trainable": 0, "layers": layers}


MODELS: dict[str, Callable[[], Recorded]] = {
    each.__name__: each for each in (tf1_towers, slim_resnet, estimator_dnn, tf1_layers, keras_in_tf1, module_mlp)
}
