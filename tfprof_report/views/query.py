"""Validates a query before it runs: its attributes, patterns and step, which semantics may accept or refuse."""

from __future__ import annotations

from collections.abc import Iterator

from tfprof_report.errors import OptionError
from tfprof_report.model.node_table import NodeTable
from tfprof_report.old_names import Place
from tfprof_report.options import MEAN_OF_STEPS, ORDER_BY, SELECT, Options, flag, unknown_word
from tfprof_report.semantics import Semantics
from tfprof_report.views import patterns as regex
from tfprof_report.views.layout import Layout

REGEX_OPTIONS = (
    "account_type_regexes",
    "start_name_regexes",
    "trim_name_regexes",
    "show_name_regexes",
    "hide_name_regexes",
)


def check_options(options: Options, semantics: Semantics) -> tuple[str, ...]:
    """Return warnings about unknown attributes and invalid patterns, which the native tool accepts.

    Raises
    ------
    OptionError
        There is one, and the semantics do not accept it.
    """
    return tuple(_problems(options, semantics))


def _problems(options: Options, semantics: Semantics) -> Iterator[str]:
    words: list[tuple[str, str, tuple[str, ...]]] = [("order_by", options.order_by, (*ORDER_BY, ""))]
    words += [("select", word, SELECT) for word in options.select]
    for option, word, known in words:
        if word not in known:
            names = [name for name in known if name]
            error = unknown_word(word, option=flag(option), known=names, place=Place.WORD)
            if not semantics.accept_unknown_attributes:
                raise error
            yield str(error)
    for option in REGEX_OPTIONS:
        try:
            regex.check(getattr(options, option), option=flag(option))
        except OptionError as error:
            if not semantics.bad_regex_matches_nothing:
                raise
            yield f"{error}; it matches nothing"


def missing_step(options: Options, step_numbers: tuple[int, ...], semantics: Semantics) -> str | None:
    """Return the native message for a missing step, None if the step exists.

    Raises
    ------
    OptionError
        The step is missing, and under the semantics this is not an empty view.
    """
    is_mean = options.step == MEAN_OF_STEPS or (options.step < 0 and semantics.missing_step_is_empty)
    if is_mean or options.step in step_numbers:
        return None
    if not semantics.missing_step_is_empty:
        available = ", ".join(map(str, step_numbers)) or "none, since there is no run metadata"
        raise OptionError(f"there is no step {options.step}", option="--step", advice=f"available: {available}")
    available = "".join(f"{step} " for step in step_numbers)
    return f"Options -step={options.step} not found.\nAvailable steps: {available}"


def missing_traces(view: str, table: NodeTable, semantics: Semantics) -> str | None:
    """Return the native message for a code view without call stacks, None for other views or if there are some.

    Raises
    ------
    OptionError
        There are none, and under the semantics this is not an empty view.
    """
    if view != "code" or len(table.traces.frame):  # counts frames, since stacks without frames crash the native tool
        return None
    if not semantics.missing_traces_are_empty:
        raise OptionError(
            "code view needs call stacks, and the op log has none",
            advice="write the op log with traces (write_op_log, add_trace=True) and give it as --op-log",
        )
    return "No code trace information"


def layout_notes(layout: Layout, options: Options, semantics: Semantics) -> tuple[str, ...]:
    """Return what the native tool prints on standard error while it builds and shows a code view."""
    if layout.view != "code":
        return ()
    notes = []
    if layout.lost_gradients and semantics.drop_nodes_without_trace:
        notes.append(f"{layout.lost_gradients} gradient nodes not accounted")
    if options.account_displayed_op_only:
        notes.append("Note: code view ignores account_displayed_op_only")
    if "tensor_value" in options.select:
        notes.append("code view has no tensor value to show")
    return tuple(notes)
