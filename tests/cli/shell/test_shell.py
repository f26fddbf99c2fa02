from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pexpect
import pytest
from command import spawn
from hypothesis import given
from hypothesis import strategies as st
from messages import graph, node, ran, run_meta
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from queries import CPU, table_of

from tfprof_report.cli.shell.lines import COMMANDS, OPTIONS, Settings, parse_line
from tfprof_report.cli.shell.prompt import ShellCompleter, next_levels
from tfprof_report.errors import OptionError
from tfprof_report.options import Options

START = Settings(options=Options(), output="", dump_to_file="", semantics="tfprof")
NODES = graph(node("a/b/c", "Add"), node("a/b/d", "Add"), node("a/e", "Mul"), node("z", "Relu"))
RUN = run_meta({CPU: [ran("a/b/c", micros=5), ran("a/b/d", micros=7), ran("a/e", micros=1)]})


@pytest.fixture
def model(tmp_path: Path) -> list[str]:
    """Return the arguments that name a tiny model."""
    for name, message in (("graph.pb", NODES), ("run_meta", RUN)):
        (tmp_path / name).write_bytes(message.SerializeToString())
    return ["--graph", str(tmp_path / "graph.pb"), "--run-meta", str(tmp_path / "run_meta")]


# Lines --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spelling", ["-max_depth 3", "--max_depth 3", "--max-depth 3", "--max_depth=3"])
def test_an_option_may_be_spelt_as_in_the_native_shell_or_as_on_the_command_line(spelling: str) -> None:
    command, settings = parse_line(f"scope {spelling}", START)
    assert (command, settings.options) == ("scope", Options(max_depth=3))


def test_lists_are_split_at_commas_and_lose_their_quotes() -> None:
    _, settings = parse_line("""set -select "micros,params" -hide_name_regexes 'a,b'""", START)
    assert settings.options == Options(select=("micros", "params"), hide_name_regexes=("a", "b"))


@pytest.mark.parametrize(
    ("words", "truth"), [("", True), (" -max_depth 10", True), (" F", False), (" yes", True), ("=0", False)]
)
def test_the_boolean_option_may_stand_alone(words: str, truth: bool) -> None:  # noqa: FBT001
    _, settings = parse_line(f"set -account_displayed_op_only{words}", START)
    assert settings.options == Options(account_displayed_op_only=truth)


def test_blanks_are_no_command() -> None:
    assert [parse_line(line, START)[0] for line in ("", "  ", "\t\n")] == ["", "", ""]


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("scoop", "First string must be a valid command. Did you mean scope?"),
        ("set -ordr_by name", "Invalid option '-ordr_by' value: 'name'; did you mean -order_by?"),
        ("set -order_by mikros", "Invalid option '-order_by' value: 'mikros'; did you mean micros?"),
        ("set -select bytes,mikros", "Invalid option '-select' value: 'mikros'; did you mean micros?"),
        ("set -max_depth", "Invalid option '-max_depth' value: ''; give it a value"),
        ("set -max_depth ten", "Invalid option '-max_depth' value: 'ten'; give a whole number"),
        ("set -semantics right", "Invalid option '-semantics' value: 'right'; choose from corrected, tfprof"),
        ("set -max_depth 99999999999999999999", "--max-depth: 99999999999999999999 is outside the 64-bit range"),
    ],
)
def test_a_bad_line_says_what_is_wrong_and_what_to_do(line: str, error: str) -> None:
    with pytest.raises(OptionError) as caught:
        parse_line(line, START)
    assert str(caught.value) == error


@given(st.text(alphabet="-=_, \"'abcdehlmoprstx.*(0123456789", max_size=40))
def test_any_line_is_understood_or_refused(text: str) -> None:
    try:
        command, _ = parse_line(f"set {text}", START)
    except OptionError:
        return
    assert command == "set"


# Completion ---------------------------------------------------------------------------------------------------------


def completed(text: str) -> list[str]:
    completer = ShellCompleter(table_of(NODES, (0, RUN), (7, RUN)))
    return [each.text for each in completer.get_completions(Document(text), CompleteEvent())]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("sc", ["scope"]),
        ("re", ["reset"]),
        ("scope -max", ["-max_depth"]),
        ("scope --sel", ["--select"]),
        ("scope -order_by mi", ["micros"]),
        ("set -select bytes,par", ["params"]),
        ("op -step ", ["-1", "0", "7"]),
        ("op -account_type_regexes ", ["Add", "Mul", "Relu"]),
        ("scope -start_name_regexes ", ["a/", "z"]),
        ("scope -show_name_regexes z,a/", ["a/b/", "a/e"]),
        ("scope -show_name_regexes a/b/", ["a/b/c", "a/b/d"]),
        ("scope -max_depth ", []),
    ],
)
def test_the_last_word_is_completed(text: str, words: list[str]) -> None:
    assert completed(text) == words


def test_every_option_is_offered() -> None:
    assert completed("set -") == [f"-{name}" for name in OPTIONS]


