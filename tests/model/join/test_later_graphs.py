"""Several graphs of one run: each adds the nodes that are new in it."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest
from messages import decoded, graph, inputs_of, node, ran, run_meta
from queries import CPU, rows_of

from tfprof_report.errors import OptionError
from tfprof_report.ingest.graph_def import merge_graphs, read_graph
from tfprof_report.ingest.paths import InputPaths, resolve_paths
from tfprof_report.ingest.read import read_inputs
from tfprof_report.ingest.sniff import Kind
from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.node_table import NodeTable
from tfprof_report.semantics import CORRECTED, TFPROF, Semantics

FIRST = graph(node("a", "A", shape=[2]), node("b", "B", "a"))
SECOND = graph(node("c", "C", "b", shape=[5]), node("b", "Other"), node("a", "A"), node("d", "D", "c"))


def table_of_graphs(*graphs: tuple[int, Any], run_metas: Any = (), semantics: Semantics = CORRECTED) -> NodeTable:
    merged = merge_graphs([(after, read_graph(decoded(each, Kind.GRAPH))) for after, each in graphs])
    inputs = dataclasses.replace(inputs_of(graph(), run_metas), graph=merged)
    return build_node_table(inputs, semantics=semantics)


@pytest.mark.parametrize("semantics", [CORRECTED, TFPROF])
def test_a_later_graph_adds_the_names_that_are_new(semantics: Semantics) -> None:
    table = table_of_graphs((0, FIRST), (0, SECOND), semantics=semantics)
    assert table.column("name").to_pylist() == ["a", "b", "c", "d"]
    assert table.column("op").to_pylist() == ["A", "B", "C", "D"]
    assert table.column("shape").to_pylist() == [[2], None, [5], None]
    (warning,) = table.diagnostics
    assert (warning.code, warning.count, warning.examples) == ("conflicting_graphs", 1, ("b",))


LATE = [(0, run_meta({CPU: [ran("b", micros=2), ran("c", micros=3), ran("e", micros=9)]})), (1, run_meta({CPU: []}))]


@pytest.mark.parametrize(
    ("semantics", "op", "inputs"), [(CORRECTED, "C", ["b"]), (TFPROF, "c", None)], ids=["corrected", "tfprof"]
)
def test_a_definition_that_comes_after_run_metadata_counts_unless_tfprof_is_asked_for(
    semantics: Semantics, op: str, inputs: list[str] | None
) -> None:
    table = table_of_graphs((0, FIRST), (1, SECOND), run_metas=LATE, semantics=semantics)
    row = table.column("name").to_pylist().index("c")
    assert table.ops[row].as_py() == op
    assert table.column("inputs")[row].as_py() == inputs
    shown = rows_of(table, "scope", semantics, select=("op_types",), show_name_regexes=("c|d",))
    assert shown[1:] == [f"  c (/device:cpu:0|{op})", "  d (D)"]


@pytest.mark.parametrize("after", [0, 1])
def test_run_metadata_that_comes_with_its_graph_or_later_is_not_early(after: int) -> None:
    late = [(0, run_meta({CPU: []})), (1, run_meta({CPU: [ran("c", micros=3)]}))]
    table = table_of_graphs((0, FIRST), (after, SECOND), run_metas=late, semantics=TFPROF)
    assert table.ops.to_pylist() == ["A", "B", "C", "D"]


def test_files_are_read_in_turn(tmp_path: Path) -> None:
    names = []
    for number, made in enumerate((FIRST, SECOND)):
        names.append(str(tmp_path / f"graph_{number}"))
        Path(names[-1]).write_bytes(made.SerializeToString())
    inputs = read_inputs(resolve_paths(None, graph=names[0], later_graphs=names[1:]))
    assert inputs.graph.nodes["name"].to_pylist() == ["a", "b", "c", "d"]
    assert [(file.role, file.path) for file in inputs.files] == [("graph", name) for name in names]


@pytest.mark.parametrize("other", [{"source": "g"}, {"graph": "g"}, {"run_metas": ["r"]}, {"op_log": "l"}])
def test_a_profile_excludes_what_it_holds(other: dict[str, Any]) -> None:
    with pytest.raises(OptionError) as caught:
        resolve_paths(other.pop("source", None), profile="p", side="base-", **other)
    assert str(caught.value) == (
        "--base-profile: a profile holds graph, run metadata and op log already; name either the profile or its parts"
    )


def test_a_profile_goes_with_a_checkpoint() -> None:
    expected = InputPaths(profile="p", checkpoint="c")
    assert resolve_paths(None, profile="p", checkpoint="c") == expected
