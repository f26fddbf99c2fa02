"""Edits of networks for sentences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import keras
import tensorflow as tf
from keras import layers

from truth.edit import Cause, Edit
from truth.keras_truth import loss_of
from truth.net import Net, Side

PARTS = ("attn", "attn_add", "ln1", "ffn_up", "ffn_down", "ffn_add", "ln2")


def encoder(
    *,
    steps: int = 16,
    rows: int = 60,
    width: int = 8,
    heads: int = 2,
    size: int = 4,
    inner: int = 16,
    depth: int = 2,
    is_normed_before: bool = False,
    activation: str = "gelu",
) -> Net:
    """Return a transformer's encoder and a classifier."""
    net = Net(steps, batch=4, name="encoder").embed(rows, width, name="tokens")
    if is_normed_before:
        net.norm("layer", name="tokens_ln")
    for number in range(depth):
        net.attend(heads, size, name=f"layer{number}_attn").norm("layer", name=f"layer{number}_ln1")
        net.feed(inner, name=f"layer{number}_ffn", activation=activation).norm("layer", name=f"layer{number}_ln2")
    return net.mean(name="mean").dense(5, name="scores")


def step(net: Net) -> Side:
    """Return a training step with plain gradient descent, which keeps the graph small."""
    return net.train(keras.optimizers.SGD(0.1))


def recurrent(layer: Callable[..., Any], units: int, *, gates: int, biases: int = 1) -> Side:
    """Return a tagger of words."""
    net = Net(6, batch=4, name="tagger").embed(40, 6, name="tokens")
    return net.recur(layer, units, name="cell", gates=gates, biases=biases).dense(4, name="tags").infer()


class Scores(layers.Layer):
    """Scores of all words by the table of an embedding."""

    def __init__(self, table: Callable[[], Any], **options: Any) -> None:
        """Take what gives the table, which is not a weight of this layer."""
        super().__init__(**options)
        self.table = [table]

    def call(self, x: Any) -> Any:
        """Return the products with the rows of the table."""
        return tf.matmul(x, tf.convert_to_tensor(self.table[0]()), transpose_b=True)


def language_model(*, is_tied: bool) -> Side:
    """Return a model that scores the next word."""
    rows, width, steps = 60, 8, 12
    net = Net(steps, batch=4, name="lm").embed(rows, width, name="tokens")
    tokens = net.x
    net.dense(16, name="up", activation="relu").dense(width, name="down")
    if not is_tied:
        return net.dense(rows, name="scores", bias=False).train()
    embedding = tokens._keras_history.operation  # noqa: SLF001
    net.figures.add(products=net.batch * steps * width * rows)
    return net.add(Scores(lambda: embedding.embeddings, name="scores"), (steps, rows)).train()


def with_penalty(outputs: Any, wanted: Any) -> Any:
    """Return a loss that also punishes large scores."""
    return loss_of(outputs, wanted) + 0.01 * tf.nn.l2_loss(outputs)


