"""The straight line of a report: inputs in, files and verdict out."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from tfprof_report import __version__
from tfprof_report.compare.gates import Gate
from tfprof_report.compare.result import Measured
from tfprof_report.diagnostics import Diagnostic
from tfprof_report.errors import BaselineError, InputError, OptionError, TfprofReportError
from tfprof_report.ingest.files import InputPaths
from tfprof_report.ingest.read import read_inputs
from tfprof_report.ingest.sources import Side
from tfprof_report.model.node_table import NodeTable, build_node_table
from tfprof_report.options import Options
from tfprof_report.report.build import build_report
from tfprof_report.report.folder import read_report_folder
from tfprof_report.report.measured import measure
from tfprof_report.report.model import Report
from tfprof_report.semantics import Semantics, preset_name
from tfprof_report.views.build import VIEWS, build_view, shown_again
from tfprof_report.views.query import check_options, missing_step
from tfprof_report.views.view import View

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What to report: `head` and `base` are the files of a side, or the path of a report folder."""

    head: InputPaths | str
    base: InputPaths | str | None
    gates: tuple[Gate, ...]
    options: Options
    semantics: Semantics
    label: str | None = None
    commit: str | None = None
    branch: str | None = None
    timestamp: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Loaded:
    measured: Measured
    views: dict[str, View]
    diagnostics: tuple[Diagnostic, ...]


def run(job: Job, progress: Progress) -> Report:
    """Read both sides and return the report.

    Raises
    ------
    TfprofReportError
        One of its kinds, with its exit code; a problem of head wins over one of base (`ExitCode.worst`).
    """
    check_options(job.options, job.semantics)
    side = "head-" if job.base is not None else ""
    head = _load(job.head, job, progress, side=side, error=InputError)
    base = _load_base(job.base, job, progress) if job.base is not None else None
    named = Side(inputs=head.measured.side.inputs, label=job.label, commit=job.commit, branch=job.branch)
    if isinstance(job.head, str):  # a report folder brings its own names
        own = head.measured.side
        named = replace(
            named,
            label=job.label or own.label,
            commit=job.commit or own.commit,
            branch=job.branch or own.branch,
            timestamp=own.timestamp,
        )
    timestamp = job.timestamp or _now()
    named = replace(named, timestamp=named.timestamp or timestamp)
    progress("comparing" if base else "summing up")
    return build_report(
        replace(head.measured, side=named),
        head.views,
        base=base,
        gates=job.gates,
        diagnostics=head.diagnostics,
        options=job.options.as_dict(),
        semantics=preset_name(job.semantics),
        timestamp=timestamp,
        tool_version=__version__,
    )


def read_table(paths: InputPaths, progress: Progress) -> NodeTable:
    """Read the inputs of one model into a node table."""
    inputs = read_inputs(paths, progress=lambda path: progress(f"reading {path}"))
    progress("joining nodes")
    return build_node_table(inputs)


def _load(
    source: InputPaths | str, job: Job, progress: Progress, *, side: str, error: type[TfprofReportError]
) -> _Loaded:
    if isinstance(source, str):
        measured = read_report_folder(source, error)
        views = {name: shown_again(name, rows) for name, rows in measured.views.items()}
        return _Loaded(measured=measured, views=views, diagnostics=())
    inputs = read_inputs(source, side=side, progress=lambda path: progress(f"reading {path}"))
    progress("joining nodes")
    table = build_node_table(inputs)
    missing_step(job.options, table.step_numbers, job.semantics)
    views = {}
    for name in VIEWS:
        progress(f"{name} view")
        views[name] = build_view(table, name, job.options, job.semantics)
    measured = measure(table, views, Side(inputs=inputs.files))
    return _Loaded(measured=measured, views=views, diagnostics=table.diagnostics)


def _load_base(source: InputPaths | str, job: Job, progress: Progress) -> Measured:
    """Load the base; whatever is wrong with its files makes the baseline unreadable."""
    try:
        return _load(source, job, progress, side="base-", error=BaselineError).measured
    except InputError as error:
        raise BaselineError(str(error), details=error.details) from error


def _now() -> str:
    """Return the time of the report: SOURCE_DATE_EPOCH where it is set, so that the same input gives the same bytes."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    if epoch is None:
        return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    try:
        return datetime.fromtimestamp(int(epoch), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError, OSError) as error:
        raise OptionError(f'SOURCE_DATE_EPOCH is "{epoch}", not a number of seconds') from error
