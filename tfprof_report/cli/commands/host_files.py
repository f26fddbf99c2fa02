"""What a report tells the hosts of repositories beside its folder: the options --summary to --openmetrics."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tfprof_report.cli.console import echo, may_be_cut_short, say
from tfprof_report.cli.params.report_options import JobValues
from tfprof_report.errors import OptionError
from tfprof_report.ingest.paths import STDIN
from tfprof_report.options import flag
from tfprof_report.render.content.models_index import ModelsContent
from tfprof_report.render.files.atomic import append_to_file, write_files
from tfprof_report.render.machine.annotations import render_annotations
from tfprof_report.render.machine.junit import render_junit
from tfprof_report.render.machine.openmetrics import render_openmetrics
from tfprof_report.render.markdown.comment import MOST_OF_SUMMARY, Markdown, render_comment, render_job_summary
from tfprof_report.render.markdown.document import render_brief, render_markdown
from tfprof_report.render.markdown.models_document import render_models_brief, render_models_markdown
from tfprof_report.report.models import Model, ModelsReport, ModelStatus, listed_models, model_of
from tfprof_report.report.report import Report
from tfprof_report.schema.files import OURS, SUMMARY

_FILES = ("summary", "comment", "junit", "openmetrics")


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What hosts are told. `label` is what the user calls the whole; without `has_names` the one model has no name."""

    models: tuple[Model, ...]
    markdown: Markdown
    label: str | None
    has_names: bool


def tell_of_one(report: Report, *, is_brief: bool) -> Told:
    """Return what hosts are told of one model; brief, where there is nothing to show.

    Without a label it is "model": where its files lie may be another place on each run.
    """
    status = ModelStatus.COMPARED if report.comparison else ModelStatus.REPORTED
    return Told(
        models=(model_of(report.head.origin.label or "model", report, status),),
        markdown=partial(render_brief if is_brief else render_markdown, report),
        label=report.head.origin.label,
        has_names=report.head.origin.label is not None,
    )


def tell_of_several(report: ModelsReport, content: ModelsContent, *, is_brief: bool) -> Told:
    """Return what hosts are told of several models; brief, where there is nothing to show."""
    return Told(
        models=report.models,
        markdown=partial(render_models_brief if is_brief else render_models_markdown, content),
        label=report.label,
        has_names=True,
    )


def check_hosts(values: JobValues, bases: Iterable[str | None]) -> None:
    """Refuse, before anything is read, files without a name of their own, and a folder that would lose its base.

    Raises
    ------
    OptionError
        One of them is there.
    """
    taken: dict[Path, str] = {}
    out = _real(values.folder)
    for name in _FILES:
        path: str | None = getattr(values.hosts, name)
        if path is None:
            continue
        if not path or "\0" in path:
            problem = "the name of the file is empty" if not path else "no file can have this name"
            raise OptionError(problem, option=flag(name), advice="name a file or leave it out")
        if path == STDIN:  # elsewhere it is standard input
            raise OptionError("is no file", file=path, option=flag(name), advice="/dev/stdout is standard output")
        file = _real(path)
        if file.parent == out and file.name in (SUMMARY, *OURS):
            advice = "give a file of another name"
            raise OptionError("is a file of the report itself", file=path, option=flag(name), advice=advice)
        if taken.setdefault(file, name) != name and not file.is_char_device():
            both = f"{flag(taken[file])}, {flag(name)}"
            raise OptionError("is named twice", file=path, option=both, advice="give each a file of its own")
    if values.gates.only_if_changed:
        lost = {out, *listed_models(out)}
        for base in bases:
            if base and _real(base) in lost:
                raise OptionError(
                    "is a baseline too, which would be gone where nothing changed",
                    file=base,
                    option="--out, --only-if-changed",
                    advice="write the report to another folder",
                )


def _real(path: str) -> Path:
    """Return the file that a path leads to; unlike `Path.resolve` no loop of links is an error here."""
    return Path(os.path.realpath(path))


def tell_hosts(values: JobValues, told: Told) -> None:
    """Print annotations and write the files that the user named, in the order of their options.

    Raises
    ------
    OutputError
        A file cannot be written.
    """
    most, hosts = values.max_chars, values.hosts
    markdown = told.markdown if most is None else lambda chars: told.markdown(min(chars, most))
    with may_be_cut_short():
        echo(render_annotations(told.models, hosts.annotations), nl=False)
    if path := hosts.summary:
        append_to_file(path, partial(_summary, path, markdown), option="--summary")
    if path := hosts.comment:
        _write(path, render_comment(markdown, told.label), "--comment")
    if path := hosts.junit:
        _write(path, render_junit(told.models), "--junit")
    if path := hosts.openmetrics:
        _write(path, render_openmetrics(told.models, has_names=told.has_names), "--openmetrics")


def _summary(path: str, markdown: Markdown, taken: int) -> bytes:
    text = render_job_summary(markdown, taken)
    if text is None:
        say(f"{path} (--summary): has {taken:,} of {MOST_OF_SUMMARY:,} bytes already; the report is not added")
    return (text or "").encode()


def _write(path: str, text: str, option: str) -> None:
    write_files(path, {"": [text.encode()]}, option=option)
