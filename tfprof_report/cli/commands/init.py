"""The command `init`: write a first rules file and the recipe of a CI host, or print a profiling program."""

from __future__ import annotations

import os
import subprocess
from importlib.resources import files
from pathlib import Path

from tfprof_report.cli.config.file import find_rules_file
from tfprof_report.cli.console import echo
from tfprof_report.cli.params.small_commands import InitValues
from tfprof_report.errors import OptionError, OutputError, one_line
from tfprof_report.record import record
from tfprof_report.render.files.atomic import replace_files
from tfprof_report.vocabulary import Host, Snippet

_PACKAGE = "tfprof_report.recipes"


_GIT_SECONDS = 10


@record
class Recipe:
    """The recipe of a CI host.

    title : name of the host
    files : target path in the repository, and file of the package, for each file
    marks : files and folders that show that a repository uses the host
    domains : parts of the host names of its git servers
    steps : what the user has to do after the files are written
    """

    title: str
    files: dict[str, str]
    marks: tuple[str, ...]
    domains: tuple[str, ...]
    steps: tuple[str, ...]


RECIPES = {
    Host.GITHUB: Recipe(
        title="GitHub Actions",
        files={
            ".github/actions/tfprof-report/action.yml": "github/actions/tfprof-report/action.yml",
            ".github/workflows/tfprof-report.yml": "github/workflows/tfprof-report.yml",
            ".github/workflows/tfprof-report-comment.yml": "github/workflows/tfprof-report-comment.yml",
            ".github/workflows/tfprof-report-history.yml": "github/workflows/tfprof-report-history.yml",
        },
        marks=(".github/workflows",),
        domains=("github",),
        steps=(
            "Comments on pull requests and the history start when their workflows are on the default branch.",
            "For the history as a page of GitHub Pages, set the variable TFPROF_PAGES of the repository to true.",
        ),
    ),
    Host.GITLAB: Recipe(
        title="GitLab",
        files={".gitlab/tfprof-report.yml": "gitlab/tfprof-report.yml"},
        marks=(".gitlab-ci.yml", ".gitlab"),
        domains=("gitlab",),
        steps=(
            "Include it in .gitlab-ci.yml:  include: [{local: .gitlab/tfprof-report.yml}]",
            "For a baseline and the history every night, add a pipeline schedule of the default branch.",
            "For a summary of the week, add another one, with the variable TFPROF_WEEKLY=true.",
            "Protect the default branch and tags of its name: only its pipelines may write baselines.",
        ),
    ),
    Host.JENKINS: Recipe(
        title="Jenkins",
        files={"tfprof-report.Jenkinsfile": "jenkins/Jenkinsfile"},
        marks=("Jenkinsfile",),
        domains=(),
        steps=(
            "Make a multibranch pipeline whose script path is tfprof-report.Jenkinsfile.",
            "Make the folder /srv/tfprof-baselines on the agents, for the user that Jenkins runs as.",
        ),
    ),
    Host.AZURE: Recipe(
        title="Azure Pipelines",
        files={".azure-pipelines/tfprof-report.yml": "azure/tfprof-report.yml"},
        marks=("azure-pipelines.yml", ".azure-pipelines"),
        domains=("dev.azure.com", "visualstudio.com"),
        steps=("Make a pipeline from the file; in Azure Repos, also a build validation policy of the branch.",),
    ),
}


RULES_FILE, ACKNOWLEDGED = "tfprof-report.toml", "tfprof-acknowledged.toml"


_SNIPPETS = {
    Snippet.TF1: "tf1_session.py",
    Snippet.TF_FUNCTION: "tf_function.py",
    Snippet.KERAS: "keras_model.py",
    Snippet.JAX: "jax_step.py",
}


def read_recipe(name: str) -> str:
    """Return the text of a file of the package."""
    return (files(_PACKAGE) / name).read_text(encoding="utf-8")


def read_snippet(snippet: Snippet) -> str:
    """Return the text of a program that profiles a model."""
    return read_recipe(f"snippets/{_SNIPPETS[snippet]}")


def top_of(folder: Path) -> Path:
    """Return the top folder of the repository that `folder` is in, `folder` itself if it is in none."""
    return next((each for each in (folder, *folder.parents) if (each / ".git").exists()), folder)


def hosts_of(top: Path) -> dict[Host, str]:
    """Return the hosts that a repository uses, each with the file or folder that shows it, else with its git server."""
    shown = {host: mark for host, recipe in RECIPES.items() for mark in recipe.marks if (top / mark).exists()}
    if shown:
        return shown
    server = _server_of(top)
    return {host: server for host, recipe in RECIPES.items() if any(word in server for word in recipe.domains)}


def _server_of(top: Path) -> str:
    """Return the server of the remote `origin`, without user and password; ``""`` if there is none."""
    try:
        done = subprocess.run(  # noqa: S603 (only the folder is variable)
            ["git", "-C", str(top), "config", "--get", "remote.origin.url"],  # noqa: S607 (git from the user's PATH)
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=_GIT_SECONDS,
        )
    except (OSError, subprocess.SubprocessError):  # git is not installed, or takes too long
        return ""
    address = done.stdout.strip().lower().partition("://")[2] or done.stdout.strip().lower()
    return address.partition("/")[0].rpartition("@")[2].partition(":")[0]


_PROGRAM = "profile_model.py"


_PROGRAM_STEPS = (
    f"Write the program {_PROGRAM}, which writes the files of the model into a folder; to begin with:",
    *(f"  tfprof-report init --snippet {snippet} > {_PROGRAM}" for snippet in Snippet),
)


_INSTALL_STEP = "In the recipe, see the lines below Yours: what to install, and where the wheel of tfprof-report is."


def set_up(values: InitValues) -> None:
    """Print a snippet, or write the rules file and the recipe and print the next steps."""
    if values.snippet is not None:
        echo(read_snippet(values.snippet), nl=False)
        return
    try:
        top = top_of(Path.cwd())
    except OSError as error:
        raise OutputError("cannot be read", file="the current folder", advice="go to a folder that is there") from error
    host, why = (values.host, "--host") if values.host is not None else _only_host(top)
    recipe = RECIPES[host]
    echo(f"Host      {recipe.title} ({one_line(why)})")
    rules = find_rules_file()
    if rules is not None and Path(rules).resolve() != (top / RULES_FILE).resolve():  # with both, only one would be used
        echo(f"Kept      {rules}, which is a rules file")
        targets = recipe.files
    else:
        targets = {RULES_FILE: RULES_FILE, ACKNOWLEDGED: ACKNOWLEDGED, **recipe.files}
    for target, name in targets.items():
        is_there = os.path.lexists(top / target)  # also true for a broken link
        if is_there and not values.force:
            echo(f"Kept      {target}, which exists; --force replaces it")
            continue
        _write(top / target, read_recipe(name))
        echo(f"{'Replaced' if is_there else 'Written':<10}{target}")
    echo("Next")
    for step in (*(() if (top / _PROGRAM).exists() else _PROGRAM_STEPS), _INSTALL_STEP, *recipe.steps):
        echo(f"  {step}")


def _only_host(top: Path) -> tuple[Host, str]:
    """Return the host of a repository, and the file, folder or server that shows it.

    Raises
    ------
    OptionError
        There is no such host, or more than one.
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
        replace_files(path.parent, {path.name: [text.encode()]})
    except OSError as error:
        raise OutputError(
            f"cannot be written ({error.strerror or error})", file=str(path), advice="check what is there"
        ) from error
