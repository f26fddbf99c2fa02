"""The command line's parameters as tables: each command takes some of these groups, so that all spell them alike."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Annotated, Any

import typer

from tfprof_report.errors import OptionError
from tfprof_report.options import UNLIMITED_DEPTH, Options, flag, split_list
from tfprof_report.vocabulary import Count, FloatOpsFrom, FlopsRules, Preset

_INPUTS = "Inputs"
ROWS = "Rows and columns, as in tfprof"
_OUTPUT = "Output"
_CHECKERS = "Checkers"
_RULES = "Rules"
TRUE_WORDS, FALSE_WORDS = ("true", "t", "yes", "y", "1"), ("false", "f", "no", "n", "0")


FILES = ("graph", "run_meta", "run_meta_path", "op_log", "checkpoint", "profile")
"""Options that name files of a side."""

_METAVARS = {tuple: "LIST", bool: "BOOL", int: "N", str: "WORD"}
_OPTION_HELP = {
    "max_depth": "Levels to show; the root is level 1. In op view, rows after the first one.",
    "min_bytes": "Least requested bytes, total.",
    "min_peak_bytes": "Least peak bytes, total.",
    "min_residual_bytes": "Least residual bytes, total.",
    "min_output_bytes": "Least output bytes, total.",
    "min_micros": "Least microseconds, total.",
    "min_accelerator_micros": "Least accelerator microseconds, total.",
    "min_cpu_micros": "Least CPU microseconds, total.",
    "min_params": "Least parameters of the node itself; in op view of the row.",
    "min_float_ops": "Least FLOPs of the node itself; in op view of the row.",
    "min_occurrence": "Least executions of the node itself; in op view, nodes of the row.",
    "step": "Step to show; -1 is the mean over all steps.",
    "order_by": "Order of siblings, largest first: name, bytes, micros, params, float_ops, macs, occurrence ...",
    "account_type_regexes": "Count nodes of which an op, device or op-log type matches.",
    "start_name_regexes": "Start at rows that match.",
    "trim_name_regexes": "Show rows that match without what is below them; in op view, end before them.",
    "show_name_regexes": "Show rows that match.",
    "hide_name_regexes": "Hide rows that match; what is below them moves up.",
    "account_displayed_op_only": "Totals of shown rows only.",
    "select": "Columns: params, float_ops, macs, bytes, peak_bytes, residual_bytes, output_bytes, micros, "
    "accelerator_micros, cpu_micros, device, op_types, occurrence, input_shapes.",
}


def option(kind: Any, *names: str, panel: str, text: str, default: Any = None, **more: Any) -> tuple[Any, Any]:
    """Return an annotation and a default: an option of the command line in the panel of that name."""
    return Annotated[kind, typer.Option(*names, help=text, rich_help_panel=panel, show_default=False, **more)], default


def input_params(side: str = "", source: str | None = None, text: str = "") -> dict[str, tuple[Any, Any]]:
    """Return the parameters that name the inputs of one side: an argument `source`, and an option per kind of file."""
    key = side.replace("-", "_")
    params: dict[str, tuple[Any, Any]] = {}
    if source:
        params[source.lower()] = (
            Annotated[str | None, typer.Argument(metavar=source, help=text, show_default=False)],
            None,
        )
    of = f" of {side.rstrip('-')}" if side else ""
    params[f"{key}graph"] = option(
        list[str] | None,
        *_names(side, "graph"),
        panel=_INPUTS,
        text=f"GraphDef{of}, or the MetaGraphDef or SavedModel around it; more files add what is new in them.",
        metavar="FILE",
    )
    params[f"{key}run_meta"] = option(
        list[str] | None,
        f"--{side}run-meta",
        panel=_INPUTS,
        text=f"RunMetadata of a step{of}; repeatable. Without STEP= files are steps 0, 1, 2...",
        metavar="[STEP=]FILE",
    )
    params[f"{key}run_meta_path"] = option(
        list[str] | None,
        f"--{side}run-meta-path",
        panel=_INPUTS,
        text="The same as a comma-separated list, as in tfprof.",
        metavar="FILE,...",
    )
    params[f"{key}op_log"] = option(
        str | None, *_names(side, "op-log"), panel=_INPUTS, text=f"OpLogProto{of}.", metavar="FILE"
    )
    params[f"{key}checkpoint"] = option(
        str | None,
        *_names(side, "checkpoint"),
        panel=_INPUTS,
        text="Checkpoint: its variables have the type _checkpoint_variables and show their tensor_value.",
        metavar="PREFIX",
    )
    params[f"{key}profile"] = option(
        str | None,
        *_names(side, "profile"),
        panel=_INPUTS,
        text="ProfileProto, which stands for graph, run metadata and op log.",
        metavar="FILE",
    )
    params[f"{key}signature"] = option(
        str | None,
        f"--{side}signature",
        panel=_INPUTS,
        text="Signature of the SavedModel that the report names. [default: serving_default]",
        metavar="NAME",
    )
    params[f"{key}input_shape"] = option(
        list[str] | None,
        f"--{side}input-shape",
        panel=_INPUTS,
        text=f"Shape of a placeholder{of} whose sizes are open, such as x=1,224,224,3; what follows from it is "
        "inferred again. Repeatable.",
        metavar="NAME=SHAPE",
    )
    return params


def _names(side: str, word: str) -> tuple[str, ...]:
    """Return the spellings of an option: tfprof's own only where tfprof has the option."""
    return (f"--{side}{word}",) if side else (f"--{word}", f"--{word}-path")


