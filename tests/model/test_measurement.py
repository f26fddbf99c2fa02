"""How a model is measured: kept in a report, read back, and compared."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from typing import Any

import pytest

from tfprof_report.ingest.paths import parse_input_shape
from tfprof_report.model.execution_counts import INLINED, FunctionUse
from tfprof_report.model.flops.counting import Counting
from tfprof_report.model.measurement import AS_REPORTS, Measurement
from tfprof_report.model.parts.leave_out import parse_leave_out
from tfprof_report.model.shapes.batch import OPEN_BATCH, Batch
from tfprof_report.options import COUNTING_OPTIONS, Options
from tfprof_report.semantics import TFPROF
from tfprof_report.vocabulary import Cond, Loops

OTHER: dict[str, tuple[Any, list[str]]] = {
    "options": (Options(step=2, account_type_regexes=("a",)), ["--step", "--account-type-regexes"]),
    "semantics": (TFPROF, ["--semantics"]),
    "counting": (Counting(rules="tfprof", float_ops_from="rules"), []),  # concerns FLOPs only: `Side.rules`
    "functions": (FunctionUse(loops=Loops.ONCE), ["--functions, --cond or --loops"]),
    "leave_out": (parse_leave_out(["training"], ["loss"]), ["--leave-out", "--outputs"]),
    "signature": ("serving_default", []),  # said in a warning: `other_signature`
    "input_shapes": ((parse_input_shape("x=1,224"),), ["--input-shape"]),
    "batch": (Batch(8), []),  # concerns the figures that rest on it only: `unlike_sizes`
}
"""For each field another value, and the options that then differ."""


@pytest.mark.parametrize("name", [field.name for field in fields(Measurement)])
def test_every_field_is_kept_in_json_and_compared(name: str) -> None:
    value, words = OTHER[name]
    other = replace(AS_REPORTS, **{name: value})
    assert Measurement.of(json.loads(json.dumps(other.as_dict())), other.semantics_name) == other
    assert other.differences(AS_REPORTS) == AS_REPORTS.differences(other) == words
    assert other.differences(other) == []


@pytest.mark.parametrize("name", [field.name for field in fields(FunctionUse)])
def test_every_policy_for_functions_is_kept_and_compared(name: str) -> None:
    policy = replace(INLINED, **{name: {"cond": Cond.SUM, "loops": Loops.ONCE}[name]})
    other = replace(AS_REPORTS, functions=policy)
    assert Measurement.of(json.loads(json.dumps(other.as_dict())), "corrected") == other
    assert other.differences(AS_REPORTS) == ["--functions, --cond or --loops"]


def test_every_option_of_tfprof_either_counts_or_shows() -> None:
    showing = {name for name in Options.__slots__ if name.startswith("min_") or name.endswith("name_regexes")}
    assert set(Options.__slots__) - showing == {"max_depth", "order_by", "select", *COUNTING_OPTIONS}


def test_inputs_of_other_names_and_the_same_sizes_are_no_difference() -> None:
    one, other = (
        replace(AS_REPORTS, input_shapes=tuple(map(parse_input_shape, texts)))
        for texts in (["a=1,2", "b=3"], ["c=3", "d=1,2"])
    )
    assert one.differences(other) == []


def test_what_an_older_report_lacks_had_its_default_then() -> None:
    assert Measurement.of({}, "corrected") == replace(AS_REPORTS, counting=Counting(), functions=None, batch=OPEN_BATCH)


def test_large_numbers_are_read_from_text() -> None:
    assert Measurement.of({"min_bytes": str(-(2**60))}, "corrected").options.min_bytes == -(2**60)


@pytest.mark.parametrize("name", [field.name for field in fields(Measurement)])
def test_every_field_but_the_semantics_shows_in_the_options_that_count(name: str) -> None:
    other = replace(AS_REPORTS, **{name: OTHER[name][0]})
    assert (other.counting_options != AS_REPORTS.counting_options) == (name != "semantics")


def test_only_options_that_count_and_are_not_as_usual_are_said() -> None:
    assert AS_REPORTS.counting_options == {}
    other = replace(AS_REPORTS, options=Options(step=2, max_depth=3), batch=OPEN_BATCH, functions=None)
    assert other.counting_options == {"step": 2, "batch": "unknown", "functions": "off"}
