"""The files and annotations for CI hosts, in addition to the report folder: the options --summary to --openmetrics."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path

from tfprof_report.cli.commands.named_files import check_named_files, real_path
from tfprof_report.cli.console import echo, say
from tfprof_report.cli.params.report_options import JobValues
from tfprof_report.errors import OptionError
from tfprof_report.options import flag
from tfprof_report.record import record
from tfprof_report.render.files.atomic import append_to_file, write_files
from tfprof_report.render.machine.annotations import render_annotations
from tfprof_report.render.machine.junit import render_junit
from tfprof_report.render.machine.openmetrics import render_openmetrics
from tfprof_report.render.markdown.comment import MOST_OF_SUMMARY, Markdown, render_comment, render_job_summary
from tfprof_report.render.markdown.document import render_brief, render_markdown
from tfprof_report.report.models import Model, ModelStatus, listed_models, model_of
from tfprof_report.report.report import Report
from tfprof_report.schema.files import OURS, SUMMARY

_FILES = ("summary", "comment", "junit", "openmetrics")


@record
class HostContent:
    """What is written for hosts. `label` names the whole report; `has_names` is false for one model without a label."""

    models: tuple[Model, ...]
    markdown: Markdown
    label: str | None
    has_names: bool


def content_of_one(report: Report, *, is_brief: bool) -> HostContent:
    """Return the content for hosts of one model; if `is_brief`, its Markdown is short.

    Without a label its name is "model", not its path, which may differ from run to run.
    """
    status = ModelStatus.COMPARED if report.comparison else ModelStatus.REPORTED
    return HostContent(
        models=(model_of(report.head.origin.label or "model", report, status),),
        markdown=partial(render_brief if is_brief else render_markdown, report),
        label=report.head.origin.label,
        has_names=report.head.origin.label is not None,
    )


def check_host_paths(values: JobValues, bases: Iterable[str | None], models: Iterable[str] = ()) -> None:
    """Check the paths of --summary to --openmetrics, and --only-if-changed, before anything is read.

    `models` are the names of the models whose folders are made in --out.

    Raises
    ------
    OptionError
        A path is given twice or is a file of the report itself; or --out is a baseline and would be lost.
    OutputError
        A path is a folder, or in a folder that does not exist or cannot be written.
    """
    out = real_path(values.folder)
    made = [out, *(out / name for name in models)]
    named = [(path, flag(name)) for name in _FILES if (path := getattr(values.hosts, name)) is not None]
    check_named_files(named, made, own=(SUMMARY, *OURS))
    if values.gates.only_if_changed:
        lost = {out, *map(Path, listed_models(str(out)))}
        for base in bases:
            if base and real_path(base) in lost:
                raise OptionError(
                    "is also a baseline, which would be lost if nothing changed",
                    file=base,
                    option="--out, --only-if-changed",
                    advice="write the report to another folder",
                )


def write_for_hosts(values: JobValues, content: HostContent) -> None:
    """Print annotations and write the files that the user named, in the order of their options.

    Raises
    ------
    OutputError
        A file cannot be written.
    """
    most, hosts = values.max_chars, values.hosts
    markdown = content.markdown if most is None else lambda chars: content.markdown(min(chars, most))
    echo(render_annotations(content.models, hosts.annotations), nl=False)
    if path := hosts.summary:
        append_to_file(path, partial(_summary, path, markdown), option="--summary")
    if path := hosts.comment:
        _write(path, render_comment(markdown, content.label), "--comment")
    if path := hosts.junit:
        _write(path, render_junit(content.models), "--junit")
    if path := hosts.openmetrics:
        _write(path, render_openmetrics(content.models, has_names=content.has_names), "--openmetrics")


def _summary(path: str, markdown: Markdown, taken: int) -> bytes:
    text = render_job_summary(markdown, taken)
    if text is None:
        say(f"{path} (--summary): has {taken:,} of {MOST_OF_SUMMARY:,} bytes already; the report is not added")
    return (text or "").encode()


def _write(path: str, text: str, option: str) -> None:
    write_files(path, {"": [text.encode()]}, option=option)
