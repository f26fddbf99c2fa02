"""Recognising kinds of files: every kind of file passed to every option."""

from __future__ import annotations

import gzip
import io
import lzma
import pickle
import random
import zipfile
import zlib

import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from messages import entry, graph, new, node, op_log, ran, run_meta
from repository import DATA
from wire import Field, encode

from tfprof_report.errors import ExitCode, InputError
from tfprof_report.ingest import sniff
from tfprof_report.ingest.decode import decode
from tfprof_report.ingest.sniff import Kind

KINDS = DATA / "kinds"
OPTIONS = {
    Kind.GRAPH: "--graph",
    Kind.RUN_META: "--run-meta",
    Kind.OP_LOG: "--op-log",
    Kind.PROFILE: "--profile",
}
UNKNOWN = "no known kind of file"
GENERIC = "give {} as binary, text or gzip"


def stored(name: str) -> bytes:
    """Return the bytes of a file in the data folder, decompressed."""
    path = KINDS / name
    return path.read_bytes() if path.exists() else gzip.decompress((KINDS / f"{name}.gz").read_bytes())


def message(number: int, *values: int | bytes | list[Field]) -> Field:
    """Return a field that is a message with the `values` as its fields 1, 2, 3 ..."""
    inner = [
        Field(position, 0 if isinstance(value, int) else 2, value) for position, value in enumerate(values, start=1)
    ]
    return Field(number, 2, inner)


LIBRARY_ONLY = encode([Field(2, 2, [Field(1, 2, [message(1, b"f"), message(3, b"a", b"NoOp")])])])
MANY_TYPES = op_log(*(entry(name, types=[f"type {number}" for number in range(20)]) for name in "abc"))
MANY_NODES = graph(*(node(f"scope/node_{number}", "NoOp") for number in range(4000)))
XPLANE = encode([message(1, 5, b"/host:CPU", b"\x08\x09\x12\x04main"), Field(4, 2, b"localhost")])

RIGHT: dict[Kind, dict[str, bytes]] = {
    Kind.GRAPH: {
        "graph": stored("graph.pb"),
        "graph with a function library": stored("graph_with_library.pb"),
        "graph of a GPU model": stored("graph_gpu.pb"),
        "a function library alone": LIBRARY_ONLY,
        "one node without edges and attributes": graph(node("a", "NoOp")).SerializeToString(),
        "thousands of nodes": MANY_NODES.SerializeToString(),
    },
    Kind.RUN_META: {
        "run metadata": stored("run_meta"),
        "run metadata of a GPU": stored("run_meta_gpu"),
        "one record": run_meta({"/device:CPU:0": [ran("a")]}).SerializeToString(),
        "a device that ran nothing": run_meta({"/device:CPU:0": []}).SerializeToString(),
        "partition graphs alone": new("tensorflow.RunMetadata", partition_graphs=[MANY_NODES]).SerializeToString(),
        "a cost graph alone": new(
            "tensorflow.RunMetadata", cost_graph={"node": [{"name": "MatMul", "compute_cost": 7}]}
        ).SerializeToString(),
    },
    Kind.OP_LOG: {
        "op log": stored("op_log"),
        "op log with call stacks": stored("op_log_with_traces"),
        "op log without call stacks": stored("op_log_without_traces"),
        "types alone": MANY_TYPES.SerializeToString(),
        "names alone": op_log(entry("a"), entry("b")).SerializeToString(),
        "strings alone": op_log(strings={1: "train.py", 2: "main"}).SerializeToString(),
    },
    Kind.PROFILE: {"profile": stored("profile")},
}
TEXTS: dict[Kind, dict[str, bytes]] = {
    Kind.GRAPH: {"graph in text": stored("graph.pbtxt")},
    Kind.RUN_META: {"run metadata in text": stored("run_meta.pbtxt")},
    Kind.OP_LOG: {"op log in text": b'# by hand\nlog_entries { name: "a" float_ops: 5 }\n'},
    Kind.PROFILE: {"profile in text": b'nodes {\n  key: 1\n  value { name: "a" }\n}\n'},
}
MODELS = {
    "saved model": (stored("saved_model.pb"), "a SavedModel message", "binary, SavedModel"),
    "checkpoint meta": (stored("checkpoint.meta"), "a MetaGraphDef message", "binary, MetaGraphDef"),
    "text of a saved model": (
        b'# by hand\nmeta_graphs { graph_def { node { name: "a" op: "NoOp" } } }\n',
        "a SavedModel message in text form",
        "text, SavedModel",
    ),
    "text of a meta graph": (
        b'graph_def { node { name: "a" op: "NoOp" } }\nsaver_def { max_to_keep: 5 }\n',
        "a MetaGraphDef message in text form",
        "text, MetaGraphDef",
    ),
}
RECORD = "give the .xplane.pb beside it with --xplane; tfprof-report init --snippet tf-function shows how to record one"
EXPORT = "load it with Keras, write it with model.export(FOLDER), and give FOLDER"
SOURCE = "give the SavedModel or GraphDef that it was made from"
PREFIX = "pass it with --checkpoint"
UNPACK = "unpack it first"


