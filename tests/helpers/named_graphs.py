"""Small graphs as tables of nodes with what matching uses: names, ops, inputs and output shapes."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa

from tfprof_report.compare.comparison import Matching
from tfprof_report.compare.matching.nodes import match_nodes

Node = tuple[str | None, list[str], list[int] | None]
"""Op, inputs as the graph writes them, and the shape of the only output."""

Graph = dict[str, Node]


def nodes_of(graph: Mapping[str, Node], seed: int | None = None) -> pa.Table:
    """Return the nodes of a graph, shuffled by `seed` if given."""
    names = list(graph)
    if seed is not None:
        random.Random(seed).shuffle(names)
    ops, inputs, shapes = zip(*(graph[name] for name in names), strict=True) if names else ((), (), ())
    return pa.table(
        {
            "name": pa.array(names, pa.string()),
            "op": pa.array(ops, pa.string()).dictionary_encode(),
            "inputs": pa.array(inputs, pa.list_(pa.string())),
            "output_shapes": pa.array([[shape] for shape in shapes], pa.list_(pa.list_(pa.int64()))),
        }
    )


def renamed(graph: Mapping[str, Node], rename: Callable[[str], str]) -> Graph:
    """Return the graph with renamed nodes and inputs."""

    def source(text: str) -> str:
        control = "^" if text.startswith("^") else ""
        name, colon, slot = text.removeprefix("^").partition(":")
        return f"{control}{rename(name)}{colon}{slot}"

    return {rename(name): (op, [source(text) for text in inputs], shape) for name, (op, inputs, shape) in graph.items()}


def matched(base: pa.Table, head: pa.Table, *rest: Any) -> tuple[dict[str, tuple[str, str]], Matching]:
    """Return the match of each node of base by name, with its reason; and the summary of the matching."""
    partners, matching = match_nodes(base, head, *rest)
    old, new = base["name"].to_pylist(), head["name"].to_pylist()
    words = list(matching.counts)
    return {
        old[row]: (new[other], str(words[why]))
        for row, (other, why) in enumerate(zip(partners.head_row, partners.matched_by, strict=True))
        if other >= 0
    }, matching


def dense(scope: str, source: str, width: int) -> Graph:
    """Return a dense layer of five nodes; its last one is `SCOPE/Relu`."""
    return {
        f"{scope}/kernel": ("VariableV2", [], [width, width]),
        f"{scope}/bias": ("VariableV2", [], [width]),
        f"{scope}/MatMul": ("MatMul", [source, f"{scope}/kernel"], [-1, width]),
        f"{scope}/BiasAdd": ("BiasAdd", [f"{scope}/MatMul", f"{scope}/bias"], [-1, width]),
        f"{scope}/Relu": ("Relu", [f"{scope}/BiasAdd"], [-1, width]),
    }
