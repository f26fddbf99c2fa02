"""Help as plain text under a heading per group: lines are wrapped, never cut off, and `grep` finds every option.

Typer's panels would take twice the time to import and draw as the rest of the command.
"""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup

_USUAL = {"argument": "Arguments", "option": "Options"}


class GroupedCommand(TyperCommand):
    """A command whose help lists its parameters by their ``rich_help_panel``, those without one last."""

    def get_short_help_str(self, limit: int = 0) -> str:
        """Return what the list of commands says of this one: all of its help."""
        del limit
        return self.help or ""

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


class WholeGroup(TyperGroup):
    """A group of commands of which the list that it is in says all."""

    def get_short_help_str(self, limit: int = 0) -> str:
        """Return all of its help."""
        del limit
        return self.help or ""
