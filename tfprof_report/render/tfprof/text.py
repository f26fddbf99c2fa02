"""tfprof's own text, byte for byte: the option block, the doc lines and the table of a view, streamed.

Cells are built column by column: every distinct number is formatted once.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Floats, Ints, number_distinct, text_of
from tfprof_report.errors import CONTROLS, for_terminal
from tfprof_report.model.values import Measure
from tfprof_report.options import Options
from tfprof_report.semantics import Semantics

CHUNK_ROWS = 20_000
"""Rows rendered at a time: indentation makes the text of a deep tree much larger than its names."""

_VIEW_LINES = {
    "scope": "scope: The nodes in the model graph are organized by their names, which is hierarchical like filesystem.",
    "graph": "graph: The nodes are organized from outputs to inputs, each below the first consumer that leads to it.",
    "code": "code: When python trace is available, the nodes are python lines and their are organized by the python "
    "call stack.",
    "op": "op: The nodes are operation kernel type, such as MatMul, Conv2D. Graph nodes belonging to the same type are "
    "aggregated together.",
}
_CPU = (
    "cpu execution time: The time from the start to the end of the operation. It's the sum of actual cpu run time plus "
    "the time that it spends waiting if part of computation is launched asynchronously."
)
_ACCELERATOR = (
    "accelerator execution time: Time spent executing on the accelerator. This is normally measured by the actual "
    "hardware library."
)
_DOC_LINES = {
    "bytes": ("requested bytes: The memory requested by the operation, accumulatively.",),
    "micros": (
        "total execution time: Sum of accelerator execution time and cpu execution time.",
        _CPU,
        _ACCELERATOR,
    ),
    "accelerator_micros": (_ACCELERATOR,),
    "cpu_micros": (_CPU,),
    "peak_bytes": ("peak bytes: The peak amount of memory that the operation is holding at some point.",),
    "residual_bytes": ("residual bytes: The memory not de-allocated after the operation finishes.",),
    "output_bytes": (
        "output bytes: The memory that is output from the operation (not necessarily allocated by the operation)",
    ),
    "occurrence": ("occurrence: The number of times it occurs",),
    "input_shapes": ("input shape: The shape of input tensors",),
    "device": ("device: which device is placed on.",),
    "float_ops": ("flops: Number of float operations. Note: Please read the implementation for the math behind it.",),
    "macs": ("macs: Number of multiply-adds of convolutions, matrix products and recurrent cells.",),
    "params": ("param: Number of parameters (in the Variable).",),
    "op_types": (
        (
            "op_types: The attributes of the operation, includes the Kernel name device placed on and user-defined "
            "strings."
        ),
    ),
    "tensor_value": ("tensor_value: Not supported now.",),
}
_MISSING_STREAM = (
    "\n\nFound accelerator operation but misses accelerator stream stats!\n\n"
    "It's likely a gpu tracing issue rather than tf-profiler issue.\n"
    "If you found your operation missing accelerator time, consider to post to discuss@tensorflow.org!\n\n"
)
_TITLES = {
    "params": "# parameters",
    "float_ops": "# float_ops",
    "macs": "# macs",
    "bytes": "requested bytes",
    "peak_bytes": "peak bytes",
    "residual_bytes": "residual bytes",
    "output_bytes": "output bytes",
    "micros": "total execution time",
    "accelerator_micros": "accelerator execution time",
    "cpu_micros": "cpu execution time",
    "device": "assigned devices",
    "op_types": "op types",
    "input_shapes": "input shapes",
}


def option_block(options: Options, output: str = "stdout:") -> str:
    """Return the 21 option lines of tfprof's frame."""
    values = options.as_dict() | {"select": sorted(set(options.select)), "output": output}
    return "".join(f"-{name:<27}{_option_text(value)}\n" for name, value in values.items())


def _option_text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(value) if isinstance(value, list) else str(value)


def frame(options: Options, body: Iterable[str]) -> Iterator[str]:
    """Yield a view's text within the frame that tfprof's Python API prints."""
    yield "\n=========================Options=============================\n"
    yield option_block(options)
    yield "\n==================Model Analysis Report======================\n"
    yield from body
    yield "\n======================End of Report==========================\n"


def preamble(view: str, options: Options, semantics: Semantics, *, misses_stream: bool) -> str:
    """Return the text before the table: the missing-stream warning and the doc lines."""
    lines: list[str] = []
    for name in sorted(set(options.select)):
        lines += _DOC_LINES.get(name, (f"Unknown select: {name}",))
    if not semantics.repeat_time_doc_lines:
        lines = list(dict.fromkeys(lines))
    docs = "\n".join(lines)
    warning = _MISSING_STREAM if misses_stream else ""
    line = _VIEW_LINES["scope" if view == "graph" and semantics.graph_doc_talks_of_scopes else view]
    return f"{warning}\nDoc:\n{line}\n{docs}\n\nProfile:\n"


def header(columns: list[str], *, occurrence: str) -> str:
    """Return the header line; `columns` are the attributes in view order."""
    titles = [occurrence if column == "occurrence" else _TITLES[column] for column in columns]
    return f"node name | {' | '.join(titles)}\n"


