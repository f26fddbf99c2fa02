"""What XLA compiled, on the nodes that it is from: one node, several in a fusion, or none."""

from __future__ import annotations

import pyarrow as pa

from tfprof_report.ingest.graph_def import SHAPE
from tfprof_report.ingest.run_meta import RunMetaColumns
from tfprof_report.ingest.xplane.traced_ops import OPS
from tfprof_report.model.join.compiled import CompiledRuns, join_compiled

from traces import Trace  # isort: skip

NODES = pa.array(["a", "b", "call/c", "other/d", "call/d"])


def op(name: str, framework_op: str | None, inside: list[str] | None = None) -> dict[str, object]:
    empty = dict.fromkeys(OPS.names)
    return empty | {"name": name, "framework_op": framework_op, "inside": inside, "is_compiled": True, "frame": -1}


def joined(*ops: dict[str, object]) -> CompiledRuns:
    trace = Trace()
    line = trace.line()
    for place, each in enumerate(ops):
        line.event(f"{each['name']}:Op", 10 * place, 5)
    return join_compiled(trace.traced().run.run_metas, pa.Table.from_pylist(list(ops), schema=OPS), NODES)


def records(found: CompiledRuns) -> list[tuple[str, int, int]]:
    columns: RunMetaColumns = found.run_metas[0][1]
    rows = columns.executions.select(["node_name", "run_count", "nanos"]).to_pylist()
    return [(row["node_name"], row["run_count"], row["nanos"]) for row in rows]


def test_an_instruction_of_one_node_is_that_node_which_ran_once() -> None:
    found = joined(op("a/dot.1", "a"), op("a/copy.2", "a", ["a"]))
    assert records(found) == [("a", 1, 5), ("a", 0, 5)]
    assert (found.kernels.to_pylist(), found.names.to_pylist()) == ([], [])


def test_a_fusion_of_several_is_a_row_with_the_nodes_in_it() -> None:
    found = joined(op("b/fusion.1", "b", ["a", "b", "unknown"]))
    assert records(found) == [("b/fusion.1", 1, 5)]
    assert list(zip(found.kernels.to_pylist(), found.inside.to_pylist(), strict=True)) == [
        ("b/fusion.1", "a"),
        ("b/fusion.1", "b"),
    ]
    assert found.names.to_pylist() == ["b/fusion.1"]


def test_names_in_a_function_that_xla_compiled_lack_its_call() -> None:
    found = joined(op("c/add.1", "c"), op("d/add.2", "d"))  # d is in two calls
    assert records(found) == [("call/c", 1, 5), ("d/add.2", 1, 5)]


def test_what_is_of_no_node_stays() -> None:
    found = joined(op("jit_f/copy.4", None))
    assert records(found) == [("jit_f/copy.4", 1, 5)]
    assert found.names.to_pylist() == ["jit_f/copy.4"]
    assert OPS.field("shape").type == SHAPE
