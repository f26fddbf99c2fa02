"""The straight line of a report: inputs in, files and verdict out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from tfprof_report import __version__
from tfprof_report.clock import age_words, moment_of, now, time_of
from tfprof_report.compare.gates.policy import Policy
from tfprof_report.compare.matching.name_map import NameMap
from tfprof_report.compare.side import Side
from tfprof_report.diagnostics import Diagnostic, Severity
from tfprof_report.errors import BaselineError, InputError
from tfprof_report.ingest.origin import InputFile, Origin
from tfprof_report.ingest.paths import InputPaths
from tfprof_report.ingest.read import read_inputs
from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.flops.node_flops import wording
from tfprof_report.model.measurement import AS_REPORTS, AS_TFPROF, Measurement, same_sizes
from tfprof_report.model.node_table import NodeTable
from tfprof_report.model.parts.leave_out import MissingOutputError, split_table
from tfprof_report.model.parts.twice_built import find_copies
from tfprof_report.model.shapes.resolve import ShapeUse
from tfprof_report.report.build_report import build_report, sum_left_out
from tfprof_report.report.folder import read_report_folder
from tfprof_report.report.measure import measure
from tfprof_report.report.report import Report
from tfprof_report.semantics import CORRECTED
from tfprof_report.views.advice.checkers import advise
from tfprof_report.views.advice.findings import Checker
from tfprof_report.views.build_view import build_layout, build_view, views_of
from tfprof_report.views.query import check_options, missing_step

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What to report: `head` and `base` are the files of a side, or the path of a report folder.

    `side` is ``head-`` where the options that name head's files begin so, and only words the errors. `measurement` is
    for sides given as files, whose input shapes come with the files; head's report folder brings its own, which then
    counts for the base too, but for the user's rules, which it lacks. `is_new` says that there is no base because only
    other models have one, `base_missing` that there should be one and need not. A base that is a report is refused
    where it was made longer ago than `max_base_age`.
    """

    head: InputPaths | str
    base: InputPaths | str | None
    policy: Policy
    measurement: Measurement = AS_REPORTS
    name_map: NameMap | None = None
    is_new: bool = False
    base_missing: bool = False
    max_base_age: timedelta | None = None
    side: str = ""
    label: str | None = None
    commit: str | None = None
    branch: str | None = None
    base_label: str | None = None
    base_commit: str | None = None
    base_branch: str | None = None
    timestamp: str | None = None


def run(job: Job, progress: Progress) -> Report:
    """Read both sides and return the report.

    Raises
    ------
    TfprofReportError
        One of its kinds, with its exit code; a problem of head wins over one of base (`ExitCode.worst`).
    """
    check_options(job.measurement.options, job.measurement.semantics)
    timestamp = job.timestamp or now()
    head = _load(job.head, job.measurement, progress, side=job.side, error=InputError)
    base = _load_base(job.base, head, job, progress) if job.base is not None else None
    progress("comparing" if base else "summing up")
    return build_report(
        replace(head, origin=_named(head.origin, job, timestamp)),
        base=base,
        policy=job.policy,
        name_map=job.name_map,
        is_new=job.is_new,
        base_missing=job.base_missing,
        diagnostics=_base_shapes(job.base, head),
        timestamp=timestamp,
        tool_version=__version__,
    )


def run_with_base(
    job: Job, find_base: Callable[[], InputPaths | str] | None, progress: Progress
) -> tuple[Report, InputPaths | str | None]:
    """Return the report of a job compared with the base that `find_base` finds, if any, and that base.

    Raises
    ------
    TfprofReportError
        As `run` does; a base that cannot be found is a BaselineError, unless something is wrong with head.
    """
    try:
        base = find_base() if find_base else None
    except InputError as error:
        run(replace(job, policy=Policy()), progress)  # a problem of head wins over one of base
        raise BaselineError(str(error), details=error.details) from error
    return run(replace(job, base=base), progress), base


def read_model(
    paths: InputPaths, progress: Progress, measurement: Measurement = AS_TFPROF
) -> tuple[NodeTable, tuple[InputFile, ...]]:
    """Read the inputs of one model into a node table, with all its nodes; return also the files as they were read.

    FLOPs are counted with the shapes that run metadata completes.
    """
    inputs = read_inputs(paths, progress=lambda path: progress(f"reading {path}"))
    progress("joining nodes")
    counting, semantics = measurement.counting, measurement.semantics
    use = counting.use(semantics, fill_shapes=True)
    shapes = ShapeUse.RULES if counting.infers_shapes else ShapeUse.NOTHING
    return build_node_table(inputs, use, semantics, measurement.functions, shapes=shapes), inputs.files


