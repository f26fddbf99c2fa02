"""Finds the scopes in which each variable is used: those of the layers that own the variables.

The variables of a layer share a scope, such as ``fc1`` of ``fc1/kernel``, and the nodes that compute with them are in a
scope of the same last name, such as ``StatefulPartitionedCall/my_cnn_1/fc1_1``. Which nodes compute with a variable is
read from the graph; the name only tells how far up the layer's scope reaches.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, distinct, marks, sort_distinct, to_bools, to_ints
from tfprof_report.model.layers.scopes import Scopes, last_part, scope_of, without_number
from tfprof_report.model.params.weights import Weights
from tfprof_report.record import record

_PART = r"/part_[0-9]+$"
"""A partitioned variable is several variables below its own name (partitioned_variables.py)."""

OP_SCOPES = (
    r"^(batchnorm|moments|weighted_moments|sufficient_statistics|normalize|l2_normalize|normalize_moments|Tensordot|einsum"
    r"|Repeat|repeat|embedding_lookup|embedding_lookup_sparse|Cast|Read|ReadVariableOp)$"
)
"""Scopes that TensorFlow's own functions open (nn_impl.py, math_ops.py, array_ops.py, embedding_ops.py): steps of a
computation, not layers.
"""


@record
class Uses:
    """Which forward nodes compute with which variables.

    variable, node : rows of the nodes, one pair for each use
    """

    variable: Ints
    node: Ints


@record
class Owners:
    """The layers that variables are grouped to, numbered from 0.

    of_variable : per row of `Weights.holds` (all nodes) the owner, -1 for other nodes and variables without one
    paths : per owner the scope of its variables; NULL where these have no names, so that its scope names it
    scopes, owner : scopes that belong to owners: a scope and its owner, one row each
    nodes, node_owner : the same for nodes outside such scopes that compute with a variable
    """

    of_variable: Ints
    paths: pa.Array
    scopes: Ints
    owner: Ints
    nodes: Ints
    node_owner: Ints


def find_uses(weights: Weights, edges: pa.Table, computes: Bools) -> Uses:
    """Return the uses of variables by the nodes that `computes` marks, in the order of the edges."""
    is_there = to_bools(pc.is_valid(edges["source"])) & ~to_bools(edges["is_control"])
    source, node = (to_ints(pc.fill_null(edges[end], 0)) for end in ("source", "node"))
    variable = weights.holder[weights.origin[source]]
    passes_on = weights.origin != np.arange(len(weights.origin))
    used = is_there & weights.holds[variable] & computes[node] & ~passes_on[node]
    return Uses(variable=variable[used], node=node[used])


def find_owners(
    weights: Weights, names: pa.Array, uses: Uses, scopes: Scopes, scope: Ints, *, named: Bools, loops: Bools
) -> Owners:
    """Return the owners of variables.

    Parameters
    ----------
    scope : per node its scope
    named : which variables have names of their own, unlike captured handles and frozen constants
    loops : which nodes are loops
    """
    rows = np.flatnonzero(weights.holds)
    paths = scope_of(pc.replace_substring_regex(names.take(pa.array(rows)), _PART, "")).dictionary_encode()
    path = np.full(len(names), -1)  # per variable the number of the scope in its name
    path[rows] = np.where(named[rows] & to_bools(pc.not_equal(paths, "")), to_ints(paths.indices), -1)

    # What each use says of the layer: the scope that has the variable's name, or only one that uses it.
    used_in, used_path = _outside_op_scopes(scopes)[scope[uses.node]], path[uses.variable]
    whole = np.full(len(used_in), -1)
    has_path = np.flatnonzero(used_path >= 0)
    whole[has_path] = _with_same_name(
        scopes, used_in[has_path], paths.dictionary.take(pa.array(used_path[has_path])), uses.variable[has_path]
    )
    part = _parts(scopes, whole, used_in, uses.variable, used_path)

    # Variables with the same scope in their names, used in the same scope, have one owner.
    by_scope = np.full(len(names), -1)  # per variable the scope of its owner, as far as it is known
    place = np.where(part >= 0, part, np.where(used_path >= 0, whole, used_in))
    is_placed = np.flatnonzero(place > 0)[::-1]
    by_scope[uses.variable[is_placed]] = place[is_placed]
    path[uses.variable[part >= 0]] = -1
    code = path[rows] * scopes.count + np.maximum(by_scope[rows], 0)
    is_there = (path[rows] >= 0) | (by_scope[rows] > 0)
    keys = pa.array(code, mask=~is_there).dictionary_encode()
    of_variable = np.full(len(names), -1)
    of_variable[rows] = to_ints(pc.fill_null(keys.indices, -1))
    path_of_owner = to_ints(keys.dictionary) // scopes.count
    owners = paths.dictionary.take(pa.array(path_of_owner, mask=path_of_owner < 0))

    # Which scopes are the owner's: those of its uses, unless they only borrow its variables or others claim them too.
    owner = of_variable[uses.variable]
    is_lost = (used_path >= 0) & ~marks(owner[(whole >= 0) & (owner >= 0)], len(owners) + 1)[owner]
    claims = np.where(part >= 0, part, np.where((used_path >= 0) & ~is_lost, whole, used_in))
    claims[(owner < 0) | (claims == 0)] = -1
    claims[(used_path < 0) & _is_elsewhere(scopes, claims, by_scope[uses.variable])] = -1
    claims[is_lost & ~_has_one(claims, owner, scopes.count)[claims]] = -1
    claims = _around_loops(scopes, claims, owner, np.unique(scope[loops]))
    claims[_is_inside_own(scopes, claims, owner)] = -1
    is_alone = (owner >= 0) & ~marks(owner[claims >= 0], len(owners) + 1)[owner]
    return Owners(
        of_variable=of_variable,
        paths=owners,
        scopes=claims[claims >= 0],
        owner=owner[claims >= 0],
        nodes=uses.node[is_alone],
        node_owner=owner[is_alone],
    )


def _parts(scopes: Scopes, whole: Ints, used_in: Ints, variable: Ints, path: Ints) -> Ints:
    """Return per use the scope that alone uses the variable, where several of them share what has the variables' name.

    Then these are the layers, as in a model whose variables are all called ``model/kernel``. It is -1 for other uses.
    """
    # A layer that is called at several places uses its variables in several scopes right below that of the name.
    place = _child_towards(scopes, whole, used_in)
    part = _common(scopes, used_in, sort_distinct([variable, place])[1])
    part = np.where((whole >= 0) & (part > whole), part, -1)  # scopes inside of another one have larger numbers
    pairs = distinct((path * scopes.count + part)[part >= 0])
    count = np.bincount(pairs // scopes.count, minlength=int(path.max(initial=-1)) + 2)  # the last one is for no path
    return np.where((part >= 0) & (count[path] > 1), part, -1)


def _is_elsewhere(scopes: Scopes, claims: Ints, own: Ints) -> Bools:
    """Return which scopes have another last name than that of the owner: its variables are borrowed there."""
    code = to_ints(scopes.stems.dictionary_encode().indices)
    elsewhere: Bools = (claims >= 0) & (own >= 0) & (code[claims] != code[own])
    return elsewhere


def _child_towards(scopes: Scopes, above: Ints, below: Ints) -> Ints:
    """Return the child of `above` that holds `below`; -1 where they are the same, or nothing is above."""
    child, at = np.full(len(below), -1), np.where(above < 0, -1, below)
    while (going := (at != above) & (at > 0)).any():
        child[going] = at[going]
        at[going] = scopes.parent[at[going]]
    return child


def _common(scopes: Scopes, used_in: Ints, group: Ints) -> Ints:
    """Return per use the innermost scope around all uses of its group."""
    at, size, depth = used_in.copy(), int(group.max(initial=-1)) + 1, scopes.depth
    while True:
        least, most = np.full(size, scopes.count), np.full(size, -1)
        np.minimum.at(least, group, at)
        np.maximum.at(most, group, at)
        # Scopes are sorted by depth: all of the deepest go up at once, however many they are.
        inner = (least[group] < most[group]) & (depth[at] == depth[most[group]])
        if not inner.any():
            return at
        at[inner] = scopes.parent[at[inner]]


def _around_loops(scopes: Scopes, claims: Ints, owner: Ints, around: Ints) -> Ints:
    """Return claims with those that are the only ones in a scope with a loop moved up to it: a cell is its layer."""
    holds_loop = marks(around, scopes.count)
    found, at = claims.copy(), claims.copy()
    alone = _has_one_below(scopes, claims, owner)
    while (at > 0).any():
        found = np.where((at > 0) & holds_loop[at] & alone[at], at, found)
        at = np.where(at > 0, scopes.parent[at], -1)
    return found


def _has_one_below(scopes: Scopes, claims: Ints, owner: Ints) -> Bools:
    """Return which scopes hold claims of one owner only, their own included."""
    least, most = np.full(scopes.count, np.iinfo(np.int64).max), np.full(scopes.count, -1)
    np.minimum.at(least, claims[claims >= 0], owner[claims >= 0])
    np.maximum.at(most, claims[claims >= 0], owner[claims >= 0])
    for level in reversed(scopes.levels[1:]):
        np.minimum.at(least, scopes.parent[level], least[level])
        np.maximum.at(most, scopes.parent[level], most[level])
    alone: Bools = least == most
    return alone


def _outside_op_scopes(scopes: Scopes) -> Ints:
    """Return per scope the innermost scope around it that TensorFlow's functions did not open."""
    is_step = to_bools(pc.match_substring_regex(scopes.stems, OP_SCOPES))
    plain = np.arange(scopes.count)
    for level in scopes.levels[1:]:
        inner = level[is_step[level]]
        plain[inner] = plain[scopes.parent[inner]]
    return plain


