"""The manual page is that of the help, and roff that both formatters take."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
from build_man import manual_page
from command import call
from repository import ROOT

from tfprof_report.cli.call import command_line

PAGE = ROOT / "docs" / "man" / "tfprof-report.1"


def formatted() -> str:
    command = ["man", "--local-file", "--warnings", "--encoding=UTF-8", PAGE]
    done = subprocess.run(command, env={"MANWIDTH": "400", "PATH": "/usr/bin:/bin"}, capture_output=True, check=True)
    assert done.stderr == b""
    return done.stdout.decode()


def test_the_committed_page_is_that_of_the_help() -> None:
    assert PAGE.read_text("utf-8") == manual_page(), "make man"


def commands(group: Any, name: str = "", parent: Any = None) -> Iterator[tuple[str, Any, Any]]:
    """Yield the full name, command and context of each command."""
    context = group.make_context(name, [], parent=parent, resilient_parsing=True)
    for word, command in getattr(group, "commands", {}).items():
        yield from commands(command, f"{name} {word}".strip(), context)
    if not hasattr(group, "commands"):
        yield name, group, context


def test_every_command_and_option_has_its_text() -> None:
    page = PAGE.read_text("utf-8").replace("\\-", "-").split(".SH ")
    sections = {section.partition("\n")[0].strip('"'): section for section in page}
    listed = list(commands(command_line()))
    assert {"report", "baseline pick"} <= {name for name, _, _ in listed}
    for name, command, context in listed:
        section = sections[name.upper()]
        assert command.help in section
        for param in command.get_params(context):
            if param.param_type_name == "option":
                spelt = [each for each in (*param.opts, *param.secondary_opts) if each.startswith("--")]
                (line,) = re.findall(rf"^\\fB(?:-h, )?{spelt[0]}(?![\w-]).*$", section, flags=re.MULTILINE)
                assert all(each in line for each in spelt)
                assert param.help.replace('"', "\\(dq") in section


@pytest.mark.skipif(shutil.which("man") is None, reason="needs man")
def test_man_shows_the_page_without_a_warning() -> None:
    shown = formatted()
    assert "--select LIST" in shown
    assert call("report", "--help").out.count("[STEP=]FILE") == shown.split("\nREPORT")[1].split("\nDIFF")[0].count(
        "[STEP=]FILE"
    )


@pytest.mark.skipif(shutil.which("mandoc") is None, reason="needs mandoc")
def test_mandoc_warns_of_nothing_but_the_missing_date() -> None:
    done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", PAGE], capture_output=True, text=True, check=False)
    assert [line for line in done.stdout.splitlines() if "missing date" not in line] == []
