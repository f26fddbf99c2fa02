"""Reports in a cell of a notebook: what they show, and that they neither do anything nor change the page around."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from command import WHEN, small_model, write_model
from lxml import html
from messages import graph
from pages import HOSTILE, hostile_nodes

import tfprof_report as tr
from tfprof_report.render.files.templates import read_asset
from tfprof_report.render.html.notebook_cell import render_reports_cell

HANDLERS = re.compile(r"on\w+")


def shown(page: str) -> Any:
    """Return the element of a cell, which has to be inert: no scripts, no requests, no forms, no handlers."""
    top = html.fragment_fromstring(page)
    assert (top.tag, top.get("class")) == ("div", "tfprof-cell")
    tags = {each.tag for each in top.iter() if isinstance(each.tag, str)}
    assert not tags & {"script", "iframe", "img", "link", "object", "embed", "form", "input", "base", "meta", "a"}
    names = {name for each in top.iter() for name in each.keys()}  # noqa: SIM118 elements of lxml
    assert not {name for name in names if HANDLERS.fullmatch(name)}
    assert not names & {"src", "href", "style", "action", "srcset", "xlink:href"}
    return top


@pytest.fixture
def models(tmp_path: Path) -> tuple[Path, Path]:
    return small_model(tmp_path / "base"), small_model(tmp_path / "head", width=5, float_ops=30)


def test_one_model_is_shown_by_its_figures(models: tuple[Path, Path]) -> None:
    top = shown(tr.make_report(models[0], label="net", timestamp=WHEN, config="none")._repr_html_())
    words = " ".join(top.text_content().split())
    assert top.find_class("headline")[0].text_content() == "\N{EN DASH} Nothing was judged: no gates were set"
    assert [each.text_content().strip() for each in top.find_class("figures")[0].iter("dt")] == [
        "FLOPs",
        "Parameters",
        "Peak memory",
        "Time per step",
    ]
    assert "net" in words
    assert "12" in words
    assert top.find_class("made")


def test_a_comparison_is_shown_by_its_verdict_gates_and_causes(models: tuple[Path, Path]) -> None:
    made = tr.make_diff(*models, gate=["params <= +0", "float_ops <= +90%"], timestamp=WHEN, config="none")
    top = shown(made._repr_html_())
    assert top.find_class("headline")[0].text_content().endswith("Do not merge yet: 1 of 2 gates fails")
    rows = [" ".join(row.text_content().split()) for row in top.xpath(".//table[@class='gates']/tbody/tr")]
    assert [row.partition(" 12")[0] for row in rows[:1]] == ["\N{MULTIPLICATION X} failed Parameters"]
    assert len(rows) == 2
    assert top.find_class("waterfall")
    assert not top.find_class("figures")


def test_names_are_text(tmp_path: Path) -> None:
    base = write_model(tmp_path / "base", graph(*hostile_nodes(width=4)))
    head = write_model(tmp_path / "head", graph(*hostile_nodes(width=9)))
    for made in (
        tr.make_report(head, label=HOSTILE[0], commit=HOSTILE[1], config="none"),
        tr.make_diff(base, head, gate="params <= +0", label=HOSTILE[1], base_label=HOSTILE[0], config="none"),
    ):
        assert HOSTILE[0] in shown(made._repr_html_()).text_content()


def test_names_of_reports_are_text() -> None:
    keys = {"model": HOSTILE[0], "commit": HOSTILE[1], "timestamp": HOSTILE[2]}
    total = {"metric": "params", "value": None, "exact": None, "at_least": 2.0**60, "unknown": 3}
    top = shown(render_reports_cell(HOSTILE[0], [{**keys, "outcome": "failed"}], [{**keys, **total}]))
    (row,) = top.xpath(".//tbody/tr")
    assert [each.text_content() for each in row] == [
        HOSTILE[0],
        HOSTILE[1][:12],
        HOSTILE[2],
        "FAILED",
        "unknown",
        "at least 1.15 E",
        "unknown",
        "unknown",
    ]


def test_of_many_reports_the_newest_are_listed_and_the_others_counted() -> None:
    verdicts = [{"model": "m", "commit": f"{n:040}", "timestamp": WHEN, "outcome": "ok"} for n in range(25)]
    top = shown(render_reports_cell("store", verdicts, []))
    assert len(top.xpath(".//tbody/tr")) == 20
    words = " ".join(top.text_content().split())
    assert "Shows 20 of 25 reports; 5 are left out (the tables have all)." in words
    assert "000000000005" not in top.xpath(".//tbody")[0].text_content()[:12]


def test_two_reports_of_a_page_have_no_id_in_common_and_one_report_always_the_same(models: tuple[Path, Path]) -> None:
    one, again, other = (
        tr.make_diff(*sides, gate="params <= +0", timestamp=WHEN, config="none")._repr_html_()
        for sides in (models, models, models[::-1])
    )
    ids = [{each.get("id") for each in shown(page).iter() if each.get("id")} for page in (one, other)]
    assert ids[0]
    assert not ids[0] & ids[1]
    assert one == again


def test_every_rule_is_about_the_cell_alone() -> None:
    style = re.sub(r"/\*.*?\*/", "", read_asset("cell.css"), flags=re.DOTALL)
    style = re.sub(r"@container [^{]+\{(.*)\}\s*$", r"\1", style, flags=re.DOTALL)
    selectors = re.findall(r"([^{}]+)\{", style)
    assert len(selectors) > 40
    for selector in selectors:
        parts = re.split(r",(?![^(]*\))", selector)  # commas within :is() part no rules
        assert all(part.strip().startswith(".tfprof-cell") for part in parts), selector
    assert "url(" not in style
    assert "@import" not in style
    assert "</" not in style
