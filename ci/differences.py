"""Write docs/differences.md: what the native tool does that users do not expect, and what this tool does instead.

    python ci/differences.py            (a test compares the file with the output of this script)

Rows with a switch come from the table in ``tfprof_report/semantics.py``; the others, which are the same under all
semantics, from `ALIKE` below. The numbers are stable: other pages and commit messages use them.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

from tfprof_report.semantics import Semantics

TARGET = Path(__file__).resolve().parent.parent / "docs" / "differences.md"

ALIKE: dict[int, tuple[str, str]] = {
    20: (
        "code view crashes if max_depth is 0 or less, or a trim pattern matches `_TFProfRoot`",
        "the root alone is shown",
    ),
    21: (
        "code view and advise crash if call stacks are announced but no node has a frame, or only gradients have",
        "without any frame the same message as without call stacks; gradients without a forward node are counted",
    ),
    22: (
        "code view raises if a call stack names a string that the op log lacks; the Python layer drops all of a user's",
        "a placeholder such as `file#7` is shown instead",
    ),
    23: ("a graph node or op type called `_TFProfRoot` crashes the tool", "it is a node like any other"),
    24: (
        "very deep graphs overflow the stack: a chain of 50,000 nodes crashes",
        "no view recurses; text is written in pieces",
    ),
    25: (
        "adding an empty RunMetadata, a second Profiler from a file, and a query without a profiler abort the process",
        "each works or raises an exception",
    ),
    26: ("serializing a graph raises if an input names no node", "the input is left out and counted in a warning"),
    27: (
        "100 or more nested rows make the Python layer print an error and return nothing",
        "results are complete, however many rows there are",
    ),
    28: (
        "long function names are cut in the middle of a multi-byte character, which makes the result unreadable",
        "names are cut between characters",
    ),
    29: (
        "the one-shot interface reads a text GraphDef as an empty graph",
        "text, binary and gzip are recognised by content",
    ),
    34: (
        "counting FLOPs of Conv2DBackprop* divides by the last dimension; if it is zero, the process aborts",
        "the op has 0 FLOPs",
    ),
    35: (
        "a MatMul of m x k by k x n counts 2mnk FLOPs: multiply and add apart, with one add more than there is",
        "the same convention, stated next to each figure",
    ),
    37: (
        "functions of the library (tf.function, cond, while_loop) are ignored: their FLOPs are missing",
        "text commands ignore them too; reports inline them, and count loops by their iterations",
    ),
    44: (
        "text has no unit above MB and seconds, and 999,995 prints as `1000.00k`",
        "text commands print the same; reports choose their units by themselves and keep the exact figure",
    ),
    45: (
        "memory is what kernels request, summed over a step: far more than is ever held at once",
        "the same figure, called requested memory; reports add device_peak_bytes, the larger of its two sources",
    ),
    46: (
        "CPU time of a GPU op includes the wait for the GPU, so it may exceed the accelerator time",
        "the same figure, with its definition next to it",
    ),
    47: (
        "--account_type_regexes of the command line sets the start patterns, and the help names a wrong flag",
        "every option does what its name says",
    ),
    49: (
        "every record without a start time prints a separate line",
        "one note says how many there are; they count for neither time nor memory, as in the native tool",
    ),
    50: (
        "times are sums over nodes, which run at the same time: nothing says how long a step takes",
        "the same figure, called op time; reports add wall_micros, from the first start to the last end of a step",
    ),
}
"""Rows without a switch: what the native tool does, and what this tool does under any semantics."""

HEADER = """\
# Differences from the native tool

Written by `ci/differences.py` from the table of switches; do not edit.

tfprof has behaviours that its users do not expect. Under `--semantics tfprof`, the default of the text commands, they
are kept, so that the output is byte for byte the same; under `--semantics corrected`, the default of reports, numbers
mean what users expect. Each behaviour that changes a number, a row or a text has its own switch in
`tfprof_report/semantics.py`. Behaviours that crash the native tool are kept under neither.

| # | the native tool | under tfprof | under corrected | switch |
| ---: | --- | --- | --- | --- |
"""

OTHERS = """
## Without a number

Further behaviours, each with its switch.

| the native tool | under tfprof | under corrected | switch |
| --- | --- | --- | --- |
"""


def render() -> str:
    """Return the page: a line for each switch and each row without a switch, ordered by number."""
    numbered: list[tuple[int, str]] = []
    others = []
    for switch in dataclasses.fields(Semantics):
        number, native, corrected = (switch.metadata[key] for key in ("number", "native", "corrected"))
        cells = f"{_cell(native)} | the same | {_cell(corrected)} | `{switch.name}` |\n"
        if number is None:
            others.append(f"| {cells}")
        else:
            numbered.append((number, f"| {number} | {cells}"))
    for number, (native, ours) in ALIKE.items():
        numbered.append((number, f"| {number} | {_cell(native)} | {_cell(ours)} | the same | |\n"))
    numbered.sort(key=lambda row: row[0])
    return HEADER + "".join(line for _, line in numbered) + OTHERS + "".join(others)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    TARGET.write_text(render(), encoding="utf-8")
