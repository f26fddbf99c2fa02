"""Finds the input files of a model and reads their bytes; `sniff` and `decode` decide which message they contain."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import field, replace

from tfprof_report.errors import InputError, OptionError
from tfprof_report.ingest.events import is_record_file, read_events
from tfprof_report.ingest.files.file_bytes import STDIN, read_bytes, unreadable
from tfprof_report.ingest.files.folders import above, is_folder, join, last_name, list_folder
from tfprof_report.ingest.files.trace_files import choose_traces, find_traces, is_trace_name
from tfprof_report.limits import INT64_LIMIT
from tfprof_report.record import record
from tfprof_report.urls import is_url, name_of

_LARGEST = 2**40


@record
class InputShape:
    """The shape of a placeholder's output.

    sizes : empty for a scalar
    option : the command-line option that gave it, for errors
    """

    name: str
    sizes: tuple[int, ...]
    option: str = "--input-shape"

    def __str__(self) -> str:
        return f"{self.name}={','.join(map(str, self.sizes))}"


def parse_input_shape(text: str, side: str = "") -> InputShape:
    """Parse ``NAME=SIZE,...``; nothing after the equals sign means a scalar.

    Raises
    ------
    OptionError
        The name is missing, or a size is not a whole number.
    """
    option = f"--{side}input-shape"
    name, equals, written = text.rpartition("=")
    words = [word.strip() for word in written.split(",")] if written.strip() else []
    is_well_formed = equals and name and all(re.fullmatch("[0-9]{1,13}", word) for word in words)
    if not is_well_formed or any(int(word) > _LARGEST for word in words):
        raise OptionError(f'"{text}" is not a shape', option=option, advice="write NAME=1,224,224,3")
    return InputShape(name=name.removesuffix(":0"), sizes=tuple(int(word) for word in words), option=option)


_RUN_META = re.compile(r"run_meta_(\d{1,18})(\.gz)?", re.ASCII)


_STEP = re.compile(r"(\d{1,18})=(.*)", re.ASCII | re.DOTALL)


_MAX_STEP = INT64_LIMIT - 1


_MODELS = ("saved_model.pb", "saved_model.pbtxt")


_GRAPHS = ("graph.pb", "graph.pbtxt", *_MODELS)


_EVENTS = "tfevents"
"""Part of the names of TensorBoard's event files."""


_LATER_CHOICES = (*_GRAPHS[1:], "op_log")


DEFAULT_SIGNATURE = "serving_default"


@record
class InputPaths:
    """The files of one model: a graph, what ran of it and an op log, or a profile that contains all of them.

    What ran is run metadata by step, or the trace of a run, which may be all there is.

    later_graphs : graphs of the same run that add nodes to the first one, each with the number of run metadata files
        that came before it
    xplanes : XPlane traces of one run, one per host
    checkpoint : prefix of a checkpoint
    signature : the requested signature of a SavedModel
    usual_signature : the one that is taken, if there is one of this name, where none is requested
    input_shapes : shapes of placeholders that the user gave
    max_unpacked : most bytes that a packed file may unpack to; None for the limits of `packed.Packed`
    notes : which files of a folder were chosen, and which were ignored
    held : the bytes of objects that were read to choose among them, until they are read as inputs
    """

    graph: str | None = None
    later_graphs: tuple[tuple[int, str], ...] = ()
    run_metas: tuple[tuple[int, str], ...] = ()
    xplanes: tuple[str, ...] = ()
    op_log: str | None = None
    checkpoint: str | None = None
    profile: str | None = None
    signature: str | None = None
    usual_signature: str = DEFAULT_SIGNATURE
    input_shapes: tuple[InputShape, ...] = ()
    max_unpacked: int | None = None
    notes: tuple[str, ...] = field(default=())
    held: dict[str, bytes] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """How many files these are."""
        single = (self.graph, self.op_log, self.checkpoint, self.profile)
        return (
            len(self.later_graphs) + len(self.run_metas) + len(self.xplanes) + sum(path is not None for path in single)
        )


