"""Finds the calls of functions, and resolves the tensor names within function bodies."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, distinct, list_offsets, list_values, row_of_value, to_bools, to_ints
from tfprof_report.ingest.library import Library
from tfprof_report.model.graph.op_outputs import output_places
from tfprof_report.record import record


class Role(IntEnum):
    """The role of a function in a call: the function itself, a branch, or the condition or body of a loop."""

    CALL = 0
    THEN = 1
    ELSE = 2
    BRANCH = 3
    COND = 4
    BODY = 5


ROLES = {
    **dict.fromkeys(("PartitionedCall:f", "StatefulPartitionedCall:f", "SymbolicGradient:f"), Role.CALL),
    **dict.fromkeys(("If:then_branch", "StatelessIf:then_branch"), Role.THEN),
    **dict.fromkeys(("If:else_branch", "StatelessIf:else_branch"), Role.ELSE),
    **dict.fromkeys(("Case:branches", "StatelessCase:branches"), Role.BRANCH),
    **dict.fromkeys(("While:cond", "StatelessWhile:cond"), Role.COND),
    **dict.fromkeys(("While:body", "StatelessWhile:body"), Role.BODY),
}
_GRADIENT = "SymbolicGradient"
SCOPES = pa.array(["", "/then", "/else", "/branch", "/cond", "/body"])
_FIRST_INPUT = np.array([0, 1, 1, 1, 0, 0])  # input 0 of If and Case chooses the branch


@record
class Calls:
    """Calls of functions by nodes, in the order of the nodes.

    row : the calling node
    role : of `Role`
    branch : index among the functions of the same attribute, for the branches of ``Case``; otherwise 0
    function : index of the function in the library, -1 if it has no such function
    loop : for the condition and the body of a loop, index of the function that is its body; -1 for other calls
    """

    row: Ints
    role: Ints
    branch: Ints
    function: Ints
    loop: Ints

    def take(self, index: Ints, *, row: Ints | None = None) -> Calls:
        """Return some of the calls, with `row` as their calling nodes if it is given."""
        return Calls(
            row=self.row[index] if row is None else row,
            role=self.role[index],
            branch=self.branch[index],
            function=self.function[index],
            loop=self.loop[index],
        )

    @classmethod
    def concat(cls, parts: Sequence[Calls]) -> Calls:
        """Return the calls of all parts; at least one part is needed."""
        return cls(
            row=np.concatenate([part.row for part in parts]),
            role=np.concatenate([part.role for part in parts]),
            branch=np.concatenate([part.branch for part in parts]),
            function=np.concatenate([part.function for part in parts]),
            loop=np.concatenate([part.loop for part in parts]),
        )

    @property
    def scopes(self) -> pa.Array:
        """Per call, the scope below the calling node's name that holds the nodes of the body."""
        scopes = SCOPES.take(pa.array(self.role))
        numbers = pa.array(self.branch).cast(pa.string())
        is_branch = pa.array(self.role == Role.BRANCH)
        return pc.binary_join_element_wise(scopes, pc.if_else(is_branch, numbers, ""), "")

    @property
    def first_input(self) -> Ints:
        """Per call, the input of the calling node that is argument 0 of the function."""
        first: Ints = _FIRST_INPUT[self.role]
        return first


def calling_nodes(nodes: pa.Table) -> Ints:
    """Return the nodes that call functions through an attribute, whether or not the functions exist."""
    return distinct(_named(nodes)[0]) if "calls" in nodes.column_names else np.zeros(0, dtype=np.int64)


def _named(nodes: pa.Table) -> tuple[Ints, Ints, pa.Array]:
    """Return node, role and name of each function that an attribute names, for op types that call functions."""
    ops, calls = nodes["op"].cast(pa.string()).combine_chunks(), nodes["calls"].combine_chunks()
    row, pairs = row_of_value(list_offsets(calls)), list_values(calls)
    keys = pc.binary_join_element_wise(ops.take(pa.array(row)), pairs.field("key"), ":")
    known = pc.index_in(keys, value_set=pa.array(list(ROLES)))
    is_call = to_bools(pc.is_valid(known))
    role = np.array([*ROLES.values()], dtype=np.int64)[to_ints(known.drop_null())]
    return row[is_call], role, pairs.field("function").filter(pa.array(is_call))


