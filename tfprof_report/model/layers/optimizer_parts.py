"""Splits the nodes of an optimizer by the layers whose variables they update."""

from __future__ import annotations

import numpy as np

from tfprof_report.arrays import Bools, Ints
from tfprof_report.model.graph.reach import Flow

_ROUNDS = 1000
"""Most steps from a node of an optimizer to the update that it feeds; nodes further away belong to no layer."""

_CHAIN = 8
"""Most slots in a row that are computed from one another; optimizers have up to three."""

_NONE = np.iinfo(np.int64).max


def layers_of_updates(flow: Flow, optimizer: Bools, updated: Ints, layer_of_node: Ints, slots: Bools) -> Ints:
    """Return per node of an optimizer, and per slot, the layer of all the variables that it helps to update.

    It is -1 for other nodes, and for those that several layers share, such as the learning rate.

    Parameters
    ----------
    flow : the edges that carry values
    updated : per node the variable that it changes, -1 for other nodes
    layer_of_node : per variable that is trained its layer, -1 for other nodes
    slots : the variables of the optimizer itself
    """
    inside = optimizer | slots
    is_in = inside[flow.source] & inside[flow.target]
    source, target = flow.source[is_in], flow.target[is_in]
    changes = np.flatnonzero(optimizer & (updated >= 0))
    least, most = np.full(len(optimizer), _NONE), np.full(len(optimizer), -1)
    # What is assigned to a slot belongs to the layer that the slot belongs to, as the round before finds it.
    for _ in range(_CHAIN):
        layer = np.where(slots[updated[changes]], _only(least, most)[updated[changes]], layer_of_node[updated[changes]])
        is_new = (layer >= 0) & (least[changes] == _NONE)
        if not is_new.any():
            break
        start, layer = changes[is_new], layer[is_new]
        least[start] = most[start] = layer
        _hand_up(source, target, least, most, start)
    return np.where(inside, _only(least, most), -1)


def _only(least: Ints, most: Ints) -> Ints:
    return np.where(least == most, least, -1)


def _hand_up(source: Ints, target: Ints, least: Ints, most: Ints, start: Ints) -> None:
    """Hand the smallest and the largest layer of each node on to the nodes that feed it, in place."""
    is_new = np.zeros(len(least), dtype=bool)
    is_new[start] = True
    for _ in range(_ROUNDS):
        going = is_new[target]
        feeder, fed = source[going], target[going]
        before = least[feeder], most[feeder]
        np.minimum.at(least, feeder, least[fed])
        np.maximum.at(most, feeder, most[fed])
        moved = feeder[(least[feeder] != before[0]) | (most[feeder] != before[1])]
        if not len(moved):
            return
        is_new[:] = False
        is_new[moved] = True
