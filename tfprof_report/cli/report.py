"""The commands that write a report folder."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import replace
from pathlib import Path
from typing import Any

import typer

from tfprof_report.cli.explained import Explained
from tfprof_report.cli.hosts import check_hosts, tell_hosts, tell_of_one
from tfprof_report.cli.inputs import (
    counting_from,
    functions_from,
    leave_out_from,
    paths_from,
    print_diagnostics,
    print_notes,
    progress,
)
from tfprof_report.cli.main import may_be_cut_short
from tfprof_report.cli.missing import goes_without, is_missing
from tfprof_report.cli.params import FILES, options_from
from tfprof_report.cli.policy import policy_from
from tfprof_report.cli.rules_file import print_rules_file
from tfprof_report.clock import parse_age
from tfprof_report.compare.name_map import read_name_map
from tfprof_report.compare.policy import Policy
from tfprof_report.errors import BaselineError, InputError, OptionError, log_line
from tfprof_report.ingest.files import InputPaths
from tfprof_report.job import Job, run
from tfprof_report.model.function_use import INLINED
from tfprof_report.model.leave_out import NOTHING
from tfprof_report.options import Options, flag
from tfprof_report.render.content import sides_of
from tfprof_report.render.markdown import LEAST_CHARS, MAX_CHARS
from tfprof_report.render.screen import side_facts
from tfprof_report.render.write import write_report
from tfprof_report.report.folder import VERDICT, is_report_folder
from tfprof_report.report.model import Report
from tfprof_report.report.news import has_news
from tfprof_report.semantics import CORRECTED, PRESETS

_NAMES = ("label", "commit", "branch")
"""What the user calls a side."""


def write(values: dict[str, Any], defaults: Options) -> int:
    """Write the report of one model or several, compared with a baseline if one is named; return the exit code."""
    _check_out(values)
    has_base = values["baseline"] is not None or _names_files(values, "base-")
    named = [flag(name) for name in (f"base_{word}" for word in _NAMES) if values[name] and name not in values["ruled"]]
    if named and not has_base and not values["base_model"]:
        raise OptionError("there is no base", option=named[0], advice="name one with --baseline or leave it out")
    check_hosts(values, [values["baseline"], *(text.partition("=")[2] for text in values["base_model"] or ())])
    if values["model"] or values["base_model"]:
        from tfprof_report.cli.models import write_models

        return write_models(values, defaults)
    return _run(values, defaults, head=values["inputs"], side="", base=values["baseline"], has_base=has_base)


def write_diff(values: dict[str, Any], defaults: Options) -> int:
    """Write the report of head compared with base; return the exit code."""
    _check_out(values)
    for word in ("base", "head"):
        if values[word] is None and not values[f"{word}_graph"] and not values[f"{word}_profile"]:
            raise OptionError(f"{word.upper()} is missing", advice="give BASE HEAD, or --base-graph and --head-graph")
    check_hosts(values, [values["base"]])
    return _run(values, defaults, head=values["head"], side="head-", base=values["base"], has_base=True)


def _check_out(values: dict[str, Any]) -> None:
    if values["out"] is None:
        raise OptionError("Missing option '--out'", advice="name the folder to write, here or in the rules file")
    if not values["out"]:
        raise OptionError("the name of the folder is empty", option="--out", advice="name the folder to write")
    if max_chars_from(values) < LEAST_CHARS:
        raise OptionError(
            f"{values['max_chars']} is too few for the verdict",
            option="--max-chars",
            advice=f"give {LEAST_CHARS} or more",
        )


def max_chars_from(values: dict[str, Any]) -> int:
    """Return the most characters that the Markdown may have."""
    return MAX_CHARS if values["max_chars"] is None else int(values["max_chars"])


def _run(
    values: dict[str, Any], defaults: Options, *, head: str | None, side: str, base: str | None, has_base: bool
) -> int:
    policy = policy_from(values, values["label"])
    job = job_from(values, defaults, head=side_of(values, head, side), side=side)
    job = replace(job, base_missing=has_base and goes_without(values, base))
    has_base = has_base and not job.base_missing
    with progress() as show:
        report, base_side = report_of(job, lambda: side_of(values, base, "base-") if has_base else None, policy, show)
        explained = Explained(values["explain"] or ())
        explained.add(report)
        explained.check()
        is_brief = values["only_if_changed"] and not has_news(report)
        files = write_report(
            report,
            values["out"],
            max_chars=max_chars_from(values),
            verdict_alone=is_brief,
            progress=lambda name: show(f"writing {name}"),
        )
    print_notes(job.head, base_side)
    print_diagnostics(report.diagnostics)
    with may_be_cut_short():
        print_rules_file(values["rules_file"])
        _print_result(report, values["out"], files)
        explained.print()
    tell_hosts(values, tell_of_one(report, is_brief=is_brief))
    return report.verdict.exit_code


def job_from(values: dict[str, Any], defaults: Options, *, head: InputPaths | str, side: str) -> Job:
    """Return the job of reporting `head`, without base and policy; of a base alone, where `side` says so."""
    job = Job(
        head=head,
        side=side,
        base=None,
        policy=Policy(),
        options=options_from(values, defaults),
        semantics=PRESETS[values["semantics"]],
        functions=functions_from(values),
        leave_out=leave_out_from(values),
        name_map=read_name_map(values["name_map"]) if values["name_map"] is not None else None,
        counting=counting_from(values),
        **{f"{of}{word}": values[f"{of}{word}"] for of in ("", "base_") for word in _NAMES},
        timestamp=values["timestamp"],
        max_base_age=parse_age(age, option="--max-baseline-age") if (age := values["max_baseline_age"]) else None,
    )
    if side != "base-":  # a base keeps its own options
        _check_kept_options(job, defaults, values["ruled"])
    return job


def report_of(
    job: Job, base: Callable[[], InputPaths | str | None], policy: Policy, show: Callable[[str], None]
) -> tuple[Report, InputPaths | str | None]:
    """Return the report of a job, and the side that `base` found for it to be compared with."""
    try:
        side = base()
    except InputError as error:
        run(job, show)  # a problem of head wins over one of base
        raise BaselineError(str(error), details=error.details) from error
    return run(replace(job, base=side, policy=policy), show), side


def side_of(values: dict[str, Any], source: str | None, side: str, *, is_report: bool = False) -> InputPaths | str:
    """Return the files of a side, or the report folder that `source` is, whatever else it holds if `is_report`."""
    if source and (is_report or (not _names_files(values, side) and is_report_folder(source))):
        shapes = f"{side.replace('-', '_')}input_shape"
        if values[shapes] and shapes not in values["ruled"]:
            raise OptionError(
                "a report folder keeps the shapes that it was written with",
                file=source,
                option=f"--{side}input-shape",
                advice="leave it out, or give the model's files",
            )
        return source
    if source and side == "base-" and is_missing(source):
        advice = "check the path, or give --baseline-missing warn for a first run without one"
        raise InputError("there is no such baseline", file=source, advice=advice)
    return paths_from(values, source, side)


def _names_files(values: dict[str, Any], side: str) -> bool:
    return any(values[f"{side.replace('-', '_')}{kind}"] for kind in FILES)


def _check_kept_options(job: Job, defaults: Options, ruled: Container[str]) -> None:
    """Refuse options that would have no effect: the rows of a report folder were chosen when it was written.

    Those of the rules file, `ruled`, are for all reports, and for this one were so when it was written.
    """
    if isinstance(job.head, InputPaths):
        return
    now, usual = job.options.as_dict(), defaults.as_dict()
    given = [flag(name) for name in now if now[name] != usual[name] and name not in ruled]
    others = (
        ("--semantics", job.semantics != CORRECTED, ["semantics"]),
        ("--functions, --cond or --loops", job.functions != INLINED, ["functions", "cond", "loops"]),
        ("--leave-out or --outputs", job.leave_out != NOTHING, ["leave_out", "outputs"]),
    )
    given += [words for words, is_given, names in others if is_given and not any(name in ruled for name in names)]
    if given:
        raise OptionError(
            "a report folder keeps the options that it was written with",
            file=job.head,
            option=", ".join(given),
            advice="leave them out, or give the model's files",
        )


def _print_result(report: Report, folder: str, files: tuple[str, ...]) -> None:
    tables = [name for name in files if name.endswith(".parquet")]
    kinds = {"HTML": ["report.html"], "Markdown": ["report.md"], "Parquet": tables, "Verdict": [VERDICT]}
    for kind, names in kinds.items():
        if there := [str(Path(folder) / name) for name in names if name in files]:
            typer.echo(f"{kind:<9} {', '.join(there)}")
    for word, side in sides_of(report) if report.comparison else ():
        typer.echo(f"{word.capitalize():<9} {log_line(side_facts(word, side).words)}")
    typer.echo(log_line(report.verdict.text))
