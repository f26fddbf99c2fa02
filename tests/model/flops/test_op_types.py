"""Op types of TensorFlow and custom ones, and the reason that a node of each has without a rule."""

from __future__ import annotations

from pathlib import Path

import pytest
from messages import graph, inputs_of, node

import tfprof_report.model.flops.rule_sets
from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.flops.evaluate import Reason
from tfprof_report.model.flops.node_flops import use_rules
from tfprof_report.model.flops.rule_sets import DATA_DEPENDENT, is_own, rule_set
from tfprof_report.semantics import CORRECTED

NAMES = Path(tfprof_report.model.flops.rule_sets.__file__).with_name("op_names.txt").read_text().splitlines()


@pytest.mark.parametrize("op", ["MatMul", "NonMaxSuppressionV5", "TPUExecute", "TRTEngineOp", "Resampler", "_FusedAny"])
def test_op_types_of_any_build_and_age_are_tensorflows_own(op: str) -> None:
    assert is_own(op)


@pytest.mark.parametrize("op", ["Addons>CorrelationCost", "HorovodAllreduce", "matmul", "", "A", "TestAttr"])
def test_others_are_custom(op: str) -> None:
    assert not is_own(op)


def test_the_list_is_sorted_and_knows_nearly_all_op_types_that_have_a_rule() -> None:
    assert sorted(set(NAMES)) == NAMES
    ruled = {op for rule in rule_set("extended").rules for op in rule.ops}
    assert {op for op in ruled if not is_own(op)} <= {"Conv2DWithBias", "PadWithConv2D"}


def test_op_types_whose_arithmetic_depends_on_data_are_own_and_have_no_rule() -> None:
    assert all(is_own(op) for op in DATA_DEPENDENT)
    assert (rule_set("extended").find(sorted(DATA_DEPENDENT)) < 0).all()


@pytest.mark.parametrize("rules", ["none", "tfprof", "extended"])
def test_a_node_without_a_rule_says_whether_its_op_type_is_custom(rules: str) -> None:
    ops = {"own": "Mfcc", "of_data": "NonMaxSuppressionV5", "custom": "MyOp", "call": "my_function_7"}
    model = graph(*(node(name, op) for name, op in ops.items()))
    model.library.function.add().signature.name = "my_function_7"
    table = build_node_table(inputs_of(model), use_rules(rules, CORRECTED))
    assert table.column("float_ops_reason").to_pylist() == [
        Reason.NO_RULE,
        Reason.DATA,
        Reason.CUSTOM,
        Reason.NO_RULE,
    ]