def find_calls(nodes: pa.Table, library: Library) -> Calls:
    """Return the calls by `nodes`: through an attribute of a calling op type, or with the function as op type.

    Functions that other op types name, such as those of data sets, are not called once per execution, so they are left
    out. A ``SymbolicGradient`` calls the function that the library names as the gradient.
    """
    names = library.functions["name"].combine_chunks()
    ops = nodes["op"].cast(pa.string()).combine_chunks()
    row, role, wanted = _named(nodes)
    is_gradient = pc.equal(ops.take(pa.array(row)), _GRADIENT)
    if pc.any(is_gradient).as_py():
        gradients = library.functions["gradient"].combine_chunks()
        wanted = pc.if_else(is_gradient, gradients.take(pc.index_in(wanted, value_set=names)), wanted)
    function = to_ints(pc.fill_null(pc.index_in(wanted, value_set=names), -1))
    by_op = to_ints(pc.fill_null(pc.index_in(ops, value_set=names), -1))
    direct = np.flatnonzero(by_op >= 0)
    row, function = np.append(row, direct), np.append(function, by_op[direct])
    role = np.append(role, np.full(len(direct), Role.CALL, dtype=np.int64))
    order = np.argsort(row, kind="stable")
    row, role, function = row[order], role[order], function[order]
    branch = np.where(role == Role.BRANCH, np.arange(len(row)) - np.searchsorted(row, row), 0)
    return Calls(row=row, role=role, branch=branch, function=function, loop=_loops(row, role, function))


def _loops(row: Ints, role: Ints, function: Ints) -> Ints:
    """Return per call the function that is the body of the same node's loop, -1 for calls outside a loop."""
    bodies = np.flatnonzero(role == Role.BODY)
    if not len(bodies):
        return np.full(len(row), -1, dtype=np.int64)
    at = bodies[np.minimum(np.searchsorted(row[bodies], row), len(bodies) - 1)]
    in_loop = (role == Role.BODY) | (role == Role.COND)
    return np.where(in_loop & (row[at] == row), function[at], -1)


@record
class References:
    """Tensor names within bodies, resolved.

    argument : index of the function's argument, -1 for the output of a node
    text : for the output of a node, the tensor as a GraphDef writes it, ``node`` or ``node:index``, without ``^``
    is_control : written as ``^x``
    """

    argument: Ints
    text: pa.Array
    is_control: Bools


def read_references(function: Ints, tensors: pa.Array, library: Library) -> References:
    """Return `tensors`, each resolved within the body of the library's function at the same position in `function`.

    ``arg`` and ``arg:index`` are arguments, ``node:output:index`` is the output of a node (FunctionDef.node_def).
    """
    is_control = to_bools(pc.starts_with(tensors, "^"))
    bare = pc.if_else(pa.array(is_control), pc.utf8_slice_codeunits(tensors, 1), tensors)
    parts = pc.split_pattern(pc.binary_join_element_wise(bare, "::", ""), ":", max_splits=2)
    head, second = pc.list_element(parts, 0), pc.list_element(parts, 1)
    third = pc.utf8_rtrim(pc.list_element(parts, 2), ":")
    functions = library.functions
    argument = _place(function, head, functions["args"].combine_chunks())
    argument = np.where(argument >= 0, argument + _number(second), -1)

    body = np.repeat(np.arange(len(library.offsets) - 1), np.diff(library.offsets))
    node = pc.index_in(_key(function, head), value_set=_key(body, library.bodies["name"].combine_chunks()))
    ops = library.bodies["op"].cast(pa.string()).combine_chunks().take(node)
    callee = to_ints(pc.fill_null(pc.index_in(ops, value_set=functions["name"].combine_chunks()), -1))
    of_function = _place(callee, second, functions["outputs"].combine_chunks())
    place = np.where(callee >= 0, np.maximum(of_function, 0), output_places(ops, second)) + _number(third)
    place = np.where(is_control, 0, place)
    suffix = pc.if_else(
        pa.array(place > 0), pc.binary_join_element_wise(":", pa.array(place).cast(pa.string()), ""), ""
    )
    return References(argument=argument, text=pc.binary_join_element_wise(head, suffix, ""), is_control=is_control)


def _place(function: Ints, names: pa.Array, lists: pa.ListArray) -> Ints:
    """Return the index of each name in its function's list, -1 if it is missing."""
    offsets = list_offsets(lists)
    index = pc.index_in(_key(function, names), value_set=_key(row_of_value(offsets), list_values(lists)))
    found = to_ints(pc.fill_null(index, -1))
    return np.where(found >= 0, found - offsets[np.maximum(function, 0)], -1)


def _key(function: Ints, names: pa.Array) -> pa.Array:
    return pc.binary_join_element_wise(pa.array(function).cast(pa.string()), names, ":")


def _number(text: pa.Array) -> Ints:
    is_number = pc.match_substring_regex(text, "^[0-9]{1,9}$")
    return to_ints(pc.fill_null(pc.if_else(is_number, text, "0"), "0").cast(pa.int64()))
