"""The traces of a run as inputs of a model: what ran, the ops in place of a graph, and what a reader has to know."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.diagnostics import DROPPED, EXAMPLES, FIRST_STEP, Diagnostic, Severity
from tfprof_report.errors import InputError
from tfprof_report.formatting import format_number
from tfprof_report.ingest.sniff import read_field
from tfprof_report.ingest.xplane.noted_nodes import has_notes
from tfprof_report.ingest.xplane.ops import unread_planes
from tfprof_report.ingest.xplane.programs import Programs, read_programs
from tfprof_report.ingest.xplane.runs import Run, read_run
from tfprof_report.ingest.xplane.space import Space
from tfprof_report.record import record
from tfprof_report.schema.metrics import NANOS_PER_MICRO, Unit

_PROGRAM = "Hlo Proto"
"""The stat of events of ``/host:metadata`` that carries a program."""

_OPTIONS, _LEVEL = "profile_options", 2
"""The stat with the encoded ``tensorflow.ProfileOptions``, and its field host_tracer_level."""

ALL_OPS = 3
"""The level from which on cheap ops have events."""

_RECORD = "record it with tfprof_report.capture, which asks for level 3"
"""What to do: TensorFlow 2.21 ignores ``ProfilerOptions(host_tracer_level=3)``."""

_LOST = "dropped_traces"
"""The stat of a plane that counts events which the profiler had no room for."""

_DROPPED = re.compile(r"(?i)\bdropp?(ed|ing)\b|\blost\b|buffer.*(full|overflow)")


@record
class Traced:
    """What the traces of a run tell.

    run : what ran
    frames : calls that built ops, as in `programs.Programs`
    level : the lowest level of the host's tracer among the files; None where one does not tell it
    diagnostics : what is missing in it
    is_graph : no graph was given, so that the ops of the trace are the nodes
    """

    run: Run
    frames: pa.Table
    level: int | None
    diagnostics: tuple[Diagnostic, ...]
    is_graph: bool = False


def read_traces(files: Mapping[str, Space], *, is_graph: bool) -> Traced:
    """Return what the files of one run tell, by the names of the hosts; `is_graph` as in `Traced`."""
    spaces = list(files.values())
    programs = _programs(spaces)
    levels = [_level(space) for space in spaces]
    level = None if None in levels else min((each for each in levels if each is not None), default=None)
    run = read_run(files, programs, has_all_ops=level is not None and level >= ALL_OPS)
    return Traced(
        run=run,
        frames=programs.frames,
        level=level,
        diagnostics=(*_diagnose_files(spaces, programs), *_diagnose_run(run, level, is_graph=is_graph)),
        is_graph=is_graph,
    )


def check_ops(traced: Traced, *, file: str, option: str) -> None:
    """Raise InputError if there are no ops, which would be the nodes."""
    if not traced.run.ops.num_rows:
        advice = f"{_how_to_record(traced.level)}, or give the graph too"
        raise InputError("the trace has no ops", file=file, option=option, advice=advice)


def _how_to_record(level: int | None) -> str:
    """Return what to do about a trace without ops, which was recorded at this level."""
    if level is not None and level >= ALL_OPS:
        return "let the program wait for its results before the trace ends"
    return _RECORD


def _programs(spaces: Sequence[Space]) -> Programs:
    """Return the programs of all hosts, each once."""
    found: dict[str, bytes] = {}
    for space in spaces:
        message = space.of_kinds.blobs(_PROGRAM)
        has_one = pc.is_valid(message)
        names = space.kinds["name"].combine_chunks().filter(has_one).to_pylist()
        found = dict(zip(names, message.filter(has_one).to_pylist(), strict=True)) | found
    return read_programs(list(found), list(found.values()))


def _level(space: Space) -> int | None:
    """Return the level of the host's tracer: 1 user's marks, 2 ops that take time, 3 all ops; None if it is not told.

    Earlier profilers write no options; events that only level 3 has tell it too.
    """
    options = next((each for each in space.of_planes.blobs(_OPTIONS).to_pylist() if each is not None), None)
    level, at = ALL_OPS if has_notes(space) else None, 0
    while options is not None and at < len(options):
        try:
            number, wire_type, start, at = read_field(memoryview(options), at, len(options))
        except ValueError:
            break
        if (number, wire_type) == (_LEVEL, 0):
            level = options[start]
    return level


def _dropped(space: Space) -> Iterator[tuple[str, int]]:
    """Yield the planes that lack events, and of each how many."""
    for plane, number in zip(space.planes.to_pylist(), space.of_planes.ints(_LOST).to_pylist(), strict=True):
        if number:
            yield plane, number


def _diagnose_files(spaces: Sequence[Space], programs: Programs) -> Iterator[Diagnostic]:
    """Yield what a reader has to know of the traces themselves."""
    told = [text for space in spaces for text in (*space.errors, *space.warnings)]
    dropped = [f"{plane} dropped {number:,}" for space in spaces for plane, number in _dropped(space)]
    lost = [*dropped, *(text for text in told if _DROPPED.search(text))]
    others = [text for text in told if not _DROPPED.search(text)]
    if lost:
        text = "the profiler dropped events: times and counts are of what is left"
        yield _warning(DROPPED, text, lost)
    if others:
        yield _warning("profiler_messages", "the profiler reports problems", others)
    if unread := list(dict.fromkeys(plane for space in spaces for plane in unread_planes(space))):
        text = "the trace has planes of kinds that are not read: what ran there is only in unmatched.parquet"
        yield _warning("unread_planes", text, unread)
    if programs.unreadable:
        text = "programs in the trace cannot be read: their ops have no shapes and FLOPs"
        yield _warning("unreadable_programs", text, programs.unreadable)


def _diagnose_run(run: Run, level: int | None, *, is_graph: bool) -> Iterator[Diagnostic]:
    """Yield what a reader has to know of what ran."""
    if not run.ops.num_rows:
        text = "the trace has no ops"
        if level is not None and level < ALL_OPS - 1:
            text += f": it is of level {level} of the host's tracer, which records only what the user marked"
        yield Diagnostic(severity=Severity.WARNING, code="no_ops", text=f"{text}; {_how_to_record(level)}")
    elif level is None and is_graph:
        pass  # the nodes are those that have events
    elif level is None or level < ALL_OPS:
        what = (
            "does not tell the level of the host's tracer, which may leave out cheap ops"
            if level is None
            else f"is of level {level} of the host's tracer, which leaves out cheap ops"
        )
        text = f"the trace {what}: whether nodes without an event ran is unknown; {_RECORD}"
        yield Diagnostic(severity=Severity.WARNING, code="trace_level", text=text)
    if left_out := run.left_out:
        nanos = sum(step.nanos for step in left_out) / NANOS_PER_MICRO
        usual = format_number(run.usual_nanos / NANOS_PER_MICRO, Unit.MICROS)
        numbers = ", ".join(str(step.number) for step in left_out[:EXAMPLES])
        numbers += f" and {len(left_out) - EXAMPLES:,} more" if len(left_out) > EXAMPLES else ""
        named = f"step {numbers} is" if len(left_out) == 1 else f"steps {numbers} are"
        text = (
            f"{named} left out: traced, compiled or tuned functions, {format_number(nanos, Unit.MICROS)}; "
            f"the others take {usual}"
        )
        yield Diagnostic(severity=Severity.NOTE, code=FIRST_STEP, text=text)
    elif any(step.prepares for step in run.steps):
        text = "all steps traced, compiled or tuned functions: times are not those of later steps"
        yield Diagnostic(severity=Severity.WARNING, code="first_step_only", text=text)


def _warning(code: str, text: str, examples: Sequence[str]) -> Diagnostic:
    return Diagnostic(
        severity=Severity.WARNING, code=code, text=text, count=len(examples), examples=tuple(examples[:EXAMPLES])
    )
