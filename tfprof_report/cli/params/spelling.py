"""tfprof's spelling of options, translated: with underscores, and a boolean with or without its value."""

from __future__ import annotations

from collections.abc import Sequence

TRUE_WORDS, FALSE_WORDS = ("true", "t", "yes", "y", "1"), ("false", "f", "no", "n", "0")


def spell(arguments: Sequence[str]) -> list[str]:
    """Return the arguments as typer takes them: ``--max_depth`` as ``--max-depth``, a bare boolean with ``=true``."""
    spelt: list[str] = []
    for at, argument in enumerate(arguments):
        if argument == "--":
            return [*spelt, *arguments[at:]]
        name, equals, value = argument.partition("=")
        if name.startswith("--"):
            name = name.replace("_", "-")
            following = arguments[at + 1].lower() if at + 1 < len(arguments) else ""
            if name == "--account-displayed-op-only" and not equals and following not in (*TRUE_WORDS, *FALSE_WORDS):
                equals, value = "=", "true"
        spelt.append(name + equals + value)
    return spelt
