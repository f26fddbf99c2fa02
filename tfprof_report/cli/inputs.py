"""Turn the values of the command line into inputs, counting settings and words about them; nothing is printed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from tfprof_report.cli.params.model_options import InputValues, MeasuredValues
from tfprof_report.diagnostics import Diagnostic, Severity
from tfprof_report.formatting import shorten
from tfprof_report.ingest.files.file_bytes import STDIN
from tfprof_report.ingest.files.folders import exists
from tfprof_report.ingest.packed import parse_max_unpacked
from tfprof_report.ingest.paths import InputPaths, parse_input_shape, resolve_paths
from tfprof_report.model.execution_counts import use_functions
from tfprof_report.model.flops.counting import Counting
from tfprof_report.model.flops.rule import UserRules
from tfprof_report.model.flops.user_rules import read_user_rules
from tfprof_report.model.measurement import Measurement
from tfprof_report.model.parts.leave_out import parse_leave_out
from tfprof_report.model.shapes.batch import ASSUMED, OPEN_BATCH, Batch, parse_batch
from tfprof_report.options import split_list
from tfprof_report.semantics import PRESETS
from tfprof_report.urls import is_url, name_of
from tfprof_report.vocabulary import BaselineMissing, Preset

_NAME_LIMIT = 120
"""Maximum characters of a name in a warning: names of inlined nodes grow with the depth of the calls."""


def paths_from(inputs: InputValues) -> InputPaths:
    """Return the resolved files of one side."""
    graphs = inputs.graph or ()
    paths = resolve_paths(
        inputs.source,
        graph=next(iter(graphs), None),
        later_graphs=graphs[1:],
        run_metas=[*(inputs.run_meta or ()), *split_list(inputs.run_meta_path or ())],
        xplanes=inputs.xplane or (),
        run=inputs.run,
        op_log=inputs.op_log,
        checkpoint=inputs.checkpoint,
        profile=inputs.profile,
        signature=inputs.signature,
        side=inputs.side,
    )
    shapes = tuple(parse_input_shape(text, inputs.side) for text in inputs.input_shape or ())
    most = None if inputs.max_unpacked is None else parse_max_unpacked(inputs.max_unpacked, inputs.side)
    return replace(paths, input_shapes=shapes, max_unpacked=most)


def warning_lines(diagnostics: Iterable[Diagnostic]) -> Iterator[str]:
    """Yield a line for each warning: what is wrong, how often, and an example. Notes are in the report only."""
    for diagnostic in diagnostics:
        if diagnostic.severity is Severity.WARNING:
            count = f": {diagnostic.count:,}" if diagnostic.count else ""
            examples = f", such as {shorten(diagnostic.examples[0], _NAME_LIMIT)}" if diagnostic.examples else ""
            yield f"{diagnostic.text}{count}{examples}"


def measurement_from(values: MeasuredValues) -> Measurement:
    """Return how the user wants the model measured, except for input shapes, which come with the files."""
    return Measurement(
        options=values.options,
        semantics=PRESETS[values.semantics],
        counting=Counting(
            rules=values.counting.rules,
            user_rules=user_rules_from(values.counting.flops_rules),
            float_ops_from=values.counting.float_ops_from,
            count=values.counting.count,
        ),
        functions=use_functions(values.functions.functions, values.functions.cond, values.functions.loops),
        leave_out=parse_leave_out(values.leave_out.leave_out or (), values.leave_out.outputs or ()),
        batch=_batch_from(values),
    )


def _batch_from(values: MeasuredValues) -> Batch:
    """Return the batch that the user gives; without one it is assumed unless the native tool is imitated."""
    if values.counting.batch is not None:
        return parse_batch(values.counting.batch)
    return ASSUMED if values.semantics == Preset.CORRECTED else OPEN_BATCH


def user_rules_from(file: str | None) -> UserRules | None:
    """Return the user's own FLOPs rules, None if no file is named."""
    return read_user_rules(file) if file is not None else None


def skips_missing_baseline(path: str | None, missing: BaselineMissing) -> bool:
    """Return whether there is no baseline at `path` and `missing` allows that.

    A baseline that exists but cannot be read is not missing.

    Raises
    ------
    OptionError
        As in `is_missing`.
    """
    return bool(path) and is_missing(path or "") and missing is not BaselineMissing.FAIL


def missing_words(path: str | None, missing: BaselineMissing) -> str | None:
    """Return the words about a missing baseline; none are wanted unless `missing` is WARN."""
    if missing is not BaselineMissing.WARN:
        return None
    return f"{name_of(path or '')}: there is no baseline, the report is without one"


def is_missing(path: str) -> bool:
    """Return whether nothing exists at the path or URL of a baseline; standard input always exists.

    Raises
    ------
    OptionError
        It is a URL of which nothing is read.
    """
    try:
        if is_url(path):
            return not exists(path)
        Path(path).stat()
    except (FileNotFoundError, NotADirectoryError):
        return path != STDIN
    except (OSError, ValueError):  # as where a bucket does not exist: reading the baseline says so
        return False
    return False
