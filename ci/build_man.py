"""Write the manual page of the command line from the help of its commands.

    python ci/build_man.py docs/man/tfprof-report.1

The page is committed, and is in the wheel: `man tfprof-report` finds it in an active virtual environment.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from reference_pages.exit_codes import meanings

from tfprof_report import __version__
from tfprof_report.cli.call import PROGRAM, SUMMARY, command_line
from tfprof_report.errors import ExitCode

VARIABLES = {
    "SOURCE_DATE_EPOCH": "The time that counts as now, in seconds since 1970, so that two runs give the same files.",
}


class Page:
    """A manual page in roff, with the methods by which commands write their parameters into the help."""

    def __init__(self) -> None:
        self.lines = [f'.TH {_roff(PROGRAM.upper())} 1 "" "{PROGRAM} {__version__}" "User Commands"', ".nh", ".ad l"]

    def add(self, request: str, text: str) -> None:
        """Add a request such as ``.SH`` with its text."""
        self.lines.append(f'{request} "{_roff(text)}"')

    def say(self, text: str) -> None:
        """Add a paragraph."""
        self.lines += [".PP", _roff(text)]

    @contextmanager
    def section(self, title: str) -> Iterator[None]:
        """Add a heading for parameters in the block."""
        self.lines += [".PP", f"\\fI{_roff(title)}\\fP"]
        yield

    def write_dl(self, records: Sequence[tuple[str, str]]) -> None:
        """Add a list of parameters, each with its text."""
        for name, text in records:
            self.lines += [".TP", f"\\fB{_roff(name)}\\fP", _roff(text)]

    def text(self) -> str:
        """Return the page."""
        return "\n".join(self.lines) + "\n"


def manual_page() -> str:
    """Return the manual page."""
    page, commands = Page(), list(_commands())
    page.add(".SH", "NAME")
    page.lines.append(f"{_roff(PROGRAM)} \\- {_roff(SUMMARY[0].lower() + SUMMARY[1:].rstrip('.'))}")
    page.add(".SH", "SYNOPSIS")
    page.lines.append(f"\\fB{_roff(PROGRAM)}\\fP \\fICOMMAND\\fP [\\fIOPTIONS\\fP] [\\fIARGUMENTS\\fP]")
    page.add(".SH", "DESCRIPTION")
    page.write_dl([(name, command.help) for name, command, _ in commands])
    page.add(".SH", "OPTIONS")
    _write_options(page, command_line())
    for name, command, context in commands:
        page.add(".SH", name.upper())
        usage = " ".join(command.collect_usage_pieces(context))
        page.lines.append(f"\\fB{_roff(f'{PROGRAM} {name}')}\\fP {_roff(usage)}")
        page.say(command.help)
        command.format_options(context, page)
    page.add(".SH", "EXIT STATUS")
    page.lines.append("Where several hold, it is the first of 3, 4, 1, 5, 0.")
    page.write_dl([(str(ExitCode[name].value), text.replace("`", "")) for name, text in meanings().items()])
    page.add(".SH", "ENVIRONMENT")
    page.write_dl(list(VARIABLES.items()))
    return page.text()


def _write_options(page: Page, group: Any) -> None:
    context = group.make_context(PROGRAM, [], resilient_parsing=True)
    page.write_dl([record for param in group.get_params(context) if (record := param.get_help_record(context))])


def _commands(group: Any = None, parent: Any = None, before: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield the name, command and context of each command, those of groups with the name of the group."""
    group = group or command_line()
    context = parent or group.make_context(PROGRAM, [], resilient_parsing=True)
    for word, command in group.commands.items():
        own = command.make_context(word, [], parent=context, resilient_parsing=True)
        if hasattr(command, "commands"):
            yield from _commands(command, own, f"{before}{word} ")
        else:
            yield before + word, command, own


def _roff(text: str) -> str:
    """Return text as roff, in which a backslash begins an escape and a hyphen may be set as another character."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq")
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped


if __name__ == "__main__":
    place = Path(sys.argv[1])
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(manual_page(), "utf-8")
