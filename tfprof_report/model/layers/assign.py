"""Assigns each node to a layer: what people who built the model call one, such as a convolution or a dense layer.

A layer is a scope that owns variables (`variable_scopes`), or one beside such scopes that owns none, such as an
activation. Its gradients are the nodes whose names TensorFlow makes from those of its forward nodes; what updates its
variables is its part of the optimizer.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, encode_codes, marks, match_words, to_bools, to_ints
from tfprof_report.model.functions.placed_calls import PlacedCalls
from tfprof_report.model.graph.reach import Flow
from tfprof_report.model.layers.gradient_names import layers_of_gradients
from tfprof_report.model.layers.layer_names import name_scopes
from tfprof_report.model.layers.optimizer_parts import layers_of_updates
from tfprof_report.model.layers.phases import ASSIGNS, STORES, UPDATES, find_phases
from tfprof_report.model.layers.scopes import Scopes, build_scopes, scope_of
from tfprof_report.model.layers.variable_scopes import OP_SCOPES, Owners, find_owners, find_uses
from tfprof_report.model.params.count import is_variable
from tfprof_report.model.params.weights import Weights
from tfprof_report.record import record

_LOOPS = r"^(Stateless)?While$"


@record
class Layers:
    """Per node its layer, NULL for nodes that are in none, and its `phases.Phase`; both dictionaries.

    is_output : which node gives each layer's output: of the forward nodes whose values other layers use, the last one;
        NULL for nodes that are in no layer
    """

    layer: pa.DictionaryArray
    phase: pa.DictionaryArray
    is_output: pa.Array


def assign_layers(
    weights: Weights,
    *,
    trained: Bools,
    slots: Bools,
    names: pa.Array,
    ops: pa.Array,
    edges: pa.Table,
    calls: PlacedCalls,
) -> Layers:
    """Return the layer and the phase of each node.

    Parameters
    ----------
    trained, slots : the nodes that hold what a step trains, and state of its optimizer
    edges : the result of `edges.read_edges`
    calls : the calls of inlined functions
    """
    kinds = ops.dictionary_encode()
    flow = _values(edges, calls, kinds)
    updated = _updated(weights, edges, kinds)
    decays = (updated >= 0) & trained[updated]
    decays &= flow.after(weights.holds) if decays.any() else decays
    phases = find_phases(names, kinds, flow, slots=slots, updates=decays)
    scopes, scope = build_scopes(scope_of(pc.if_else(pa.array(phases.backward), "", names)))
    owning = replace(weights, holds=weights.holds & ~slots)
    computes = phases.forward & ~weights.holds & ~marks(calls.node, len(names))
    computes &= ~match_words(kinds, STORES)
    loops = match_words(kinds, _LOOPS)
    is_named = to_bools(pc.fill_null(is_variable(ops), fill_value=False))
    uses = find_uses(owning, edges, computes)
    owners = find_owners(owning, names, uses, scopes, scope, named=is_named, loops=loops)
    count = len(owners.paths)
    calling = marks(calls.node, len(names)) | loops
    phases = phases.with_optimizer(_below(slots, names, scopes)[scope] | slots)
    of_scope = _layers_of_scopes(scopes, owners, names, opened_by=names.filter(pa.array(~calling)))

    layer = np.where(phases.backward, -1, of_scope[scope])
    is_free = (layer[owners.nodes] < 0) | (layer[owners.nodes] >= count)
    layer[owners.nodes[is_free]] = owners.node_owner[is_free]
    layer = np.where(owners.of_variable >= 0, owners.of_variable, layer)
    of_update = layers_of_updates(flow, phases.optimizer, updated, owners.of_variable, slots)
    layer = np.where(of_update >= 0, of_update, layer)
    rows = np.flatnonzero(phases.backward)
    # What only a run names is perhaps of another function, whose scopes are as those that gradients are named by.
    in_graph = to_bools(pc.is_valid(ops))
    holds = marks(scope[in_graph], scopes.count)
    of_graph = np.where(holds | scopes.above(holds), of_scope, -1)
    of_node = np.where(in_graph, layer, -1)
    layer[rows] = layers_of_gradients(names.take(pa.array(rows)), scopes, of_graph, names, of_node)
    named = encode_codes(layer, _names(scopes, owners, of_scope))
    code = to_ints(pc.fill_null(named.indices, -1))
    is_output = _outputs(code, computes & to_bools(pc.fill_null(pc.not_equal(ops, "Const"), fill_value=False)), flow)
    return Layers(
        layer=named,
        phase=phases.words,
        is_output=pa.array(is_output, mask=code < 0),
    )


def _outputs(layer: Ints, computes: Bools, flow: Flow) -> Bools:
    """Return the node that gives each layer's output, the last that computes if no other layer uses any."""
    leaves = marks(flow.source[layer[flow.source] != layer[flow.target]], len(layer))
    rows = np.flatnonzero(computes & (layer >= 0))
    order = rows[np.lexsort((rows, leaves[rows], layer[rows]))]
    is_last = np.append(layer[order][1:] != layer[order][:-1], np.ones(min(len(order), 1), dtype=bool))
    return marks(order[is_last], len(layer))


