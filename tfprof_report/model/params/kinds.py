"""Classifies parameters as trainable, optimizer slots or neither: by the op log or SavedModel, else by their use."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, marks, to_bools, to_ints
from tfprof_report.model.functions.calls import Role
from tfprof_report.model.functions.inline import Expansion
from tfprof_report.model.graph.data_types import FLOATS
from tfprof_report.model.graph.origins import READS, Slots, at_slots
from tfprof_report.model.params.frozen import matches
from tfprof_report.model.params.training_step import find_training_step
from tfprof_report.model.params.weights import Weights
from tfprof_report.record import record


class ParamKind(StrEnum):
    """What a node's parameters are for; the values of the column ``param_kind``."""

    TRAINABLE = "trainable"
    SLOT = "slot"
    NOT_TRAINABLE = "not_trainable"
    FROZEN = "frozen"
    UNUSED = "unused"
    UNKNOWN = "unknown"


RULES: dict[str, str] = {
    ParamKind.TRAINABLE: "by the op log, MetaGraphDef or SavedModel; otherwise a guess: an optimizer updates it, or it "
    "is of floats and used in a graph without an optimizer",
    ParamKind.SLOT: "state of an optimizer, such as momentum: an input of its update op, named like one, or assigned "
    "and used only for what a training step assigns to its weights",
    ParamKind.NOT_TRAINABLE: "by the op log, MetaGraphDef or SavedModel; otherwise a guess: moving statistics, "
    "integers, and variables that no optimizer updates in a graph that has one",
    ParamKind.FROZEN: "constants that were variables, by names that freezing leaves; without such names a guess: "
    "constants that feed weight inputs of ops",
    ParamKind.UNUSED: "variables that are only assigned, saved and restored, or read by nodes that are not executed, "
    "beside others that are used; in no total if their number is known",
    ParamKind.UNKNOWN: "nothing shows what these variables are for",
}
"""How each kind is recognised, in a sentence."""

_UPDATES: dict[str, tuple[int, ...]] = {
    "GradientDescent": (),
    "ProximalGradientDescent": (),
    **dict.fromkeys(("Adagrad", "AdagradV2", "ProximalAdagrad", "AddSign", "PowerSign"), (1,)),
    **dict.fromkeys(("Momentum", "KerasMomentum"), (1,)),
    **dict.fromkeys(("Adadelta", "AdagradDA", "Ftrl", "FtrlV2", "RMSProp"), (1, 2)),
    **dict.fromkeys(("AdaMax", "CenteredRMSProp"), (1, 2, 3)),
    "Adam": (1, 2, 3, 4),
    "AdamWithAmsgrad": (1, 2, 3, 4, 5),
}
"""Inputs of update ops that are the optimizer's own state, including powers of beta (training_ops.cc)."""

_PREFIXES = ("Apply", "ResourceApply", "SparseApply", "ResourceSparseApply")
_SLOTS: Slots = {prefix + name: places for name, places in _UPDATES.items() for prefix in _PREFIXES}
_TRAINED: Slots = dict.fromkeys(_SLOTS, (0,))

_STEPPED: Slots = dict.fromkeys(("AssignSub", "AssignSubVariableOp", "ScatterSub", "ResourceScatterSub"), (0,))
"""Ops by which an optimizer without an update op for sparse gradients changes a variable (adam.py)."""

_NORMS = ("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3", "_FusedBatchNormEx")
_STATISTICS: Slots = dict.fromkeys(_NORMS, (3, 4)) | {"BatchNormWithGlobalNormalization": (1, 2)}

_DECOMPOSED: Slots = dict.fromkeys(("Add", "AddV2", "Mul", "Neg"), (0,))
_IN_NORM = r"(^|/)batchnorm(_[0-9]+)?/(add|mul|Neg)(_[0-9]+)?$"
"""In tf.nn.batch_normalization, the moving mean and variance are first inputs of these ops (nn_impl.py)."""

