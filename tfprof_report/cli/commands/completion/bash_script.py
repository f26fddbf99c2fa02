"""The script that completes in bash."""

from __future__ import annotations

from collections.abc import Iterator

from tfprof_report.cli.commands.completion.completable import PROGRAM, Command, Value, Way

_HEAD = f"""\
# Completes {PROGRAM} in bash 4 or newer; written by: {PROGRAM} completion bash
_tfprof_report() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} option=${{COMP_WORDS[COMP_CWORD - 1]}} way words options start
  # bash makes three words of --option=value, and the same of --option NAME=value.
  if [[ $word == = ]]; then
    word=''
  elif [[ $option == = ]]; then
    option=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
  option=${{option//_/-}}
  COMPREPLY=()
"""
_TAIL = f"""\
  if [[ $way == word ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  elif [[ $way == list ]]; then
    start=${{word%"${{word##*,}}"}}
    mapfile -t COMPREPLY < <(compgen -P "$start" -W "$words" -- "${{word##*,}}")
    compopt -o nospace
  elif [[ $way == path ]]; then
    compopt -o default
  fi
}}
complete -F _tfprof_report {PROGRAM}
"""


def bash_script(line: Command) -> str:
    """Return the script for a command line."""
    return _HEAD + "".join(f"  {each}\n" for each in _group(line, 1)) + _TAIL


def _group(group: Command, place: int) -> Iterator[str]:
    """Yield lines that choose the command of a group, whose name is the word at `place`."""
    yield f"if ((COMP_CWORD == {place})); then"
    yield f"  way=word words='{' '.join((*(each.name for each in group.commands), *_names(group)))}'"
    yield "else"
    yield f"  case ${{COMP_WORDS[{place}]}} in"
    for command in group.commands:
        yield f"    {command.name})"
        yield from (f"      {each}" for each in (_group(command, place + 1) if command.commands else _command(command)))
        yield "      ;;"
    yield "  esac"
    yield "fi"


def _command(command: Command) -> Iterator[str]:
    """Yield lines that say what the word is: the value of an option, else an option or the argument of the command."""
    yield f"options='{' '.join(_names(command))}'"
    yield "case $option in"
    alike: dict[str, list[str]] = {}
    for option in command.options:
        if option.value is not None:
            alike.setdefault(_assigned(option.value), []).extend(option.names)
    yield from (f"  {' | '.join(names)}) {assigned} ;;" for assigned, names in alike.items())
    argument = _assigned(command.argument) if command.argument is not None else "way=not"
    yield f"  *) if [[ $word == -* ]]; then way=word words=$options; else {argument}; fi ;;"
    yield "esac"


def _assigned(value: Value) -> str:
    return (
        f"way={value.way} words='{' '.join(value.words)}'" if value.way in (Way.WORD, Way.LIST) else f"way={value.way}"
    )


def _names(command: Command) -> list[str]:
    return [name for option in command.options for name in option.names]
