"""The rules file: where it is found, what each key does, and how the command line overrides it."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from enum import StrEnum
from operator import attrgetter
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from command import Outcome, call, small_model, summary_of, write_model
from messages import entry, graph, node, op_log

from tfprof_report.cli.config.file import find_rules_file
from tfprof_report.cli.config.keys import TOP, Key, tables
from tfprof_report.cli.params.declare import params_of
from tfprof_report.cli.params.report_options import ReportValues
from tfprof_report.compare.gates.grammar import DEFAULT_GATES
from tfprof_report.options import flag, split_list

PARAMS = {param.path: param.name for param in params_of(ReportValues)}
KEYS = [(table, name) for table, keys in tables().items() for name in keys]


@pytest.fixture(autouse=True)
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Change to the top folder of a repository with two models; head has more parameters."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    small_model(tmp_path / "base")
    small_model(tmp_path / "head", width=5)
    return tmp_path


def rules(text: str, name: str = "tfprof-report.toml") -> None:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text)


def seen(*arguments: str, command: str = "report") -> Any:
    """Return the values that the command gets from the rules file and the command line, except --config."""
    with patch(
        f"tfprof_report.cli.commands.report.{'write' if command == 'report' else 'write_diff'}", return_value=0
    ) as write:
        outcome = call(command, *arguments)
        assert outcome.code == 0, outcome
    values = write.call_args.args[0]
    job = values.job
    return replace(values, job=replace(job, gates=replace(job.gates, config=None)))


def gates_of(folder: str) -> list[tuple[str, str, str]]:
    gates = summary_of(Path(folder))["verdict"]["gates"]
    return [(gate["gate"], gate["status"], gate["source"]) for gate in gates]


def example(key: Key) -> tuple[Any, list[str]]:
    """Return a value for a key, and the equivalent arguments."""
    name = flag(PARAMS[key.path])
    if key.metavar == "BOOL":
        return True, [name, "true"]
    if issubclass(key.kind, StrEnum):
        word = next(word.value for word in reversed(key.kind) if word.value not in ("extended", "corrected"))
        return word, [name, word]
    if key.kind is bool:
        return True, [name]
    if key.kind is int:
        return 7, [name, "7"]
    if key.is_list:
        return ["1=a", "b"], [name, "1=a", name, "b"]
    text = "7%" if key.metavar == "PERCENT" else "some"
    return text, [text] if key.metavar == "INPUTS" else [name, text]


@pytest.mark.parametrize(("table", "name"), KEYS)
def test_every_key_says_what_its_option_says_in_both_spellings(table: str, name: str) -> None:
    key = tables()[table][name]
    value, arguments = example(key)
    by_hand = seen(*arguments)
    assert by_hand != seen(), "the example changes nothing"
    for spelling in {name, name.replace("_", "-")}:
        rules((f"[{table}]\n" if table != TOP else "") + f"{spelling} = {json.dumps(value)}\n")
        assert seen() == by_hand
        assert seen("--config", "none") != by_hand


@pytest.mark.parametrize(("table", "name"), [(table, name) for table, name in KEYS if table != "inputs"])
def test_every_option_of_the_command_line_wins_over_its_key(table: str, name: str) -> None:
    key = tables()[table][name]
    value, arguments = example(key)
    other = {"true": "false", "7": "8", "7%": "8%", "some": "other", "b": "c"}
    if issubclass(key.kind, StrEnum):
        other |= {str(value): next(word.value for word in key.kind if word != value)}
    arguments = [other.get(word, word) for word in arguments]
    arguments = [f"--no-{arguments[0][2:]}"] if len(arguments) == 1 else arguments
    rules((f"[{table}]\n" if table != TOP else "") + f"{name} = {json.dumps(value)}\n")
    value_of = attrgetter(key.path)
    assert value_of(seen(*arguments)) == value_of(seen(*arguments, "--config", "none")) != value_of(seen())


@pytest.mark.parametrize(("table", "name"), [("inputs", "graph"), ("options", "select"), ("options", "max_depth")])
def test_diff_reads_the_same_keys_as_the_sides_base_and_head(table: str, name: str) -> None:
    value, arguments = example(tables()[table][name])
    rules(
        f"[inputs]\ninputs = 'head'\nbase_checkpoint = 'c'\n{'' if table == 'inputs' else f'[{table}]'}\n"
        f"{name} = {json.dumps(value)}\n[baseline]\nbaseline = 'base'\n[models]\na = 'b'\n"
    )
    arguments = [argument.replace("--graph", "--head-graph") for argument in arguments]
    assert seen(command="diff") == seen(
        "base", "head", "--base-checkpoint", "c", *arguments, "--config", "none", command="diff"
    )


def test_models_are_named_in_tables_of_their_own() -> None:
    rules("[models]\none = 'head'\ntwo = 'base'\n[base-models]\none = 'base'\n", "rules/mine.toml")
    expected = ["--model", "one=rules/head", "--model", "two=rules/base", "--base-model", "one=rules/base"]
    assert seen("--config", "rules/mine.toml") == seen(*expected)


def test_paths_start_at_the_folder_of_the_file_and_other_words_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    rules(
        """
        [inputs]
        graph = ["a.pb", "/b.pb", "-", "7=a"]
        run_meta = ["7=a,b", "c"]
        run_meta_path = "3=a,b\\\\,c"
        input_shape = "x=1,2"
        [output]
        out = "o"
        label = "l"
        [options]
        select = "params,bytes"
        """
    )
    Path("deep/er").mkdir(parents=True)
    monkeypatch.chdir("deep/er")
    values = seen()
    assert values.head.graph == ["../../a.pb", "/b.pb", "-", "../../7=a"]
    assert values.head.run_meta == ["7=../../a,b", "../../c"]
    assert split_list(values.head.run_meta_path) == ("3=../../a", "../../b,c")
    assert (values.head.input_shape, values.job.out, values.job.names.label) == (["x=1,2"], "../../o", "l")
    assert values.job.options.select == ("params", "bytes")


def test_an_item_of_a_list_is_whole_and_a_text_is_split_at_commas() -> None:
    rules("[options]\nshow_name_regexes = ['a{1,2}', 'b\\,c']\nhide_name_regexes = 'a,b'\n")
    options = seen().job.options
    assert options.show_name_regexes == ("a{1,2}", "b\\,c")
    assert options.hide_name_regexes == ("a", "b")


@pytest.mark.parametrize("nothing", ["[]", "''"])
def test_an_empty_list_is_no_missing_one(nothing: str) -> None:
    rules(f"[options]\nselect = {nothing}\n")
    assert seen() == seen("--select", "")
    assert seen() != seen("--config", "none")


@pytest.mark.parametrize("given", [["x"], ["--graph", "x"], ["--model", "m=x"]])
def test_a_side_that_the_command_line_names_is_named_by_nothing_else(given: list[str]) -> None:
    rules(
        "[inputs]\ngraph = 'a'\nop_log = 'b'\nsignature = 's'\nbase_graph = 'c'\n[models]\nn = 'd'\n"
        "[baseline]\nbaseline = 'e'\n"
    )
    values = seen(*given)
    assert not {"b", "a", "n=d"} & {values.head.op_log, *(values.head.graph or ()), *(values.models.model or ())}
    assert (values.head.signature, values.base.graph, values.base.source) == ("s", ["c"], "e")
    assert seen("--baseline", "f").base.graph is None
    assert seen("--baseline", "f").head.graph == ["a"]


def test_the_closest_file_within_the_repository_is_found(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = "[tool.tfprof_report]\n"
    rules(project, "pyproject.toml")
    rules("[tool.other]\n", "a/pyproject.toml")
    rules("", "a/b/tfprof-report.toml")
    rules(project, "a/b/pyproject.toml")
    rules("# tfprof_report is not a table\n", "a/b/c/pyproject.toml")
    found = {}
    for folder in (".", "a", "a/b", "a/b/c"):
        monkeypatch.chdir(repository / folder)
        found[folder] = find_rules_file()
    assert found == {
        ".": "pyproject.toml",
        "a": "../pyproject.toml",
        "a/b": "tfprof-report.toml",
        "a/b/c": "../tfprof-report.toml",
    }


def test_no_file_above_the_repository_counts_nor_any_above_a_folder_outside_of_one(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules("")
    for name, top in (("inner", ".git"), ("worktree", ".git")):
        Path(name).mkdir()
        (Path(name) / top).write_text("gitdir: elsewhere")
    monkeypatch.chdir(repository / "inner")
    assert find_rules_file() is None
    monkeypatch.chdir(repository)
    (repository / ".git").rmdir()
    assert find_rules_file() == "tfprof-report.toml"
    (repository / "a").mkdir()
    monkeypatch.chdir(repository / "a")
    assert find_rules_file() is None


@pytest.mark.thorough
def test_the_file_that_counted_is_printed_first() -> None:
    rules("[output]\nout = 'o'\n[inputs]\ninputs = 'head'\n")
    assert call("report").out.splitlines()[0] == "Rules     tfprof-report.toml"
    assert call("report", "--model", "m=head").out.splitlines()[0] == "Rules     tfprof-report.toml"
    assert "Rules" not in call("report", "--config", "none", "head", "--out", "o").out


def test_gates_stand_in_their_order_and_those_of_the_command_line_come_last() -> None:
    rules(
        """
        gates = [
          "params <= 12",
          { gate = "params <= 14", node = "fc/*", optional = true },
          { gate = "float_ops <= +0", level = "inform" },
          { gate = "params == +0", op = "Relu" },
          { gate = "params >= +0", scope = "f?" },
        ]
        """
    )
    outcome = call("diff", "base", "head", "--out", "o", "--gate", "params <= 16")
    assert outcome.code == 1
    assert gates_of("o") == [
        ("params <= 12", "skipped", "tfprof-report.toml, gate 1"),
        ("params <= 14", "failed", "tfprof-report.toml, gate 2"),
        ("float_ops <= +0", "failed", "tfprof-report.toml, gate 3"),
        ("params == +0", "passed", "tfprof-report.toml, gate 4"),
        ("params >= +0", "passed", "tfprof-report.toml, gate 5"),
        ("params <= 16", "passed", "--gate"),
    ]


def test_a_gate_may_leave_out_op_types_that_can_have_no_rule() -> None:
    nodes = [node("a", "MatMul"), node("loss", "CTCLoss")]
    write_model(Path("ctc"), graph(*nodes), log=op_log(entry("a", float_ops=5)))
    rules('gates = ["float_ops <= 5"]')
    assert call("report", "ctc", "--out", "o").code == 5
    rules('gates = [{ gate = "float_ops <= 5", unknown_ok = ["CTCLoss"] }]')
    assert call("report", "ctc", "--out", "o").code == 0
    assert gates_of("o") == [("float_ops <= 5", "passed", "tfprof-report.toml, gate 1")]
    text = summary_of(Path("o"))["verdict"]["gates"][0]["text"]
    assert text == "5, allowed at most 5, without 1 unknown node of CTCLoss, as the gate says"


def test_unknown_op_types_are_no_matter_of_other_metrics() -> None:
    rules('gates = [{ gate = "params <= 5", unknown_ok = ["CTCLoss"] }]')
    outcome = call("report", "head", "--out", "o")
    assert outcome.code == 2
    assert "unknown_ok is about op types without a FLOPs rule, and params needs none" in outcome.err


@pytest.mark.thorough
def test_gates_have_owners_and_those_without_one_have_that_of_the_file() -> None:
    def owners(*args: str) -> list[str]:
        call("diff", "base", "head", "--out", "o", *args)
        return [gate["owner"] for gate in summary_of(Path("o"))["verdict"]["gates"]]

    rules('gates = ["params <= 1", { gate = "params <= 2", owner = "@infra" }]')
    assert owners("--gate", "params <= +0") == ["", "@infra", ""]
    rules('owner = "@all"\ngates = ["params <= 1", { gate = "params <= 2", owner = "@infra" }]')
    assert owners("--gate", "params <= +0") == ["@all", "@infra", "@all"]
    rules('owner = "@all"')
    assert set(owners()) == {"@all"}
    rules("owner = ''")
    assert call("diff", "base", "head", "--out", "o").error == "tfprof-report.toml: owner is empty"


@pytest.mark.thorough
def test_a_file_without_gates_has_the_default_ones_and_an_empty_list_has_none() -> None:
    rules("")
    assert call("diff", "base", "head", "--out", "o").code == 1
    assert [gate for gate, *_ in gates_of("o")] == [gate.text for gate in DEFAULT_GATES]
    rules("gates = []")
    assert call("diff", "base", "head", "--out", "o").code == 0
    assert gates_of("o") == []


def test_without_a_baseline_the_relative_gates_of_a_file_are_skipped_and_it_is_no_ok() -> None:
    rules("gates = ['params <= +0', 'params <= 12']")
    outcome = call("report", "base", "--out", "o")
    assert outcome.code == 0
    assert outcome.out.splitlines()[-1].startswith("NO BASELINE: ")
    assert call("report", "head", "--out", "o").code == 1


@pytest.mark.thorough
def test_a_gate_of_some_models_is_for_those_alone() -> None:
    rules(
        """
        gates = [{ gate = "params <= 12", model = "enc*" }, { gate = "float_ops <= 1k", model = "**" }]
        [models]
        encoder = "head"
        decoder = "head"
        """
    )
    assert call("report", "--out", "o").code == 1
    assert [gate for gate, *_ in gates_of("o/encoder")] == ["params <= 12", "float_ops <= 1k"]
    assert [gate for gate, *_ in gates_of("o/decoder")] == ["float_ops <= 1k"]
    one = ("report", "head", "--out", "o1")
    assert call(*one).error == (
        'tfprof-report.toml, gate 1: is for models called "enc*", and this one has no name; '
        "name it with --label, or leave out the key model"
    )
    assert [call(*one, "--label", name).code for name in ("encoder", "decoder")] == [1, 0]


def test_a_gate_of_a_model_that_there_is_not_is_an_error_and_one_of_a_model_of_the_file_is_none() -> None:
    rules("gates = [{ gate = 'params <= 15', model = 'encoder' }]\n[models]\nencoder = 'head'\n")
    assert call("report", "--model", "other=head", "--out", "o").code == 0
    rules("gates = [{ gate = 'params <= 15', model = 'encodr' }]\n[models]\nencoder = 'head'\n")
    assert call("report", "--out", "o").error == (
        'tfprof-report.toml, gate 1: no model is called "encodr"; did you mean encoder?'
    )


@pytest.mark.thorough
def test_options_of_the_file_are_for_inputs_and_do_not_stand_in_the_way_of_earlier_reports() -> None:
    rules("gates = []\n[options]\nmax_depth = 3\nfunctions = 'off'\nleave_out = 'savers'\nsemantics = 'tfprof'\n")
    for side in ("base", "head"):
        assert call("report", side, "--out", f"r-{side}").code == 0
    outcome = call("diff", "r-base", "r-head", "--out", "o")
    assert outcome.code == 0, outcome
    assert summary_of(Path("o"))["options"]["max_depth"] == 3
    assert call("diff", "r-base", "r-head", "--out", "o", "--max-depth", "4").code == 2


@pytest.mark.thorough
def test_a_name_of_base_in_the_file_does_not_ask_for_a_base() -> None:
    rules("gates = []\n[output]\nbase_label = 'main'\n")
    assert call("report", "head", "--out", "o").code == 0
    assert call("report", "head", "--out", "o", "--base-label", "main").code == 2
    assert call("report", "head", "--out", "o", "--baseline", "base").code == 0
    assert summary_of(Path("o"))["comparison"]["base"]["label"] == "main"


def test_a_value_that_is_wrong_names_the_file_and_the_option() -> None:
    said: dict[str, Outcome] = {}
    for line in ("max_chars = 9", "label = 'l'"):
        rules(f"[output]\n{line}\n")
        said[line] = call("report", "head", "--out", "o", "--max-chars" if "label" in line else "--label", "9")
    assert said["max_chars = 9"].error == (
        "tfprof-report.toml: --max-chars: 9 is too few for the verdict; give 1000 or more"
    )
    assert said["label = 'l'"].error == "--max-chars: 9 is too few for the verdict; give 1000 or more"


def test_a_gate_that_is_none_names_the_file_and_its_number() -> None:
    rules("gates = ['params <= 3', { gate = 'parms <= 3' }]", "pyproject.toml")
    rules("[tool.tfprof-report]\ngates = ['params <= 3', { gate = 'parms <= 3', node = 'a' }]", "pyproject.toml")
    assert call("report", "head", "--out", "o").error == (
        'pyproject.toml, gate 2 "parms <= 3": "parms" is not known; did you mean params?'
    )


def test_without_out_anywhere_the_error_says_where_it_may_stand() -> None:
    assert call("report", "head").error == "Missing option '--out'; name the folder to write, here or in the rules file"


@pytest.mark.thorough
def test_without_a_file_nothing_is_imported_to_check_one() -> None:
    rules("# nothing about the tool\n", "pyproject.toml")
    program = (
        "import sys\nfrom tfprof_report.cli.main import main\n"
        "try:\n    main(sys.argv[1:])\nfinally:\n    print('jsonschema' in sys.modules)\n"
    )

    def imports_it(*arguments: str) -> bool:
        command = [sys.executable, "-c", program, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return done.stdout.splitlines()[-1] == "True"

    assert not imports_it("report", "--help")
    assert not imports_it("report", "head", "--out", "o")
    rules("gates = []\n")
    assert imports_it("report", "head", "--out", "o")
