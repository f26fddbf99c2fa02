"""Commands that compute with Arrow. They do without pandas, which pyarrow would import at the first array it makes."""

from __future__ import annotations

import os
import sys
from typing import Any

from tfprof_report.cli.help import GroupedCommand
from tfprof_report.cli.memory import keep_freed_memory


class ArrowCommand(GroupedCommand):
    """A command that imports pyarrow."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command, without pandas unless it needs it."""
        keep_freed_memory()
        start_no_blas_threads()
        leave_pandas_out()
        return super().invoke(ctx)


def leave_pandas_out() -> None:
    """Let pyarrow find no pandas when it looks for it, which it does once, for the type of an argument.

    Importing pandas takes longer than a small report. Only in a process of our own, where no argument is an object of
    pandas: a conversion to pandas imports it all the same, and from then on pyarrow knows its objects.
    """
    if "pandas" in sys.modules:
        return
    import pyarrow as pa

    sys.meta_path.insert(0, _NoPandas)
    try:
        pa.array([])
    finally:
        sys.meta_path.remove(_NoPandas)


def start_no_blas_threads() -> None:
    """Let numpy and scipy start no threads for linear algebra, which no command needs; call it before their import.

    Each starts one thread a core, which waits actively at first: a twentieth of a small report on two cores.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


class _NoPandas:
    """A finder of modules (`importlib.abc.MetaPathFinder`) for which pandas is not installed."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> None:
        """Return None, so that the next finder looks; raise ModuleNotFoundError for pandas."""
        del path, target
        if name == "pandas":
            raise ModuleNotFoundError(name=name)
