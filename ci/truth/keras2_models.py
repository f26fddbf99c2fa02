"""Small models of Keras 2 (``tf_keras``), among them one with the names of Hugging Face's transformers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf
import tf_keras as keras
from tf_keras import layers, optimizers

from truth.keras_truth import Made

BATCH, WORDS, STEPS, WIDTH = 4, 100, 16, 8


def made(model: Any, inputs: list[Any], optimizer: Any = None, **options: Any) -> Made:
    """Return a model of Keras 2."""
    return Made(keras, model, inputs, optimizer, **options)


def image(side: int = 16) -> list[Any]:
    """Return the spec of a batch of images."""
    return [tf.TensorSpec((BATCH, side, side, 3), tf.float32, "image")]


def words() -> list[Any]:
    """Return the spec of a batch of sentences."""
    return [tf.TensorSpec((BATCH, STEPS), tf.int32, "input_ids")]


def keras2_cnn() -> Made:
    """Build convolutions with batch normalization, auto-numbered."""
    given = keras.Input((16, 16, 3))
    x = given
    for filters in (6, 8):
        x = layers.Conv2D(filters, 3, use_bias=False)(x)
        x = layers.BatchNormalization()(x)
        x = layers.Activation("relu")(x)
    x = layers.Conv2DTranspose(4, 3)(x)
    x = layers.Dense(5)(layers.Flatten()(x))
    return made(keras.Model(given, x), image(), optimizers.Adam())


def keras2_nested() -> Made:
    """Build a model in a model in a model, with recurrent layers and a shared dense layer."""
    inner = keras.Sequential([layers.Dense(8, activation="relu", name="a"), layers.Dense(8, name="b")], name="inner")
    given = keras.Input((STEPS, 6), name="steps")
    x = layers.Bidirectional(layers.SimpleRNN(4, return_sequences=True), name="both_ways")(given)
    x = inner(inner(x))
    middle = keras.Model(given, layers.LSTM(5, name="lstm")(x), name="middle")
    outer = keras.Input((STEPS, 6), name="series")
    model = keras.Model(outer, layers.Dense(2, name="out")(middle(outer)), name="outer")
    inputs = [tf.TensorSpec((BATCH, STEPS, 6), tf.float32, "series")]
    return made(model, inputs, optimizers.SGD(0.1, momentum=0.9))


class SelfAttention(layers.Layer):
    """Attention as Hugging Face writes it."""

    def __init__(self, **options: Any) -> None:
        """Make the projections."""
        super().__init__(**options)
        self.query, self.key, self.value = (layers.Dense(WIDTH, name=name) for name in ("query", "key", "value"))
        self.dropout = layers.Dropout(0.1)

    def call(self, x: Any, *, training: bool = False) -> Any:
        """Return the values that two heads attend to."""
        batch, steps, _ = x.shape

        def heads(y: Any) -> Any:
            return tf.transpose(tf.reshape(y, (batch, steps, 2, WIDTH // 2)), (0, 2, 1, 3))

        query, key, value = heads(self.query(x)), heads(self.key(x)), heads(self.value(x))
        scores = tf.nn.softmax(tf.matmul(query, key, transpose_b=True) / tf.sqrt(float(WIDTH // 2)))
        mixed = tf.matmul(self.dropout(scores, training=training), value)
        return tf.reshape(tf.transpose(mixed, (0, 2, 1, 3)), (batch, steps, WIDTH))


class Output(layers.Layer):
    """A dense layer, dropout, and the norm of the sum with the input."""

    def __init__(self, **options: Any) -> None:
        """Make the layers."""
        super().__init__(**options)
        self.dense = layers.Dense(WIDTH, name="dense")
        self.norm = layers.LayerNormalization(epsilon=1e-12, name="LayerNorm")
        self.dropout = layers.Dropout(0.1)

    def call(self, x: Any, given: Any, *, training: bool = False) -> Any:
        """Return the norm of the sum."""
        return self.norm(self.dropout(self.dense(x), training=training) + given)


class Attention(layers.Layer):
    """Attention and its output."""

    def __init__(self, **options: Any) -> None:
        """Make the layers."""
        super().__init__(**options)
        self.self_attention, self.dense_output = SelfAttention(name="self"), Output(name="output")

    def call(self, x: Any, *, training: bool = False) -> Any:
        """Return attention, dense and normed."""
        return self.dense_output(self.self_attention(x, training=training), x, training=training)


class Intermediate(layers.Layer):
    """The wide dense layer."""

    def __init__(self, **options: Any) -> None:
        """Make the layer."""
        super().__init__(**options)
        self.dense = layers.Dense(4 * WIDTH, activation="gelu", name="dense")

    def call(self, x: Any) -> Any:
        """Return the wide values."""
        return self.dense(x)


class BertLayer(layers.Layer):
    """One layer of the encoder."""

    def __init__(self, **options: Any) -> None:
        """Make the layers."""
        super().__init__(**options)
        self.attention, self.intermediate = Attention(name="attention"), Intermediate(name="intermediate")
        self.bert_output = Output(name="output")

    def call(self, x: Any, *, training: bool = False) -> Any:
        """Return the layer's output."""
        x = self.attention(x, training=training)
        return self.bert_output(self.intermediate(x), x, training=training)


