"""The straight line of a report: inputs in, files and verdict out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from tfprof_report import __version__
from tfprof_report.clock import age_words, moment_of, now, time_of
from tfprof_report.compare.comparison import Measured
from tfprof_report.compare.gates.policy import Policy
from tfprof_report.compare.matching.name_map import NameMap
from tfprof_report.diagnostics import Diagnostic, Severity
from tfprof_report.errors import BaselineError, InputError
from tfprof_report.ingest.origin import InputFile, Side
from tfprof_report.ingest.paths import InputPaths, InputShape, parse_input_shape
from tfprof_report.ingest.read import read_inputs
from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.execution_counts import INLINED, FunctionUse, function_options, function_words, use_functions
from tfprof_report.model.flops.counting import BY_ALL_RULES, BY_OP_LOG, Counting
from tfprof_report.model.flops.node_flops import wording
from tfprof_report.model.node_table import NodeTable
from tfprof_report.model.parts.leave_out import NOTHING, LeaveOut, MissingOutputError, parse_leave_out, split_table
from tfprof_report.model.parts.twice_built import find_copies
from tfprof_report.model.shapes.resolve import ShapeUse
from tfprof_report.options import Options, flag
from tfprof_report.report.build_report import build_report, sum_left_out
from tfprof_report.report.folder import Earlier, read_report_folder
from tfprof_report.report.measure import measure
from tfprof_report.report.report import Report
from tfprof_report.semantics import CORRECTED, PRESETS, Semantics, preset_name
from tfprof_report.views.advice.checkers import advise
from tfprof_report.views.advice.findings import Checker
from tfprof_report.views.build_view import build_layout, build_view, views_of
from tfprof_report.views.query import check_options, missing_step

Progress = Callable[[str], None]

_COUNTING = ("step", "account_type_regexes", "account_displayed_op_only", "leave_out", "outputs")
"""Options that change the figures of a view's rows, beside which rows are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What to report: `head` and `base` are the files of a side, or the path of a report folder.

    `side` is ``head-`` where the options that name head's files begin so, and only words the errors. The options,
    semantics and counting of FLOPs are for sides given as files; head's report folder brings its own, which then count
    for the base too, but for the user's rules, which it lacks. `is_new` says that there is no base because only other
    models have one, `base_missing` that there should be one and need not. A base that is a report is refused where it
    was made longer ago than `max_base_age`.
    """

    head: InputPaths | str
    base: InputPaths | str | None
    policy: Policy
    options: Options
    semantics: Semantics
    counting: Counting = BY_ALL_RULES
    functions: FunctionUse | None = INLINED
    leave_out: LeaveOut = NOTHING
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
    check_options(job.options, job.semantics)
    timestamp = job.timestamp or now()
    head = _load(job.head, job, progress, side=job.side, error=InputError)
    base = _load_base(job.base, head, job, progress) if job.base is not None else None
    progress("comparing" if base else "summing up")
    return build_report(
        replace(head.measured, side=_named(head.measured.side, job, timestamp)),
        head.views,
        advice=head.advice,
        base=base,
        policy=job.policy,
        name_map=job.name_map,
        is_new=job.is_new,
        base_missing=job.base_missing,
        diagnostics=(*head.diagnostics, *_base_shapes(job.base, head)),
        options=head.options,
        semantics=head.semantics,
        timestamp=timestamp,
        tool_version=__version__,
    )


def read_table(paths: InputPaths, progress: Progress, semantics: Semantics = CORRECTED) -> NodeTable:
    """Read the inputs of one model into a node table."""
    return read_model(paths, progress, semantics)[0]


def read_model(
    paths: InputPaths,
    progress: Progress,
    semantics: Semantics = CORRECTED,
    counting: Counting = BY_OP_LOG,
    functions: FunctionUse | None = None,
) -> tuple[NodeTable, tuple[InputFile, ...]]:
    """Read the inputs of one model into a node table; return also the files as they were read.

    FLOPs are counted with the shapes that run metadata completes.
    """
    inputs = read_inputs(paths, progress=lambda path: progress(f"reading {path}"))
    progress("joining nodes")
    use = counting.use(semantics, fill_shapes=True)
    shapes = ShapeUse.RULES if counting.infers_shapes else ShapeUse.NOTHING
    return build_node_table(inputs, use, semantics, functions, shapes=shapes), inputs.files


def _named(side: Side, job: Job, timestamp: str | None, of: str = "") -> Side:
    """Return a side under the names that the user gave it, else those that its report folder brings."""
    given = {word: getattr(job, f"{of}{word}") for word in ("label", "commit", "branch")}
    named = {word: value for word, value in given.items() if value}
    return replace(side, **named, timestamp=side.timestamp or timestamp)


def _load(
    source: InputPaths | str, job: Job, progress: Progress, *, side: str, error: type[InputError | BaselineError]
) -> Earlier:
    """Return one side, from its files or from the report that was written of them."""
    if isinstance(source, str):
        progress(f"reading {source}")
        return read_report_folder(source, error)
    inputs = read_inputs(source, side=side, progress=lambda path: progress(f"reading {path}"))
    progress("joining nodes")
    # Not filled from run metadata: a report's static figures do not depend on a run.
    use = job.counting.use(job.semantics)
    shapes = ShapeUse.TABLES if job.semantics == CORRECTED else ShapeUse.NOTHING
    shapes = ShapeUse.RULES if job.counting.infers_shapes else shapes
    table = build_node_table(inputs, use, job.semantics, job.functions, shapes=shapes)
    missing_step(job.options, table.step_numbers, job.semantics)
    table, parts = split_table(table, job.leave_out)
    views, layouts = {}, {}
    try:
        for name in views_of(table):
            progress(f"{name} view")
            layouts[name] = build_layout(table, name, job.semantics)
            views[name] = build_view(table, name, job.options, job.semantics, layout=layouts[name])
        advice = advise(table, Checker, job.semantics, layouts=layouts)
    except InputError as problem:  # of figures or names, which views know without their file
        role, file = ("profile", source.profile) if source.profile else ("graph", source.graph)
        raise InputError(str(problem), file=file, option=f"--{side}{role}", details=problem.details) from problem
    measured = measure(table, views, Side(inputs=inputs.files), wording(use))
    return Earlier(
        measured=replace(measured, left_out=sum_left_out(parts)),
        views=views,
        advice=advice,
        diagnostics=(*table.diagnostics, *find_copies(table)),
        options={
            **job.options.as_dict(),
            **function_words(job.functions),
            **job.counting.as_dict(),
            "input_shape": [str(each) for each in source.input_shapes],
            **job.leave_out.as_dict(),
        },
        semantics=preset_name(job.semantics),
    )


def _shapes_of(report: Earlier, side: str = "") -> tuple[InputShape, ...]:
    """Return the shapes of inputs that a side was counted with, as options of `side`."""
    return tuple(parse_input_shape(text, side) for text in report.options["input_shape"])


def _same_sizes(one: tuple[InputShape, ...], other: tuple[InputShape, ...]) -> bool:
    """Return whether two sides are fed alike; inputs may have other names."""
    return sorted(each.sizes for each in one) == sorted(each.sizes for each in other)


def _base_shapes(base: InputPaths | str | None, head: Earlier) -> tuple[Diagnostic, ...]:
    """Say that the base has input shapes of its own, on which its figures depend."""
    if not isinstance(base, InputPaths) or not base.input_shapes or _same_sizes(base.input_shapes, _shapes_of(head)):
        return ()
    text = f"the base is counted with other shapes of inputs than head: {', '.join(map(str, base.input_shapes))}"
    return (Diagnostic(severity=Severity.WARNING, code="base_input_shapes", text=text),)


def _load_base(source: InputPaths | str, head: Earlier, job: Job, progress: Progress) -> Measured:
    """Load the base with head's options; whatever is wrong with its files makes the baseline unreadable."""
    semantics = PRESETS[head.semantics]
    counting = Counting.of(head.options, job.counting.user_rules)
    job = replace(job, options=Options.from_mapping(head.options, CORRECTED), semantics=semantics, counting=counting)
    leave_out = parse_leave_out(head.options["leave_out"], head.options["outputs"])
    job = replace(job, functions=use_functions(**function_options(head.options)), leave_out=leave_out)
    if isinstance(source, InputPaths) and not source.input_shapes:
        source = replace(source, input_shapes=_shapes_of(head, "base-"))
    try:
        base = _load(source, job, progress, side="base-", error=BaselineError)
    except InputError as error:
        raise BaselineError(str(error), details=error.details) from error
    except MissingOutputError as error:
        file = source.graph if isinstance(source, InputPaths) else source
        raise BaselineError(str(error), file=file) from error
    if isinstance(source, str) and job.max_base_age is not None:
        _check_age(source, base.measured.side, job.max_base_age, moment_of(job.timestamp))
    other = [flag(name) for name in _COUNTING if base.options.get(name) != head.options.get(name)]
    if function_options(base.options) != function_options(head.options):
        other.append("--functions, --cond or --loops")
    if isinstance(source, str) and not _same_sizes(_shapes_of(base), _shapes_of(head)):
        other.append("--input-shape")
    other += ["--semantics"] if base.semantics != head.semantics else []
    if other:
        raise BaselineError(
            f"was written with another {' and '.join(other)} than head",
            file=str(source),
            advice="write the report again with the same options",
        )
    return replace(base.measured, side=_named(base.measured.side, job, None, "base_"))


def _check_age(folder: str, base: Side, most: timedelta, today: datetime) -> None:
    """Refuse a baseline that is older than it may be, or does not say how old it is."""
    made, option = time_of(base.timestamp), "--max-baseline-age"
    if made is None:
        problem = f'its time, "{base.timestamp}", is no date: nobody can tell its age'
        raise BaselineError(problem, file=folder, option=option, advice="write its report without --timestamp")
    if today - made > most:
        problem = f"is {age_words(today - made)} old, {age_words(most)} are allowed"
        raise BaselineError(problem, file=folder, option=option, advice="give a newer one")
