"""Inlines the function library: copies the nodes of a function's body into the scope of each node that calls it.

Bodies are inlined level by level, all calls of a level at once. Where copies would exceed a limit, each function is
inlined only once, below its first call, and the other calls share that body.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from enum import StrEnum

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import (
    Bools,
    Floats,
    Ints,
    bytes_of_rows,
    list_offsets,
    list_values,
    make_lists,
    marks,
    take_ranges,
    to_bools,
    to_ints,
)
from tfprof_report.errors import InputError
from tfprof_report.graph_search import cycles
from tfprof_report.ingest.library import Library
from tfprof_report.model.functions.calls import Calls, References, calling_nodes, find_calls, read_references
from tfprof_report.record import record

MAX_EXPANDED = 200_000
"""Most nodes of bodies; past this number, calls share one body per function instead of getting a copy each."""

_MAX_PARTS = 500_000
"""Most inlined nodes, their inputs, their calls and the results of these, likewise."""

_MAX_CONTENT = 2**27
"""Most bytes of all other columns of inlined nodes, such as shapes, likewise."""

MAX_NAME_BYTES = 2**27
"""Most bytes of names of inlined nodes and their inputs, likewise; what is more with shared bodies is an error."""

MAX_RESULTS = 2**22
"""Most results of all calls; more are an error."""

MAX_NESTING = 100
"""Deepest nesting of calls that is followed."""

_MARKS = ("", "~", "~~~")  # "~" is in no name that TensorFlow accepts


class Skipped(StrEnum):
    """Why the body of a call is not inlined."""

    MISSING = "the library has no such function, or no gradient of it"
    RECURSIVE = "the function calls itself"
    DEEP = f"the call is more than {MAX_NESTING} calls deep"


@record
class Expansion:
    """A graph with the bodies of the functions that it calls; an inlined copy of a body is called a placed body.

    nodes : columns of the graph's nodes, then those of the bodies, then nodes of which only the name is known
        (`with_undefined`); inputs are written as in a graph without functions
    defined : how many of `nodes` the graph and its functions define: all but the last ones
    body : per node the number of the placed body that holds it, from 1; 0 for the graph's own nodes
    origin : per node its row in the library's bodies, the same in every copy; -1 for the graph's own nodes
    calls : calls whose body is placed; rows of `nodes`
    callee : per call the number of its placed body, from 1
    results : per placed body the tensors that it returns; NULL for a result that the function does not name
    is_shared : each function is placed only once, so that several calls have the same body
    skipped : per reason the rows of `nodes` whose call has no body
    """

    nodes: pa.Table
    defined: int
    body: Ints
    origin: Ints
    calls: Calls
    callee: Ints
    results: pa.ListArray
    is_shared: bool
    skipped: Mapping[Skipped, Ints]

    @property
    def is_defined(self) -> Bools:
        """Per node whether the graph or one of its functions defines it."""
        return np.arange(self.nodes.num_rows) < self.defined

    def with_undefined(self, names: pa.Array) -> Expansion:
        """Return the expansion followed by nodes that have nothing but a name, so that it has a row for every node.

        They are in no body and call nothing; everything else about them is NULL.
        """
        if not len(names):
            return self
        nodes = pa.concat_tables([self.nodes, pa.table({"name": names})], promote_options="default")
        return replace(
            self,
            nodes=nodes.unify_dictionaries().combine_chunks(),
            body=np.append(self.body, np.zeros(len(names), dtype=np.int64)),
            origin=np.append(self.origin, np.full(len(names), -1)),
        )


def expand_functions(nodes: pa.Table, library: Library | None, *, limit: int = MAX_EXPANDED) -> Expansion:
    """Return the nodes with the bodies of all functions that they call.

    A node of a body is named ``call/node``, or for functions of control flow ``call/then/node`` (``else``,
    ``branchN``, ``cond``, ``body``). The function's arguments are replaced by the inputs of the calling node.

    Parameters
    ----------
    nodes : the columns of ``GraphColumns.nodes``
    limit : most nodes of bodies that are copied

    Raises
    ------
    InputError
        Names of the graph clash with those of inlined nodes, whichever of `_MARKS` separates them, names of inlined
        nodes are too long, or their calls return too many tensors.
    """
    if library is None:
        return without_bodies(nodes, calling_nodes(nodes))
    top = find_calls(nodes, library)
    if not len(top.row):
        return without_bodies(nodes)
    bodies = _read_bodies(library)
    is_shared = _is_too_large(top, bodies, nodes["name"].combine_chunks(), limit)
    for mark in _MARKS:
        expansion = _place(nodes, top, bodies, mark=mark, is_shared=is_shared)
        names = expansion.nodes["name"]
        if pc.count_distinct(names).as_py() == len(names):
            return expansion
    raise InputError("nodes have the same names as nodes of inlined functions")


def without_bodies(nodes: pa.Table, missing: Ints | None = None) -> Expansion:
    """Return the nodes with nothing inlined; `missing` are those that call functions which the library lacks."""
    none = np.zeros(0, dtype=np.int64)
    return Expansion(
        nodes=nodes,
        defined=nodes.num_rows,
        body=np.zeros(nodes.num_rows, dtype=np.int64),
        origin=np.full(nodes.num_rows, -1, dtype=np.int64),
        calls=Calls(row=none, role=none, branch=none, function=none, loop=none),
        callee=none,
        results=make_lists(pa.array([], pa.string()), none),
        is_shared=False,
        skipped={Skipped.MISSING: none if missing is None else missing},
    )


@record
class _Bodies:
    """The library with what inlining needs, found once: the calls of all bodies, and their tensor names resolved.

    The calls of body row i are ``call_offsets[i]`` to ``call_offsets[i + 1]``; likewise its inputs. The results of
    function i are ``ret_offsets[i]`` to ``ret_offsets[i + 1]`` of `rets`.
    """

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
        """Return which arguments a loop's body changes: it does not return them unchanged; False without a loop."""
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
    # A call is recursive if caller and callee are in one cycle of the call graph.
    cycle = cycles(caller[known], callee[known], count)
    inputs, rets = library.bodies["inputs"].combine_chunks(), library.functions["rets"].combine_chunks()
    input_offsets, ret_offsets = list_offsets(inputs), list_offsets(rets)
    returned = list_values(rets)
    return _Bodies(
        library=library,
        calls=calls,
        is_recursive=known & (cycle[caller] == cycle[callee]),
        call_offsets=np.searchsorted(calls.row, np.arange(rows + 1)),
        inputs=read_references(np.repeat(function, np.diff(input_offsets)), list_values(inputs), library),
        input_offsets=input_offsets,
        rets=read_references(np.repeat(np.arange(count), np.diff(ret_offsets)), pc.fill_null(returned, ""), library),
        ret_offsets=ret_offsets,
        has_ret=to_bools(pc.is_valid(returned)),
    )


