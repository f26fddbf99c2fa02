"""Inlines the function library: the nodes of a body stand below each node that calls it.

Bodies are placed level by level, all calls of a level at once. What would grow past a limit is not copied: each
function is then placed once, below its first call, and the other calls refer to that place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from tfprof_report.arrays import Bools, Ints, list_offsets, list_values, make_lists, marks, take_ranges, to_bools
from tfprof_report.errors import InputError
from tfprof_report.ingest.library import Library
from tfprof_report.model.functions.calls import Calls, References, calling_nodes, find_calls, read_references

MAX_EXPANDED = 1_000_000
"""Nodes of bodies up to which every call gets a copy of its function's body."""

MAX_NESTING = 100
"""Calls within calls that are followed."""

_MARKS = ("", "~", "~~~")  # "~" is in no name that TensorFlow accepts


class Skipped(StrEnum):
    """Why the body of a call is not there."""

    MISSING = "the library has no such function, or no gradient of it"
    RECURSIVE = "the function calls itself"
    DEEP = f"the call is more than {MAX_NESTING} calls deep"


@dataclass(frozen=True, slots=True, kw_only=True)
class Expansion:
    """Nodes with the bodies of the functions that they call.

    nodes : the columns of the nodes that were given, then those of the bodies; inputs are those of a flat graph
    body : per node the placed body that holds it; 0 for the nodes that were given
    origin : per node its row in the library's bodies, the same in every copy; -1 for the nodes that were given
    calls : calls whose body is placed; rows of `nodes`
    callee : per call the number of its body, from 1
    results : per placed body, from 1, the tensors that it returns; NULL inside where it names none
    is_shared : each function is placed once, so that several calls have the same body
    skipped : per reason the rows of `nodes` whose call has no body
    """

    nodes: pa.Table
    body: Ints
    origin: Ints
    calls: Calls
    callee: Ints
    results: pa.ListArray
    is_shared: bool
    skipped: Mapping[Skipped, Ints]


def expand_functions(nodes: pa.Table, library: Library | None, *, limit: int = MAX_EXPANDED) -> Expansion:
    """Return the nodes with the bodies of all functions that they call.

    The name of a body's node is ``call/node``, with ``then``, ``else``, ``branchN``, ``cond`` or ``body`` between for
    the functions of control flow. Arguments become the inputs of the calling node.

    Parameters
    ----------
    nodes : the columns of ``GraphColumns.nodes``
    limit : nodes of bodies up to which they are copied

    Raises
    ------
    InputError
        Names of the graph clash with those of inlined nodes, whatever stands between.
    """
    if library is None:
        return without_bodies(nodes, calling_nodes(nodes))
    top = find_calls(nodes, library)
    if not len(top.row):
        return without_bodies(nodes)
    bodies = _read_bodies(library)
    is_shared = _expanded_rows(top, bodies) > limit
    for mark in _MARKS:
        expansion = _place(nodes, top, bodies, mark=mark, is_shared=is_shared)
        names = expansion.nodes["name"]
        if pc.count_distinct(names).as_py() == len(names):
            return expansion
    raise InputError("names of nodes are those of nodes of functions that other nodes call")


