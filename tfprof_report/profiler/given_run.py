"""What ran, as an argument of the Python API: run metadata of one step, or the traces of a run with all its steps."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

from tfprof_report.ingest.decode import holds
from tfprof_report.ingest.files.folders import is_folder
from tfprof_report.ingest.files.trace_files import find_traces, host_names, is_trace_name
from tfprof_report.ingest.graph_def import GraphColumns
from tfprof_report.ingest.op_log import OpLogColumns
from tfprof_report.ingest.origin import InputFile
from tfprof_report.ingest.read import ROLES
from tfprof_report.ingest.run_meta import RunMetaColumns, read_run_meta
from tfprof_report.ingest.sniff import Kind
from tfprof_report.ingest.xplane.runs import join_runs
from tfprof_report.ingest.xplane.space import read_space
from tfprof_report.ingest.xplane.trace_graph import graph_of, log_of
from tfprof_report.ingest.xplane.traced import Traced, check_ops, read_traces
from tfprof_report.profiler.handed_over import given_bytes, read_given
from tfprof_report.record import record


@record
class GivenRun:
    """The steps of what was passed, descriptions of its files, and what else traces tell."""

    run_metas: tuple[tuple[int, RunMetaColumns], ...]
    files: tuple[InputFile, ...]
    traced: Traced | None = None

    def numbered_from(self, step: int) -> GivenRun:
        """Return the same steps with the numbers `step`, `step` + 1 ... in place of their own."""
        numbers = {number: step + place for place, number in enumerate(sorted({each for each, _ in self.run_metas}))}
        return replace(self, run_metas=tuple((numbers[number], columns) for number, columns in self.run_metas))


def read_given_run(value: Any, *, step: int = 0, is_graph: bool = False) -> GivenRun:
    """Return the run metadata of `step`, or traces: a file, a log directory (its newest run), bytes or a message.

    `is_graph` is whether the ops of the traces are the nodes, for want of a graph.

    Raises
    ------
    InputError
        It cannot be read, or is something else.
    """
    files = _files_of(value)
    if len(files) == 1 and not _is_trace(files[0]):
        given = read_given(value, Kind.RUN_META, step=step)
        return GivenRun(run_metas=((step, read_run_meta(given.decoded)),), files=(given.file,))
    parts = [read_given(file, Kind.XPLANE) for file in files]
    names = host_names([part.file.path for part in parts])
    spaces = {name: read_space(part.decoded) for name, part in zip(names, parts, strict=True)}
    traced = read_traces(spaces, is_graph=is_graph)
    return GivenRun(run_metas=traced.run.run_metas, files=tuple(part.file for part in parts), traced=traced)


def is_trace(graph: Any) -> bool:
    """Return whether what was passed as a graph is a trace, by its name or, without one, by its content."""
    if isinstance(graph, str | os.PathLike):
        path = str(os.fspath(graph))
        return is_trace_name(path) or (is_folder(path) and find_traces(path) is not None)
    is_content = isinstance(graph, bytes | bytearray | memoryview) or hasattr(graph, "SerializeToString")
    return is_content and _is_trace(graph)


def traced_graph(given: GivenRun) -> tuple[GraphColumns, OpLogColumns]:
    """Return the ops of traces as a graph, and the calls that built them as an op log; InputError if there are none."""
    if given.traced is None:
        raise ValueError("run metadata has no graph")
    check_ops(given.traced, file=given.files[0].path, option=ROLES[Kind.GRAPH])
    return graph_of(given.traced.run.ops), log_of(given.traced.run.ops, given.traced.frames)


def join_traced(first: Traced | None, second: Traced | None) -> Traced | None:
    """Return what two runs tell together."""
    if first is None or second is None:
        return first or second
    return replace(first, run=join_runs([first.run, second.run]))


def _files_of(value: Any) -> tuple[Any, ...]:
    if isinstance(value, str | os.PathLike) and is_folder(path := str(os.fspath(value))):
        traces = find_traces(path)
        return traces.files if traces is not None else (value,)
    return (value,)


def _is_trace(value: Any) -> bool:
    if isinstance(value, str | os.PathLike) and is_trace_name(str(os.fspath(value))):
        return True
    path, data = given_bytes(value, Kind.RUN_META)
    return holds(data, Kind.XPLANE, file=path, option=ROLES[Kind.RUN_META])
