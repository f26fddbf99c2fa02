"""docs/comparison.md is what today's code counts beside the recorded counts of other tools, and explains all of it."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from typing import Any

import compare_tools
import pytest
from repository import ROOT

PAGE = ROOT / "docs" / "comparison.md"


@pytest.fixture(scope="module")
def recorded() -> Any:
    return json.loads(compare_tools.RECORDED.read_text())


@pytest.fixture(scope="module")
def models(recorded: Any, tmp_path_factory: pytest.TempPathFactory) -> Sequence[Any]:
    found: Sequence[Any] = compare_tools.compared(tmp_path_factory.mktemp("comparison"), recorded)
    return found


@pytest.mark.thorough
def test_the_page_is_written_from_what_is_recorded_and_counted_today(recorded: Any, models: Sequence[Any]) -> None:
    assert compare_tools.render(recorded, models) == PAGE.read_text()
    for name, tool in (("resnet50", "fvcore"), ("lstm", "torchinfo"), ("transformer", "keras_flops")):
        other = copy.deepcopy(recorded)
        figures = other["models"][name][tool]
        figures["mult_adds" if tool == "torchinfo" else "flops"] += 1
        with pytest.raises(ValueError, match="the difference is"):
            compare_tools.render(other, models)
        other = copy.deepcopy(recorded)
        other["models"][name]["fvcore"]["params"] += 1
        with pytest.raises(ValueError, match=r"^parameters of"):
            compare_tools.render(other, models)


@pytest.mark.thorough
def test_keras_flops_counts_what_the_rules_of_tensorflow_count(recorded: Any, models: Sequence[Any]) -> None:
    ours = {model.name: model.count_as_tensorflow("frozen").total() for model in models}
    assert ours == {name: found["keras_flops"]["flops"] for name, found in recorded["models"].items()}


def test_the_figures_on_the_page_are_those_that_were_recorded(recorded: Any) -> None:
    text = PAGE.read_text()
    rows = [line.strip("|").split("|") for line in text.split("## FLOPs and multiply-adds")[1].splitlines()[4:9]]
    shown = [[int(cell.replace(",", "")) for cell in cells[1:]] for cells in rows]
    names = ("resnet50", "mobilenet_v2", "efficientnet_b0", "lstm", "transformer")
    assert sorted(names) == sorted(recorded["models"])
    for name, (macs, fvcore, torchinfo, twice, _, keras_flops) in zip(names, shown, strict=True):
        found = recorded["models"][name]
        assert twice == 2 * macs
        assert (fvcore, torchinfo) == (found["fvcore"]["flops"], found["torchinfo"]["mult_adds"])
        assert keras_flops == found["keras_flops"]["flops"] == sum(found["keras_flops"]["by_op"].values())
        assert fvcore == sum(found["fvcore"]["by_operator"].values())
    assert [row[0] for row in shown[:3]] == [3_857_973_248, 300_774_272, 385_814_752]
    assert recorded["date"] in text
    assert {f"{name} {version}" in text.replace("\n", " ") for name, version in recorded["versions"].items()} == {True}