def option_params(
    defaults: Options, *, semantics: Preset, rules: FlopsRules = FlopsRules.NONE
) -> dict[str, tuple[Any, Any]]:
    """Return a parameter for each field of `Options`, and the choices of FLOPs rules and of semantics."""
    params = {}
    for field in fields(Options):
        default = getattr(defaults, field.name)
        is_list = isinstance(default, tuple)
        kind = str | None if isinstance(default, bool) else list[str] | None if is_list else type(default) | None
        words = ", ".join(default) if is_list else str(default).lower() if isinstance(default, bool) else default
        note = " [default: no limit]" if default == UNLIMITED_DEPTH else f" [default: {words}]" if words != "" else ""
        params[field.name] = option(
            kind,
            flag(field.name),
            panel=ROWS,
            text=_OPTION_HELP[field.name] + note,
            metavar=_METAVARS[type(default)],
        )
    params["no_account_displayed_op_only"] = option(
        bool, "--no-account-displayed-op-only", panel=ROWS, text="Totals of all rows.", default=False
    )
    params["rules"] = option(
        FlopsRules,
        "--rules",
        panel=ROWS,
        text="FLOPs of nodes without a figure in the op log: none; tfprof for the rules of TensorFlow's registry; "
        f"extended for those and many more. [default: {rules}]",
        default=rules,
        metavar="|".join(FlopsRules),
    )
    params["flops_rules"] = _flops_rules_param(ROWS)
    params["float_ops_from"] = option(
        FloatOpsFrom,
        "--float-ops-from",
        panel=ROWS,
        text="Where the op log and the rules both have a figure: which counts. [default: op-log]",
        default=FloatOpsFrom.OP_LOG,
        metavar="|".join(FloatOpsFrom),
    )
    params["count"] = option(
        Count,
        "--count",
        panel=ROWS,
        text="FLOPs of all ops, or of contractions only (convolutions, matrix products, recurrent cells), as papers "
        "count. [default: all]",
        default=Count.ALL,
        metavar="|".join(Count),
    )
    params["semantics"] = semantics_param(semantics)
    return params


def rules_params() -> dict[str, tuple[Any, Any]]:
    """Return the parameters of the command that prints FLOPs rules: which of them."""
    return {
        "rules": option(
            FlopsRules,
            "--rules",
            panel=_RULES,
            text="tfprof for the rules of TensorFlow's registry; extended for those and many more; none for those of "
            "--flops-rules alone. [default: extended]",
            default=FlopsRules.EXTENDED,
            metavar="|".join(FlopsRules),
        ),
        "flops_rules": _flops_rules_param(_RULES),
        "op": option(list[str] | None, "--op", panel=_RULES, text="Only this op type; repeatable.", metavar="OP"),
        "op_class": option(
            str | None,
            "--class",
            panel=_RULES,
            text="Only op types of this class, such as contraction.",
            metavar="CLASS",
        ),
    }


def _flops_rules_param(panel: str) -> tuple[Any, Any]:
    """Return the parameter that names a file of FLOPs rules."""
    return option(
        str | None,
        "--flops-rules",
        panel=panel,
        text="FLOPs rules of your own, such as for custom ops, which come before those of --rules.",
        metavar="FILE",
    )


def leave_out_params(panel: str = ROWS) -> dict[str, tuple[Any, Any]]:
    """Return the parameters that keep nodes out of every figure."""
    return {
        "leave_out": option(
            list[str] | None,
            "--leave-out",
            panel=panel,
            text="Parts that are not the model: savers, summaries, initializers, gradients, optimizer; training for "
            "the last two, or all. How much they are is said. [default: nothing]",
            metavar="LIST",
        ),
        "outputs": option(
            list[str] | None,
            "--outputs",
            panel=panel,
            text="Keep only nodes that feed these. [default: all nodes]",
            metavar="LIST",
        ),
    }


