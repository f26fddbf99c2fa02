"""Profiles, checkpoints, saved models and several graphs on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import call
from messages import graph, new, node
from repository import DATA

PROFILE = str(DATA / "goldens" / "069-profile-file-scope" / "profile.pbtxt")
SHARDED = str(DATA / "checkpoints" / "sharded")


@pytest.fixture
def model(tmp_path: Path) -> str:
    path = tmp_path / "graph.pb"
    path.write_bytes(graph(node("c", "VariableV2", shape=[3, 4]), node("other", "NoOp")).SerializeToString())
    return str(path)


def rows(text: str) -> list[str]:
    return text.partition("\nProfile:\n")[2].splitlines()[1:]


@pytest.mark.parametrize("arguments", [[PROFILE], ["--profile", PROFILE], [f"--profile_path={PROFILE}"]])
def test_a_profile_is_told_by_its_content_or_named(arguments: list[str]) -> None:
    done = call("scope", *arguments, "--select", "params")
    assert done.code == 0
    assert rows(done.out)[0] == "_TFProfRoot (--/3 params)"


@pytest.mark.thorough
def test_a_report_can_be_written_of_a_profile_and_compared_with_one(tmp_path: Path) -> None:
    for command in (["report", PROFILE], ["diff", "--base-profile", PROFILE, "--head-profile", PROFILE]):
        assert call(*command, "--out", str(tmp_path / command[0])).code == 0


@pytest.mark.parametrize("option", ["--checkpoint", "--checkpoint_path"])
def test_a_checkpoint_marks_variables_and_shows_their_values(model: str, option: str) -> None:
    done = call(
        "scope",
        model,
        option,
        SHARDED,
        "--select=op_types,tensor_value",
        "--account-type-regexes=_checkpoint_variables",
    )
    assert rows(done.out) == [
        "_TFProfRoot (_kTFScopeParent)",
        "  c (VariableV2|_checkpoint_variables)",
        *("[[0 1 2 3 ],", "[4 5 6 7 ],", "[8 9 10 11 ],", "],"),
    ]


def test_a_checkpoint_of_another_model_is_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "graph.pb"
    path.write_bytes(graph(node("x", "NoOp")).SerializeToString())
    done = call("scope", str(path), "--checkpoint", SHARDED)
    assert done.error == "warning: no variable of the checkpoint names a node: 4, such as c"


def test_several_graphs_add_up(model: str, tmp_path: Path) -> None:
    later = tmp_path / "later.pb"
    later.write_bytes(graph(node("new", "Add"), node("c", "Other")).SerializeToString())
    done = call("scope", "--graph", model, "--graph", str(later), "--select", "op_types")
    assert rows(done.out)[1:] == ["  c (VariableV2)", "  new (Add)", "  other (NoOp)"]
    assert done.error == "warning: nodes have another op in a later graph; the first one counts: 1, such as c"


def test_the_folder_of_a_saved_model_is_an_input(tmp_path: Path) -> None:
    made = new("tensorflow.SavedModel", meta_graphs=[{"graph_def": graph(node("x", "NoOp"))}])
    (tmp_path / "saved_model.pb").write_bytes(made.SerializeToString())
    done = call("scope", str(tmp_path), "--select", "op_types")
    assert rows(done.out)[1:] == ["  x (NoOp)"]
    assert done.error == f"{tmp_path}: reading saved_model.pb"


@pytest.mark.parametrize(
    ("arguments", "code", "line"),
    [
        (["--profile", "p", "--graph", "g"], 2, "a profile holds graph, run metadata and op log already"),
        (["--profile", "missing"], 3, "missing (--profile): no such file; check the path"),
        (["MODEL", "--checkpoint", "missing"], 3, "no such checkpoint: missing.index does not exist; check the path"),
        (["MODEL", "--signature", "x"], 2, 'there is no signature "x"; leave the option out'),
        (["--profile", "MODEL"], 3, "is not a ProfileProto message; it looks like a GraphDef message"),
        ([PROFILE, "--run-meta", "r"], 3, "it looks like a ProfileProto message in text form; pass it with --profile"),
    ],
)
def test_what_is_wrong_is_one_line(model: str, arguments: list[str], code: int, line: str) -> None:
    done = call("scope", *(model if argument == "MODEL" else argument for argument in arguments))
    assert done.code == code
    assert line in done.error
