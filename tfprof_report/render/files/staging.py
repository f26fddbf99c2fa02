"""Collects the files of a report folder, and replaces the earlier report by them as one."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tfprof_report.errors import OutputError
from tfprof_report.render.files.atomic import local_folder
from tfprof_report.render.files.replacement import JournalError, Replacement
from tfprof_report.report.models import folder_problem, listed_models
from tfprof_report.schema.files import OURS, SUMMARY, UNFINISHED, VERDICT

_OPTION = "--out"
_ELSEWHERE = "give a folder that can be written"
_AGAIN = "write the report again, which puts it back first"
_NAMES = (SUMMARY, *sorted(OURS))


def clean_up(folder: str) -> None:
    """Clean up after a run that was killed while it wrote a report into a folder: its earlier report is put back.

    Raises
    ------
    OutputError
        The folder cannot be written, or another run writes the folder.
    """
    with Staging(folder):
        pass


class Staging:
    """Collects the files of the report in `top` and in folders below it; `commit` replaces the earlier report by them.

    Its ``with`` block begins with cleaning up after a run that was killed. Leaving it without a commit, as after an
    error or a signal, leaves the earlier report as it was. The block is around all that makes the report: of two runs
    that write the same folder in that time, one is refused. OutputError if `top` is a URL.
    """

    def __init__(self, top: str) -> None:
        self.top = local_folder(top, option=_OPTION)
        self._files = Replacement(self.top, UNFINISHED, _is_ours)
        self._written: list[Path] = []
        self._earlier: tuple[int, int] | None = None

    def __enter__(self) -> Self:
        if os.path.lexists(self.top / UNFINISHED):
            try:
                self._open()
            finally:
                self._close()
        self._earlier = self._stamp()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def add(self, path: Path, render: Callable[[], bytes]) -> dict[str, Any]:
        """Keep a file for the commit and return its ``{"sha256", "bytes"}``.

        Raises
        ------
        OutputError
            The folder or the file cannot be written, or another run writes the folder.
        """
        self._open()
        with self._as_output_error():
            data = render()
            self._files.stage(path.relative_to(self.top).as_posix(), [data])
        self._written.append(path)
        return {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}

    def clear(self) -> None:
        """Discard the files that are not committed."""
        self._files.discard()
        self._written = []

    def commit(self) -> None:
        """Replace the earlier report by the files, in the order in which they were added; its other files go.

        Model folders of the earlier report are cleared only if its summary lists them with the digest they still have.

        Raises
        ------
        OutputError
            A file cannot be written or removed, or another run writes the folder. The earlier report is whole.
        """
        if not self._written and not self.top.exists():
            return
        self._open()
        with self._as_output_error():
            models = [Path(folder) for folder in listed_models(str(self.top))]
            folders = list(dict.fromkeys((self.top, *(path.parent for path in self._written), *models)))
            # Without its old summary, the first to go, a folder is incomplete until the new one, the last to come.
            earlier = [(folder / name).relative_to(self.top).as_posix() for folder in folders for name in _NAMES]
            kept = {path.parent for path in self._written}
            self._check_alone()
            self._files.commit(earlier, [folder.name for folder in models if folder not in kept])
        self._close()

    def _open(self) -> None:
        if not self._files.is_open:
            with self._as_output_error():
                self._files.open()

    def _check_alone(self) -> None:
        now = self._stamp()
        if now not in (None, self._earlier):
            raise OutputError(
                "another run has written a report there since this one started",
                file=str(self.top),
                option=_OPTION,
                advice="start this one again, or give it another folder",
            )

    def _close(self) -> None:
        with self._as_output_error("the earlier report cannot be put back", _AGAIN):
            self._files.close()

    def _stamp(self) -> tuple[int, int] | None:
        """Return what tells apart the reports that runs write into the folder; None if there is none."""
        try:
            found = (self.top / VERDICT).stat()
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns

    @contextmanager
    def _as_output_error(self, what: str = "cannot be written", advice: str = _ELSEWHERE) -> Iterator[None]:
        try:
            yield
        except BlockingIOError as error:
            raise OutputError(
                "another run is writing a report there",
                file=str(self.top),
                option=_OPTION,
                advice="wait until it has ended, or give another folder",
            ) from error
        except JournalError as error:
            raise OutputError(
                "an earlier run that was killed left what this version cannot read",
                file=str(error),
                option=_OPTION,
                advice=f"remove {UNFINISHED} and what is left of the report",
            ) from error
        except OSError as error:
            names = [str(name) for name in (error.filename2, error.filename) if name]
            visible = next((name for name in names if UNFINISHED not in name), str(self.top))
            raise OutputError(
                f"{what} ({error.strerror or error})",
                file=visible,
                option=_OPTION,
                advice=advice,
            ) from error


def _is_ours(path: str) -> bool:
    """Return whether a relative path can be of a file of a report, or with a slash at its end of a model's folder."""
    folder, slash, name = path.rpartition("/")
    return (not slash or not folder_problem(folder)) and (name in _NAMES or bool(slash and not name))
