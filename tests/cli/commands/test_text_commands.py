"""scope, op, graph and code: tfprof's options in both spellings, its text to the byte, and nothing else on stdout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from command import CPU, call, small_model, spawn, write_model
from machine_speed import slowness
from messages import entry, graph, node, op_log, ran, run_meta
from repository import GOLDENS

from tfprof_report.options import Options, flag

SHIPPED = [
    "001-scope-trainable-params",
    "005-scope-displayed-only",
    "009-scope-unknown-order-and-select",
    "015-scope-odd-names",
    "017-scope-regex-dialect",
    "018-scope-regex-invalid",
    "021-run-memory",
    "030-op-basic",
    "031-op-input-shapes",
    "039-op-empty-graph",
    "041-op-non-ascii",
]


def arguments_of(options: dict[str, Any]) -> list[str]:
    """Return recorded options as a command line."""
    given = []
    for name in Options.__dataclass_fields__:
        if name not in options:
            continue
        value = options[name]
        if isinstance(value, list):
            value = ",".join(item.replace(",", "\\,") for item in value)
        given.append(f"{flag(name)}={str(value).lower() if isinstance(value, bool) else value}")
    return given


@pytest.mark.parametrize("name", SHIPPED)
def test_the_command_prints_the_native_text_to_the_byte(name: str) -> None:
    folder = GOLDENS / name
    case = json.loads((folder / "options.json").read_text())
    files = {role: folder / file for role, file in case["inputs"].items()}
    given = [f"{flag(role)}={file}" for role, file in files.items()]
    outcome = call(case["cmd"], "--frame", *given, *arguments_of(case["options"]))
    expected = (folder / "expected.txt").read_bytes().decode()
    assert (outcome.code, outcome.out) == (0, expected)


def test_without_frame_the_view_text_alone_is_printed() -> None:
    folder = GOLDENS / "030-op-basic"
    case = json.loads((folder / "options.json").read_text())
    given = [f"{flag(role)}={folder / file}" for role, file in case["inputs"].items()]
    framed = (folder / "expected.txt").read_bytes().decode()
    start = "==================Model Analysis Report======================\n"
    body = framed.split(start, 1)[1].rsplit("\n======================End of Report", 1)[0]
    assert call(case["cmd"], *given, *arguments_of(case["options"])).out == body
    assert body.startswith("\nDoc:\n")


def test_the_installed_script_prints_utf8_whatever_the_locale_says(tmp_path: Path) -> None:
    model = write_model(tmp_path, graph(node("名/é", "Op")))
    outcome = spawn("scope", model / "graph.pb", LC_ALL="C", PYTHONUTF8="0", PYTHONIOENCODING="")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.endswith("  名 (0us/0us, 0us/0us, 0us/0us)\n    名/é (0us/0us, 0us/0us, 0us/0us)\n")


def test_tfprofs_spelling_of_options_is_understood(tmp_path: Path) -> None:
    model = small_model(tmp_path)
    ours = call(
        "op",
        *("--graph", model / "graph.pb", "--op-log", model / "tfprof_log"),
        *("--run-meta", model / "run_meta_1", "--run-meta", model / "run_meta_2"),
        *("--max-depth", "2", "--order-by", "micros", "--select", "micros,occurrence"),
    )
    theirs = call(
        "op",
        *(f"--graph_path={model / 'graph.pb'}", f"--op_log_path={model / 'tfprof_log'}"),
        f"--run_meta_path={model / 'run_meta_1'},{model / 'run_meta_2'}",
        *("--max_depth=2", "--order_by=micros", "--select", "micros", "--select", "occurrence"),
    )
    assert ours == theirs
    assert ours.code == 0
    assert f"\nMatMul{' ' * 27}45us (100.00%, 90.00%)," in ours.out


def test_a_folder_and_options_go_together(tmp_path: Path) -> None:
    model = small_model(tmp_path / "m")
    other = tmp_path / "other"
    other.write_bytes(op_log(entry("fc/MatMul", float_ops=7)).SerializeToString())
    plain = ["--select", "float_ops", "--max-depth", "1"]
    assert "_TFProfRoot (--/24 flops)\n" in call("scope", model, "--step", "1", *plain).out
    assert "_TFProfRoot (--/7 flops)\n" in call("scope", model, "--step", "1", "--op-log", other, *plain).out


@pytest.mark.parametrize(
    ("words", "total"),
    [
        ("--account_displayed_op_only", 2),
        ("--account-displayed-op-only", 2),
        ("--account_displayed_op_only=true", 2),
        ("--account-displayed-op-only 1", 2),
        ("--account_displayed_op_only=false", 5),
        ("--account-displayed-op-only no", 5),
        ("--no-account_displayed_op_only", 5),
    ],
)
def test_account_displayed_op_only_takes_the_forms_of_a_flag(tmp_path: Path, words: str, total: int) -> None:
    model = write_model(tmp_path, graph(node("a", "VariableV2", shape=[2]), node("b", "VariableV2", shape=[3])))
    given = [*words.split(), "--select", "params", "--show-name-regexes", "a"]
    outcome = call("scope", *given, "--graph", model / "graph.pb")
    assert f"_TFProfRoot (--/{total} params)" in outcome.out


def test_list_options_add_up_and_a_backslash_keeps_a_comma(tmp_path: Path) -> None:
    model = write_model(tmp_path, graph(*(node(name, "Op") for name in ("a", "b", "aaa", "c"))))

    def names(*patterns: str) -> list[str]:
        given = [word for pattern in patterns for word in ("--show_name_regexes", pattern)]
        lines = call("scope", model / "graph.pb", "--select", "", *given).out.split("Profile:\n")[1].splitlines()
        return [line.split(" (")[0].strip() for line in lines[2:]]

    assert names("a,b") == ["a", "b"]
    assert names("a", "b", "c") == ["a", "b", "c"]
    assert names(r"a{2\,3}") == ["aaa"]
    assert names("") == []


def test_steps_are_named_by_their_files_or_counted(tmp_path: Path) -> None:
    model = small_model(tmp_path)
    files = [model / "run_meta_1", model / "run_meta_2"]

    def root(*arguments: object) -> str:
        out = call("scope", "--graph", model / "graph.pb", "--select", "micros", "--max_depth", "1", *arguments).out
        return out.rsplit("\n", 2)[1]

    assert root("--run-meta", f"7={files[0]}", "--step", "7") == "_TFProfRoot (--/35us, --/0us, --/35us)"
    assert root("--run-meta", files[0], "--run-meta", files[1], "--step", "1") == (
        "_TFProfRoot (--/65us, --/0us, --/65us)"
    )
    assert root("--run_meta_path", f"{files[0]},{files[1]}") == "_TFProfRoot (--/50us, --/0us, --/50us)"


def test_standard_input_is_the_graph(tmp_path: Path) -> None:
    model = small_model(tmp_path) / "graph.pb"
    by_name = call("scope", model, "--select", "params")
    for words in (["-"], ["--graph", "-"], ["--graph_path=-"]):
        assert spawn("scope", *words, "--select", "params", stdin=model.read_bytes()) == by_name


def test_tfprof_semantics_warn_where_corrected_ones_refuse(tmp_path: Path) -> None:
    model = small_model(tmp_path) / "graph.pb"
    wrong = ["--select", "params,zork", "--order-by", "zork", "--hide-name-regexes", "("]
    native, corrected = call("scope", model, *wrong), call("scope", model, *wrong, "--semantics", "corrected")
    assert native.code == 0
    assert "\nUnknown select: zork\n" in native.out
    assert [line.split(";")[0] for line in native.err.splitlines()] == [
        'tfprof-report: warning: --order-by: "zork" is not known',
        'tfprof-report: warning: --select: "zork" is not known',
        'tfprof-report: warning: --hide-name-regexes: "(" is not a valid regex: missing )',
    ]
    assert (corrected.code, corrected.out) == (2, "")
    assert corrected.error.startswith('--order-by: "zork" is not known; choose from accelerator_micros, bytes')


def test_a_missing_step_prints_the_native_words_and_an_empty_view(tmp_path: Path) -> None:
    model = small_model(tmp_path)
    given = ["--graph", model / "graph.pb", "--run-meta", f"5={model / 'run_meta_1'}", "--step", "6"]
    native, corrected = call("op", *given), call("op", *given, "--semantics", "corrected")
    assert native == (0, "", "Options -step=6 not found.\nAvailable steps: 5 \n")
    assert (corrected.code, corrected.out) == (2, "")
    assert corrected.error == "--step: there is no step 6; available: 5"
    framed = call("op", *given, "--frame")
    assert framed.out.endswith(
        "\n==================Model Analysis Report======================\n"
        "\n======================End of Report==========================\n"
    )


def test_an_empty_graph_has_an_empty_view(tmp_path: Path) -> None:
    empty = tmp_path / "graph.pb"
    empty.write_bytes(b"")
    outcome = call("scope", empty, "--select", "params")
    assert (outcome.code, outcome.out.rsplit("\n", 2)[1]) == (0, "_TFProfRoot (--/0 params)")
    assert outcome.error == f"warning: {empty} is empty: a legal GraphDef message without content"


def test_hostile_names_are_printed_as_the_native_tool_prints_them(tmp_path: Path) -> None:
    names = ["</script><b>|", "a\nb", "_TFProfRoot", "_TFProfRoot/y"]
    model = write_model(tmp_path, graph(*(node(name, "_TFProfRoot") for name in names), node("a\nb", "again")))
    outcome = call("scope", model / "graph.pb", "--select", "device")
    rows = outcome.out.split("node name | assigned devices\n")[1]
    assert rows == ("_TFProfRoot ()\n  < ()\n    </script><b>| ()\n  _TFProfRoot ()\n    _TFProfRoot/y ()\n  a\nb ()\n")
    assert outcome.error == "warning: graph nodes that repeat an earlier name are left out: 1, such as a\\nb"


def test_the_module_runs_like_the_script(tmp_path: Path) -> None:
    model = small_model(tmp_path) / "graph.pb"
    done = subprocess.run(
        [sys.executable, "-m", "tfprof_report", "op", model], capture_output=True, check=False, text=True
    )
    assert (done.returncode, done.stdout, done.stderr) == spawn("op", model)


@pytest.mark.parametrize("words", ["--help", "--version", "report --help", "diff --help", "scope --help"])
def test_help_imports_nothing_heavy(words: str) -> None:
    program = (
        "import sys\nfrom tfprof_report.cli.main import main\n"
        "heavy = ('numpy', 'pandas', 'pyarrow', 'scipy', 'google.protobuf', 'ptars', 'pydantic')\n"
        "try: main(sys.argv[1:])\nfinally: print([name for name in heavy if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program, *words.split()], capture_output=True, check=False, text=True)
    assert (done.returncode, done.stderr) == (0, "[]\n")


@pytest.mark.parametrize("words", ["--help", "--version", "report --help"])
def test_help_and_version_answer_at_once(words: str) -> None:
    script = Path(sys.executable).with_name("tfprof-report")
    seconds = []
    for _ in range(5):
        before = os.times()
        start = time.perf_counter()
        subprocess.run([script, *words.split()], stdout=subprocess.DEVNULL, check=True)
        after = os.times()
        # Measure processor time: on a busy machine elapsed time depends on other processes.
        used = after.children_user + after.children_system - before.children_user - before.children_system
        seconds.append(min(used, time.perf_counter() - start))
    assert min(seconds) < 0.3 * slowness()


def test_run_counts_come_from_the_trace_alone(tmp_path: Path) -> None:
    steps = {0: run_meta({CPU: [ran("a"), ran("a"), ran("b", start=0)]})}
    model = write_model(tmp_path, graph(node("a", "X"), node("b", "X")), steps)
    out = call("op", model, "--select", "occurrence").out
    assert out.endswith("\nX                               2|2\n")
