"""Makes the inputs of a commit: a worktree in a temporary folder, in which a command runs."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import chdir, contextmanager, suppress
from pathlib import Path

from tfprof_report.batch.entry import Checkout
from tfprof_report.batch.worktrees import worktree
from tfprof_report.errors import InputError
from tfprof_report.history.git_log import outside_of_git

COMMAND = "--command"
_KEPT = 2**14
"""Most bytes of the end of what a command prints."""

_MOST_LINES = 20


class CommandError(InputError):
    """A command made no inputs; `output` is the end of what it printed."""

    def __init__(self, problem: str, checkout: Checkout, output: tuple[str, ...]) -> None:
        last = f": {output[-1]}" if output else ""
        super().__init__(f"{problem}{last}", file=checkout.command, option=COMMAND)
        self.output = output


@contextmanager
def checked_out(checkout: Checkout | None) -> Iterator[None]:
    """Let a block run in a worktree of a commit, after the command; without a checkout where it is.

    The worktree goes with the block. What the command prints is kept for its error, and shown nowhere else.

    Raises
    ------
    CommandError
        It ended with another exit code than 0, or did not end in time.
    InputError
        git cannot check the commit out.
    """
    if checkout is None:
        yield
        return
    with worktree(checkout.repository, checkout.commit) as tree:
        _run(checkout, tree, tree.with_name("output"))
        with chdir(tree):
            yield


def _run(checkout: Checkout, tree: Path, output: Path) -> None:
    """Run the command in a process group of its own, so that all that it started ends with it."""
    with output.open("wb") as log:
        process = subprocess.Popen(  # noqa: S602 (the user's own command)
            checkout.command,
            shell=True,
            cwd=tree,
            env=outside_of_git(),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            code = process.wait(checkout.limit)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    if code is None:
        problem = f"took longer than --command-limit, {checkout.limit:,.0f} seconds"
        raise CommandError(problem, checkout, _end_of(output))
    if code:
        how = f"ended with exit code {code}" if code > 0 else f"was ended by signal {-code}"
        raise CommandError(how, checkout, _end_of(output))


def _end_of(output: Path) -> tuple[str, ...]:
    """Return the last lines of what a command printed."""
    with output.open("rb") as file:
        file.seek(max(output.stat().st_size - _KEPT, 0))
        lines = file.read().decode(errors="replace").splitlines()
    return tuple(line.strip() for line in lines if line.strip())[-_MOST_LINES:]