def archive(*names: str) -> bytes:
    """Return a zip archive with empty files."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as made:
        for name in names:
            made.writestr(name, b"")
    return data.getvalue()


def onnx() -> bytes:
    made = new("foreign.OnnxModel", ir_version=8, producer_name="pytorch", opset_import=[{"version": 17}])
    made.graph.name = "main"
    for op in ("Conv", "Relu"):
        made.graph.node.add(input=["x"], output=["y"], op_type=op, attribute=[b"\x0a\x05group\x18\x01"])
    data: bytes = made.SerializeToString()
    return data


def xplanes() -> bytes:
    """Return a trace whose planes have no lines of their own, as the host plane of a short run."""
    made = new("foreign.XSpace", hostnames=["localhost"])
    plane = made.planes.add(name="/host:metadata")
    plane.event_metadata[1].name, plane.stat_metadata[2].name = "MatMul", "step_id"
    plane.lines.add(timestamp_ns=5, events=[{"metadata_id": 1, "offset_ps": 3, "duration_ps": 7}])
    data: bytes = made.SerializeToString()
    return data


SUMS = {"saved_model_checksum": 2**63, "graph_def_program_hash": 7, "signature_def_hash": 9, "checkpoint_hash": 5}
FINGERPRINT = new("foreign.Fingerprint", saved_object_graph_hash=2**60, version={"producer": 2}, uuid="12", **SUMS)
PROJECT = b'# a comment\n\n[tool.tfprof-report]\ngate = ["params <= +0"]\n'

FOREIGN: dict[str, tuple[bytes, str, str]] = {
    "checkpoint index": (stored("checkpoint.index"), "the index of a TensorFlow checkpoint", PREFIX),
    "checkpoint data": (stored("checkpoint.data"), UNKNOWN, ""),
    "list of checkpoints": (b'model_checkpoint_path: "m-1"\n', "the list of a folder's checkpoints", PREFIX),
    "TFLite": (b"\x1c\0\0\0TFL3\x14\0 \0\x1c\0\x18\0" + bytes(40), "a TFLite model", SOURCE),
    "ONNX": (onnx(), "an ONNX model", SOURCE),
    "HDF5": (b"\x89HDF\r\n\x1a\n" + bytes(40), "an HDF5 file, such as Keras weights or a Keras model", EXPORT),
    "Keras": (archive("metadata.json", "config.json", "model.weights.h5"), "a Keras model", EXPORT),
    "PyTorch": (archive("m/data.pkl", "m/data/0"), "a PyTorch file", SOURCE),
    "old PyTorch": (b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.", "a PyTorch file", SOURCE),
    "NumPy": (b"\x93NUMPY\x01\0v\0{'descr': '<f8'}", "a NumPy array", ""),
    "NumPy archive": (archive("a.npy", "b.npy"), "a NumPy archive", ""),
    "pickle": (pickle.dumps({"weights": [1.5, 2.5]}), "a Python pickle", ""),
    "safetensors": (b"\x12" + bytes(7) + b'{"w":{"dtype":"F"}}' + bytes(9), "a safetensors file", ""),
    "Parquet": (b"PAR1\x15\x04\x15\x10" + bytes(30) + b"PAR1", "a Parquet file", "give the folder of the report that"),
    "fingerprint": (
        FINGERPRINT.SerializeToString(),
        "the fingerprint of a SavedModel",
        "give the folder of the SavedM",
    ),
    "XPlane": (XPLANE, "an XPlane trace of TensorFlow's profiler", f"it is not read yet: {RECORD}"),
    "more XPlane": (xplanes(), "an XPlane trace of TensorFlow's profiler", f"it is not read yet: {RECORD}"),
    "Chrome trace": (
        gzip.compress(b'{"displayTimeUnit":"ns","traceEvents":[{"ph":"M"}]}'),
        "a Chrome trace in JSON, as TensorBoard's profiler writes it",
        RECORD,
    ),
    "TensorFlow.js": (b'{"format": "graph-model", "modelTopology": {}}', "a TensorFlow.js model", SOURCE),
    "Keras JSON": (b'{"class_name": "Sequential", "config": {}}', "the JSON configuration of a Keras model", EXPORT),
    "JSON": (b'{"node": [{"name": "a", "op": "NoOp"}]}', "JSON", ""),
    "a JSON list": (b"[1, 2]", "JSON", ""),
    "JSON with a mark": (b'\xef\xbb\xbf{"a": 1}', "JSON", ""),
    "TOML": (PROJECT, "TOML", ""),
    "TOML value": (b'name = "x"\n', "TOML", ""),
    "plain text": (b"node names of the model:\na\nb\n", "plain text", ""),
    "text with another encoding": ("nœud".encode("utf-16"), UNKNOWN, ""),
    "HTML": (b"<!DOCTYPE html><title>report</title>", "HTML or XML", ""),
    "a picture": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(20), "a PNG picture", ""),
    "a zip": (archive("a", "b"), "a zip archive", UNPACK),
    "a damaged zip": (b"PK\x03\x04\x14\0\0\0\x08\0" + bytes(30), "a zip archive", UNPACK),
    "a tar": (b"graph.pb" + bytes(249) + b"ustar\0" + bytes(60), "a tar archive", UNPACK),
    "xz": (lzma.compress(b"node"), "an xz file", UNPACK),
    "zlib": (zlib.compress(b"node" * 50), UNKNOWN, ""),
    "zeros": (bytes(64), UNKNOWN, ""),
    **{f"random {seed}": (random.Random(seed).randbytes(8 + 37 * seed), UNKNOWN, "") for seed in range(12)},
}


def refusal(data: bytes, kind: Kind, option: str = "") -> str:
    option = option or OPTIONS[kind]
    with pytest.raises(InputError) as caught:
        decode(data, kind, file="FILE", option=option)
    assert caught.value.exit_code is ExitCode.INPUT
    line = str(caught.value)
    assert line.isprintable()
    assert line.startswith(f"FILE ({option}): ")
    return line.removeprefix(f"FILE ({option}): ")


def named(table: dict[Kind, dict[str, bytes]]) -> list[object]:
    return [pytest.param(data, kind, id=name.replace(" ", "-")) for kind in table for name, data in table[kind].items()]


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
@pytest.mark.parametrize(("data", "kind"), [*named(RIGHT), *named(TEXTS)])
def test_a_file_is_read_by_its_own_option_and_refused_by_the_others(data: bytes, kind: Kind, pack: type) -> None:
    assert decode(pack(data), kind, file="FILE", option="").batch.num_rows == 1
    for other in set(OPTIONS) - {kind}:
        line = refusal(pack(data), other)
        assert line.startswith(f"is not {sniff.a_message(other)}")
        if sniff.describe(data) is not None:
            text = " in text form" if any(data == text for text in TEXTS[kind].values()) else ""
            assert line.endswith(f"; it looks like {sniff.a_message(kind)}{text}; pass it with {OPTIONS[kind]}")


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
@pytest.mark.parametrize(("data", "found", "form"), MODELS.values(), ids=[name.replace(" ", "-") for name in MODELS])
def test_the_graph_in_a_model_is_read_and_other_options_refuse_it(
    data: bytes, found: str, form: str, pack: type
) -> None:
    read = decode(pack(data), Kind.GRAPH, file="FILE", option="")
    assert read.form == (form if pack is bytes else f"{form}, gzip")
    assert read.model is not None
    for other in set(OPTIONS) - {Kind.GRAPH}:
        line = f"is not {sniff.a_message(other)}; it looks like {found}; pass it with --graph"
        assert refusal(pack(data), other) == line


@pytest.mark.parametrize("kind", OPTIONS)
def test_the_smallest_message_is_legal_for_every_option(kind: Kind) -> None:
    """An empty node, device, log entry: nothing shows which of them it is."""
    data = run_meta({}).SerializeToString()
    assert sniff.describe(data) is None
    assert decode(data, kind, file="FILE", option="").form == "binary"


@pytest.mark.parametrize("kind", [Kind.GRAPH, Kind.PROFILE])
def test_a_small_message_that_several_options_could_read_is_what_its_option_says(kind: Kind) -> None:
    """The versions of a graph, or the number of a string in a profile."""
    data = new("tensorflow.GraphDef", versions={"producer": 27}).SerializeToString()
    assert decode(data, kind, file="FILE", option="").form == "binary"


def test_every_other_message_is_named() -> None:
    assert [name for kind in RIGHT for name, data in RIGHT[kind].items() if sniff.describe(data) is None] == []


@pytest.mark.parametrize("kind", OPTIONS)
@pytest.mark.parametrize("name", FOREIGN)
def test_other_files_are_named_by_every_option_with_the_way_out(name: str, kind: Kind) -> None:
    data, found, advice = FOREIGN[name]
    wanted = sniff.a_message(kind)
    line = refusal(data, kind)
    if found == UNKNOWN:
        start = f"is not {wanted}: damaged, cut short, or another kind of file; "
    else:
        start = f"is {found}, not {wanted}; "
    is_for_all = advice in (PREFIX, UNPACK) or RECORD in advice
    assert line.startswith(
        start + (advice if advice and (is_for_all or kind is Kind.GRAPH) else GENERIC.format(wanted))
    )


def test_a_name_helps_where_the_content_says_nothing() -> None:
    with pytest.raises(InputError) as caught:
        decode(stored("checkpoint.data"), Kind.GRAPH, file="v/variables.data-00000-of-00001", option="--base-graph")
    problem = "is by its name the values of a TensorFlow checkpoint, not a GraphDef message"
    assert str(caught.value).endswith(f": {problem}; pass it with --base-checkpoint")
    lying = graph(node("a", "NoOp")).SerializeToString()
    assert decode(lying, Kind.GRAPH, file="model.tflite", option="").form == "binary"


@pytest.mark.parametrize("side", ["base-", "head-"])
def test_the_advice_stays_on_the_side_of_a_comparison(side: str) -> None:
    line = refusal(stored("graph.pb"), Kind.RUN_META, f"--{side}run-meta")
    assert line.endswith(f"; it looks like a GraphDef message; pass it with --{side}graph")


def test_names_that_hold_control_characters_do_not_reach_the_line() -> None:
    with pytest.raises(InputError) as caught:
        decode(b"\x07", Kind.GRAPH, file="a\nb\x1b[1m", option="--graph")
    assert str(caught.value).startswith(r"a\nb\x1b[1m (--graph): is not a GraphDef message")


@settings(max_examples=examples(100), deadline=None)
@given(st.binary(min_size=16), st.sampled_from(list(OPTIONS)))
def test_any_bytes_are_read_or_refused_in_one_line(data: bytes, kind: Kind) -> None:
    try:
        decode(data, kind, file="FILE", option=OPTIONS[kind])
    except InputError:
        refusal(data, kind)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"node {}", True),
        ("nœud".encode(), True),
        (b"a\x00b", False),
        (b"\x0a\x03abc", False),
        ("é".encode("latin-1"), False),
        (b"a" * 65535 + "é".encode(), True),
    ],
)
def test_text_is_utf8_without_control_characters(data: bytes, *, expected: bool) -> None:
    assert sniff.is_text(data) is expected


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"node {", "node"),
        (b" \n# x\n\n  #\nlibrary: <", "library"),
        (b"node names", None),
        (b"# node:", None),
        (b"", None),
    ],
)
def test_comments_before_the_first_field_are_skipped(data: bytes, name: str | None) -> None:
    assert sniff.first_field_name(data) == name
