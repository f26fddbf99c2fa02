"""Lines of the interactive shell as tfprof reads them: words split at spaces, a command, ``-option value`` pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace

from tfprof_report.cli.params.spelling import FALSE_WORDS, TRUE_WORDS
from tfprof_report.errors import OptionError
from tfprof_report.old_names import Place
from tfprof_report.options import ORDER_BY, SELECT, Options, hint_at, split_list
from tfprof_report.record import record
from tfprof_report.schema.metrics import VIEWS
from tfprof_report.vocabulary import Preset

COMMANDS = {
    **{view: f"print the {view} view; options apply to this command only" for view in VIEWS},
    "advise": "print what takes the most time, idle accelerators, slow operations",
    "set": "keep options for later commands",
    "reset": "forget the options that were set",
    "help": "print this",
    "exit": "leave the shell; the same as quit and Ctrl-D",
    "quit": "leave the shell",
}
"""The commands and their help; an empty line prints the options."""

_QUOTES = "\"'"
_OTHER = ("output", "dump_to_file", "semantics")
_TEXTS = ("order_by", *_OTHER)


@record
class Settings:
    """The settings of a command: tfprof's options, where its text is written, and the semantics."""

    options: Options
    output: str
    dump_to_file: str
    semantics: str


OPTIONS = (*(field.name for field in fields(Options)), *_OTHER)
"""The options of the shell, in tfprof's order."""

LISTS = tuple(field.name for field in fields(Options) if isinstance(getattr(Options(), field.name), tuple))
CHOICES = {
    "order_by": ORDER_BY,
    "select": SELECT,
    "semantics": tuple(Preset),
    "account_displayed_op_only": ("true", "false"),
}
"""The words that an option accepts."""


def parse_line(line: str, settings: Settings) -> tuple[str, Settings]:
    """Return the command of a line, ``""`` for a blank line, and the settings changed by its options.

    Raises
    ------
    OptionError
        The first word is not a command, or an option is unknown or has an invalid value.
    """
    words = line.split()
    if not words:
        return "", settings
    command, *rest = words
    if command not in COMMANDS:
        raise OptionError(
            f"First string must be a valid command. {_sentence(hint_at(command, COMMANDS, Place.COMMAND))}"
        )
    return command, _with_options(rest, settings)


def _with_options(words: Sequence[str], settings: Settings) -> Settings:
    waiting = list(words)
    while waiting:
        word, equals, value = waiting.pop(0).partition("=")
        name = _name(word)
        if equals:
            waiting.insert(0, value)
        elif name == "account_displayed_op_only" and "".join(waiting[:1]).lower() not in (*TRUE_WORDS, *FALSE_WORDS):
            waiting.insert(0, "true")
        if not word.startswith("-") or name not in OPTIONS:
            raise _invalid(word, waiting[:1], hint_at(word, [f"-{each}" for each in OPTIONS], Place.OPTION))
        if not waiting:
            raise _invalid(word, [], "give it a value")
        settings = _changed(settings, name, _value(word, name, waiting.pop(0)))
    return settings


def _name(word: str) -> str:
    return word.lstrip("-").replace("-", "_")


def _value(word: str, name: str, text: str) -> object:
    """Return the value of an option, parsed from its text."""
    value: object = split_list([text.strip(_QUOTES)]) if name in LISTS else text
    if name == "account_displayed_op_only":
        return text.lower() in TRUE_WORDS
    items = value if isinstance(value, tuple) else (text,)
    unknown = [each for each in items if each not in CHOICES.get(name, items)]
    if unknown:
        raise _invalid(word, unknown, hint_at(unknown[0], CHOICES[name], Place.WORD))
    if name in LISTS or name in _TEXTS:
        return value
    try:
        return int(text)
    except ValueError as error:
        raise _invalid(word, [text], "give a whole number") from error


def _changed(settings: Settings, name: str, value: object) -> Settings:
    if name in _OTHER:
        return replace(settings, **{name: value})  # type: ignore[arg-type]
    return replace(settings, options=replace(settings.options, **{name: value}))  # type: ignore[arg-type]


def _invalid(option: str, value: Sequence[str], advice: str) -> OptionError:
    """Return tfprof's error for a bad option, with advice."""
    return OptionError(f"Invalid option '{option}' value: '{''.join(value[:1])}'", advice=advice)


def _sentence(words: str) -> str:
    return words[0].upper() + words[1:] + ("" if words.endswith("?") else ".")
