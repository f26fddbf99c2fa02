"""``profile``, ``advise``, ``Profiler`` and ``write_op_log``, as in ``tf.compat.v1.profiler``."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from operator import index
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, SupportsIndex

import numpy as np

from tfprof_report.errors import OptionError, OutputError
from tfprof_report.ingest.graph_def import GraphColumns, merge_graphs
from tfprof_report.ingest.op_log import OpLogColumns, read_op_log
from tfprof_report.ingest.origin import InputFile
from tfprof_report.ingest.read import Inputs
from tfprof_report.ingest.run_meta import RunMetaColumns
from tfprof_report.ingest.sniff import Kind
from tfprof_report.ingest.xplane.traced import Traced
from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.flops.node_flops import use_rules
from tfprof_report.model.node_table import NodeTable
from tfprof_report.old_names import Place, now
from tfprof_report.profiler.given_run import GivenRun, is_trace, join_traced, read_given_run, traced_graph
from tfprof_report.profiler.handed_over import is_live, read_any_graph, read_given, resolve_graph
from tfprof_report.profiler.profile_proto import profile_bytes
from tfprof_report.profiler.result_node import ResultNode
from tfprof_report.profiler.run_query import ask, ask_advice, check_rules, note, print_skipped, semantics_of
from tfprof_report.profiler.write_op_log import build_op_log, merged_log
from tfprof_report.schema.metrics import VIEWS
from tfprof_report.semantics import Semantics
from tfprof_report.views.build_view import build_layout
from tfprof_report.views.layout import Layout

LOG_NAME = "tfprof_log"
"""The file that `write_op_log` writes."""


def profile(
    graph: Any = None,
    run_meta: Any = None,
    op_log: Any = None,
    cmd: str = "scope",
    options: Mapping[str, Any] | None = None,
    *,
    semantics: str | Semantics = "tfprof",
    rules: str = "tfprof",
) -> ResultNode:
    """Print or write a view of a model, and return its rows.

    Parameters
    ----------
    graph : a path, bytes, a GraphDef, or anything with ``as_graph_def`` such as a ``tf.Graph``; None means TensorFlow's
        default graph, if TensorFlow is imported. An XPlane trace stands for a graph of its ops, and for `run_meta`
    run_meta : RunMetadata of one step, as a path, bytes or a message; it becomes step 0, and shapes are completed
        from it. Or an XPlane trace with its own steps, likewise, or a log directory, of which the newest run is read
    op_log : OpLogProto, likewise
    cmd : ``scope``, ``graph``, ``op`` or ``code``
    options : a dict of tfprof's options, such as `ProfileOptionBuilder` builds; by default the parameters of trainable
        variables
    semantics : ``tfprof`` for the native tool's numbers, ``corrected`` for what a user means
    rules : ``tfprof`` to count FLOPs by TensorFlow's registry where the op log has none, ``none`` to use the log only

    Returns
    -------
    ResultNode
        The root, with the fields of tfprof's GraphNodeProto (scope, graph) or MultiGraphNodeProto (op, code).

    Raises
    ------
    OptionError
        `cmd` or an option is invalid, or there is no graph.
    InputError
        An input cannot be read or is not the expected message.
    """
    if cmd not in VIEWS:
        advice = now(Place.COMMAND, cmd) or f"choose from {', '.join(VIEWS)}"
        raise OptionError(f"unknown cmd: {cmd}", option="cmd", advice=advice)
    chosen = semantics_of(semantics)
    table, files = _read_once(graph, run_meta, op_log, chosen, rules=rules, with_traces=cmd == "code")
    return ask(
        table,
        cmd,
        options,
        chosen,
        layout_of=lambda view: build_layout(table, view, chosen),
        files=files,
        rules=rules,
    )


def advise(
    graph: Any = None,
    run_meta: Any = None,
    options: Mapping[str, Any] | None = None,
    *,
    semantics: str | Semantics = "tfprof",
    rules: str = "tfprof",
) -> Any:
    """Print the findings of tfprof's checkers on a model, and return them as an AdviceProto.

    The keys of `options` are the checkers to run; by default all run. The other parameters are as in `profile`.
    """
    chosen = semantics_of(semantics)
    table, _ = _read_once(graph, run_meta, None, chosen, rules=rules, with_traces=True)
    return ask_advice(table, options, chosen)


def write_op_log(
    graph: Any,
    log_dir: str | os.PathLike[str],
    op_log: Any = None,
    run_meta: Any = None,
    add_trace: bool = True,  # noqa: FBT001, FBT002 (TensorFlow's signature)
) -> None:
    """Write the user's op log, completed from the graph, to the file ``tfprof_log`` in the folder `log_dir`.

    Added are FLOPs by TensorFlow's registry, trainable variables, and with `add_trace` call stacks.

    Raises
    ------
    OutputError
        The file cannot be written.
    """
    graph = resolve_graph(graph)
    table, _ = _read_once(graph, run_meta, op_log, semantics_of("tfprof"), rules="tfprof", with_traces=False)
    log = build_op_log(graph, table, op_log, with_traces=add_trace)
    path = Path(log_dir) / LOG_NAME
    try:
        path.write_bytes(log.SerializeToString())
    except OSError as error:
        raise OutputError(f"cannot be written ({error.strerror})", file=str(path), option="log_dir") from error


def _read_once(
    graph: Any, run_meta: Any, op_log: Any, semantics: Semantics, *, rules: str, with_traces: bool
) -> tuple[NodeTable, tuple[InputFile, ...]]:
    """Return the node table of a model with at most one step, and descriptions of its inputs."""
    check_rules(rules)
    graph = resolve_graph(graph)
    log = read_given(op_log, Kind.OP_LOG) if op_log is not None else None
    user_log = read_op_log(log.decoded) if log else None
    if run_meta is None and is_trace(graph):
        run = read_given_run(graph, is_graph=True)
        columns, calls = traced_graph(run)
        files, whole_log = run.files, user_log or calls
    else:
        columns, graph_file = read_any_graph(graph)
        run = read_given_run(run_meta) if run_meta is not None else GivenRun(run_metas=(), files=())
        files, whole_log = (graph_file, *run.files), merged_log(user_log, graph, with_traces=with_traces)
    inputs = Inputs(
        graph=columns,
        run_metas=run.run_metas,
        op_log=whole_log,
        files=(*files, *([log.file] if log else [])),
        diagnostics=run.traced.diagnostics if run.traced else (),
        traced=run.traced,
    )
    table = build_node_table(inputs, use_rules(rules, semantics, fill_shapes=True), semantics)
    print_skipped(table, semantics, has_run_meta=bool(run.run_metas))
    return table, inputs.files


class Profiler:
    """A model over several steps: add run metadata step by step, and query views of one step or of the mean.

    Parameters
    ----------
    graph, op_log, semantics, rules : as in `profile`; a ``tf.Graph`` may grow between steps
    """

    def __init__(
        self, graph: Any = None, op_log: Any = None, *, semantics: str | Semantics = "tfprof", rules: str = "tfprof"
    ) -> None:
        check_rules(rules)
        self._semantics, self._rules = semantics_of(semantics), rules
        self._graph = resolve_graph(graph)
        columns, file = read_any_graph(self._graph)
        log = read_given(op_log, Kind.OP_LOG) if op_log is not None else None
        self._user_log = read_op_log(log.decoded) if log else None
        self._graphs: list[tuple[int, GraphColumns]] = [(0, columns)]
        self._version = getattr(self._graph, "version", None)
        self._log: OpLogColumns = merged_log(self._user_log, self._graph, with_traces=True)
        self._files = [file, *([log.file] if log else [])]
        self._steps: list[tuple[int, RunMetaColumns]] = []
        self._traced: Traced | None = None
        self._layouts: dict[str, Layout] = {}
        self._table = self._build()
        print_skipped(self._table, self._semantics, has_run_meta=False)

    def _build(self) -> NodeTable:
        graph = self._graphs[0][1] if len(self._graphs) == 1 else merge_graphs(self._graphs)
        use = use_rules(
            self._rules,
            self._semantics,
            fill_shapes=bool(self._steps),
            show_filled=not self._semantics.added_step_keeps_shapes,
            replace_op_log=bool(self._steps) and self._semantics.added_step_replaces_op_log,
        )
        inputs = Inputs(
            graph=graph,
            run_metas=tuple(self._steps),
            op_log=self._log,
            files=tuple(self._files),
            diagnostics=(),
            traced=self._traced,
        )
        return build_node_table(inputs, use, self._semantics)

    def add_step(self, step: int, run_meta: Any) -> None:
        """Add the run metadata of a step, as a path, bytes or a message; figures of a step added twice add up.

        An XPlane trace or a log directory adds all steps of its run, with the numbers from `step` on.

        Raises
        ------
        OptionError
            The step is not a 64-bit integer.
        InputError
            The run metadata cannot be read. The profiler is then unchanged.
        """
        if isinstance(step, bool) or not isinstance(step, SupportsIndex) or not -(2**63) <= index(step) < 2**63:
            raise OptionError(f"step {step!r} is not a whole number of 64 bits", option="step")
        step = index(step)
        given = read_given_run(run_meta, step=step).numbered_from(step)
        if not all(columns.has_step_stats for _, columns in given.run_metas):
            note(f"Invalid RunMetadata for step {step}")
        version = getattr(self._graph, "version", None)
        if is_live(self._graph) and version != self._version:
            self._version = version
            self._graphs.append((len(self._steps), read_any_graph(self._graph)[0]))
            self._log = merged_log(self._user_log, self._graph, with_traces=True)
            self._layouts.clear()
        before = list(self._steps), list(self._files), self._traced
        self._steps += given.run_metas
        self._files += given.files
        self._traced = join_traced(self._traced, given.traced)
        try:
            self._table = self._build()
        except BaseException:
            self._steps, self._files, self._traced = before
            raise

    def profile_name_scope(self, options: Mapping[str, Any] | None) -> ResultNode:
        """Show the scope view: nodes as a tree by their names."""
        return self._ask("scope", options)

    def profile_graph(self, options: Mapping[str, Any] | None) -> ResultNode:
        """Show the graph view: nodes from outputs to inputs."""
        return self._ask("graph", options)

    def profile_operations(self, options: Mapping[str, Any] | None) -> ResultNode:
        """Show the op view: one row per op type."""
        return self._ask("op", options)

    def profile_python(self, options: Mapping[str, Any] | None) -> ResultNode:
        """Show the code view: the call stacks that created the nodes."""
        return self._ask("code", options)

    def advise(self, options: Mapping[str, Any] | None = None) -> Any:
        """Print the findings of tfprof's checkers, and return them as an AdviceProto."""
        return ask_advice(self._table, options, self._semantics)

    def serialize_to_string(self) -> bytes:
        """Return the model with all its steps as the bytes of a ProfileProto, which `tfprof-report --profile` reads."""
        return profile_bytes(self._table)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            if (advice := now(Place.METHOD, name)) is not None:
                raise OptionError(f"Profiler has no {name}", advice=advice)
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _ask(self, view: str, options: Mapping[str, Any] | None) -> ResultNode:
        return ask(
            self._table,
            view,
            options if options is not None else {},
            self._semantics,
            layout_of=self._layout,
            files=self._files,
            rules=self._rules,
        )

    def _layout(self, view: str) -> Layout:
        """Return the layout of a view; under tfprof's semantics the one built by the first query of the view."""
        if not self._semantics.views_are_built_once:
            return build_layout(self._table, view, self._semantics)
        layout = self._layouts.setdefault(view, build_layout(self._table, view, self._semantics))
        late = self._table.count - len(layout.row_of_node)  # nodes of later run metadata come last
        return replace(layout, row_of_node=np.append(layout.row_of_node, np.full(late, -1)))
