"""The graph in a SavedModel or MetaGraphDef, its signatures, and which variables are trainable."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import text_format
from messages import new
from repository import DATA

from tfprof_report.errors import InputError, OptionError
from tfprof_report.ingest.paths import InputPaths, resolve_paths
from tfprof_report.ingest.read import Inputs, read_inputs
from tfprof_report.ingest.saved_model import Entry

KINDS = DATA / "kinds"

MODEL = """
meta_graphs {
  meta_info_def { tags: "train" }
  graph_def { node { name: "t" op: "NoOp" } }
}
meta_graphs {
  meta_info_def { tags: "serve" tags: "gpu" }
  graph_def {
    node { name: "x" op: "Placeholder" }
    node { name: "call" op: "StatefulPartitionedCall" input: "x" attr { key: "f" value { func { name: "__wrap_7" } } } }
    library { function { signature { name: "__wrap_7" } } }
  }
  signature_def {
    key: "serving_default"
    value {
      inputs { key: "image" value { name: "x:0" } }
      outputs { key: "scores" value { name: "call:0" } }
    }
  }
  signature_def { key: "warm_up" value {} }
  signature_def { key: "embed" value { outputs { key: "y" value { name: "x:0" } } } }
}
"""


def written(tmp_path: Path, text: str = MODEL) -> str:
    model = text_format.Parse(text, new("tensorflow.SavedModel"))
    (tmp_path / "saved_model.pb").write_bytes(model.SerializeToString())
    return str(tmp_path / "saved_model.pb")


def notes(inputs: Inputs) -> dict[str, str]:
    return {each.code: each.text for each in inputs.diagnostics}


def test_the_first_graph_tagged_serve_is_read_whole_and_its_signature_named(tmp_path: Path) -> None:
    inputs = read_inputs(InputPaths(graph=written(tmp_path)))
    assert inputs.graph.nodes["name"].to_pylist() == ["x", "call"]
    assert notes(inputs) == {
        "model_graph": "the graph is that of a SavedModel with the tags serve, gpu",
        "other_graphs": "other graphs of the SavedModel are left out, with the tags train",
        "signature": "signature serving_default takes image (x:0) and gives scores (call:0)",
        "signature_function": "signature serving_default is computed by the function __wrap_7, "
        "whose body is not counted",
        "other_signatures": "other signatures: embed, warm_up",
    }
    assert [(file.role, file.form) for file in inputs.files] == [("graph", "binary, SavedModel")]


def test_another_signature_can_be_named(tmp_path: Path) -> None:
    inputs = read_inputs(InputPaths(graph=written(tmp_path), signature="embed"))
    assert notes(inputs)["signature"] == "signature embed takes nothing and gives y (x:0)"
    assert notes(inputs)["other_signatures"] == "other signatures: serving_default, warm_up"
    assert "signature_function" not in notes(inputs)


def test_a_signature_that_does_not_exist_is_one_line_that_lists_the_others(tmp_path: Path) -> None:
    path = written(tmp_path)
    with pytest.raises(OptionError) as caught:
        read_inputs(InputPaths(graph=path, signature="serve"), side="head-")
    expected = f'{path} (--head-signature): there is no signature "serve"; choose from embed, serving_default, warm_up'
    assert str(caught.value) == expected


def test_a_plain_graph_has_no_signature(tmp_path: Path) -> None:
    path = tmp_path / "graph.pbtxt"
    path.write_text('node { name: "a" op: "NoOp" }')
    with pytest.raises(OptionError, match="leave the option out: the graph has no signatures"):
        read_inputs(InputPaths(graph=str(path), signature="serving_default"))
    assert read_inputs(InputPaths(graph=str(path))).entry == Entry()


INTERNAL = 'signature_def { key: "__saved_model_init_op" value { outputs { key: "i" value { name: "call" } } } }'


def with_signatures(*names: str) -> str:
    """Return a SavedModel with an internal signature, and signatures whose output is the node of their name."""
    nodes = "".join(f'node {{ name: "{name}" op: "NoOp" }}' for name in ("call", *names))
    made = "".join(
        f'signature_def {{ key: "{name}" value {{ outputs {{ key: "y" value {{ name: "{name}:0" }} }} }} }}'
        for name in names
    )
    return f"meta_graphs {{ graph_def {{ {nodes} }} {INTERNAL} {made} }}"


@pytest.mark.parametrize(
    ("names", "requested", "usual", "expected"),
    [
        (["b", "serving_default"], None, None, "serving_default"),
        (["b", "serving_default"], "b", None, "b"),
        (["b", "serving_default"], None, "b", "b"),
        (["b", "serving_default"], None, "c", "serving_default"),
        (["predict"], None, None, "predict"),
        (["predict"], None, "serving_default", "predict"),
        ([], "__saved_model_init_op", None, "__saved_model_init_op"),
        ([], None, None, "the SavedModel has no signature; functions that no node calls are not counted"),
        (
            ["a", "b"],
            None,
            None,
            "the SavedModel has the signatures a, b and no serving_default; --signature chooses one",
        ),
    ],
)
def test_the_signature_that_counts_is_the_one_asked_for_the_usual_one_or_the_only_one(
    tmp_path: Path, names: list[str], requested: str | None, usual: str | None, expected: str
) -> None:
    path = written(tmp_path, with_signatures(*names))
    paths = InputPaths(graph=path, signature=requested)
    entry = read_inputs(replace(paths, usual_signature=usual) if usual else paths).entry
    assert (entry.signature or entry.reason) == expected
    assert entry.nodes == ((expected if names else "call",) if entry.signature else ())


def test_an_output_may_be_a_tensor_of_several_parts_or_missing(tmp_path: Path) -> None:
    nodes = "".join(f'node {{ name: "{name}" op: "NoOp" }}' for name in "abcde")
    sparse = 'coo_sparse { values_tensor_name: "a:1" indices_tensor_name: "a:0" dense_shape_tensor_name: "b" }'
    ragged = 'composite_tensor { components { name: "c" } components { name: "d:2" } }'
    outputs = "".join(
        f'outputs {{ key: "{key}" value {{ {value} }} }}'
        for key, value in {"s": sparse, "r": ragged, "lost": 'name: "gone:0"'}.items()
    )
    text = f'meta_graphs {{ graph_def {{ {nodes} }} signature_def {{ key: "serving_default" value {{ {outputs} }} }} }}'
    inputs = read_inputs(InputPaths(graph=written(tmp_path, text)))
    assert inputs.entry == Entry(signature="serving_default", nodes=("c", "d", "a", "b"))
    gives = "lost (gone:0), r/0 (c), r/1 (d:2), s/indices (a:0), s/values (a:1), s/dense_shape (b)"
    assert notes(inputs)["signature"] == f"signature serving_default takes nothing and gives {gives}"
    gone = text.replace(nodes, 'node { name: "x" op: "NoOp" }')
    reason = "signature serving_default names no output that the graph has"
    assert read_inputs(InputPaths(graph=written(tmp_path, gone))).entry == Entry(reason=reason)


def test_a_meta_graph_without_signature_counts_whole_without_a_word(tmp_path: Path) -> None:
    path = tmp_path / "model.meta"
    made = new("tensorflow.MetaGraphDef")
    made.graph_def.node.add(name="w", op="VariableV2")
    path.write_bytes(made.SerializeToString())
    assert read_inputs(InputPaths(graph=str(path))).entry == Entry()


def test_without_the_tag_serve_the_first_graph_is_read(tmp_path: Path) -> None:
    inputs = read_inputs(InputPaths(graph=written(tmp_path, MODEL.replace('"serve"', '"other"'))))
    assert inputs.graph.nodes["name"].to_pylist() == ["t"]


def test_a_saved_model_without_graph_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "saved_model.pbtxt"
    path.write_text("saved_model_schema_version: 1")
    with pytest.raises(InputError, match=r"the SavedModel message is damaged or cut short; write the file again"):
        read_inputs(InputPaths(graph=str(path)))


@pytest.mark.parametrize("option", [{"source": True}, {"graph": True}])
def test_the_folder_of_a_saved_model_stands_for_its_file(tmp_path: Path, option: dict[str, Any]) -> None:
    written(tmp_path)
    (tmp_path / "variables").mkdir()
    folder = str(tmp_path)
    paths = resolve_paths(folder) if "source" in option else resolve_paths(None, graph=folder)
    assert paths.graph == f"{folder}/saved_model.pb"
    assert paths.checkpoint is None


def test_a_graph_beside_a_saved_model_is_read_first(tmp_path: Path) -> None:
    written(tmp_path)
    (tmp_path / "graph.pb").write_bytes(b"")
    paths = resolve_paths(str(tmp_path))
    assert paths.graph == f"{tmp_path}/graph.pb"
    assert f"{tmp_path}: saved_model.pb is ignored in favour of graph.pb" in paths.notes


@pytest.mark.parametrize(
    ("name", "kind"), [("saved_model.pb.gz", "SavedModel"), ("checkpoint.meta.gz", "MetaGraphDef")]
)
def test_files_that_tensorflow_wrote_give_their_graph(name: str, kind: str) -> None:
    inputs = read_inputs(InputPaths(graph=str(KINDS / name)))
    message = new("tensorflow.SavedModel" if kind == "SavedModel" else "tensorflow.MetaGraphDef")
    message = message.FromString(gzip.decompress((KINDS / name).read_bytes()))
    graph = message.meta_graphs[0].graph_def if kind == "SavedModel" else message.graph_def
    assert inputs.graph.nodes["name"].to_pylist() == [node.name for node in graph.node]
    assert inputs.files[0].form == f"binary, {kind}, gzip"


def test_collections_of_variables_say_which_are_trained(tmp_path: Path) -> None:
    path = tmp_path / "model.meta"
    made = new("tensorflow.MetaGraphDef")
    made.graph_def.node.add(name="w", op="VariableV2")
    for key, names in {"variables": ["w:0", "step:0"], "trainable_variables": ["w:0"]}.items():
        for name in names:
            # VariableDef.variable_name is field 1
            made.collection_def[key].bytes_list.value.append(b"\n" + bytes([len(name)]) + name.encode())
    path.write_bytes(made.SerializeToString())
    assert read_inputs(InputPaths(graph=str(path))).graph.trainable == {"w": True, "step": False}


def test_variables_of_the_object_graph_say_whether_they_are_trained(tmp_path: Path) -> None:
    objects = "".join(
        f'nodes {{ variable {{ name: "{name}" trainable: {trainable} }} }}'
        for name, trainable in [("w", "true"), ("w", "true"), ("mean", "false"), ("both", "true"), ("both", "false")]
    )
    text = f'meta_graphs {{ graph_def {{ node {{ name: "w" op: "VarHandleOp" }} }} object_graph_def {{ {objects} }} }}'
    assert read_inputs(InputPaths(graph=written(tmp_path, text))).graph.trainable == {"w": True, "mean": False}
