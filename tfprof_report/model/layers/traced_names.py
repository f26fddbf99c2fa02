"""Layers and phases of ops that are known from a trace only, by the names that the framework gave them.

JAX names an op by its scopes (``jax.named_scope``, modules of Flax) and by the transformations around them:
``jit(step)/transpose(jvp(Dense_0))/dot_general`` is the gradient of ``Dense_0``. The last part is the op itself. An op
that XLA made of several has their names with ``;`` between them, of which the first one counts.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.model.layers.assign import Layers
from tfprof_report.model.layers.phases import GRADIENT_SCOPE, Phase
from tfprof_report.model.layers.scopes import scope_of

_OTHERS = r"(?s);.*"
_COMPILED = r"p?jit\([^()/]*\)"
_AROUND = r"(?:jvp|vjp|transpose|vmap|pmap|remat|checkpoint|shard_map)\(([^()]*)\)"
_STEPS = (
    r"/(?:while|body|cond|scan|closed_call|core_call|custom_[jv]vp_call(?:_jaxpr)?|remat2?|checkpoint|shard_map"
    r"|rematted_computation|branch_\d+_fun|(?:Stateful)?PartitionedCall(?:_\d+)?)/"
)
"""Parts of names that are control flow and calls, not scopes of the model."""

_TRANSPOSED = rf"(?:^|/|\()transpose\(|{GRADIENT_SCOPE}"
_MOST = 16
"""Most transformations around one scope."""


def assign_traced(names: pa.Array) -> Layers:
    """Return layers and phases of ops with these names: the scopes of an op are its layer.

    Backward is what JAX transposed, or what is in a scope of TensorFlow's gradients. An optimizer has no mark in a
    trace: what updates weights counts as forward.
    """
    coded = names.dictionary_encode()
    backward = pc.match_substring_regex(coded.dictionary, _TRANSPOSED)
    phase = pc.if_else(backward, str(Phase.BACKWARD), str(Phase.FORWARD))
    layer = scope_of(_plain(coded.dictionary))
    layer = pc.if_else(pc.equal(layer, ""), None, layer)
    return Layers(
        layer=layer.take(coded.indices).dictionary_encode(),
        phase=phase.take(coded.indices).dictionary_encode(),
        is_output=pa.nulls(len(names), pa.bool_()),
    )


def _plain(names: pa.Array) -> pa.Array:
    """Return names without transformations, calls and control flow."""
    names = pc.replace_substring_regex(names, _OTHERS, "")
    names = pc.replace_substring_regex(names, _COMPILED, "")
    names = _until_same(names, _AROUND, r"\1")
    names = pc.replace_substring_regex(names, GRADIENT_SCOPE, r"\1")
    names = _until_same(pc.binary_join_element_wise("/", names, ""), _STEPS, "/")
    return pc.utf8_trim(pc.replace_substring_regex(names, "/+", "/"), "/")


def _until_same(names: pa.Array, pattern: str, replacement: str) -> pa.Array:
    for _ in range(_MOST):
        changed = pc.replace_substring_regex(names, pattern, replacement)
        if changed.equals(names):
            break
        names = changed
    return names
