"""Which files are read: the rules for a folder, and options that override them."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from tfprof_report.errors import ExitCode, InputError, OptionError
from tfprof_report.ingest.files.file_bytes import read_bytes
from tfprof_report.ingest.paths import InputPaths, find_in_folder, number_steps, resolve_paths


def folder(path: Path, *names: str) -> str:
    for name in names:
        (path / name).write_bytes(b"")
    return str(path)


def chosen(path: Path, *names: str) -> list[str]:
    """Return the names of the files that are chosen in a folder with the files `names`, steps as ``step=name``."""
    paths = find_in_folder(folder(path, *names))
    return [
        *([Path(paths.graph).name] if paths.graph else []),
        *(f"{step}={Path(file).name}" for step, file in paths.run_metas),
        *([Path(paths.op_log).name] if paths.op_log else []),
    ]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("graph.pb run_meta tfprof_log", "graph.pb 0=run_meta tfprof_log"),
        ("graph.pbtxt graph.pb", "graph.pb"),
        ("graph.pbtxt graph.pb.gz", "graph.pb.gz"),
        ("graph.pbtxt.gz graph.pbtxt", "graph.pbtxt"),
        ("graph.pb graph.pb.gz", "graph.pb"),
        ("graph.pbtxt.gz", "graph.pbtxt.gz"),
        ("run_meta_10 run_meta_2 run_meta_1", "1=run_meta_1 2=run_meta_2 10=run_meta_10"),
        ("run_meta_2.gz run_meta_10.gz run_meta", "2=run_meta_2.gz 10=run_meta_10.gz"),
        ("run_meta_2 run_meta_2.gz", "2=run_meta_2"),
        ("run_meta.gz", "0=run_meta.gz"),
        ("run_meta run_meta.gz", "0=run_meta"),
        ("run_meta_x run_meta_ run_meta_-1 run_meta_1.pbtxt run_meta_٣", ""),
        ("run_meta_0 run_meta_00", "0=run_meta_0 0=run_meta_00"),
        ("op_log tfprof_log.gz", "tfprof_log.gz"),
        ("op_log.gz op_log", "op_log"),
        ("Graph.pb graph.pb~ my_run_meta README checkpoint", ""),
    ],
)
def test_a_folder_is_read_by_the_names_of_its_files(tmp_path: Path, names: str, expected: str) -> None:
    assert chosen(tmp_path, *names.split()) == expected.split()


@pytest.mark.parametrize(
    ("name", "end"),
    [
        ("notes.txt", "saved_model.pb or trace; name the graph with --base-graph"),
        ("variables.index", ", but the variables of a SavedModel (variables.index); give the folder above it"),
        (
            "m-5.index",
            ", but a checkpoint (m-5.index); name the graph with --base-graph, and the checkpoint with --base-ch",
        ),
        ("m.tflite", ", but a TFLite model (m.tflite); give the SavedModel that it was made from"),
        ("m.onnx", ", but an ONNX model (m.onnx); give the SavedModel that it was made from"),
        ("m.keras", ", but a Keras model (m.keras); load it with Keras, write it with model.export(FOLDER), and give"),
        ("m.h5", ", but a Keras model or weights (m.h5); load it with Keras, write it with model.export(FOLDER), and"),
        ("x.tfevents.1", ", but event files without a graph (x.tfevents.1); name the graph with --base-graph"),
    ],
)
def test_a_folder_without_a_graph_says_what_it_holds_instead(tmp_path: Path, name: str, end: str) -> None:
    with pytest.raises(InputError) as caught:
        resolve_paths(folder(tmp_path, name), side="base-")
    assert end in str(caught.value)


def test_folders_with_the_names_of_files_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "graph.pb").mkdir()
    (tmp_path / "run_meta_1").mkdir()
    assert chosen(tmp_path, "graph.pbtxt", "run_meta") == ["graph.pbtxt", "0=run_meta"]


def test_the_order_of_the_listing_does_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [
        "graph.pb",
        "graph.pbtxt",
        "run_meta",
        "run_meta_10",
        "run_meta_2",
        "run_meta_02.gz",
        "op_log.gz",
        "tfprof_log",
    ]
    expected = find_in_folder(folder(tmp_path, *names))
    listing, draw = Path.iterdir, random.Random(0)

    def shuffled(path: Path) -> Iterator[Path]:
        entries = sorted(listing(path))
        draw.shuffle(entries)
        return iter(entries)

    monkeypatch.setattr(Path, "iterdir", shuffled)
    for _ in range(10):
        assert find_in_folder(str(tmp_path)) == expected


def test_notes_say_what_was_read_and_what_was_not(tmp_path: Path) -> None:
    where = folder(tmp_path, "graph.pb", "graph.pbtxt", "run_meta", "run_meta_3", "tfprof_log", "op_log.gz")
    assert find_in_folder(where).notes == (
        f"{where}: reading graph.pb, run_meta_3, tfprof_log",
        f"{where}: run_meta is ignored, since run_meta_N files give the steps",
        f"{where}: graph.pbtxt is ignored in favour of graph.pb",
        f"{where}: op_log.gz is ignored in favour of tfprof_log",
    )


def test_a_folder_with_nothing_in_it_has_no_notes(tmp_path: Path) -> None:
    assert find_in_folder(str(tmp_path)) == InputPaths()


@pytest.mark.parametrize(("side", "option"), [("", "--graph"), ("base-", "--base-graph"), ("head-", "--head-graph")])
def test_a_folder_without_a_graph_is_an_error_that_names_the_option(tmp_path: Path, side: str, option: str) -> None:
    where = folder(tmp_path, "run_meta")
    with pytest.raises(InputError) as caught:
        resolve_paths(where, side=side)
    found = "the folder holds no graph.pb, graph.pbtxt, saved_model.pb or trace"
    assert str(caught.value) == f"{where}: {found}; name the graph with {option}"


def test_options_win_over_what_a_folder_holds(tmp_path: Path) -> None:
    where = folder(tmp_path, "graph.pb", "run_meta_1", "run_meta_2", "tfprof_log")
    paths = resolve_paths(where, graph="g", run_metas=["r"], op_log="o")
    assert (paths.graph, paths.run_metas, paths.op_log) == ("g", ((0, "r"),), "o")
    paths = resolve_paths(where, op_log="o")
    assert paths.graph == str(tmp_path / "graph.pb")
    assert [step for step, _ in paths.run_metas] == [1, 2]


def test_a_graph_may_come_from_an_option_when_the_folder_has_none(tmp_path: Path) -> None:
    paths = resolve_paths(folder(tmp_path, "run_meta"), graph="g")
    assert (paths.graph, paths.run_metas) == ("g", ((0, str(tmp_path / "run_meta")),))


def test_a_path_that_is_no_folder_is_the_graph() -> None:
    assert resolve_paths("missing/file") == InputPaths(graph="missing/file")


def test_a_graph_that_is_named_twice_or_never_is_a_usage_error() -> None:
    with pytest.raises(OptionError) as caught:
        resolve_paths("a", graph="b", side="head-")
    assert str(caught.value) == "--head-graph: a graph is named twice, as a and as b; name it once"
    with pytest.raises(OptionError) as caught:
        resolve_paths(None, side="base-")
    assert str(caught.value) == "no graph is named; give a graph file, a folder, or --base-graph FILE"
    assert caught.value.exit_code is ExitCode.USAGE


@pytest.mark.parametrize(
    ("source", "run_metas", "op_log"), [("-", ["-"], None), ("-", [], "-"), ("g", ["-", "3=-"], None)]
)
def test_standard_input_can_be_named_once(source: str, run_metas: list[str], op_log: str | None) -> None:
    with pytest.raises(OptionError) as caught:
        resolve_paths(source, run_metas=run_metas, op_log=op_log)
    assert str(caught.value) == "standard input (-) is named more than once; it can be read only once"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["a", "b"], [(0, "a"), (1, "b")]),
        (["7=a", "b", "7=c"], [(7, "a"), (1, "b"), (7, "c")]),
        (["2=a=b", "x=3", "-1=a", "=a"], [(2, "a=b"), (1, "x=3"), (2, "-1=a"), (3, "=a")]),
        (["007=a"], [(7, "a")]),
        (["٣=a"], [(0, "٣=a")]),
        (["1=a\nb"], [(1, "a\nb")]),
        ([f"{10**18 - 1}=a"], [(10**18 - 1, "a")]),
    ],
)
def test_a_step_is_named_or_counted(given: list[str], expected: list[tuple[int, str]]) -> None:
    assert list(number_steps(given)) == expected


def test_a_step_without_a_file_is_a_usage_error() -> None:
    with pytest.raises(OptionError) as caught:
        number_steps(["7="])
    assert str(caught.value) == '--run-meta: "7=" names no file; write STEP=FILE'


def test_bytes_are_read_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"\r\n\0\xff")
    assert read_bytes(str(tmp_path / "file"), option="--graph") == b"\r\n\0\xff"


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("missing", "no such file; check the path"),
        ("file/below", "cannot be read (Not a directory)"),
        ("folder", "is a folder, not a file; name a file in it"),
        ("loop", "cannot be read (Too many levels of symbolic links)"),
        ("n" * 300, "cannot be read (File name too long)"),
        ("\0", "cannot be read (embedded null byte)"),
    ],
    ids=["missing", "below a file", "folder", "loop", "long", "NUL"],
)
def test_a_file_that_cannot_be_read_says_why(tmp_path: Path, name: str, problem: str) -> None:
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    path = f"{tmp_path}/{name}"
    with pytest.raises(InputError) as caught:
        read_bytes(path, option="--graph")
    assert str(caught.value) == f"{path} (--graph): {problem}".replace("\0", r"\x00")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").touch(mode=0)
    with pytest.raises(InputError, match=r"cannot be read \(Permission denied\)"):
        read_bytes(str(tmp_path / "file"), option="--graph")
