"""Files of recorded traces: small, and the same bytes for the same messages."""

from __future__ import annotations

import gzip
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

HOST_LEVEL = 3


def pack(data: bytes, path: Path) -> None:
    """Write data as a gzip file without a time and a name in it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(data, mtime=0))


def keep_trace(log: Path, folder: Path) -> None:
    """Keep the only trace of a log folder as ``folder/xplane.pb.gz``."""
    (path,) = sorted(log.glob("**/*.xplane.pb"))
    pack(path.read_bytes(), folder / "xplane.pb.gz")


def keep_run(log: Path, folder: Path, run: str) -> None:
    """Keep all traces of the only run of a log folder under their own names, in ``folder/plugins/profile/run``."""
    for path in sorted(log.glob("**/*.xplane.pb")):
        pack(path.read_bytes(), folder / "plugins" / "profile" / run / f"{path.name}.gz")


def keep_message(message: Any, path: Path) -> None:
    """Keep a protobuf message, such as the graph that was run."""
    pack(message.SerializeToString(deterministic=True), path)


@contextmanager
def log_folder() -> Iterator[Path]:
    """Make a folder for a profiler to write to, and remove it in the end."""
    folder = Path(tempfile.mkdtemp(prefix="trace-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder)
