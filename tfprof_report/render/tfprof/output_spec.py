"""Parses tfprof's ``--output TYPE:key=value,...`` and the older ``--dump-to-file``.

The rules are tfprof's: the type ends at the first ``:``, the rest is split at ``,`` and each part at ``=``; empty parts
are dropped. Two more types are ours: folded stacks and speedscope.
"""

from __future__ import annotations

from enum import StrEnum

from tfprof_report.errors import OptionError
from tfprof_report.record import record
from tfprof_report.semantics import Semantics


class OutputType(StrEnum):
    """The format or destination of a view."""

    STDOUT = "stdout"
    FILE = "file"
    TIMELINE = "timeline"
    PPROF = "pprof"
    NONE = "none"
    FOLDED = "folded"
    SPEEDSCOPE = "speedscope"

    @property
    def is_file(self) -> bool:
        """Whether the output is a file, named by ``outfile``."""
        return self not in (OutputType.STDOUT, OutputType.NONE)


NATIVE = ("file", "none", "pprof", "stdout", "timeline")
"""The types of tfprof itself."""


@record
class OutputSpec:
    """A parsed ``--output``.

    type : format or destination
    outfile : the file, as given; ``""`` for stdout and none. A timeline appends ``_STEP`` to it.
    notes : lines that the native tool prints on standard error about the deprecated ``--dump-to-file``
    """

    type: OutputType = OutputType.STDOUT
    outfile: str = ""
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the spec as the ``-output`` line of tfprof's frame shows it: ``stdout:``, ``file:outfile=P``."""
        return f"{self.type}:outfile={self.outfile}" if self.type.is_file else f"{self.type}:"


class RefusedOutputError(OptionError):
    """An invalid or unsupported output; `native` is what tfprof prints on standard error, without any result."""

    def __init__(self, problem: str, *, native: str, advice: str | None = None) -> None:
        super().__init__(problem, option="--output", advice=advice)
        self.native = native


def native_refusal(error: RefusedOutputError, semantics: Semantics) -> str:
    """Return what tfprof prints on standard error instead of the output.

    Raises
    ------
    RefusedOutputError
        `error` itself, unless the semantics turn it into an empty result.
    """
    if not semantics.refused_output_is_empty:
        raise error
    return error.native


def parse_output(output: str, dump_to_file: str = "") -> OutputSpec:
    """Return the spec of ``--output`` (``""`` is stdout) and ``--dump-to-file``, which overrides it.

    Raises
    ------
    RefusedOutputError
        The type or a key is unknown, a pair is not ``key=value``, or the file is missing.
    """
    word, _, pairs = (output or OutputType.STDOUT).partition(":")
    if word not in tuple(OutputType):
        raise RefusedOutputError(
            f'"{word}" is not a type of output',
            native=f"INVALID_ARGUMENT: E.g. Unknown output type: {word}, Valid types: {','.join(NATIVE)}\n",
            advice=f"choose from {', '.join(OutputType)}",
        )
    kind, outfile = OutputType(word), ""
    for pair in filter(None, pairs.split(",")):
        key, *values = [part for part in pair.split("=") if part] or [""]
        if not values:
            raise RefusedOutputError(
                f'"{pair}" is not key=value',
                native="INVALID_ARGUMENT: Visualize format: -output timeline:key=value,key=value,...",
                advice="write --output TYPE:outfile=FILE; the name of the file cannot have a comma or be empty",
            )
        if key != "outfile" or not kind.is_file:
            raise RefusedOutputError(
                f'{kind} takes no "{key}"',
                native=f"INVALID_ARGUMENT: Unrecognized options {key} for output_type: {kind}\n",
                advice="the only key is outfile, for " + ", ".join(each for each in OutputType if each.is_file),
            )
        outfile = "=".join(values)
    if kind.is_file and not outfile:
        raise RefusedOutputError(
            f"{kind} needs a file",
            native=f"INVALID_ARGUMENT: Missing required output_options for {kind}\nE.g. -output {kind}:outfile=...\n",
            advice=f"write --output {kind}:outfile=FILE",
        )
    if not dump_to_file:
        return OutputSpec(type=kind, outfile=outfile)
    given = output or OutputType.STDOUT
    return OutputSpec(
        type=OutputType.FILE,
        outfile=dump_to_file,
        notes=(
            "-dump_to_file option is deprecated. Please use -output file:outfile=<filename>",
            f"-output {given} is overwritten with -output file:outfile={dump_to_file}",
        ),
    )
