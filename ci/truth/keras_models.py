"""Small models of Keras 3 in the ways that people write them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import keras
import tensorflow as tf
from keras import layers, optimizers

from truth.keras_truth import Made

BATCH, WORDS, STEPS = 4, 100, 16


def image(side: int = 16, channels: int = 3, batch: int = BATCH) -> list[Any]:
    """Return the spec of a batch of images."""
    return [tf.TensorSpec((batch, side, side, channels), tf.float32, "image")]


def words(steps: int = STEPS) -> list[Any]:
    """Return the spec of a batch of sentences."""
    return [tf.TensorSpec((BATCH, steps), tf.int32, "words")]


def made(model: Any, inputs: list[Any], optimizer: Any = None, **options: Any) -> Made:
    """Return a model of Keras 3."""
    return Made(keras, model, inputs, optimizer, **options)


def my_cnn() -> Made:
    """Build three blocks whose layers share a prefix, then two dense layers."""

    def block(x: Any, filters: int, name: str) -> Any:
        y = layers.Conv2D(filters, 3, padding="same", use_bias=False, name=name + "_conv")(x)
        y = layers.BatchNormalization(name=name + "_bn")(y)
        y = layers.ReLU(name=name + "_relu")(y)
        return layers.MaxPool2D(name=name + "_pool")(y)

    given = keras.Input((32, 32, 3), name="image")
    x = block(given, 32, "b1")
    x = block(x, 64, "b2")
    x = block(x, 128, "b3")
    x = layers.Flatten(name="flat")(x)
    x = layers.Dense(256, activation="gelu", name="fc1")(x)
    x = layers.Dropout(0.3, name="drop")(x)
    out = layers.Dense(10, activation="softmax", name="fc2")(x)
    return made(keras.Model(given, out, name="my_cnn"), image(32, batch=16), optimizers.Adam(), is_fitted=True)


def sequential_cnn() -> Made:
    """Build layers without names of their own."""
    model = keras.Sequential(
        [
            layers.Conv2D(8, 3, activation="relu"),
            layers.MaxPooling2D(),
            layers.Conv2D(16, 3, activation="relu"),
            layers.GlobalAveragePooling2D(),
            layers.Dense(12, activation="relu"),
            layers.Dropout(0.5),
            layers.Dense(5),
        ]
    )
    return made(model, image(), optimizers.SGD(0.1, momentum=0.9))


def residual_loop() -> Made:
    """Build residual blocks in a loop, three stages of two."""
    given = keras.Input((16, 16, 3))
    x = layers.Conv2D(8, 3, padding="same", name="stem_conv")(given)
    for stage, filters in enumerate((8, 12, 16), 1):
        for unit in (1, 2):
            name, strides = f"stage{stage}_unit{unit}", 2 if unit == 1 and stage > 1 else 1
            y = layers.Conv2D(filters, 3, strides, padding="same", use_bias=False, name=f"{name}_conv1")(x)
            y = layers.BatchNormalization(name=f"{name}_bn1")(y)
            y = layers.Activation("relu", name=f"{name}_relu1")(y)
            y = layers.Conv2D(filters, 3, padding="same", use_bias=False, name=f"{name}_conv2")(y)
            y = layers.BatchNormalization(name=f"{name}_bn2")(y)
            if x.shape[-1] != filters:
                x = layers.Conv2D(filters, 1, strides, name=f"{name}_shortcut")(x)
            x = layers.ReLU(name=f"{name}_out")(layers.Add(name=f"{name}_add")([x, y]))
    x = layers.GlobalAveragePooling2D(name="pool")(x)
    model = keras.Model(given, layers.Dense(10, name="scores")(x), name="small_resnet")
    return made(model, image(), optimizers.RMSprop(0.01))


def encoder(name: str) -> Any:
    """Return a model that others use as a layer."""
    given = keras.Input((16, 16, 3))
    x = layers.Conv2D(6, 3, activation="relu", name="conv")(given)
    x = layers.BatchNormalization(name="bn")(x)
    x = layers.GlobalAveragePooling2D(name="pool")(x)
    return keras.Model(given, layers.Dense(8, name="project")(x), name=name)


def nested_models() -> Made:
    """Build a model used as a layer, twice with the same weights and once more with others."""
    left, right = keras.Input((16, 16, 3), name="left"), keras.Input((16, 16, 3), name="right")
    shared, other = encoder("shared_encoder"), encoder("other_encoder")
    x = layers.Concatenate(name="join")([shared(left), shared(right), other(left)])
    scores = [layers.Dense(8, activation="relu", name="hidden"), layers.Dense(3, name="out")]
    head = keras.Sequential(scores, name="head")
    inputs = [tf.TensorSpec((BATCH, 16, 16, 3), tf.float32, name) for name in ("left", "right")]
    return made(keras.Model([left, right], head(x), name="two_views"), inputs, optimizers.Adam())


def lstm_text() -> Made:
    """Build a classifier of sentences."""
    given = keras.Input((STEPS,), dtype="int32", name="words")
    x = layers.Embedding(WORDS, 8, name="embedding")(given)
    x = layers.LSTM(12, return_sequences=True, name="lstm_a")(x)
    x = layers.LSTM(8, name="lstm_b")(x)
    model = keras.Model(given, layers.Dense(3, name="scores")(x), name="sentiment")
    return made(model, words(), optimizers.Adam())


def bidirectional() -> Made:
    """Build recurrent layers both ways, without names of their own."""
    model = keras.Sequential(
        [
            layers.Embedding(WORDS, 8),
            layers.Bidirectional(layers.LSTM(6, return_sequences=True)),
            layers.GRU(7, return_sequences=True),
            layers.SimpleRNN(5, return_sequences=True),
            layers.Dense(4),
        ],
        name="tagger",
    )
    return made(model, words(8), optimizers.SGD(0.1))


def transformer() -> Made:
    """Build two encoder layers of functional Keras."""
    given = keras.Input((STEPS,), dtype="int32", name="words")
    x = layers.Embedding(WORDS, 16)(given)
    for _ in range(2):
        attended = layers.MultiHeadAttention(2, key_dim=8)(x, x)
        x = layers.LayerNormalization()(layers.Add()([x, layers.Dropout(0.1)(attended)]))
        inner = layers.Dense(32, activation="gelu")(x)
        x = layers.LayerNormalization()(layers.Add()([x, layers.Dense(16)(inner)]))
    x = layers.GlobalAveragePooling1D()(x)
    return made(keras.Model(given, layers.Dense(2)(x)), words(), optimizers.AdamW(0.001))


def embedding_pooling() -> Made:
    """Build an embedding, pooled, trained by Keras' own step."""
    model = keras.Sequential(
        [
            layers.Embedding(WORDS, 8, name="token_embedding"),
            layers.GlobalAveragePooling1D(name="average"),
            layers.Dense(16, activation="relu", name="hidden"),
            layers.Dense(4, activation="softmax", name="topic"),
        ],
        name="topics",
    )
    return made(model, words(), optimizers.SGD(0.1, momentum=0.9, nesterov=True), is_fitted=True)


