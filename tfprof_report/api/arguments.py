"""Turns keyword arguments of Python into the values of a command, as if its command line had set them.

A command declares its options as records (`cli.params`). An option of the command is an argument of the same name, but
those of `LEFT_OUT`. The types of the arguments are written out for editors and type checkers, in `api.typed_options`; a
test compares both.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping
from enum import StrEnum
from textwrap import fill
from typing import Any, get_args

from tfprof_report.cli.params.declare import PATHS, Param, Parsed, Values, checked, params_of
from tfprof_report.errors import OptionError
from tfprof_report.old_names import Place
from tfprof_report.options import unknown_word

LEFT_OUT = {
    "out": "the method write names the folder",
    "model": "several models are several calls",
    "base_model": "several models are several calls",
    "run_meta_path": "run_meta takes a list",
    "base_run_meta_path": "base_run_meta takes a list",
    "head_run_meta_path": "head_run_meta takes a list",
    "no_account_displayed_op_only": "account_displayed_op_only=False",
    "summary": "it is for a CI host",
    "comment": "it is for a CI host",
    "annotations": "it is for a CI host",
    "junit": "it is for a CI host",
    "openmetrics": "it is for a CI host",
    "chat": "it is for a CI host",
    "badge": "it is for a CI host",
    "scheduler": "the command makes the histories of many models at once",
}
"""Options of commands that Python has no argument for, and why."""

OF_HISTORY = frozenset(("model",))
"""Names of `LEFT_OUT` that are arguments of a history."""

NOT_OF_HISTORY = frozenset(("jobs",))
"""Options that are arguments of reports only: processes of a history would run the script of their caller again."""

_LIST, _TRUTH, _NUMBER_OR_WORD = "LIST", "BOOL", "N|"
"""Metavars of a list with commas, of a word for true or false, and of a number or a word."""
_WIDTH = 100


def arguments_of(kind: type) -> dict[str, Param]:
    """Return the options of a command whose values are a `kind` by the names of their arguments."""
    is_history = kind.__name__ == "HistoryValues"
    left_out = (LEFT_OUT.keys() - OF_HISTORY) | NOT_OF_HISTORY if is_history else LEFT_OUT.keys()
    return {param.name: param for param in params_of(kind) if param.name not in left_out}


def parsed_from(kind: type[Values], given: Mapping[str, Any]) -> Parsed[Values]:
    """Return the values of a command as its parser does; None counts as not given.

    Raises
    ------
    OptionError
        There is no such argument, or its value is not one.
    """
    known, params = arguments_of(kind), params_of(kind)
    for name in given:
        if name in LEFT_OUT and name not in known:
            raise OptionError(f'"{name}" is an option of the command alone', advice=LEFT_OUT[name])
        if name not in known:
            raise unknown_word(name, option="argument", known=known, place=Place.OPTION)
    words = {known[name].path: _checked(known[name], value) for name, value in given.items() if value is not None}
    return Parsed(
        kind=kind,
        values={param.path: words.get(param.path, _default(param)) for param in params},
        given=frozenset(words),
        names={param.path: param.name for param in params},
    )


def describe(function: Callable[..., Any], kind: type, hints: Mapping[str, Any]) -> None:
    """Give a function the signature and documentation of all its arguments, for help and completion in notebooks."""
    own = [
        each
        for each in inspect.signature(function).parameters.values()
        if each.kind is not inspect.Parameter.VAR_KEYWORD
    ]
    named = {each.name for each in own}
    arguments = {name: param for name, param in arguments_of(kind).items() if name not in named}
    others = [
        inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=_shown_default(param), annotation=hints.get(name, Any)
        )
        for name, param in arguments.items()
    ]
    function.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [*own, *others], return_annotation=inspect.signature(function).return_annotation
    )
    lines = (
        fill(f"{name} : {param.words.help}", _WIDTH, initial_indent="    ", subsequent_indent="        ")
        for name, param in arguments.items()
    )
    text = inspect.cleandoc(function.__doc__ or "")
    function.__doc__ = "\n".join([text, "", "Keyword arguments", "-----------------", *lines])


def _default(param: Param) -> Any:
    return None if param.default is ... else param.default


def _shown_default(param: Param) -> Any:
    default = _default(param)
    return default.value if isinstance(default, StrEnum) else default


def _checked(param: Param, value: Any) -> Any:
    return checked(param, _converted(param, value))


def _converted(param: Param, value: Any) -> Any:
    """Return a value of Python in the form in which the parser hands it over."""
    kinds = get_args(param.kind) or (param.kind,)
    if list[str] in kinds:
        is_one = isinstance(value, str | os.PathLike)
        if not is_one and not isinstance(value, list | tuple | set | frozenset):
            raise _wrong(param, value, "a text, nor a list of texts")
        return [_text(param, value)] if is_one else [_item(param, each) for each in value]
    if bool in kinds or param.declared.metavar == _TRUTH:
        if not isinstance(value, bool):
            raise _wrong(param, value, "True or False")
        return str(value).lower() if str in kinds else value
    if int in kinds:
        if not isinstance(value, int) or isinstance(value, bool):
            raise _wrong(param, value, "a whole number")
        return value
    enum = next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, StrEnum)), None)
    if enum is not None:
        if value not in list(enum):  # in the words of the command line's parser
            words = ", ".join(repr(str(word)) for word in enum)
            raise OptionError(f"Invalid value for '{param.spelling}': {value!r} is not one of {words}")
        return enum(value)
    return _text(param, value)


def _item(param: Param, value: Any) -> str:
    """Return an item of a list as it is: what the command line would take for the end of an item is escaped."""
    text = _text(param, value)
    return text.replace(",", "\\,") if param.declared.metavar == _LIST else text


def _text(param: Param, value: Any) -> str:
    metavar = param.declared.metavar or ""
    if isinstance(value, os.PathLike) and is_path(param):
        return os.fsdecode(value)
    if isinstance(value, int) and not isinstance(value, bool) and metavar.startswith(_NUMBER_OR_WORD):
        return str(value)
    if not isinstance(value, str):
        raise _wrong(param, value, "a text")
    return value


def is_path(param: Param) -> bool:
    """Return whether an option names a file or a folder, which may be a path object."""
    metavar = param.declared.metavar or ""
    return metavar in PATHS or metavar == "FILE|LOGDIR"


def _wrong(param: Param, value: Any, wanted: str) -> OptionError:
    return OptionError(f"{value!r} is not {wanted}", option=param.spelling.partition("/")[0])
