"""Files below 1 MB, packed or not, that hold as much of something as they may: 10 s of a usual processor and 1 GB do.

Commands run in forks, so that what they take is theirs alone.
"""

from __future__ import annotations

import gzip
import math
import resource
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from examples import every
from fuzz.cases import Command
from fuzz.run import Result, run_command
from machine_speed import slowness
from messages import call as node_call
from messages import entry, function, graph, new, node, op_log, ran, run_meta, used, with_library
from queries import CPU

MOST_BYTES = 2**20
SECONDS, MEMORY = 10, 10**9
START = 180 * 10**6
"""Memory of a command that has done nothing yet."""

ONE = graph(node("a", "MatMul")).SerializeToString()


def packed(data: bytes) -> bytes:
    return gzip.compress(data, 3)


def many_nodes(count: int) -> bytes:
    return b"".join(graph(node(f"n{i:x}", "A")).SerializeToString() for i in range(count))


def kinds_of_nodes(levels: int) -> bytes:
    """Return a chain whose levels have nodes of several types, each with a rule for shapes."""
    types = ("MatMul", "Conv2D", "Softmax", "Reshape", "Sum")
    first = node("p", "Placeholder", shape=[2, 2])
    nodes = [
        node(f"{i}_{j}", op, *[f"{i - 1}_0" if i else "p"] * 2) for i in range(levels) for j, op in enumerate(types)
    ]
    return bytes(graph(first, *nodes).SerializeToString())


def many_inputs(count: int) -> bytes:
    return bytes(graph(node("a", "A", *map(str, range(count)))).SerializeToString())


def devices(count: int) -> bytes:
    return bytes(run_meta({f"/device:CPU:{number}": [ran("a")] for number in range(count)}).SerializeToString())


def gradients_of_a_deep_stack() -> Mapping[str, bytes]:
    names = ["a", *(f"gradients/a_grad/{number}" for number in range(100))]
    log = op_log(entry("a", traces=[(1, 0, 1)] * 50_000), *[entry(name, traces=[(1, 0, 1)]) for name in names[1:]])
    return {
        "graph.pb": graph(*[node(name, "A") for name in names]).SerializeToString(),
        "tfprof_log": log.SerializeToString(),
    }


def profile_of_many_steps() -> Mapping[str, bytes]:
    profile = new("tensorflow.tfprof.ProfileProto")
    profile.nodes[0].name = profile.nodes[0].op = "a"
    for step in range(30_000):
        profile.nodes[0].execs[step].run_count = 1
    return {"graph.pb": profile.SerializeToString()}  # told by its content


def long_device() -> Mapping[str, bytes]:
    return {"graph.pb": ONE, "run_meta_1": run_meta({"d" * 400_000: [ran("a")] * 10_000}).SerializeToString()}


def long_allocator() -> Mapping[str, bytes]:
    memory = used("GPU" * 130_000, total=1, records=[(1, 1)] * 50_000)
    return {"graph.pb": ONE, "run_meta_1": run_meta({CPU: [ran("a", memory=[memory])]}).SerializeToString()}


def long_file() -> Mapping[str, bytes]:
    log = op_log(entry("a", traces=[(line, 1, 2) for line in range(20_000)]), strings={1: "f" * 400_000, 2: "g"})
    return {"graph.pb": ONE, "tfprof_log": log.SerializeToString()}


def profile_of_a_long_name(*, device: str = "d", canonical: str = "", inputs: int = 0, times: int = 0) -> bytes:
    profile = new("tensorflow.tfprof.ProfileProto", steps=[1])
    made = profile.nodes[0]
    made.name, made.op, made.canonical_device = "a" if canonical or len(device) > 1 else "a" * 400_000, "A", canonical
    for _ in range(times):
        made.execs[1].cpu_execs[device].times.add(int64_values=[5, 6])
    made.op_types.extend([""] * (100_000 if canonical else 0))
    other = profile.nodes[1]
    other.name = other.op = "b"
    for position in range(inputs):
        other.inputs[position] = 0
    return bytes(profile.SerializeToString())


def long_attribute() -> bytes:
    made = node("a", "Case")
    for _ in range(50_000):
        made.attr["b" * 400_000].list.func.add(name="f")
    return bytes(graph(made).SerializeToString())


def parts_of_a_tensor() -> bytes:
    made = new("tensorflow.SavedModel", saved_model_schema_version=1)
    meta = made.meta_graphs.add(graph_def=graph(node("a", "A")))
    meta.meta_info_def.tags.append("serve")
    parts = meta.signature_def["serving_default"].outputs["k" * 400_000].composite_tensor.components
    for _ in range(50_000):
        parts.add(name="a")
    return bytes(made.SerializeToString())


def results_of_calls() -> bytes:
    rets = {f"{i:x}": "n:y:0" for i in range(10_000)}
    calls = [node_call(f"c{i}", "PartitionedCall", "x", f="f") for i in range(1_000)]
    library = function("f", ["x"], rets, node("n", "Relu", "x"))
    return bytes(with_library(graph(node("x", "A"), *calls), library).SerializeToString())


def one_deep_stack() -> Mapping[str, bytes]:
    log = op_log(entry("a", traces=[(1, 0, 1)] * 100_000)).SerializeToString()
    return {"graph.pb": ONE, "tfprof_log": log}


