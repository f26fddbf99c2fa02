"""All pages of docs/reference by the path of their file."""

from __future__ import annotations

from reference_pages.columns import columns
from reference_pages.commands import command_pages
from reference_pages.exit_codes import exit_codes
from reference_pages.flops_rules import flops_rules
from reference_pages.json_keys import WRITTEN, manifest_keys, rules_file_keys, written_keys
from reference_pages.markdown import page, table

_ROWS = {
    "commands": ("Commands", "every command, argument and option, as `--help` has them"),
    "rules-file": ("Rules file", "every key of `tfprof-report.toml`"),
    "manifest": ("Manifest", "every key of a manifest of `batch`"),
    "columns": ("Columns", "every column of every Parquet file: type, unit and meaning"),
    "summary": ("`summary.json`", "every key: the report without its tables"),
    "verdict": ("`verdict.json`", "every key: the outcome"),
    "history": ("`history.json`", "every key: what moved over commits"),
    "compare": ("`compare.json`", "every key: reports side by side"),
    "batch": ("`batch.json`", "every key: what became of each report"),
    "exit-codes": ("Exit codes", "what a job sees"),
    "flops-rules": ("FLOPs rules", "every op type that is counted: formula and source"),
}


def reference_pages() -> dict[str, str]:
    """Return the Markdown of each page by its path below docs/reference."""
    return {
        "index.md": page("Reference", table(("page", "what is in it"), map(_row, _ROWS))),
        **command_pages(),
        "columns.md": columns(),
        "exit-codes.md": exit_codes(),
        "flops-rules.md": flops_rules(),
        "manifest.md": manifest_keys(),
        "rules-file.md": rules_file_keys(),
        **{f"{name}.md": written_keys(name) for name in WRITTEN},
    }


def _row(name: str) -> tuple[str, str]:
    title, text = _ROWS[name]
    return f"[{title}]({name}.md)", text
