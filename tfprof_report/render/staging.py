"""Report folders written whole or not at all: all files under temporary names first, then a rename of each."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tfprof_report.errors import OutputError
from tfprof_report.render.files import write_beside
from tfprof_report.report.folder import SUMMARY, VERDICT
from tfprof_report.report.models import listed_models
from tfprof_report.views.build import VIEWS

_TABLES = [
    *("devices", "memory", "unmatched", "not_counted"),
    *(f"{prefix}{name}" for prefix in ("", "diff_") for name in ("nodes", "steps", *VIEWS)),
]
OURS = frozenset(("report.html", "report.md", VERDICT, *(f"{name}.parquet" for name in _TABLES)))
"""Files of a report but its summary. Those that a new report does not write are removed with the earlier one."""


class Staging:
    """Collects the files of the report in `top` and in folders below it; `commit` puts all in their places.

    Leaving its ``with`` without a commit leaves everything as it was.
    """

    def __init__(self, top: str) -> None:
        self.top = Path(top)
        self._written: dict[Path, Path] = {}
        self._made: set[Path] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.clear()

    def add(self, path: Path, render: Callable[[], bytes]) -> dict[str, Any]:
        """Write a file under a temporary name and return its ``{"sha256", "bytes"}``.

        Raises
        ------
        OutputError
            The folder or the file cannot be written.
        """
        with _refused(path.parent):
            self._made |= {folder for folder in path.parents if not folder.exists()}
            path.parent.mkdir(parents=True, exist_ok=True)
            data = render()
            self._written[path] = write_beside(path, [data])
        return {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}

    def clear(self) -> None:
        """Take back all that was added and is not in its place yet, with the folders that were made for it."""
        for temporary in self._written.values():
            temporary.unlink(missing_ok=True)
        for folder in sorted(self._made, reverse=True):  # those within others first
            with suppress(OSError):  # files are in it
                folder.rmdir()
        self._written, self._made = {}, set()

    def commit(self) -> None:
        """Give all files their names, in the order in which they were added; what is left of an earlier report goes.

        Models of an earlier report go only if its summary lists them and nobody wrote into them since.

        Raises
        ------
        OutputError
            A file cannot be written or removed.
        """
        with _refused(self.top):
            earlier = listed_models(self.top)
            # From here on an earlier report is incomplete, until the summary, which comes last, stands for the new one.
            for folder in dict.fromkeys((self.top, *(path.parent for path in self._written), *earlier)):
                for name in (SUMMARY, *sorted(OURS)):
                    if name == SUMMARY or folder / name not in self._written:
                        (folder / name).unlink(missing_ok=True)
            for path, temporary in self._written.items():
                temporary.replace(path)
        for folder in earlier:
            with suppress(OSError):  # other files are in it, or it is a model of this report
                folder.rmdir()


@contextmanager
def _refused(folder: Path) -> Iterator[None]:
    """Say what went wrong with a file of `folder`."""
    try:
        yield
    except OSError as error:
        raise OutputError(
            f"cannot be written ({error.strerror or error})",
            file=str(error.filename2 or folder),  # the target of a rename; a temporary name would say little
            option="--out",
            advice="give a folder that can be written",
        ) from error
