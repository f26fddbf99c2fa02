"""``%%tfprof``: profiles a cell of a notebook, which has imported TensorFlow or JAX, and shows the report."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tfprof_report.api.make import make_report
from tfprof_report.api.report_result import MadeReportResult
from tfprof_report.capturing.capture import capture
from tfprof_report.errors import OptionError, TfprofReportError

MAGIC = "tfprof"


def load_ipython_extension(ipython: Any) -> None:
    """Add the magic ``%%tfprof`` to IPython, as ``%load_ext tfprof_report`` does."""

    def tfprof(line: str, cell: str) -> MadeReportResult | None:
        """Profile a cell and show its report: ``%%tfprof [NAME]``; NAME is the variable that gets the report.

        TensorFlow or JAX has to be imported before. With TensorFlow, the cell has to call a ``tf.function``.
        """
        return _profiled(ipython, line.strip(), cell)

    ipython.register_magic_function(tfprof, "cell", MAGIC)


def unload_ipython_extension(ipython: Any) -> None:
    """Remove the magic."""
    ipython.magics_manager.magics["cell"].pop(MAGIC, None)


def _profiled(ipython: Any, name: str, cell: str) -> MadeReportResult | None:
    """Return the report of a cell; None if it raised, which IPython has shown by then."""
    from IPython.core.error import UsageError  # noqa: PLC0415 there only where there is a notebook

    try:
        if name and not name.isidentifier():
            raise OptionError(f'"{name}" is no name of a variable', option="%%tfprof", advice="write %%tfprof NAME")
        with TemporaryDirectory(prefix="tfprof-report-") as scratch:
            folder = Path(scratch, "profile")
            run = capture(folder)
            run.begin()
            is_done = False
            try:
                is_done = ipython.run_cell(cell).success
            finally:
                run.end(save=is_done)
            if not is_done:
                return None
            report = make_report(folder, label="cell", config="none")
    except TfprofReportError as error:
        raise UsageError(str(error)) from error  # which IPython shows as one line, without a traceback
    if name:
        ipython.user_ns[name] = report
    return report
