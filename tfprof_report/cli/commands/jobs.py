"""Turn the values of the command line into a `Job` and its sides."""

from __future__ import annotations

from collections.abc import Container

from tfprof_report.cli.config.file import AppliedRules
from tfprof_report.cli.inputs import (
    is_missing,
    measurement_from,
    paths_from,
)
from tfprof_report.cli.params.model_options import InputValues
from tfprof_report.cli.params.report_options import JobValues
from tfprof_report.clock import parse_age
from tfprof_report.compare.gates.policy import Policy
from tfprof_report.compare.matching.name_map import read_name_map
from tfprof_report.errors import InputError, OptionError
from tfprof_report.ingest.paths import InputPaths
from tfprof_report.job import Job
from tfprof_report.model.measurement import AS_REPORTS
from tfprof_report.options import flag
from tfprof_report.render.markdown.document import MAX_CHARS
from tfprof_report.report.links import Links, read_links
from tfprof_report.report.picks import Picks, read_picks
from tfprof_report.report.unfinished import is_report_folder
from tfprof_report.threads import usable_cores
from tfprof_report.vocabulary import BaselineMissing


def max_chars_from(values: JobValues) -> int:
    """Return the maximum number of characters of the Markdown."""
    return MAX_CHARS if values.max_chars is None else values.max_chars


def jobs_from(values: JobValues) -> int:
    """Return how many tasks may run at the same time."""
    return usable_cores() if values.jobs is None else values.jobs


def links_from(values: JobValues) -> Links:
    """Return the addresses that the report links to."""
    return read_links(values.hosts.report_url, values.hosts.commit_url)


def picks_from(values: JobValues) -> Picks | None:
    """Return what is known of baselines that were picked; call it only if there is a baseline."""
    path = values.baseline.baseline_info
    return None if path is None else read_picks(path)


def job_from(values: JobValues, rules: AppliedRules, policy: Policy, *, head: InputPaths | str, side: str = "") -> Job:
    """Return the job that reports `head`, without a base; with `side` "base-", `head` is a model that only base has."""
    age = values.baseline.max_baseline_age
    job = Job(
        head=head,
        side=side,
        base=None,
        policy=policy,
        measurement=measurement_from(values),
        name_map=read_name_map(values.gates.name_map) if values.gates.name_map is not None else None,
        label=values.names.label,
        commit=values.names.commit,
        branch=values.names.branch,
        base_label=values.base_names.label,
        base_commit=values.base_names.commit,
        base_branch=values.base_names.branch,
        timestamp=values.timestamp,
        speeds=rules.devices,
        links=links_from(values),
        jobs=jobs_from(values),
        max_base_age=parse_age(age, option="--max-baseline-age") if age else None,
        needs_base=values.baseline.baseline_missing is not BaselineMissing.WARN,
    )
    if side != "base-":  # a base report may have been written with other options
        _check_kept_options(job, rules.params)
    return job


def side_of(inputs: InputValues, rules: AppliedRules, *, is_report: bool = False) -> InputPaths | str:
    """Return the files of a side, or its report folder; `is_report` says that the source is one, without a check."""
    source = inputs.source
    if source and (is_report or (not inputs.files and is_report_folder(source))):
        if inputs.input_shape and inputs.param("input_shape") not in rules.params:
            raise OptionError(
                "a report folder keeps the shapes that it was written with",
                file=source,
                option=f"--{inputs.side}input-shape",
                advice="leave it out, or give the model's files",
            )
        return source
    if source and inputs.side == "base-" and is_missing(source):
        advice = "check the path, or give --baseline-missing warn for a first run without one"
        raise InputError("there is no such baseline", file=source, advice=advice)
    return paths_from(inputs)


def _check_kept_options(job: Job, from_file: Container[str]) -> None:
    """Refuse options that have no effect on a report folder, whose rows were chosen when it was written.

    Parameters set by the rules file, `from_file`, are exempt: they are meant for every report.
    """
    if isinstance(job.head, InputPaths):
        return
    wanted, default = job.measurement, AS_REPORTS
    now, usual = wanted.options.as_dict(), default.options.as_dict()
    given = [flag(name) for name in now if now[name] != usual[name] and name not in from_file]
    others = (
        ("--semantics", wanted.semantics != default.semantics, ["semantics"]),
        ("--functions, --cond or --loops", wanted.functions != default.functions, ["functions", "cond", "loops"]),
        ("--batch", wanted.batch.is_given, ["batch"]),
        ("--leave-out or --outputs", wanted.leave_out != default.leave_out, ["leave_out", "outputs"]),
    )
    given += [words for words, is_given, names in others if is_given and not any(name in from_file for name in names)]
    if given:
        raise OptionError(
            "a report folder keeps the options that it was written with",
            file=job.head,
            option=", ".join(given),
            advice="leave them out, or give the model's files",
        )
