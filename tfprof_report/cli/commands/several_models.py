"""The command `report` with several models: the base and the gates of each, and the overall report."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import field, replace
from functools import partial
from pathlib import Path

from tfprof_report.cli.commands.host_files import HostContent, write_for_hosts
from tfprof_report.cli.commands.jobs import job_from, links_from, max_chars_from, picks_from, side_of
from tfprof_report.cli.commands.past import past_of_several
from tfprof_report.cli.config.file import AppliedRules
from tfprof_report.cli.config.make_policy import policies_from
from tfprof_report.cli.console import echo, print_lines, progress, say
from tfprof_report.cli.inputs import missing_words, skips_missing_baseline
from tfprof_report.cli.notes import print_diagnostics, print_notes, print_rules_file
from tfprof_report.cli.params.report_options import ReportValues
from tfprof_report.compare.gates.policy import Policy
from tfprof_report.errors import BaselineError, OptionError, log_line
from tfprof_report.ingest.paths import InputPaths
from tfprof_report.job import Job, report_steps
from tfprof_report.models_job import ModelJob, write_models
from tfprof_report.options import flag
from tfprof_report.record import record
from tfprof_report.render.content.models_index import ModelsContent
from tfprof_report.render.markdown.models_document import render_models_brief, render_models_markdown
from tfprof_report.report.build_report import no_baseline
from tfprof_report.report.explained import Explained
from tfprof_report.report.models import ModelsReport, ModelStatus, folded, name_problem, read_models_folder
from tfprof_report.report.picks import Picks
from tfprof_report.report.report import Report
from tfprof_report.report.starts import Past
from tfprof_report.schema.files import HTML, MARKDOWN, VERDICT
from tfprof_report.vocabulary import BaselineMissing

_HEAD, _BASE = "--model", "--base-model"


def write_several(values: ReportValues, rules: AppliedRules) -> int:
    """Write the report of several models, each compared with its base if bases are named; return the exit code."""
    job, explained = values.job, Explained(values.job.gates.explain or ())
    bases = _bases(values)
    models = _models(values, rules, bases)
    if bases.problem is not None:
        print_diagnostics(no_baseline(bases.problem))
    steps = sum(report_steps(None, has_base=model.find_base is not None) for model in models)
    with progress(steps) as show:
        written = write_models(
            models,
            job.folder,
            label=job.names.label,
            commit=job.names.commit,
            branch=job.names.branch,
            timestamp=job.timestamp,
            links=links_from(job),
            max_chars=max_chars_from(job),
            only_if_changed=job.gates.only_if_changed,
            explained=explained,
            progress=show,
            seen=partial(_print_warnings, bases.problem),
        )
    for problem in written.lost_bases:
        say(f"warning: {problem}; the report is without it")
    print_rules_file(rules.path)
    _print_result(written.report, job.folder, is_brief=written.is_brief)
    print_lines(explained.lines)
    write_for_hosts(job, _content(written.report, written.content, is_brief=written.is_brief))
    return written.report.verdict.exit_code


def _print_warnings(said: str | None, name: str, report: Report, *sides: InputPaths | str | None) -> None:
    """Print the warnings about a model; that all models are without a baseline was `said` before, once."""
    print_notes(*sides)
    shared = no_baseline(said)
    print_diagnostics((found for found in report.diagnostics if found not in shared), of=name)


@record
class _Bases:
    """The bases of several models.

    sources : the inputs or report folder of each, by name
    missing : why each of the others is missing, None where nothing is to be said
    all_missing : whether there is no base at all, for want of the folder with all of them
    problem : why not
    """

    sources: Mapping[str, str] = field(default_factory=dict)
    missing: Mapping[str, str | None] = field(default_factory=dict)
    all_missing: bool = False
    problem: str | None = None


def _bases(values: ReportValues) -> _Bases:
    """Return the bases that the user names."""
    _check_conflicts(values)
    baseline, may_miss = values.base.source, values.job.baseline.baseline_missing
    if baseline is None:
        sources = _named_inputs(values.models.base_model or (), _BASE)
        missing = {name for name, path in sources.items() if skips_missing_baseline(path, may_miss)}
        return _Bases(
            sources={name: path for name, path in sources.items() if name not in missing},
            missing={name: missing_words(sources[name], may_miss) for name in sources if name in missing},
        )
    if skips_missing_baseline(baseline, may_miss):
        return _Bases(all_missing=True, problem=missing_words(baseline, may_miss))
    try:
        return _Bases(sources=read_models_folder(baseline))
    except BaselineError as error:
        if may_miss is not BaselineMissing.WARN:
            raise
        return _Bases(all_missing=True, problem=f"{error}; the report is without one")


def _models(values: ReportValues, rules: AppliedRules, bases: _Bases) -> tuple[ModelJob, ...]:
    """Return the models in the order given, then those that only the base has."""
    heads = _named_inputs(values.models.model or (), _HEAD)
    policies = policies_from(values.job.gates, rules, heads)
    pasts = past_of_several(values.job.drift, policies)
    missing = dict.fromkeys(heads, bases.problem) if bases.all_missing else bases.missing
    has_base = bool(bases.sources) or (values.base.source is not None and not bases.all_missing)
    picks = picks_from(values.job) if has_base else None
    return (
        *(
            ModelJob(
                name=name,
                status=_status(name, bases.sources, missing, has_base=has_base),
                job=partial(
                    _job,
                    values,
                    rules,
                    policies[name],
                    source,
                    is_missing=name in missing,
                    problem=missing.get(name),
                    picks=picks.of_model(name) if picks else None,
                    past=pasts.get(name),
                ),
                find_base=partial(_base, values, rules, bases.sources[name]) if name in bases.sources else None,
            )
            for name, source in heads.items()
        ),
        *(
            ModelJob(
                name=name,
                status=ModelStatus.GONE,
                job=partial(_job_of_base, values, rules, source),
                needs_base=values.job.baseline.baseline_missing is not BaselineMissing.WARN,
            )
            for name, source in bases.sources.items()
            if name not in heads
        ),
    )


def _job(
    values: ReportValues,
    rules: AppliedRules,
    policy: Policy,
    source: str,
    *,
    is_missing: bool,
    problem: str | None,
    picks: Picks | None,
    past: Past | None,
) -> Job:
    """Return the job of a model of head; `problem` is why its base is missing, if that is to be said."""
    head = side_of(replace(values.head, source=source), rules)
    job = job_from(values.job, rules, policy, head=head)
    return replace(job, base_missing=is_missing, base_problem=problem, picks=picks, past=past)


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


def _content(report: ModelsReport, content: ModelsContent, *, is_brief: bool) -> HostContent:
    """Return the content for hosts of several models; if `is_brief`, its Markdown is short."""
    return HostContent(
        models=report.models,
        markdown=partial(render_models_brief if is_brief else render_models_markdown, content),
        label=report.label,
        has_names=True,
    )
