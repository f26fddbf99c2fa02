"""What the command `init` does: a first rules file, and the recipe of a CI host."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import typer

from tfprof_report.cli.init import Host, Snippet
from tfprof_report.cli.main import may_be_cut_short
from tfprof_report.cli.recipes import ACKNOWLEDGED, RECIPES, RULES_FILE, hosts_of, read_recipe, read_snippet, top_of
from tfprof_report.cli.rules_file import find_rules_file
from tfprof_report.errors import OptionError, OutputError, one_line
from tfprof_report.render.files import write_beside

_PROGRAM = "profile_model.py"
_PROGRAM_STEPS = (
    f"Write the program {_PROGRAM}, which writes the files of the model into a folder; to begin with:",
    *(f"  tfprof-report init --snippet {snippet} > {_PROGRAM}" for snippet in Snippet),
)
_INSTALL_STEP = "In the recipe, see the lines below Yours: what to install, and where the wheel of tfprof-report lies."


def set_up(values: dict[str, Any]) -> None:
    """Print a snippet, or write the rules file and the recipe, and say what is to be done next."""
    if values["snippet"] is not None:
        with may_be_cut_short():
            typer.echo(read_snippet(values["snippet"]), nl=False)
        return
    try:
        top = top_of(Path.cwd())
    except OSError as error:
        raise OutputError("cannot be read", file="the current folder", advice="go to a folder that is there") from error
    host, why = (values["host"], "--host") if values["host"] is not None else _only_host(top)
    recipe = RECIPES[host]
    typer.echo(f"Host      {recipe.title} ({one_line(why)})")
    rules = find_rules_file()
    if rules is not None and Path(rules).resolve() != (top / RULES_FILE).resolve():  # only one of both would count
        typer.echo(f"Kept      {rules}, which is a rules file")
        targets = recipe.files
    else:
        targets = {RULES_FILE: RULES_FILE, ACKNOWLEDGED: ACKNOWLEDGED, **recipe.files}
    for target, name in targets.items():
        is_there = os.path.lexists(top / target)  # also a link to nowhere
        if is_there and not values["force"]:
            typer.echo(f"Kept      {target}, which is there; --force replaces it")
            continue
        _write(top / target, read_recipe(name))
        typer.echo(f"{'Replaced' if is_there else 'Written':<10}{target}")
    typer.echo("Next")
    for step in (*(() if (top / _PROGRAM).exists() else _PROGRAM_STEPS), _INSTALL_STEP, *recipe.steps):
        typer.echo(f"  {step}")


def _only_host(top: Path) -> tuple[Host, str]:
    """Return the host of a repository, and what shows it.

    Raises
    ------
    OptionError
        It shows none, or several.
    """
    found = hosts_of(top)
    if len(found) == 1:
        return next(iter(found.items()))
    shown = " and ".join(f"{host} ({why})" for host, why in found.items())
    raise OptionError(
        f"the repository shows {shown}" if found else "nothing shows which CI host the repository is on",
        option="--host",
        advice=f"choose from {', '.join(Host)}",
    )


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_beside(path, [text.encode()]).replace(path)
    except OSError as error:
        raise OutputError(
            f"cannot be written ({error.strerror or error})", file=str(path), advice="check what is there"
        ) from error
