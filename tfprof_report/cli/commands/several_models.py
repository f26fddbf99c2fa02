"""The report of several models: which they are, which base each has, and which gates are for which."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from tfprof_report import __version__
from tfprof_report.cli.commands.host_files import tell_hosts, tell_of_several
from tfprof_report.cli.commands.jobs import job_from, max_chars_from, report_of, side_of
from tfprof_report.cli.commands.report import Explained
from tfprof_report.cli.config.file import AppliedRules, print_rules_file
from tfprof_report.cli.config.make_policy import policies_from
from tfprof_report.cli.console import echo, may_be_cut_short, progress
from tfprof_report.cli.inputs import goes_without, print_diagnostics, print_notes
from tfprof_report.cli.params.report_options import ReportValues
from tfprof_report.clock import now
from tfprof_report.compare.gates.policy import Policy
from tfprof_report.errors import BaselineError, InputError, OptionError, OutputError, TfprofReportError, log_line
from tfprof_report.ingest.paths import InputPaths
from tfprof_report.options import flag
from tfprof_report.render.content.models_index import ModelPage, models_content, page_of, page_of_gone, verdicts_of
from tfprof_report.render.files.atomic import Staging
from tfprof_report.render.machine.verdict_json import render_models_verdict
from tfprof_report.render.write import stage_models, stage_report, stage_verdict
from tfprof_report.report.changed import speaks_up
from tfprof_report.report.models import (
    ModelsReport,
    ModelStatus,
    folded,
    judge_models,
    model_of,
    name_problem,
    read_models_folder,
)
from tfprof_report.schema.files import HTML, MARKDOWN, SUMMARY, VERDICT
from tfprof_report.schema.metrics import SCHEMA_VERSION

_HEAD, _BASE = "--model", "--base-model"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """One model as the user named it. `source` is the inputs of head; of base, if the model is gone."""

    name: str
    status: ModelStatus
    source: str
    base: str | None = None
    policy: Policy = field(default_factory=Policy)
    base_missing: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """What all models share: the values of the command line, where files are staged, where progress is shown."""

    values: ReportValues
    rules: AppliedRules
    staging: Staging
    explained: Explained
    show: Callable[[str], None]


def write_models(values: ReportValues, rules: AppliedRules) -> int:
    """Write the report of several models, each compared with its base if bases are named; return the exit code.

    All files are written or none. The first error ends it; one of a base only after all heads were read, which win.
    """
    plans = _plans(values, rules)
    job = replace(values.job, timestamp=values.job.timestamp or now())
    pages: list[ModelPage] = []
    late: BaselineError | None = None
    with progress() as show, Staging(job.folder) as staging:
        explained = Explained(job.gates.explain or ())
        run = _Run(values=replace(values, job=job), rules=rules, staging=staging, explained=explained, show=show)
        for plan in plans:
            try:
                pages.append((_gone_page if plan.status is ModelStatus.GONE else _page)(plan, run))
            except BaselineError as error:
                late = late or error
        if late:
            raise late
        explained.check()
        models = tuple(page.model for page in pages)
        report = ModelsReport(
            tool_version=__version__,
            schema_version=SCHEMA_VERSION,
            models=models,
            verdict=judge_models(models),
            label=job.names.label,
            commit=job.names.commit,
            branch=job.names.branch,
            timestamp=job.timestamp or "",
        )
        has_news = speaks_up(report.verdict) or any(page.has_news for page in pages)
        is_brief = job.gates.only_if_changed and not has_news
        if is_brief:
            stage_verdict(render_models_verdict(report, verdicts_of(pages), is_alone=True), staging)
        else:
            stage_models(
                report,
                pages,
                staging,
                max_chars=max_chars_from(job),
                progress=lambda name: show(f"writing {name}"),
            )
        staging.commit()
    with may_be_cut_short():
        print_rules_file(rules)
        _print_result(report, job.folder, is_brief=is_brief)
        explained.print()
    tell_hosts(job, tell_of_several(report, models_content(report, pages), is_brief=is_brief))
    return report.verdict.exit_code


def _page(plan: _Plan, run: _Run) -> ModelPage:
    """Stage the report of a model; return what the page of all models needs of it."""
    with _about(_HEAD, plan, run) as show:
        head = side_of(replace(run.values.head, source=plan.source), run.rules)
        job = job_from(run.values.job, run.rules, head=head, side="")
        job = replace(job, label=plan.name, is_new=plan.status is ModelStatus.NEW, base_missing=plan.base_missing)
        report, base = report_of(job, lambda: _base(plan.base, run) if plan.base else None, plan.policy, show)
        run.explained.add(report, of=plan.name)
        folder = run.staging.top / plan.name
        files = stage_report(
            report,
            run.staging,
            folder,
            max_chars=max_chars_from(run.values.job),
            progress=lambda name: show(f"writing {name}"),
        )
    print_notes(job.head, base)
    print_diagnostics(report.diagnostics, of=plan.name)
    return page_of(model_of(plan.name, report, plan.status), report, files[SUMMARY])


def _gone_page(plan: _Plan, run: _Run) -> ModelPage:
    """Return what the page of all models says of a model that only the base has: its figures there."""
    with _about(_BASE, plan, run) as show:
        try:
            base = _base(plan.source, run)
            report = report_of(
                job_from(run.values.job, run.rules, head=base, side="base-"), lambda: None, plan.policy, show
            )[0]
        except InputError as error:
            raise BaselineError(str(error), details=error.details) from error
    return page_of_gone(model_of(plan.name, report, plan.status), report)


def _base(source: str, run: _Run) -> InputPaths | str:
    """Return a base. What a baseline lists is a report, also where a model's files lie in its folder."""
    base = run.values.base
    return side_of(replace(base, source=source), run.rules, is_report=base.source is not None)


