"""Reads all inputs of one model: from paths to columns, with the digest of each file and diagnostics."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field, replace

from tfprof_report.diagnostics import Diagnostic, Severity
from tfprof_report.errors import InputError, TextLimitError, shown
from tfprof_report.ingest.checkpoint import Checkpoint, open_checkpoint
from tfprof_report.ingest.decode import Decoded, check_steps, decode_all, holds, steps_in
from tfprof_report.ingest.files.file_bytes import read_bytes
from tfprof_report.ingest.files.trace_files import host_names, is_trace_name
from tfprof_report.ingest.graph_def import GraphColumns, merge_graphs, read_graph
from tfprof_report.ingest.op_log import OpLogColumns, read_op_log
from tfprof_report.ingest.origin import InputFile
from tfprof_report.ingest.paths import InputPaths, InputShape
from tfprof_report.ingest.profile import Content, count_steps, read_profile
from tfprof_report.ingest.run_meta import RunMetaColumns, read_run_meta
from tfprof_report.ingest.saved_model import Entry, choose_entry, describe_model
from tfprof_report.ingest.sniff import Kind
from tfprof_report.ingest.xplane.space import read_space
from tfprof_report.ingest.xplane.trace_graph import graph_of, log_of
from tfprof_report.ingest.xplane.traced import Traced, check_ops, read_traces
from tfprof_report.record import record
from tfprof_report.threads import Threads
from tfprof_report.urls import name_of

_DEVICES, _BYTES_PER_DEVICE = 4096, 256
"""A file may have so many devices, summed over its steps, or one for so many of its bytes: each costs time.