@given(st.lists(st.text(alphabet="ab/\U0010ffff", max_size=5), max_size=12), st.text(alphabet="ab/", max_size=3))
def test_levels_are_all_that_the_names_go_on_with(names: list[str], part: str) -> None:
    expected = {
        part + level + slash
        for name in names
        if name.startswith(part)
        for level, slash, _ in [name[len(part) :].partition("/")]
    }
    assert set(next_levels(sorted(names), part)) == expected


# A terminal ---------------------------------------------------------------------------------------------------------


CURSOR_ON, PASTE_OFF = "\x1b[?25h", "\x1b[?2004l"


class Terminal:
    """The shell behind a pseudo-terminal."""

    def __init__(self, arguments: list[str]) -> None:
        self.child: Any = pexpect.spawn(
            sys.executable,
            ["-m", "tfprof_report", "shell", *arguments],
            env={**os.environ, "PROMPT_TOOLKIT_NO_CPR": "1", "TERM": "xterm"},
            encoding="utf-8",
            timeout=60,
            dimensions=(40, 200),
        )
        self.wait()

    def wait(self) -> str:
        """Return what is printed until the prompt takes keys."""
        self.child.expect_exact("tfprof>")
        text = str(self.child.before).replace("\r", "")
        self.child.expect_exact(CURSOR_ON)
        return text

    def ask(self, line: str) -> str:
        """Type a line; return what is printed until the prompt is back."""
        self.child.send(line + "\r")
        self.child.expect_exact(PASTE_OFF)  # the prompt is done with the line
        return self.wait()


@pytest.fixture
def terminal(model: list[str], tmp_path: Path) -> Iterator[Terminal]:
    terminal = Terminal([*model, "--history", str(tmp_path / "history")])
    yield terminal
    terminal.child.close(force=True)


def test_a_session_at_a_terminal(terminal: Terminal, tmp_path: Path) -> None:
    assert "a/b (0us/12us" in terminal.ask("scope -max_depth 3")
    assert "a/b/c (" in terminal.ask("scope")  # the depth applied to one command only
    terminal.ask("set -max_depth 2")
    assert "a/b (" not in terminal.ask("scope")
    terminal.ask("reset")
    assert "a/b (" in terminal.ask("scope")
    assert "E: INVALID_ARGUMENT: Invalid option '-max' value: '1'" in terminal.ask("scope -max 1")
    terminal.child.send("scope -half a li\x03")  # Ctrl-C clears the line
    terminal.child.expect_exact(PASTE_OFF)
    terminal.wait()
    assert "ExpensiveOperationChecker:" in terminal.ask("advise")
    terminal.child.send("\x04")  # Ctrl-D exits
    terminal.child.expect(pexpect.EOF)
    terminal.child.close()
    assert terminal.child.exitstatus == 0
    assert "+set -max_depth 2\n" in (tmp_path / "history").read_text()


def test_tab_completes_at_a_terminal(terminal: Terminal) -> None:
    terminal.child.send("scope -max_dep\t")
    terminal.child.expect_exact("th")  # completion is asynchronous
    assert "  a (0us/13us" in terminal.ask(" 2")
    terminal.child.send("quit\r")
    terminal.child.expect(pexpect.EOF)


# A script -----------------------------------------------------------------------------------------------------------


def test_a_script_runs_to_its_end_and_its_exit_code_is_that_of_the_first_error(model: list[str]) -> None:
    script = b"set -max_depth 1 -select occurrence\nscoop\nscope\n\xff\nop -step 4 -semantics corrected\nquit\nscope\n"
    done = spawn("shell", *model, stdin=script)
    assert done.code == 2
    assert done.out.count("_TFProfRoot (--/3|--/6)") == 1
    assert [line.partition("; ")[0] for line in done.err.splitlines()] == [
        "E: INVALID_ARGUMENT: First string must be a valid command. Did you mean scope?",
        f"E: INVALID_ARGUMENT: First string must be a valid command. Choose from {', '.join(sorted(COMMANDS))}.",
        "E: INVALID_ARGUMENT: --step: there is no step 4",
    ]


def test_an_empty_line_prints_the_options_in_force(model: list[str]) -> None:
    done = spawn("shell", *model, stdin=b"set -max_depth 7 -output none\n   \n")
    assert done.code == 0
    assert done.out.splitlines()[0] == "-max_depth                  7"
    assert done.out.splitlines()[-1] == "-output                     none:"
    assert len(done.out.splitlines()) == 21


def test_a_history_that_cannot_be_written_is_one_line(model: list[str]) -> None:
    child = pexpect.spawn(
        sys.executable,
        ["-m", "tfprof_report", "shell", *model, "--history", "/no/such/folder/file"],
        encoding="utf-8",
        timeout=60,
        dimensions=(40, 200),
    )
    child.expect_exact("tfprof-report: /no/such/folder/file (--history): cannot be written (No such file or directory)")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 3
