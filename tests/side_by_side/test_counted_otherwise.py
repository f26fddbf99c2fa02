from __future__ import annotations

import json
from typing import Any

import pytest
from columned import row_of

from tfprof_report.schema.index_columns import FIGURES
from tfprof_report.schema.metrics import ESTIMATED_PEAK
from tfprof_report.side_by_side.counted_otherwise import counted_otherwise

ALL = set(FIGURES)
OF_FLOPS = {"float_ops", "macs", "run_float_ops"}
OF_SIZES = {*OF_FLOPS, ESTIMATED_PEAK}


def options(**values: Any) -> dict[str, str]:
    return {"options": json.dumps(values)}


@pytest.mark.parametrize(
    ("columns", "words", "stems"),
    [
        ({"counting_version": 2}, "by the counting version 2, not 3", ALL),
        ({"semantics": "tfprof"}, "by the semantics tfprof, not corrected", ALL),
        ({"rules": "tfprof 1"}, "by the rules tfprof 1, not extended 3", OF_FLOPS),
        (options(count="contraction"), "with another --count", OF_FLOPS),
        (options(batch="8"), "with another --batch", OF_SIZES),
        (options(input_shape=["1,2"]), "with another --input-shape", OF_SIZES),
        (options(leave_out=["savers"]), "with another --leave-out", ALL),
        (options(step=1), "with another --step", ALL),
        (options(signature="predict"), "with another --signature", set()),
        ({"basis": "at batch 8 of x"}, "at batch 8 of x, not with the sizes of the graph alone", OF_SIZES),
    ],
)
def test_what_differs_and_which_figures_it_concerns(columns: dict[str, Any], words: str, stems: set[str]) -> None:
    (found,) = counted_otherwise(row_of(), row_of(**columns))
    assert found.words == words
    assert set(found.stems) == stems


def test_reports_that_are_counted_alike_do_not_differ() -> None:
    assert counted_otherwise(row_of(), row_of()) == ()


def test_the_same_batch_of_inputs_of_other_names_is_alike() -> None:
    assert counted_otherwise(row_of(basis="at batch 1 of x"), row_of(basis="at batch 1 of tokens")) == ()


@pytest.mark.parametrize("text", ["[", "[1]", None])
def test_an_index_of_other_content_is_no_error(text: str | None) -> None:
    found = counted_otherwise(row_of(), row_of(options=text))
    assert [each.words for each in found] == ([] if text is None else ["with another --options"])
