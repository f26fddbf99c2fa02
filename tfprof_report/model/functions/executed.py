"""Which nodes are executed: those that an output needs, and those that change something outside of the graph.

TensorFlow prunes the body of a function to these before it runs it (PruneFunctionGraph in common_runtime/function.cc,
after inlining by common_runtime/inline_function_utils.cc). The rest is dead code, such as the call of a layer by which
Keras learns the shape of its output.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Ints, marks, prefix_sums, take_ranges, to_bools, to_ints
from tfprof_report.diagnostics import EXAMPLES, Diagnostic, Severity
from tfprof_report.ingest.library import Library
from tfprof_report.model.functions.call_results import Results
from tfprof_report.model.functions.calls import Role
from tfprof_report.model.functions.inline import Expansion
from tfprof_report.model.graph.reach import Flow
from tfprof_report.model.graph.side_effects import has_side_effect
from tfprof_report.record import record

_RETURNED = "^Identity(_[0-9]+)?$"
"""Names of the nodes that ``tf.function`` makes of the values that it returns (auto_control_deps.mark_as_return)."""

_CHOOSES = (Role.THEN, Role.ELSE, Role.BRANCH)
_ONE_BY_ONE = (Role.CALL, *_CHOOSES)


ALL = "all"
"""In place of the names of outputs: every node of the graph itself is one."""


@record
class Executed:
    """Which nodes are executed, provided that what they are in is: the graph, the branch, the loop."""

    nodes: Bools
    diagnostics: tuple[Diagnostic, ...] = ()


def find_executed(
    expansion: Expansion,
    results: Results,
    library: Library | None,
    *,
    names: pa.Array,
    ops: pa.Array,
    edges: pa.Table,
    outputs: tuple[str, ...],
) -> Executed:
    """Return the nodes that are executed, with a note about those that are not.

    All nodes of the graph itself are, since any of them may be asked for, unless it is the graph of a ``tf.function``
    whose returned values are recognised.

    Parameters
    ----------
    names, ops, edges : of the nodes of `expansion`; those that only run metadata has are executed
    outputs : names of nodes or tensors that the user asks for, or `ALL`
    """
    count = len(expansion.body)
    returned = np.zeros(count, dtype=bool) if outputs == (ALL,) else _returned(expansion, names, ops, edges)
    asked = returned | ~expansion.is_defined if returned.any() else expansion.body == 0
    if outputs:
        bare = pc.replace_substring_regex(pa.array(outputs), r":\d+$", "")
        asked = asked | to_bools(pc.is_in(names, value_set=pa.concat_arrays([pa.array(outputs), bare])))
    graph = _read(expansion, results)
    needed = np.zeros(graph.size, dtype=bool)
    needed[:count] = asked | has_side_effect(ops)
    needed[count : count + len(graph.holder)] = asked[graph.holder]
    if library is not None:
        in_body = np.flatnonzero(expansion.origin >= 0)
        needed[in_body] |= library.must_run[expansion.origin[in_body]]
    if needed[:count].all():
        return Executed(nodes=np.ones(count, dtype=bool))
    nodes = graph.flow(expansion, results, edges).before(needed)[:count]
    return Executed(nodes=nodes, diagnostics=tuple(_diagnose(nodes, returned, names)))


def executed_only(figures: pa.Array, executed: Bools) -> pa.Array:
    """Return figures of one execution with 0 in place of those of nodes that are not executed, known or not."""
    return figures if executed.all() else pc.if_else(pa.array(executed), figures, 0)


def _returned(expansion: Expansion, names: pa.Array, ops: pa.Array, edges: pa.Table) -> Bools:
    """Return the nodes that give the values that the ``tf.function`` whose graph this is returns.

    None where the graph has no placeholder that TensorFlow made for an argument of a function, so that it is another
    graph, or where the function returns its values in another way.
    """
    nodes, on_top = expansion.nodes, expansion.body == 0
    has_marks = "is_argument" in nodes.column_names  # the nodes of a profile lack it
    if not has_marks or not (to_bools(nodes["is_argument"].combine_chunks()) & on_top).any():
        return np.zeros(len(on_top), dtype=bool)
    found: Bools = to_bools(pc.equal(ops, "Identity")) & to_bools(pc.match_substring_regex(names, _RETURNED)) & on_top
    used = to_ints(edges["source"].filter(pc.invert(edges["is_control"])).drop_null())
    found &= ~marks(used, len(on_top))
    return found


def _diagnose(executed: Bools, returned: Bools, names: pa.Array) -> Iterator[Diagnostic]:
    """Yield a note about nodes that are not executed, if there are any."""
    dead = np.flatnonzero(~executed)
    if len(dead):
        text = "nodes are not executed: no output of their function needs them, and they have no side effect"
        listed = names.take(pa.array(np.flatnonzero(returned)[:EXAMPLES])).to_pylist()
        text += f"; the graph is that of a tf.function that returns {', '.join(listed)}" if listed else ""
        yield Diagnostic.about(dead, names, Severity.NOTE, "not_executed", text)


@record
class _Outputs:
    """The outputs of calling nodes as vertices of a graph, since a function computes only the outputs that are needed.

    The vertices are the nodes, then the outputs, then the bodies. A loop computes all of its outputs, and so does a
    call that shares its body with others: these have no vertices of their own.

    count, bodies : numbers of nodes and of bodies
    holder : per output its node
    first, outputs : per node its first output in `holder` and how many it has there
    chooses : per node whether its first input chooses a branch
    """

    count: int
    bodies: int
    holder: Ints
    first: Ints
    outputs: Ints
    chooses: Bools

    @property
    def size(self) -> int:
        """How many vertices there are."""
        return self.count + len(self.holder) + self.bodies

    def vertex(self, node: Ints, slot: Ints) -> Ints:
        """Return the vertices of outputs of nodes: the node itself where it has none for them."""
        return np.where(slot < self.outputs[node], self.count + self.first[node] + slot, node)

    def flow(self, expansion: Expansion, results: Results, edges: pa.Table) -> Flow:
        """Return from which vertices each vertex needs a value."""
        return self._inputs(edges).joined(self._results(expansion, results)).joined(self._members(expansion))

    def _inputs(self, edges: pa.Table) -> Flow:
        """Return the edges of the graph; inputs of calls are left out, since the nodes of bodies have them instead."""
        edges = edges.filter(pc.is_valid(edges["source"]))
        source, node, position = (to_ints(edges[name]) for name in ("source", "node", "position"))
        is_control = to_bools(edges["is_control"])
        is_needed = is_control | (self.outputs[node] == 0) | (self.chooses[node] & (position == 0))
        source = np.where(is_control, source, self.vertex(source, to_ints(edges["slot"])))
        return Flow(source=source[is_needed], target=node[is_needed])

    def _results(self, expansion: Expansion, results: Results) -> Flow:
        """Return the edges from what bodies return to the outputs of their calls."""
        counts = np.diff(results.offsets)[expansion.callee - 1]
        at = take_ranges(results.offsets[:-1][expansion.callee - 1], counts)
        slot = np.arange(len(at)) - np.repeat(prefix_sums(counts)[:-1], counts)
        node, source = np.repeat(expansion.calls.row, counts), results.source[at]
        known = source >= 0
        node, slot, source, at = node[known], slot[known], source[known], at[known]
        return Flow(source=self.vertex(source, results.slot[at]), target=self.vertex(node, slot))

    def _members(self, expansion: Expansion) -> Flow:
        """Return the edges from calls to their outputs and bodies, and from bodies to their nodes."""
        outputs, inner = np.arange(len(self.holder)), np.flatnonzero(expansion.body)
        base = self.count + len(self.holder) - 1  # bodies are numbered from 1
        return Flow(
            source=np.concatenate([self.holder, expansion.calls.row, base + expansion.body[inner]]),
            target=np.concatenate([self.count + outputs, base + expansion.callee, inner]),
        )


def _read(expansion: Expansion, results: Results) -> _Outputs:
    """Return the outputs of the calling nodes."""
    calls, count = expansion.calls, len(expansion.body)
    is_apart = np.isin(calls.role, _ONE_BY_ONE) & (not expansion.is_shared)
    for rows in expansion.skipped.values():
        is_apart &= ~marks(rows, count)[calls.row]
    outputs = np.zeros(count, dtype=np.int64)
    np.maximum.at(outputs, calls.row[is_apart], np.diff(results.offsets)[expansion.callee[is_apart] - 1])
    return _Outputs(
        count=count,
        bodies=int(expansion.callee.max(initial=0)),
        holder=np.repeat(np.arange(count), outputs),
        first=prefix_sums(outputs)[:-1],
        outputs=outputs,
        chooses=marks(calls.row[np.isin(calls.role, _CHOOSES)], count),
    )
