"""The manual page is that of the help, and roff that both formatters take."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest
from build_man import manual_page
from command import call
from repository import ROOT

from tfprof_report.cli.commands.completion.completable import completable

PAGE = ROOT / "docs" / "man" / "tfprof-report.1"


def formatted() -> str:
    command = ["man", "--local-file", "--warnings", "--encoding=UTF-8", PAGE]
    done = subprocess.run(command, env={"MANWIDTH": "400", "PATH": "/usr/bin:/bin"}, capture_output=True, check=True)
    assert done.stderr == b""
    return done.stdout.decode()


def test_the_committed_page_is_that_of_the_help() -> None:
    assert PAGE.read_text("utf-8") == manual_page(), "make man"


def test_every_command_and_option_has_its_text() -> None:
    page = PAGE.read_text("utf-8").replace("\\-", "-").split(".SH ")
    sections = {section.partition("\n")[0].strip('"'): section for section in page}
    found = completable()
    groups = [(f"{group.name} ", group.commands) for group in found.commands if group.commands]
    single = [("", [command for command in found.commands if not command.commands]), *groups]
    for before, commands in single:
        for command in commands:
            section = sections[(before + command.name).upper()]
            assert command.text in section
            for option in command.options:
                (names,) = re.findall(rf"^\\fB(?:-h, )?{option.names[0]}(?![\w-]).*$", section, flags=re.MULTILINE)
                assert all(name in names for name in option.names)
                assert option.text.replace('"', "\\(dq") in section


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
