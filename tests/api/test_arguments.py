"""The arguments of the functions are the options of the commands, and are taken as these are."""

from __future__ import annotations

import inspect
import os
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal, get_args, get_type_hints

import pytest
from command import call, small_model

import tfprof_report as tr
from tfprof_report.api.arguments import LEFT_OUT, NOT_OF_HISTORY, OF_HISTORY, arguments_of, parsed_from
from tfprof_report.api.typed_options import DiffOptions, HistoryOptions, ReportOptions, StrPath, StrPaths, Texts
from tfprof_report.cli.params.declare import PATHS, Param, params_of
from tfprof_report.cli.params.history_options import HistoryValues
from tfprof_report.cli.params.report_options import DiffValues, ReportValues
from tfprof_report.errors import OptionError

FUNCTIONS: dict[str, tuple[Any, Any, Any]] = {
    "report": (tr.make_report, ReportValues, ReportOptions),
    "diff": (tr.make_diff, DiffValues, DiffOptions),
    "history": (tr.make_history, HistoryValues, HistoryOptions),
}


def type_of(param: Param) -> Any:
    """Return the type that an option has in Python, from how the command declares it."""
    kinds = get_args(param.kind) or (param.kind,)
    is_path = param.declared.metavar in {*PATHS, "FILE|LOGDIR"}
    if list[str] in kinds:
        return (StrPaths if is_path else Texts) | None
    if bool in kinds or param.declared.metavar == "BOOL":
        return bool | None
    if int in kinds:
        return int | None
    words = [word for kind in kinds if isinstance(kind, type) and issubclass(kind, StrEnum) for word in kind]
    if words:
        return Literal[tuple(str(word) for word in words)] | None  # type: ignore[valid-type]  # made when the test runs
    if param.declared.metavar == "N|unknown":
        return int | str | None
    return StrPath | None if is_path else str | None


@pytest.mark.parametrize("command", FUNCTIONS)
def test_the_arguments_are_those_of_the_command_with_their_types(command: str) -> None:
    function, kind, options = FUNCTIONS[command]
    written = get_type_hints(options) | {
        name: each.annotation for name, each in inspect.signature(function).parameters.items() if name in POSITIONAL
    }
    left_out = (LEFT_OUT.keys() - OF_HISTORY) | NOT_OF_HISTORY if command == "history" else LEFT_OUT.keys()
    declared = {param.name: type_of(param) for param in params_of(kind) if param.name not in left_out}
    typed = {name: hint for name, hint in written.items() if name not in POSITIONAL}
    assert typed == {name: hint for name, hint in declared.items() if name not in POSITIONAL}
    assert {name for name in written if name in POSITIONAL} == {name for name in declared if name in POSITIONAL}


POSITIONAL = {"inputs", "base", "head", "store"}


@pytest.mark.parametrize("command", FUNCTIONS)
def test_the_signature_has_the_defaults_of_the_command(command: str) -> None:
    function, kind, _ = FUNCTIONS[command]
    shown = {name: each.default for name, each in inspect.signature(function).parameters.items()}
    declared = arguments_of(kind)
    assert shown.keys() == declared.keys()
    wanted = {name: param.default for name, param in declared.items() if param.default is not ...}
    assert {name: shown[name] for name in wanted} == wanted
    assert all(f"    {name} : " in function.__doc__ for name in shown if name not in POSITIONAL)


def test_what_is_left_out_is_an_option_of_a_command_and_in_the_documentation() -> None:
    options = {param.name for _, kind, _ in FUNCTIONS.values() for param in params_of(kind)}
    assert LEFT_OUT.keys() <= options


