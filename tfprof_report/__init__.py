"""Offline reports of a TensorFlow model's FLOPs, parameters, memory and time, and of what a change did to them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tfprof_report.api.history_result import HistoryResult
    from tfprof_report.api.load import load
    from tfprof_report.api.magic import load_ipython_extension, unload_ipython_extension
    from tfprof_report.api.make import make_diff, make_history, make_report
    from tfprof_report.api.report_result import ReportResult
    from tfprof_report.api.reports_result import ReportsResult
    from tfprof_report.capturing.capture import capture
    from tfprof_report.capturing.keras_callback import keras_callback
    from tfprof_report.errors import BaselineError, InputError, OptionError, OutputError, TfprofReportError

__all__ = [
    "BaselineError",
    "HistoryResult",
    "InputError",
    "OptionError",
    "OutputError",
    "ReportResult",
    "ReportsResult",
    "TfprofReportError",
    "__version__",
    "capture",
    "keras_callback",
    "load",
    "load_ipython_extension",
    "make_diff",
    "make_history",
    "make_report",
    "unload_ipython_extension",
]

__version__ = "0.1.0"
"""Version of the package, which pyproject.toml takes from here: to look it up in its metadata takes longer."""


_LATER = {
    "api.history_result": ("HistoryResult",),
    "api.load": ("load",),
    "api.magic": ("load_ipython_extension", "unload_ipython_extension"),
    "api.make": ("make_diff", "make_history", "make_report"),
    "api.report_result": ("ReportResult",),
    "api.reports_result": ("ReportsResult",),
    "capturing.capture": ("capture",),
    "capturing.keras_callback": ("keras_callback",),
    "errors": ("BaselineError", "InputError", "OptionError", "OutputError", "TfprofReportError"),
}
"""The names of modules that are imported when one of them is first asked for: commands do without them."""


def __getattr__(name: str) -> Any:
    module = next((module for module, names in _LATER.items() if name in names), None)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{module}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
