from __future__ import annotations

import dataclasses
import math
import random
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from measured import Figures, Run, side_of, view_of

from tfprof_report.compare.compare import compare
from tfprof_report.compare.comparison import RowStatus, State
from tfprof_report.compare.gates.grammar import parse_gate
from tfprof_report.compare.gates.judge import judge
from tfprof_report.compare.gates.policy import Policy
from tfprof_report.compare.matching.name_map import NameMap
from tfprof_report.compare.side import Side
from tfprof_report.schema.metrics import METRICS, RUN_STEMS, STEP_STEMS

few = settings(max_examples=examples(50), deadline=None)
names = st.sampled_from(["a", "a/b", "a/c", "d", "é|<b>", ""])
figures = st.one_of(st.none(), st.just(0), st.integers(-(2**40), 2**40))
MIRROR: dict[object, object] = {
    State.LOST: State.NOW_KNOWN,
    State.NOW_KNOWN: State.LOST,
    State.UNKNOWN: State.UNKNOWN,
    State.UNCHANGED: State.UNCHANGED,
}


@st.composite
def sides(draw: st.DrawFn) -> Side:
    static = st.fixed_dictionaries({}, optional={"params": figures, "float_ops": figures})
    nodes: dict[str, Figures] = draw(st.dictionaries(names, static))
    steps = draw(st.lists(st.integers(0, 5), unique=True, max_size=3))
    run = st.fixed_dictionaries({}, optional=dict.fromkeys(STEP_STEMS, figures))
    runs: list[Run] = []
    if nodes and steps:
        runs = draw(st.lists(st.tuples(st.sampled_from(list(nodes)), st.sampled_from(steps), run), max_size=6))
    view = draw(st.dictionaries(names, static))
    peaks = draw(st.lists(st.one_of(st.none(), st.integers(0, 2**40)), max_size=2))
    return side_of(nodes, runs=runs, steps=steps, peaks=peaks, views={"scope": view_of(view)})


def shuffled(side: Side, seed: int) -> Side:
    """Return the side with its nodes in another order, and the steps that point at them."""
    order = list(range(side.nodes.num_rows))
    random.Random(seed).shuffle(order)
    place = {row: position for position, row in enumerate(order)}
    node = pa.array([place[row] for row in side.steps["node"].to_pylist()], pa.int64())
    changed = {"nodes": side.nodes.take(pa.array(order, pa.int64())), "steps": side.steps.set_column(0, "node", node)}
    return dataclasses.replace(side, **changed)


@few
@given(sides())
def test_a_side_compared_with_itself_is_all_unchanged(side: Side) -> None:
    comparison = compare(side, side)
    assert comparison.counts == dict.fromkeys(RowStatus, 0) | {RowStatus.UNCHANGED: side.nodes.num_rows}
    tables = [comparison.nodes, *comparison.views.values()]
    states = {state for table in tables for stem in METRICS for state in column(table, f"state_{stem}")}
    assert states <= {State.UNCHANGED, State.UNKNOWN}
    # Records that a run lacks are not known to be equal, even if both sides lack them.
    measured = {total.state for total in comparison.totals if total.stem in RUN_STEMS}
    assert measured <= {State.UNCHANGED, State.UNKNOWN, State.NOT_COMPARABLE}
    static = {total.state for total in comparison.totals if total.stem not in RUN_STEMS}
    assert static <= {State.UNCHANGED, State.UNKNOWN}
    assert {total.delta for total in comparison.totals} <= {0, None}


@pytest.mark.thorough
@few
@given(sides(), sides())
def test_a_comparison_is_the_mirror_of_its_reverse(base: Side, head: Side) -> None:
    there, back = compare(base, head), compare(head, base)
    for one, other in ((there.nodes, back.nodes), (there.views["scope"], back.views["scope"])):
        one_rows, other_rows = ({row["name"]: row for row in table.to_pylist()} for table in (one, other))
        assert one_rows.keys() == other_rows.keys()
        for name, row in one_rows.items():
            assert_mirrored(row, other_rows[name])
    for total, reverse in zip(there.totals, back.totals, strict=True):
        assert (total.exact_base, total.added, total.matched_base) == (
            reverse.exact_head,
            reverse.removed,
            reverse.matched_head,
        )
        assert total.delta == (None if reverse.delta is None else -reverse.delta)
        assert reverse.state == MIRROR.get(total.state, reverse.state)


@few
@given(sides(), sides())
def test_totals_are_the_sums_of_their_parts_and_of_the_rows(base: Side, head: Side) -> None:
    comparison = compare(base, head)
    for total in comparison.totals:
        if total.base is not None and METRICS[total.stem].kind == "static":
            assert total.matched_base is not None
            assert total.removed is not None
            assert total.base == total.matched_base + total.removed
            assert total.base == sum(value or 0 for value in column(comparison.nodes, f"base_{total.stem}"))
        if total.exact_head is not None and total.stem in STEP_STEMS:
            known = sum(value or 0 for value in head.steps[total.stem].to_pylist())
            assert total.exact_head == Fraction(known, len(head.step_numbers))
    assert sum(comparison.counts.values()) == comparison.nodes.num_rows


