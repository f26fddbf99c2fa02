from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfprof_report.errors import OptionError
from tfprof_report.options import (
    MATCH_ALL,
    REPORT_OPTIONS,
    SELECT,
    UNLIMITED_DEPTH,
    Options,
    flag,
    split_list,
    unknown_word,
)
from tfprof_report.semantics import CORRECTED, TFPROF

NUMBERS = [field.name for field in dataclasses.fields(Options) if field.type == "int"]


def test_defaults_are_those_of_the_native_command_line() -> None:
    assert Options().as_dict() == {
        "max_depth": 10,
        "min_bytes": 0,
        "min_peak_bytes": 0,
        "min_residual_bytes": 0,
        "min_output_bytes": 0,
        "min_micros": 0,
        "min_accelerator_micros": 0,
        "min_cpu_micros": 0,
        "min_params": 0,
        "min_float_ops": 0,
        "min_occurrence": 0,
        "step": -1,
        "order_by": "name",
        "account_type_regexes": [".*"],
        "start_name_regexes": [".*"],
        "trim_name_regexes": [],
        "show_name_regexes": [".*"],
        "hide_name_regexes": [],
        "account_displayed_op_only": False,
        "select": ["micros"],
    }


def test_a_report_shows_every_figure_without_a_depth_limit() -> None:
    assert set(SELECT) - set(REPORT_OPTIONS.select) <= {"tensor_value", "device", "op_types", "input_shapes"}
    assert (REPORT_OPTIONS.max_depth, REPORT_OPTIONS.account_type_regexes) == (UNLIMITED_DEPTH, MATCH_ALL)


@pytest.mark.parametrize(
    ("given_values", "expected"),
    [
        ([], ()),
        ([""], ()),
        (["a"], ("a",)),
        (["a,b", "c"], ("a", "b", "c")),
        ([",a,,b,"], ("a", "b")),
        ([r"a\,b,c"], ("a,b", "c")),
        ([r"a{1\,2}"], ("a{1,2}",)),
        ([r"a\,"], ("a,",)),
        (["a", "a,a"], ("a", "a", "a")),
        ([r"\Qa", "b.c"], (r"\Qa", "b.c")),
        ([" a, b"], (" a", " b")),
    ],
)
def test_a_list_is_split_at_commas_unless_they_are_escaped(given_values: list[str], expected: tuple[str, ...]) -> None:
    assert split_list(given_values) == expected


@given(st.lists(st.text("ab.*|é", min_size=1)))
def test_splitting_undoes_joining(items: list[str]) -> None:
    assert split_list([",".join(items)]) == tuple(items)
    assert split_list([item.replace(",", r"\,") for item in items]) == tuple(items)


def with_number(name: str, value: Any) -> Options:
    return dataclasses.replace(Options(), **{name: value})


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_fits_64_bits_or_is_refused_by_its_flag(name: str) -> None:
    for value in (2**63 - 1, -(2**63)):
        assert getattr(with_number(name, value), name) == value
    for value in (2**63, -(2**63) - 1):
        with pytest.raises(OptionError) as caught:
            with_number(name, value)
        assert str(caught.value) == f"--{name.replace('_', '-')}: {value} is outside the 64-bit range"


def test_there_are_twelve_numbers() -> None:
    assert len(NUMBERS) == 12


def test_a_dict_without_lists_shows_nothing_natively_and_all_as_corrected() -> None:
    native, corrected = (Options.from_mapping({"max_depth": 3}, each) for each in (TFPROF, CORRECTED))
    assert corrected == Options(max_depth=3)
    assert native == Options(
        max_depth=3, account_type_regexes=(), start_name_regexes=(), show_name_regexes=(), select=()
    )


def test_a_dict_gives_its_known_keys_and_the_rest_is_ignored() -> None:
    mapping: dict[str, Any] = {
        "select": ["params", "bytes"],
        "trim_name_regexes": ("a",),
        "step": 7,
        "output": "stdout",
        "viz": True,
    }
    for semantics in (TFPROF, CORRECTED):
        options = Options.from_mapping(mapping, semantics)
        assert (options.select, options.trim_name_regexes, options.step) == (("params", "bytes"), ("a",), 7)
    assert Options.from_mapping(Options(step=7).as_dict(), TFPROF) == Options(step=7)


def test_a_dict_out_of_range_is_refused_too() -> None:
    with pytest.raises(OptionError, match=r"--min-bytes: 9223372036854775808 is outside"):
        Options.from_mapping({"min_bytes": 2**63}, CORRECTED)


def test_an_unknown_word_gets_the_closest_one_or_the_whole_list() -> None:
    assert str(unknown_word("param", option="--select", known=["params", "bytes"])) == (
        '--select: "param" is not known; did you mean params?'
    )
    assert str(unknown_word("zzz", option="--select", known=["params", "bytes"])) == (
        '--select: "zzz" is not known; choose from bytes, params'
    )
    assert flag("min_float_ops") == "--min-float-ops"
