"""Says what a sum lacks: how many nodes have no figure, of which op types, and what would give them one."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools
from tfprof_report.formatting import called, plural
from tfprof_report.model.flops.evaluate import FLOP_STEMS, WITHOUT_RULE, Reason, unknown_nodes
from tfprof_report.model.flops.rule import OpClass
from tfprof_report.record import record
from tfprof_report.schema.metrics import METRICS, Kind

NAMED = 3
"""Most op types, and most nodes, that a sentence names."""

_SHAPES = "--input-shape or --batch gives open shapes"
_RULES = "--flops-rules takes rules for op types without one"
_LOOPS = "--loops run-meta takes the iterations of loops from run metadata"
_VARIABLES = "--input-shape gives a variable's shape"
_GRAPH = "the trace has none, --graph gives them"
_RUNS = "run_float_ops counts what ran"
_OF_TRACE = {_SHAPES: _GRAPH, _LOOPS: _RUNS}
"""What helps where the nodes are the ops of a trace."""

_STEP_OF = {
    Reason.SHAPE: _SHAPES,
    **dict.fromkeys(WITHOUT_RULE, _RULES),
    Reason.MISFIT: _RULES,
    Reason.LAYOUT: _RULES,
    Reason.LOOP: _LOOPS,
}


@record
class Missing:
    """The nodes that a sum lacks: they could have a figure, but have none.

    ops : the op types that look costliest, with their numbers of nodes: contractions first, then those with most nodes
    examples : the first nodes by name, with their op type
    steps : the options that would give figures
    """

    nodes: int
    ops: tuple[tuple[str, int], ...] = ()
    examples: tuple[tuple[str, str], ...] = ()
    steps: tuple[str, ...] = ()

    @property
    def count_words(self) -> str:
        """Return ``7 nodes unknown``."""
        return f"{plural(self.nodes, 'node')} unknown"

    @property
    def op_words(self) -> str:
        """Return ``Conv2D (5), MatMul and 2 more op types``; empty where no op type is known."""
        named = [f"{op} ({count:,})" if count > 1 else op for op, count in self.ops[:NAMED]]
        more = len(self.ops) - NAMED
        return f"{', '.join(named)} and {plural(more, 'more op type')}" if more > 0 else ", ".join(named)

    @property
    def example_words(self) -> str:
        """Return ``"conv1" (Conv2D), "fc" (MatMul)``."""
        return ", ".join(f"{called(name)} ({op})" if op else called(name) for name, op in self.examples)

    @property
    def step_words(self) -> str:
        """Return what to do, empty if nothing helps."""
        return "; ".join(self.steps)


def find_missing(nodes: pa.Table, stem: str, mask: Bools | None = None) -> Missing:
    """Return what the total of a metric lacks.

    Parameters
    ----------
    nodes : the columns of nodes.parquet
    mask : the nodes to look at; by default all that are unknown
    """
    wanted = unknown_nodes(nodes, stem) if mask is None else mask
    if not wanted.any():
        return Missing(nodes=0)
    part = nodes.select(["name", "op", "source", "op_class", "float_ops_reason"]).filter(pa.array(wanted))
    ops = part["op"].cast(pa.string())
    first = zip(part["name"][:NAMED].to_pylist(), ops[:NAMED].to_pylist(), strict=True)
    return Missing(
        nodes=part.num_rows,
        ops=tuple(_ops(ops, part["op_class"].cast(pa.string()))),
        examples=tuple((name, op or "") for name, op in first),
        steps=tuple(_steps(part, stem)),
    )


def _ops(ops: pa.ChunkedArray, kinds: pa.ChunkedArray) -> Iterator[tuple[str, int]]:
    """Yield the op types and their numbers of nodes, those that look costliest first."""
    table = pa.table({"op": ops, "is_cheap": pc.fill_null(pc.not_equal(kinds, OpClass.CONTRACTION), fill_value=True)})
    groups = table.filter(ops.is_valid()).group_by(["op"]).aggregate([("op", "count"), ("is_cheap", "all")])
    order = [("is_cheap_all", "ascending"), ("op_count", "descending"), ("op", "ascending")]
    for row in groups.sort_by(order).to_pylist():
        yield row["op"], row["op_count"]


def _steps(part: pa.Table, stem: str) -> Iterator[str]:
    is_traced = pc.all(pc.equal(part["source"].cast(pa.string()), "run_metadata")).as_py()
    if stem in FLOP_STEMS:
        reasons = set(part["float_ops_reason"].cast(pa.string()).to_pylist())
        steps = [step for reason, step in _STEP_OF.items() if reason in reasons]
        yield from dict.fromkeys(_OF_TRACE.get(step, step) if is_traced else step for step in steps)
    elif stem in METRICS and METRICS[stem].kind is Kind.STATIC:
        yield _GRAPH if is_traced else _VARIABLES
