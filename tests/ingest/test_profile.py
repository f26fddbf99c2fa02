"""A ProfileProto gives the same views as its graph, run metadata and op log under tfprof's semantics."""

from __future__ import annotations

import gzip
from typing import Any

import pytest
from examples import examples
from google.protobuf import text_format
from hypothesis import given, settings
from messages import decoded, entry, graph, inputs_of, models, new, node, op_log, ran, run_meta, used
from queries import CPU, GPU, STREAM, text_of
from repository import DATA

from tfprof_report.ingest.decode import Decoded, _to_arrow
from tfprof_report.ingest.paths import InputPaths
from tfprof_report.ingest.profile import Content, read_profile
from tfprof_report.ingest.read import Inputs, read_inputs
from tfprof_report.ingest.sniff import Kind
from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.node_table import NodeTable
from tfprof_report.options import SELECT
from tfprof_report.profiler.profile_proto import profile_bytes as profile_to_bytes
from tfprof_report.semantics import CORRECTED, TFPROF, Semantics

PROFILE = DATA / "kinds" / "profile.gz"
EVERYTHING = tuple(word for word in SELECT if word != "tensor_value")


def parsed(text: str) -> Any:
    return text_format.Parse(text, new("tensorflow.tfprof.ProfileProto"))


def content_of(profile: Any) -> Content:
    return read_profile(decoded(profile, Kind.PROFILE))


def table_of_profile(profile: Any, semantics: Semantics = CORRECTED) -> NodeTable:
    content = content_of(profile)
    inputs = Inputs(
        graph=content.graph,
        run_metas=content.run_metas,
        op_log=content.op_log,
        files=(),
        diagnostics=(),
        misses_stream=content.misses_stream,
    )
    return build_node_table(inputs, semantics=semantics)


def reread(table: NodeTable) -> Any:
    return new("tensorflow.tfprof.ProfileProto").FromString(profile_to_bytes(table))


def rows(table: NodeTable, view: str, step: int = -1) -> str:
    """Return the text of a view without the warning about missing streams, which a profile lacks."""
    if view == "code" and not len(table.traces.frame):
        return ""
    return text_of(table, view, TFPROF, select=EVERYTHING, step=step, max_depth=99).partition("\nProfile:\n")[2]


GPU_MODEL = (
    graph(
        node("x", "Placeholder", output_shapes=[[-1, 3]]),
        node("w", "VariableV2", shape=[3, 4], output_shapes=[[3, 4]]),
        node("s", "VariableV2", shape=[], output_shapes=[[], None]),
        node("y", "MatMul", "x", "w:1", "^s", data_format="NHWC"),
        node("gradients/y_grad/MatMul", "MatMul", "y"),
    ),
    [
        (
            2,
            run_meta(
                {
                    CPU: [ran("x", start=3, micros=0), ran("lost", start=9)],
                    GPU: [
                        ran(
                            "y",
                            start=5,
                            micros=4,
                            memory=[
                                used("GPU_0_bfc", total=70, peak=60, live=50, in_use=99, records=[(6, 70), (8, -20)])
                            ],
                            outputs=[(30, 40)],
                            temp=3,
                            persistent=5,
                        ),
                        ran("y", start=20, micros=1, memory=[used("GPU_0_bfc", total=1)]),
                        ran("x", start=50, micros=7),
                    ],
                    STREAM: [ran("y", start=11, micros=30), ran("w", start=12, micros=2)],
                    "/device:GPU:0/stream:13": [ran("s", start=2, micros=100)],
                }
            ),
        ),
        (7, run_meta({CPU: [ran("x", start=100, micros=9), ran("s", start=0)]})),
        (9, run_meta({})),
    ],
    op_log(
        entry("y", float_ops=24, types=["mine"], traces=[(1, 0, 1), (2, 0, 2)]),
        entry("w", types=["_trainable_variables"]),
        strings={0: "dir/train.py", 1: "main", 2: "build"},
    ),
)


@pytest.mark.parametrize("view", ["scope", "graph", "op", "code"])
@pytest.mark.parametrize("step", [-1, 2, 7, 9])
def test_a_profile_shows_what_its_parts_show(view: str, step: int) -> None:
    parts = build_node_table(inputs_of(*GPU_MODEL), semantics=TFPROF)
    assert rows(table_of_profile(reread(parts), TFPROF), view, step) == rows(parts, view, step)


def test_times_bounds_and_memory_of_every_execution_come_back() -> None:
    parts = build_node_table(inputs_of(*GPU_MODEL))
    again = table_of_profile(reread(parts))
    assert reread(again) == reread(parts)
    kept = ["device", "start_micros", "micros", "bytes", "peak_bytes", "residual_bytes", "output_bytes", "bytes_in_use"]
    own = ["temp_bytes", "persistent_bytes"]

    def of_y(table: NodeTable) -> list[dict[str, Any]]:
        row = table.column("name").to_pylist().index("y")
        return [
            {name: record[name] for name in (*kept, *own)}
            for record in table.records.to_pylist()
            if record["node"] == row
        ]

    assert of_y(again) == of_y(parts)
    assert again.allocations.select(["micros", "bytes"]) == parts.allocations.select(["micros", "bytes"])
    assert again.step_numbers == (2, 7, 9)
    assert [(peak.device, peak.step, peak.device_peak_bytes) for peak in again.devices if "gpu" in peak.device] == [
        ("/device:gpu:0", 2, 99)
    ]


