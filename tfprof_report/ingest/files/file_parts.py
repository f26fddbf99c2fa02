"""Reads parts of large files: memory-mapped on this machine, by ranges in a bucket."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tfprof_report.urls import is_url


class FileParts:
    """Files of which parts are read; all methods raise OSError. Objects stay open, since asking for one takes time.

    Who reads an object that is replaced meanwhile gets bytes of both: its parts need checksums.
    """

    def __init__(self) -> None:
        self._opened: dict[str, Any] = {}

    def size_of(self, path: str) -> int:
        """Return the size of a file in bytes."""
        return int(self._object(path).size) if is_url(path) else Path(path).stat().st_size

    def read(self, path: str, start: int, size: int) -> NDArray[np.uint8]:
        """Return `size` bytes of a file, at least one, from `start` on."""
        if is_url(path):
            return np.frombuffer(self._object(path).read(start, size), dtype=np.uint8)
        return np.memmap(path, dtype=np.uint8, mode="r", offset=start, shape=(size,))

    def _object(self, url: str) -> Any:
        if url not in self._opened:
            from tfprof_report.ingest.files.bucket_files import Parts  # noqa: PLC0415 (imports a large part of pyarrow)

            self._opened[url] = Parts(url)
        return self._opened[url]
