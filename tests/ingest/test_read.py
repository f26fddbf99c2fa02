"""All inputs of a model, read from files, and by the command where standard input and error matter."""

from __future__ import annotations

import gzip
import hashlib
import os
import subprocess
import sys
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from google.protobuf import text_format
from messages import entry, graph, inputs_of, node, op_log, ran, run_meta

from tfprof_report.diagnostics import Severity
from tfprof_report.errors import InputError
from tfprof_report.ingest.paths import InputPaths, find_in_folder, resolve_paths
from tfprof_report.ingest.read import Inputs, read_inputs

GRAPH = graph(node("a", "MatMul", "b", shape=[2, 3]), node("b", "Const"))
RUN_META = run_meta({"/device:CPU:0": [ran("a", start=5, micros=3)]})
OP_LOG = op_log(entry("a", float_ops=12, types=["mine"]))


def written(path: Path, **messages: Any) -> str:
    for name, message in messages.items():
        (path / name).write_bytes(message if isinstance(message, bytes) else message.SerializeToString())
    return str(path)


def plain(inputs: Inputs) -> Any:
    """Return the columns of inputs as Python values, without the list of files."""
    return (
        inputs.graph.nodes.to_pydict(),
        [(step, columns.executions.to_pydict()) for step, columns in inputs.run_metas],
        inputs.op_log and inputs.op_log.entries.to_pydict(),
    )


def codes(inputs: Inputs) -> list[tuple[str, str]]:
    return [(diagnostic.severity.value, diagnostic.code) for diagnostic in inputs.diagnostics]


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
@pytest.mark.parametrize("form", ["binary", "text"])
def test_the_content_decides_whatever_the_name_says(tmp_path: Path, form: str, pack: Any) -> None:
    def data(message: Any) -> bytes:
        text = text_format.MessageToString(message).encode()
        packed: bytes = pack(text if form == "text" else message.SerializeToString())
        return packed

    where = written(tmp_path, **{"graph.pb": data(GRAPH), "run_meta.gz": data(RUN_META), "tfprof_log": data(OP_LOG)})
    inputs = read_inputs(find_in_folder(where))
    assert plain(inputs) == plain(inputs_of(GRAPH, [(0, RUN_META)], OP_LOG))
    assert {file.form for file in inputs.files} == {form if pack is bytes else f"{form}, gzip"}
    assert inputs.diagnostics == ()


def test_every_file_is_listed_with_its_role_step_size_and_digest(tmp_path: Path) -> None:
    where = written(tmp_path, **{"graph.pb": GRAPH, "run_meta_7": RUN_META, "op_log": OP_LOG})
    data = (tmp_path / "run_meta_7").read_bytes()
    files = read_inputs(find_in_folder(where)).files
    assert [(file.role, Path(file.path).name, file.step) for file in files] == [
        ("graph", "graph.pb", None),
        ("run_meta", "run_meta_7", 7),
        ("op_log", "op_log", None),
    ]
    assert (files[1].size_bytes, files[1].sha256) == (len(data), hashlib.sha256(data).hexdigest())


def test_files_are_named_before_they_are_read(tmp_path: Path) -> None:
    where = written(tmp_path, **{"graph.pb": GRAPH, "run_meta_1": b"nonsense"})
    named: list[str] = []
    with pytest.raises(InputError):
        read_inputs(find_in_folder(where), progress=named.append)
    assert [Path(name).name for name in named] == ["graph.pb", "run_meta_1"]


def test_an_empty_file_is_a_legal_message_with_a_warning(tmp_path: Path) -> None:
    where = written(tmp_path, **{"graph.pb": b"", "run_meta": gzip.compress(b""), "tfprof_log": b" \n"})
    inputs = read_inputs(find_in_folder(where))
    assert inputs.graph.nodes.num_rows == 0
    assert [file.form for file in inputs.files] == ["empty", "empty, gzip", "empty"]
    assert codes(inputs) == [
        ("warning", "empty_input"),
        ("warning", "empty_input"),
        ("warning", "no_step_stats"),
        ("warning", "empty_input"),
    ]
    assert inputs.diagnostics[0].text == f"{tmp_path}/graph.pb is empty: a legal GraphDef message without content"


