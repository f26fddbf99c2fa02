"""Commands that compute with Arrow. They do without what pyarrow imports, but no command needs."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from tfprof_report.cli.help import GroupedCommand
from tfprof_report.cli.memory import keep_freed_memory


class ArrowCommand(GroupedCommand):
    """A command that imports pyarrow."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command, without pandas and pyarrow's data sets unless it needs them."""
        keep_freed_memory()
        start_no_blas_threads()
        leave_pandas_out()
        leave_datasets_out()
        return super().invoke(ctx)


def leave_pandas_out() -> None:
    """Let pyarrow find no pandas when it looks for it, which it does once, for the type of an argument.

    Importing pandas takes longer than a small report. Only in a process of our own, where no argument is an object of
    pandas: a conversion to pandas imports it all the same, and from then on pyarrow knows its objects.
    """
    if "pandas" in sys.modules:
        return
    import pyarrow as pa

    with _without("pandas"):
        pa.array([])


def leave_datasets_out() -> None:
    """Let the part of pyarrow that groups rows do without data sets, whose import takes a twentieth of a small report.

    `pyarrow.acero` puts a stand-in in their place, since Arrow can be built without them.
    """
    if "pyarrow.acero" in sys.modules or "pyarrow.dataset" in sys.modules:
        return
    with _without("pyarrow.dataset"):
        import_module("pyarrow.acero")


def start_no_blas_threads() -> None:
    """Let numpy and scipy start no threads for linear algebra, which no command needs; call it before their import.

    Each starts one thread a core, which waits actively at first: a twentieth of a small report on two cores.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


@contextmanager
def _without(module: str) -> Iterator[None]:
    """Let a module be not installed, in the block."""
    finder = _Finder(module)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


class _Finder:
    """A finder of modules (`importlib.abc.MetaPathFinder`) for which one is not installed."""

    def __init__(self, missing: str) -> None:
        self._missing = missing

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        """Return None, so that the next finder looks; raise ModuleNotFoundError for the one."""
        del path, target
        if name == self._missing:
            raise ModuleNotFoundError(name=name)
