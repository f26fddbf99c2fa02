"""The figures of parameters: what counts, how much of it is trainable, and what lies unused beside it."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.model.columns import Columns
from tfprof_report.model.params.kinds import Kinds, ParamKind
from tfprof_report.model.params.weights import Weights
from tfprof_report.record import record

_NONE = pa.scalar(None, pa.int64())

_UNTOLD = (ParamKind.FROZEN, ParamKind.UNKNOWN)
"""Kinds of which nobody knows whether they are trainable."""


@record
class ParamFigures:
    """Figures of n nodes, int64; 0 for nodes without parameters, NULL where not known.

    params, param_bytes : elements and their size in bytes; 0 for unused ones whose number is known
    trainable_params : those of `params` that are trainable; NULL for frozen weights and where the kind is not known
    unused_params, unused_param_bytes : elements and size of unused ones
    """

    params: pa.Array
    param_bytes: pa.Array
    trainable_params: pa.Array
    unused_params: pa.Array
    unused_param_bytes: pa.Array


def figure_params(weights: Weights, kinds: Kinds) -> ParamFigures:
    """Return the figures of all nodes.

    Unused parameters are no part of the model, so they are counted apart. An unknown number of them stays unknown:
    nobody can say what is left out.
    """
    kind = kinds.kind.cast(pa.string())
    is_unused = _is(kind, ParamKind.UNUSED)
    params, sizes = weights.params, weights.param_bytes
    is_apart = pc.and_(is_unused, pc.is_valid(params))
    counted = pc.if_else(is_apart, 0, params)
    is_other = pc.and_(pc.is_valid(kind), pc.invert(_is(kind, ParamKind.TRAINABLE)))
    return ParamFigures(
        params=counted,
        param_bytes=pc.if_else(is_apart, 0, sizes),
        trainable_params=pc.if_else(_is(kind, *_UNTOLD), _NONE, pc.if_else(is_other, 0, counted)),
        unused_params=pc.if_else(is_unused, params, 0),
        unused_param_bytes=pc.if_else(is_unused, sizes, 0),
    )


def unknown_figures(count: int) -> ParamFigures:
    """Return the figures of nodes of which nobody knows what they hold."""
    unknown, none = pa.nulls(count, pa.int64()), pa.array([0] * count, pa.int64())
    return ParamFigures(
        params=unknown, param_bytes=unknown, trainable_params=unknown, unused_params=none, unused_param_bytes=none
    )


def may_hold(nodes: pa.Table | Columns) -> pa.ChunkedArray | pa.Array:
    """Return which nodes (of nodes.parquet) hold parameters that count, of known size or not; never NULL."""
    kind = nodes["param_kind"].cast(pa.string())
    is_unused = _is(kind, ParamKind.UNUSED)
    if not pc.any(is_unused).as_py():
        return pc.is_valid(kind)
    is_apart = pc.and_(is_unused, pc.is_valid(nodes["params"]))
    return pc.and_(pc.is_valid(kind), pc.invert(is_apart))


def may_train(nodes: pa.Table | Columns) -> pa.ChunkedArray | pa.Array:
    """Return which nodes (of nodes.parquet) have trainable parameters, or some of which nobody knows; never NULL."""
    return _is(nodes["param_kind"].cast(pa.string()), ParamKind.TRAINABLE, *_UNTOLD)


def _is(kind: pa.Array, *wanted: ParamKind) -> pa.Array:
    return pc.is_in(kind, value_set=pa.array([str(each) for each in wanted]))
