"""The exception hierarchy and the exit codes. The class of an error determines its exit code; call sites never do.

    TfprofReportError
    ├── OptionError      2   unknown or contradictory option, bad regex, bad gate
    ├── InputError       3   an input cannot be read or is not what its option says
    │   ├── ViewLimitError   a view would be too large; a report is written without it
    │   └── TextLimitError   names would take too much memory
    ├── OutputError      3   the output cannot be written
    ├── BaselineError    4   the baseline is missing, unreadable or incompatible
    └── InternalError    3   a mistake in this program

A failed gate (1) and an inconclusive comparison (5) are verdicts, not errors: the report is written all the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import IntEnum

from tfprof_report.urls import name_of, show_names


class ExitCode(IntEnum):
    """Exit codes of the command line. If several apply, the first of 3, 4, 1, 5 and 0 is used."""

    OK = 0
    """done; a report is written and no gate failed (without gates the outcome is `NOT JUDGED`, never `OK`)"""

    GATE_FAILED = 1
    """a gate failed: a regression, or a budget that is exceeded"""

    USAGE = 2
    """wrong option, gate or rules file"""

    INPUT = 3
    """an input cannot be read or is not of the kind that its option names, or the output cannot be written"""

    BASELINE = 4
    """the baseline is missing, unreadable or incompatible"""

    INCONCLUSIVE = 5
    """inconclusive: nothing or too little to compare, a gated figure is unknown on a side that the gate needs, or too
    few steps for a relative gate on a time"""

    @classmethod
    def worst(cls, codes: Iterable[int]) -> ExitCode:
        """Return the worst of the exit codes of many reports; without any, that of nothing comparable."""
        found = set(codes)
        return next((code for code in _WORST_FIRST if code in found), cls.INCONCLUSIVE)


_WORST_FIRST = (
    ExitCode.INPUT,
    ExitCode.USAGE,
    ExitCode.BASELINE,
    ExitCode.GATE_FAILED,
    ExitCode.INCONCLUSIVE,
    ExitCode.OK,
)


class TfprofReportError(Exception):
    """Base class of all errors that a user can cause; `str()` is the one line that is printed.

    URLs of object stores are shown without credentials and parameters.

    Parameters
    ----------
    problem : what is wrong, without the file's name
    file : the file or folder concerned, if any
    option : the option that gave it, such as ``--graph``
    advice : what to do
    details : shown with ``--verbose`` only
    """

    exit_code = ExitCode.USAGE

    def __init__(
        self,
        problem: str,
        *,
        file: str | None = None,
        option: str | None = None,
        advice: str | None = None,
        details: str | None = None,
    ) -> None:
        file = name_of(file) if file else None
        where = f"{file} ({option})" if file and option else file or option
        line = f"{where}: {problem}" if where else problem
        super().__init__(one_line(show_names(f"{line}; {advice}" if advice else line)))
        self.details = show_names(details) if details else details


class OptionError(TfprofReportError):
    """An option or a gate is invalid."""

    exit_code = ExitCode.USAGE


class InputError(TfprofReportError):
    """An input cannot be read, or is not what its option says."""

    exit_code = ExitCode.INPUT


class ViewLimitError(InputError):
    """A view would be larger than this program builds. It alone cannot be shown; a report has all the rest."""


class TextLimitError(InputError):
    """Names are so long, and used so often, that a copy of the name for each use would take too much memory."""


class OutputError(TfprofReportError):
    """The output cannot be written."""

    exit_code = ExitCode.INPUT


class BaselineError(TfprofReportError):
    """The baseline of a comparison is missing, unreadable or incompatible."""

    exit_code = ExitCode.BASELINE


class InternalError(TfprofReportError):
    """A mistake in this program: an exception that no command foresees; `details` is its traceback."""

    exit_code = ExitCode.INPUT


def one_line(text: str) -> str:
    """Return `text` with control characters escaped, so that a name in a message cannot start a new line."""
    if text.isprintable():
        return text
    return "".join(ch if ch.isprintable() else _escaped(ch) for ch in text)


_LONE = re.compile("[\ud800-\udfff]")
"""Characters that UTF-8 cannot hold."""
_BYTES = range(0xDC80, 0xDD00)
"""What Python makes of the bytes 0x80 to 0xff of an argument or file name that is not UTF-8."""


def shown(text: str) -> str:
    r"""Return `text` as UTF-8 can hold it: a byte of a name that is not UTF-8 is shown as ``\xe9``."""
    return text if text.isascii() else _LONE.sub(lambda found: _escaped(found[0]), text)


CONTROLS = r"\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069"
"""Characters that steer a terminal: controls, and those that change the direction of text."""
_STEERING = re.compile(f"[{CONTROLS}\ud800-\udfff]")


def for_terminal(text: str, keep: str = "") -> str:
    """Return `text` with the characters that steer a terminal escaped, except those of `keep`."""
    return _STEERING.sub(lambda found: found[0] if found[0] in keep else _escaped(found[0]), text)


def not_utf8(error: UnicodeDecodeError) -> str:
    """Return what is wrong with bytes that are not UTF-8: ``is not UTF-8 (byte 0xe9 in line 3)``."""
    line = error.object[: error.start].count(b"\n") + 1
    return f"is not UTF-8 (byte 0x{error.object[error.start]:02x} in line {line:,})"


def _escaped(ch: str) -> str:
    code = ord(ch)
    return f"\\x{code - 0xDC00:02x}" if code in _BYTES else ch.encode("unicode_escape").decode("ascii")


_COMMAND = re.compile(r"(?<=##)\[|(?<=##vso)\[", re.IGNORECASE)
"""The start of a command to the runner of Azure Pipelines or GitHub, which is found anywhere in a line of the log."""


def log_line(text: str) -> str:
    """Return `text` as one line of a CI job's log, escaped so that the runner takes no name in it for a command."""
    return _COMMAND.sub(r"\\x5b", one_line(text))