@pytest.mark.parametrize(("semantics", "misses"), [(CORRECTED, True), (TFPROF, False)])
def test_the_missing_stream_flag_is_kept_unless_tfprof_is_asked_for(*, semantics: Semantics, misses: bool) -> None:
    profile = parsed('nodes { key: 0 value { name: "a" op: "A" } } miss_accelerator_stream: true')
    table = table_of_profile(profile, semantics)
    assert table.misses_stream is misses
    assert ("missing_stream" in [each.code for each in table.diagnostics]) is misses
    assert text_of(table, "scope", semantics).startswith("\n\nFound accelerator") is misses


def test_nodes_are_in_the_order_of_their_ids_and_a_run_only_node_is_told_by_what_it_lacks() -> None:
    table = table_of_profile(
        parsed(
            """
            nodes { key: 2 value { id: 2 name: "late" op: "late" execs { key: 1 value {} } } }
            nodes { key: 1 value { id: 1 name: "b" op: "B" inputs { key: 0 value: 0 } } }
            nodes { key: 0 value { id: 0 name: "a" op: "a" attrs { key: "T" value { type: DT_FLOAT } } } }
            steps: 1
            """
        )
    )
    rows = table.nodes[["name", "op", "source"]].astype(object).where(lambda frame: frame.notna(), None)
    assert rows.to_numpy().tolist() == [["a", "a", "graph"], ["b", "B", "graph"], ["late", None, "run_metadata"]]


def test_positions_without_an_input_stay_empty() -> None:
    table = table_of_profile(
        parsed(
            """
            nodes { key: 0 value { name: "a" op: "A" output_shapes { key: 1 value { int64_values: 5 } } } }
            nodes { key: 1 value { name: "b" op: "B" inputs { key: 2 value: 0 } inputs { key: 0 value: 0 } } }
            nodes { key: 3 value { name: "c" op: "C" inputs { key: 0 value: 77 } inputs { key: 1 value: 1 } } }
            """
        )
    )
    assert table.column("inputs").to_pylist() == [[], ["a", None, "a"], [None, "b"]]
    assert table.edges.select(["node", "position", "source"]).to_pydict() == {
        "node": [1, 1, 2],
        "position": [0, 2, 1],
        "source": [0, 0, 1],
    }
    assert table.column("output_shapes").to_pylist() == [[None, [5]], None, None]


@pytest.mark.parametrize("position", [-1, 2**31 - 1])
def test_absurd_positions_take_no_memory(position: int) -> None:
    table = table_of_profile(
        parsed(
            f"""
            nodes {{ key: 0 value {{ name: "a" op: "A" }} }}
            nodes {{ key: 1 value {{ name: "b" op: "B" inputs {{ key: {position} value: 0 }} inputs {{ key: 5 }} }} }}
            """
        )
    )
    assert table.column("inputs").to_pylist() == [[], ["a", "a"]]


def test_absurd_positions_of_many_nodes_take_no_memory() -> None:
    profile = new("tensorflow.tfprof.ProfileProto")
    for number in range(3000):
        made = profile.nodes[number]
        made.name = made.op = f"n{number}"
        made.inputs[3500] = 0
    assert table_of_profile(profile).column("inputs").to_pylist() == [["n0"]] * 3000


def test_a_key_that_comes_twice_counts_once_as_in_protobuf() -> None:
    first = parsed('nodes { key: 0 value { name: "a" op: "A" } }').SerializeToString()
    second = parsed('nodes { key: 0 value { name: "b" op: "B" } }').SerializeToString()
    twice = Decoded(batch=_to_arrow(first + second, Kind.PROFILE), form="binary")
    assert read_profile(twice).graph.nodes["name"].to_pylist() == ["b"]


def test_a_stored_profile_is_read_whether_it_is_named_as_profile_or_as_the_one_input() -> None:
    named, told = (read_inputs(InputPaths(**{name: str(PROFILE)})) for name in ("profile", "graph"))
    assert named.graph.nodes.equals(told.graph.nodes)
    assert [(file.role, file.form) for file in told.files] == [("profile", "binary, gzip")]
    message = new("tensorflow.tfprof.ProfileProto").FromString(gzip.decompress(PROFILE.read_bytes()))
    names = build_node_table(named).column("name").to_pylist()
    assert sorted(names) == sorted(node.name for node in message.nodes.values())


@settings(max_examples=examples(25), deadline=None)
@given(models(max_nodes=8))
def test_any_model_shows_the_same_through_a_profile(model: tuple[Any, list[tuple[int, Any]], Any]) -> None:
    made, steps, log = model
    known = set(build_node_table(inputs_of(made, steps)).column("name").to_pylist())
    for each in made.node:  # an input that names no node cannot be written
        each.input[:] = [name for name in each.input if name.partition(":")[0].removeprefix("^") in known]
    parts = build_node_table(inputs_of(made, steps, log), semantics=TFPROF)
    again = table_of_profile(reread(parts), TFPROF)
    for view in ("scope", "graph", "op", "code"):
        assert rows(again, view) == rows(parts, view)
    assert again.step_numbers == parts.step_numbers


def test_memory_without_a_device_is_the_nodes_in_whatever_order_the_steps_were_added() -> None:
    nameless = run_meta({"": [ran("a", memory=[used("cpu", live=1000)])]})
    steps = [(1, nameless), (0, run_meta({CPU: [ran("a")]}))]
    parts = build_node_table(inputs_of(graph(node("a", "A")), steps), semantics=TFPROF)
    again = table_of_profile(reread(parts), TFPROF)
    assert "500B/500B" in rows(parts, "scope")
    assert rows(again, "scope") == rows(parts, "scope")


def test_an_input_that_names_no_node_is_left_out() -> None:
    profile = reread(build_node_table(inputs_of(graph(node("a", "A"), node("b", "B", "missing", "a")))))
    assert dict(profile.nodes[1].inputs) == {1: 0}
