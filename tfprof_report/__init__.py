"""Offline reports of a TensorFlow model's FLOPs, parameters, memory and time, and of what a change did to them."""

from __future__ import annotations

__version__: str


def __getattr__(name: str) -> str:
    """Look up ``__version__`` on first use only: the lookup takes a tenth of the time of ``--help``."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import version  # noqa: PLC0415 (slow)

    return version("tfprof-report")
