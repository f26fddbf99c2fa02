"""What holds for the values of all options and arguments of all commands, from their declarations."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import pytest
from command import call
from typer.exceptions import TyperException

from tfprof_report.cli.call import command_line
from tfprof_report.cli.config.keys import tables
from tfprof_report.cli.config.schema import problem
from tfprof_report.cli.params.baseline_options import ListValues, PickValues, PruneValues, SaveValues
from tfprof_report.cli.params.declare import PATHS, Param, checked, params_of
from tfprof_report.cli.params.report_options import DiffValues, ReportValues
from tfprof_report.cli.params.small_commands import AcceptValues, InitValues, RulesValues
from tfprof_report.cli.params.text_options import AdviseValues, ShellValues, ViewValues
from tfprof_report.errors import OptionError

COMMANDS: dict[str, Any] = {
    "scope": ViewValues,  # and all other views
    "advise": AdviseValues,
    "shell": ShellValues,
    "rules": RulesValues,
    "report": ReportValues,
    "diff": DiffValues,
    "accept": AcceptValues,
    "init": InitValues,
    "baseline save": SaveValues,
    "baseline pick": PickValues,
    "baseline list": ListValues,
    "baseline prune": PruneValues,
}
MAY_BE_EMPTY = (
    {"order_by", "select", "leave_out", "outputs", "output", "dump_to_file"}
    | {f"{word}_name_regexes" for word in ("start", "trim", "show", "hide")}
    | {"account_type_regexes"}
)
"""Parameters for which tfprof, or a list, has a meaning of an empty value."""
NEEDED = {"dir": "d", "reason": "x", "expires": "2027-01-31", "store": "s", "report": "r"}
"""Values for the parameters that a command cannot do without."""


def takes_text(param: Param) -> bool:
    kinds = get_args(param.kind) or (param.kind,)
    return str in kinds or list[str] in kinds


TREE: Any = command_line()


def refusal(command: str, param: Param, *values: str) -> str:
    """Return the usage error of a command with values for a parameter, and with those that it needs."""
    others = [other for other in params_of(COMMANDS[command]) if other.name in NEEDED and other.name != param.name]
    given = [f"--{other.name}={NEEDED[other.name]}" for other in others if not other.declared.is_argument]
    placed = [NEEDED[other.name] for other in others if other.declared.is_argument]
    if param.declared.is_argument:
        names = [other.name for other in params_of(COMMANDS[command]) if other.declared.is_argument]
        placed[names.index(param.name) : names.index(param.name)] = values
    else:
        given += [f"{param.spelling}={value}" for value in values]
    with pytest.raises((OptionError, TyperException)) as caught:
        TREE.main([*command.split(), *given, *placed], standalone_mode=False)
    error = caught.value
    return str(error) if isinstance(error, OptionError) else error.format_message()


def texts_of(command: str) -> list[Param]:
    """Return the parameters that take text, but HEAD, which comes after BASE."""
    return [param for param in params_of(COMMANDS[command]) if takes_text(param) and param.name != "head"]


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("command", COMMANDS)
def test_an_empty_value_is_a_usage_error_unless_it_means_something(command: str) -> None:
    for param in texts_of(command):
        if param.name in MAY_BE_EMPTY:
            assert checked(param, "") == ""
        else:
            assert refusal(command, param, "") == f"{param.spelling}: the value is empty; is a variable unset?"


@pytest.mark.parametrize("command", COMMANDS)
def test_a_value_that_is_not_utf_8_names_a_file_is_shown_or_is_a_usage_error(command: str) -> None:
    text = "f\udce9vrier"  # what Python makes of the byte e9 of an argument
    for param in texts_of(command):
        if param.declared.metavar in PATHS:
            assert checked(param, text) == text
        elif param.name.removeprefix("base_") in ("label", "commit", "branch") and command in ("report", "diff"):
            assert checked(param, text) == r"f\xe9vrier"
        else:
            line = rf'{param.spelling}: "f\xe9vrier" is not UTF-8; give it in UTF-8'
            assert refusal(command, param, text) == line


@pytest.mark.parametrize("command", COMMANDS)
def test_a_second_value_for_an_option_that_takes_one_is_a_usage_error(command: str) -> None:
    for param in params_of(COMMANDS[command]):
        if not (param.declared.is_argument or list[str] in get_args(param.kind) or param.kind is bool):
            line = f"Option '{param.spelling}' takes one value, and is given 2 times"
            assert refusal(command, param, "a", "b").rstrip(".") == line


def test_two_spellings_of_an_option_are_one_option() -> None:
    outcome = call("scope", "--op-log", "a", "--op_log_path=a")
    line = "Option '--op-log' takes one value, and is given 2 times; see tfprof-report scope --help"
    assert (outcome.code, outcome.error) == (2, line)


@pytest.mark.parametrize(
    "flags",
    [
        ("--fail-on-unknown", "--no-fail-on-unknown"),
        ("--no-only-if-changed", "--only-if-changed"),
        ("--no-account-displayed-op-only", "--account_displayed_op_only"),
        ("--account-displayed-op-only", "true", "--no_account_displayed_op_only"),
    ],
)
def test_a_flag_and_its_opposite_are_a_usage_error(flags: tuple[str, ...]) -> None:
    outcome = call("report", "m", "--out", "o", *flags)
    assert (outcome.code, outcome.error.partition("'")[2].partition(";")[0].partition("'")[2]) == (
        2,
        " is given together with its opposite",
    )


def test_flags_and_lists_may_be_repeated(tmp_path: Path) -> None:
    lists = ["--select", "bytes", "--select", "params", "--run-meta", "a", "--run-meta", "b"]
    outcome = call("scope", tmp_path / "no", *lists, "--frame", "--frame", "--verbose", "--verbose")
    assert (outcome.code, outcome.error) == (3, f"{tmp_path}/no (--graph): no such file; check the path")


def test_a_value_may_look_like_an_option(tmp_path: Path) -> None:
    outcome = call("report", tmp_path / "no", "--out", tmp_path, "--label", "--out", "--fail-on-unknown")
    assert (outcome.code, outcome.error) == (3, f"{tmp_path}/no (--graph): no such file; check the path")


def test_an_empty_text_in_a_rules_file_is_refused_where_it_is_on_the_command_line() -> None:
    for table, keys in tables().items():
        for name, key in keys.items():
            if key.kind is str and key.metavar != "BOOL":
                for value in ("", [""]) if key.is_list else ("",):
                    document = {table: {name: value}} if table else {name: value}
                    found = problem(document, "")
                    where = f"{table}.{name}" if table else name
                    item = " item 1" if value else ""
                    wanted = None if name in MAY_BE_EMPTY else f"{where}{item} is empty"
                    assert found == wanted, document


def test_an_item_of_a_list_is_checked() -> None:
    param = next(param for param in params_of(ReportValues) if param.name == "gate")
    with pytest.raises(OptionError, match=r"^--gate: the value is empty; is a variable unset\?$"):
        checked(param, ["params <= 1", ""])