def depthwise() -> Made:
    """Build depthwise and separable convolutions, an inverted bottleneck."""
    given = keras.Input((16, 16, 3))
    x = layers.SeparableConv2D(8, 3, padding="same", name="entry_separable")(given)
    for number in (1, 2):
        y = layers.Conv2D(16, 1, use_bias=False, name=f"block_{number}_expand")(x)
        y = layers.BatchNormalization(name=f"block_{number}_expand_bn")(y)
        y = layers.ReLU(6.0, name=f"block_{number}_expand_relu")(y)
        y = layers.DepthwiseConv2D(3, padding="same", use_bias=False, name=f"block_{number}_depthwise")(y)
        y = layers.BatchNormalization(name=f"block_{number}_depthwise_bn")(y)
        y = layers.Conv2D(8, 1, use_bias=False, name=f"block_{number}_project")(y)
        x = layers.Add(name=f"block_{number}_add")([x, y])
    x = layers.GlobalMaxPooling2D(name="pool")(x)
    return made(keras.Model(given, layers.Dense(4, name="scores")(x), name="mobile"), image(), optimizers.Adam())


def norms() -> Made:
    """Build every kind of normalization, and layers that only reshape."""
    given = keras.Input((8, 8, 3))
    x = layers.Rescaling(1 / 255)(given)
    x = layers.Conv2D(8, 3, padding="same")(x)
    x = layers.BatchNormalization()(x)
    x = layers.PReLU(shared_axes=[1, 2])(x)
    x = layers.Conv2D(8, 3, padding="same")(x)
    x = layers.GroupNormalization(groups=2)(x)
    x = layers.LeakyReLU()(x)
    x = layers.Conv2D(8, 3, padding="same")(x)
    x = layers.LayerNormalization()(x)
    x = layers.Reshape((64, 8))(x)
    x = layers.Conv1D(4, 3)(x)
    x = layers.UnitNormalization()(x)
    x = layers.Flatten()(x)
    return made(keras.Model(given, layers.Dense(3)(x)), image(8), optimizers.RMSprop(0.01, momentum=0.9))


class Stack(keras.Model):
    """A subclassed model with its layers in lists."""

    def __init__(self) -> None:
        """Make the layers, with the names that Keras gives them."""
        super().__init__()
        self.convs = [layers.Conv2D(4 + 2 * number, 3, activation="relu") for number in range(4)]
        self.hidden = [layers.Dense(8, activation="relu") for _ in range(3)]
        self.drop = layers.Dropout(0.2)
        self.last = layers.Dense(3)

    def call(self, x: Any, *, training: bool = False) -> Any:
        """Return scores."""
        for each in self.convs:
            x = each(x)
        x = tf.reduce_mean(x, [1, 2])
        for each in self.hidden:
            x = self.drop(each(x), training=training)
        return self.last(x)


def subclassed() -> Made:
    """Build a subclassed model with auto-numbered names."""
    return made(Stack(), image(), optimizers.Adam())


