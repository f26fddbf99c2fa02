"""The traces of a run as inputs of a model: what ran, the ops in place of a graph, and what a reader has to know."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.diagnostics import DROPPED, EXAMPLES, Diagnostic, Severity
from tfprof_report.formatting import format_number, plural
from tfprof_report.ingest.sniff import read_field
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

_LOST = "dropped_traces"
"""The stat of a plane that counts events which the profiler had no room for."""

_DROPPED = re.compile(r"(?i)\bdropp?(ed|ing)\b|\blost\b|buffer.*(full|overflow)")


@record
class Traced:
    """What the traces of a run tell.

    run : what ran
    frames : calls that built ops, as in `programs.Programs`
    level : the lowest level of the host's tracer among the files; None where none tells it
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
    level = min((found for space in spaces if (found := _level(space)) is not None), default=None)
    run = read_run(files, programs, has_all_ops=level is None or level >= ALL_OPS)
    return Traced(
        run=run,
        frames=programs.frames,
        level=level,
        diagnostics=tuple(_diagnose(spaces, programs, run, level)),
        is_graph=is_graph,
    )


def how_to_record(level: int | None) -> str:
    """Return what to do about a trace without ops, which was recorded at this level."""
    if level is not None and level >= ALL_OPS:
        return "let the program wait for its results before the trace ends"
    return "record it with host_tracer_level=3"


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
    """Return the level of the host's tracer: 1 user's marks, 2 ops that take time, 3 all ops."""
    options = next((each for each in space.of_planes.blobs(_OPTIONS).to_pylist() if each is not None), None)
    level, at = None, 0
    while options is not None and at < len(options):
        try:
            number, wire_type, start, at = read_field(memoryview(options), at, len(options))
        except ValueError:
            return None
        if (number, wire_type) == (_LEVEL, 0):
            level = options[start]
    return level


def _dropped(space: Space) -> Iterator[tuple[str, int]]:
    """Yield the planes that lack events, and of each how many."""
    for plane, number in zip(space.planes.to_pylist(), space.of_planes.ints(_LOST).to_pylist(), strict=True):
        if number:
            yield plane, number


def _diagnose(spaces: Sequence[Space], programs: Programs, run: Run, level: int | None) -> Iterator[Diagnostic]:
    """Yield what a reader has to know of the traces."""
    told = [text for space in spaces for text in (*space.errors, *space.warnings)]
    dropped = [f"{plane} dropped {number:,}" for space in spaces for plane, number in _dropped(space)]
    lost = [*dropped, *(text for text in told if _DROPPED.search(text))]
    others = [text for text in told if not _DROPPED.search(text)]
    if lost:
        text = "the profiler dropped events: times and counts are of what is left"
        yield _warning(DROPPED, text, lost)
    if others:
        yield _warning("profiler_messages", "the profiler reports problems", others)
    if programs.unreadable:
        text = "programs in the trace cannot be read: their ops have no shapes and FLOPs"
        yield _warning("unreadable_programs", text, programs.unreadable)
    if not run.ops.num_rows:
        text = "the trace has no ops"
        if level is not None and level < ALL_OPS - 1:
            text += f": it is of level {level} of the host's tracer, which records only what the user marked"
        yield Diagnostic(severity=Severity.WARNING, code="no_ops", text=f"{text}; {how_to_record(level)}")
    elif level is not None and level < ALL_OPS:
        text = (
            f"the trace is of level {level} of the host's tracer, which leaves out cheap ops: whether nodes without an "
            "event ran is unknown; record it with host_tracer_level=3"
        )
        yield Diagnostic(severity=Severity.WARNING, code="trace_level", text=text)
    if left_out := run.left_out:
        nanos = sum(step.nanos for step in left_out)
        usual = format_number(run.usual_nanos / NANOS_PER_MICRO, Unit.MICROS)
        numbers = ", ".join(str(step.number) for step in left_out[:EXAMPLES])
        text = (
            f"{plural(len(left_out), 'step')} traced, compiled or tuned functions ({numbers}) and "
            f"{'is' if len(left_out) == 1 else 'are'} not among the steps: "
            f"{format_number(nanos / NANOS_PER_MICRO, Unit.MICROS)}, the others take {usual}"
        )
        yield Diagnostic(severity=Severity.NOTE, code="first_step", text=text)
    elif any(step.prepares for step in run.steps):
        text = "all steps traced, compiled or tuned functions: times are not those of later steps"
        yield Diagnostic(severity=Severity.WARNING, code="first_step_only", text=text)


def _warning(code: str, text: str, examples: Sequence[str]) -> Diagnostic:
    return Diagnostic(
        severity=Severity.WARNING, code=code, text=text, count=len(examples), examples=tuple(examples[:EXAMPLES])
    )