def test_options_are_read_as_by_the_command_line() -> None:
    parsed = parsed_from(
        ReportValues,
        {
            "inputs": Path("model"),
            "gate": ("params <= +0", "macs <= 1G"),
            "batch": 8,
            "rules": "tfprof",
            "select": ["params", "bytes"],
            "hide_name_regexes": ["a{1,2}", "b"],
            "leave_out": "savers,summaries",
            "account_displayed_op_only": True,
            "fail_on_unknown": False,
            "label": None,
        },
    )
    values = parsed.make()
    assert values.head.source == "model"
    assert values.job.gates.gate == ["params <= +0", "macs <= 1G"]
    assert values.job.counting.batch == "8"
    assert values.job.counting.rules == "tfprof"
    assert values.job.options.select == ("params", "bytes")
    assert values.job.options.hide_name_regexes == ("a{1,2}", "b")
    assert values.job.leave_out.leave_out == ["savers,summaries"]
    assert values.job.options.account_displayed_op_only is True
    given = {"head.source", "job.gates.gate", "job.counting.batch", "job.counting.rules", "job.options.select"}
    given |= {"job.options.hide_name_regexes", "job.leave_out.leave_out", "job.options.account_displayed_op_only"}
    assert parsed.given == given | {"job.gates.fail_on_unknown"}


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({"gates": "x"}, 'argument: "gates" is not known; did you mean gate?'),
        ({"out": "x"}, '"out" is an option of the command alone; the method write names the folder'),
        ({"jobs": "4"}, "--jobs: '4' is not a whole number"),
        ({"jobs": True}, "--jobs: True is not a whole number"),
        ({"label": 3}, "--label: 3 is not a text"),
        ({"gate": {"params": 1}}, "--gate: {'params': 1} is not a text, nor a list of texts"),
        ({"gate": [1]}, "--gate: 1 is not a text"),
        ({"fail_on_unknown": 1}, "--fail-on-unknown: 1 is not True or False"),
        ({"label": Path("x")}, f"--label: {Path('x')!r} is not a text"),
    ],
)
def test_a_value_of_another_kind_is_one_line(given: dict[str, Any], line: str) -> None:
    with pytest.raises(OptionError) as error:
        parsed_from(ReportValues, given)
    assert str(error.value) == line


ARGUMENTS: Sequence[tuple[tuple[str, ...], dict[str, Any]]] = (
    (("--gate", "params <= 105%"), {"gate": "params <= 105%"}),
    (("--rules", "all"), {"rules": "all"}),
    (("--label", ""), {"label": ""}),
    (("--jobs", "0"), {"jobs": 0}),
    (("--max-chars", "9"), {"max_chars": 9}),
    (("--base-label", "x"), {"base_label": "x"}),
    (("--baseline", "gone"), {"baseline": "gone"}),
    (("--baseline", "ftp://host/x"), {"baseline": "ftp://host/x"}),
    (("--graph", "gone.pb"), {"graph": ["gone.pb"]}),
    (("--order-by", "weight"), {"order_by": "weight"}),
    (("--min-params", str(2**70)), {"min_params": 2**70}),
    (("--leave-out", "gradient"), {"leave_out": ["gradient"]}),
    (("--batch", "0"), {"batch": 0}),
    (("--input-shape", "x"), {"input_shape": "x"}),
    (("--config", "gone.toml"), {"config": "gone.toml"}),
    (("--config", "bad.toml"), {"config": "bad.toml"}),
    (("--explain", "nobody"), {"explain": "nobody"}),
    (("--gate", "params <= +2% since v1"), {"gate": "params <= +2% since v1"}),
    (("--timestamp", ""), {"timestamp": ""}),
    (("--flops-rules", "gone.toml"), {"flops_rules": "gone.toml"}),
)


@pytest.mark.parametrize(("options", "given"), ARGUMENTS, ids=lambda each: " ".join(each) if each else "")
def test_errors_are_those_of_the_command(
    options: tuple[str, ...], given: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    small_model(Path("model"))
    Path("bad.toml").write_text("[output]\nmax_chars = 'x'\n")
    outcome = call("report", "model", "--out", "out", *options)
    with pytest.raises(tr.TfprofReportError) as error:
        tr.make_report("model", **given)
    assert str(error.value) == outcome.error.removesuffix("; see tfprof-report report --help")
    assert int(error.value.exit_code) == outcome.code
    assert not Path("out").exists()


def test_an_environment_variable_that_is_not_set_is_not_given(tmp_path: Path) -> None:
    model = small_model(tmp_path / "model")
    assert tr.make_report(model, commit=os.environ.get("NO_SUCH_VARIABLE"), config="none").outcome == "not judged"
