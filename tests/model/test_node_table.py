"""The node table as Arrow columns and as a pandas table, which share their data."""

from __future__ import annotations

import gc
import weakref

import pandas as pd
import pyarrow as pa
from messages import graph, inputs_of, node
from queries import table_of
from repository import ROOT

from tfprof_report.diagnostics import Severity
from tfprof_report.ingest.paths import InputPaths
from tfprof_report.ingest.read import read_inputs
from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.execution_counts import INLINED
from tfprof_report.model.flops.counting import BY_ALL_RULES
from tfprof_report.semantics import CORRECTED
from tfprof_report.threads import Threads

TABLE = table_of(graph(node("w", "VariableV2", shape=[2, 3]), node("y", "Identity", "w"), node("z", "Mine", "y")))


def _addresses(columns: list[pa.Array]) -> list[list[int | None]]:
    return [[buffer and buffer.address for buffer in column.buffers()] for column in columns]


def test_the_pandas_table_has_the_memory_of_the_columns_and_gives_it_back() -> None:
    again = pa.Table.from_pandas(TABLE.nodes, preserve_index=False)
    assert again.column_names == TABLE.columns.column_names
    back = [column.chunk(0) for column in again.columns]
    for given, had in zip(_addresses(back), _addresses(TABLE.columns.to_batch().columns), strict=True):
        # pandas before 3 drops the bitmap of a list whose items are all known
        assert [one or other for one, other in zip(given, had, strict=True)] == had
        assert given[-1] == had[-1]


def test_the_pandas_table_has_types_of_arrow_and_null_for_unknown() -> None:
    assert {type(dtype) for dtype in TABLE.nodes.dtypes} == {pd.ArrowDtype}
    assert TABLE.nodes["params"].to_list() == [6, 0, 0]
    assert TABLE.nodes["run_count"].isna().all()


def test_what_finds_notes_only_finds_no_warning_and_need_not_be_computed_for_warnings() -> None:
    folder = ROOT / "tests" / "data"
    fused = InputPaths(graph=str(folder / "flops/fused.pb.gz"), run_metas=((0, str(folder / "flops/fused.run.pb.gz")),))
    frozen = InputPaths(graph=str(folder / "params/v1_folded.pb.gz"))
    for paths in (fused, frozen):
        table = build_node_table(read_inputs(paths), BY_ALL_RULES.use(CORRECTED), CORRECTED, INLINED)
        assert table.warnings == tuple(each for each in table.diagnostics if each.severity is Severity.WARNING)
        assert [each for each in table.diagnostics if each.severity is Severity.NOTE]


def test_a_settled_table_is_the_same_and_keeps_no_inputs() -> None:
    inputs = inputs_of(graph(node("w", "VariableV2", shape=[2, 3]), node("y", "Identity", "w")))
    before, table = build_node_table(inputs), build_node_table(inputs)
    kept = weakref.ref(inputs.graph.nodes)
    with Threads(2) as threads:
        table.settle(threads)
    assert table.columns.to_batch().equals(before.columns.to_batch())
    del inputs, before
    gc.collect()
    assert kept() is None


def test_the_pandas_table_is_made_once() -> None:
    assert TABLE.nodes is TABLE.nodes
