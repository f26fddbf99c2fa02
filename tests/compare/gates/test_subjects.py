"""Rows of nodes, scopes and op types have the exact sums, as added up by hand."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from measured import Figures, side_of

from tfprof_report.compare.compare import compare
from tfprof_report.compare.gates.policy import Subject
from tfprof_report.compare.gates.subjects import Subjects
from tfprof_report.compare.side import Side

NAMES = st.sampled_from(["a", "a/b", "a/b/c", "a/d", "ab", "b/c", "b/c/d", "e"])
OPS = st.sampled_from(["MatMul", "Add", "a"])
NODES = st.dictionaries(NAMES, st.tuples(OPS, st.integers(0, 9) | st.integers(2**61, 2**63 - 1)), min_size=1)


def side(nodes: dict[str, tuple[str, int]], steps: int) -> Side:
    figures: dict[str, Figures] = {name: {"params": value} for name, (_, value) in nodes.items()}
    runs = [(name, 0, {"bytes": value}) for name, (_, value) in nodes.items()]
    ops = {name: op for name, (op, _) in nodes.items()}
    return side_of(figures, ops=ops, runs=runs, steps=range(steps))


def by_hand(nodes: dict[str, tuple[str, int]], subject: Subject) -> dict[str, int]:
    sums: dict[str, int] = defaultdict(int)
    for name, (op, value) in nodes.items():
        parts = name.split("/")
        scopes = ["/".join(parts[: depth + 1]) for depth in range(len(parts))]
        for row in {Subject.NODE: [name], Subject.SCOPE: scopes, Subject.OP: [op]}[subject]:
            sums[row] += value
    return sums


@pytest.mark.thorough
@given(base=NODES, head=NODES, old_steps=st.integers(1, 3), new_steps=st.integers(1, 3))
def test_every_row_is_the_exact_sum_over_its_nodes(
    base: dict[str, tuple[str, int]], head: dict[str, tuple[str, int]], old_steps: int, new_steps: int
) -> None:
    old, new = side(base, old_steps), side(head, new_steps)
    comparison = compare(old, new)
    subjects = Subjects(new, comparison)
    called = zip(*(comparison.nodes[column].to_pylist() for column in ("base_name", "name")), strict=True)
    base = {name: base[old_name] for old_name, name in called if old_name}
    for subject in (Subject.NODE, Subject.SCOPE, Subject.OP):
        names = subjects.names(subject).to_pylist()
        assert set(names) == {*by_hand(base, subject), *by_hand(head, subject)}
        for metric, steps in (("params", (1, 1)), ("bytes", (old_steps, new_steps))):
            rows = subjects.figures(subject, metric)
            for nodes, count, values in zip((base, head), steps, (rows.base, rows.head), strict=True):
                expected = by_hand(nodes, subject)
                found = {
                    name: Fraction(int(value), rows.divisor) for name, value in zip(names, values, strict=True) if value
                }
                assert found == {name: Fraction(value, count) for name, value in expected.items() if value}


@pytest.mark.thorough
@given(base=NODES, head=NODES)
def test_rows_with_all_of_head_accepted_are_those_of_head(
    base: dict[str, tuple[str, int]], head: dict[str, tuple[str, int]]
) -> None:
    old, new = side(base, 2), side(head, 3)
    subjects = Subjects(new, compare(old, new))
    everywhere = subjects.nodes("bytes")[0].values == subjects.nodes("bytes")[0].values
    for subject in (Subject.NODE, Subject.SCOPE, Subject.OP):
        accepted = subjects.base_with(subject, "bytes", everywhere)
        assert accepted.tolist() == subjects.figures(subject, "bytes").head.tolist()


@given(head=NODES)
def test_without_a_base_rows_are_those_of_head(head: dict[str, tuple[str, int]]) -> None:
    subjects = Subjects(side(head, 1), None)
    for subject in (Subject.NODE, Subject.SCOPE, Subject.OP):
        rows = subjects.figures(subject, "params")
        found = dict(zip(subjects.names(subject).to_pylist(), rows.head.tolist(), strict=True))
        assert found == by_hand(head, subject)
