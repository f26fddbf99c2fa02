from __future__ import annotations

from fractions import Fraction

import pytest
from columned import column, four_models, side_by_side

from tfprof_report.compare.gates.reference import PastTotal
from tfprof_report.side_by_side.differences import Figure, Standing, compare

TEN, NOTHING, AT_LEAST_TEN = PastTotal(value=Fraction(10)), PastTotal(), PastTotal(value=Fraction(10), unknown=1)


@pytest.mark.parametrize(
    ("first", "total", "standing"),
    [
        (TEN, TEN, Standing.COMPARED),
        (TEN, NOTHING, Standing.UNKNOWN),
        (TEN, AT_LEAST_TEN, Standing.LOWER_BOUND),
        (NOTHING, TEN, Standing.FIRST_UNKNOWN),
        (AT_LEAST_TEN, TEN, Standing.FIRST_LOWER_BOUND),
        (NOTHING, NOTHING, Standing.UNKNOWN),
    ],
)
def test_only_figures_that_are_wholly_known_are_subtracted(
    first: PastTotal, total: PastTotal, standing: Standing
) -> None:
    found = compare(first, total, is_first=False, is_apart=False)
    assert found.standing is standing
    assert (found.delta is not None) == (standing is Standing.COMPARED)


def test_what_is_counted_otherwise_is_not_subtracted() -> None:
    found = compare(TEN, PastTotal(value=Fraction(20)), is_first=False, is_apart=True)
    assert (found.standing, found.delta, found.percent) == (Standing.OTHERWISE, None, None)


def test_differences_are_exact_and_in_percent_of_the_first() -> None:
    large = 2**62
    found = side_by_side(column("a", params=large, wall_micros=1.5), column("b", params=large + 1, wall_micros=3.0))
    params, _, wall = (row.figures[1] for row in found.rows)
    assert params.delta == 1
    assert (wall.delta, wall.percent) == (Fraction(3, 2), 100.0)


def test_from_0_there_is_no_percentage() -> None:
    found = side_by_side(column("a", params=0), column("b", params=5)).rows[0].figures[1]
    assert found == Figure(total=PastTotal(value=Fraction(5)), standing=Standing.COMPARED, delta=Fraction(5))


def test_a_figure_that_no_report_knows_has_no_row() -> None:
    stems = [row.stem for row in side_by_side(*four_models()).rows]
    assert stems == ["params", "float_ops", "definition_count", "device_peak_bytes", "wall_micros"]


def test_a_report_of_which_nothing_is_compared_is_inconclusive() -> None:
    other = column("b", params=1, counting_version=2)
    found = side_by_side(column("a", params=1), column("c", params=2), other)
    assert found.compared == (None, 2, 0)
    assert (found.is_conclusive, found.exit_code) == (False, 5)


def test_a_report_of_no_nodes_is_inconclusive() -> None:
    found = side_by_side(column("a", params=1), column("b", params=0, definition_count=0))
    assert (found.empty, found.exit_code) == ((1,), 5)


def test_reports_of_the_same_files_are_found() -> None:
    digests = ("x", "y", "x", None, None)
    columns = [column(name, params=1, inputs=digest) for name, digest in zip("abcde", digests, strict=True)]
    assert side_by_side(*columns).same_as == (None, None, 0, None, None)