_SLOT_OF_VARIABLE = (
    r"/((Momentum|Adagrad|AdagradDA|ProximalAdagrad)|(Adam|AdamWithAmsgrad|AdaMax|Adadelta|Ftrl|RMSProp|CenteredRMSProp)"
    r"(_[0-9]+)?)$"
)
_SLOT_NAME = (
    r"(^|/)beta[12]_power(_[0-9]+)?$"
    r"|(?i:(^|/)(adam|adamw|adamax|nadam|sgd|rmsprop|adagrad|adadelta|ftrl|lion|adafactor|lamb)(_[0-9]+)?/.*[/_]"
    r"(m|v|vhat|rms|momentum|momentums|velocity|velocities|accumulator|accum_grad|accum_var|average_gradient|linear)"
    r"(_[0-9]+)?$)"
)
"""Names of slots as the optimizers of tf.compat.v1.train and Keras choose them."""

_STATE_NAME = (
    r"(^|/)(moving_mean|moving_variance|global_step|iterations?|learning_rate|current_learning_rate|local_step"
    r"|seed_generator_state|ExponentialMovingAverage|AssignMovingAvg)(_[0-9]+)?(/|$)"
)

_INITIALISES: Slots = dict.fromkeys(("Assign", "AssignVariableOp"), (0, 1)) | dict.fromkeys(
    ("IsVariableInitialized", "VarIsInitializedOp", "DisableCopyOnRead", "DestroyResourceOp"), (0,)
)
_SAVES = ("SaveV2", "SaveSlices", "Save")


@record
class Kinds:
    """Per node the kind of its parameters, and whether the kind is a guess; NULL for nodes without parameters."""

    kind: pa.Array
    is_guess: pa.Array


def unknown_kinds(count: int) -> Kinds:
    """Return the kinds of nodes of which nobody knows what they hold."""
    kind = pa.array([str(ParamKind.UNKNOWN)], pa.string()).dictionary_encode()
    return Kinds(kind=kind.take(pa.array([0] * count, pa.int32())), is_guess=pa.nulls(count, pa.bool_()))


def classify_params(
    weights: Weights,
    *,
    names: pa.Array,
    ops: pa.Array,
    edges: pa.Table,
    logged: pa.Array,
    declared: Mapping[str, bool],
    expansion: Expansion,
    executed: Bools,
) -> Kinds:
    """Return what each node's parameters are for, by `RULES`.

    Parameters
    ----------
    edges : the result of `edges.read_edges`
    logged : whether the op log marks the node as a trainable variable; NULL if it marks none
    declared : whether variables are trainable, by name, as declared in the file of the graph
    executed : which nodes are executed; the others use nothing
    """
    count, origin = len(names), weights.origin
    source = to_ints(pc.fill_null(edges["source"], 0))
    is_there = to_bools(pc.is_valid(edges["source"]))

    def feeding(mask: Bools) -> Bools:
        """Return the nodes whose values the masked edges carry."""
        return marks(origin[source[mask & is_there]], count)

    is_float = to_bools(pc.is_in(weights.dtype, value_set=pa.array(FLOATS, pa.int64())))
    step = find_training_step(weights, names=names, ops=ops, edges=edges)
    slots = feeding(at_slots(ops, edges, _SLOTS)) | _slots_by_name(names, weights.holds) | (step.slots & is_float)
    updated = feeding(at_slots(ops, edges, _TRAINED)) | (step.trained & is_float)
    stepped = feeding(at_slots(ops, edges, _STEPPED))
    has_update_op = bool(pc.any(pc.is_in(ops, value_set=pa.array(list(_TRAINED)))).as_py())
    has_optimizer = has_update_op or bool(step.trained.any())
    decomposed = at_slots(ops, edges, _DECOMPOSED)
    node = to_ints(edges["node"])
    in_norm = marks(node[decomposed & weights.holds[origin[source]]], count)
    in_norm = matches(names, _IN_NORM, in_norm)
    state = feeding(at_slots(ops, edges, _STATISTICS))
    state |= feeding(decomposed & in_norm[node])
    state |= matches(names, _STATE_NAME, weights.holds)
    has_type = to_bools(pc.is_valid(weights.dtype))
    used = feeding(_uses(ops, edges, expansion) & executed[node])
    trainable = pc.coalesce(logged, _declared(names, declared))
    is_logged, is_told, is_marked = to_bools(logged.is_valid()), to_bools(trainable.is_valid()), to_bools(trainable)
    works = used | updated
    unused = ~is_logged & ~works & ~slots & bool((weights.holds & works).any())

    choices = (  # the first mask that holds decides; the last item is whether the kind is a guess
        (weights.is_frozen & used, ParamKind.FROZEN, weights.is_guess),
        (unused, ParamKind.UNUSED, False),
        (is_told & is_marked, ParamKind.TRAINABLE, False),
        (is_told & slots, ParamKind.SLOT, False),
        (is_told, ParamKind.NOT_TRAINABLE, False),
        (slots, ParamKind.SLOT, True),
        (updated, ParamKind.TRAINABLE, True),
        (state | (has_type & ~is_float), ParamKind.NOT_TRAINABLE, True),
        (has_update_op & stepped, ParamKind.TRAINABLE, True),
        (np.full(count, has_optimizer), ParamKind.NOT_TRAINABLE, True),
        (is_float, ParamKind.TRAINABLE, True),
    )
    masks = [weights.holds & mask for mask, _, _ in choices]
    kind = np.select(masks, [str(kind) for _, kind, _ in choices], str(ParamKind.UNKNOWN))
    is_guess = np.select(masks, [guess for _, _, guess in choices], default=False)
    return Kinds(
        kind=pa.array(kind, pa.string(), mask=~weights.holds).dictionary_encode(),
        is_guess=pa.array(is_guess, pa.bool_(), mask=~weights.holds),
    )


