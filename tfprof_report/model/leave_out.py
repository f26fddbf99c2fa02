"""What a report leaves out on request: parts that are not the model, and what does not feed the outputs asked for."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.errors import OptionError
from tfprof_report.model.calls import Bools
from tfprof_report.model.keep import keep_nodes
from tfprof_report.model.node_table import NodeTable
from tfprof_report.model.parts import MODEL, Part, all_flow, is_end, parts_of
from tfprof_report.options import split_list, unknown_word

NOT_FEEDING = "does not feed the outputs"
"""What the nodes are called that `LeaveOut.outputs` leaves out."""

_GROUPS = {"training": (Part.GRADIENTS, Part.OPTIMIZER), "all": tuple(Part)}
_COMPARED = 5000
"""Names that a misspelt one is compared with."""


class MissingOutputError(OptionError):
    """No node has the name of an output."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaveOut:
    """What to leave out: `parts`, then what does not feed the nodes called `outputs`, if any are named."""

    parts: tuple[Part, ...] = ()
    outputs: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, list[str]]:
        """Return what is left out as options of a report, in plain JSON types."""
        return {"leave_out": [str(part) for part in self.parts], "outputs": list(self.outputs)}


NOTHING = LeaveOut()


def parse_leave_out(parts: Iterable[str], outputs: Iterable[str] = ()) -> LeaveOut:
    """Return what words of the command line leave out; each may be a comma-separated list.

    `parts` are those of `Part`, ``training`` for gradients and optimizer, or ``all``.

    Raises
    ------
    OptionError
        A word is none of these.
    """
    wanted: set[Part] = set()
    for word in split_list(parts):
        if word not in (*Part, *_GROUPS):
            raise unknown_word(word, option="--leave-out", known=(*Part, *_GROUPS))
        wanted.update(_GROUPS.get(word) or (Part(word),))
    return LeaveOut(parts=tuple(part for part in Part if part in wanted), outputs=split_list(outputs))


def split_table(table: NodeTable, leave_out: LeaveOut) -> tuple[NodeTable, dict[str, NodeTable]]:
    """Return the table without what is left out, and by what it is called each part that is left out.

    Every node is in exactly one of the tables. What an output's inlined calls hold feeds it; so do control inputs. A
    node that counts the parameters of a kept one is kept too.

    Raises
    ------
    MissingOutputError
        An output is no node of the table; the message names close ones.
    """
    if leave_out == NOTHING:
        return table, {}
    kept = np.ones(len(table.nodes), dtype=bool)
    gone: dict[str, Bools] = {}
    if leave_out.parts:
        part = parts_of(table)
        gone = {str(name): part == list(Part).index(name) for name in leave_out.parts}
        kept = (part == MODEL) | ~np.logical_or.reduce([*gone.values()])
    if leave_out.outputs:
        feeds = _feeding(table, _find_outputs(table, leave_out.outputs))
        gone[NOT_FEEDING] = kept & ~feeds
        kept &= feeds
    kept[table.holder[kept]] = True  # a shared variable counts where its first node is
    return keep_nodes(table, kept), {name: keep_nodes(table, nodes & ~kept) for name, nodes in gone.items()}


def _feeding(table: NodeTable, outputs: Bools) -> Bools:
    """Return the nodes that lead to `outputs`, also through what a call does."""
    calls = table.calls
    end = np.zeros(calls.count, dtype=bool)
    end[: len(outputs)] = outputs
    return all_flow(table).joined(calls.members).before(end)[: len(outputs)]


def _find_outputs(table: NodeTable, outputs: tuple[str, ...]) -> Bools:
    names = table.column("name")
    found = np.zeros(len(names), dtype=bool)
    for output in outputs:
        bare = pc.replace_substring_regex(pa.array([output]), r":\d+$", "")[0]
        row = pc.index(names, output).as_py()
        row = pc.index(names, bare).as_py() if row < 0 else row
        if row < 0:
            advice = _candidates(table, bare.as_py())
            raise MissingOutputError(f'no node is called "{output}"', option="--outputs", advice=advice)
        found[row] = True
    return found


def _candidates(table: NodeTable, name: str) -> str:
    """Return names that may be meant: similar ones, else some of the model that no other node uses."""
    names = table.column("name")
    leaf = name.rpartition("/")[2]
    if leaf:
        alike = pc.or_(pc.match_substring(names, leaf, ignore_case=True), pc.starts_with(names, name[:3]))
        near = names.filter(alike).slice(0, _COMPARED).to_pylist()
        close = difflib.get_close_matches(name, near, n=3) or sorted(near, key=len)[:3]
        if close:
            return f"did you mean {' or '.join(close)}?"
    ends = names.filter(pa.array(is_end(table) & (parts_of(table) == MODEL))).slice(0, 5).to_pylist()
    return f"it may be {' or '.join(ends)}" if ends else "name a node of the graph"
