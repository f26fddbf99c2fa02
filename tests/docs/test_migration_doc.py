"""docs/migration.md: what it says to write means what was written before, and old names answer as it says."""

from __future__ import annotations

import io
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from command import CPU, call, call_into, contents
from messages import entry, graph, node, op_log, ran, run_meta
from repository import ROOT

import tfprof_report as tr
from tfprof_report import profiler
from tfprof_report.cli.config.keys import tables
from tfprof_report.cli.params.text_options import ViewValues
from tfprof_report.errors import OptionError
from tfprof_report.old_names import NO_COMMAND, OLD_NAMES, Place
from tfprof_report.options import Options, flag
from tfprof_report.profiler import ProfileOptionBuilder
from tfprof_report.render.tfprof.output_spec import parse_output
from tfprof_report.semantics import TFPROF

TEXT = (ROOT / "docs" / "migration.md").read_text()
EXAMPLES = re.findall(r"```python\n(.*?)```", TEXT, flags=re.DOTALL)
MODEL = graph(
    node("fc/w", "VariableV2", shape=[3, 4], output_shapes=[[3, 4]]),
    node("fc/y", "MatMul", "x", "fc/w", output_shapes=[[2, 4]]),
    node("x", "Placeholder", shape=[2, 3], output_shapes=[[2, 3]]),
)
STEP = run_meta({CPU: [ran("fc/y", start=10, micros=7)]})


