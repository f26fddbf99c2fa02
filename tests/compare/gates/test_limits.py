"""A gate on whole columns gives exactly the same results as on single figures."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from exact_limits import holds
from hypothesis import given
from hypothesis import strategies as st

from tfprof_report.compare.exact_figures import add_up, times
from tfprof_report.compare.gates.grammar import parse_gate
from tfprof_report.compare.gates.limits import hold_rows
from tfprof_report.compare.gates.subjects import RowFigures
from tfprof_report.compare.gates.verdict import GateStatus

SMALL = st.integers(-5, 5)
LARGE = st.integers(-(2**90), 2**90)
FIGURES = st.lists(st.tuples(SMALL, SMALL) | st.tuples(LARGE, LARGE) | st.tuples(LARGE, SMALL), min_size=1, max_size=5)
LIMITS = st.one_of(
    st.integers(0, 10**29).map(str), st.integers(0, 10).map(str), st.decimals(0, 200, places=20).map("{:f}".format)
)


def rows_of(pairs: list[tuple[int, int]], divisor: int = 1) -> RowFigures:
    count = len(pairs)
    exact = (np.array([pair[side] for pair in pairs], dtype=object) for side in (0, 1))
    # As `add_up` returns them: int64 where all of them fit.
    base, head = (add_up(values, np.arange(count), count) for values in exact)
    if all(abs(value) < 2**50 for pair in pairs for value in pair):
        base, head = base.astype(np.int64), head.astype(np.int64)
    known, none = np.ones(count, dtype=bool), np.zeros(count, dtype=np.int64)
    return RowFigures(
        base=base,
        head=head,
        base_known=known,
        head_known=known,
        base_unknown=none,
        head_unknown=none,
        base_open=none,
        head_open=none,
        cancelled=none,
        left_out=none,
        divisor=divisor,
    )


@given(
    pairs=FIGURES,
    divisor=st.integers(1, 7),
    bound=st.sampled_from(["<=", ">=", "=="]),
    sign=st.sampled_from(["", "+", "-"]),
    limit=LIMITS,
    percent=st.booleans(),
    floor=st.none() | LIMITS,
)
def test_a_column_is_judged_as_its_figures_are_one_by_one(
    pairs: list[tuple[int, int]], divisor: int, bound: str, sign: str, limit: str, *, percent: bool, floor: str | None
) -> None:
    has_floor = percent and sign and floor and bound != "=="
    other = f" or {sign}{floor}" if has_floor else ""
    gate = parse_gate(f"bytes {bound} {sign}{limit}{'%' if percent and sign else ''}{other}")
    outcomes = hold_rows(gate, rows_of(pairs, divisor))
    for row, (base, head) in enumerate(pairs):
        is_allowed = holds(gate, Fraction(base, divisor), Fraction(head, divisor))
        assert outcomes.status(row) is (GateStatus.PASSED if is_allowed else GateStatus.FAILED)
    assert not outcomes.open.any()
    assert not outcomes.unknown.any()


@pytest.mark.parametrize(
    ("text", "base", "allowed", "refused"),
    [
        # 5 % of 1000 bytes are 50: the floor counts. Of 2000 both are 100. Of 4000 the percentage counts.
        ("bytes <= +5% or +100", 1000, 1100, 1101),
        ("bytes <= +5% or +100", 2000, 2100, 2101),
        ("bytes <= +100 or +5%", 4000, 4200, 4201),
        ("bytes >= -5% or -100", 1000, 900, 899),
        ("bytes >= -5% or -100", 4000, 3800, 3799),
        ("bytes <= +5% or +64KiB", 0, 65536, 65537),
        ("bytes <= -5% or -100", 4000, 3900, 3901),  # less by either
        ("-5% or -10 <= bytes <= +0% or +7", 100, 107, 108),
        ("-5% or -10 <= bytes <= +0% or +7", 100, 90, 89),
        ("run_count <= +1% or +1M", 3, 1_000_003, 1_000_004),
    ],
)
def test_a_limit_with_a_floor_allows_what_is_within_either(text: str, base: int, allowed: int, refused: int) -> None:
    outcomes = hold_rows(parse_gate(text), rows_of([(base, allowed), (base, refused)]))
    assert [outcomes.status(row) for row in (0, 1)] == [GateStatus.PASSED, GateStatus.FAILED]
    assert (outcomes.excess[0] <= 0, outcomes.excess[1] > 0) == (True, True)


@given(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=6), st.integers(-(2**70), 2**70))
def test_products_and_sums_never_wrap(values: list[int], factor: int) -> None:
    column = np.array(values, dtype=np.int64)
    assert times(column, factor).tolist() == [value * factor for value in values]
    assert add_up(column, np.zeros(len(values), dtype=np.int64), 1).tolist() == [sum(values)]
