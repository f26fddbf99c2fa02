"""From the values of the command line to a job."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import replace
from typing import Any

from tfprof_report.cli.inputs import counting_from, functions_from, is_missing, leave_out_from, paths_from
from tfprof_report.cli.params.common import FILES, options_from
from tfprof_report.clock import parse_age
from tfprof_report.compare.gates.policy import Policy
from tfprof_report.compare.matching.name_map import read_name_map
from tfprof_report.errors import BaselineError, InputError, OptionError
from tfprof_report.ingest.paths import InputPaths
from tfprof_report.job import Job, run
from tfprof_report.model.measurement import AS_REPORTS, Measurement
from tfprof_report.options import Options, flag
from tfprof_report.render.markdown.document import MAX_CHARS
from tfprof_report.report.folder import is_report_folder
from tfprof_report.report.report import Report
from tfprof_report.semantics import PRESETS

_NAMES = ("label", "commit", "branch")
"""What the user calls a side."""


def max_chars_from(values: dict[str, Any]) -> int:
    """Return the most characters that the Markdown may have."""
    return MAX_CHARS if values["max_chars"] is None else int(values["max_chars"])


def job_from(values: dict[str, Any], defaults: Options, *, head: InputPaths | str, side: str) -> Job:
    """Return the job of reporting `head`, without base and policy; of a base alone, where `side` says so."""
    job = Job(
        head=head,
        side=side,
        base=None,
        policy=Policy(),
        measurement=Measurement(
            options=options_from(values, defaults),
            semantics=PRESETS[values["semantics"]],
            counting=counting_from(values),
            functions=functions_from(values),
            leave_out=leave_out_from(values),
        ),
        name_map=read_name_map(values["name_map"]) if values["name_map"] is not None else None,
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
    wanted, default = job.measurement, AS_REPORTS
    now, usual = wanted.options.as_dict(), defaults.as_dict()
    given = [flag(name) for name in now if now[name] != usual[name] and name not in ruled]
    others = (
        ("--semantics", wanted.semantics != default.semantics, ["semantics"]),
        ("--functions, --cond or --loops", wanted.functions != default.functions, ["functions", "cond", "loops"]),
        ("--leave-out or --outputs", wanted.leave_out != default.leave_out, ["leave_out", "outputs"]),
    )
    given += [words for words, is_given, names in others if is_given and not any(name in ruled for name in names)]
    if given:
        raise OptionError(
            "a report folder keeps the options that it was written with",
            file=job.head,
            option=", ".join(given),
            advice="leave them out, or give the model's files",
        )
