"""The commands that write a report folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from tfprof_report.cli.inputs import paths_from, print_diagnostics, progress
from tfprof_report.cli.params import options_from
from tfprof_report.compare.gates import parse_gate
from tfprof_report.errors import BaselineError, InputError, OptionError
from tfprof_report.ingest.files import InputPaths, resolve_paths
from tfprof_report.job import Job, run
from tfprof_report.options import Options
from tfprof_report.render.write import write_report
from tfprof_report.report.folder import is_report_folder
from tfprof_report.report.model import Report
from tfprof_report.semantics import PRESETS


def write(values: dict[str, Any], defaults: Options) -> None:
    """Write the report of one model, compared with ``--baseline`` if that is given."""
    baseline = values["baseline"]
    _run(
        values,
        defaults,
        head=_side(values, values["inputs"], ""),
        base=None if baseline is None else _baseline(baseline),
    )


def write_diff(values: dict[str, Any], defaults: Options) -> None:
    """Write the report of head compared with base."""
    if values["base"] is not None and values["head"] is None and not values["head_graph"]:
        raise OptionError("HEAD is missing", advice="give BASE HEAD, or --base-graph and --head-graph")
    head = _side(values, values["head"], "head-")
    try:
        base = _side(values, values["base"], "base-")
    except InputError as error:
        raise BaselineError(str(error), details=error.details) from error
    _run(values, defaults, head=head, base=base)


def _side(values: dict[str, Any], source: str | None, side: str) -> InputPaths | str:
    """Return the files of a side, or the report folder that `source` is."""
    named = any(values[f"{side.replace('-', '_')}{kind}"] for kind in ("graph", "run_meta", "run_meta_path", "op_log"))
    if source is not None and not named and is_report_folder(source):
        return source
    return paths_from(values, source, side)


def _baseline(source: str) -> InputPaths | str:
    if is_report_folder(source):
        return source
    try:
        return resolve_paths(source, side="base-")
    except InputError as error:
        raise BaselineError(str(error), details=error.details) from error


def _run(values: dict[str, Any], defaults: Options, *, head: InputPaths | str, base: InputPaths | str | None) -> None:
    job = Job(
        head=head,
        base=base,
        gates=tuple(parse_gate(gate) for gate in values["gate"] or ()),
        options=options_from(values, defaults),
        semantics=PRESETS[values["semantics"]],
        **{name: values[name] for name in ("label", "commit", "branch", "timestamp")},
    )
    with progress() as show:
        report = run(job, show)
        files = write_report(report, values["out"], progress=lambda name: show(f"writing {name}"))
    print_diagnostics(report.diagnostics)
    _print_result(report, values["out"], files)
    raise typer.Exit(report.verdict.exit_code)


def _print_result(report: Report, folder: str, files: tuple[str, ...]) -> None:
    tables = [name for name in files if name.endswith(".parquet")]
    typer.echo(f"HTML      {Path(folder) / 'report.html'}")
    typer.echo(f"Markdown  {Path(folder) / 'report.md'}")
    typer.echo(f"Parquet   {', '.join(str(Path(folder) / name) for name in tables)}")
    typer.echo(report.verdict.text)
