"""Folded stacks and speedscope: weights add up to the view's total, and escaped names can be restored."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from examples import examples
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from messages import graph, inputs_of, models, node, ran, run_meta
from option_draws import options
from queries import CPU, table_of
from written import stacks, unescape, written

from tfprof_report.errors import InputError, OptionError
from tfprof_report.model.build_table import build_node_table
from tfprof_report.options import Options
from tfprof_report.render.tfprof import stacks as module
from tfprof_report.render.tfprof.output_spec import OutputSpec, OutputType, RefusedOutputError
from tfprof_report.render.tfprof.stacks import ATTRIBUTES, escape
from tfprof_report.render.tfprof.write_view import check_output
from tfprof_report.semantics import CORRECTED, TFPROF, Semantics
from tfprof_report.views.build_view import build_layout, select

QUICK = settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.too_slow])
ODD = table_of(
    graph(node("a;b/c", "A"), node("a;b", "B"), node("x//é\n\\", "C")),
    run_meta({CPU: [ran("a;b/c", micros=3), ran("a;b", micros=2), ran("x//é\n\\", micros=4)]}),
)


@given(st.text())
def test_any_name_survives_folding(name: str) -> None:
    folded = escape(name)
    assert not set(folded) & set(";\n\r\x85\u2028")
    assert folded
    assert unescape(folded) == name


def test_a_line_is_the_names_from_the_root_and_what_the_row_has_for_itself() -> None:
    result = written(ODD, "scope", OutputType.FOLDED, TFPROF)
    assert result.text == ""
    assert result.only.decode() == (
        "_TFProfRoot;a\\x3bb 2\n_TFProfRoot;a\\x3bb;c 3\n_TFProfRoot;x;\\empty;é\\n\\\\ 4\n"
    )


@QUICK
@given(models(), st.sampled_from(["scope", "graph", "code"]), st.sampled_from([TFPROF, CORRECTED]), st.data())
def test_weights_add_up_to_the_total_whatever_is_shown(
    model: Any, view: str, semantics: Semantics, data: st.DataObject
) -> None:
    table = build_node_table(inputs_of(*model))
    if view == "code" and not len(table.traces.frame):
        return
    stem = data.draw(st.sampled_from(ATTRIBUTES))
    asked = replace(data.draw(options(steps=table.step_numbers)), select=(stem,), order_by="name")
    root = select(table, build_layout(table, view, semantics), asked, semantics).root[stem]
    if not root.known.all():
        with pytest.raises(OptionError, match=f"no {stem} is known"):
            written(table, view, OutputType.FOLDED, semantics, asked)
        return
    result = written(table, view, OutputType.FOLDED, semantics, asked)
    total = root.values[0] / root.divisor
    weights = [weight for _, weight in stacks(result.only)]
    assume(all(abs(weight) < 2**62 for weight in weights))  # tfprof's means wrap, and their sums wrap again
    assert sum(weights) == pytest.approx(total, rel=1e-9, abs=1e-6)
    assert written(table, view, OutputType.FOLDED, semantics, asked) == result
    try:
        scoped = written(table, view, OutputType.SPEEDSCOPE, semantics, asked)
    except InputError as error:
        assert "less than 0" in str(error)  # noqa: PT017
        return
    check_speedscope(scoped.only, total)


def check_speedscope(data: bytes, total: float) -> None:
    parsed = json.loads(data)
    (profile,) = parsed["profiles"]
    assert profile["startValue"] == 0
    assert profile["endValue"] == pytest.approx(total)
    is_open: list[int] = []
    at = 0
    for event in profile["events"]:
        assert event["at"] >= at
        at = event["at"]
        if event["type"] == "O":
            is_open.append(event["frame"])
        else:
            assert is_open.pop() == event["frame"]
    assert is_open == []
    assert at == profile["endValue"]
    assert {event["frame"] for event in profile["events"]} == set(range(len(parsed["shared"]["frames"])))


def test_speedscope_has_a_span_for_each_row() -> None:
    parsed = json.loads(written(ODD, "scope", OutputType.SPEEDSCOPE).only)
    assert parsed["shared"]["frames"] == [{"name": name} for name in ("_TFProfRoot", "a;b", "c", "x", "", "é\n\\")]
    (profile,) = parsed["profiles"]
    assert (profile["name"], profile["unit"], profile["endValue"]) == ("micros", "microseconds", 9)
    assert [(each["type"], each["frame"], each["at"]) for each in profile["events"]] == [
        ("O", 0, 0),
        ("O", 1, 0),
        ("O", 2, 0),
        ("C", 2, 3),
        ("C", 1, 5),
        ("O", 3, 5),
        ("O", 4, 5),
        ("O", 5, 5),
        ("C", 5, 9),
        ("C", 4, 9),
        ("C", 3, 9),
        ("C", 0, 9),
    ]


def test_stacks_that_grow_without_bound_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_STACK_BYTES", 10)
    with pytest.raises(InputError, match="would take more than 10 bytes; give a smaller --max-depth"):
        written(ODD, "scope", OutputType.FOLDED)


@pytest.mark.parametrize(("view", "chosen"), [("op", ("micros",)), ("scope", ("micros", "bytes")), ("code", ())])
def test_stacks_need_a_tree_and_one_figure(view: str, chosen: tuple[str, ...]) -> None:
    kind = OptionError if view != "op" else RefusedOutputError
    with pytest.raises(kind):
        check_output(view, Options(select=chosen), CORRECTED, OutputSpec(type=OutputType.FOLDED, outfile="x"))
