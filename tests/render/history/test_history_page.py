"""The page of a history: what it holds, that names are text, and that it stays light."""

from __future__ import annotations

import base64
import hashlib
import html
import re

import pytest
from indexed import index_row
from made_histories import made_history, nights
from repository import ROOT

from tfprof_report.history.history_data import History
from tfprof_report.render.history.history_content import history_content
from tfprof_report.render.history.history_page import OPEN, render_history_html

HOSTILE = "</script><img/src=x/onerror=alert(1)>\u202e\"'"


def page(history: History) -> str:
    return render_history_html(history, history_content(history))


@pytest.fixture(scope="module")
def small() -> str:
    return page(made_history({"m": nights(45)}, count=45, tags={"c30": ("v1",)}, gates=["params <= 12k"]))


@pytest.fixture(scope="module")
def many() -> str:
    return page(made_history({f"net-{each:03}": nights(45, model=f"net-{each:03}") for each in range(200)}, count=45))


def test_the_policy_allows_the_style_sheet_and_the_script_of_the_page_and_nothing_else(small: str) -> None:
    policy = html.unescape(re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', small)[0])
    (style,) = re.findall(r"<style>(.*?)</style>", small, re.DOTALL)
    (script,) = re.findall(r'<script type="module">(.*?)</script>', small, re.DOTALL)
    style_hash, script_hash = (
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (style, script)
    )
    assert policy == (
        f"default-src 'none'; img-src data:; style-src 'sha256-{style_hash}'; script-src 'sha256-{script_hash}'"
    )
    assert not re.search(r"<[a-z][^<>]* style=", small.replace(script, ""))


def test_the_page_carries_the_licence_of_the_library_that_draws(small: str) -> None:
    assert (ROOT / "report_templates" / "LICENSE.uPlot").read_text().strip() in small


def test_a_figure_has_a_picture_and_a_model_has_its_data(small: str) -> None:
    assert re.findall(r'<figure class="wide" id="([^"]*)"', small) == [
        f"model-1-{stem}" for stem in ("float_ops", "params", "device_peak_bytes", "wall_micros")
    ]
    assert small.count("<svg ") - small.count('<svg x="') == 4
    assert re.findall(r'<script type="application/octet-stream" data-encoding="gzip" id="([^"]*)"', small) == [
        "data-model-1"
    ]
    assert 'id="index"' not in small  # of one model the table of figures says the same
    assert "<nav" not in small


def test_the_same_history_gives_the_same_page(small: str) -> None:
    again = page(made_history({"m": nights(45)}, count=45, tags={"c30": ("v1",)}, gates=["params <= 12k"]))
    assert again == small


def test_names_are_text_wherever_they_come_from() -> None:
    rows = [index_row("c0", params=1, options=HOSTILE), index_row("c2", params=2)]
    history = made_history(
        {"m": rows}, count=3, tags={"c2": (HOSTILE,)}, store=HOSTILE, store_url=f"https://example.com/?{HOSTILE}"
    )
    made = page(history)
    assert "<img" not in made
    assert made.count("</script>") == 3
    assert html.escape("<img/src=x/onerror=alert(1)>\\u202e") in made


def test_models_beyond_the_first_are_built_when_they_are_opened(many: str) -> None:
    parts = many.split("<section ")[1:]
    assert len(parts) == 200
    assert ["<noscript>" in part for part in parts] == [False] * OPEN + [True] * (200 - OPEN)
    assert all(part.count('<figure class="wide"') == 4 for part in parts)
    assert len(re.findall('id="data-model-', many)) == 200


def test_a_page_of_200_models_has_few_elements_with_scripts(many: str) -> None:
    at_load = re.sub(r"<(noscript|style|script)[ >].*?</\1>", "", many, flags=re.DOTALL)
    assert len(re.findall(r"<[a-z]", at_load)) < 10_000
    assert len(many) < 6_000_000


def test_ten_thousand_reports_are_less_than_a_megabyte() -> None:
    made = page(made_history({"m": nights(10_000)}, count=10_000))
    assert len(made) < 1_000_000
    assert len(re.findall("<circle", made)) < 700


def test_a_model_without_a_report_of_the_commits_is_said_to_have_none() -> None:
    made = page(made_history({"a": [index_row("c0", params=1)], "b": [index_row("other", params=1)]}, count=1))
    assert "No commit of the list has a report that can be shown." in made
    assert 'id="data-model-2"' not in made
