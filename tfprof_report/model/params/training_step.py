"""Finds what a training step of plain assignments trains, and the state of its optimizer.

The optimizers of Keras 3 have no update ops: they read a variable, compute, and assign. What tells a weight from a slot
is where its value goes: the value of a weight goes into the gradients, that of a slot only into what is assigned to
weights.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, marks, to_bools, to_ints
from tfprof_report.model.graph.reach import Flow
from tfprof_report.model.params.weights import Weights
from tfprof_report.record import record

_ASSIGNS = pa.array(
    [
        *("Assign", "AssignAdd", "AssignSub", "AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp"),
        *(f"{kind}Scatter{what}" for kind in ("", "Resource") for what in ("Add", "Sub", "Mul", "Div", "Update")),
        *(f"{kind}ScatterNd{what}" for kind in ("", "Resource") for what in ("Add", "Sub", "Update")),
    ]
)
"""Ops that change the variable at their first input (state_ops.cc, resource_variable_ops.cc)."""

_GRADIENT_NAME = r"(^|/)(gradient_tape|gradients(_[0-9]+)?)/"
"""Scopes of gradients, as tf.GradientTape and tf.gradients name them."""

_GRADIENT_OP = r"Grad(V[0-9]|WithArgmax|Ext)?$|Backprop"


@record
class TrainingStep:
    """Which nodes hold weights that the step trains, and which hold slots of its optimizer."""

    trained: Bools
    slots: Bools


def find_training_step(weights: Weights, *, names: pa.Array, ops: pa.Array, edges: pa.Table) -> TrainingStep:
    """Return what plain assignments of values that depend on gradients train; nothing without any.

    A variable is trained if it gets such a value and either gradients depend on it, or a result does: the bias of a
    loss that is linear in it is in no gradient. A slot is any other variable that is assigned and that the new value of
    a trained one depends on.

    Parameters
    ----------
    edges : the result of `edges.read_edges`
    """
    count = len(names)
    nothing = np.zeros(count, dtype=bool)
    is_assign = to_bools(pc.is_in(ops, value_set=_ASSIGNS))
    is_gradient = to_bools(pc.match_substring_regex(names, _GRADIENT_NAME))
    is_gradient |= to_bools(pc.match_substring_regex(ops, _GRADIENT_OP))
    if not is_assign.any() or not is_gradient.any():
        return TrainingStep(trained=nothing, slots=nothing)
    graph = _Graph.of(weights, is_assign, edges)
    values, variables, plain, with_state = graph.values, graph.variables, graph.flow, graph.with_state

    def into(chosen: Bools) -> Bools:
        """Return the nodes that the values assigned to the chosen variables depend on."""
        return with_state.before(marks(values[chosen[variables]], count))

    updated = weights.holds & marks(variables[with_state.after(is_gradient)[values]], count)
    state = weights.holds & marks(variables, count) & ~plain.before(is_gradient)
    trained = updated & ~state
    rest = updated & state & ~into(trained)
    is_result = ~is_assign & ~plain.before(marks(values, count)) & marks(plain.target, count)
    trained |= rest & graph.before_updates.before(is_result)
    return TrainingStep(trained=trained, slots=state & ~trained & into(trained))


@record
class _Graph:
    """The flow of values in a graph with assignments.

    values, variables : per value that is assigned, the node that computes it and the variable that it goes to
    flow : where values go, except into variables
    with_state : also from a value that is assigned to the reads that come after its assignment
    before_updates : `flow` without the reads that come after an assignment
    """

    values: Ints
    variables: Ints
    flow: Flow
    with_state: Flow
    before_updates: Flow

    @classmethod
    def of(cls, weights: Weights, is_assign: Bools, edges: pa.Table) -> _Graph:
        count = len(is_assign)
        is_there, is_control = to_bools(pc.is_valid(edges["source"])), to_bools(edges["is_control"])
        source, target = (to_ints(pc.fill_null(edges[end], 0)) for end in ("source", "node"))
        is_first = is_there & ~is_control & (to_ints(edges["position"]) == 0)
        handle = np.full(count, -1)  # per node the variable at its first input, if it is one
        handle[target[is_first]] = weights.holder[weights.origin[source[is_first]]]
        handle[~weights.holds[handle]] = -1
        is_data = is_there & ~is_control & ~(is_first & is_assign[target])
        flow = Flow(source=source[is_data], target=target[is_data])
        is_value = is_assign[flow.target] & (handle[flow.target] >= 0)
        values, by = flow.source[is_value], flow.target[is_value]
        is_after = is_there & is_control & is_assign[source]
        is_after &= (handle[source] >= 0) & (handle[source] == handle[target])
        is_late = marks(target[is_after], count)
        value_of = np.full(count, -1)
        value_of[by] = values
        assigned, late = value_of[source[is_after]], target[is_after]
        return cls(
            values=values,
            variables=handle[by],
            flow=flow,
            with_state=flow.joined(Flow(source=assigned[assigned >= 0], target=late[assigned >= 0])),
            before_updates=flow.without(is_late),
        )
