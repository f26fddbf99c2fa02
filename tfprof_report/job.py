"""The pipeline of a report: read and measure both sides, compare them, build the report with its verdict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, replace
from datetime import datetime, timedelta

from tfprof_report import __version__
from tfprof_report.clock import age_words, moment_of, now, time_of
from tfprof_report.compare.bounds.speeds import DeviceSpeed
from tfprof_report.compare.gates.policy import Policy
from tfprof_report.compare.matching.name_map import NameMap
from tfprof_report.compare.side import Side
from tfprof_report.diagnostics import Diagnostic, Severity
from tfprof_report.errors import BaselineError, InputError
from tfprof_report.ingest.origin import Origin
from tfprof_report.ingest.paths import InputPaths
from tfprof_report.ingest.read import read_inputs
from tfprof_report.model.flops.node_flops import wording
from tfprof_report.model.measurement import AS_REPORTS, Measurement, same_sizes
from tfprof_report.model.parts.leave_out import MissingOutputError, counted_signature, explain_all, split_table
from tfprof_report.model.parts.parts import later_parts
from tfprof_report.model.parts.peak_kinds import kinds_at_peak
from tfprof_report.model.parts.static_peak import estimate_peak
from tfprof_report.model.parts.twice_built import find_copies
from tfprof_report.model.read_model import Progress, build_measured, reading_steps
from tfprof_report.model.shapes.resolve import ShapeUse
from tfprof_report.model.values import node_measures
from tfprof_report.record import record
from tfprof_report.report.build_report import build_report, no_baseline, sum_left_out
from tfprof_report.report.find_references import find_references
from tfprof_report.report.folder import read_report_folder
from tfprof_report.report.links import Links
from tfprof_report.report.measure import measure
from tfprof_report.report.picks import Picks, distance_of
from tfprof_report.report.report import Report
from tfprof_report.report.starts import Past
from tfprof_report.schema.files import OURS
from tfprof_report.schema.metrics import VIEWS
from tfprof_report.semantics import CORRECTED
from tfprof_report.threads import Threads
from tfprof_report.urls import name_of
from tfprof_report.views.advice.checkers import advise
from tfprof_report.views.advice.findings import Checker
from tfprof_report.views.build_views import build_views
from tfprof_report.views.idle_patterns import find_idle
from tfprof_report.views.query import check_options, missing_step
from tfprof_report.vocabulary import FlopsRules


@record
class Job:
    """What to report.

    head, base : the files of a side, or the path of a report folder
    measurement : how to measure sides given as files, apart from input shapes, which come with the files. If head is a
        report folder, its own measurement applies to the base as well, with the user's rules added, which a folder
        does not store.
    is_new : there is no base because only other models have one
    base_missing : a base was expected but may be missing
    base_problem : why it is missing, for the reader; None where nothing is to be said
    needs_base : a base that cannot be used is an error; otherwise the report is without one, and says why. A base of
        another counting version can be used, but no gate that depends on it is decided.
    max_base_age : a base that is an older report cannot be used
    past : the reports of earlier commits: those that drift gates are relative to, and figures over time
    picks : what is known of bases that `baseline pick` found; the base has to be one of them, if there are any
    speeds : the peaks of devices, for what bounds ops on either side
    links : addresses that the report links to
    jobs : most tasks that run at the same time; the report is the same for any number
    side : ``head-`` where the options for head's files have this prefix; used in errors only
    """

    head: InputPaths | str
    base: InputPaths | str | None
    policy: Policy
    measurement: Measurement = AS_REPORTS
    name_map: NameMap | None = None
    is_new: bool = False
    base_missing: bool = False
    base_problem: str | None = None
    needs_base: bool = True
    max_base_age: timedelta | None = None
    past: Past | None = None
    picks: Picks | None = None
    side: str = ""
    label: str | None = None
    commit: str | None = None
    branch: str | None = None
    base_label: str | None = None
    base_commit: str | None = None
    base_branch: str | None = None
    timestamp: str | None = None
    speeds: tuple[DeviceSpeed, ...] = ()
    links: Links = field(default_factory=Links)
    jobs: int = 1


_USUAL_FILES = 3
"""A graph, run metadata and an op log."""


def report_steps(head: InputPaths | str | None, *, has_base: bool) -> int:
    """Return about how many steps a report takes until it is written: each file and view of both sides, each table.

    `head` is None for a model whose files are not known yet. A base counts like head, since it is looked for only when
    the job runs.
    """
    reading = reading_steps(head) if isinstance(head, InputPaths) else 1 + _USUAL_FILES
    of_side = 1 if isinstance(head, str) else reading + len(VIEWS)
    files = [name for name in OURS if has_base or not name.startswith("diff_")]
    return of_side * (1 + has_base) + 1 + len(files)


def run(job: Job, progress: Progress) -> Report:
    """Read both sides and return the report.

    Raises
    ------
    TfprofReportError
        One of its subclasses; an error in head takes precedence over one in base (`ExitCode`).
    """
    check_options(job.measurement.options, job.measurement.semantics)
    timestamp = job.timestamp or now()
    head = _load(job.head, job.measurement, progress, side=job.side, error=InputError, jobs=job.jobs)
    try:
        base = _load_base(job.base, head, job, progress) if job.base is not None else None
    except BaselineError as error:
        job, base = without_base(job, error), None
    pick = job.picks.of_base(job.base) if job.picks and job.base is not None else None
    head = replace(head, origin=_named(head.origin, job, timestamp))
    if base and pick and base.origin.commit is None:
        base = replace(base, origin=replace(base.origin, commit=pick.commit))
    looked = find_references(job.policy, head, job.past, job.name_map, jobs=job.jobs)
    progress("comparing" if base else "summing up")
    report = build_report(
        head,
        base=base,
        policy=job.policy,
        name_map=job.name_map,
        is_new=job.is_new,
        base_missing=job.base_missing,
        distance=distance_of(base.origin, head.origin, pick) if base else None,
        references=looked.references,
        speeds=job.speeds,
        links=job.links,
        diagnostics=(*looked.diagnostics, *no_baseline(job.base_problem), *_base_shapes(job.base, head)),
        timestamp=timestamp,
        tool_version=__version__,
        jobs=job.jobs,
    )
    return replace(report, trends=looked.trends)


def run_with_base(
    job: Job, find_base: Callable[[], InputPaths | str] | None, progress: Progress
) -> tuple[Report, InputPaths | str | None]:
    """Return the report of a job compared with the base that `find_base` returns, if given, and that base.

    Raises
    ------
    TfprofReportError
        As in `run`; a base that cannot be found is a BaselineError, unless head has an error too.
    """
    try:
        base = find_base() if find_base else None
    except InputError as error:
        problem = BaselineError(str(error), details=error.details)
        if job.needs_base:
            run(replace(job, policy=Policy()), progress)  # an error in head takes precedence
            raise problem from error
        job, base = without_base(job, problem), None
    return run(replace(job, base=base), progress), base


def without_base(job: Job, problem: BaselineError) -> Job:
    """Return a job without its base, which cannot be used.

    Raises
    ------
    BaselineError
        The problem itself, if the job needs a base.
    """
    if job.needs_base:
        raise problem
    return replace(job, base=None, base_missing=True, base_problem=f"{problem}; the report is without one")


def _named(origin: Origin, job: Job, timestamp: str | None, of: str = "") -> Origin:
    """Return an origin with the job's label, commit and branch; where the job has none, a report folder's own stay."""
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
    jobs: int,
) -> Side:
    """Return one side, measured from its files or read from a report folder."""
    if isinstance(source, str):
        progress(f"reading {name_of(source)}")
        return read_report_folder(source, error)
    measurement = replace(measurement, input_shapes=source.input_shapes)
    options, semantics, counting = measurement.options, measurement.semantics, measurement.counting
    inputs = read_inputs(source, side=side, progress=lambda path: progress(f"reading {path}"), jobs=jobs)
    files = inputs.files
    progress("joining nodes")
    use = counting.use(semantics)
    shapes = ShapeUse.TABLES if semantics == CORRECTED else ShapeUse.NOTHING
    shapes = shapes if counting.rules == FlopsRules.NONE else ShapeUse.RULES
    leave_out = measurement.leave_out
    table = build_measured(inputs, use, measurement, shapes)
    with Threads(jobs, rows=table.count) as threads:
        table.settle(threads)
    del inputs  # the decoded files take more memory than the node table
    missing_step(options, table.step_numbers, semantics)
    part, whole = later_parts(table), table
    peak = kinds_at_peak(whole, part)
    table, parts = split_table(whole, leave_out)
    part = part if table is whole else later_parts(table)
    del whole
    with Threads(jobs, rows=table.count) as threads:
        table.settle(threads)
    measures = node_measures(table, step=options.step, semantics=semantics)
    with Threads(jobs, rows=table.count) as threads:
        copies = threads.start(find_copies, table, part)
        estimated = threads.start(estimate_peak, table, part)
        try:
            views = build_views(
                table,
                options,
                semantics,
                threads=threads,
                measures=measures,
                progress=lambda name: progress(f"{name} view"),
            )
            shared = measures if options.step < 0 else None
            advice = advise(table, Checker, semantics, layouts=views.layouts, measures=shared)
        except InputError as problem:  # about figures or names: a view does not know which file they are from
            named = {"profile": source.profile, "graph": source.graph, "xplane": next(iter(source.xplanes), None)}
            role, file = next((role, file) for role, file in named.items() if file)
            raise InputError(str(problem), file=file, option=f"--{side}{role}", details=problem.details) from problem
        diagnostics = (
            *table.diagnostics,
            *views.diagnostics,
            *explain_all(table, leave_out),
            *copies(),
            *find_idle(table, views.layouts.values(), options, semantics),
        )
        estimate = estimated()
    return measure(
        table,
        views.views,
        Origin(inputs=files),
        replace(measurement, signature=counted_signature(table, leave_out)),
        rules=wording(use),
        left_out=sum_left_out(parts),
        advice=advice,
        diagnostics=diagnostics,
        peak=peak,
        estimate=estimate,
        activity=table.activity,
    )


def _base_shapes(base: InputPaths | str | None, head: Side) -> tuple[Diagnostic, ...]:
    """Warn if the base is counted with other input shapes than head, since its figures depend on them."""
    if not isinstance(base, InputPaths) or not base.input_shapes:
        return ()
    if same_sizes(base.input_shapes, head.measurement.input_shapes):
        return ()
    text = f"the base is counted with other input shapes than head: {', '.join(map(str, base.input_shapes))}"
    return (Diagnostic(severity=Severity.WARNING, code="base_input_shapes", text=text),)


def _load_base(source: InputPaths | str, head: Side, job: Job, progress: Progress) -> Side:
    """Load the base, measured as head is; any error in its files is a BaselineError."""
    user_rules = job.measurement.counting.user_rules
    measurement = replace(head.measurement, counting=replace(head.measurement.counting, user_rules=user_rules))
    if isinstance(source, InputPaths) and head.measurement.signature:
        source = replace(source, usual_signature=head.measurement.signature)
    if isinstance(source, InputPaths) and not source.input_shapes:
        shapes = (replace(shape, option="--base-input-shape") for shape in measurement.input_shapes)
        source = replace(source, input_shapes=tuple(shapes))
    try:
        base = _load(source, measurement, progress, side="base-", error=BaselineError, jobs=job.jobs)
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
        if base.counting_version != head.counting_version and not job.needs_base:
            raise BaselineError(
                f"was counted by another version of the tool, counting version {base.counting_version}, "
                f"head by {head.counting_version}",
                file=source,
                advice="write the report again with this version",
            )
    return replace(base, origin=_named(base.origin, job, None, "base_"))


def _check_age(folder: str, base: Origin, most: timedelta, today: datetime) -> None:
    """Raise BaselineError if a baseline is older than `most`, or if its timestamp is not a date."""
    made, option = time_of(base.timestamp), "--max-baseline-age"
    if made is None:
        problem = f'its time, "{base.timestamp}", is not a date, so its age is unknown'
        raise BaselineError(problem, file=folder, option=option, advice="write its report without --timestamp")
    if today - made > most:
        problem = f"is {age_words(today - made)} old, {age_words(most)} are allowed"
        raise BaselineError(problem, file=folder, option=option, advice="give a newer one")
