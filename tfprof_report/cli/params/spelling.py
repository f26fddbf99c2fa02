"""tfprof's spelling of options, translated: with underscores, one dash, a boolean without its value."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import fields

from tfprof_report.old_names import Place, now
from tfprof_report.options import Options, flag

TRUE_WORDS, FALSE_WORDS = ("true", "t", "yes", "y", "1"), ("false", "f", "no", "n", "0")

_OTHERS = ("output", "dump_to_file", "graph_path", "run_meta_path", "op_log_path", "checkpoint_path", "profile_path")
TFPROF = frozenset(flag(name) for name in (*(field.name for field in fields(Options)), *_OTHERS))
"""The options of tfprof's command line."""


def spell(arguments: Sequence[str]) -> list[str]:
    """Return the arguments as typer takes them: ``--max_depth`` as ``--max-depth``, a bare boolean with ``=true``.

    Options of tfprof may have one dash, as in its console; those of its earlier releases too, for the error about them.
    """
    spelt: list[str] = []
    for at, argument in enumerate(arguments):
        if argument == "--":
            return [*spelt, *arguments[at:]]
        name, equals, value = argument.partition("=")
        if re.fullmatch("-[a-z].*", name) and (flag(name[1:]) in TFPROF or now(Place.OPTION, name) is not None):
            name = flag(name[1:])
        if name.startswith("--"):
            name = name.replace("_", "-")
            following = arguments[at + 1].lower() if at + 1 < len(arguments) else ""
            if name == "--account-displayed-op-only" and not equals and following not in (*TRUE_WORDS, *FALSE_WORDS):
                equals, value = "=", "true"
        spelt.append(name + equals + value)
    return spelt