def resolve_paths(
    source: str | None,
    *,
    graph: str | None = None,
    later_graphs: Sequence[str] = (),
    run_metas: Sequence[str] = (),
    xplanes: Sequence[str] = (),
    run: str | None = None,
    op_log: str | None = None,
    checkpoint: str | None = None,
    profile: str | None = None,
    signature: str | None = None,
    side: str = "",
) -> InputPaths:
    """Return the files that the command line names: one graph file or folder, or options, or both.

    Options override what a folder contains. `side` is ``""``, ``base-`` or ``head-``: the prefix of options in errors.

    Raises
    ------
    OptionError
        No graph or trace is named, or two graphs are; a profile is named together with one of its parts; run metadata
        is named together with a trace; a run is named without a log directory; or standard input is named twice.
    InputError
        The folder does not exist or contains no graph and no trace, or has no such run.
    """
    if profile is not None:
        if source is not None or graph is not None or run_metas or xplanes or op_log is not None:
            raise OptionError(
                "a profile holds graph, run metadata and op log already",
                option=f"--{side}profile",
                advice="name either the profile or its parts",
            )
        return InputPaths(profile=profile, checkpoint=checkpoint)
    if run_metas and (xplanes or run is not None):
        raise OptionError(
            "run metadata and a trace are named, which both say what ran",
            option=f"--{side}{'xplane' if xplanes else 'run'}",
            advice="name one of them",
        )
    found = InputPaths()
    if source is not None and source != STDIN and is_folder(source):
        found = find_in_folder(source, None if xplanes else run, option=f"--{side}run")
    elif source is not None and xplanes and graph is None and is_trace_name(source):
        xplanes = (source, *xplanes)
    elif source is not None:
        graph = _only_graph(source, graph, side)
    traces, trace_notes = choose_traces(xplanes, run, has_folder=bool(found.count), side=side)
    chosen = InputPaths(
        graph=_in_model_folder(graph) or found.graph,
        later_graphs=tuple((0, _in_model_folder(path) or path) for path in later_graphs),
        run_metas=number_steps(run_metas) if run_metas else () if xplanes else found.run_metas,
        xplanes=traces or (() if run_metas else found.xplanes),
        op_log=op_log or found.op_log,
        checkpoint=checkpoint,
        signature=signature,
        notes=(*found.notes, *trace_notes),
        held=found.held,
    )
    _check(chosen, source, later_graphs, side)
    return chosen


def _only_graph(source: str, graph: str | None, side: str) -> str:
    if graph is not None:
        raise OptionError(
            f"a graph is named twice, as {name_of(source)} and as {name_of(graph)}",
            option=f"--{side}graph",
            advice="name it once",
        )
    return source


def _check(chosen: InputPaths, source: str | None, later_graphs: Sequence[str], side: str) -> None:
    """Raise if there is no model among the inputs, or standard input is there twice."""
    if chosen.graph is None and not chosen.xplanes:
        if source is not None:
            others, advice = _others_in(source, side)
            raise InputError(
                f"the folder holds no graph.pb, graph.pbtxt, saved_model.pb or trace{others}",
                file=source,
                advice=advice,
            )
        raise OptionError("no graph is named", advice=f"give a graph file, a folder, or --{side}graph FILE")
    names = [chosen.graph, *later_graphs, *(path for _, path in chosen.run_metas), *chosen.xplanes, chosen.op_log]
    if names.count(STDIN) > 1:
        raise OptionError("standard input (-) is named more than once", advice="it can be read only once")


_NOT_READ = (
    ("variables.index", "the variables of a SavedModel", "give the folder above it"),
    (".index", "a checkpoint", "name the graph with --{side}graph, and the checkpoint with --{side}checkpoint"),
    (_EVENTS, "event files without a graph", "name the graph with --{side}graph"),
    (".tflite", "a TFLite model", "give the SavedModel that it was made from"),
    (".onnx", "an ONNX model", "give the SavedModel that it was made from"),
    (".keras", "a Keras model", "load it with Keras, write it with model.export(FOLDER), and give FOLDER"),
    (".h5", "a Keras model or weights", "load it with Keras, write it with model.export(FOLDER), and give FOLDER"),
)
"""Parts of names that tell what a folder without a graph is."""


def _others_in(folder: str, side: str) -> tuple[str, str]:
    """Return what a folder without a graph holds instead, as a clause, and what to do."""
    listing = list_folder(folder)
    names = sorted((*listing.names, *listing.folders))
    for part, what, advice in _NOT_READ:
        found = next((name for name in names if part in name), None)
        if found:
            return f", but {what} ({found})", advice.format(side=side)
    return "", f"name the graph with --{side}graph"


def number_steps(run_metas: Sequence[str]) -> tuple[tuple[int, str], ...]:
    """Return (step, path) pairs: ``7=path`` gives the step; otherwise it is the file's position in the list."""
    numbered = []
    for position, given in enumerate(run_metas):
        match = _STEP.fullmatch(given)
        step, path = (int(match[1]), match[2]) if match else (position, given)
        if step > _MAX_STEP:
            raise OptionError(f"step {step} is outside the 64-bit range", option="--run-meta")
        if not path:
            raise OptionError(f'"{given}" names no file', option="--run-meta", advice="write STEP=FILE")
        numbered.append((step, path))
    return tuple(numbered)


