"""The command `report` with several models: the base and the gates of each, and the overall report."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path

from tfprof_report.cli.commands.host_files import content_of_several, write_for_hosts
from tfprof_report.cli.commands.jobs import job_from, max_chars_from, picks_from, side_of
from tfprof_report.cli.config.file import AppliedRules, print_rules_file
from tfprof_report.cli.config.make_policy import policies_from
from tfprof_report.cli.console import echo, print_lines, progress
from tfprof_report.cli.inputs import print_diagnostics, print_notes, skips_missing_baseline
from tfprof_report.cli.params.report_options import ReportValues
from tfprof_report.compare.gates.policy import Policy
from tfprof_report.errors import OptionError, log_line
from tfprof_report.ingest.paths import InputPaths
from tfprof_report.job import Job
from tfprof_report.models_job import ModelJob, write_models
from tfprof_report.options import flag
from tfprof_report.report.explained import Explained
from tfprof_report.report.models import ModelsReport, ModelStatus, folded, name_problem, read_models_folder
from tfprof_report.report.picks import Picks
from tfprof_report.report.report import Report
from tfprof_report.schema.files import HTML, MARKDOWN, VERDICT

_HEAD, _BASE = "--model", "--base-model"


def write_several(values: ReportValues, rules: AppliedRules) -> int:
    """Write the report of several models, each compared with its base if bases are named; return the exit code."""
    job, explained = values.job, Explained(values.job.gates.explain or ())
    models = _models(values, rules)
    with progress() as show:
        written = write_models(
            models,
            job.folder,
            label=job.names.label,
            commit=job.names.commit,
            branch=job.names.branch,
            timestamp=job.timestamp,
            max_chars=max_chars_from(job),
            only_if_changed=job.gates.only_if_changed,
            explained=explained,
            progress=show,
            seen=_print_warnings,
        )
    print_rules_file(rules)
    _print_result(written.report, job.folder, is_brief=written.is_brief)
    print_lines(explained.lines)
    write_for_hosts(job, content_of_several(written.report, written.content, is_brief=written.is_brief))
    return written.report.verdict.exit_code


def _print_warnings(name: str, report: Report, *sides: InputPaths | str | None) -> None:
    print_notes(*sides)
    print_diagnostics(report.diagnostics, of=name)


def _models(values: ReportValues, rules: AppliedRules) -> tuple[ModelJob, ...]:
    """Return the models in the order given, then those that only the base has."""
    _check_conflicts(values)
    heads = _named_inputs(values.models.model or (), _HEAD)
    policies = policies_from(values.job.gates, rules, heads)
    baseline, may_miss = values.base.source, values.job.baseline.baseline_missing
    bases: dict[str, str] = {}
    missing: set[str] = set()
    if baseline is not None and skips_missing_baseline(baseline, may_miss):
        missing = set(heads)
    elif baseline is not None:
        bases = read_models_folder(baseline)
    elif values.models.base_model:
        bases = _named_inputs(values.models.base_model, _BASE)
        missing = {name for name, path in bases.items() if skips_missing_baseline(path, may_miss, of=name)}
        bases = {name: path for name, path in bases.items() if name not in missing}
    has_base = bool(bases) or (baseline is not None and not missing)
    picks = picks_from(values.job) if has_base else None
    return (
        *(
            ModelJob(
                name=name,
                status=_status(name, bases, missing, has_base=has_base),
                job=partial(
                    _job,
                    values,
                    rules,
                    policies[name],
                    source,
                    base_missing=name in missing,
                    picks=picks.of_model(name) if picks else None,
                ),
                find_base=partial(_base, values, rules, bases[name]) if name in bases else None,
            )
            for name, source in heads.items()
        ),
        *(
            ModelJob(name=name, status=ModelStatus.GONE, job=partial(_job_of_base, values, rules, source))
            for name, source in bases.items()
            if name not in heads
        ),
    )


def _job(
    values: ReportValues,
    rules: AppliedRules,
    policy: Policy,
    source: str,
    *,
    base_missing: bool,
    picks: Picks | None,
) -> Job:
    """Return the job of a model of head."""
    head = side_of(replace(values.head, source=source), rules)
    return replace(job_from(values.job, rules, policy, head=head), base_missing=base_missing, picks=picks)


def _job_of_base(values: ReportValues, rules: AppliedRules, source: str) -> Job:
    """Return the job of a model that only the base has."""
    return job_from(values.job, rules, Policy(), head=_base(values, rules, source), side="base-")


def _base(values: ReportValues, rules: AppliedRules, source: str) -> InputPaths | str:
    """Return a base. Below --baseline it is always a report folder, even if the folder also has files of a model."""
    is_report = values.base.source is not None
    return side_of(replace(values.base, source=source), rules, is_report=is_report)


def _status(name: str, bases: Container[str], missing: Container[str], *, has_base: bool) -> ModelStatus:
    """Return the status of a model of head: new if base has other models and its own base was not named."""
    if name in bases:
        return ModelStatus.COMPARED
    return ModelStatus.NEW if has_base and name not in missing else ModelStatus.REPORTED


def _named_inputs(given: Iterable[str], option: str) -> dict[str, str]:
    """Return the inputs of each model by its name, in the order given."""
    named: dict[str, str] = {}
    for text in given:
        name, equals, source = text.partition("=")
        advice = f"write {option} NAME=INPUTS, such as {option} encoder=runs/encoder"
        problem = name_problem(name) if equals else "has no name"
        if not problem and not source:
            problem = "names no inputs"
        if not problem and folded(name) in map(folded, named):
            problem, advice = "the name is given twice, or differs in case only", "give each model its own name"
        if problem:
            raise OptionError(problem, option=f'{option} "{text}"', advice=advice)
        named[name] = source
    return named


def _check_conflicts(values: ReportValues) -> None:
    """Refuse options that cannot be combined with several models."""
    if not values.models.model:
        raise OptionError(f"there is no {_HEAD} to compare", option=_BASE, advice="name the models of head")
    if values.head.source is not None:
        raise OptionError(
            f"{values.head.source} has no name, which each of several models needs",
            option=_HEAD,
            advice=f"write {_HEAD} NAME={values.head.source}",
        )
    if values.models.base_model and values.base.source is not None:
        raise OptionError("the bases are named twice", option=f"--baseline, {_BASE}", advice="use one of the two")
    if files := (*values.head.files, *values.base.files):
        raise OptionError(
            f"names a file of one model, {_HEAD} names several",
            option=flag(files[0]),
            advice="give each model a folder, a graph file or an earlier report",
        )


def _print_result(report: ModelsReport, folder: str, *, is_brief: bool) -> None:
    reported = [model.name for model in report.models if model.status is not ModelStatus.GONE]
    kinds = {"HTML": [HTML], "Markdown": [MARKDOWN], "Models": reported}
    for kind, names in ({} if is_brief else kinds).items():
        echo(f"{kind:<9} {', '.join(str(Path(folder) / name) for name in names)}")
    echo(f"Verdict   {Path(folder) / VERDICT}")
    for model in report.models:
        echo(log_line(f"{model.name}: {model.verdict.text}"))
    echo(log_line(report.verdict.text))
