"""What `baseline pick --json` printed, read back: which commit a baseline is of, and how many commits back that is."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from tfprof_report.clock import time_of
from tfprof_report.errors import InputError, OptionError
from tfprof_report.ingest.files.file_bytes import read_bytes
from tfprof_report.ingest.origin import Origin
from tfprof_report.ingest.paths import InputPaths
from tfprof_report.record import record
from tfprof_report.report.distance import Distance
from tfprof_report.schema.files import SUMMARY

OPTION = "--baseline-info"


@record
class Pick:
    """A picked baseline. `saved` is when it was saved; `digest` the first digits of the SHA-256 of its summary."""

    model: str
    commit: str
    saved: datetime | None
    digest: str
    commits_back: int


@record
class Picks:
    """The picked baselines that the file at `path` describes; none where nothing was found to compare with."""

    path: str
    found: tuple[Pick, ...]

    def of_model(self, name: str) -> Picks:
        """Return those of one of several models."""
        return replace(self, found=tuple(pick for pick in self.found if pick.model == name))

    def of_base(self, base: InputPaths | str) -> Pick | None:
        """Return the one of a base, which is a report folder or files; None if the file describes none.

        Raises
        ------
        OptionError
            The file describes other baselines only.
        """
        if not self.found:
            return None
        name = base if isinstance(base, str) else base.graph or base.profile
        digest = hashlib.sha256(Path(base, SUMMARY).read_bytes()).hexdigest() if isinstance(base, str) else None
        for pick in self.found:
            if digest and digest.startswith(pick.digest):
                return pick
        commits = ", ".join(pick.commit for pick in self.found)
        raise OptionError(
            f"describes the report of commit {commits}, the baseline {name} is another one",
            file=self.path,
            option=OPTION,
            advice="give what baseline pick --json printed for it",
        )


def read_picks(path: str) -> Picks:
    """Return what one or several runs of ``baseline pick --json`` wrote to a file, one after the other.

    Raises
    ------
    InputError
        The file cannot be read, or holds something else.
    """
    data = read_bytes(path, option=OPTION)
    try:
        found = tuple(_pick(each) for each in _documents(data.decode()) if each is not None)
    except (AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        problem, advice = "is not what baseline pick --json prints", "redirect its standard output to the file"
        raise InputError(problem, file=path, option=OPTION, advice=advice, details=repr(error)) from error
    return Picks(path=path, found=found)


def distance_of(base: Origin, head: Origin, pick: Pick | None) -> Distance:
    """Return how far base is from head: the age is that of its report, or else the time since it was saved."""
    made = time_of(base.timestamp) or (pick.saved if pick else None)
    now = time_of(head.timestamp)
    age = (now - made) // timedelta(seconds=1) if made and now else None
    return Distance(
        commits_back=pick.commits_back if pick else None,
        age_seconds=None if age is None or age < 0 else age,
    )


def _documents(text: str) -> Iterator[Any]:
    """Yield the JSON documents of a text that holds one after the other."""
    decoder, text = json.JSONDecoder(), text.strip()
    while text:
        document, end = decoder.raw_decode(text)
        yield document
        text = text[end:].lstrip()


def _pick(document: dict[str, Any]) -> Pick:
    """Return one picked baseline; malformed content raises what the caller catches."""
    model, commit, digest, back = (document[key] for key in ("model", "commit", "digest", "commits_back"))
    if not (isinstance(model, str) and isinstance(commit, str) and isinstance(digest, str) and digest):
        raise TypeError(f"{model!r}, {commit!r} or {digest!r} is not text")
    if isinstance(back, bool) or not isinstance(back, int) or back < 0:
        raise TypeError(f"commits_back is {back!r}")
    return Pick(model=model, commit=commit, saved=time_of(document["saved"]), digest=digest, commits_back=back)
