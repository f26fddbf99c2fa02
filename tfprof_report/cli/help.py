"""Help as plain text with a heading per group: lines are wrapped, never cut off, and `grep` finds every option.

Typer's panels are not used: importing and drawing them takes twice as long as the rest of the command.
"""

from __future__ import annotations

import re
from collections import Counter
from enum import StrEnum
from functools import partial
from typing import Any, get_args

from typer.core import TyperCommand, TyperGroup

_NUMBER = re.compile("-?[0-9]{1,18}")
_USUAL = {"argument": "Arguments", "option": "Options"}


class _WithHelp:
    """A command with the option ``--help``."""

    def get_help_option(self, ctx: Any) -> Any:
        """Return the option ``--help``, which is False by default: to check None, typer would import pydantic."""
        option = super().get_help_option(ctx)  # type: ignore[misc]
        if option is not None:
            option.default = False
        return option


class GroupedCommand(_WithHelp, TyperCommand):
    """A command whose help groups its parameters by their ``rich_help_panel``; those without one come last.

    It refuses a second value for an option that takes one, and ``--x --no-x``.
    """

    def __init__(self, *args: Any, **others: Any) -> None:
        super().__init__(*args, **others)
        for param in self.params:
            param.process_value = partial(_process, param=param, usual=param.process_value)  # type: ignore[method-assign]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; a usage error if an option is given more often than it can mean something."""
        order: list[Any] = list(self.make_parser(ctx).parse_args(args=list(args))[2])
        count = Counter(param.name for param in order)
        for param in dict.fromkeys(order):
            if param.param_type_name != "option" or param.multiple:
                continue
            name, both = param.opts[0], [each for each in (*param.opts, *param.secondary_opts) if each in args]
            if count[param.name] > 1 and not param.is_flag:
                ctx.fail(f"Option '{name}' takes one value, and is given {count[param.name]} times")
            if f"no_{param.name}" in count or (count[param.name] > 1 and len(both) > 1):
                ctx.fail(f"Option '{name}' is given together with its opposite")
        return super().parse_args(ctx, args)

    def get_short_help_str(self, limit: int = 0) -> str:
        """Return the text for the list of commands: the whole help, not cut off."""
        del limit
        return self.help or ""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the parameters, a section per group."""
        groups: dict[str, list[tuple[str, str]]] = {_USUAL["argument"]: []}
        for param in self.get_params(ctx):
            group = getattr(param, "rich_help_panel", None) or _USUAL[param.param_type_name]
            record = param.get_help_record(ctx)
            if record:
                name, text = record
                groups.setdefault(group, []).append((name.replace(" <list[str]>", " ..."), text))
        usual = groups.pop(_USUAL["option"])  # --help is always there
        for title, records in (*groups.items(), (_USUAL["option"], usual)):
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


class UncutHelpGroup(_WithHelp, TyperGroup):
    """A group of commands whose help is not cut off in the list of commands."""

    def get_short_help_str(self, limit: int = 0) -> str:
        """Return the text for the list of commands: the whole help."""
        del limit
        return self.help or ""


def _process(ctx: Any, value: Any, *, param: Any, usual: Any) -> Any:
    """Return the value of a parameter as its type; `usual` is typer's conversion, for which it imports pydantic.

    A default is of the type already, so is a text where one is wanted, and plain numbers and words need no pydantic.
    """
    kind = param.type_descriptor.annotation
    is_list = param.multiple or param.nargs == -1
    is_text = kind is str or (is_list and get_args(kind) == (str,))
    if param.callback is not None or (value is None and param.required):
        return usual(ctx, value)
    if value is None or value is param.default:
        return () if value is None and is_list else value
    if is_text and isinstance(value, (list, tuple) if is_list else str):
        return value
    if kind is int and isinstance(value, str) and _NUMBER.fullmatch(value):
        return int(value)
    if isinstance(kind, type) and issubclass(kind, StrEnum) and value in tuple(kind):
        return kind(value)
    return usual(ctx, value)
