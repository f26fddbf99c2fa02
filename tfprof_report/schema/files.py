"""The names of the files in a report folder."""

from __future__ import annotations

from tfprof_report.schema.tables import TABLES

HTML = "report.html"
MARKDOWN = "report.md"

SUMMARY = "summary.json"
"""Written last, with the digests of all other files."""

VERDICT = "verdict.json"
"""The outcome for programs; with ``--only-if-changed`` it is the only file if nothing changed."""

OURS = frozenset((HTML, MARKDOWN, VERDICT, *(f"{table}.parquet" for table in TABLES)))
"""All files that a report may have besides its summary; those of an earlier report are removed with it."""