def edits() -> dict[str, Edit]:
    """Return the edits by name."""
    sentences = [f"layer{number}_{part}" for number in range(2) for part in PARTS]
    ups = [f"layer{number}_ffn_up" for number in range(2)]
    attentions = [f"layer{number}_attn" for number in range(2)]
    return {
        "sequence_16_to_32": Edit(
            lambda: step(encoder()),
            lambda: step(encoder(steps=32)),
            "Sentences have 32 words instead of 16; attention costs more than twice as much.",
            [Cause("sequence_length", [], [], ("words", 16, 32))],
            ["tokens", *sentences, "mean"],
        ),
        "sequence_halved_infer": Edit(
            lambda: encoder(steps=16).infer(),
            lambda: encoder(steps=8).infer(),
            "Sentences have 8 words instead of 16.",
            [Cause("sequence_length", [], [], ("words", 16, 8))],
            ["tokens", *sentences, "mean"],
        ),
        "layer_norm_added": Edit(
            lambda: step(encoder(depth=1)),
            lambda: step(encoder(depth=1, is_normed_before=True)),
            "A layer normalization, tokens_ln, is new after tokens.",
            [Cause("layer_added", [], ["tokens_ln"])],
        ),
        "encoder_deeper": Edit(
            lambda: step(encoder(depth=1)),
            lambda: step(encoder(depth=2)),
            "The encoder gained a layer (1 to 2).",
            [Cause("deeper", [], [f"layer1_{part}" for part in PARTS], None, ("encoder layers", 1, 2))],
        ),
        "encoder_shorter_infer": Edit(
            lambda: encoder(depth=2).infer(),
            lambda: encoder(depth=1).infer(),
            "The encoder lost a layer (2 to 1).",
            [Cause("deeper", [f"layer1_{part}" for part in PARTS], [], None, ("encoder layers", 2, 1))],
        ),
        "feed_wider": Edit(
            lambda: encoder(inner=16).infer(),
            lambda: encoder(inner=32).infer(),
            "The inner dense layers of both encoder layers got wider (16 to 32 units).",
            [Cause("wider", ups, ups, ("units", 16, 32), ("encoder layers", 2, 2))],
            [f"layer{number}_ffn_down" for number in range(2)],
        ),
        "model_wider": Edit(
            lambda: encoder(width=8).infer(),
            lambda: encoder(width=12, size=6).infer(),
            "The whole encoder got wider (8 to 12 channels).",
            [Cause("wider", ["tokens", *sentences], ["tokens", *sentences], ("channels", 8, 12))],
            ["mean", "scores"],
        ),
        "more_heads": Edit(
            lambda: encoder(heads=2, size=4).infer(),
            lambda: encoder(heads=4, size=2).infer(),
            "Attention has 4 heads of 2 instead of 2 heads of 4, at the same cost.",
            [Cause("unknown", attentions, attentions, ("heads", 2, 4))],
        ),
        "larger_vocabulary": Edit(
            lambda: step(encoder(rows=60, depth=1)),
            lambda: step(encoder(rows=90, depth=1)),
            "The vocabulary grew from 60 to 90 words.",
            [Cause("wider", ["tokens"], ["tokens"], ("rows", 60, 90))],
        ),
        "gelu_to_relu_inside": Edit(
            lambda: step(encoder(depth=1)),
            lambda: step(encoder(depth=1, activation="relu")),
            "layer0_ffn_up has relu instead of gelu.",
            [Cause("layer_replaced", ["layer0_ffn_up"], ["layer0_ffn_up"], accepted=["unknown"])],
        ),
        "lstm_to_gru": Edit(
            lambda: recurrent(layers.LSTM, 8, gates=4),
            lambda: recurrent(layers.GRU, 8, gates=3, biases=2),
            "cell is a GRU instead of an LSTM.",
            [Cause("layer_replaced", ["cell"], ["cell"])],
        ),
        "lstm_wider": Edit(
            lambda: recurrent(layers.LSTM, 8, gates=4),
            lambda: recurrent(layers.LSTM, 12, gates=4),
            "cell got wider (8 to 12 units).",
            [Cause("wider", ["cell"], ["cell"], ("units", 8, 12))],
            ["tags"],
        ),
        "tied_weights": Edit(
            lambda: language_model(is_tied=False),
            lambda: language_model(is_tied=True),
            "scores has the weights of tokens now, instead of its own.",
            [Cause("weights_shared", ["tokens", "scores"], ["tokens", "scores"])],
        ),
        "other_loss": Edit(
            lambda: step(encoder(depth=1)),
            lambda: encoder(depth=1).train(keras.optimizers.SGD(0.1), loss=with_penalty),
            "The loss has a penalty on large scores; the model is the same.",
            [Cause("unknown")],
        ),
        "sgd_to_adam_and_wider": Edit(
            lambda: (
                Net(12, batch=4, name="bag")
                .embed(50, 8, name="tokens")
                .mean(name="mean")
                .dense(6, name="topic")
                .train(keras.optimizers.SGD(0.1))
            ),
            lambda: (
                Net(12, batch=4, name="bag")
                .embed(50, 12, name="tokens")
                .mean(name="mean")
                .dense(6, name="topic")
                .train()
            ),
            "tokens got wider (8 to 12 channels), and the optimizer is Adam instead of SGD.",
            [
                Cause("wider", ["tokens"], ["tokens"], ("channels", 8, 12)),
                Cause("optimizer", [], [], ("optimizer", "SGD", "Adam")),
            ],
            ["mean", "topic"],
        ),
    }
