"""The command `tfprof-report`: parse the arguments, call the command, exit with its code."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from typing import NoReturn

from tfprof_report.cli.call import INTERRUPTED, call
from tfprof_report.cli.console import lost_output, say, say_verbatim, standard_streams
from tfprof_report.cli.memory import seldom_collected
from tfprof_report.cli.params.spelling import spell
from tfprof_report.errors import ExitCode, TfprofReportError


def main(arguments: Iterable[str] | None = None) -> NoReturn:
    """Run the command line and exit with its code; any error is one line on standard error.

    Without `arguments`, those of the process are taken, and it is taken to end with the command.
    """
    with standard_streams(), seldom_collected() if arguments is None else nullcontext():
        _end_in_order()
        code = _run(spell(list(sys.argv[1:] if arguments is None else arguments)))
        problem = lost_output()
        if problem is not None and not isinstance(problem, BrokenPipeError):  # a reader may stop reading, as head does
            say(f"standard output: cannot be written ({problem.strerror})")
            code = ExitCode.INPUT
    sys.exit(int(code))


def _run(given: Sequence[str]) -> int:
    """Return the exit code of a command line, after its error, if any, is printed."""
    try:
        code = call(given)
    except TfprofReportError as error:
        say(str(error))
        if "--verbose" in given and error.details:
            say_verbatim(error.details)
        return error.exit_code
    if code == INTERRUPTED:  # also the code that typer returns for a KeyboardInterrupt
        say("interrupted")
    return code


def _end_in_order() -> None:
    """Turn SIGTERM and SIGHUP into SystemExit, so that temporary files are removed; SIGINT is a KeyboardInterrupt."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:  # nohup ignores it
            signal.signal(number, lambda number, _: sys.exit(128 + number))