def semantics_param(default: Preset) -> tuple[Any, Any]:
    """Return the parameter that chooses the semantics."""
    return option(
        Preset,
        "--semantics",
        panel=ROWS,
        text=f"tfprof: the native tool's numbers and text; corrected: what a user means. [default: {default}]",
        default=default,
        metavar="|".join(Preset),
    )


def checker_params() -> dict[str, tuple[Any, Any]]:
    """Return the parameters of advise: its checkers, and their options, which count under corrected semantics."""
    return {
        "checkers": option(
            list[str] | None,
            "--checkers",
            panel=_CHECKERS,
            text="ExpensiveOperationChecker, AcceleratorUtilizationChecker, OperationChecker. [default: all]",
            metavar="LIST",
        ),
        "top": option(int | None, "--top", panel=_CHECKERS, text="Rows of each list. [default: 3]", metavar="N"),
        "min_line_micros": option(
            int | None,
            "--min-line-micros",
            panel=_CHECKERS,
            text="Least microseconds of a line of code that is listed. [default: 1000]",
            metavar="N",
        ),
        "low_utilization": option(
            float | None,
            "--low-utilization",
            panel=_CHECKERS,
            text="Share of a step below which an accelerator counts as idle. [default: 0.5]",
            metavar="SHARE",
        ),
    }


def output_params() -> dict[str, tuple[Any, Any]]:
    """Return the parameters of commands that show a view: where it goes."""
    return {
        "output": option(
            str | None,
            "--output",
            panel=_OUTPUT,
            text="stdout, none, or TYPE:outfile=FILE with file (the text), timeline (Chrome trace, named FILE_STEP), "
            "pprof, folded (stacks) or speedscope. [default: stdout]",
            metavar="TYPE",
        ),
        "dump_to_file": option(
            str | None, "--dump-to-file", panel=_OUTPUT, text="The same as --output file:outfile=FILE.", metavar="FILE"
        ),
        "frame": option(
            bool,
            "--frame",
            panel=_OUTPUT,
            text="Print tfprof's frame and options around the text on standard output.",
            default=False,
        ),
    }


def common_params() -> dict[str, tuple[Any, Any]]:
    """Return the parameters of every command."""
    return {
        "verbose": (Annotated[bool, typer.Option("--verbose", help="Show the details of an error.")], False),
    }


def context_param() -> dict[str, tuple[Any, Any]]:
    """Return the parameter that is no option: typer's own record of the call."""
    return {"context": (typer.Context, ...)}


def takes(*groups: dict[str, tuple[Any, Any]]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a function ``f(**values)`` the signature that typer reads: the parameters of all `groups`."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        params = {name: spec for group in groups for name, spec in group.items()}
        signature = inspect.Signature(
            [
                inspect.Parameter(
                    name,
                    inspect.Parameter.KEYWORD_ONLY,
                    annotation=annotation,
                    default=inspect.Parameter.empty if default is ... else default,
                )
                for name, (annotation, default) in params.items()
            ]
        )
        function.__signature__ = signature  # type: ignore[attr-defined]
        function.__annotations__ = {name: annotation for name, (annotation, _) in params.items()}
        return function

    return decorate


def options_from(values: dict[str, Any], defaults: Options) -> Options:
    """Return the options that the command line's values make, `defaults` where nothing was given."""
    given: dict[str, Any] = {}
    for field in fields(Options):
        value = values[field.name]
        if value is None or value == []:
            continue
        if isinstance(getattr(defaults, field.name), tuple):
            value = split_list(value)
        elif field.name == "account_displayed_op_only":
            value = _truth(value)
        given[field.name] = value
    if values["no_account_displayed_op_only"]:
        given["account_displayed_op_only"] = False
    return Options(**{**{field.name: getattr(defaults, field.name) for field in fields(Options)}, **given})


def _truth(word: str) -> bool:
    if word.lower() not in (*TRUE_WORDS, *FALSE_WORDS):
        raise OptionError(f'"{word}" is neither true nor false', option="--account-displayed-op-only")
    return word.lower() in TRUE_WORDS


def spell(arguments: Sequence[str]) -> list[str]:
    """Return the arguments in our spelling: ``--max_depth`` as ``--max-depth``, a bare boolean option as ``=true``."""
    spelt: list[str] = []
    for at, argument in enumerate(arguments):
        if argument == "--":
            return [*spelt, *arguments[at:]]
        name, equals, value = argument.partition("=")
        if name.startswith("--"):
            name = name.replace("_", "-")
            following = arguments[at + 1].lower() if at + 1 < len(arguments) else ""
            if name == "--account-displayed-op-only" and not equals and following not in (*TRUE_WORDS, *FALSE_WORDS):
                equals, value = "=", "true"
        spelt.append(name + equals + value)
    return spelt