class Encoder(layers.Layer):
    """The layers of the encoder."""

    def __init__(self, **options: Any) -> None:
        """Make the layers."""
        super().__init__(**options)
        self.layer = [BertLayer(name=f"layer_._{number}") for number in range(2)]

    def call(self, x: Any, *, training: bool = False) -> Any:
        """Return the last layer's output."""
        for each in self.layer:
            x = each(x, training=training)
        return x


class Embeddings(layers.Layer):
    """Tables of words and places, and their norm."""

    def __init__(self, **options: Any) -> None:
        """Make the norm."""
        super().__init__(**options)
        self.norm = layers.LayerNormalization(epsilon=1e-12, name="LayerNorm")

    def build(self, shape: Any) -> None:
        """Make the tables, each in a scope of its own."""
        with tf.name_scope("word_embeddings"):
            self.weight = self.add_weight("weight", (WORDS, WIDTH))
        with tf.name_scope("position_embeddings"):
            self.places = self.add_weight("embeddings", (STEPS, WIDTH))
        super().build(shape)

    def call(self, ids: Any) -> Any:
        """Return the normed sum of both tables' rows."""
        return self.norm(tf.gather(self.weight, ids) + tf.gather(self.places, tf.range(ids.shape[1]))[None])


class Pooler(layers.Layer):
    """A dense layer on the first token."""

    def __init__(self, **options: Any) -> None:
        """Make the layer."""
        super().__init__(**options)
        self.dense = layers.Dense(WIDTH, activation="tanh", name="dense")

    def call(self, x: Any) -> Any:
        """Return the pooled value."""
        return self.dense(x[:, 0])


class MainLayer(layers.Layer):
    """Embeddings, encoder and pooler."""

    def __init__(self, **options: Any) -> None:
        """Make the layers."""
        super().__init__(**options)
        self.embeddings, self.encoder = Embeddings(name="embeddings"), Encoder(name="encoder")
        self.pooler = Pooler(name="pooler")

    def call(self, ids: Any, *, training: bool = False) -> Any:
        """Return the pooled value."""
        return self.pooler(self.encoder(self.embeddings(ids), training=training))


class BertModel(keras.Model):
    """BERT with a classifier."""

    def __init__(self) -> None:
        """Make the layers."""
        super().__init__(name="tf_bert_model")
        self.bert, self.classifier = MainLayer(name="bert"), layers.Dense(3, name="classifier")

    def call(self, ids: Any, *, training: bool = False) -> Any:
        """Return scores."""
        return self.classifier(self.bert(ids, training=training))


def hugging_face_bert() -> Made:
    """Build BERT with the names of Hugging Face's transformers."""
    return made(BertModel(), words(), optimizers.Adam())


MODELS: dict[str, Callable[[], Made]] = {each.__name__: each for each in (keras2_cnn, keras2_nested, hugging_face_bert)}