def _with_same_name(scopes: Scopes, used_in: Ints, paths: pa.Array, variable: Ints) -> Ints:
    """Return per use the innermost scope around it with the last name of the variable's path; -1 if there is none.

    If no use of the variable has the last name around it, the one before it decides, and so on: the variables of
    ``lstm/lstm_cell`` are used in ``lstm_1/while``.
    """
    found, coded = np.full(len(used_in), -1), scopes.stems.dictionary_encode()
    of_scope = to_ints(coded.indices)
    left, path = np.arange(len(used_in)), paths
    while len(left):
        is_there = to_bools(pc.fill_null(pc.not_equal(path, ""), fill_value=False))
        left, path = left[is_there], path.filter(pa.array(is_there))
        wanted = without_number(last_part(path))
        code = to_ints(pc.fill_null(pc.index_in(wanted, value_set=coded.dictionary), -2))
        at, here = used_in[left], np.full(len(left), -1)
        while (at > 0).any():
            here = np.where((here < 0) & (at > 0) & (of_scope[at] == code), at, here)
            at = np.where((at > 0) & (here < 0), scopes.parent[at], -1)
        found[left] = here
        is_open = ~np.isin(variable[left], variable[left[here >= 0]])
        left, path = left[is_open], scope_of(path.filter(pa.array(is_open)))
    return found


def _is_inside_own(scopes: Scopes, claims: Ints, owner: Ints) -> Bools:
    """Return which claims are for a scope inside of another one that the same owner claims."""
    pairs = owner * scopes.count + claims
    inside, above = np.zeros(len(claims), dtype=bool), np.where(claims > 0, scopes.parent[claims], -1)
    while (above > 0).any():
        inside |= (above > 0) & np.isin(owner * scopes.count + above, pairs)
        above = np.where(above > 0, scopes.parent[above], -1)
    return inside


def _has_one(claims: Ints, owner: Ints, count: int) -> Bools:
    """Return which scopes one owner alone claims."""
    owners, is_claim = int(owner.max(initial=-1)) + 2, claims >= 0
    pairs = distinct((claims * owners + owner + 1)[is_claim])
    is_only: Bools = np.bincount(pairs // owners, minlength=count) == 1
    return is_only
