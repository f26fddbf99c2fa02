from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from tfprof_report.errors import OptionError
from tfprof_report.options import ORDER_BY, SELECT, Options
from tfprof_report.semantics import CORRECTED, TFPROF, Semantics
from tfprof_report.views.query import REGEX_OPTIONS, check_options, missing_step


def with_value(option: str, value: Any) -> Options:
    return dataclasses.replace(Options(), **{option: value})


@pytest.mark.parametrize("semantics", [TFPROF, CORRECTED])
def test_known_words_and_valid_patterns_pass_without_a_warning(semantics: Semantics) -> None:
    for word in (*ORDER_BY, ""):
        options = Options(order_by=word, select=SELECT, trim_name_regexes=("a|b", r"\Qa+"))
        assert check_options(options, semantics) == ()


def test_the_native_side_warns_of_every_problem_and_goes_on() -> None:
    options = Options(order_by="size", select=("micro", "bytes", "zzz"), hide_name_regexes=("a", "(", "["))
    warnings = check_options(options, TFPROF)
    assert [warning.partition(";")[0] for warning in warnings] == [
        '--order-by: "size" is not known',
        '--select: "micro" is not known',
        '--select: "zzz" is not known',
        '--hide-name-regexes: "(" is not a valid regex: missing )',
    ]
    assert warnings[1].endswith("; did you mean micros?")
    assert warnings[3].endswith("; it matches nothing")


@pytest.mark.parametrize("option", REGEX_OPTIONS)
def test_the_corrected_side_refuses_an_invalid_pattern_of_any_option(option: str) -> None:
    with pytest.raises(OptionError, match=f"--{option.replace('_', '-')}.*is not a valid regex"):
        check_options(with_value(option, ("a)|(b",)), CORRECTED)


@pytest.mark.parametrize(("option", "words"), [("order_by", "micro"), ("select", ("micro",))])
def test_the_corrected_side_refuses_an_unknown_word_with_the_closest_one(option: str, words: Any) -> None:
    with pytest.raises(OptionError, match='"micro" is not known; did you mean micros'):
        check_options(with_value(option, words), CORRECTED)


def test_a_step_that_is_there_and_the_mean_are_never_missing() -> None:
    for semantics in (TFPROF, CORRECTED):
        assert missing_step(Options(step=7), (0, 7), semantics) is None
        assert missing_step(Options(step=-1), (), semantics) is None
    assert missing_step(Options(step=-5), (), TFPROF) is None, "the native tool takes any negative number for the mean"
    with pytest.raises(OptionError, match="there is no step -5"):
        missing_step(Options(step=-5), (), CORRECTED)


def test_without_run_metadata_no_step_is_there() -> None:
    assert missing_step(Options(step=0), (), TFPROF) == "Options -step=0 not found.\nAvailable steps: "
    with pytest.raises(OptionError, match="there is no step 0; available: none, since there is no run metadata"):
        missing_step(Options(step=0), (), CORRECTED)
