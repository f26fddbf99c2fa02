"""Declare the parameters of a command as a record, whose fields tell typer what to parse and hold the result.

A field is an option, an argument, or a group of such fields that several commands may share:
``gate: Annotated[list[str] | None, option("What must hold.", metavar="GATE")] = None``.
Modules with such classes leave out ``from __future__ import annotations``, since the types of the fields are read at
import time.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import StrEnum
from functools import cached_property, partial, update_wrapper, wraps
from typing import Annotated, Any, Generic, TypedDict, TypeVar, Unpack, get_args, get_origin

import typer

from tfprof_report.cli.params.completed import completion_of
from tfprof_report.errors import OptionError, shown
from tfprof_report.options import flag
from tfprof_report.record import record

Values = TypeVar("Values")

_VERBOSE = Annotated[bool, typer.Option("--verbose", help="Show the details of an error.")]


@record
class Words:
    """The help of an option or argument.

    text : description; ``{of}`` becomes ``" of base"`` or ``" of head"`` if the option is about one side, else ``""``
    metavar : placeholder of the value, such as ``FILE``; by default the allowed words, if the set is closed
    panel : heading in the help, by default that of the group
    names : spellings, by default the name of the field with dashes
    alias : a further spelling, unless the option is about one of two sides
    may_be_empty : whether an empty value means something, as an empty list does
    is_label : whether text that is not UTF-8, such as the name of a branch, is taken as it is shown
    """

    text: str
    metavar: str | None = None
    panel: str | None = None
    names: tuple[str, ...] = ()
    alias: str | None = None
    is_argument: bool = False
    may_be_empty: bool = False
    is_label: bool = False


class _Others(TypedDict, total=False):
    metavar: str | None
    panel: str | None
    alias: str | None
    may_be_empty: bool
    is_label: bool


def option(text: str, *names: str, **others: Unpack[_Others]) -> Words:
    """Return the help of an option; `others` are fields of `Words`."""
    return Words(text=text, names=names, **others)


def argument(text: str, metavar: str) -> Words:
    """Return the help of an argument."""
    return Words(text=text, metavar=metavar, is_argument=True)


@record
class Param:
    """A parameter of a command: its name, the field that its value goes into, and its declaration for typer.

    path : the field, starting from the values of the command, such as ``job.gates.gate``
    kind : type of the value
    declared : how the field declares it
    words : the option or argument of typer that this makes
    default : ``...`` if there is none
    """

    name: str
    path: str
    kind: Any
    declared: Words
    words: Any
    default: Any = None

    @property
    def spelling(self) -> str:
        """Return its name in errors: ``--max-depth`` or ``INPUTS``."""
        words = self.declared
        return (words.metavar or self.name) if words.is_argument else next(iter(words.names), flag(self.name))


@record
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
            declared=words,
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
        autocompletion=completion_of(name),
    )


@record
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


PATHS = frozenset(
    (
        *"FILE DIR PREFIX INPUTS BASE HEAD STORE REPORT TYPE [STEP=]FILE FILE,... NAME=INPUTS".split(),  # noqa: SIM905
        "[NAME=]SOURCE",
        "DIR|STORE",
    )
)
"""Metavars of values that name a file or folder, which may have any bytes in its name."""


def checked(param: Param, value: Any) -> Any:
    """Return the value of a parameter, or of each item of a list, as commands take it.

    Raises
    ------
    OptionError
        A text is empty, or is not UTF-8 though it is not the name of a file, and the parameter cannot mean that.
    """
    if isinstance(value, list):
        return [checked(param, each) for each in value]
    if not isinstance(value, str) or isinstance(value, StrEnum):
        return value
    declared = param.declared
    if not value and not declared.may_be_empty:
        raise OptionError("the value is empty", option=param.spelling, advice="is a variable unset?")
    if shown(value) == value or declared.metavar in PATHS:
        return value
    if not declared.is_label:
        raise OptionError(f'"{value}" is not UTF-8', option=param.spelling, advice="give it in UTF-8")
    return shown(value)


class Command(Generic[Values]):
    """A function of a `Parsed` as a command that typer can call, which reads its signature.

    That is made when typer asks: a process runs one command, and to declare those of all takes longer than to run it.
    """

    def __init__(self, kind: type[Values], function: Callable[[Parsed[Values]], int | None]) -> None:
        update_wrapper(self, function)
        del self.__wrapped__  # type: ignore[attr-defined]
        self.__annotations__ = {}
        self._kind = kind
        self._function = function

    @cached_property
    def _params(self) -> tuple[Param, ...]:
        return params_of(self._kind)

    @property
    def __signature__(self) -> inspect.Signature:
        """The parameters of the command."""
        keyword, empty = inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.empty
        taken = [
            *((param.name, Annotated[param.kind, param.words], param.default) for param in self._params),
            ("verbose", _VERBOSE, False),
            ("context", typer.Context, ...),
        ]
        return inspect.Signature(
            [
                inspect.Parameter(name, keyword, annotation=annotation, default=empty if default is ... else default)
                for name, annotation, default in taken
            ]
        )

    def __call__(self, *, context: typer.Context, **given: Any) -> int | None:
        """Call the function with what typer parsed."""
        names = {param.path: param.name for param in self._params}
        return self._function(
            Parsed(
                kind=self._kind,
                values={param.path: checked(param, given[param.name]) for param in self._params},
                given=frozenset(path for path, name in names.items() if _is_given(context, name)),
                names=names,
            )
        )


def parses(kind: type[Values]) -> Callable[[Callable[[Parsed[Values]], int | None]], Command[Values]]:
    """Return a decorator that turns a function of a `Parsed` into a command that typer can call."""
    return partial(Command, kind)


def takes(kind: type[Values]) -> Callable[[Callable[[Values], int | None]], Command[Values]]:
    """Return a decorator that turns a function of the values of a command into a command that typer can call."""

    def decorate(function: Callable[[Values], int | None]) -> Command[Values]:
        @wraps(function)
        def run(parsed: Parsed[Values]) -> int | None:
            return function(parsed.make())

        return parses(kind)(run)

    return decorate
