"""Shape rules of ops that are a whole recurrent cell or layer, and of the CTC loss."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tfprof_report.model.shapes.padded import Shapes, arithmetic, choose
from tfprof_report.model.shapes.state import Nodes


def lstm_cell(nodes: Nodes) -> Shapes:
    """Return (batch, units), for gates, states and output."""
    return Shapes.of(nodes.shape(0).all(0), nodes.shape(1).all(1))


def lstm_cell_gradient(nodes: Nodes) -> Sequence[Shapes]:
    """Return the gradients of the state, of the four gates, and of the peepholes."""
    batch, units = nodes.shape(0).all(0), nodes.shape(1).all(1)
    peephole = Shapes.of(units)
    return [Shapes.of(batch, units), Shapes.of(batch, arithmetic(4 * units, units)), peephole, peephole, peephole]


def lstm_block(nodes: Nodes) -> Shapes:
    """Return (steps, batch, units), for gates, states and output."""
    base = nodes.shape(1)
    units = nodes.shape(8).all(0)  # the biases of four gates
    return Shapes.of(base.all(0), base.all(1), np.where(units >= 0, units // 4, -1))


def lstm_block_gradient(nodes: Nodes) -> Sequence[Shapes]:
    """Return the shapes of the inputs, after the number of steps."""
    return [nodes.shape(place) for place in range(1, 9)]


def gru_cell(nodes: Nodes) -> Shapes:
    """Return (batch, units), for gates, state and output."""
    return Shapes.of(nodes.shape(0).all(0), nodes.shape(1).all(1))


def gru_cell_gradient(nodes: Nodes) -> Sequence[Shapes]:
    """Return the gradients of input and state, of the candidate, and of both gates."""
    batch, units = nodes.shape(0).all(0), nodes.shape(1).all(1)
    state = Shapes.of(batch, units)
    both = Shapes.of(batch, arithmetic(2 * units, units))
    return [Shapes.of(batch, nodes.shape(0).all(1)), state, state, both]


def cudnn(nodes: Nodes) -> Sequence[Shapes]:
    """Return the output of all steps and the last states; outputs reserved for the gradient are internal to cuDNN."""
    base, state = nodes.shape(0), nodes.shape(1)
    is_lstm = nodes.is_word("rnn_mode", "lstm") | ~nodes.has("rnn_mode")
    units = state.all(2) * np.where(nodes.is_word("direction", "bidirectional"), 2, 1)
    output = Shapes.of(base.all(0), base.all(1), arithmetic(units, state.all(2)))
    return [output, state, choose(is_lstm, state, Shapes.scalars(len(nodes)))]


def cudnn_3(nodes: Nodes) -> Sequence[Shapes]:
    """Return the same as `cudnn`, except that the second state may have another shape than the first."""
    output, state, _ = cudnn(nodes)
    is_lstm = nodes.is_word("rnn_mode", "lstm") | ~nodes.has("rnn_mode")
    return [output, state, choose(is_lstm, nodes.shape(2), Shapes.scalars(len(nodes)))]


def ctc_loss(nodes: Nodes) -> Sequence[Shapes]:
    """Return the losses, one per example, and the gradient, with the input's shape (steps, batch, classes)."""
    base = nodes.shape()
    return [Shapes.of(base.all(1)), base]