def _plans(values: ReportValues, rules: AppliedRules) -> tuple[_Plan, ...]:
    """Return the models in the order given, then those that only the base has."""
    _check_others(values)
    heads = _named_inputs(values.models.model or (), _HEAD)
    policies = policies_from(values.job.gates, rules, heads)
    baseline, may_miss = values.base.source, values.job.baseline.baseline_missing
    bases: dict[str, str] = {}
    missing: set[str] = set()
    if baseline is not None and goes_without(baseline, may_miss):
        missing = set(heads)
    elif baseline is not None:
        bases = read_models_folder(baseline)
    elif values.models.base_model:
        bases = _named_inputs(values.models.base_model, _BASE)
        missing = {name for name, path in bases.items() if goes_without(path, may_miss, of=name)}
        bases = {name: path for name, path in bases.items() if name not in missing}
    has_base = bool(bases) or (baseline is not None and not missing)
    return (
        *(
            _Plan(
                name=name,
                status=_status(name, bases, missing, has_base=has_base),
                source=source,
                base=bases.get(name),
                policy=policies[name],
                base_missing=name in missing,
            )
            for name, source in heads.items()
        ),
        *(
            _Plan(name=name, status=ModelStatus.GONE, source=source)
            for name, source in bases.items()
            if name not in heads
        ),
    )


def _status(name: str, bases: Container[str], missing: Container[str], *, has_base: bool) -> ModelStatus:
    """Return which sides have a model of head: it is new where base has others, and nobody said where its base is."""
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
            problem, advice = "the name stands twice, or differs in case only", "give each model a name of its own"
        if problem:
            raise OptionError(problem, option=f'{option} "{text}"', advice=advice)
        named[name] = source
    return named


def _check_others(values: ReportValues) -> None:
    """Refuse what does not go with several models."""
    if not values.models.model:
        raise OptionError(f"there is no {_HEAD} to compare", option=_BASE, advice="name the models of head")
    if values.head.source is not None:
        raise OptionError(
            f"{values.head.source} has no name, which it needs beside other models",
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


@contextmanager
def _about(option: str, plan: _Plan, run: _Run) -> Iterator[Callable[[str], None]]:
    """Say of which model an error is; yield where progress is shown."""
    try:
        yield lambda words: run.show(f"{plan.name}: {words}")
    except TfprofReportError as error:
        kinds = (InputError, OutputError, BaselineError, OptionError)
        kind = next(kind for kind in kinds if isinstance(error, kind))
        raise kind(str(error), option=f"{option} {plan.name}", details=error.details) from error


def _print_result(report: ModelsReport, folder: str, *, is_brief: bool) -> None:
    reported = [model.name for model in report.models if model.status is not ModelStatus.GONE]
    kinds = {"HTML": [HTML], "Markdown": [MARKDOWN], "Models": reported}
    for kind, names in ({} if is_brief else kinds).items():
        echo(f"{kind:<9} {', '.join(str(Path(folder) / name) for name in names)}")
    echo(f"Verdict   {Path(folder) / VERDICT}")
    for model in report.models:
        echo(log_line(f"{model.name}: {model.verdict.text}"))
    echo(log_line(report.verdict.text))
