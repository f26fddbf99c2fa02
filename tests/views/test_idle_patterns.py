"""Patterns that match nothing are told, each option by itself."""

from __future__ import annotations

from typing import Any

import pytest
from messages import entry, graph, inputs_of, node, op_log

from tfprof_report.diagnostics import Diagnostic
from tfprof_report.model.build_table import build_node_table
from tfprof_report.options import Options
from tfprof_report.semantics import CORRECTED, TFPROF, Semantics
from tfprof_report.views.build_view import build_layout
from tfprof_report.views.idle_patterns import find_idle

NODES = (node("m/v", "VariableV2", shape=[2]), node("m/relu", "Relu", "m/v"))


def found(*views: str, log: Any = None, semantics: Semantics = CORRECTED, **options: Any) -> tuple[Diagnostic, ...]:
    table = build_node_table(inputs_of(graph(*NODES), op_log=log))
    layouts = [build_layout(table, view, semantics) for view in views or ("scope",)]
    return find_idle(table, layouts, Options(**options), semantics)


@pytest.mark.parametrize("semantics", [CORRECTED, TFPROF], ids=["corrected", "tfprof"])
def test_a_type_that_only_an_op_log_gives_is_told_where_there_is_none(semantics: Semantics) -> None:
    [said] = found(account_type_regexes=("_trainable_variables", "Relu"), semantics=semantics)
    assert (said.code, said.count, said.examples) == ("idle_account_type_regexes", 1, ("_trainable_variables",))
    assert "come from an op log (--op-log), and there is none that gives any" in said.text


def test_an_op_log_gives_it() -> None:
    log = op_log(entry("m/v", types=["_trainable_variables"]))
    assert found(account_type_regexes=("_trainable_variables",), log=log) == ()
    [said] = found(account_type_regexes=("Conv.*",), log=log)
    assert said.text == "patterns of --account-type-regexes match no type of a node"


@pytest.mark.parametrize("option", ["start_name_regexes", "show_name_regexes"])
def test_start_and_show_patterns_that_match_no_row_of_any_view_are_told(option: str) -> None:
    assert found(**{option: ("m", "m/.*", "Relu")})[0].examples == ("Relu",)
    [said] = found("scope", "op", **{option: ("m", "Relu", "n.*", "relu")})
    assert (said.code, said.examples) == (f"idle_{option}", ("n.*", "relu"))
    assert said.text == f"patterns of --{option.replace('_', '-')} match no name of a row"


def test_defaults_trim_hide_and_invalid_patterns_say_nothing() -> None:
    assert (
        found(trim_name_regexes=("n",), hide_name_regexes=("n",), show_name_regexes=("(",), start_name_regexes=()) == ()
    )
