"""Hypothesis strategies of options: every option, with words and patterns that fit the names of `messages`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st
from messages import DEVICES, OPS, TYPES
from reference import RE2_ONLY

from tfprof_report.options import ORDER_BY, OWN_WORDS, SELECT, UNLIMITED_DEPTH, Options

NATIVE_SELECT, NATIVE_ORDER_BY = (
    tuple(word for word in words if word not in OWN_WORDS) for words in (SELECT, ORDER_BY)
)

_PIECES = [
    *("a", "b", "_", "/", ".*", ".", "[ab]+", "[^/]*", "a|b", "(a|ab)"),
    *("é", "a?", "(?i:A)", "_1$", "^a", "\\d", ":", "名"),
]
_INVALID = ["(", "a)|(b", "[", "*a", "a**", "a{2,1}", ")"]
_MINIMUMS = [
    *("bytes", "peak_bytes", "residual_bytes", "output_bytes", "micros", "accelerator_micros", "cpu_micros"),
    *("params", "float_ops", "occurrence"),
]

OUTPUTS = (
    *(
        "stdout",
        "",
        "none",
        "file:outfile=out.txt",
        "pprof:outfile=profile",
        "pprof:outfile=profile",
        "csv",
        "file",
        "stdout:outfile=out.txt",
    ),
    *("timeline:outfile=time", "timeline:outfile=time", "timeline:outfile=time"),
)
"""Outputs of the Python API; repeated ones are drawn more often, some are invalid."""


def patterns(names: Sequence[str] = ()) -> st.SearchStrategy[str]:
    """Draw a regex that may match a name, an op, a device or a type; some are invalid, some use syntax only of RE2."""
    if names:
        exact = st.sampled_from(names).map(re.escape)
        below = st.sampled_from(names).map(lambda name: re.escape(name.rpartition("/")[0]) + ".*")
        return st.one_of(exact, below, patterns())
    words = st.sampled_from([*OPS, *TYPES, *DEVICES, "_kTFScopeParent", "_TFProfRoot", ".*device:gpu:.*", ".*cpu.*"])
    built = st.lists(st.sampled_from(_PIECES), min_size=1, max_size=3).map("".join)
    return st.one_of(st.just(".*"), words, built, built, st.sampled_from([*_INVALID, *RE2_ONLY]))


def pattern_lists(*, usual: tuple[str, ...], names: Sequence[str] = ()) -> st.SearchStrategy[tuple[str, ...]]:
    """Draw a list of regexes, half of the time the `usual` one."""
    return st.one_of(st.just(usual), st.lists(patterns(names), max_size=3).map(tuple))


def _minimums() -> st.SearchStrategy[int]:
    return st.one_of(st.just(0), st.just(0), st.just(0), st.sampled_from([-5, 1, 2, 100, 2**40]))


@st.composite
def options(draw: st.DrawFn, *, steps: tuple[int, ...] = (), names: Sequence[str] = ()) -> Options:
    """Draw options; `steps` may be selected besides the mean, and some patterns match the node names `names`."""
    minimums: dict[str, Any] = {}
    if draw(st.integers(0, 2)) == 2:
        minimums = {f"min_{name}": draw(_minimums()) for name in _MINIMUMS}
    return Options(
        max_depth=draw(st.one_of(st.integers(-1, 5), st.just(UNLIMITED_DEPTH), st.just(100), st.just(100))),
        step=draw(st.sampled_from([-1, -1, *steps])),
        order_by=draw(st.sampled_from([*NATIVE_ORDER_BY, "", "unheard of"])),
        account_type_regexes=draw(
            st.one_of(pattern_lists(usual=(".*",), names=OPS), st.sampled_from([(".*", "[A-Z].*"), ("[N-Z].*",)]))
        ),
        start_name_regexes=draw(pattern_lists(usual=(".*",), names=names)),
        trim_name_regexes=draw(pattern_lists(usual=(), names=names)),
        show_name_regexes=draw(pattern_lists(usual=(".*",), names=names)),
        hide_name_regexes=draw(pattern_lists(usual=(), names=names)),
        account_displayed_op_only=draw(st.booleans()),
        select=tuple(
            draw(st.one_of(st.just(NATIVE_SELECT), st.lists(st.sampled_from([*NATIVE_SELECT, "odd"]), max_size=6)))
        ),
        **minimums,
    )


@st.composite
def option_dicts(draw: st.DrawFn, *, steps: tuple[int, ...] = (), names: Sequence[str] = ()) -> dict[str, Any]:
    """Draw options as a dict of the Python API, sometimes without some of its keys."""
    drawn = draw(options(steps=steps, names=names)).as_dict()
    drawn["output"] = draw(st.one_of(st.just("stdout"), st.sampled_from(OUTPUTS)))
    if drawn["output"].startswith("pprof"):
        drawn["select"] = draw(st.lists(st.sampled_from(NATIVE_SELECT), min_size=1, max_size=1))
    gone = draw(st.one_of(st.just([]), st.just([]), st.just([]), st.lists(st.sampled_from([*drawn]), max_size=6)))
    return {name: value for name, value in drawn.items() if name not in gone}