def mobilenet_v2() -> Made:
    """Build the first four blocks of one of Keras' applications."""
    whole = keras.applications.MobileNetV2((32, 32, 3), alpha=0.35, weights=None, include_top=False)
    x = whole.get_layer("block_3_project_BN").output
    x = layers.Dense(10, name="predictions")(layers.GlobalAveragePooling2D(name="pool")(x))
    model = keras.Model(whole.input, x, name="mobilenetv2_0.35_32")
    return made(model, image(32, batch=2), optimizers.SGD(0.1), is_exported=True)


class TiedScores(layers.Layer):
    """Scores of all words by the table of an embedding."""

    def __init__(self, embedding: Any, **options: Any) -> None:
        """Take the embedding, whose table this layer reads."""
        super().__init__(**options)
        self.embedding = [lambda: embedding.embeddings]

    def call(self, x: Any) -> Any:
        """Return the products with the rows of the table."""
        return tf.matmul(x, tf.convert_to_tensor(self.embedding[0]()), transpose_b=True)


def tied_embedding() -> Made:
    """Build a language model whose output has the weights of its embedding."""
    given = keras.Input((STEPS,), dtype="int32", name="words")
    embedding = layers.Embedding(WORDS, 8, name="wte")
    x = layers.GRU(8, return_sequences=True, name="gru")(embedding(given))
    x = layers.Dense(8, name="project")(x)
    return made(keras.Model(given, TiedScores(embedding, name="lm_head")(x), name="lm"), words(), optimizers.Adam())


def frozen_base() -> Made:
    """Build a frozen base and a new head, as in transfer learning."""
    base = keras.Sequential(
        [
            layers.Conv2D(6, 3, name="conv1"),
            layers.BatchNormalization(name="bn1"),
            layers.ReLU(name="relu1"),
            layers.Conv2D(8, 3, name="conv2"),
            layers.GlobalAveragePooling2D(name="pool"),
        ],
        name="backbone",
    )
    base.trainable = False
    given = keras.Input((16, 16, 3))
    x = base(given, training=False)
    x = layers.Dense(8, activation="relu", name="adapter")(x)
    return made(keras.Model(given, layers.Dense(2, name="classifier")(x), name="transfer"), image(), optimizers.Adam())


class PatchTokens(layers.Layer):
    """A class token and places, weights of a layer that holds another."""

    def __init__(self, width: int, **options: Any) -> None:
        """Make the layer that cuts patches."""
        super().__init__(**options)
        self.width, self.patch = width, layers.Conv2D(width, 4, 4, name="patch")

    def build(self, shape: Any) -> None:
        """Make the weights."""
        count = (shape[1] // 4) * (shape[2] // 4)
        self.token = self.add_weight(shape=(1, 1, self.width), name="cls_token")
        self.places = self.add_weight(shape=(1, count + 1, self.width), name="pos_embedding")
        self.patch.build(shape)

    def call(self, x: Any) -> Any:
        """Return tokens with places."""
        x = self.patch(x)
        x = tf.reshape(x, (x.shape[0], -1, self.width))
        return tf.concat([tf.repeat(tf.convert_to_tensor(self.token), x.shape[0], 0), x], 1) + self.places


class Block(layers.Layer):
    """A transformer block whose parts have names of their own."""

    def __init__(self, width: int, **options: Any) -> None:
        """Make the parts."""
        super().__init__(**options)
        self.ln1, self.ln2 = layers.LayerNormalization(name="ln_1"), layers.LayerNormalization(name="ln_2")
        self.attention = layers.MultiHeadAttention(2, width // 2, name="attn")
        self.up, self.down = layers.Dense(2 * width, "gelu", name="mlp_up"), layers.Dense(width, name="mlp_down")

    def call(self, x: Any) -> Any:
        """Return attention and dense layers, each with a residual."""
        y = self.ln1(x)
        x = x + self.attention(y, y)
        return x + self.down(self.up(self.ln2(x)))


class VisionTransformer(keras.Model):
    """Patches, blocks, scores of the class token."""

    def __init__(self) -> None:
        """Make the layers."""
        super().__init__(name="vit")
        self.tokens = PatchTokens(8, name="embeddings")
        self.blocks = [Block(8, name=f"encoder_block_{number}") for number in range(2)]
        self.norm, self.head = layers.LayerNormalization(name="norm"), layers.Dense(5, name="head")

    def call(self, x: Any) -> Any:
        """Return scores."""
        x = self.tokens(x)
        for each in self.blocks:
            x = each(x)
        return self.head(self.norm(x)[:, 0])


def vision_transformer() -> Made:
    """Build subclassed layers in a subclassed model, with weights that belong to no layer of Keras."""
    return made(VisionTransformer(), image(), optimizers.AdamW(0.001))


MODELS: dict[str, Callable[[], Made]] = {
    each.__name__: each
    for each in (
        my_cnn,
        sequential_cnn,
        residual_loop,
        nested_models,
        lstm_text,
        bidirectional,
        transformer,
        embedding_pooling,
        depthwise,
        norms,
        subclassed,
        mobilenet_v2,
        tied_embedding,
        frozen_base,
        vision_transformer,
    )
}
