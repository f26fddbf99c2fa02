"""The pages of commands: what ``--help`` says of each, in its groups."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from reference_pages.markdown import block, code, page, plain, table
from tfprof_report.cli.call import command_line

_DEFAULT = re.compile(r" \[default: (?P<default>[^\[\]]*)\]$")
_TYPE = re.compile("<(list\\[)?(str|int)\\]?>")
"""What typer shows for a value without a placeholder."""
_OPTION = re.compile(r"(-[\w-]+(?:(?:, | / )-[\w-]+)*)(.*)")
_USUAL = {"argument": "Arguments", "option": "Options"}

_EXPLAINED = {
    **dict.fromkeys(("scope", "graph", "op", "code", "advise", "shell"), "differences"),
    "rules": "flops",
    **dict.fromkeys(("report", "diff"), "gates"),
    **{name: name for name in ("batch", "history", "compare")},
    **dict.fromkeys(("init", "schema"), "rules-file"),
    "accept": "gates",
    "baseline": "baselines",
    "index": "compare",
}
"""The page of docs/ that explains a command."""
_DOCS = Path(__file__).parents[2] / "docs"


def command_pages() -> dict[str, str]:
    """Return the page of each command and of their list, by the path of its file."""
    root: Any = command_line()
    context = typer.Context(root, info_name="tfprof-report", **root.context_settings)
    commands = dict(_commands(root))
    rows = [(f"[{code(name)}](commands/{name}.md)", plain(command.help)) for name, command in commands.items()]
    index = page(
        "Commands",
        plain(root.help),
        table(("command", "what it does"), rows),
        "## For all commands",
        *_parameters(root, context),
        "The program ends with one of these [exit codes](exit-codes.md). `python -m tfprof_report` is the same.",
    )
    pages = {f"commands/{name}.md": _page_of(command, name, context) for name, command in commands.items()}
    return {"commands.md": index, **pages}


def _commands(group: Any) -> Iterator[tuple[str, Any]]:
    return ((name, command) for name, command in group.commands.items() if not command.hidden)


def _page_of(command: Any, name: str, above: Any) -> str:
    """Return the page of a command, with those below it."""
    context = typer.Context(command, info_name=name, parent=above)
    more = f" More: {_link(_EXPLAINED[name])}." if name in _EXPLAINED else ""
    parts = [plain(command.help) + more, *_usage(command, context)]
    for below, each in _commands(command) if hasattr(command, "commands") else ():
        inner = typer.Context(each, info_name=below, parent=context)
        parts += [f"## {code(inner.command_path)}", plain(each.help), *_usage(each, inner, level=3)]
    return page(code(context.command_path), *parts)


def _link(name: str) -> str:
    """Return a link to a page of docs/ under its title."""
    title = (_DOCS / f"{name}.md").read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
    return f"[{title}](../../{name}.md)"


def _usage(command: Any, context: Any, level: int = 2) -> list[str]:
    pieces = " ".join(command.collect_usage_pieces(context))
    return [block(f"{context.command_path} {pieces}"), *_parameters(command, context, level)]


def _parameters(command: Any, context: Any, level: int = 2) -> list[str]:
    """Return a heading and a table for each group of parameters, in the order of the help."""
    groups: dict[str, list[tuple[str, str, str]]] = {_USUAL["argument"]: []}
    for param in command.get_params(context):
        group = getattr(param, "rich_help_panel", None) or _USUAL[param.param_type_name]
        record = param.get_help_record(context)
        if record:
            groups.setdefault(group, []).append(_row(param, *record))
    groups[_USUAL["option"]] = groups.pop(_USUAL["option"], [])  # last, as in the help
    return [part for title, rows in groups.items() if rows for part in (f"{'#' * level} {title}", _table(rows))]


def _table(rows: list[tuple[str, str, str]]) -> str:
    """Return the table of parameters, without the column of defaults if no one has any."""
    if any(default for _, default, _ in rows):
        return table(("name", "default", "meaning"), rows)
    return table(("name", "meaning"), [(name, text) for name, _, text in rows])


def _row(param: Any, names: str, text: str) -> tuple[str, str, str]:
    """Return the row of a parameter: its spellings with its value, its default and its help."""
    found = _DEFAULT.search(text)
    default = found["default"] if found else "required" if param.required else ""
    text = text[: found.start()] if found else text.removesuffix("[required]").rstrip()
    option = _OPTION.fullmatch(names)
    spelt, value = option.groups() if option else names.split(" ", 1)
    spellings = re.split(", | / ", spelt) if option else [spelt.strip("[]")]
    value = _TYPE.sub("", value).strip()
    again = " (repeatable)" if param.multiple and "repeatable" not in text.lower() else ""
    default = plain(default) if " " in default or default in ("", "required") else code(default)
    name = " ".join([", ".join(map(code, spellings)), *([code(value) + again] if value else [])])
    return name, default, plain(text)
