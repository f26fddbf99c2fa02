"""What can be completed: commands, their options, and the values of these."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from tfprof_report.cli.call import command_line
from tfprof_report.cli.params.declare import PATHS
from tfprof_report.compare.gates.grammar import UNITS
from tfprof_report.model.flops.rule import OpClass
from tfprof_report.model.parts.parts import Part
from tfprof_report.options import ORDER_BY, SELECT
from tfprof_report.record import record
from tfprof_report.views.advice.findings import Checker

PROGRAM = "tfprof-report"

_LISTS: Mapping[str, tuple[str, ...]] = {
    "select": SELECT,
    "leave_out": (*Part, "training", "all"),
    "checkers": tuple(Checker),
}
"""Words of options whose value is a list with commas, by the name of the parameter."""

_WORDS: Mapping[str, tuple[str, ...]] = {
    "account_displayed_op_only": ("true", "false"),
    "batch": ("unknown",),
    "bisect": tuple(UNITS),
    "metric": tuple(UNITS),
    "op_class": tuple(OpClass),
    "order_by": ORDER_BY,
}
"""Words of options whose value is one of them, where the type of the parameter does not have them."""

_MORE_PATHS = {"FILE|LOGDIR", "MANIFEST|INPUTS...", "PATH"}


class Way(StrEnum):
    """How a value is completed."""

    WORD = "word"
    LIST = "list"
    PATH = "path"
    NOT = "not"


@record
class Value:
    """The value of an option or argument.

    metavar : its placeholder in the help
    words : those that it may be, or that may be in its list
    """

    metavar: str
    way: Way
    words: tuple[str, ...] = ()


@record
class Option:
    """An option; one without a value is a flag."""

    names: tuple[str, ...]
    text: str
    is_repeatable: bool
    value: Value | None


@record
class Command:
    """A command, or a group of commands.

    argument : what is completed where no option is; None if the command takes no argument
    """

    name: str
    text: str
    options: tuple[Option, ...]
    argument: Value | None = None
    commands: tuple[Command, ...] = ()


def completable() -> Command:
    """Return the whole command line."""
    return _command(command_line(), PROGRAM)


def _command(command: Any, name: str, parent: Any = None) -> Command:
    context = command.make_context(name, [], parent=parent, resilient_parsing=True)
    params = command.get_params(context)
    arguments = [_value(param) for param in params if param.param_type_name == "argument"]
    return Command(
        name=name,
        text=command.help or "",
        options=tuple(_option(param) for param in params if param.param_type_name == "option"),
        argument=arguments[0] if arguments else None,
        commands=tuple(_command(each, word, context) for word, each in getattr(command, "commands", {}).items()),
    )


def _option(param: Any) -> Option:
    return Option(
        names=tuple(name for name in (*param.opts, *param.secondary_opts) if name.startswith("--")),
        text=param.help or "",
        is_repeatable=param.multiple,
        value=None if param.is_flag else _value(param),
    )


def _value(param: Any) -> Value:
    kind, name = getattr(getattr(param, "type_descriptor", None), "annotation", None), param.name
    metavar = param.metavar or name.upper()
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return Value(metavar=metavar, way=Way.WORD, words=tuple(kind))
    if name in _LISTS:
        return Value(metavar=metavar, way=Way.LIST, words=_LISTS[name])
    if name in _WORDS:
        return Value(metavar=metavar, way=Way.WORD, words=_WORDS[name])
    return Value(metavar=metavar, way=Way.PATH if metavar in PATHS | _MORE_PATHS else Way.NOT)
