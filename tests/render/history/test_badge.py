"""Badges: the newest figure in the endpoint format of shields.io, coloured by its budget."""

from __future__ import annotations

import json
from typing import Any

import pytest
from indexed import model_of

from tfprof_report.render.history.badge import render_badge


def badge(value: int | None, least: int | None = None, *gates: str, is_named: bool = False) -> Any:
    model = model_of({"params": [1, value], "params_at_least": [None, least]}, name="net", gates=gates)
    return json.loads(render_badge(model, "params", is_named=is_named))


def test_a_badge_has_the_newest_figure() -> None:
    model = model_of({"device_peak_bytes": [1, 3 << 19]}, name="net")
    assert render_badge(model, "device_peak_bytes", is_named=True) == (
        '{"schemaVersion": 1, "label": "net device peak memory", "message": "1.50 MiB", "color": "blue"}\n'
    )


@pytest.mark.parametrize(
    ("value", "color"), [(94, "brightgreen"), (95, "yellow"), (100, "yellow"), (101, "red")], ids=str
)
def test_the_colour_is_where_the_figure_stands_to_its_budget(value: int, color: str) -> None:
    assert badge(value, None, "params <= 100")["color"] == color


@pytest.mark.parametrize(
    ("gates", "color"), [((), "blue"), (("params <= 100",), "lightgrey"), (("params <= 40",), "red")], ids=str
)
def test_a_lower_bound_is_never_green(gates: tuple[str, ...], color: str) -> None:
    assert badge(None, 50, *gates) == {"schemaVersion": 1, "label": "parameters", "message": "≥ 50", "color": color}


@pytest.mark.parametrize("gates", [(), ("params <= 100",)], ids=str)
def test_an_unknown_figure_is_an_error_and_never_green(gates: tuple[str, ...]) -> None:
    expected = {"message": "unknown", "color": "lightgrey", "isError": True}
    assert badge(None, None, *gates) == {"schemaVersion": 1, "label": "parameters", **expected}


def test_a_figure_that_no_report_has_is_unknown() -> None:
    content = json.loads(render_badge(model_of({"params": [1]}), "float_ops", is_named=True))
    assert (content["label"], content["message"]) == ("m FLOPs", "unknown")