def _is_too_large(top: Calls, bodies: _Bodies, names: pa.Array, limit: int) -> bool:
    """Return whether a copy of its body for every call makes too many nodes, inputs, or bytes of names or the rest.

    Float: the numbers may be exponential in the size of the library.
    """
    library = bodies.library
    nodes = np.diff(library.offsets).astype(np.float64)
    function = np.repeat(np.arange(len(nodes)), np.diff(library.offsets))
    followed = (bodies.calls.function >= 0) & ~bodies.is_recursive
    row, callee = bodies.calls.row[followed], bodies.calls.function[followed]
    caller = function[row]
    lengths = _lengths(library.bodies["name"].combine_chunks())
    texts = nodes + np.bincount(function, weights=np.diff(bodies.input_offsets), minlength=len(nodes))
    own_parts = texts + np.bincount(caller, minlength=len(nodes)) + np.diff(bodies.ret_offsets)
    own_bytes = np.bincount(function, weights=lengths, minlength=len(nodes))
    own_content = np.bincount(function, weights=bytes_of_rows(library.bodies), minlength=len(nodes))
    own = np.stack([nodes, own_parts, own_bytes, own_content])
    sums = own
    for _ in range(MAX_NESTING):
        before = sums
        below = before[:, callee]
        below[2] += lengths[row] * before[1, callee]  # every text below a call begins with the name of the calling node
        sums = own + np.stack([np.bincount(caller, weights=each, minlength=len(nodes)) for each in below])
        if np.array_equal(before, sums):
            break
    rows, parts, sizes, content = sums
    called = top.function >= 0
    place = top.function[called]
    prefix = _lengths(names.take(pa.array(top.row[called])))
    return bool(
        rows[place].sum() > limit
        or parts[place].sum() > _MAX_PARTS
        or (sizes[place] + prefix * parts[place]).sum() > MAX_NAME_BYTES
        or content[place].sum() > _MAX_CONTENT
    )


def _lengths(names: pa.Array) -> Floats:
    return to_ints(pc.binary_length(names)).astype(np.float64)


