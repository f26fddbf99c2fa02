"""Completion in the shell: typer's scripts ask the command, which knows its commands, options and their words."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from command import spawn

from tfprof_report.cli.params.completed import completion_of
from tfprof_report.compare.gates.grammar import UNITS
from tfprof_report.options import ORDER_BY, SELECT

IN_BASH = """
source <(_TFPROF_REPORT_COMPLETE=source_bash tfprof-report)
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_tfprof_report_completion tfprof-report
printf '%s\\n' "${COMPREPLY[@]}"
"""
"""What bash does with the words of a line when Tab is pressed in the last."""


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("tfprof-report sche", ["schema"]),
        ("tfprof-report baseline p", ["pick", "prune"]),
        ("tfprof-report baseline prune --old", ["--older-than"]),
        ("tfprof-report diff a b --baseline-missing w", ["warn"]),
        ("tfprof-report scope --order-by ", list(ORDER_BY)),
        ("tfprof-report scope --select params,mi", ["params,micros"]),
        ("tfprof-report report --graph model/gr", [""]),  # bash itself completes paths
    ],
)
def test_bash_completes_a_line(line: str, words: list[str]) -> None:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    given = ["bash", "--norc", "-c", IN_BASH, "bash", *line.split(" ")]
    done = subprocess.run(given, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=True)
    assert (done.stdout.splitlines(), done.stderr) == (words, "")


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_have_a_script_that_asks_the_command(shell: str) -> None:
    script = spawn(_TFPROF_REPORT_COMPLETE=f"source_{shell}")
    assert (script.code, script.err, f"_TFPROF_REPORT_COMPLETE=complete_{shell}" in script.out) == (0, "", True)


@pytest.mark.parametrize(
    ("name", "begun", "words"),
    [
        ("select", "", list(SELECT)),
        ("select", "params,float", ["params,float_ops"]),
        ("leave_out", "gradient,op", ["gradient,optimizer"]),
        ("bisect", "float", ["float_ops"]),
        ("metric", "", list(UNITS)),
        ("op_class", "con", ["contraction"]),
        ("checkers", "Op", ["OperationChecker"]),
        ("account_displayed_op_only", "t", ["true"]),
    ],
)
def test_values_that_are_one_of_some_words_or_a_list_of_them_are_completed(
    name: str, begun: str, words: list[str]
) -> None:
    complete = completion_of(name)
    assert complete is not None
    assert complete(begun) == words
    assert completion_of("graph") is None
