"""The scripts of `completion` in the shells themselves: what is typed, and what the shell makes of it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pexpect
import pytest
from command import call

from tfprof_report.cli.commands.completion.bash_script import bash_script
from tfprof_report.cli.commands.completion.completable import Command, Value, Way, completable
from tfprof_report.cli.commands.completion.fish_script import fish_script
from tfprof_report.cli.commands.completion.zsh_script import zsh_script
from tfprof_report.options import ORDER_BY

Complete = Callable[[str], list[str]]
LINE = completable()
CASES = [
    ("tfprof-report sche", ["schema"]),
    ("tfprof-report baseline p", ["pick", "prune"]),
    ("tfprof-report baseline prune --old", ["--older-than"]),
    ("tfprof-report report --rules ", ["extended", "none", "tfprof"]),
    ("tfprof-report report --rules=tf", ["--rules=tfprof"]),
    ("tfprof-report report --verbose mod", ["model"]),
    ("tfprof-report report --run-meta 1=model/gr", ["1=model/graph.pb"]),
    ("tfprof-report diff a b --baseline-missing w", ["warn"]),
    ("tfprof-report scope --order-by ", sorted(ORDER_BY)),
    ("tfprof-report scope --select params,mi", ["params,micros"]),
    ("tfprof-report report --leave-out op", ["optimizer"]),
    ("tfprof-report rules --class con", ["contraction"]),
    ("tfprof-report completion ", ["bash", "fish", "zsh"]),
    ("tfprof-report report mod", ["model"]),
    ("tfprof-report report --graph model/gr", ["model/graph.pb"]),
    ("tfprof-report report --label mod", ["mod"]),
    ("tfprof-report schema mod", ["mod"]),
]
"""A line, and what may stand for its last word."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a model of one file, and the scripts."""
    made = tmp_path_factory.mktemp("completing")
    (made / "model").mkdir()
    (made / "model" / "graph.pb").touch()
    for name, script in (("bash", bash_script), ("zsh", zsh_script), ("fish", fish_script)):
        (made / f"script.{name}").write_text(script(LINE))
    return made


def typing(program: str, arguments: list[str], setup: str, *, folder: Path, keys: str) -> Iterator[Complete]:
    """Yield a function that types a line into a shell, and `keys` with which it inserts all that can be there."""
    shell = pexpect.spawn(program, arguments, cwd=str(folder), encoding="utf-8", dimensions=(24, 2000), timeout=30)
    shell.sendline(f"PS1=REA''DY; {setup}")
    shell.expect_exact("READY")

    def complete(line: str) -> list[str]:
        shell.send(f"{line}{keys}\x01printf '<%s>' \r")
        shell.expect(r"\n(<[^\r]*>)")
        words = re.findall("<([^>]*)>", shell.match[1])
        shell.expect_exact("READY")
        return sorted(
            word.rstrip("/") for word in words[len(f"{line}|".split()) - 1 :]
        )  # the bar: an empty last word counts

    yield complete
    shell.close(force=True)


@pytest.fixture(scope="module")
def bash(folder: Path) -> Iterator[Complete]:
    setup = "bind 'set enable-bracketed-paste off'; source script.bash"
    yield from typing("bash", ["--norc", "-i"], setup, folder=folder, keys="\x1b*")


@pytest.fixture(scope="module")
def zsh(folder: Path) -> Iterator[Complete]:
    setup = (
        "autoload -Uz compinit && compinit -D -u; source ./script.zsh; unset zle_bracketed_paste; setopt no_prompt_cr; "
        "zle -C all-matches complete-word _generic; bindkey '^Xa' all-matches; "
        "zstyle ':completion:all-matches:*' insert yes; "
        "zstyle ':completion:all-matches::::' completer _all_matches _complete"
    )
    yield from typing("zsh", ["-f", "-i"], setup, folder=folder, keys="\x18a")


@pytest.fixture(scope="module")
def fish(folder: Path) -> Complete:
    def complete(line: str) -> list[str]:
        command = ["fish", "--no-config", "-c", f"source script.fish; complete -C {line!r}"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
        words = sorted(each.partition("\t")[0].rstrip("/") for each in done.stdout.splitlines())
        return words or line.split(" ")[-1:]

    return complete


def test_every_command_and_option_is_in_each_script() -> None:
    commands = {" ".join(path): command for path, command in walk((), LINE)}
    assert {"baseline pick", "report", "completion"} <= set(commands)
    names = {name for command in commands.values() for option in command.options for name in option.names}
    assert {"--graph-path", "--leave-out", "--older-than", "--help"} <= names
    bash, zsh, fish = bash_script(LINE), zsh_script(LINE), fish_script(LINE)
    for path, command in commands.items():
        assert f"_tfprof_report_{path.replace(' ', '_')}() {{" in zsh
        assert all(
            f"__tfprof_report_at {path}' -l {name[2:]}" in fish for each in command.options for name in each.names[:1]
        )
    assert all(name in script for name in names for script in (bash, zsh))


def walk(path: tuple[str, ...], command: Command) -> Iterator[tuple[tuple[str, ...], Command]]:
    if not command.commands:
        yield path, command
    for each in command.commands:
        yield from walk((*path, each.name), each)


def test_what_an_option_takes_follows_from_how_it_is_declared() -> None:
    (report,) = (command for command in LINE.commands if command.name == "report")
    options = {name: option for option in report.options for name in option.names}
    assert options["--rules"].value == Value(
        metavar="none|tfprof|extended", way=Way.WORD, words=("none", "tfprof", "extended")
    )
    assert options["--out"].value == Value(metavar="DIR", way=Way.PATH)
    assert options["--label"].value == Value(metavar="TEXT", way=Way.NOT)
    assert options["--verbose"].value is None
    assert (options["--gate"].is_repeatable, options["--out"].is_repeatable) == (True, False)
    assert report.argument == Value(metavar="INPUTS", way=Way.PATH)


def test_the_command_prints_the_script() -> None:
    assert call("completion", "zsh") == (0, zsh_script(LINE), "")
    assert call("completion", "tcsh").error.endswith("see tfprof-report completion --help")
    checked = subprocess.run(
        [Path(sys.executable).with_name("shellcheck"), "--shell=bash", "-"],
        input=bash_script(LINE),
        text=True,
        check=False,
    )
    assert checked.returncode == 0


@pytest.mark.parametrize(
    "shell", ["bash", *(pytest.param(each, marks=pytest.mark.thorough) for each in ("zsh", "fish"))]
)
@pytest.mark.parametrize(("line", "expected"), CASES, ids=[line for line, _ in CASES])
def test_a_shell_completes(shell: str, line: str, expected: list[str], request: pytest.FixtureRequest) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    complete: Complete = request.getfixturevalue(shell)
    assert complete(line) == expected
