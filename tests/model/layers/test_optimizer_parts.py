"""Which layer each node of an optimizer works for."""

from __future__ import annotations

import numpy as np

from tfprof_report.model.graph.reach import Flow
from tfprof_report.model.layers.optimizer_parts import layers_of_updates

NODES = ("w", "v", "rate", "w/scale", "w/set", "v/set", "m", "m/read", "m/new", "m/set", "k", "k/new", "k/set", "x")


def layers(edges: dict[str, tuple[str, ...]], updates: dict[str, str], slots: tuple[str, ...] = ()) -> dict[str, int]:
    """Return the layers found; the variables ``w`` and ``v`` are of layers 0 and 1."""
    pairs = [(NODES.index(source), NODES.index(node)) for node, sources in edges.items() for source in sources]
    source, target = (np.array([pair[end] for pair in pairs], dtype=np.int64) for end in (0, 1))
    updated = np.full(len(NODES), -1)
    for node, variable in updates.items():
        updated[NODES.index(node)] = NODES.index(variable)
    of_node = np.full(len(NODES), -1)
    of_node[:2] = (0, 1)
    is_slot = np.isin(NODES, slots)
    optimizer = ~np.isin(NODES, ("w", "v", "x", *slots))
    found = layers_of_updates(Flow(source=source, target=target), optimizer, updated, of_node, is_slot)
    return {name: int(layer) for name, layer in zip(NODES, found, strict=True) if layer >= 0}


def test_what_feeds_one_update_belongs_to_its_layer_and_what_feeds_two_to_none() -> None:
    found = layers({"w/scale": ("rate",), "w/set": ("w/scale",), "v/set": ("rate",)}, {"w/set": "w", "v/set": "v"})
    assert found == {"w/scale": 0, "w/set": 0, "v/set": 1}


def test_slots_and_what_is_assigned_to_them_belong_to_the_layer_that_they_serve() -> None:
    edges = {
        "m/read": ("m",), "w/scale": ("m/read",), "w/set": ("w/scale",), "m/set": ("m/new",),
        "k/new": ("k",), "m/new": ("k/new",), "k/set": ("k/new",),
    }  # fmt: skip
    found = layers(edges, {"w/set": "w", "m/set": "m", "k/set": "k"}, slots=("m", "k"))
    assert set(found) == {"m", "m/read", "w/scale", "w/set", "m/set", "m/new", "k", "k/new", "k/set"}
    assert set(found.values()) == {0}


def test_cycles_come_to_an_end() -> None:
    found = layers({"w/scale": ("rate",), "rate": ("w/scale",), "w/set": ("rate",)}, {"w/set": "w"})
    assert found == {"rate": 0, "w/scale": 0, "w/set": 0}