def columns_of(options: Options, order: tuple[str, ...]) -> list[str]:
    """Return the columns that `select` asks for, in the order of the view; micros includes both its parts."""
    wanted = set(options.select)
    if "micros" in wanted:
        wanted |= {"accelerator_micros", "cpu_micros"}
    return [column for column in order if column in wanted]


# Numbers ----------------------------------------------------------------------------------------------------------

_STEPS = {
    "count": ((1000, 1, ""), (10**6, 1000, "k"), (10**9, 10**6, "m"), (math.inf, 10**9, "b")),
    "time": ((1000, 1, "us"), (10**6, 1000, "ms"), (math.inf, 10**6, "sec")),
    "memory": ((1000, 1, "B"), (10**6, 1000, "KB"), (math.inf, 10**6, "MB")),
    "plain": ((math.inf, 1, ""),),
}
"""The units of each kind of number: below which number, divided by what, and the unit."""

UNKNOWN = "?"
AT_LEAST = "at least "
"""Before a sum that lacks nodes."""

_LARGEST_EXACT = 2**53
"""Up to here float64 holds every integer."""


def time_text(micros: float) -> str:
    """Return microseconds as tfprof prints them."""
    text: str = _numbers(
        np.array([int(micros)]), np.array([float(micros)]), "time", fraction=isinstance(micros, float)
    )[0].as_py()
    return text


def format_each(measure: Measure, kind: str) -> pa.Array:
    """Return each figure as text in the units of `kind`; every distinct value is formatted once."""
    return format_codes(measure, kind).dictionary_decode()


def format_codes(measure: Measure, kind: str) -> pa.DictionaryArray:
    """Return each figure as text, as codes of the distinct texts.

    ``count``, ``time`` (microseconds) and ``memory`` (bytes) are whole below 1000, else have two decimals of the next
    unit, as in tfprof; ``plain`` has no units, and two decimals only where there is a fraction.
    """
    code, distinct = number_distinct(measure.values)
    words = _quotients(distinct, measure.divisor, kind)
    # Neither occurs under tfprof's semantics, where an unknown figure is 0.
    is_bound, known = measure.unknown > 0, measure.known
    if is_bound.any() or not known.all():
        bounds = pc.binary_join_element_wise(AT_LEAST, words, "")
        words = pa.concat_arrays([words, bounds, pa.array([UNKNOWN])])
        code = np.where(known, code + len(distinct) * is_bound, len(words) - 1)
    return pa.DictionaryArray.from_arrays(pa.array(code), words)


def _quotients(values: Ints, divisor: int, kind: str) -> pa.Array:
    """Return ``values / divisor`` as text."""
    whole, rest = np.divmod(values, divisor)
    if values.min(initial=0) > -_LARGEST_EXACT and values.max(initial=0) < _LARGEST_EXACT:
        quotients = values / divisor
    else:
        quotients = np.array([value / divisor for value in values.tolist()])  # Python rounds the exact quotient
    return _numbers(whole, quotients, kind, fraction=rest != 0)


def _numbers(whole: Ints, numbers: Floats, kind: str, *, fraction: Bools | bool) -> pa.Array:
    """Return numbers as text; `whole` are those without a `fraction`, as integers."""
    texts = np.empty(len(numbers), dtype=object)
    most = -math.inf
    for below, factor, unit in _STEPS[kind]:
        here = (numbers >= most) & (numbers < below)
        if factor == 1:
            is_whole = here & ~np.asarray(fraction)
            texts[is_whole] = [f"{number}{unit}" for number in whole[is_whole].tolist()]
            here &= fraction
        texts[here] = [f"{number:.2f}{unit}" for number in (numbers[here] / factor).tolist()]
        most = below
    return pa.array(texts, pa.string())


def join(parts: Sequence[pa.Array | str], separator: str = "") -> pa.Array:
    """Return the element-wise concatenation of columns and constants; NULL parts are left out."""
    if len(parts) == 1:
        return pc.fill_null(parts[0], "")  # for a single column the kernel would drop NULL rows
    return pc.binary_join_element_wise(*parts, separator, null_handling="skip")


_CONTROL_IN_RE2 = "[" + re.sub(r"\\[ux]([0-9a-f]+)", r"\\x{\1}", CONTROLS) + "]"


def rows_of(parts: Sequence[pa.Array | str], *, is_terminal: bool) -> pa.Array:
    """Return rows joined from columns and constants, each ended by a newline; for a terminal they are escaped.

    A name may contain a newline and worse. The native tool prints it as it is, and so do files and pipes.
    """
    if not is_terminal:
        return join([*parts, "\n"])
    rows = join(parts)
    if pc.any(pc.match_substring_regex(rows, _CONTROL_IN_RE2)).as_py():
        rows = pa.array(map(for_terminal, rows.to_pylist()), pa.string())
    return join([rows, "\n"])


def lines_of(rows: pa.Array) -> str:
    """Return rows, which end with their own newline, as one string."""
    return str(text_of(rows), "utf-8")


def chunks(count: int) -> Iterator[Ints]:
    """Yield the row numbers 0 to count - 1 in pieces."""
    for start in range(0, count, CHUNK_ROWS):
        yield np.arange(start, min(start + CHUNK_ROWS, count))