@pytest.mark.thorough
@few
@given(sides(), sides(), st.integers(0, 99))
def test_the_order_of_rows_does_not_matter(base: Side, head: Side, seed: int) -> None:
    one, other = compare(base, head), compare(shuffled(base, seed), shuffled(head, seed + 1))
    assert (one.totals, one.device_peak, one.counts) == (other.totals, other.device_peak, other.counts)
    by_name = [sorted(comparison.nodes.to_pylist(), key=lambda row: str(row["name"])) for comparison in (one, other)]
    assert by_name[0] == by_name[1]


@few
@given(sides(), sides())
def test_no_figure_is_nan_or_infinite(base: Side, head: Side) -> None:
    comparison = compare(base, head)
    for table in (comparison.nodes, *comparison.views.values()):
        for field in table.schema:
            if pa.types.is_floating(field.type):
                assert pc.all(pc.is_finite(table[field.name]), min_count=0).as_py()
    for total in comparison.totals:
        values = (total.base, total.head, total.delta, total.percent)
        assert all(math.isfinite(value) for value in values if value is not None)


@few
@given(sides(), sides(), st.sampled_from(["<=", ">=", "=="]), st.sampled_from(["+1%", "-1", "5"]))
def test_a_verdict_is_green_only_where_rows_matched_and_every_gate_passed(
    base: Side, head: Side, bound: str, limit: str
) -> None:
    gates = tuple(parse_gate(f"{metric} {bound} {limit}") for metric in ("params", "micros", "run_float_ops"))
    comparison = compare(base, head)
    verdict = judge(head, comparison, Policy(gates=gates, max_unmatched=Fraction(1)))
    statuses = {result.status for result in verdict.gates}
    matched = comparison.counts[RowStatus.CHANGED] + comparison.counts[RowStatus.UNCHANGED]
    assert verdict.exit_code == (1 if "failed" in statuses else 0 if statuses == {"passed"} and matched else 5)
    assert verdict.text.startswith({0: "OK: ", 1: "FAILED: ", 5: "INCONCLUSIVE: "}[verdict.exit_code])


def test_nodes_of_other_names_are_matched_everywhere() -> None:
    base = side_of({"m/a": {"params": 3}, "m/gone": {"params": 5}}, views={"scope": scope("m", "m/a", "m/gone")})
    head = side_of({"n/a": {"params": 4}, "n/new": {"params": 7}}, views={"scope": scope("n", "n/a", "n/new")})
    comparison = compare(base, head, NameMap(path="names.toml", nodes={"m/a": "n/a"}, prefixes={}))
    assert [
        (row["name"], row["base_name"], row["matched_by"], row["status"]) for row in comparison.nodes.to_pylist()
    ] == [
        ("n/a", "m/a", "map", "changed"),
        ("m/gone", "m/gone", None, "removed"),
        ("n/new", None, None, "new"),
    ]
    params = next(total for total in comparison.totals if total.stem == "params")
    assert (params.matched_base, params.matched_head, params.removed, params.added) == (3, 4, 5, 7)
    rows = comparison.views["scope"].to_pylist()
    assert [(row["name"], row["base_name"]) for row in rows if row["matched_by"] == "map"] == [("n/a", "m/a")]
    forest = comparison.forests["scope"].select(["name", "depth", "base_row", "head_row"]).to_pylist()
    assert [tuple(row.values()) for row in forest] == [
        ("n", 1, None, 0),
        ("n/a", 2, 1, 1),
        ("n/new", 2, None, 2),
        ("m", 1, 0, None),
        ("m/gone", 2, 2, None),
    ]


def scope(*names: str) -> pa.Table:
    """Return rows of scope view: a scope and, below it, the nodes of the side."""
    rows = view_of({name: {} for name in names})
    nodes = pa.array([None, *range(len(names) - 1)], pa.int64())
    return rows.set_column(rows.column_names.index("node"), "node", nodes)


def column(table: pa.Table, name: str) -> list[Any]:
    return table[name].to_pylist() if name in table.column_names else []


def assert_mirrored(row: dict[str, object], reverse: dict[str, object]) -> None:
    swapped = {"new": "removed", "removed": "new"}
    assert row["status"] == swapped.get(str(reverse["status"]), reverse["status"])
    for stem in METRICS:
        if f"state_{stem}" not in row:
            continue
        assert row[f"base_{stem}"] == reverse[f"head_{stem}"]
        delta, back = row[f"delta_{stem}"], reverse[f"delta_{stem}"]
        assert delta == (-back if isinstance(back, int | float) else back)
        state, back_state = row[f"state_{stem}"], reverse[f"state_{stem}"]  # NULL where a side lacks the row
        assert back_state == MIRROR.get(state, back_state)
