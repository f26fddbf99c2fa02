from __future__ import annotations

import json
from io import BytesIO
from typing import Any

import pyarrow.parquet as pq
from columned import column, four_models, side_by_side
from strict_schema import checked

from tfprof_report.render.side_by_side.machine_files import (
    TIDY,
    render_side_by_side_json,
    render_side_by_side_parquet,
)
from tfprof_report.side_by_side.build import SideBySide


def rows(result: SideBySide) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pq.read_table(BytesIO(render_side_by_side_parquet(result))).to_pylist()
    return found


def row(result: SideBySide, name: str, figure: str, layer: str | None = None) -> dict[str, Any]:
    (found,) = (each for each in rows(result) if (each["name"], each["figure"], each["layer"]) == (name, figure, layer))
    return found


def test_a_figure_is_a_row_with_its_difference() -> None:
    found = row(side_by_side(*four_models()), "deep", "wall_micros")
    wanted = {"column": 1, "unit": "microseconds", "level": "model", "standing": "compared", "is_on_front": True}
    wanted |= {"value": 600.5, "exact": None, "delta": 100.5, "exact_delta": None, "unknown": 0, "at_least": None}
    assert {name: found[name] for name in wanted} == wanted
    assert round(found["percent"], 9) == 20.1


def test_a_lower_bound_is_no_value() -> None:
    found = row(side_by_side(*four_models()), "untimed", "float_ops")
    assert [found[name] for name in ("value", "exact", "at_least", "unknown", "standing", "delta", "is_on_front")] == [
        None,
        None,
        500.0,
        2,
        "lower bound",
        None,
        False,
    ]


def test_layers_are_rows_too() -> None:
    found = row(side_by_side(*four_models()), "</script><b>|", "float_ops", "stem")
    assert (found["level"], found["exact"], found["exact_delta"], found["percent"]) == ("layer", 1200, 600, 100.0)


def test_units_are_in_the_metadata_and_columns_are_those_of_the_schema() -> None:
    schema = pq.read_schema(BytesIO(render_side_by_side_parquet(side_by_side(*four_models()))))
    assert schema.names == TIDY.names
    units = json.loads(schema.metadata[b"tfprof_report.units"])
    assert (units["float_ops"], units["device_peak_bytes"], units["wall_micros"]) == ("count", "bytes", "microseconds")


def test_the_json_has_large_numbers_as_text() -> None:
    large = 2**60
    result = side_by_side(column("a", params=1), column("b", params=large))
    content = checked("compare", json.loads(render_side_by_side_json(result)))
    (params,) = (each for each in content["figures"] if each["figure"] == "params")
    assert params["of_columns"][1] == {
        "value": str(large),
        "at_least": None,
        "unknown_nodes": 0,
        "standing": "compared",
        "delta": str(large - 1),
        "percent": 1.1529215046068470e20,
    }


def test_the_json_says_what_is_on_the_front_and_what_is_counted_otherwise() -> None:
    result = side_by_side(*four_models(), column("old", params=1, counting_version=2))
    content = checked("compare", json.loads(render_side_by_side_json(result)))
    assert content["front"]["on"] == [0, 1]
    assert content["front"]["of_columns"][2] == {"is_on": False, "beaten_by": [0, 1], "lacks": []}
    assert content["columns"][4]["counted_otherwise"][0]["words"] == "by the counting version 2, not 3"
    assert (content["is_conclusive"], content["exit_code"]) == (False, 5)


def test_the_same_reports_give_the_same_bytes() -> None:
    for render in (render_side_by_side_json, render_side_by_side_parquet):
        assert render(side_by_side(*four_models())) == render(side_by_side(*four_models()))


def test_a_difference_beyond_int64_has_no_exact_column() -> None:
    found = row(side_by_side(column("a", params=-(2**63)), column("b", params=2**62)), "b", "params")
    assert (found["exact_delta"], found["delta"]) == (None, float(2**62 + 2**63))
