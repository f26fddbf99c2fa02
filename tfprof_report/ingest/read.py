"""Reads all inputs of one model: paths to columns, with the digest of every file and what was noticed on the way."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

from tfprof_report.diagnostics import Diagnostic, Severity
from tfprof_report.ingest.decode import Decoded, decode
from tfprof_report.ingest.files import InputPaths, read_bytes
from tfprof_report.ingest.graph import GraphColumns, read_graph
from tfprof_report.ingest.op_log import OpLogColumns, read_op_log
from tfprof_report.ingest.run_meta import RunMetaColumns, read_run_meta
from tfprof_report.ingest.sniff import Kind
from tfprof_report.ingest.sources import InputFile

ROLES = {Kind.GRAPH: "graph", Kind.RUN_META: "run_meta", Kind.OP_LOG: "op_log"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """The columns of all inputs of one model; `run_metas` holds (step, columns) in the order of the files."""

    graph: GraphColumns
    run_metas: tuple[tuple[int, RunMetaColumns], ...]
    op_log: OpLogColumns | None
    files: tuple[InputFile, ...]
    diagnostics: tuple[Diagnostic, ...]


def read_inputs(paths: InputPaths, *, side: str = "", progress: Callable[[str], None] | None = None) -> Inputs:
    """Read and decode every file of `paths`.

    Parameters
    ----------
    side : ``""``, ``base-`` or ``head-``: words the option names in errors
    progress : called with the path of each file before it is read

    Raises
    ------
    InputError
        A file cannot be read or does not hold the message that its option says.
    """
    files: list[InputFile] = []
    diagnostics: list[Diagnostic] = []

    def read(path: str, kind: Kind, step: int | None = None) -> Decoded:
        option = f"--{side}{ROLES[kind].replace('_', '-')}"
        if progress:
            progress(path)
        data = read_bytes(path, option=option)
        decoded = decode(data, kind, file=path, option=option)
        files.append(
            InputFile(
                role=ROLES[kind],
                path=path,
                form=decoded.form,
                size_bytes=len(data),
                sha256=hashlib.sha256(data).hexdigest(),
                step=step,
            )
        )
        if decoded.form.startswith("empty"):
            diagnostics.append(_warning("empty_input", f"{path} is empty: a legal {kind} message without content"))
        if decoded.skipped_unknown_fields:
            diagnostics.append(
                _warning("unknown_fields", f"{path} has fields that this version does not know; they were skipped")
            )
        return decoded

    if paths.graph is None:
        raise ValueError("a graph is needed: resolve_paths makes sure of it")
    graph = read_graph(read(paths.graph, Kind.GRAPH))
    run_metas: list[tuple[int, RunMetaColumns]] = []
    for step, path in paths.run_metas:
        if any(step == earlier for earlier, _ in run_metas):
            diagnostics.append(
                Diagnostic(
                    severity=Severity.NOTE,
                    code="step_accumulates",
                    text=f"step {step} is given more than once: {path} adds to it",
                )
            )
        columns = read_run_meta(read(path, Kind.RUN_META, step))
        if not columns.has_step_stats:
            diagnostics.append(_warning("no_step_stats", f"{path} has no step_stats and is not counted as a step"))
        run_metas.append((step, columns))
    op_log = read_op_log(read(paths.op_log, Kind.OP_LOG)) if paths.op_log else None
    return Inputs(
        graph=graph,
        run_metas=tuple(run_metas),
        op_log=op_log,
        files=tuple(files),
        diagnostics=tuple(diagnostics),
    )


def _warning(code: str, text: str) -> Diagnostic:
    return Diagnostic(severity=Severity.WARNING, code=code, text=text)
