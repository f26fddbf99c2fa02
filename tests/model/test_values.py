from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from messages import entry, graph, node, op_log, ran, run_meta
from queries import CPU, table_of, view_of

from tfprof_report.errors import InputError
from tfprof_report.model.values import Measure, Measures, check_sum, node_measures
from tfprof_report.semantics import CORRECTED, TFPROF

MODEL = graph(node("a", "Mul"), node("b", "Mul"))
STEPS = (
    (2, run_meta({CPU: [ran("a", micros=5), ran("a", micros=2)]})),
    (9, run_meta({CPU: [ran("a", micros=8), ran("b", micros=1)]})),
)
TABLE = table_of(MODEL, *STEPS, op_log=op_log(entry("a", float_ops=10)))


def figures(step: int, semantics: Any = CORRECTED) -> dict[str, list[Any]]:
    measures = node_measures(TABLE, step=step, semantics=semantics)
    return {
        stem: measures[stem].to_arrow().to_pylist()
        for stem in ("cpu_micros", "run_count", "float_ops", "run_float_ops")
    }


def test_a_step_is_exact_and_the_mean_is_over_all_steps() -> None:
    assert figures(2) == {
        "cpu_micros": [7, 0],
        "run_count": [2, 0],
        "float_ops": [10, None],
        "run_float_ops": [20, None],
    }
    assert figures(-1) == {
        "cpu_micros": [7.5, 0.5],
        "run_count": [1.5, 0.5],
        "float_ops": [10, None],
        "run_float_ops": [15.0, None],
    }


def test_the_native_mean_is_over_the_steps_of_the_node_without_the_fraction() -> None:
    assert figures(-1, TFPROF) == {
        "cpu_micros": [7, 1],
        "run_count": [1, 1],
        "float_ops": [10, 0],
        "run_float_ops": [10, 0],
    }


def test_a_product_that_int64_does_not_hold_is_unknown() -> None:
    table = table_of(MODEL, *STEPS, op_log=op_log(entry("a", float_ops=2**62), entry("b", float_ops=2**62)))
    measure = node_measures(table, step=2, semantics=CORRECTED)["run_float_ops"]
    assert measure.to_arrow().to_pylist() == [None, 0]


@pytest.mark.parametrize("view", ["scope", "op"])
def test_a_total_that_leaves_the_64_bit_range_is_an_error_and_one_that_fits_is_exact(view: str) -> None:
    def of(first: int, second: int) -> Any:
        table = table_of(MODEL, op_log=op_log(entry("a", float_ops=first), entry("b", float_ops=second)))
        return view_of(table, view, select=("float_ops",)).total["float_ops"]

    assert of(2**62, 2**62 - 1) == 2**63 - 1
    with pytest.raises(InputError, match="the total of float_ops leaves the 64-bit range; check the numbers"):
        of(2**62, 2**62)


def test_sums_are_checked_by_magnitude_because_any_part_may_be_a_subtotal() -> None:
    check_sum(np.array([2**62, -(2**62) + 1]), "x")
    with pytest.raises(InputError):
        check_sum(np.array([2**62, -(2**62)]), "x")


def test_a_measure_takes_rows_and_row_minus_one_is_a_known_zero() -> None:
    measure = Measure.of_nodes(np.array([6, 0]), np.array([True, False]), divisor=4)
    taken = measure.take(np.array([1, -1, 0]))
    assert taken.to_arrow().to_pylist() == [None, 0.0, 1.5]
    assert measure.take(np.array([0, 1])) is measure  # all rows in their own order: nothing is copied
    nothing = Measure.of_nodes(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=bool))
    assert nothing.take(np.array([-1, -1])).to_arrow().to_pylist() == [0, 0]


def test_a_figure_is_computed_once_until_it_is_forgotten() -> None:
    asked: list[str] = []

    def compute(stem: str) -> Measure:
        asked.append(stem)
        return Measure.of_nodes(np.array([len(asked)]), np.array([True]))

    figures = Measures(["params", "bytes"], compute)
    assert [figures["params"].values[0], figures["params"].values[0]] == [1, 1]
    figures.forget("params")
    figures.forget("bytes")
    assert figures["params"].values[0] == 2
    assert asked == ["params", "params"]
