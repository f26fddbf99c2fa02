"""Opens the file system of a URL, with short timeouts."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pyarrow as pa
from pyarrow import fs

from tfprof_report.buckets.patience import SILENCE
from tfprof_report.buckets.reasons import first_line
from tfprof_report.errors import OptionError
from tfprof_report.urls import has_credentials, name_of

_CONNECT, _REQUEST, _ATTEMPTS = 2.0, 4.0, 2
"""Seconds to wait for a connection and for the next byte, and how often; by default S3 is given up after 100 s."""

_UNSET = (None, "", -1.0)


def connect(url: str, *, option: str | None, advice: str) -> tuple[fs.FileSystem, str]:
    """Return the file system of a URL, and the path in it.

    Raises
    ------
    OptionError
        Arrow does not support the URL; `option` named it, and `advice` says which to give.
    OSError
        The server failed to answer.
    """
    name = name_of(url)
    try:
        files, path = fs.FileSystem.from_uri(url)
    except (pa.ArrowException, ValueError) as error:
        # Arrow may quote a part of the URL that contains credentials
        words = "" if has_credentials(url) else f" ({first_line(str(error).replace(url, name))})"
        raise OptionError(f"cannot be opened{words}", file=name, option=option, advice=advice) from error
    return _impatient(files), path


def _impatient(files: fs.FileSystem) -> fs.FileSystem:
    """Return the same file system with short timeouts, as far as it has any and the URL gives none."""
    if files.type_name not in ("s3", "gcs"):
        return files
    settings: dict[str, Any] = files.__reduce__()[1][0]  # Arrow's way to copy a file system: arguments of its class
    given = {word: value for word, value in settings.items() if value not in _UNSET}
    if files.type_name == "gcs":
        return fs.GcsFileSystem(**{"retry_time_limit": timedelta(seconds=SILENCE), **given})
    attempts = fs.AwsStandardS3RetryStrategy(max_attempts=_ATTEMPTS)
    limits = {"connect_timeout": _CONNECT, "request_timeout": _REQUEST, "retry_strategy": attempts}
    return fs.S3FileSystem(**given | limits)
