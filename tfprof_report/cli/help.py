"""Help as plain text under a heading per group: nothing is cut off at 80 columns, and `grep` finds every option.

Typer's panels would take twice the time to import and draw as the rest of the command.
"""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand

_USUAL = {"argument": "Arguments", "option": "Options"}


class GroupedCommand(TyperCommand):
    """A command whose help lists its parameters by their ``rich_help_panel``, those without one last."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the parameters, a section per group."""
        groups: dict[str, list[tuple[str, str]]] = {_USUAL["argument"]: []}
        for param in self.get_params(ctx):
            group = getattr(param, "rich_help_panel", None) or _USUAL[param.param_type_name]
            record = param.get_help_record(ctx)
            if record:
                groups.setdefault(group, []).append(record)
        usual = groups.pop(_USUAL["option"])  # --help is always there
        for title, records in (*groups.items(), (_USUAL["option"], usual)):
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)