Each has its kernels, of more than 100 bytes.
"""

_ROW_BYTES = 100
"""About what a node or a record takes in a file."""

ROLES = {
    Kind.GRAPH: "graph",
    Kind.RUN_META: "run_meta",
    Kind.XPLANE: "xplane",
    Kind.OP_LOG: "op_log",
    Kind.PROFILE: "profile",
}


@record
class Inputs:
    """The columns of all inputs of one model.

    run_metas : (step, columns) in the order of the files
    checkpoint : variables, whose values are read on demand
    misses_stream : a profile's flag for GPU devices without ``stream:all``; None where run metadata shows it
    input_shapes : shapes of placeholders that the user gave
    entry : which nodes a SavedModel's signature needs
    traced : the trace that `run_metas` are from, if they are; without a graph, its ops are the nodes of `graph`
    """

    graph: GraphColumns
    run_metas: tuple[tuple[int, RunMetaColumns], ...]
    op_log: OpLogColumns | None
    files: tuple[InputFile, ...]
    diagnostics: tuple[Diagnostic, ...]
    checkpoint: Checkpoint | None = None
    misses_stream: bool | None = None
    input_shapes: tuple[InputShape, ...] = ()
    entry: Entry = field(default_factory=Entry)
    traced: Traced | None = None


def read_inputs(
    paths: InputPaths,
    *,
    side: str = "",
    progress: Callable[[str], None] | None = None,
    digests: bool = True,
    jobs: int = 1,
) -> Inputs:
    """Read and decode every file of `paths`.

    Parameters
    ----------
    side : ``""``, ``base-`` or ``head-``: the prefix of option names in errors
    progress : called with the path of each file before it is read
    digests : whether digests of attributes are needed, by which reports tell what changed and what is there twice
    jobs : most tasks that run at the same time

    Raises
    ------
    InputError
        A file cannot be read or does not contain the message that its option expects.
    """
    reader = _Reader(paths, side=side, progress=progress, digests=digests, jobs=jobs)
    checkpoint = reader.open_checkpoint(paths.checkpoint) if paths.checkpoint else None
    paths = reader.complete(paths)
    if paths.profile:
        choose_entry(None, paths, file=paths.profile, side=side)
        decoded = reader.read(paths.profile, Kind.PROFILE)
        check_steps(
            count_steps(decoded), reader.files[-1].size_bytes, file=paths.profile, option=reader.option(Kind.PROFILE)
        )
        with reader.naming(paths.profile, Kind.PROFILE):
            content = read_profile(decoded)
        reader.check_devices(content.run_metas, paths.profile, Kind.PROFILE)
    else:
        content = reader.read_parts(paths)
    return Inputs(
        graph=content.graph,
        run_metas=content.run_metas,
        op_log=content.op_log,
        files=tuple(reader.files),
        diagnostics=tuple(reader.diagnostics),
        checkpoint=checkpoint,
        misses_stream=content.misses_stream,
        input_shapes=paths.input_shapes,
        entry=reader.entry,
        traced=reader.traced,
    )


class _Reader:
    """Reads one file after another and collects their digests and diagnostics."""

    def __init__(
        self, paths: InputPaths, *, side: str, progress: Callable[[str], None] | None, digests: bool, jobs: int
    ) -> None:
        self.files: list[InputFile] = []
        self.diagnostics: list[Diagnostic] = []
        self.entry = Entry()
        self.traced: Traced | None = None
        self._side, self._show = side, progress or (lambda _: None)
        self._max_unpacked, self._digests, self._jobs = paths.max_unpacked, digests, jobs
        self._held = paths.held
        self._peeked: dict[str, bytes] = {}  # bytes read to recognise a file: a pipe can be read only once
        self._events: dict[str, bytes] = {}  # the same of an event file, which is read for graph and run metadata

    def complete(self, paths: InputPaths) -> InputPaths:
        """Return the paths with all that is in a graph that is given alone: a profile, a trace, or run metadata too."""
        path = paths.graph
        others = (paths.profile, paths.run_metas, paths.xplanes, paths.op_log, paths.later_graphs)
        if path is None or any(others):
            return paths
        option = f"--{self._side}graph"
        self._progress(path)
        data = self._bytes_of(path, option)
        if steps := steps_in(data, file=path, option=option, max_unpacked=self._max_unpacked):
            self._events[path] = data
            return replace(paths, run_metas=((steps[0], path),))
        self._peeked[path] = data
        if is_trace_name(path) or self._holds(data, Kind.XPLANE, path, option):
            return replace(paths, graph=None, xplanes=(path,))
        return replace(paths, profile=path) if self._holds(data, Kind.PROFILE, path, option) else paths

    def _holds(self, data: bytes, kind: Kind, path: str, option: str) -> bool:
        return holds(data, kind, file=path, option=option, max_unpacked=self._max_unpacked)

    def read(self, path: str, kind: Kind) -> Decoded:
        (decoded,) = self.read_all(path, kind)
        return decoded

    def read_all(self, path: str, kind: Kind, step: int = 0) -> list[Decoded]:
        """Return the message in a file with the step `step`, or several of an event file with their own steps."""
        option = self.option(kind)
        self._progress(path)
        data = self._bytes_of(path, option)
        with Threads(self._jobs, rows=len(data) // _ROW_BYTES) as threads, self.naming(path, kind):
            digest = threads.start(hashlib.sha256, data)
            found = decode_all(
                data, kind, file=path, option=option, max_unpacked=self._max_unpacked, digests=self._digests
            )
            sha256 = digest().hexdigest()
        if len(found) == 1:
            found = [replace(found[0], step=step)]
        for decoded in found:
            self.files.append(
                InputFile(
                    role=ROLES[kind],
                    path=shown(name_of(path)),
                    form=decoded.form,
                    size_bytes=len(data),
                    sha256=sha256,
                    step=decoded.step if kind is Kind.RUN_META else None,
                )
            )
        self._note_form(path, kind, found[0])
        return found

    def option(self, kind: Kind) -> str:
        return f"--{self._side}{ROLES[kind].replace('_', '-')}"

    def _bytes_of(self, path: str, option: str) -> bytes:
        if path in self._peeked:
            return self._peeked.pop(path)
        if path in self._held:
            self._events[path] = self._held.pop(path)
        return self._events[path] if path in self._events else read_bytes(path, option=option)

    def _progress(self, path: str) -> None:
        self._show(name_of(path))

    def _note_form(self, path: str, kind: Kind, decoded: Decoded) -> None:
        name = name_of(path)
        if decoded.form.startswith("empty"):
            self._warn("empty_input", f"{name} is empty: a legal {kind} message without content")
        if decoded.skipped_unknown_fields:
            self._warn("unknown_fields", f"{name} has fields that this version does not know; they were skipped")
        if decoded.is_cut:
            self._warn("event_file_cut", f"{name} ends within a record, which is left out: is it still being written?")

    def read_parts(self, paths: InputPaths) -> Content:
        if paths.xplanes:
            return self.read_traced(paths)
        return Content(graph=self.read_graphs(paths), run_metas=self.read_run_metas(paths), op_log=self.read_log(paths))

    def read_log(self, paths: InputPaths) -> OpLogColumns | None:
        return read_op_log(self.read(paths.op_log, Kind.OP_LOG)) if paths.op_log else None

    def read_traced(self, paths: InputPaths) -> Content:
        """Read the traces of one run, with a graph or without."""
        graph = self.read_graphs(paths) if paths.graph is not None else None
        if graph is None:
            choose_entry(None, paths, file=paths.xplanes[0], side=self._side)
        spaces = {}
        for path, host in zip(paths.xplanes, host_names(paths.xplanes), strict=True):
            with self.naming(path, Kind.XPLANE):
                spaces[host] = read_space(self.read(path, Kind.XPLANE))
        with self.naming(paths.xplanes[0], Kind.XPLANE):
            traced = read_traces(spaces, is_graph=graph is None)
            run = traced.run
            if graph is None:
                check_ops(traced, file=paths.xplanes[0], option=self.option(Kind.XPLANE))
            self.traced = traced
            self.diagnostics += traced.diagnostics
            self.check_devices(run.run_metas, paths.xplanes[0], Kind.XPLANE)
            return Content(
                graph=graph_of(run.ops) if graph is None else graph,
                run_metas=run.run_metas,
                op_log=self.read_log(paths) or (log_of(run.ops, traced.frames) if graph is None else None),
            )

    def read_graphs(self, paths: InputPaths) -> GraphColumns:
        if paths.graph is None:
            raise ValueError("a graph is required; resolve_paths ensures it")
        decoded = self.read(paths.graph, Kind.GRAPH)
        self.entry = choose_entry(decoded.model, paths, file=paths.graph, side=self._side)
        self.diagnostics += describe_model(decoded.model, self.entry)
        graph = self.graph_of(decoded, paths.graph)
        if not paths.later_graphs:
            return graph
        later = [(after, self.graph_of(self.read(path, Kind.GRAPH), path)) for after, path in paths.later_graphs]
        return merge_graphs([(0, graph), *later])

    def graph_of(self, decoded: Decoded, path: str) -> GraphColumns:
        with self.naming(path, Kind.GRAPH):
            return read_graph(decoded)

    @contextmanager
    def naming(self, path: str, kind: Kind) -> Iterator[None]:
        """Name the file in an error that does not know it."""
        try:
            yield
        except TextLimitError as error:
            raise InputError(str(error), file=path, option=self.option(kind)) from error

    def read_run_metas(self, paths: InputPaths) -> tuple[tuple[int, RunMetaColumns], ...]:
        run_metas: list[tuple[int, RunMetaColumns]] = []
        for position, (first, path) in enumerate(paths.run_metas):
            of_file: list[tuple[int, RunMetaColumns]] = []
            name = name_of(path)
            found = self.read_all(path, Kind.RUN_META, first)
            if first not in (position, *(decoded.step for decoded in found)):
                self._warn("step_unused", f"step {first} is not used: {name} has several runs with steps of their own")
            for decoded in found:
                step = decoded.step
                if any(step == earlier for earlier, _ in (*run_metas, *of_file)):
                    self._warn("step_accumulates", f"step {step} is given more than once: {name} adds to it")
                with self.naming(path, Kind.RUN_META):
                    columns = read_run_meta(decoded)
                if not columns.has_step_stats:
                    self._warn("no_step_stats", f"{name} has no step_stats and is not counted as a step")
                of_file.append((step, columns))
            self.check_devices(of_file, path, Kind.RUN_META)
            run_metas += of_file
        return tuple(run_metas)

    def check_devices(self, run_metas: Sequence[tuple[int, RunMetaColumns]], path: str, kind: Kind) -> None:
        """Raise InputError if the file read last has too many devices."""
        most = max(_DEVICES, self.files[-1].size_bytes // _BYTES_PER_DEVICE)
        if sum(len(set(columns.devices)) for _, columns in run_metas) > most:
            raise InputError(
                f"has more than {most:,} devices, summed over its steps",
                file=path,
                option=self.option(kind),
                advice="record fewer steps in one file",
            )

    def open_checkpoint(self, path: str) -> Checkpoint:
        self._progress(path)
        checkpoint = open_checkpoint(path, option=f"--{self._side}checkpoint")
        self.files.append(checkpoint.file)
        return checkpoint

    def _warn(self, code: str, text: str) -> None:
        self.diagnostics.append(Diagnostic(severity=Severity.WARNING, code=code, text=shown(text)))