def _place(nodes: pa.Table, top: Calls, bodies: _Bodies, *, mark: str, is_shared: bool) -> Expansion:
    """Return the nodes with all bodies placed, level by level: `top` calls are level 0, calls in their bodies level 1.

    Within a level all arrays are in the order of its calls. Rows of calls count within the level above (`chunk`);
    `start` turns them into rows of the whole table.
    """
    library = bodies.library
    given = _nullable_inputs(nodes.select(library.bodies.column_names))
    offsets = library.offsets
    chunk, start, placed = given, 0, 0  # the level above, the row of its first node, number of bodies so far
    chunks, body, called, callees, results = [given], [np.zeros(given.num_rows, dtype=np.int64)], [], [], []
    origin = [np.full(given.num_rows, -1, dtype=np.int64)]
    skipped: dict[Skipped, list[Ints]] = {reason: [] for reason in Skipped}
    body_of_function = np.zeros(library.functions.num_rows, dtype=np.int64)
    calls, is_recursive, size, given_back = top, np.zeros(len(top.row), dtype=bool), 0, 0
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
        given_back += int(np.diff(bodies.ret_offsets)[calls.function].sum())
        # A new body per call; when shared, only for a function that neither this level nor an earlier one has placed.
        is_new = np.ones(len(calls.row), dtype=bool)
        if is_shared:
            first = marks(np.unique(calls.function, return_index=True)[1], len(is_new))
            is_new = first & (body_of_function[calls.function] == 0)
        number = placed + np.cumsum(is_new)
        body_of_function[calls.function[is_new]] = number[is_new]
        called.append(calls.take(np.arange(len(calls.row)), row=calls.row + start))
        callees.append(body_of_function[calls.function] if is_shared else number)
        placed += int(is_new.sum())

        # One row per node of the new bodies: its row in the library, and the call that it is copied for.
        new = calls.take(np.flatnonzero(is_new))
        counts = np.diff(offsets)[new.function]
        rows, site = take_ranges(offsets[:-1][new.function], counts), np.repeat(np.arange(len(new.row)), counts)
        callers = _lengths(chunk["name"].combine_chunks().take(pa.array(new.row)))
        inputs = np.diff(bodies.input_offsets)[rows]
        size += int((callers[site] * (1 + inputs)).sum())
        _check_sizes(size, given_back)
        made, returned = _copy(rows, site, new, above=chunk, bodies=bodies, mark=mark)
        start, chunk = start + chunk.num_rows, made
        chunks.append(made)
        body.append(number[is_new][site])
        origin.append(rows)
        results.append(returned)
        # The next level: the library's calls of the rows just copied, once per copy.
        call_counts = np.diff(bodies.call_offsets)[rows]
        index = take_ranges(bodies.call_offsets[:-1][rows], call_counts)
        calls = bodies.calls.take(index, row=np.repeat(np.arange(len(rows)), call_counts))
        is_recursive = bodies.is_recursive[index]
    none = np.zeros(0, dtype=np.int64)
    expanded = pa.concat_tables(chunks).unify_dictionaries().combine_chunks()
    return Expansion(
        nodes=expanded,
        defined=expanded.num_rows,
        body=np.concatenate(body),
        origin=np.concatenate(origin),
        calls=Calls.concat(called) if called else top.take(none),
        callee=np.concatenate([none, *callees]),
        results=pa.concat_arrays(results) if results else make_lists(pa.array([], pa.string()), none),
        is_shared=is_shared,
        skipped={reason: np.concatenate([none, *parts]) for reason, parts in skipped.items()},
    )


def _check_sizes(name_bytes: int, results: int) -> None:
    advice = "leave functions out with --functions off"
    if name_bytes > MAX_NAME_BYTES:
        problem = f"the names of nodes of inlined functions have more than {MAX_NAME_BYTES:,} bytes"
        raise InputError(problem, advice=advice)
    if results > MAX_RESULTS:
        raise InputError(f"calls of functions return more than {MAX_RESULTS:,} tensors", advice=advice)


def _nullable_inputs(nodes: pa.Table) -> pa.Table:
    """Return the nodes with `inputs` as a list of nullable strings, since calls may lack arguments of their bodies."""
    inputs = nodes["inputs"].cast(pa.list_(pa.string()))
    return nodes.set_column(nodes.column_names.index("inputs"), "inputs", inputs)


def _copy(
    rows: Ints, site: Ints, calls: Calls, *, above: pa.Table, bodies: _Bodies, mark: str
) -> tuple[pa.Table, pa.ListArray]:
    """Return copies of the library's body rows `rows`, each for the call numbered `site`, and the results per call.

    The rows of `calls` are rows of `above`, the level that holds the calling nodes.
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


@record
class _Sites:
    """The calls of one level: names and inputs of the calling nodes, and the scopes that the bodies' nodes get."""

    calls: Calls
    names: pa.Array
    scopes: pa.Array
    inputs: pa.ListArray
    varies: Callable[[Ints, Ints], Bools]


def _tensors(references: References, index: Ints, site: Ints, sites: _Sites) -> pa.Array:
    """Return references of bodies as tensor names of the inlined graph; NULL for an argument that the call lacks.

    An argument that a loop changes becomes an output of the loop's node, not its input: the input is only the value of
    the first iteration, and whatever depends on it would look like a constant.
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
