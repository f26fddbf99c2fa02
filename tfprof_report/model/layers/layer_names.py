"""Names layers as those who built the model do: without the scopes that all layers are in, and without the numbers
that tracing adds to every scope.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, to_bools, to_ints
from tfprof_report.model.layers.scopes import (
    Scopes,
    has_number,
    last_part,
    scope_of,
    without_last_number,
    without_number,
)


def name_scopes(scopes: Scopes, owned: Ints, paths: pa.Array) -> pa.Array:
    """Return the name of each scope as that of a layer, empty for scopes around all layers.

    Parameters
    ----------
    owned : scopes that own variables
    paths : per such scope the scope of its variables, NULL where these have no names
    """
    around = _around_all(scopes, owned)
    leaves = _as_variables(scopes, owned, paths)
    names = [pa.array([""])]
    for before, level in zip(scopes.levels, scopes.levels[1:], strict=False):
        parent = scopes.parent[level]
        above = pa.concat_arrays(names[-1:]).take(pa.array(parent - before[0]))
        leaf = leaves.take(pa.array(level))
        joined = pc.if_else(pc.equal(above, ""), leaf, pc.binary_join_element_wise(above, leaf, "/"))
        names.append(pc.if_else(pa.array(around[level]), "", joined))
    return pa.concat_arrays(names)


def _around_all(scopes: Scopes, owned: Ints) -> Bools:
    """Return the scopes that hold every owned scope, not counting owned ones."""
    holds = np.zeros(scopes.count, dtype=np.int64)
    holds[np.unique(owned)] = 1
    total = int(holds.sum())
    own = holds > 0
    for level in reversed(scopes.levels[1:]):
        np.add.at(holds, scopes.parent[level], holds[level])
    around: Bools = (holds == total) & ~own & (total > 0)
    around[0] = True
    return around


def _as_variables(scopes: Scopes, owned: Ints, paths: pa.Array) -> pa.Array:
    """Return the last component of each scope, named as variables name it where they do."""
    leaves = scopes.leaves
    is_named = np.zeros(scopes.count, dtype=bool)
    added = pa.nulls(scopes.count, pa.string())
    stems = scopes.stems
    at, path = owned, paths
    while len(at):
        is_there = to_bools(pc.fill_null(pc.not_equal(path, ""), fill_value=False)) & (at > 0)
        at, path = at[is_there], path.filter(pa.array(is_there))
        last = last_part(path)
        is_same = to_bools(pc.equal(without_number(last), stems.take(pa.array(at)))) & ~is_named[at]
        at, path, last = at[is_same], path.filter(pa.array(is_same)), last.filter(pa.array(is_same))
        at, first = np.unique(at, return_index=True)
        path, last = path.take(pa.array(first)), last.take(pa.array(first))
        rest = _added(leaves.take(pa.array(at)), last)
        leaves, added = _put(leaves, at, last), _put(added, at, rest)
        is_named[at] = True
        at, path = scopes.parent[at], scope_of(path)
    return _without_added(scopes, owned, leaves, added, is_named)


def _added(traced: pa.Array, named: pa.Array) -> pa.Array:
    """Return the number that tracing added to a name, NULL where it added none or did something else."""
    number = pc.extract_regex(traced, r"(?P<rest>_[0-9]+)$").field("rest") if len(traced) else traced
    is_added = pc.and_(pc.not_equal(number, ""), pc.equal(pc.binary_join_element_wise(named, number, ""), traced))
    return pc.if_else(is_added, number, None)


def _without_added(scopes: Scopes, owned: Ints, leaves: pa.Array, added: pa.Array, is_named: Bools) -> pa.Array:
    """Return last components without the numbers that tracing added.

    It added some if variables name a scope otherwise, or if no variable has a name. Then it has numbered each scope, so
    that the numbers go, unless scopes beside one another would then have the same name.
    """
    is_numbered = _below(scopes, has_number(leaves))
    if not pc.any(pc.is_valid(added)).as_py() and (is_named.any() or not is_numbered[owned].all()):
        return leaves
    short = pc.if_else(pa.array(is_named), leaves, without_last_number(leaves))
    pairs = pc.binary_join_element_wise(pa.array(scopes.parent).cast(pa.string()), short, "/").dictionary_encode()
    codes = to_ints(pairs.indices)
    is_only = np.bincount(codes, minlength=len(pairs.dictionary))[codes] == 1
    return pc.if_else(pa.array(is_only), short, leaves)


def _below(scopes: Scopes, marked: Bools) -> Bools:
    """Return the scopes that are marked or inside of a marked one."""
    below = marked.copy()
    for level in scopes.levels[1:]:
        below[level] |= below[scopes.parent[level]]
    return below


def _put(column: pa.Array, rows: Ints, values: pa.Array) -> pa.Array:
    """Return a column with other values in some rows, each given once."""
    at = np.arange(len(column))
    at[rows] = len(column) + np.arange(len(rows))
    return pa.concat_arrays([column, values.cast(column.type)]).take(pa.array(at))
