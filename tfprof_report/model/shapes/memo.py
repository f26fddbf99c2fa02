"""Remembers what rules gave: a node of the same kind with the same inputs has the same outputs.

Models repeat themselves: a graph of 100,000 nodes has a few thousand different applications of rules. In a deep graph
most levels have only a few nodes, for which numpy is no help: each application of a rule costs a fraction of a
millisecond, a look-up here some microseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from tfprof_report.arrays import Ints
from tfprof_report.model.shapes.plan import Plan
from tfprof_report.model.shapes.state import State

_Key = tuple[int, ...]
_Outputs = tuple[tuple[int, ...], bool]
"""The numbers of the states of a node's outputs, and whether its given shapes contradict its inputs."""


class Memo:
    """The outputs of nodes met so far, by what they follow from: kind, states of the inputs, given outputs.

    The state of a tensor is its shape, its elements if known, and the variable whose handle it is. Equal states have
    the same number, and are copied from an example, the first tensor of that state.
    """

    def __init__(self, plan: Plan, state: State) -> None:
        self._state = state
        self._kind: list[int] = plan.kind.tolist()
        self._first: list[int] = plan.first.tolist()
        self._start: list[int] = plan.edge_start.tolist()
        self._tensor: list[int] = plan.tensor.tolist()
        self._outputs: dict[_Key, _Outputs] = {}
        self._numbers: dict[tuple[int, bytes, bytes, int], int] = {}
        self._examples: dict[int, int] = {}
        self._of_tensor: dict[int, int] = {}
        self._given: list[tuple[int, int]] = []

    def infer(self, level: Iterable[int], apply: Callable[[Ints], None]) -> None:
        """Give the nodes of a level their outputs: those remembered, for all others those that `apply` finds."""
        new: dict[_Key, int] = {}
        alone: list[int] = []
        later: list[tuple[int, _Key]] = []
        for node in level:
            if self._kind[node] < 0:
                alone.append(node)
                continue
            key = self._key(node)
            if key in self._outputs:
                self._give(node, self._outputs[key])
            elif key in new:
                later.append((node, key))
            else:
                new[key] = node
        if new or alone:
            self.settle()
            apply(np.array(sorted([*new.values(), *alone]), dtype=np.int64))
        for key, node in new.items():
            found = tuple(self._settled(tensor) for tensor in range(self._first[node], self._first[node + 1]))
            self._outputs[key] = found, bool(self._state.contradicted[node])
        for node, key in later:
            self._give(node, self._outputs[key])

    def settle(self) -> None:
        """Write into the state what the nodes were given, before rules read it."""
        if not self._given:
            return
        tensors, examples = np.array(self._given, dtype=np.int64).T
        self._state.copy(tensors, examples)
        self._given.clear()

    def _key(self, node: int) -> _Key:
        inputs = self._tensor[self._start[node] : self._start[node + 1]]
        outputs = range(self._first[node], self._first[node + 1])
        of_tensor = self._of_tensor
        return (
            self._kind[node],
            len(outputs),
            *[of_tensor[tensor] if tensor in of_tensor else self._settled(tensor) for tensor in inputs],
            *[self._number(tensor) for tensor in outputs],
        )

    def _settled(self, tensor: int) -> int:
        """Return the number of a tensor's state, which does not change any more and can be an example."""
        number = self._of_tensor[tensor] = self._number(tensor)
        self._examples.setdefault(number, tensor)
        return number

    def _number(self, tensor: int) -> int:
        return self._numbers.setdefault(self._state.fingerprint(tensor), len(self._numbers))

    def _give(self, node: int, outputs: _Outputs) -> None:
        numbers, is_contradicted = outputs
        for tensor, number in enumerate(numbers, self._first[node]):
            self._of_tensor[tensor] = number
            self._given.append((tensor, self._examples[number]))
        if is_contradicted:
            self._state.contradicted[node] = True
