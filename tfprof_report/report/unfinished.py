"""Report folders whose writing has not ended: that of a run that was killed, or that still runs."""

from __future__ import annotations

import os
from pathlib import Path

from tfprof_report.schema.files import SUMMARY, UNFINISHED

HALF_WRITTEN = "is half written: the run that writes this report was killed, or is still running"
WRITE_AGAIN = "write the report to the same folder again, which cleans up"


def is_half_written(folder: str) -> bool:
    """Return whether a folder has no summary, and what a run keeps beside its report until it is finished.

    For the folder of one of several models that is in the folder above.
    """
    path = Path(os.path.abspath(folder))  # noqa: PTH100 (resolve() would follow links)
    if os.path.lexists(path / SUMMARY):
        return False
    above = path.parent / UNFINISHED
    # os.path.isdir is False for what cannot be entered, where Path.is_dir raises
    return any(map(os.path.isdir, (path / UNFINISHED, above / "new" / path.name, above / "old" / path.name)))