def test_a_step_that_is_given_twice_stays_two_parts_with_a_warning(tmp_path: Path) -> None:
    written(tmp_path, graph=GRAPH, first=RUN_META, second=RUN_META)
    files = ((3, f"{tmp_path}/first"), (4, f"{tmp_path}/first"), (3, f"{tmp_path}/second"))
    paths = InputPaths(graph=f"{tmp_path}/graph", run_metas=files)
    inputs = read_inputs(paths)
    assert [step for step, _ in inputs.run_metas] == [3, 4, 3]
    (warning,) = inputs.diagnostics
    assert warning.severity is Severity.WARNING
    assert warning.text == f"step 3 is given more than once: {tmp_path}/second adds to it"


def test_run_metadata_without_step_stats_is_told(tmp_path: Path) -> None:
    written(tmp_path, graph=GRAPH, run=run_meta(None))
    inputs = read_inputs(InputPaths(graph=f"{tmp_path}/graph", run_metas=((0, f"{tmp_path}/run"),)))
    assert codes(inputs) == [("warning", "empty_input"), ("warning", "no_step_stats")]


def test_a_small_file_has_only_so_many_devices_in_all_its_steps(tmp_path: Path) -> None:
    many = run_meta({f"/device:CPU:{number}": [ran("a")] for number in range(4097)})
    written(tmp_path, graph=GRAPH, run=many)
    paths = InputPaths(graph=f"{tmp_path}/graph", run_metas=((0, f"{tmp_path}/run"),))
    with pytest.raises(InputError, match=r"run \(--run-meta\): has more than 4,096 devices, summed over its steps; "):
        read_inputs(paths)
    del many.step_stats.dev_stats[0]
    written(tmp_path, run=many)
    read_inputs(paths)


def test_fields_of_a_newer_tensorflow_are_told(tmp_path: Path) -> None:
    written(tmp_path, graph=b'node { name: "a" op: "b" new: 1 }')
    assert codes(read_inputs(InputPaths(graph=f"{tmp_path}/graph"))) == [("warning", "unknown_fields")]


@pytest.mark.parametrize("side", ["", "base-", "head-"])
def test_errors_name_the_option_of_the_side(tmp_path: Path, side: str) -> None:
    written(tmp_path, graph=GRAPH)
    for paths, option in [
        (InputPaths(graph="missing"), "graph"),
        (InputPaths(graph=f"{tmp_path}/graph", run_metas=((0, "missing"),)), "run-meta"),
        (InputPaths(graph=f"{tmp_path}/graph", op_log="missing"), "op-log"),
    ]:
        with pytest.raises(InputError) as caught:
            read_inputs(paths, side=side)
        assert str(caught.value) == f"missing (--{side}{option}): no such file; check the path"


def spawn(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run the installed command in a process of its own, where standard input and error are real."""
    script = str(Path(sys.executable).with_name("tfprof-report"))
    return subprocess.run([script, *arguments], input=stdin, capture_output=True, check=False, timeout=120)


def test_a_dash_reads_standard_input(tmp_path: Path) -> None:
    written(tmp_path, graph=GRAPH)
    from_file = spawn("scope", f"{tmp_path}/graph", "--select", "params")
    from_stdin = spawn(
        "scope", "-", "--select", "params", stdin=gzip.compress(text_format.MessageToString(GRAPH).encode())
    )
    assert from_stdin.stdout == from_file.stdout
    assert b"a (2x3, 6/6 params)" in from_file.stdout
    assert (from_stdin.returncode, from_stdin.stderr) == (0, b"")


def test_a_wrong_kind_ends_the_command_with_one_line_and_exit_code_3() -> None:
    ended = spawn("scope", "-", stdin=RUN_META.SerializeToString())
    assert (ended.returncode, ended.stdout) == (3, b"")
    assert ended.stderr.decode() == (
        "tfprof-report: - (--graph): is not a GraphDef message; "
        "it looks like a RunMetadata message; pass it with --run-meta\n"
    )


def test_a_graph_from_a_pipe_is_read_once(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    data = graph(node("a", "Const")).SerializeToString()
    writer = Thread(target=pipe.write_bytes, args=(data,))
    writer.start()
    inputs = read_inputs(resolve_paths(str(pipe)))
    writer.join()
    assert inputs.graph.nodes["name"].to_pylist() == ["a"]
    assert inputs.files[0].size_bytes == len(data)
