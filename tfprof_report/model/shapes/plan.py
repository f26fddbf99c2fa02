"""The graph as inference walks it: tensors with their given shapes, the order of the nodes, and the loops."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import (
    Ints,
    distinct,
    list_offsets,
    list_values,
    marks,
    prefix_sums,
    row_of_value,
    take_ranges,
    to_bools,
    to_ints,
    whole,
)
from tfprof_report.graph_search import cycles
from tfprof_report.model.functions.call_results import POPS, Handed, hand_stacks
from tfprof_report.model.shapes.fold import VALUES
from tfprof_report.model.shapes.kinds import kinds_of
from tfprof_report.model.shapes.lists import LIST_OPS, LIST_USERS, Links, Lists, find_lists
from tfprof_report.model.shapes.output_counts import COUNTED_BY_USE, MOST_OUTPUTS, outputs_of
from tfprof_report.model.shapes.padded import RANK, Shapes, column, open_shapes
from tfprof_report.model.shapes.rules.elementwise import Rule
from tfprof_report.model.shapes.rules.table import BACK_EDGES, HANDLES, MERGES, PASSING, RULES, SWITCHES, plain_name
from tfprof_report.model.shapes.state import Attrs, Nodes, State

WIDE = 256
"""From so many nodes on, rules are applied to a level at once; for fewer ones it pays to look up what is known."""

_FOLDED_RANK = 2  # axes and sizes are vectors, paddings are a matrix
_LOOPS = frozenset(("While", "StatelessWhile", "LoopCond"))  # their trip counts follow from folded values


def has_pending(nodes: pa.Table, output_shapes: pa.ListArray, handed: Handed) -> bool:
    """Return whether a plan may have anything to infer: quick to tell where all shapes are given."""
    types = whole(nodes["op"].cast(pa.string())).dictionary_encode()
    ops = [plain_name(op or "") for op in types.dictionary.to_pylist()]
    if not (_LOOPS | set(POPS)).isdisjoint(ops):
        return True
    has_rule = np.array([*(op in RULES for op in ops), False], dtype=bool)[to_ints(pc.fill_null(types.indices, -1))]
    is_open = to_bools(output_shapes.is_null())
    is_open[row_of_value(list_offsets(output_shapes))[open_shapes(list_values(output_shapes))]] = True
    return bool((is_open & (has_rule | marks(handed.node, len(has_rule)))).any())


class Plan:
    """What stays the same when inference starts again: the graph as arrays over tensors, and the given shapes.

    A tensor is an output of a node. Tensors are numbered node by node: those of node i are ``first[i]`` to
    ``first[i + 1]``. The last number is a tensor that does not exist, whose shape is unknown.
    """

    def __init__(
        self, nodes: pa.Table, edges: pa.Table, output_shapes: pa.ListArray, handed: Handed, *, is_import: bool
    ) -> None:
        self.count = nodes.num_rows
        self._nodes = nodes
        ops = pc.fill_null(whole(nodes["op"].cast(pa.string())), "")  # NULL: only a run has the node
        types = ops.dictionary_encode()
        self.ops = [plain_name(op) for op in types.dictionary.to_pylist()]
        self.op = to_ints(types.indices)
        if not is_import and not set(POPS).isdisjoint(self.ops):
            handed = handed.joined(hand_stacks(ops, edges))
        self.is_call = marks(handed.node, self.count)
        self.beyond = np.zeros(self.count, dtype=bool)
        self.attrs = Attrs(nodes)
        rules = list(dict.fromkeys(RULES[op] for op in self.ops if op in RULES))
        self.rules: list[Rule] = rules
        self.rule = self._per_op([rules.index(RULES[op]) if op in RULES else -1 for op in self.ops])
        self.folds = self._per_op([op in VALUES for op in self.ops]).astype(bool)
        self.passes = self._per_op([op in PASSING for op in self.ops]).astype(bool)
        self._read_edges(edges)
        self._read_given(output_shapes, handed)
        self._place_tensors()
        self._place_handed(handed)
        self.lists = Lists.nothing(self.count) if is_import else self._find_lists()
        full = prefix_sums(~self.given.is_full[:-1])
        is_open = full[self.first[1:]] > full[self.first[:-1]]
        head = np.where(np.diff(self.first) > 0, self.first[:-1], len(self.given) - 1)
        folds = self.folds & (self.given.rank[head] <= _FOLDED_RANK)
        needed = ((self.rule >= 0) | self.is_call) & is_open
        if needed.any() or not _LOOPS.isdisjoint(self.ops):
            needed |= (self.rule >= 0) & folds
        self.is_pending = needed
        self._order()
        loops = distinct(self._back_entry)
        self.loop = column(len(self.given), -1)
        self.loop[loops] = np.arange(len(loops))
        self._holds = np.full((len(loops), RANK), not is_import)
        self._rank_holds = np.full(len(loops), not is_import)

    def _per_op(self, values: list[int] | list[bool]) -> Ints:
        return np.array(values, dtype=np.int64)[self.op] if values else column(0, 0)

    def _read_edges(self, edges: pa.Table) -> None:
        is_data = ~to_bools(edges["is_control"])
        self._node = to_ints(edges["node"])[is_data]
        self._source = to_ints(pc.fill_null(edges["source"], -1))[is_data]
        self._slot = to_ints(edges["slot"])[is_data]
        counts = np.bincount(self._node, minlength=self.count).astype(np.int64)
        self.edge_start = prefix_sums(counts)

    def _read_given(self, output_shapes: pa.ListArray, handed: Handed) -> None:
        """Assign a number to each tensor, and read the given shapes into `given`.

        A node has as many tensors as it has given shapes. Otherwise their number comes from its op type and attributes,
        from what its function body returns, or, for queues, from the highest output that another node reads.
        """
        given = np.diff(list_offsets(output_shapes))
        self.is_given = ~to_bools(output_shapes.is_null())
        # The rules for numbers of outputs read attributes through `Nodes`, which needs a state; it has no tensors yet.
        bare = State(
            attrs=self.attrs,
            first=column(self.count + 1, 0),
            edge_start=self.edge_start,
            tensor=column(0, 0),
            shapes=Shapes.unknown(1),
            lists=Lists.nothing(self.count),
        )
        counts = np.where(self.is_given, given, 0)
        missing = np.flatnonzero(~self.is_given & (self.rule >= 0))
        for code, rows in groups(self.op[missing], missing):
            counts[rows] = outputs_of(self.ops[code], Nodes(bare, rows))
        of_call = column(self.count, 0)  # lower bounds from bodies and readers; they may exceed those of the op type
        np.maximum.at(of_call, handed.node, handed.slot + 1)
        if not COUNTED_BY_USE.isdisjoint(self.ops):
            is_used = self._per_op([op in COUNTED_BY_USE for op in self.ops]).astype(bool)
            read = np.flatnonzero((self._source >= 0) & is_used[self._source] & (self._slot < MOST_OUTPUTS))
            np.maximum.at(of_call, self._source[read], self._slot[read] + 1)
        counts = np.where(self.is_given, counts, np.maximum(counts, of_call))
        self.first = prefix_sums(counts)
        self.given = Shapes.unknown(int(self.first[-1]) + 1)  # one more: the tensor that does not exist
        held = Shapes.from_lists(list_values(output_shapes))
        rows = np.flatnonzero(self.is_given)
        tensors = take_ranges(self.first[rows], counts[rows])
        self.given.rank[tensors], self.given.dims[tensors] = held.rank, held.dims

    def _place_tensors(self) -> None:
        """Find the tensor of each input, and separate the back edges of loops from the other inputs."""
        source, counts = self._source, np.diff(self.first)
        there = source >= 0
        there[there] = self._slot[there] < counts[source[there]]
        nothing = len(self.given) - 1
        tensor = np.where(there, self.first[source] + self._slot, nothing)
        closes = self._per_op([op in BACK_EDGES for op in self.ops]).astype(bool)
        merges = self._per_op([op in MERGES for op in self.ops]).astype(bool)
        is_back = (source >= 0) & closes[source] & merges[self._node] if self.count else there
        self._back_entry, self._back_tensor = self.first[self._node[is_back]], tensor[is_back]
        self._node, self._source, self.tensor = self._node[~is_back], source[~is_back], tensor[~is_back]
        counts = np.bincount(self._node, minlength=self.count).astype(np.int64)
        self.edge_start = prefix_sums(counts)

    def _place_handed(self, handed: Handed) -> None:
        """Find the tensors that the outputs of calls may be, and add the back edges of While loops."""
        counts = np.diff(self.first)
        fits = handed.slot < counts[handed.node]
        there = handed.source >= 0
        there[there] = handed.source_slot[there] < counts[handed.source[there]]
        nothing = len(self.given) - 1
        output = np.where(fits, self.first[handed.node] + handed.slot, nothing)
        tensor = np.where(there, self.first[handed.source] + handed.source_slot, nothing)
        closes = handed.is_back
        self._back_entry = np.append(self._back_entry, output[closes & fits])
        self._back_tensor = np.append(self._back_tensor, tensor[closes & fits])
        fits &= ~closes
        self.call_node, self.call_output, self.call_tensor = handed.node[fits], output[fits], tensor[fits]
        self._call_source = handed.source[fits]

    def _find_lists(self) -> Lists:
        """Return what nodes read from lists, which are handed on by `PASSING` and `MERGES` ops, by calls and loops."""
        if LIST_OPS.isdisjoint(self.ops):
            return Lists.nothing(self.count)
        counts, place = np.diff(self.first), np.arange(len(self._node)) - self.edge_start[self._node]
        passes = self._per_op([op in PASSING or op in MERGES for op in self.ops]).astype(bool)[self._node]
        is_each = self._per_op([op == "IdentityN" for op in self.ops]).astype(bool)[self._node]
        is_switch = self._per_op([op in SWITCHES for op in self.ops]).astype(bool)[self._node]
        edge, slot = np.flatnonzero(passes), np.where(is_each, place, 0)[passes]
        both = np.flatnonzero(is_switch & (place == 0))
        edge, slot = np.append(edge, both), np.append(slot, np.ones(len(both), dtype=np.int64))
        fits = slot < counts[self._node[edge]]
        edge, slot = edge[fits], slot[fits]
        links = Links(
            ops=self.ops,
            op=self.op,
            first=self.first,
            edge_start=self.edge_start,
            tensor=self.tensor,
            source=np.concatenate([self.tensor[edge], self.call_tensor, self._back_tensor]),
            target=np.concatenate([self.first[self._node[edge]] + slot, self.call_output, self._back_entry]),
        )
        grows = (self.attrs.number("dynamic_size") == 1) | (self.attrs.number("resize_if_index_out_of_bounds") == 1)
        return find_lists(links, grows=grows, is_even=self.attrs.number("identical_element_shapes") == 1)

    def _order(self) -> None:
        """Sort the edges between pending nodes by their source, for `levels`.

        A node that reads a list waits for all that is written to it. Where that is a cycle, since elements are made of
        earlier ones, it does not, and nothing is known of these elements.
        """
        reader, element = self.lists.waits
        origin = row_of_value(self.first)
        writer = np.where(element < len(origin), np.append(origin, -1)[element], -1)
        source = np.concatenate([self._source, self._call_source, writer])
        node = np.concatenate([self._node, self.call_node, reader])
        matters = (source >= 0) & self.is_pending[node]
        matters[matters] = self.is_pending[source[matters]]
        if len(reader):
            cycle = cycles(source[matters], node[matters], self.count)
            cut = matters[-len(reader) :] & (cycle[writer] == cycle[reader])
            self.lists = self.lists.without(cut, len(self.given) - 1)
            matters[-len(reader) :] &= ~cut
        source, node = source[matters], node[matters]
        order = np.argsort(source, kind="stable")
        self._next = node[order]
        self._next_start = prefix_sums(np.bincount(source, minlength=self.count))
        self._waits_for = np.bincount(node, minlength=self.count).astype(np.int64)

    def start(self) -> State:
        """Return a state with what is known before the first level."""
        state = State(
            attrs=self.attrs,
            first=self.first,
            edge_start=self.edge_start,
            tensor=self.tensor,
            shapes=Shapes(self.given.rank.copy(), self.given.dims.copy()),
            lists=self.lists,
        )
        handles = np.flatnonzero(self._per_op([op in HANDLES for op in self.ops]).astype(bool))
        handles = handles[np.diff(self.first)[handles] > 0]
        state.variable[self.first[handles]] = handles
        return state

    def levels(self, most: int) -> Iterator[Ints | list[int]]:
        """Yield the levels of a topological sort of the pending nodes (Kahn's algorithm), without nodes in cycles.

        Who takes a level adds to `steps` what it costs (`steps_of`). Nodes of the levels after `most` steps are marked
        in `beyond`. From the first narrow level on the sort is over lists, since numpy is slow at a few nodes.
        """
        waits = self._waits_for.copy()
        level = np.flatnonzero(self.is_pending & (waits == 0))
        self.steps = 0
        while len(level) >= WIDE and self.steps < most:
            yield level
            counts = self._next_start[level + 1] - self._next_start[level]
            reached, times = np.unique(self._next[take_ranges(self._next_start[level], counts)], return_counts=True)
            waits[reached] -= times
            level = reached[waits[reached] == 0]
        waiting, following, start = waits.tolist(), self._next.tolist(), self._next_start.tolist()
        few = level.tolist()
        while few and self.steps < most:
            yield few
            freed: list[int] = []
            for node in few:
                for target in following[start[node] : start[node + 1]]:
                    waiting[target] -= 1
                    if not waiting[target]:
                        freed.append(target)
            few = sorted(freed)
        if few:
            self.beyond = self.is_pending & (np.array(waiting) > 0)
            self.beyond[few] = True

    def steps_of(self, level: Ints) -> int:
        """Return how many rules are applied at a level, and one for the level itself."""
        folded = level[self.folds[level]]
        return 1 + len(distinct(self.rule[level])) + len(distinct(self.op[folded]))

    @cached_property
    def kind(self) -> Ints:
        """Per node a number for all that rules read of it, apart from its inputs (`kinds.kinds_of`).

        -1 for nodes whose outputs follow from more: calls, entries of loops, and ops on lists.
        """
        kind, rows = column(self.count, -1), np.flatnonzero(self.is_pending)
        kind[rows] = kinds_of(self._nodes, self.op, rows)
        of_more = self._per_op([op in LIST_USERS or op in LIST_OPS for op in self.ops]).astype(bool)
        of_more[row_of_value(self.first)[self.loop[:-1] >= 0]] = True
        kind[of_more | self.is_call] = -1
        return kind

    @property
    def has_loops(self) -> bool:
        """Whether shapes may have to be disproved, which takes several turns."""
        return len(self._back_entry) > 0

    def held(self, tensors: Ints, shapes: Shapes) -> Shapes:
        """Return `shapes` without the ranks and sizes that are known to change in the loop whose entry a tensor is."""
        loop = self.loop[tensors]
        free = loop < 0
        rank = free | self._rank_holds[loop] if len(self._rank_holds) else free
        holds = free[:, None] | self._holds[loop] if len(self._holds) else free[:, None]
        return Shapes(shapes.rank, np.where(holds, shapes.dims, -1)).where(rank)

    def disprove(self, state: State, *, everything: bool) -> bool:
        """Record which sizes an iteration of each loop changes, or may change; return whether there are new ones.

        With `everything`, all inferred sizes at loop entries are given up, so that the next pass is the last.
        """
        if not len(self._back_entry):
            return False
        entry = self._back_entry
        before, given, after = state.shapes.take(entry), self.given.take(entry), state.shapes.take(self._back_tensor)
        other_rank = (before.rank >= 0) & (given.rank < 0) & ((before.rank != after.rank) | everything)
        other_size = (before.dims >= 0) & (given.dims < 0) & ((before.dims != after.dims) | everything)
        loop = self.loop[entry]
        self._rank_holds[loop[other_rank]] = False
        row, place = np.nonzero(other_size)
        self._holds[loop[row], place] = False
        return bool(other_rank.any() or other_size.any())


def groups(codes: Ints, rows: Ints) -> Iterator[tuple[int, Ints]]:
    """Yield each distinct code with its rows."""
    if not len(rows):
        return
    order = np.argsort(codes, kind="stable")
    codes, rows = codes[order], rows[order]
    starts = np.flatnonzero(np.append(True, np.diff(codes) != 0))
    for start, end in zip(starts, np.append(starts[1:], len(rows)), strict=True):
        yield int(codes[start]), rows[start:end]
