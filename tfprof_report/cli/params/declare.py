"""Declare the parameters of a command as a frozen dataclass, whose fields tell typer what to parse and hold the result.

A field is an option, an argument, or a group of such fields that several commands may share:
``gate: Annotated[list[str] | None, option("What must hold.", metavar="GATE")] = None``.
Modules with such classes leave out ``from __future__ import annotations``, since the types of the fields are read at
import time.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import StrEnum
from functools import wraps
from typing import Annotated, Any, Generic, TypeVar, get_args, get_origin

import typer

from tfprof_report.options import flag

Values = TypeVar("Values")

_VERBOSE = Annotated[bool, typer.Option("--verbose", help="Show the details of an error.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """The help of an option or argument.

    text : description; ``{of}`` becomes ``" of base"`` or ``" of head"`` if the option is about one side, else ``""``
    metavar : placeholder of the value, such as ``FILE``; by default the allowed words, if the set is closed
    panel : heading in the help, by default that of the group
    names : spellings, by default the name of the field with dashes
    alias : a further spelling, unless the option is about one of two sides
    """

    text: str
    metavar: str | None = None
    panel: str | None = None
    names: tuple[str, ...] = ()
    alias: str | None = None
    is_argument: bool = False


def option(
    text: str, *names: str, metavar: str | None = None, panel: str | None = None, alias: str | None = None
) -> Words:
    """Return the help of an option."""
    return Words(text=text, metavar=metavar, panel=panel, names=names, alias=alias)


def argument(text: str, metavar: str) -> Words:
    """Return the help of an argument."""
    return Words(text=text, metavar=metavar, is_argument=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Param:
    """A parameter of a command: its name, the field that its value goes into, and its declaration for typer.

    path : the field, starting from the values of the command, such as ``job.gates.gate``
    kind : type of the value
    words : an option or argument of typer
    default : ``...`` if there is none
    """

    name: str
    path: str
    kind: Any
    words: Any
    default: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ParamGroup:
    """How a command declares a group of fields.

    side : prefix of the names of its parameters, such as ``base-``
    panel : heading of its options, by default the `PANEL` of its class
    defaults : a group with the default values, by default those of its class
    """

    side: str = ""
    panel: str | None = None
    defaults: Any = None

    def params(self, kind: Any, path: str) -> Iterator[Param]:
        """Yield the parameters of a group of class `kind` whose fields are below `path`."""
        return field_params(self, kind, path)

    def make(self, kind: Any, path: str, given: Mapping[str, Any]) -> Any:
        """Return the group with its values, which `given` holds by path."""
        return kind(**field_values(kind, path, given))


def params_of(kind: Any) -> tuple[Param, ...]:
    """Return the parameters of a command whose values are a `kind`."""
    return tuple(field_params(ParamGroup(), kind, ""))


def field_params(group: ParamGroup, kind: Any, path: str) -> Iterator[Param]:
    """Yield a parameter for each declared field of `kind`, in order, including those of nested groups."""
    for name, hint, words, default in _fields(kind):
        if isinstance(words, ParamGroup):
            yield from words.params(hint, f"{path}{name}.")
            continue
        usual = default if group.defaults is None else getattr(group.defaults, name)
        yield Param(
            name=group.side.replace("-", "_") + name,
            path=path + name,
            kind=hint,
            words=typer_words(words, name, group, default=usual, panel=getattr(kind, "PANEL", None)),
            default=... if usual is MISSING else usual,
        )


def field_values(kind: Any, path: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the value of each declared field of `kind`, by name, from `given`, which holds them by path."""
    return {
        name: words.make(hint, f"{path}{name}.", given) if isinstance(words, ParamGroup) else given[path + name]
        for name, hint, words, _ in _fields(kind)
    }


def _fields(kind: Any) -> Iterator[tuple[str, Any, Words | ParamGroup, Any]]:
    """Yield the name, type, help and default of each field that is a parameter or a group of them."""
    for field in fields(kind):
        if get_origin(field.type) is Annotated:
            yield field.name, *get_args(field.type), field.default
        elif is_dataclass(field.type):
            yield field.name, field.type, ParamGroup(), field.default


def typer_words(words: Words, name: str, group: ParamGroup, *, default: Any = None, panel: str | None = None) -> Any:
    """Return the declaration for typer; for a word of a closed set, the help names the default."""
    of = f" of {group.side.rstrip('-')}" if group.side else ""
    text = words.text.replace("{of}", of)
    if words.is_argument:
        return typer.Argument(metavar=words.metavar, help=text, show_default=False)
    metavar = words.metavar
    if isinstance(default, StrEnum):
        text, metavar = f"{text} [default: {default}]", "|".join(type(default))
    names = words.names or (f"--{group.side}{flag(name)[2:]}",)
    return typer.Option(
        *names,
        *((words.alias,) if words.alias and not group.side else ()),
        help=text,
        metavar=metavar,
        rich_help_panel=words.panel or group.panel or panel,
        show_default=False,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed(Generic[Values]):
    """What typer parsed for a command whose values are a `kind`.

    values : by the path of the field
    given : paths of the fields that the command line sets, as opposed to defaults
    names : the name of each field's parameter, by path
    """

    kind: type[Values]
    values: Mapping[str, Any]
    given: frozenset[str]
    names: Mapping[str, str]

    def make(self, others: Mapping[str, Any] | None = None) -> Values:
        """Return the values; `others` replaces some of them, by path."""
        return self.kind(**field_values(self.kind, "", {**self.values, **(others or {})}))


def _is_given(context: typer.Context, name: str) -> bool:
    """Return whether the command line sets a parameter."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def parses(kind: type[Values]) -> Callable[[Callable[[Parsed[Values]], int | None]], Callable[..., int | None]]:
    """Return a decorator that turns a function of a `Parsed` into a command that typer can call."""
    params = params_of(kind)
    names = {param.path: param.name for param in params}
    taken = [
        *((param.name, Annotated[param.kind, param.words], param.default) for param in params),
        ("verbose", _VERBOSE, False),
        ("context", typer.Context, ...),
    ]

    def decorate(function: Callable[[Parsed[Values]], int | None]) -> Callable[..., int | None]:
        @wraps(function)
        def command(*, context: typer.Context, **given: Any) -> int | None:
            return function(
                Parsed(
                    kind=kind,
                    values={path: given[name] for path, name in names.items()},
                    given=frozenset(path for path, name in names.items() if _is_given(context, name)),
                    names=names,
                )
            )

        keyword, empty = inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.empty
        command.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [
                inspect.Parameter(name, keyword, annotation=annotation, default=empty if default is ... else default)
                for name, annotation, default in taken
            ]
        )
        command.__annotations__ = {name: annotation for name, annotation, _ in taken}
        return command

    return decorate


def takes(kind: type[Values]) -> Callable[[Callable[[Values], int | None]], Callable[..., int | None]]:
    """Return a decorator that turns a function of the values of a command into a command that typer can call."""

    def decorate(function: Callable[[Values], int | None]) -> Callable[..., int | None]:
        @wraps(function)
        def run(parsed: Parsed[Values]) -> int | None:
            return function(parsed.make())

        return parses(kind)(run)

    return decorate
