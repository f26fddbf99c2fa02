"""The function library of a GraphDef to columns: one row per function, and one row per node of all their bodies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import (
    Bools,
    Ints,
    Struct,
    list_offsets,
    list_values,
    make_lists,
    prefix_sums,
    row_of_value,
    to_bools,
)
from tfprof_report.ingest.repeated_text import take_text
from tfprof_report.record import record


@record
class Library:
    """The functions of a graph.

    functions : name, args (names of inputs), outputs (names of outputs), rets (per output the returned tensor of the
        body, as written, NULL if there is none), gradient (name of its gradient function, NULL if it has none). Of
        equal names the first one counts.
    bodies : the nodes of all bodies, function by function, with the columns of ``GraphColumns.nodes``.
    offsets : n + 1; rows ``offsets[i]`` to ``offsets[i + 1]`` of `bodies` are the body of function i.
    must_run : per row of `bodies`, whether the function names it as a control output: it runs whatever is returned.
    nameless : number of nodes of bodies that were left out, since they have no name.
    """

    functions: pa.Table
    bodies: pa.Table
    offsets: Ints
    must_run: Bools
    nameless: int = 0

    def named(self) -> Library:
        """Return the library without the nodes that have no name."""
        is_named = to_bools(pc.not_equal(self.bodies["name"], ""))
        if is_named.all():
            return self
        return replace(
            self,
            bodies=self.bodies.filter(pa.array(is_named)),
            offsets=prefix_sums(is_named)[self.offsets],
            must_run=self.must_run[is_named],
            nameless=int(np.count_nonzero(~is_named)),
        )


def read_library(library: pa.StructArray, read_nodes: Callable[[pa.StructArray], pa.Table]) -> Library | None:
    """Return the functions of a decoded ``GraphDef.library``, which has at most one row; None if there are none.

    `read_nodes` converts NodeDefs to the columns ``GraphColumns.nodes``.
    """
    messages = list_values(library.field("function"))
    if not len(messages):
        return None
    function = Struct(messages)
    signature, nodes = Struct(function["signature"]), function["node_def"]
    outputs = _names(signature["output_arg"])
    gradients = list_values(library.field("gradient"))
    names = signature["name"]
    bodies, offsets = read_nodes(list_values(nodes)), list_offsets(nodes)
    return Library(
        functions=pa.table(
            {
                "name": names,
                "args": _names(signature["input_arg"]),
                "outputs": outputs,
                "rets": _rets(outputs, function["ret"]),
                "gradient": gradients.field("gradient_func").take(
                    pc.index_in(names, value_set=gradients.field("function_name"))
                ),
            }
        ),
        bodies=bodies,
        offsets=offsets,
        must_run=_control_outputs(function["control_ret"], bodies["name"].combine_chunks(), offsets),
    )


def merge_libraries(libraries: Sequence[Library]) -> Library | None:
    """Return the functions of several graphs of one run as one library; None without libraries."""
    if len(libraries) < 2:  # noqa: PLR2004 (nothing to merge)
        return libraries[0] if libraries else None
    first = np.cumsum([0, *(library.bodies.num_rows for library in libraries)])
    return Library(
        functions=pa.concat_tables([library.functions for library in libraries]),
        bodies=pa.concat_tables([library.bodies for library in libraries]).unify_dictionaries().combine_chunks(),
        offsets=np.concatenate(
            [library.offsets[:-1] + start for library, start in zip(libraries, first, strict=False)] + [first[-1:]]
        ),
        must_run=np.concatenate([library.must_run for library in libraries]),
        nameless=sum(library.nameless for library in libraries),
    )


def read_calls(attr: pa.MapArray) -> pa.ListArray:
    """Return per node the functions that its attributes refer to, as an ordered list of (key, function).

    A list of functions (``Case.branches``) gives one pair per function, all with the same key.
    """
    node, keys, values = row_of_value(list_offsets(attr)), attr.keys, attr.items
    single = np.flatnonzero(to_bools(pc.is_valid(values.field("func"))))
    lists = values.field("list").field("func")
    counts = pc.fill_null(pc.list_value_length(lists), 0).to_numpy(zero_copy_only=False).astype(np.int64)
    several = np.repeat(np.arange(len(counts)), counts)
    place = np.concatenate([single, several])
    names = pa.concat_arrays(
        [values.field("func").field("name").take(pa.array(single)), list_values(lists).field("name")]
    )
    order = np.argsort(place, kind="stable")
    pairs = pa.StructArray.from_arrays(
        [take_text(keys, place[order], "names of attributes"), names.take(pa.array(order))], names=["key", "function"]
    )
    return make_lists(pairs, np.bincount(node[place], minlength=len(attr)).astype(np.int64))


def _names(args: pa.ListArray) -> pa.ListArray:
    offsets = list_offsets(args)
    return make_lists(list_values(args).field("name"), np.diff(offsets))


def _rets(outputs: pa.ListArray, ret: pa.MapArray) -> pa.ListArray:
    """Return per function the tensors that it returns, in the order of its outputs.

    The map ``ret`` is joined to the outputs by a key of function number and output name.
    """
    function, wanted = row_of_value(list_offsets(outputs)), list_values(outputs)
    held = pc.binary_join_element_wise(_text(row_of_value(list_offsets(ret))), ret.keys, ":")
    asked = pc.binary_join_element_wise(_text(function), wanted, ":")
    return make_lists(ret.items.take(pc.index_in(asked, value_set=held)), np.diff(list_offsets(outputs)))


def _control_outputs(control_ret: pa.MapArray, names: pa.Array, offsets: Ints) -> Bools:
    """Return which nodes of the bodies the map ``control_ret`` of their function names, by keys as in `_rets`."""
    held = pc.binary_join_element_wise(_text(row_of_value(list_offsets(control_ret))), control_ret.items, ":")
    keys = pc.binary_join_element_wise(_text(row_of_value(offsets)), names, ":")
    return to_bools(pc.is_in(keys, value_set=held))


def _text(numbers: Ints) -> pa.Array:
    return pa.array(numbers).cast(pa.string())