def without_bodies(nodes: pa.Table, missing: Ints | None = None) -> Expansion:
    """Return the nodes as they are; `missing` are those that call functions which the library does not have."""
    none = np.zeros(0, dtype=np.int64)
    return Expansion(
        nodes=nodes,
        body=np.zeros(nodes.num_rows, dtype=np.int64),
        origin=np.full(nodes.num_rows, -1, dtype=np.int64),
        calls=Calls(row=none, role=none, branch=none, function=none, loop=none),
        callee=none,
        results=make_lists(pa.array([], pa.string()), none),
        is_shared=False,
        skipped={Skipped.MISSING: none if missing is None else missing},
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bodies:
    """A library made ready: calls and references of all bodies; `call_offsets` tell the calls of each body row."""

    library: Library
    calls: Calls
    is_recursive: Bools
    call_offsets: Ints
    inputs: References
    input_offsets: Ints
    rets: References
    ret_offsets: Ints
    has_ret: Bools

    def varies(self, loop: Ints, argument: Ints) -> Bools:
        """Return which arguments a loop body does not hand on as they are; False without a loop."""
        at = self.ret_offsets[:-1][loop] + argument
        is_returned = (loop >= 0) & (argument >= 0) & (at < self.ret_offsets[1:][loop])
        same = np.zeros(len(loop), dtype=bool)
        same[is_returned] = self.rets.argument[at[is_returned]] == argument[is_returned]
        return (loop >= 0) & ~same


def _read_bodies(library: Library) -> _Bodies:
    rows, count = library.bodies.num_rows, library.functions.num_rows
    function = np.repeat(np.arange(count), np.diff(library.offsets))
    calls = find_calls(library.bodies, library)
    caller, callee = function[calls.row], calls.function
    known = callee >= 0
    links = csr_array((np.ones(known.sum()), (caller[known], callee[known])), shape=(count, count))
    _, component = connected_components(links, directed=True, connection="strong")
    inputs, rets = library.bodies["inputs"].combine_chunks(), library.functions["rets"].combine_chunks()
    input_offsets, ret_offsets = list_offsets(inputs), list_offsets(rets)
    returned = list_values(rets)
    return _Bodies(
        library=library,
        calls=calls,
        is_recursive=known & (component[caller] == component[callee]),
        call_offsets=np.searchsorted(calls.row, np.arange(rows + 1)),
        inputs=read_references(np.repeat(function, np.diff(input_offsets)), list_values(inputs), library),
        input_offsets=input_offsets,
        rets=read_references(np.repeat(np.arange(count), np.diff(ret_offsets)), pc.fill_null(returned, ""), library),
        ret_offsets=ret_offsets,
        has_ret=to_bools(pc.is_valid(returned)),
    )


def _expanded_rows(top: Calls, bodies: _Bodies) -> float:
    """Return how many nodes the bodies have if every call gets its own."""
    own = np.diff(bodies.library.offsets).astype(np.float64)
    function = np.repeat(np.arange(len(own)), np.diff(bodies.library.offsets))
    followed = (bodies.calls.function >= 0) & ~bodies.is_recursive
    caller, callee = function[bodies.calls.row[followed]], bodies.calls.function[followed]
    links = csr_array((np.ones(len(caller)), (caller, callee)), shape=(len(own), len(own)))
    rows = own
    for _ in range(MAX_NESTING):
        before, rows = rows, own + links @ rows
        if np.array_equal(before, rows):
            break
    return float(rows[top.function[top.function >= 0]].sum())


def _place(nodes: pa.Table, top: Calls, bodies: _Bodies, *, mark: str, is_shared: bool) -> Expansion:
    library = bodies.library
    given = _nullable_inputs(nodes.select(library.bodies.column_names))
    offsets = library.offsets
    chunk, start, placed = given, 0, 0  # the level above, the row of its first node, bodies so far
    chunks, body, called, callees, results = [given], [np.zeros(given.num_rows, dtype=np.int64)], [], [], []
    origin = [np.full(given.num_rows, -1, dtype=np.int64)]
    skipped: dict[Skipped, list[Ints]] = {reason: [] for reason in Skipped}
    body_of_function = np.zeros(library.functions.num_rows, dtype=np.int64)
    calls, is_recursive = top, np.zeros(len(top.row), dtype=bool)
    for level in range(MAX_NESTING + 1):
        is_missing = calls.function < 0
        skipped[Skipped.MISSING].append(calls.row[is_missing] + start)
        skipped[Skipped.RECURSIVE].append(calls.row[is_recursive] + start)
        calls = calls.take(np.flatnonzero(~is_missing & ~is_recursive))
        if not len(calls.row):
            break
        if level == MAX_NESTING:
            skipped[Skipped.DEEP].append(calls.row + start)
            break
        is_new = np.ones(len(calls.row), dtype=bool)
        if is_shared:
            first = marks(np.unique(calls.function, return_index=True)[1], len(is_new))
            is_new = first & (body_of_function[calls.function] == 0)
        number = placed + np.cumsum(is_new)
        body_of_function[calls.function[is_new]] = number[is_new]
        called.append(calls.take(np.arange(len(calls.row)), row=calls.row + start))
        callees.append(body_of_function[calls.function] if is_shared else number)
        placed += int(is_new.sum())

        new = calls.take(np.flatnonzero(is_new))
        counts = np.diff(offsets)[new.function]
        rows, site = take_ranges(offsets[:-1][new.function], counts), np.repeat(np.arange(len(new.row)), counts)
        made, returned = _copy(rows, site, new, above=chunk, bodies=bodies, mark=mark)
        start, chunk = start + chunk.num_rows, made
        chunks.append(made)
        body.append(number[is_new][site])
        origin.append(rows)
        results.append(returned)
        call_counts = np.diff(bodies.call_offsets)[rows]
        index = take_ranges(bodies.call_offsets[:-1][rows], call_counts)
        calls = bodies.calls.take(index, row=np.repeat(np.arange(len(rows)), call_counts))
        is_recursive = bodies.is_recursive[index]
    none = np.zeros(0, dtype=np.int64)
    return Expansion(
        nodes=pa.concat_tables(chunks).unify_dictionaries().combine_chunks(),
        body=np.concatenate(body),
        origin=np.concatenate(origin),
        calls=Calls.concat(called) if called else top.take(none),
        callee=np.concatenate([none, *callees]),
        results=pa.concat_arrays(results) if results else make_lists(pa.array([], pa.string()), none),
        is_shared=is_shared,
        skipped={reason: np.concatenate([none, *parts]) for reason, parts in skipped.items()},
    )


def _nullable_inputs(nodes: pa.Table) -> pa.Table:
    """Return the nodes with room for inputs that are not given, which the decoder's type has not."""
    inputs = nodes["inputs"].cast(pa.list_(pa.string()))
    return nodes.set_column(nodes.column_names.index("inputs"), "inputs", inputs)


def _copy(
    rows: Ints, site: Ints, calls: Calls, *, above: pa.Table, bodies: _Bodies, mark: str
) -> tuple[pa.Table, pa.ListArray]:
    """Return the body rows `rows`, each as the call `site` has it, and the tensors that every call returns.

    The rows of `calls` are those of `above`.
    """
    table = bodies.library.bodies.take(pa.array(rows))
    caller = above["name"].combine_chunks().take(pa.array(calls.row))
    scopes = pc.binary_join_element_wise(caller, mark, calls.scopes, "/", "")
    names = pc.binary_join_element_wise(scopes.take(pa.array(site)), table["name"].combine_chunks(), "")
    sites = _Sites(
        calls=calls, names=caller, scopes=scopes, inputs=above["inputs"].combine_chunks(), varies=bodies.varies
    )
    counts = np.diff(bodies.input_offsets)[rows]
    index = take_ranges(bodies.input_offsets[:-1][rows], counts)
    tensors = _tensors(bodies.inputs, index, np.repeat(site, counts), sites)
    rets = np.diff(bodies.ret_offsets)[calls.function]
    place = take_ranges(bodies.ret_offsets[:-1][calls.function], rets)
    returned = _tensors(bodies.rets, place, np.repeat(np.arange(len(rets)), rets), sites)
    returned = pc.if_else(pa.array(bodies.has_ret[place]), returned, pa.scalar(None, pa.string()))
    made = {"name": names, "inputs": make_lists(tensors, counts)}
    return (
        pa.table({name: made.get(name, table[name]) for name in table.column_names}),
        make_lists(returned, rets),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sites:
    """Calls of one level: the names and inputs of the calling nodes, and the scopes of the bodies' nodes."""

    calls: Calls
    names: pa.Array
    scopes: pa.Array
    inputs: pa.ListArray
    varies: Callable[[Ints, Ints], Bools]


def _tensors(references: References, index: Ints, site: Ints, sites: _Sites) -> pa.Array:
    """Return references of bodies as names of a flat graph; NULL for an argument that the call does not give.

    What changes from one iteration of a loop to the next is an output of the loop, not the input that it begins with.
    """
    argument, is_control = references.argument[index], pa.array(references.is_control[index])
    inner = pc.binary_join_element_wise(sites.scopes.take(pa.array(site)), references.text.take(pa.array(index)), "")
    calls, inputs = sites.calls, sites.inputs
    offsets, row = list_offsets(inputs), calls.row[site]
    at = offsets[:-1][row] + calls.first_input[site] + argument
    is_given = (argument >= 0) & (at < offsets[1:][row])
    outer = list_values(inputs).take(pa.array(np.where(is_given, at, 0), mask=~is_given))
    varies = is_given & sites.varies(calls.loop[site], argument)
    if varies.any():
        changed = sites.names.take(pa.array(site))
        slots = pc.binary_join_element_wise(changed, pa.array(argument).cast(pa.string()), ":")
        outer = pc.if_else(pa.array(varies), slots, outer)
    if pc.any(is_control).as_py():  # a control input waits for the node, whichever output it is
        node = pc.list_element(pc.split_pattern(outer, ":", max_splits=1), 0)
        outer = pc.if_else(is_control, node, outer)
    text = pc.if_else(pa.array(argument >= 0), outer, inner)
    return pc.if_else(is_control, pc.binary_join_element_wise("^", text, ""), text)
