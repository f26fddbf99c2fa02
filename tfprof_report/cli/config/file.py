"""Find and read the rules file, and use its values where the command line sets none."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tfprof_report.cli.config.gate_tables import OfModels
from tfprof_report.cli.config.keys import values_of
from tfprof_report.cli.params.declare import Parsed, Values
from tfprof_report.cli.params.model_options import FILES
from tfprof_report.compare.bounds.speeds import DeviceSpeed
from tfprof_report.compare.gates.policy import Gate
from tfprof_report.errors import OptionError, shown
from tfprof_report.options import flag
from tfprof_report.record import record
from tfprof_report.toml_file import content_error, read_bytes, read_toml

OPTION = "--config"
NO_FILE = "none"
"""In place of a rules file: not even the one that is found."""

_OWN, _PROJECT = "tfprof-report.toml", "pyproject.toml"
_TABLES = ("tfprof_report", "tfprof-report")

_SIDES = tuple(
    (f"{side}.source", several, *(f"{side}.{kind}" for kind in FILES))
    for side, several in (("head", "models.model"), ("base", "models.base_model"))
)
"""Fields that name the inputs of each side. If the command line sets one of a side, the file's are all ignored."""


@record
class RulesFile:
    """The content of a rules file.

    values : values for fields of `ReportValues`, by their path, in the form that the command line has
    gates : its gates; the default gates, if it has no key ``gates``
    devices : what devices can do at most
    owner : who to ask about gates that name nobody else; empty if nobody is named
    """

    path: str
    values: Mapping[str, Any]
    gates: tuple[OfModels[Gate], ...]
    devices: tuple[DeviceSpeed, ...] = ()
    owner: str = ""

    @property
    def models(self) -> tuple[str, ...]:
        """Return the names of the models that the file lists."""
        return tuple(text.partition("=")[0] for text in self.values.get("models.model", ()))


@record
class AppliedRules:
    """The rules file of a command, if there is one, and the parameters whose values come from it."""

    file: RulesFile | None = None
    params: frozenset[str] = frozenset()

    @property
    def path(self) -> str | None:
        """Return the path of the file; None if there is no file."""
        return self.file.path if self.file else None

    @property
    def gates(self) -> tuple[OfModels[Gate], ...]:
        """Return the gates of the file."""
        return self.file.gates if self.file else ()

    @property
    def devices(self) -> tuple[DeviceSpeed, ...]:
        """Return what devices can do at most; nothing if there is no file."""
        return self.file.devices if self.file else ()

    @property
    def owner(self) -> str:
        """Return who to ask about the gates of the command line; empty if the file names nobody."""
        return self.file.owner if self.file else ""


def find_rules_file() -> str | None:
    """Return the rules file in the current folder, or in the nearest parent within the same repository."""
    try:
        here = Path.cwd()
    except OSError:  # the folder was removed
        return None
    folders = [here, *here.parents]
    top = next((at for at, folder in enumerate(folders) if os.path.lexists(folder / ".git")), 0)
    for up in range(top + 1):
        for name in (_OWN, _PROJECT):
            path = os.path.join(*[os.pardir] * up, name)  # noqa: PTH118 (a Path has no ..)
            if os.path.lexists(path) and (name == _OWN or _is_ours(path)):
                return path
    return None


def _is_ours(project: str) -> bool:
    """Return whether a pyproject.toml has a table for this tool; it is parsed only if the name occurs in it."""
    if not re.search(rb"tfprof[_-]report", read_bytes(project, None)):
        return False
    return _table_of(read_toml(project, None), project) is not None


def read_rules_file(path: str, option: str | None) -> RulesFile:
    """Return the content of a rules file; `option` is the option that named it, if any.

    Raises
    ------
    OptionError
        The file cannot be read, is not TOML, or does not match the schema.
    """
    from tfprof_report.cli.config.device_tables import speeds_of
    from tfprof_report.cli.config.gate_tables import gates_of
    from tfprof_report.cli.config.schema import problem

    document, prefix = read_toml(path, option), ""
    if Path(path).name == _PROJECT:
        table = _table_of(document, path)
        if table is None:
            raise OptionError("has no table [tool.tfprof_report]", file=path, option=option, advice="add one")
        document, prefix = table, "tool.tfprof_report."
    wrong = problem(document, prefix)
    if wrong:
        raise content_error(wrong, path, option)
    folder = os.path.dirname(path)  # noqa: PTH120 (a Path of "" is ".")
    values = values_of(document, folder)
    gates = gates_of(document.get("gates"), shown(path), document.get("owner", ""), folder)
    devices = speeds_of(document, shown(path))
    return RulesFile(path=shown(path), values=values, gates=gates, devices=devices, owner=document.get("owner", ""))


@contextmanager
def rules_applied(parsed: Parsed[Values]) -> Iterator[tuple[Values, AppliedRules]]:
    """Yield the values of a command, completed from the rules file, and that file.

    Raises
    ------
    OptionError
        The file is wrong. An error raised inside the `with` block that names an option set by the file is raised
        again with the name of the file.
    """
    rules = _chosen(parsed.values["job.gates.config"])
    if rules is None:
        yield parsed.make(), AppliedRules()
        return
    taken = {path for side in _SIDES if not parsed.given.isdisjoint(side) for path in side}
    used = {
        path: value
        for path, value in rules.values.items()
        if path in parsed.names.keys() - parsed.given and path not in taken
    }
    names = frozenset(parsed.names[path] for path in used)
    try:
        yield parsed.make(used), AppliedRules(file=rules, params=names)
    except OptionError as error:
        text = str(error)
        if rules.path in text or not any(re.search(rf"{flag(name)}(?![\w-])", text) for name in names):
            raise
        raise OptionError(text, file=rules.path, details=error.details) from error


def _chosen(config: str | None) -> RulesFile | None:
    """Return the rules file that the command line names, or else the one that is found."""
    if config == NO_FILE:
        return None
    path = config if config is not None else find_rules_file()
    return read_rules_file(path, OPTION if config is not None else None) if path is not None else None


def _table_of(project: Mapping[str, Any], path: str) -> dict[str, Any] | None:
    """Return the table of this tool in a pyproject.toml, None if there is none."""
    tools = project.get("tool")
    found = [name for name in _TABLES if name in tools] if isinstance(tools, dict) else []
    if not isinstance(tools, dict) or not found:
        return None
    if len(found) > 1:
        raise OptionError(f"tool.{found[1]} is given twice, also as {found[0]}", file=path)
    table = tools[found[0]]
    if not isinstance(table, dict):
        raise OptionError(
            f"tool.{found[0]} is not a table", file=path, advice=f"begin it with a line [tool.{found[0]}]"
        )
    return table
