"""The command `completion`: print the script of a shell."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tfprof_report.cli.commands.completion.bash_script import bash_script
from tfprof_report.cli.commands.completion.completable import Command, completable
from tfprof_report.cli.commands.completion.fish_script import fish_script
from tfprof_report.cli.commands.completion.zsh_script import zsh_script
from tfprof_report.cli.console import echo
from tfprof_report.cli.params.small_commands import CompletionValues
from tfprof_report.vocabulary import CompletingShell

_SCRIPTS: Mapping[CompletingShell, Callable[[Command], str]] = {
    CompletingShell.BASH: bash_script,
    CompletingShell.ZSH: zsh_script,
    CompletingShell.FISH: fish_script,
}


def print_completion(values: CompletionValues) -> None:
    """Print the script that completes the command line in a shell."""
    echo(_SCRIPTS[values.shell](completable()), nl=False)
