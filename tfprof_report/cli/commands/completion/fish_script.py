"""The script that completes in fish, with the help of each option."""

from __future__ import annotations

from collections.abc import Iterator

from tfprof_report.cli.commands.completion.completable import PROGRAM, Command, Option, Value, Way

_HEAD = f"""\
# Completes {PROGRAM} in fish; written by: {PROGRAM} completion fish
function __tfprof_report_at -d 'Whether the words after the program begin with these, or are these and no more'
    set -l words (commandline -opc)[2..]
    set -l count (count $argv)
    if test "$argv[1]" = only
        test "$words" = "$argv[2..]"
    else
        test (count $words) -ge $count; and test "$words[1..$count]" = "$argv"
    end
end
complete -c {PROGRAM} -f
"""


def fish_script(line: Command) -> str:
    """Return the script for a command line."""
    return _HEAD + "".join(f"{each}\n" for each in _completions(line, ""))


def _completions(command: Command, words: str) -> Iterator[str]:
    """Yield what completes a command, which the `words` after the program name."""
    for each in command.commands:
        yield f"{_rule('only' + words)} -a {each.name} -d {_quoted(each.text)}"
    at = _rule(words.strip() if words else "only")
    for option in command.options:
        yield at + _option(option)
    if command.argument is not None:
        yield at + _value(command.argument)
    for each in command.commands:
        yield from _completions(each, f"{words} {each.name}")


def _rule(condition: str) -> str:
    return f"complete -c {PROGRAM} -n '__tfprof_report_at {condition}'"


def _option(option: Option) -> str:
    names = "".join(f" -l {name[2:]}" for name in option.names)
    value = "" if option.value is None else f" -r{_value(option.value)}"
    return f"{names}{value} -d {_quoted(option.text)}"


def _value(value: Value) -> str:
    words = " ".join(value.words)
    return {
        Way.WORD: f" -f -a '{words}'",
        Way.LIST: f" -f -a '(__fish_complete_list , \"printf %s\\n {words}\")'",
        Way.PATH: " -F",
        Way.NOT: " -f",
    }[value.way]


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
