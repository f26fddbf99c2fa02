"""The names of the files in a report folder."""

from __future__ import annotations

from tfprof_report.schema.tables import TABLES

HTML = "report.html"
MARKDOWN = "report.md"

SUMMARY = "summary.json"
"""Written last, with the digests of all other files."""

VERDICT = "verdict.json"
"""The outcome for programs; with ``--only-if-changed`` it is the only file if nothing changed."""

UNFINISHED = ".tfprof-report.unfinished"
"""The hidden folder in a report folder where a run keeps files until the report is finished."""


def table_file(table: str) -> str:
    """Return the name of the file of a table.

    Raises
    ------
    KeyError
        There is no such table in `TABLES`.
    """
    if table not in TABLES:
        raise KeyError(table)
    return f"{table}.parquet"


OURS = frozenset((HTML, MARKDOWN, VERDICT, *map(table_file, TABLES)))
"""All files that a report may have besides its summary; those of an earlier report are removed with it."""
