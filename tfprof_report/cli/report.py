"""The commands that write a report folder."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import typer

from tfprof_report.cli.inputs import (
    counting_from,
    leave_out_from,
    paths_from,
    print_diagnostics,
    print_notes,
    progress,
)
from tfprof_report.cli.main import may_be_cut_short
from tfprof_report.cli.params import options_from
from tfprof_report.compare.gates import parse_gate
from tfprof_report.errors import BaselineError, InputError, OptionError
from tfprof_report.ingest.files import InputPaths
from tfprof_report.job import Job, run
from tfprof_report.model.function_use import INLINED, use_functions
from tfprof_report.model.leave_out import NOTHING
from tfprof_report.options import Options, flag
from tfprof_report.render.write import write_report
from tfprof_report.report.folder import is_report_folder
from tfprof_report.report.model import Report
from tfprof_report.semantics import CORRECTED, PRESETS

_FILES = ("graph", "run_meta", "run_meta_path", "op_log", "checkpoint", "profile")


def write(values: dict[str, Any], defaults: Options) -> int:
    """Write the report of one model, compared with a baseline if one is named; return the exit code."""
    has_base = values["baseline"] is not None or _names_files(values, "base-")
    return _run(values, defaults, head=values["inputs"], side="", base=values["baseline"], has_base=has_base)


def write_diff(values: dict[str, Any], defaults: Options) -> int:
    """Write the report of head compared with base; return the exit code."""
    for word in ("base", "head"):
        if values[word] is None and not values[f"{word}_graph"] and not values[f"{word}_profile"]:
            raise OptionError(f"{word.upper()} is missing", advice="give BASE HEAD, or --base-graph and --head-graph")
    return _run(values, defaults, head=values["head"], side="head-", base=values["base"], has_base=True)


def _run(
    values: dict[str, Any], defaults: Options, *, head: str | None, side: str, base: str | None, has_base: bool
) -> int:
    if not values["out"]:
        raise OptionError("the name of the folder is empty", option="--out", advice="name the folder to write")
    gates = tuple(parse_gate(gate) for gate in values["gate"] or ())
    job = Job(
        head=_side(values, head, side),
        side=side,
        base=None,
        gates=(),
        options=options_from(values, defaults),
        semantics=PRESETS[values["semantics"]],
        functions=use_functions(values["functions"], values["cond"], values["loops"]),
        leave_out=leave_out_from(values),
        counting=counting_from(values),
        **{name: values[name] for name in ("label", "commit", "branch", "timestamp")},
    )
    _check_kept_options(job, defaults)
    with progress() as show:
        try:
            base_side = _side(values, base, "base-") if has_base else None
        except InputError as error:
            run(job, show)  # a problem of head wins over one of base
            raise BaselineError(str(error), details=error.details) from error
        report = run(replace(job, base=base_side, gates=gates, fail_on_unknown=values["fail_on_unknown"]), show)
        files = write_report(report, values["out"], progress=lambda name: show(f"writing {name}"))
    print_notes(job.head, base_side)
    print_diagnostics(report.diagnostics)
    with may_be_cut_short():
        _print_result(report, values["out"], files)
    return report.verdict.exit_code


def _side(values: dict[str, Any], source: str | None, side: str) -> InputPaths | str:
    """Return the files of a side, or the report folder that `source` is."""
    if source and not _names_files(values, side) and is_report_folder(source):
        if values[f"{side.replace('-', '_')}input_shape"]:
            raise OptionError(
                "a report folder keeps the shapes that it was written with",
                file=source,
                option=f"--{side}input-shape",
                advice="leave it out, or give the model's files",
            )
        return source
    return paths_from(values, source, side)


def _names_files(values: dict[str, Any], side: str) -> bool:
    return any(values[f"{side.replace('-', '_')}{kind}"] for kind in _FILES)


def _check_kept_options(job: Job, defaults: Options) -> None:
    """Refuse options that would have no effect: the rows of a report folder were chosen when it was written."""
    if isinstance(job.head, InputPaths):
        return
    now, usual = job.options.as_dict(), defaults.as_dict()
    given = [flag(name) for name in now if now[name] != usual[name]]
    given += ["--semantics"] if job.semantics != CORRECTED else []
    given += ["--functions, --cond or --loops"] if job.functions != INLINED else []
    given += ["--leave-out or --outputs"] if job.leave_out != NOTHING else []
    if given:
        raise OptionError(
            "a report folder keeps the options that it was written with",
            file=job.head,
            option=", ".join(given),
            advice="leave them out, or give the model's files",
        )


def _print_result(report: Report, folder: str, files: tuple[str, ...]) -> None:
    tables = [name for name in files if name.endswith(".parquet")]
    typer.echo(f"HTML      {Path(folder) / 'report.html'}")
    typer.echo(f"Markdown  {Path(folder) / 'report.md'}")
    typer.echo(f"Parquet   {', '.join(str(Path(folder) / name) for name in tables)}")
    typer.echo(report.verdict.text)
