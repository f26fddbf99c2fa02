"""The parameters of the command that sets up a repository. What it does is in `set_up`, behind heavy imports."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from tfprof_report.cli.params import option

_PANEL = "What to write"


class Host(StrEnum):
    """Hosts that there are recipes for, as words of the command line."""

    GITHUB = "github"
    GITLAB = "gitlab"
    JENKINS = "jenkins"
    AZURE = "azure"


class Snippet(StrEnum):
    """Programs that write the profile of a model, as words of the command line."""

    TF1 = "tf1"
    TF_FUNCTION = "tf-function"
    KERAS = "keras"


def init_params() -> dict[str, tuple[Any, Any]]:
    """Return the parameters that say what to write."""
    return {
        "host": option(
            Host | None,
            "--host",
            panel=_PANEL,
            text="CI host to write the recipe of. [default: the one that the repository shows]",
            metavar="|".join(Host),
        ),
        "force": option(bool, "--force", panel=_PANEL, text="Replace files that are there.", default=False),
        "snippet": option(
            Snippet | None,
            "--snippet",
            panel=_PANEL,
            text="Write no file: print a program that writes the profile of a model, of a TF1 session, a tf.function "
            "or a Keras model.",
            metavar="|".join(Snippet),
        ),
    }
