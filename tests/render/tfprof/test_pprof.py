"""pprof files: samples add up to the view, files are reproducible, and the content of locations."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from examples import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from messages import entry, graph, inputs_of, models, node, op_log, ran, run_meta
from option_draws import options
from queries import CPU, table_of
from written import profile, written

from tfprof_report.errors import OptionError
from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.values import Measure
from tfprof_report.options import Options
from tfprof_report.render.tfprof.output_spec import OutputSpec, OutputType, RefusedOutputError
from tfprof_report.render.tfprof.pprof import whole
from tfprof_report.render.tfprof.stacks import ATTRIBUTES
from tfprof_report.render.tfprof.write_view import check_output
from tfprof_report.semantics import CORRECTED, TFPROF, Semantics
from tfprof_report.views.build_view import build_layout, select, selected_stems

QUICK = settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.too_slow])

MAIN, STEP, LOSS = (10, 0, 1), (20, 0, 2), (30, 0, 3)
STRINGS = {0: "src/train.v2.py", 1: "main", 2: "step", 3: "loss"}
CALLS = table_of(
    graph(node("a", "A"), node("b", "B"), node("c", "C"), node("no_trace", "D")),
    run_meta({CPU: [ran("a", micros=3), ran("b", micros=5), ran("c", micros=7), ran("no_trace", micros=11)]}),
    op_log=op_log(
        entry("a", traces=[MAIN, STEP, LOSS]),
        entry("b", traces=[MAIN, STEP]),
        entry("c", traces=[MAIN]),
        strings=STRINGS,
    ),
)
IN_LOSS = [("train.v2:loss", 20), ("train.v2:step", 10)]
IN_MAIN = [("train.v2:main", 10)]


@pytest.mark.parametrize(
    ("semantics", "samples"),
    [
        (TFPROF, [(IN_LOSS, [1, 3], ["a"])]),
        (replace(CORRECTED, omit_inner_frames=True), [(IN_LOSS, [1, 3], ["a"]), ([], [1, 11], ["no_trace"])]),
        (
            replace(TFPROF, omit_inner_frames=False),
            [
                (IN_LOSS + IN_MAIN, [1, 3], ["a"]),
                (IN_LOSS[1:] + IN_MAIN, [1, 5], ["b"]),
                (IN_MAIN, [1, 7], ["c"]),
            ],
        ),
        (
            CORRECTED,
            [
                (IN_LOSS + IN_MAIN, [1, 3], ["a"]),
                (IN_LOSS[1:] + IN_MAIN, [1, 5], ["b"]),
                (IN_MAIN, [1, 7], ["c"]),
                ([("no trace", 0)], [1, 11], ["no_trace"]),
            ],
        ),
    ],
    ids=["tfprof", "switched on", "switched off", "corrected"],
)
def test_nodes_of_calling_lines_are_samples_unless_tfprof_omits_them(semantics: Semantics, samples: list[Any]) -> None:
    found = profile(written(CALLS, "code", OutputType.PPROF, semantics).only)
    assert found.types == [("count", "count"), ("micros", "microseconds")]
    assert found.samples == samples


def test_a_hidden_line_leaves_its_nodes_to_the_line_around_it() -> None:
    hidden = Options(hide_name_regexes=(".*:loss",))
    found = profile(written(CALLS, "code", OutputType.PPROF, TFPROF, hidden).only)
    assert found.samples == [(IN_LOSS[1:], [1, 3], ["a"])]
    nothing = Options(show_name_regexes=("no trace",))
    assert profile(written(CALLS, "code", OutputType.PPROF, CORRECTED, nothing).only).totals() == [4, 26]


@QUICK
@given(models(), st.data())
def test_samples_of_code_view_add_up_to_its_total(model: Any, data: st.DataObject) -> None:
    table = build_node_table(inputs_of(*model))
    if not len(table.traces.frame):
        return
    attribute = data.draw(st.sampled_from(ATTRIBUTES))
    asked = replace(data.draw(options(steps=table.step_numbers)), select=(attribute,), order_by="name")
    result = written(table, "code", OutputType.PPROF, CORRECTED, asked)
    root = select(table, build_layout(table, "code", CORRECTED), asked, CORRECTED).root
    assert profile(result.only).totals() == [root["definition_count"].values[0], whole(root[attribute])[0]]
    assert written(table, "code", OutputType.PPROF, CORRECTED, asked) == result


@QUICK
@given(models(), st.data())
def test_samples_of_scope_view_add_up_to_the_totals_of_every_figure(model: Any, data: st.DataObject) -> None:
    table = build_node_table(inputs_of(*model))
    asked = replace(data.draw(options(steps=table.step_numbers)), select=ATTRIBUTES, order_by="name")
    root = select(table, build_layout(table, "scope", CORRECTED), asked, CORRECTED).root
    known = [stem for stem in selected_stems(asked) if root[stem].known.all()]
    if not known:
        with pytest.raises(OptionError, match="none of these figures is known"):
            written(table, "scope", OutputType.PPROF, CORRECTED, asked)
        return
    found = profile(written(table, "scope", OutputType.PPROF, CORRECTED, asked).only)
    assert [name for name, _ in found.types] == known
    assert found.totals() == [whole(root[stem])[0] for stem in known]


def test_a_scope_is_a_function_below_its_parent() -> None:
    table = table_of(graph(node("a/x", "A"), node("a", "B")), run_meta({CPU: [ran("a/x", micros=3), ran("a")]}))
    found = profile(written(table, "scope", OutputType.PPROF, options=Options(select=("cpu_micros",))).only)
    assert found.types == [("cpu_micros", "microseconds")]
    assert found.samples == [([("a", 0)], [1], []), ([("a/x", 0), ("a", 0)], [3], [])]


@given(st.lists(st.integers(-(2**40), 2**40), max_size=20), st.integers(1, 9))
def test_rounded_means_add_up_and_each_is_less_than_one_off(values: list[int], divisor: int) -> None:
    measure = Measure.of_nodes(np.array(values, dtype=np.int64), np.ones(len(values), dtype=bool), divisor=divisor)
    rounded = whole(measure).tolist()
    assert abs(sum(rounded) * divisor - sum(values)) * 2 <= divisor
    assert all(abs(each * divisor - value) <= divisor for each, value in zip(rounded, values, strict=True))


@pytest.mark.parametrize(
    ("view", "chosen", "semantics", "native"),
    [
        ("scope", ("micros",), TFPROF, "Only 'code' view supports pprof output now."),
        ("op", ("micros",), CORRECTED, "Only 'code' view supports pprof output now."),
        ("code", (), CORRECTED, "Can only select 1 attribute for pprof output."),
        ("code", ("micros", "bytes"), TFPROF, "Can only select 1 attribute for pprof output."),
        ("code", ("device",), TFPROF, "pprof doesn't support -select=device"),
    ],
)
def test_what_pprof_cannot_show_is_refused(
    view: str, chosen: tuple[str, ...], semantics: Semantics, native: str
) -> None:
    spec = OutputSpec(type=OutputType.PPROF, outfile="x")
    with pytest.raises(RefusedOutputError) as caught:
        check_output(view, Options(select=chosen), semantics, spec)
    assert caught.value.native == native