def _named(origin: Origin, job: Job, timestamp: str | None, of: str = "") -> Origin:
    """Return an origin under the names that the user gave it, else those that its report folder brings."""
    given = {word: getattr(job, f"{of}{word}") for word in ("label", "commit", "branch")}
    named = {word: value for word, value in given.items() if value}
    return replace(origin, **named, timestamp=origin.timestamp or timestamp)


def _load(
    source: InputPaths | str,
    measurement: Measurement,
    progress: Progress,
    *,
    side: str,
    error: type[InputError | BaselineError],
) -> Side:
    """Return one side, from its files or from the report that was written of them."""
    if isinstance(source, str):
        progress(f"reading {source}")
        return read_report_folder(source, error)
    measurement = replace(measurement, input_shapes=source.input_shapes)
    options, semantics, counting = measurement.options, measurement.semantics, measurement.counting
    inputs = read_inputs(source, side=side, progress=lambda path: progress(f"reading {path}"))
    progress("joining nodes")
    # Not filled from run metadata: a report's static figures do not depend on a run.
    use = counting.use(semantics)
    shapes = ShapeUse.TABLES if semantics == CORRECTED else ShapeUse.NOTHING
    shapes = ShapeUse.RULES if counting.infers_shapes else shapes
    table = build_node_table(inputs, use, semantics, measurement.functions, shapes=shapes)
    missing_step(options, table.step_numbers, semantics)
    table, parts = split_table(table, measurement.leave_out)
    views, layouts = {}, {}
    try:
        for name in views_of(table):
            progress(f"{name} view")
            layouts[name] = build_layout(table, name, semantics)
            views[name] = build_view(table, name, options, semantics, layout=layouts[name])
        advice = advise(table, Checker, semantics, layouts=layouts)
    except InputError as problem:  # of figures or names, which views know without their file
        role, file = ("profile", source.profile) if source.profile else ("graph", source.graph)
        raise InputError(str(problem), file=file, option=f"--{side}{role}", details=problem.details) from problem
    return measure(
        table,
        views,
        Origin(inputs=inputs.files),
        measurement,
        rules=wording(use),
        left_out=sum_left_out(parts),
        advice=advice,
        diagnostics=(*table.diagnostics, *find_copies(table)),
    )


def _base_shapes(base: InputPaths | str | None, head: Side) -> tuple[Diagnostic, ...]:
    """Warn that the base has input shapes of its own, on which its figures depend."""
    if not isinstance(base, InputPaths) or not base.input_shapes:
        return ()
    if same_sizes(base.input_shapes, head.measurement.input_shapes):
        return ()
    text = f"the base is counted with other shapes of inputs than head: {', '.join(map(str, base.input_shapes))}"
    return (Diagnostic(severity=Severity.WARNING, code="base_input_shapes", text=text),)


def _load_base(source: InputPaths | str, head: Side, job: Job, progress: Progress) -> Side:
    """Load the base, measured as head is; whatever is wrong with its files makes the baseline unreadable."""
    user_rules = job.measurement.counting.user_rules
    measurement = replace(head.measurement, counting=replace(head.measurement.counting, user_rules=user_rules))
    if isinstance(source, InputPaths) and not source.input_shapes:
        shapes = (replace(shape, option="--base-input-shape") for shape in measurement.input_shapes)
        source = replace(source, input_shapes=tuple(shapes))
    try:
        base = _load(source, measurement, progress, side="base-", error=BaselineError)
    except InputError as error:
        raise BaselineError(str(error), details=error.details) from error
    except MissingOutputError as error:
        file = source.graph if isinstance(source, InputPaths) else source
        raise BaselineError(str(error), file=file) from error
    if isinstance(source, str):
        if job.max_base_age is not None:
            _check_age(source, base.origin, job.max_base_age, moment_of(job.timestamp))
        other = base.measurement.differences(head.measurement)
        if other:
            raise BaselineError(
                f"was written with another {' and '.join(other)} than head",
                file=source,
                advice="write the report again with the same options",
            )
    return replace(base, origin=_named(base.origin, job, None, "base_"))


def _check_age(folder: str, base: Origin, most: timedelta, today: datetime) -> None:
    """Refuse a baseline that is older than it may be, or does not say how old it is."""
    made, option = time_of(base.timestamp), "--max-baseline-age"
    if made is None:
        problem = f'its time, "{base.timestamp}", is no date: nobody can tell its age'
        raise BaselineError(problem, file=folder, option=option, advice="write its report without --timestamp")
    if today - made > most:
        problem = f"is {age_words(today - made)} old, {age_words(most)} are allowed"
        raise BaselineError(problem, file=folder, option=option, advice="give a newer one")
