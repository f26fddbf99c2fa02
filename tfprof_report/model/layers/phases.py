"""Tells the forward pass, the gradients and the optimizer of a training step apart."""

from __future__ import annotations

from enum import StrEnum

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, encode_codes, marks, match_words, to_bools
from tfprof_report.model.graph.reach import Flow
from tfprof_report.record import record

GRADIENT_SCOPE = r"(^|/)(gradient_tape|gradients(_[0-9]+)?)/"
"""Scopes of gradients: tf.GradientTape (backprop.py) and tf.gradients (gradients_util.py) open them by these names."""

UPDATES = r"^(Resource)?(Sparse)?Apply"
"""Ops that change a variable by its gradient (training_ops.cc)."""

ASSIGNS = r"^(Assign|(Resource)?Scatter)"
"""Ops that change the variable at their first input (state_ops.cc, resource_variable_ops.cc)."""

_SAVES = r"^(Save|Restore|MergeV2Checkpoints)"
STORES = rf"{ASSIGNS}|{_SAVES}|^(VarIsInitialized|IsVariableInitialized|DestroyResource|DisableCopyOnRead)"
"""Ops that set, save and restore variables rather than compute with them."""


class Phase(StrEnum):
    """When a node computes; the values of the column ``phase``."""

    FORWARD = "forward"
    BACKWARD = "backward"
    OPTIMIZER = "optimizer"


@record
class Phases:
    """Per node whether it computes gradients, or an optimizer's update from them; all others are forward."""

    backward: Bools
    optimizer: Bools

    @property
    def forward(self) -> Bools:
        """Nodes of neither."""
        return ~(self.backward | self.optimizer)

    def with_optimizer(self, nodes: Bools) -> Phases:
        """Return the phases with more nodes of an optimizer; gradients stay gradients."""
        return Phases(backward=self.backward, optimizer=self.optimizer | (nodes & ~self.backward))

    @property
    def words(self) -> pa.DictionaryArray:
        """The `Phase` of each node."""
        words = (Phase.FORWARD, Phase.BACKWARD, Phase.OPTIMIZER)
        return encode_codes(np.select([self.backward, self.optimizer], [1, 2]), pa.array(words, pa.string()))


def find_phases(names: pa.Array, ops: pa.Array, flow: Flow, *, slots: Bools, updates: Bools) -> Phases:
    """Return the phase of each node.

    Backward is what is in a scope of gradients, and what only sums those up for others. The optimizer is every node
    that depends on a gradient, or on what an optimizer keeps of earlier ones, and that no gradient depends on; every op
    that updates a variable by a gradient; and what feeds only them.

    Parameters
    ----------
    flow : the edges that carry values, without those from variables to the ops that assign to them
    slots : the nodes that hold state of an optimizer
    updates : nodes that are known to change what a step trains, such as the decay of weights
    """
    backward = to_bools(pc.match_substring_regex(names, GRADIENT_SCOPE))
    updates = updates | match_words(ops, UPDATES)
    if not backward.any() and not updates.any():
        nothing = np.zeros(len(names), dtype=bool)
        return Phases(backward=backward, optimizer=nothing)
    stores = match_words(ops, STORES)
    feeds = flow.before(backward)
    uses_others = marks(flow.target[~backward[flow.source]], len(names))
    backward = backward | (feeds & marks(flow.target, len(names)) & ~uses_others)
    core = (flow.after((backward | slots) & ~(slots & feeds)) | updates) & ~feeds
    core &= ~match_words(ops, _SAVES)
    return Phases(backward=backward, optimizer=flow.only_feeding(core, sinks=stores & ~core, eligible=~backward))
