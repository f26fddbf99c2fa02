"""Declare the command `batch`."""

from __future__ import annotations

import typer

from tfprof_report.cli.arrow_command import ArrowCommand
from tfprof_report.cli.params.batch_options import BatchValues
from tfprof_report.cli.params.declare import takes

commands = typer.Typer()


@commands.command("batch", cls=ArrowCommand)
@takes(BatchValues)
def _batch(values: BatchValues) -> int:
    """Make many reports at once, on this machine or on a Dask cluster, each as report makes it."""
    from tfprof_report.cli.commands.make_batch import run_batches

    return run_batches(values)
