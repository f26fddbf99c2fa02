"""Declare the commands over many reports: `compare` and `index`."""

from __future__ import annotations

import typer

from tfprof_report.cli.arrow_command import ArrowCommand
from tfprof_report.cli.params.across_options import CompareValues, IndexValues
from tfprof_report.cli.params.declare import Parsed, parses, takes

commands = typer.Typer()


@commands.command("compare", cls=ArrowCommand)
@parses(CompareValues)
def _compare(parsed: Parsed[CompareValues]) -> int:
    """Put reports side by side: figures, differences to the first, Pareto fronts, layers."""
    from tfprof_report.cli.commands.across.put_side_by_side import write_comparison
    from tfprof_report.cli.config.file import rules_applied

    with rules_applied(parsed) as (values, applied):
        counted = [parsed.names[path] for path in sorted(parsed.given) if path.startswith("job.")]
        return write_comparison(values, applied, counted=[name for name in counted if name != "config"])


@commands.command("index", cls=ArrowCommand)
@takes(IndexValues)
def _index(values: IndexValues) -> None:
    """Write one page that lists many reports, with search and sort."""
    from tfprof_report.cli.commands.across.list_reports import write_index

    write_index(values)