def _declared(names: pa.Array, declared: Mapping[str, bool]) -> pa.Array:
    """Return what is declared for each node's name, otherwise for the name without a numeric suffix; NULL if nothing.

    Variables of a SavedModel may share a name; their nodes get a suffix that makes it unique.
    """
    known, is_trainable = pa.array(list(declared), pa.string()), pa.array(list(declared.values()), pa.bool_())
    if not declared:
        return pa.nulls(len(names), pa.bool_())
    exact = pc.index_in(names, value_set=known)
    base = pc.index_in(pc.replace_substring_regex(names, "_[0-9]+$", ""), value_set=known)
    return is_trainable.take(pc.coalesce(exact, base))


def _slots_by_name(names: pa.Array, holds: Bools) -> Bools:
    """Return nodes that are named like a slot: by their own name, or as ``VARIABLE/OPTIMIZER`` of another node."""
    below, found = matches(names, _SLOT_OF_VARIABLE, holds), matches(names, _SLOT_NAME, holds)
    if below.any():
        parents = pc.replace_substring_regex(names.filter(pa.array(below)), "/[^/]*$", "")
        below[below] = to_bools(pc.is_in(parents, value_set=names))
    return below | found


def _uses(ops: pa.Array, edges: pa.Table, expansion: Expansion) -> Bools:
    """Return the edges whose consumer computes with the value, rather than copies, assigns or saves it.

    An inlined call only passes its inputs on; a loop counts as a consumer, since it may change them.
    """
    hands_on = at_slots(ops, edges, READS) | at_slots(ops, edges, _INITIALISES)
    idle = to_bools(pc.is_in(ops, value_set=pa.array(_SAVES)))
    if not expansion.is_shared:  # a shared body has the inputs of its first call alone
        in_loop = (expansion.calls.role == Role.COND) | (expansion.calls.role == Role.BODY)
        idle[expansion.calls.row[~in_loop]] = True
        idle[expansion.calls.row[in_loop]] = False
        for rows in expansion.skipped.values():
            idle[rows] = False
    node: Ints = to_ints(edges["node"])
    return ~hands_on & ~idle[node] & ~to_bools(edges["is_control"])
