"""The files of a report folder by name."""

from __future__ import annotations

from tfprof_report.schema.tables import TABLES

HTML = "report.html"
MARKDOWN = "report.md"

SUMMARY = "summary.json"
"""Written last; it holds the digests of all other files."""

VERDICT = "verdict.json"
"""The outcome for machines: all that is written where there is nothing to show and nobody wants to see it."""

OURS = frozenset((HTML, MARKDOWN, VERDICT, *(f"{table}.parquet" for table in TABLES)))
"""Files of a report but its summary. Those that a new report does not write are removed with the earlier one."""
