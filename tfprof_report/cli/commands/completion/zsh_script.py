"""The script that completes in zsh, with the help of each option."""

from __future__ import annotations

from collections.abc import Iterator

from tfprof_report.cli.commands.completion.completable import PROGRAM, Command, Option, Value, Way

_HEAD = f"#compdef {PROGRAM}\n# Completes {PROGRAM} in zsh; written by: {PROGRAM} completion zsh\n"
_TAIL = """
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _tfprof_report "$@"
else
  compdef _tfprof_report tfprof-report
fi
"""


def zsh_script(line: Command) -> str:
    """Return the script for a command line: of a folder in `fpath`, or to be sourced after `compinit`."""
    return _HEAD + "".join(_functions(line, "_tfprof_report")) + _TAIL


def _functions(command: Command, name: str) -> Iterator[str]:
    """Yield the function `name`, which completes a command, and those of the commands in it."""
    specs = [spec for option in command.options for spec in _specs(option)]
    if not command.commands:
        argument = [f"'*:{_message(command.argument)}'"] if command.argument is not None else []
        yield _function(name, f"_arguments -S{_lines([*specs, *argument])}")
        return
    described = _lines([_quoted(f"{each.name}:{each.text}") for each in command.commands])
    chosen = "".join(f"      {each.name}) {name}_{each.name} ;;\n" for each in command.commands)
    yield _function(
        name,
        f"local context state state_descr line commands=({described})\n"
        f"  _arguments -C{_lines([*specs, _quoted('1:command:->command'), _quoted('*:: :->rest')])}\n"
        "  case $state in\n"
        "    command) _describe command commands ;;\n"
        "    rest) case $words[1] in\n"
        f"{chosen}"
        "    esac ;;\n"
        "  esac",
    )
    for each in command.commands:
        yield from _functions(each, f"{name}_{each.name}")


def _function(name: str, body: str) -> str:
    return f"\n{name}() {{\n  {body}\n}}\n"


def _lines(words: list[str]) -> str:
    return "".join(f" \\\n    {word}" for word in words)


def _specs(option: Option) -> Iterator[str]:
    """Yield what `_arguments` takes for each name of an option."""
    text = option.text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
    for name in option.names:
        value = "" if option.value is None else f":{_message(option.value)}"
        yield _quoted(f"{'*' if option.is_repeatable else ''}{name}{'=' if value else ''}[{text}]{value}")


def _message(value: Value) -> str:
    """Return the placeholder of a value, and how it is completed."""
    words = " ".join(value.words)
    action = {
        Way.WORD: f"({words})",
        Way.LIST: f"_values -s , {value.metavar} {words}",
        Way.PATH: '{compset -P "*="; _files}' if "=" in value.metavar else "_files",
        Way.NOT: " ",
    }
    return value.metavar.replace(":", "\\:") + ":" + action[value.way]


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
