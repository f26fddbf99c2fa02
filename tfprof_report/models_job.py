"""The pipeline of a report of several models: read, judge and write each one, then write the index of all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from tfprof_report import __version__
from tfprof_report.clock import now
from tfprof_report.errors import BaselineError, InputError, OptionError, OutputError, TfprofReportError
from tfprof_report.ingest.paths import InputPaths
from tfprof_report.job import Job, run, run_with_base
from tfprof_report.model.read_model import Progress
from tfprof_report.record import record
from tfprof_report.render.content.models_index import (
    ModelPage,
    ModelsContent,
    models_content,
    page_of,
    page_of_gone,
    verdicts_of,
)
from tfprof_report.render.files.staging import Staging
from tfprof_report.render.machine.verdict_json import render_models_verdict
from tfprof_report.render.markdown.document import MAX_CHARS
from tfprof_report.render.write import stage_report, stage_verdict
from tfprof_report.render.write_models import stage_models
from tfprof_report.report.changed import speaks_up
from tfprof_report.report.explained import Explained
from tfprof_report.report.links import Links
from tfprof_report.report.models import ModelsReport, ModelStatus, judge_models, model_of
from tfprof_report.report.report import Report
from tfprof_report.schema.files import SUMMARY
from tfprof_report.schema.metrics import SCHEMA_VERSION

Seen = Callable[[str, Report, InputPaths | str, InputPaths | str | None], None]


@record
class ModelJob:
    """One of several models; its callables run only when it is the model's turn.

    job : returns the job of its head without a base, or the job of its base if the model is gone
    find_base : returns the base to compare the model with; None if it is not compared
    needs_base : a gone model whose base cannot be used is an error; otherwise it is left out
    """

    name: str
    status: ModelStatus
    job: Callable[[], Job]
    find_base: Callable[[], InputPaths | str] | None = None
    needs_base: bool = True


@record
class WrittenModels:
    """The written report of several models; `is_brief` if only verdict.json was written.

    lost_bases : what is wrong with the bases of models that are gone, where the report may be without a base
    """

    report: ModelsReport
    content: ModelsContent
    is_brief: bool
    lost_bases: tuple[str, ...] = ()


@record
class _Run:
    """What is the same for all models."""

    staging: Staging
    timestamp: str
    max_chars: int
    explained: Explained
    progress: Progress
    seen: Seen


def write_models(
    models: Sequence[ModelJob],
    folder: str,
    *,
    label: str | None = None,
    commit: str | None = None,
    branch: str | None = None,
    timestamp: str | None = None,
    links: Links | None = None,
    max_chars: int = MAX_CHARS,
    only_if_changed: bool = False,
    explained: Explained | None = None,
    progress: Progress = lambda _: None,
    seen: Seen = lambda *_: None,
) -> WrittenModels:
    """Write the report of several models: a report folder in `folder` for each model that is not gone, and an index.

    All files are written or none. The first error in a head is raised at once; errors in a base are raised only after
    all heads were read, so that an error in a head takes precedence.

    Parameters
    ----------
    models : in the order in which they are shown
    label, commit, branch, timestamp : of the report of all models
    links : addresses that the index links to; jobs have those of models
    max_chars : most characters of each report.md
    only_if_changed : write verdict.json alone if nothing but time changed and no gate failed
    explained : the rows to explain; each must exist in at least one model
    seen : called for each model that has a head, with its name, its report, its head and its base

    Raises
    ------
    TfprofReportError
        One of its subclasses, with the name of the model.
    """
    timestamp, explained = timestamp or now(), explained or Explained(())
    pages: list[ModelPage] = []
    late: BaselineError | None = None
    lost: list[str] = []
    with Staging(folder) as staging:
        shared = _Run(
            staging=staging,
            timestamp=timestamp,
            max_chars=max_chars,
            explained=explained,
            progress=progress,
            seen=seen,
        )
        for model in models:
            try:
                pages.append((_gone_page if model.status is ModelStatus.GONE else _page)(model, shared))
            except BaselineError as error:
                if not model.needs_base:
                    lost.append(str(error))
                late = late or (error if model.needs_base else None)
        if late:
            raise late
        explained.check()
        of_models = tuple(page.model for page in pages)
        report = ModelsReport(
            tool_version=__version__,
            schema_version=SCHEMA_VERSION,
            models=of_models,
            verdict=judge_models(of_models),
            label=label,
            commit=commit,
            branch=branch,
            timestamp=timestamp,
            links=links or Links(),
        )
        is_brief = only_if_changed and not (speaks_up(report.verdict) or any(page.has_news for page in pages))
        if is_brief:
            stage_verdict(render_models_verdict(report, verdicts_of(pages), is_alone=True), staging)
        else:
            stage_models(report, pages, staging, max_chars=max_chars, progress=lambda name: progress(f"writing {name}"))
        staging.commit()
    content = models_content(report, pages)
    return WrittenModels(report=report, content=content, is_brief=is_brief, lost_bases=tuple(lost))


def _page(model: ModelJob, shared: _Run) -> ModelPage:
    """Stage the report of a model; return its entry in the index of all models."""
    with _model_context(model, shared) as show:
        is_new = model.status is ModelStatus.NEW
        job = replace(model.job(), label=model.name, timestamp=shared.timestamp, is_new=is_new)
        report, base = run_with_base(job, model.find_base, show)
        report = replace(report, model=model.name)
        shared.explained.add(report, of=model.name)
        files = stage_report(
            report,
            shared.staging,
            shared.staging.top / model.name,
            max_chars=shared.max_chars,
            jobs=job.jobs,
            progress=lambda name: show(f"writing {name}"),
        )
    shared.seen(model.name, report, job.head, base)
    status = ModelStatus.REPORTED if model.find_base and not report.comparison else model.status
    return page_of(model_of(model.name, report, status), report, files[SUMMARY])


def _gone_page(model: ModelJob, shared: _Run) -> ModelPage:
    """Return the entry of a model that only the base has, with its figures there."""
    with _model_context(model, shared) as show:
        try:
            report = run(replace(model.job(), timestamp=shared.timestamp), show)
        except InputError as error:
            raise BaselineError(str(error), details=error.details) from error
    return page_of_gone(model_of(model.name, report, model.status), report)


@contextmanager
def _model_context(model: ModelJob, shared: _Run) -> Iterator[Progress]:
    """Add the model's name to progress messages and errors; yield the progress function."""
    option = "--base-model" if model.status is ModelStatus.GONE else "--model"
    try:
        yield lambda words: shared.progress(f"{model.name}: {words}")
    except TfprofReportError as error:
        kinds = (InputError, OutputError, BaselineError, OptionError)
        kind = next(kind for kind in kinds if isinstance(error, kind))
        raise kind(str(error), option=f"{option} {model.name}", details=error.details) from error