def text(start: bytes, part: bytes, end: bytes = b"", size: int = MOST_BYTES) -> bytes:
    """Return a text graph of one line, with a part repeated."""
    line = b'node{name:"a"op:"A"}' + start
    return line + part * ((size - len(line) - len(end)) // len(part)) + end


LONG_IN_PROFILES: dict[str, dict[str, Any]] = {
    "times": {"times": 40_000},
    "inputs": {"inputs": 50_000},
    "device": {"device": "d" * 400_000, "times": 40_000},
    "canonical device": {"canonical": "d" * 400_000},
}

UNPACKED = 2**25 - 1
TOO_MANY_FIELDS = "unpack to more than 1,000,000 fields; "
UNKNOWN_FIELDS = "unpack to more than 250,000 fields, some of which this version does not know; "
TEXTS: dict[str, tuple[bytes, str]] = {
    "nodes": (text(b"", b"node<>"), ""),
    "inputs": (text(b"node{name:'b'op:'A'input:[''", b",''", b"]}"), ""),
    "strings": (text(b"node{op:", b"''", b"}"), ""),
    "unknown fields": (text(b"", b"x:1 "), ""),
    "unknown elements": (text(b"x:[1", b",1", b"]"), ""),
    "unknown messages": (text(b"", b"x{}"), ""),
    "white space": (text(b"", b" "), ""),
    "packed nodes": (packed(text(b"", b"node<>", size=UNPACKED)), TOO_MANY_FIELDS),
    "packed strings": (packed(text(b"node{op:", b"''", b"}", size=UNPACKED)), TOO_MANY_FIELDS),
    "packed unknown fields": (packed(text(b"", b"x:-inf ", size=1_749_000)), ""),
    "packed fields, the last unknown": (packed(text(b"node{input:['a'", b",'a'", b"]x:1}", 3_999_000)), UNKNOWN_FIELDS),
    "packed fields, then an error": (packed(text(b"node{input:['a'", b",'a'", b"]?}", 3_999_000)), "at line 1; "),
    "packed white space": (packed(text(b"", b" ", size=UNPACKED)), ""),
}

TOO_MANY = "unpack to more than 100,000 nodes or records; "

CASES: dict[str, tuple[Callable[[], Mapping[str, bytes]], str]] = {
    "packed nodes": (
        lambda: {"graph.pb.gz": packed(many_nodes(100_001))},
        TOO_MANY,
    ),
    "packed inputs": (
        lambda: {"graph.pb.gz": packed(many_inputs(450_000))},
        "",
    ),
    "packed entries": (
        lambda: {"graph.pb": ONE, "tfprof_log.gz": packed(op_log(entry("a")).SerializeToString() * 990_000)},
        "",
    ),
    "packed records": (
        lambda: {"graph.pb": ONE, "run_meta_1.gz": packed(run_meta({CPU: [ran("a")] * 100_001}).SerializeToString())},
        TOO_MANY,
    ),
    "packed zeros": (lambda: {"graph.pb.gz": packed(b"\0" * 4 * 10**7)}, "unpack to more than 33,554,432 bytes; "),
    "levels": (lambda: {"graph.pb": kinds_of_nodes(500)}, ""),
    "scopes": (
        lambda: {"graph.pb": graph(node("s/" * 10_000 + "s", "A")).SerializeToString()},
        "components",
    ),
    "steps of a profile": (profile_of_many_steps, "has more than 1,000 steps"),
    "one deep stack": (one_deep_stack, "call stacks whose paths take"),
    "gradients of a deep stack": (gradients_of_a_deep_stack, "repeat the call stacks of their forward nodes"),
    "long device": (long_device, "names of devices take 4,000,000,000 bytes where they are used, more than "),
    "long allocator": (long_allocator, "names of allocators take "),
    "long file": (long_file, "names of files in the op log's call stacks take 8,000,000,000 bytes"),
    "long attribute": (lambda: {"graph.pb": long_attribute()}, "names of attributes take "),
    "parts of a tensor": (lambda: {"saved_model.pb": parts_of_a_tensor()}, "names of tensors of several parts take "),
    "results of calls": (lambda: {"graph.pb": results_of_calls()}, "return more than 4,194,304 tensors"),
    **{
        f"profile, {field}": (
            lambda given=given: {"graph.pb": profile_of_a_long_name(**given)},
            f"names of {'devices' if 'device' in field or 'canonical' in field else 'nodes'} take ",
        )
        for field, given in LONG_IN_PROFILES.items()
    },
    "devices": (lambda: {"graph.pb": ONE, "run_meta_1": devices(8_000)}, "has more than 4,096 devices"),
    **{f"text, {what}": (lambda data=data: {"graph.pbtxt": data}, refusal) for what, (data, refusal) in TEXTS.items()},
}
"""Per kind its files, and what the error says; nothing where a report of all views is made."""

WITHOUT_A_VIEW = ("scopes", "one deep stack", "gradients of a deep stack")
"""Kinds of which a report is made, with a warning in place of an error."""


def resident() -> int:
    """Return the bytes of memory that this process has now."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def report(folder: Path, files: Mapping[str, bytes]) -> Result:
    folder.mkdir()
    for name, data in files.items():
        assert len(data) <= MOST_BYTES
        (folder / name).write_bytes(data)
    return run_command(
        Command(arguments=("report", ".", "--out", "o")), folder, cpu_s=math.ceil(3 * SECONDS * slowness())
    )


@pytest.mark.parametrize("kind", every(7, CASES))
def test_what_a_small_file_holds_takes_little_time_and_memory(kind: str, tmp_path: Path) -> None:
    make, refusal = CASES[kind]
    inherited = resident()  # by the fork that is the command
    result = report(tmp_path / "case", make())
    assert result.cpu_s < SECONDS * slowness()
    assert result.rss - inherited + START < MEMORY
    assert result.code == (3 if refusal and kind not in WITHOUT_A_VIEW else 0), result.stderr
    assert refusal in result.stderr.decode()