def rows(heading: str) -> list[list[str]]:
    """Return the cells of the rows of all tables below a heading, without headers."""
    text = re.sub(r"```.*?```", "", TEXT, flags=re.DOTALL)
    section = re.split(r"\n#+ ", text.split(f"# {heading}\n", 1)[1])[0]
    lines = [line for line in section.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def quoted(cell: str) -> str:
    """Return what the cell of a table quotes first."""
    found = re.match(r"`([^`]+)`", cell.strip())
    assert found is not None, cell
    return found[1]


def live() -> Any:
    """Return an object with the methods of a ``tf.Graph`` that the profiler calls."""
    ops = [SimpleNamespace(name=each.name, traceback=[("train.py", 3, "main", "build()")]) for each in MODEL.node]
    variable = SimpleNamespace(op=SimpleNamespace(name="fc/w"))
    return SimpleNamespace(
        as_graph_def=lambda *, add_shapes: MODEL if add_shapes else None,
        get_operations=lambda: ops,
        get_collection=lambda name: [variable] if name == "trainable_variables" else [],
    )


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current folder, with the files that the command lines of the page name."""
    monkeypatch.chdir(tmp_path)
    log = op_log(entry("fc/y", float_ops=48), entry("fc/w", types=["_trainable_variables"]))
    watch = profiler.Profiler(live())
    watch.add_step(100, STEP)
    given = {
        "graph.pb": MODEL.SerializeToString(),
        "run_meta": STEP.SerializeToString(),
        "tfprof_log": log.SerializeToString(),
        "profile_100": watch.serialize_to_string(),
    }
    for name, data in given.items():
        Path(name).write_bytes(data)
    for path in (ROOT / "tests" / "data" / "checkpoints").glob("dtypes.*-*"):
        shutil.copy(path, path.name.replace("dtypes", "model.ckpt"))
    shutil.copy(ROOT / "tests" / "data" / "checkpoints" / "dtypes.index", "model.ckpt.index")
    return tmp_path


def test_the_api_is_all_of_tensorflows() -> None:
    names = {
        "AdviceProto",
        "GraphNodeProto",
        "MultiGraphNodeProto",
        "OpLogProto",
        "ProfileOptionBuilder",
        "Profiler",
        "advise",
        "profile",
        "write_op_log",
    }
    api = [(quoted(old).removeprefix("tf.compat.v1."), quoted(new)) for old, new, _ in rows("tf.profiler")]
    assert [old for old, _ in api] == [new for _, new in api]
    assert {old.removeprefix("profiler.") for old, _ in api} == names <= {*profiler.__all__}


def builders() -> Iterator[tuple[str, str]]:
    """Yield each builder of the page as an expression, and its words on the command line."""
    for cells in rows("Builders"):
        python = quoted(cells[0])
        yield (python if python.startswith("Profile") else f"ProfileOptionBuilder(){python}.build()"), quoted(cells[1])


@pytest.mark.parametrize(("python", "words"), list(builders()))
def test_a_builder_and_its_words_mean_the_same(monkeypatch: pytest.MonkeyPatch, python: str, words: str) -> None:
    parsed: list[ViewValues] = []
    monkeypatch.setattr("tfprof_report.cli.commands.text_view.print_view", lambda _, values: parsed.append(values))
    assert call("scope", "MODEL", *shlex.split(words)).code == 0
    built = eval(python, {"ProfileOptionBuilder": ProfileOptionBuilder})
    (values,) = parsed
    assert values.options == Options.from_mapping(built, TFPROF)
    assert parse_output(values.output.output or "") == parse_output(built["output"])


def test_each_builder_and_method_is_there() -> None:
    said = {re.split(r"[.(]", python.removeprefix("ProfileOptionBuilder()"))[1] for python, _ in builders()}
    assert said - {"build", ")"} == {name for name in dir(ProfileOptionBuilder) if name[0] != "_"} - {"build"}


def test_each_key_has_its_spelling_on_the_command_line_and_in_rules_files() -> None:
    keys = rows("Keys of an option dict")
    assert [quoted(key) for key, *_ in keys] == [*Options.__dataclass_fields__, "output", "dump_to_file"]
    known = call("scope", "--help").out
    for key, words, file in keys:
        assert quoted(words) == flag(quoted(key))
        assert re.search(rf"{quoted(words)}\b", known)
        if quoted(key) in Options.__dataclass_fields__:
            assert quoted(file) == quoted(key)
            assert quoted(file) in tables()["options"]


@pytest.mark.parametrize(("before", "after"), [(quoted(old), new) for old, new in rows("The command tfprof")])
def test_an_old_command_line_gives_what_the_new_one_gives_or_says_it(folder: Path, before: str, after: str) -> None:
    old, new = (shlex.split(line)[1:] for line in (before, quoted(after)))
    had = contents(folder)
    said = call(*old)
    wrote = contents(folder)
    for name in wrote.keys() - had.keys():
        Path(name).unlink()
    now = call(*new) if new[0] != "shell" else None
    if "(changed)" in after:
        assert said.code == 2
        assert said.error == {
            "help": f"No such command 'help'; {OLD_NAMES[Place.COMMAND]['help']}",
            "--graph_path=graph.pb": f"--graph-path is given without a command; {NO_COMMAND}",
        }.get(old[0])
        assert now is None or now.code == 0
        return
    assert now is not None
    assert (said.code, said.out) == (0, now.out) == (now.code, now.out)
    texts = {name: data for name, data in wrote.items() if not name.endswith(".meta.json")}
    assert texts == {name: data for name, data in contents(folder).items() if not name.endswith(".meta.json")}
    assert said.out or wrote.keys() > had.keys()


def console(script: str) -> tuple[int, str, str]:
    """Return the exit code of the console and what it prints."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="") for _ in range(2)]
    code = call_into(*streams, "shell", ".", stdin=script)
    for stream in streams:
        stream.seek(0)
    return code, streams[0].read(), streams[1].read()


def test_the_lines_of_the_console_run(folder: Path) -> None:
    lines = re.findall(r"^tfprof> (.*)", TEXT, flags=re.MULTILINE)
    code, out, err = console("\n".join(lines) + "\n")
    assert (len(lines), code) == (8, 0)
    assert "E: " not in err
    assert (folder / "ops.txt").exists()
    assert "_TFProfRoot (--/12 params)\n  fc (--/12 params)\n" in out


def test_the_examples_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran_at: list[int] = []

    def run_traced(step: int) -> Any:
        ran_at.append(step)
        return STEP

    names: dict[str, Any] = {"graph": live(), "run_meta": STEP, "log_dir": folder / "log", "run_traced": run_traced}
    (folder / "log").mkdir()
    for example in EXAMPLES:
        exec(example, names)
    assert len(EXAMPLES) == 4
    assert ran_at == [100, 103, 106, 150]
    assert (folder / "log" / "tfprof_log").exists()
    assert capsys.readouterr().out.count("======================End of Report======================") == 2
    assert "fc/y (7us/7us" in call("scope", "profile_200", "--select", "micros", "--min-micros", "1").out


def test_the_names_that_are_gone_are_those_of_the_code() -> None:
    table = {(quoted(name), place): answer for name, place, answer in rows("Names that are gone")}
    assert table == {(name, place): answer for place, names in OLD_NAMES.items() for name, answer in names.items()}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", OLD_NAMES[Place.OPTION])
def test_an_old_option_answers_wherever_it_is_given(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    answer = OLD_NAMES[Place.OPTION][name]
    for command in (["scope", "."], ["report", ".", "--out", "o"], ["advise", "."], ["shell", "."]):
        for spelling in (f"--{name}", flag(name)):
            said = call(*command, f"{spelling}=x")
            assert (said.code, said.error) == (2, f"No such option: {flag(name)}; {answer}")
    code, _, err = console(f"scope -{name} x\n")
    assert code == 2
    assert f"E: INVALID_ARGUMENT: Invalid option '-{name}' value: 'x'; {answer}\n" in err
    Path("rules.toml").write_text(f"[options]\n{name} = 'x'\n")
    said = call("report", ".", "--out", "o", "--config", "rules.toml")
    assert (said.code, said.error) == (2, f"rules.toml (--config): options.{name} is not known; {answer}")
    assert not Path("o").exists()
    with pytest.raises(OptionError) as caught:
        tr.make_report(".", **{name: "x"})
    assert str(caught.value) == f'argument: "{name}" is not known; {answer}'
    capsys.readouterr()
    quiet = ProfileOptionBuilder().with_empty_output().build()
    profiler.profile("graph.pb", options=quiet | {name: "x"})
    printed = capsys.readouterr()
    assert f'tfprof-report: warning: options "{name}": is not known; {answer}\n' in printed.err
    assert printed.out == ""


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", OLD_NAMES[Place.WORD])
def test_an_old_word_answers_wherever_it_is_given(name: str) -> None:
    key, shown = ("order_by", name) if name == "depth" else ("select", f"micros,{name}")
    answer = f'"{name}" is not known; {OLD_NAMES[Place.WORD][name]}'
    said = call("scope", ".", flag(key), shown, "--semantics", "corrected")
    assert (said.code, said.error) == (2, f"{flag(key)}: {answer}")
    natively = call("scope", ".", flag(key), shown)
    assert natively.code == 0
    assert f"tfprof-report: warning: {flag(key)}: {answer}\n" in natively.err
    code, _, err = console(f"scope -{key} {shown}\n")
    assert code == 2
    assert f"E: INVALID_ARGUMENT: Invalid option '-{key}' value: '{name}'; {OLD_NAMES[Place.WORD][name]}\n" in err
    Path("rules.toml").write_text(f"[options]\n{key} = '{shown}'\n")
    said = call("report", ".", "--out", "o", "--config", "rules.toml")
    assert said.code == 2
    assert f"rules.toml: {flag(key)}: {answer}" in said.err


@pytest.mark.parametrize("name", OLD_NAMES[Place.COMMAND])
def test_an_old_command_answers(folder: Path, name: str) -> None:
    answer = OLD_NAMES[Place.COMMAND][name]
    said = call(name, "-max_depth", "3")
    assert (said.code, said.error) == (2, f"No such command '{name}'; {answer}")
    if name == "python":
        assert "E: INVALID_ARGUMENT: First string must be a valid command. Write code.\n" in console("python\n")[2]
        with pytest.raises(OptionError, match=r"^cmd: unknown cmd: python; write code$"):
            profiler.profile(folder / "graph.pb", cmd="python")


def test_the_dicts_of_options_that_are_gone_were_what_the_page_says_to_build() -> None:
    common = {"max_depth": 10000, "min_bytes": 0, "min_micros": 0, "min_float_ops": 0, "order_by": "name"}
    was = {
        "TRAINABLE_VARS_PARAMS_STAT_OPTIONS": {
            **common,
            "account_type_regexes": ["_trainable_variables"],
            "account_displayed_op_only": True,
            "select": ["params"],
        },
        "FLOAT_OPS_OPTIONS": {
            **common,
            "min_float_ops": 1,
            "order_by": "float_ops",
            "account_displayed_op_only": True,
            "select": ["float_ops"],
        },
        "PRINT_ALL_TIMING_MEMORY": {
            **common,
            "min_bytes": 1,
            "min_micros": 1,
            "account_displayed_op_only": True,
            "select": ["micros", "bytes"],
        },
        "PRINT_PARAMS_ON_DEVICE": {
            **common,
            "max_depth": 1,
            "account_type_regexes": [".*ps.*task:0.*"],
            "select": ["device", "params"],
        },
    }
    everything = {name: [".*"] for name in ("account_type_regexes", "start_name_regexes", "show_name_regexes")}
    for name, options in was.items():
        built = eval(
            OLD_NAMES[Place.PYTHON][name].removeprefix("write "), {"ProfileOptionBuilder": ProfileOptionBuilder}
        )
        assert Options.from_mapping(built, TFPROF) == Options.from_mapping(everything | options, TFPROF), name