def _values(edges: pa.Table, calls: PlacedCalls, ops: pa.Array) -> Flow:
    """Return the edges that carry values, those from the results of inlined functions to their calls included.

    That from a variable to what assigns to it is none: an assignment does not use what it replaces.
    """
    is_there = to_bools(pc.is_valid(edges["source"])) & ~to_bools(edges["is_control"])
    source, target, position = (to_ints(pc.fill_null(edges[name], 0)) for name in ("source", "node", "position"))
    assigns = match_words(ops, ASSIGNS)
    is_there &= ~(assigns[target] & (position == 0))
    return Flow(source=source[is_there], target=target[is_there]).joined(calls.results)


def _below(slots: Bools, names: pa.Array, scopes: Scopes) -> Bools:
    """Return the scopes of slots: their initial values and reads are in them."""
    found = scopes.find(names.filter(pa.array(slots)))
    below = marks(found[found > 0], scopes.count)
    for level in scopes.levels[1:]:
        below[level] |= below[scopes.parent[level]]
    return below


def _updated(weights: Weights, edges: pa.Table, ops: pa.Array) -> Ints:
    """Return per node the variable that it changes, -1 if there is none."""
    changes = match_words(ops, f"{ASSIGNS}|{UPDATES}")
    is_first = to_bools(pc.is_valid(edges["source"])) & ~to_bools(edges["is_control"])
    is_first &= to_ints(edges["position"]) == 0
    source, node = (to_ints(pc.fill_null(edges[end], 0))[is_first] for end in ("source", "node"))
    variable = np.full(len(weights.origin), -1)
    variable[node] = weights.holder[weights.origin[source]]
    return np.where(changes & weights.holds[variable], variable, -1)


def _layers_of_scopes(scopes: Scopes, owners: Owners, names: pa.Array, *, opened_by: pa.Array) -> Ints:
    """Return per scope its layer: an owner, or a number from that of the last owner on; -1 for the root.

    A scope that no owner has starts a layer of its own, unless it is inside of a layer that holds no others.
    """
    owner = np.full(scopes.count, -1)
    own = scopes.find(owners.paths)
    has_own = np.flatnonzero(own > 0)[::-1]
    owner[own[has_own]] = has_own
    owner[owners.scopes[::-1]] = owners.owner[::-1]  # of several owners the first one has the scope
    holds_others = scopes.above(owner >= 0)
    variables = np.flatnonzero(owners.of_variable >= 0)
    below = scopes.find(names.take(pa.array(variables)))  # initial values and reads are in the scope of the variable
    below, variables = below[below > 0], variables[below > 0]
    owner[below] = np.where(owner[below] < 0, owners.of_variable[variables], owner[below])

    opened = scopes.find(opened_by)
    is_step = match_words(scopes.stems, OP_SCOPES) | marks(opened[opened >= 0], scopes.count)
    layer, last = np.full(scopes.count, -1), len(owners.paths)
    for level in scopes.levels[1:]:
        parent = scopes.parent[level]
        starts = (owner[level] < 0) & (holds_others[parent] | (layer[parent] < 0)) & ~is_step[level]
        layer[level] = np.where(owner[level] >= 0, owner[level], layer[parent])
        layer[level[starts]] = last + np.arange(int(starts.sum()))
        last += int(starts.sum())
    return layer


def _names(scopes: Scopes, owners: Owners, of_scope: Ints) -> pa.Array:
    """Return the name of each layer, NULL for scopes that hold all others and for what is in no scope."""
    claimed, first = np.unique(owners.owner, return_index=True)
    owned = owners.scopes[first]
    by_scope = name_scopes(scopes, owned, owners.paths.take(pa.array(claimed)))
    at = np.full(max(int(of_scope.max(initial=-1)) + 1, len(owners.paths)), -1)
    rows = np.arange(scopes.count)[::-1]
    at[of_scope[rows][of_scope[rows] >= 0]] = rows[of_scope[rows] >= 0]
    at[: len(owners.paths)] = -1
    at[claimed] = owned
    found = by_scope.take(pa.array(at, mask=at < 0))
    paths = pa.concat_arrays([owners.paths, pa.nulls(len(at) - len(owners.paths), owners.paths.type)])
    found = pc.if_else(pc.equal(found, ""), None, found)
    return pc.coalesce(found, pc.if_else(pa.array(at < 0), paths, None))
