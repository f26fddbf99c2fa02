"""What an earlier batch made already: a receipt beside the reports, under a key of all that a report depends on."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from tfprof_report import __version__
from tfprof_report.batch.entry import Entry, Target
from tfprof_report.batch.input_files import digest_of
from tfprof_report.record import record
from tfprof_report.report.models import INDEX_FOLDER
from tfprof_report.report.store.local import LocalPlace
from tfprof_report.report.store.place import Place
from tfprof_report.schema.files import SUMMARY
from tfprof_report.schema.metrics import COUNTING_VERSION, SCHEMA_VERSION

HIDDEN = ".tfprof-report.batch"
"""The folder in the output folder with the receipts of its reports and the lock of the batch that writes it."""

_ODD = (AttributeError, LookupError, RecursionError, TypeError, ValueError)


@record
class Made:
    """A report that is there: its path in the place, its summary, and the batch that made it (`Task.batch`)."""

    path: str
    summary: bytes
    batch: str

    @property
    def verdict(self) -> dict[str, Any]:
        """Return the verdict that the summary has: ``outcome``, ``text`` and ``exit_code``."""
        found: dict[str, Any] = json.loads(self.summary)["verdict"]
        return found


def folder_place(folder: str) -> LocalPlace:
    """Return the output folder as the place of its reports."""
    return LocalPlace(root=Path(folder).absolute(), name=folder)


def key_of(entry: Entry) -> str | None:
    """Return the key of an entry, which is that of another report if any byte of it may differ; None if unknown.

    It is the SHA-256 over the command line, the bytes of all files that it depends on, the commit and the command that
    make its inputs, and the versions of the tool and of what it counts. The time of the report is not in it.

    Raises
    ------
    OSError
        A file cannot be read.
    """
    if entry.inputs is None:
        return None
    facts = {
        "versions": [__version__, SCHEMA_VERSION, COUNTING_VERSION],
        "command": list(entry.command),
        "inputs": [[path, digest_of(path)] for path in entry.inputs],
        **({"made_by": [entry.checkout.commit, entry.checkout.command]} if entry.checkout else {}),
    }
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def find_made(place: Place, target: Target, entry: Entry, key: str) -> Made | None:
    """Return the report of an entry if it is there, whole, and was made under this key.

    Raises
    ------
    OSError
        The place cannot be read.
    """
    try:
        receipt = json.loads(place.read(_receipt(target, entry, key)))
        path, digest, batch = (str(receipt[name]) for name in ("report", "summary", "batch"))
        summary = place.read(f"{path}/{SUMMARY}")
    except FileNotFoundError:
        return None
    except _ODD:
        return None
    return Made(path=path, summary=summary, batch=batch) if _is_whole(place, path, summary, digest) else None


def note_made(place: Place, target: Target, entry: Entry, key: str, made: Made) -> None:
    """Write the receipt of a report; OSError if the place cannot be written."""
    receipt = {"report": made.path, "summary": hashlib.sha256(made.summary).hexdigest(), "batch": made.batch}
    place.write(_receipt(target, entry, key), json.dumps(receipt).encode())


def _receipt(target: Target, entry: Entry, key: str) -> str:
    """Return the path of a receipt; in a store it is one of the hidden files of the index.

    In a folder, entries with the same inputs and options have a report each: their folders differ.
    """
    return (
        f"{INDEX_FOLDER}/{entry.model}/_{key}.json" if target.store is not None else f"{HIDDEN}/{entry.name}/{key}.json"
    )


def _is_whole(place: Place, path: str, summary: bytes, digest: str) -> bool:
    """Return whether a report has the summary of its receipt, and all its files with the sizes that this lists."""
    if hashlib.sha256(summary).hexdigest() != digest:
        return False
    with suppress(*_ODD):
        listed = {str(name): int(file["bytes"]) for name, file in json.loads(summary)["files"].items()}
        there = {"/".join(parts): size for parts, size in place.sizes(path).items()}
        return all(there.get(name) == size for name, size in listed.items())
    return False