def find_in_folder(folder: str, run: str | None = None, *, option: str = "--run") -> InputPaths:
    """Choose the inputs in a folder by their names; `notes` lists what was chosen and what was ignored.

    The graph is ``graph.pb``, else ``graph.pbtxt``, else ``saved_model.pb``; run metadata of step N is ``run_meta_N``,
    else ``run_meta`` is step 0; the op log is ``tfprof_log``, else ``op_log``. All may end in ``.gz``. Without a graph
    by these names, event files of TensorBoard give it (`_add_events`). What ran is the trace of `run`, for which
    `option` asks; without `run` it is run metadata, or without that the trace of the newest run (`find_traces`). The
    result does not depend on the order in which the file system lists the folder.
    """
    try:
        names = list_folder(folder).names
    except OSError as error:
        raise unreadable(error, folder) from error
    shown = name_of(folder)
    graph = _first(names, *_GRAPHS)
    op_log = _first(names, "tfprof_log", "op_log")
    steps: dict[str, int] = {}
    for name in names:
        match = _RUN_META.fullmatch(name)
        if match and not (match[2] and name.removesuffix(".gz") in names):
            steps[name] = int(match[1])
    plain = _first(names, "run_meta")
    run_metas = sorted((step, name) for name, step in steps.items())
    if not run_metas and plain:
        run_metas = [(0, plain)]
    chosen = [name for name in (graph, *(name for _, name in run_metas), op_log) if name]
    notes = [f"{shown}: reading {', '.join(chosen)}"] if chosen else []
    if steps and plain:
        notes.append(f"{shown}: {plain} is ignored, since run_meta_N files give the steps")
    strange = [name for name in names if name.startswith("run_meta_") and not _RUN_META.fullmatch(name)]
    notes += [f"{shown}: {name} is ignored, since its end is not the number of a step" for name in strange]
    events = [name for name in names if _EVENTS in name]
    if graph and events:
        notes.append(f"{shown}: {', '.join(events)} {'is' if len(events) == 1 else 'are'} ignored in favour of {graph}")
    others = sorted(set(names) & {*_LATER_CHOICES, *(f"{name}.gz" for name in _LATER_CHOICES)} - set(chosen))
    notes += [
        f"{shown}: {name} is ignored in favour of {op_log if name.startswith('op_log') else graph}" for name in others
    ]

    def path(name: str | None) -> str | None:
        return join(folder, name) if name else None

    for name in chosen:  # a pipe would be waited for without end
        if os.path.exists(file := join(folder, name)) and not os.path.isfile(file):  # noqa: PTH110, PTH113
            raise InputError("is a pipe or device, not a file", file=file, advice="name it with its option")
    found = InputPaths(
        graph=path(graph),
        run_metas=tuple((step, join(folder, name)) for step, name in run_metas),
        op_log=path(op_log),
        notes=tuple(notes),
    )
    found = found if graph else _add_events(found, [join(folder, name) for name in reversed(events)])
    return _add_traces(found, folder, run, option)


def _add_traces(found: InputPaths, folder: str, run: str | None, option: str) -> InputPaths:
    """Return the inputs with the trace of a run in `folder`, if it is asked for or all that says what ran."""
    traces = find_traces(folder, run, option=option)
    if traces is None:
        if run is not None:
            raise InputError("has no runs", file=folder, option=option, advice="leave the option out")
        return found
    if found.run_metas and run is None:
        ignored = f"{name_of(folder)}: the trace of run {traces.run} is ignored in favour of run metadata"
        return replace(found, notes=(*found.notes, ignored))
    notes = [*found.notes, traces.note(folder)]
    if found.run_metas:
        text = f"run metadata is ignored in favour of the trace, since {option} names its run"
        notes.append(f"{name_of(folder)}: {text}")
    return replace(found, run_metas=(), xplanes=traces.files, notes=tuple(notes))


def _add_events(found: InputPaths, files: Sequence[str]) -> InputPaths:
    """Return the inputs with the graph in the first of `files`, which are the newest first, that has one.

    Unless there is other run metadata, that of all files is added, except for files that repeat a newer file's step.
    """
    graph = None
    run_metas: list[tuple[int, str]] = []
    seen: set[int] = set()
    held: dict[str, bytes] = {}
    for file in files:
        data = read_bytes(file, option="--graph")
        if not is_record_file(data):
            continue
        events = read_events(data, file=file, option="--graph")
        is_graph = graph is None and events.graph is not None
        graph = file if is_graph else graph
        has_run = bool(events.steps) and not seen & set(events.steps)
        if has_run:
            run_metas.append((events.steps[0], file))
            seen |= set(events.steps)
        if is_url(file) and (is_graph or has_run):
            held[file] = data
    if graph is None:
        return found
    run_metas = list(found.run_metas) or run_metas[::-1]
    read = sorted({last_name(file) for file in (graph, *(file for _, file in run_metas))})
    notes = (f"{name_of(above(graph))}: reading {', '.join(read)}",)
    return replace(found, graph=graph, run_metas=tuple(run_metas), notes=notes, held=held)


def _in_model_folder(path: str | None) -> str | None:
    """Return the model file in a SavedModel's folder; any other path is returned unchanged."""
    if path is None or path == STDIN or not is_folder(path):
        return path
    try:
        files = list_folder(path).files
        return next((join(path, name) for name in _MODELS if name in files), path)
    except OSError as error:
        raise unreadable(error, path) from error


def _first(names: Sequence[str], *wanted: str) -> str | None:
    return next((name for want in wanted for name in (want, f"{want}.gz") if name in names), None)
