"""Declare the commands that write a report folder."""

from __future__ import annotations

import typer

from tfprof_report.cli.arrow_command import ArrowCommand
from tfprof_report.cli.params.declare import Parsed, parses
from tfprof_report.cli.params.report_options import DiffValues, ReportValues

commands = typer.Typer()


@commands.command("report", cls=ArrowCommand)
@parses(ReportValues)
def _report(parsed: Parsed[ReportValues]) -> int:
    """Write a report of one model, or of several: HTML, Markdown, Parquet and JSON."""
    from tfprof_report.cli.commands.report import write
    from tfprof_report.cli.config.file import rules_applied

    with rules_applied(parsed) as (values, applied):
        return write(values, applied)


@commands.command("diff", cls=ArrowCommand)
@parses(DiffValues)
def _diff(parsed: Parsed[DiffValues]) -> int:
    """Write a report of HEAD compared with BASE, and judge the gates."""
    from tfprof_report.cli.commands.report import write_diff
    from tfprof_report.cli.config.file import rules_applied

    with rules_applied(parsed) as (values, applied):
        return write_diff(values, applied)
