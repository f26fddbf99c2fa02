"""Offline reports of a TensorFlow model's FLOPs, parameters, memory and time, and of what a change did to them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tfprof_report.capturing.capture import capture
    from tfprof_report.capturing.keras_callback import keras_callback

__all__ = ["__version__", "capture", "keras_callback"]

__version__ = "0.1.0"
"""Version of the package, which pyproject.toml takes from here: to look it up in its metadata takes longer."""


_LATER = {"capture": "tfprof_report.capturing.capture", "keras_callback": "tfprof_report.capturing.keras_callback"}
"""The modules of functions that are imported when they are first asked for: commands do without them."""


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LATER[name]), name)
