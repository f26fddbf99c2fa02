"""Writes files whole or not at all: a temporary name first, then a rename."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from tfprof_report.errors import OutputError
from tfprof_report.render.html import render_html
from tfprof_report.render.markdown import render_markdown
from tfprof_report.render.parquet import render_parquet, tables_of
from tfprof_report.render.summary import render_summary
from tfprof_report.report.folder import SUMMARY
from tfprof_report.report.model import Report


def write_report(report: Report, folder: str, *, progress: Callable[[str], None] | None = None) -> tuple[str, ...]:
    """Write all files of a report into a folder, the summary last, and return their names.

    A report that was there before is replaced; other files of the folder stay.

    Raises
    ------
    OutputError
        The folder or a file cannot be written.
    """
    renderers: dict[str, Callable[[], bytes]] = {
        "report.html": lambda: render_html(report).encode(),
        "report.md": lambda: render_markdown(report).encode(),
        **{name: partial(render_parquet, table, report) for name, table in tables_of(report).items()},
    }
    target = Path(folder)
    try:
        target.mkdir(parents=True, exist_ok=True)
        _remove_earlier(target, renderers.keys())
        files: dict[str, dict[str, Any]] = {}
        for name, render in renderers.items():
            if progress:
                progress(name)
            data = render()
            write_file(target / name, data)
            files[name] = {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
        write_file(target / SUMMARY, render_summary(report, files).encode())
    except OSError as error:
        raise OutputError(
            f"cannot be written ({error.strerror or error})", file=str(error.filename or folder), option="--out"
        ) from error
    return (*files, SUMMARY)


def write_file(path: Path, data: bytes) -> None:
    """Write a file under a temporary name in its folder, then rename it; nothing is left behind if that fails."""
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(temporary).chmod(0o666 & ~_umask())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _remove_earlier(folder: Path, names: Any) -> None:
    """Make an earlier report incomplete before its files change, and remove those that the new one does not write."""
    summary = folder / SUMMARY
    if not summary.exists():
        return
    try:
        earlier = set(json.loads(summary.read_bytes())["files"])
    except (ValueError, KeyError, TypeError):
        earlier = set()
    summary.unlink()
    for name in earlier - set(names):
        if Path(name).name == name:  # a name of our own, not a path out of the folder
            (folder / name).unlink(missing_ok=True)
