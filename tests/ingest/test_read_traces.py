"""Traces as inputs of a model: with a graph and without, gzipped or not, and what is wrong with a file."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

import pytest
from traces import DATA, Trace

from tfprof_report.errors import InputError
from tfprof_report.ingest.paths import InputPaths, find_in_folder
from tfprof_report.ingest.read import Inputs, read_inputs


def small() -> bytes:
    trace = Trace()
    trace.line().event("a:Mul", 0, 5000).event("net/b:Relu", 6000, 7000)
    return trace.bytes()


def read(path: Path, data: bytes, graph: str | None = None) -> Inputs:
    path.write_bytes(data)
    return read_inputs(InputPaths(graph=graph, xplanes=(str(path),)))


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_trace_alone_is_a_model_of_its_ops(tmp_path: Path, pack: type) -> None:
    inputs = read(tmp_path / "vm.xplane.pb", pack(small()))
    assert inputs.graph.nodes.select(["name", "op"]).to_pylist() == [
        {"name": "a", "op": "Mul"},
        {"name": "net/b", "op": "Relu"},
    ]
    assert [(file.role, file.form) for file in inputs.files] == [
        ("xplane", "binary" if pack is bytes else "binary, gzip")
    ]
    assert inputs.run_metas[0][1].executions["micros"].to_pylist() == [5, 7]


def test_a_graph_that_is_a_trace_is_one(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(small())
    inputs = read_inputs(InputPaths(graph=str(tmp_path / "x")))
    assert inputs.traced is not None
    assert inputs.traced.is_graph


@pytest.mark.parametrize(
    ("size", "problem"),
    [(0, "the trace has no ops"), (5, "is not an XSpace message: damaged, cut short, or another kind of file")],
)
def test_a_model_that_is_a_broken_trace_by_its_name_is_none_of_a_graph(tmp_path: Path, size: int, problem: str) -> None:
    path = tmp_path / "vm.xplane.pb"
    path.write_bytes(small()[:size])
    with pytest.raises(InputError, match=rf"vm\.xplane\.pb \(--xplane\): {problem}[^\n]*$"):
        read_inputs(InputPaths(graph=str(path)))


def test_a_folder_with_graph_and_trace_gives_both(tmp_path: Path) -> None:
    (tmp_path / "graph.pb.gz").write_bytes((DATA / "train" / "graph.pb.gz").read_bytes())
    run = tmp_path / "plugins" / "profile" / "r"
    run.mkdir(parents=True)
    (run / "vm.xplane.pb.gz").write_bytes((DATA / "train" / "xplane.pb.gz").read_bytes())
    inputs = read_inputs(find_in_folder(str(tmp_path)))
    assert [file.role for file in inputs.files] == ["graph", "xplane"]
    assert [step for step, _ in inputs.run_metas] == [1, 2, 3]


def test_an_empty_trace_beside_a_graph_is_a_warning_and_alone_an_error(tmp_path: Path) -> None:
    graph = str(DATA / "train" / "graph.pb.gz")
    inputs = read(tmp_path / "vm.xplane.pb", b"", graph)
    assert [found.code for found in inputs.diagnostics] == ["empty_input", "no_ops"]
    with pytest.raises(InputError, match=r"vm\.xplane\.pb \(--xplane\): the trace has no ops; record it with [^\n]*$"):
        read(tmp_path / "vm.xplane.pb", b"")


def test_a_trace_of_all_ops_that_has_none_ended_too_early(tmp_path: Path) -> None:
    trace = Trace()
    trace.line().event("train", 0, 9, step_num=0)
    wanted = r"the trace has no ops; let the program wait for its results before the trace ends, or give the graph too$"
    with pytest.raises(InputError, match=wanted):
        read(tmp_path / "vm.xplane.pb", trace.bytes())


@pytest.mark.parametrize("size", range(1, len(small()), 7))
def test_a_cut_trace_is_one_line_or_what_is_left(tmp_path: Path, size: int) -> None:
    try:
        read(tmp_path / "vm.xplane.pb", small()[:size])
    except InputError as error:
        assert str(error).isprintable()  # noqa: PT017 - either is right


@pytest.mark.parametrize("seed", range(20))
def test_random_bytes_are_one_line(tmp_path: Path, seed: int) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path / "vm.xplane.pb", random.Random(seed).randbytes(3 + 40 * seed))
    assert str(caught.value).isprintable()


def test_the_trace_for_chrome_beside_it_is_told_apart(tmp_path: Path) -> None:
    chrome = gzip.compress(b'{"displayTimeUnit":"ns","traceEvents":[{"ph":"M"}]}')
    with pytest.raises(InputError) as caught:
        read(tmp_path / "vm.trace.json.gz", chrome)
    assert str(caught.value) == (
        f"{tmp_path}/vm.trace.json.gz (--xplane): is a Chrome trace in JSON, as TensorBoard's profiler writes it, "
        "not an XSpace message; pass the *.xplane.pb beside it with --xplane"
    )


def test_another_kind_of_file_is_named(tmp_path: Path) -> None:
    graph = gzip.decompress((DATA / "train" / "graph.pb.gz").read_bytes())
    with pytest.raises(InputError, match="it looks like a GraphDef message; pass it with --graph"):
        read(tmp_path / "vm.xplane.pb", graph)
