"""Whole models in every form of export: each has the multiply-adds and parameters of the model's layers."""

from __future__ import annotations

import importlib.util
from types import ModuleType

import pytest
from examples import every
from repository import ROOT

from tfprof_report.model.parts.twice_built import find_copies

MACS = {
    "resnet50": 3_857_973_248,
    "mobilenet_v1": 568_740_352,
    "mobilenet_v2": 300_774_272,
    "efficientnet_b0": 385_814_752,
    "lstm": 20 * (32 + 64) * 4 * 64 + 64 * 2,
    "transformer": 2 * (4 * 20 * 32 * 32 + 2 * 20 * 20 * 32 + 2 * 20 * 32 * 128) + 32 * 2,
    "stacked": 20 * ((32 + 64) * 4 * 64 + (64 + 32) * 3 * 32 + (32 + 64) * 4 * 64) + 64 * 2,
    "conv_lstm": 6 * 9 * (16 * 16 * (3 + 8) * 4 * 8 + 7 * 7 * (8 + 4) * 4 * 4) + 4 * 2,
    "gathered": 32 * 2,
    "tied": 20 * (32 + 32) * 3 * 32 + 20 * 32 * 1000,
    "encoder_decoder": 2 * 20 * (32 + 64) * 4 * 64 + 4 * 20 * 64 * 64 + 2 * 20 * 20 * 64 + 20 * 64 * 1000,
}
"""Counted from the layers; for the first four as in their papers: 3.86 G, 0.569 G, 0.301 G, 0.386 G."""

PARAMS = {
    "resnet50": 25_636_712,
    "mobilenet_v1": 4_253_864,
    "mobilenet_v2": 3_538_984,
    "efficientnet_b0": 5_330_571 - 7,  # without the data statistics of its normalisation
    "lstm": 1000 * 32 + (32 + 64 + 1) * 4 * 64 + (64 + 1) * 2,
    "transformer": 1000 * 32 + 2 * (4 * (32 + 1) * 32 + 4 * 32 + (32 + 1) * 128 + (128 + 1) * 32) + (32 + 1) * 2,
    "stacked": 2 * (32 + 64 + 1) * 4 * 64 + (64 + 32 + 1) * 3 * 32 + (64 + 1) * 2,
    "conv_lstm": (9 * (3 + 8) + 1) * 4 * 8 + (9 * (8 + 4) + 1) * 4 * 4 + (4 + 1) * 2,
    "gathered": 1000 * 32 + 20 * 32 + (32 + 1) * 2,
    "tied": 1000 * 32 + (32 + 32 + 1) * 3 * 32,
    "encoder_decoder": 1000 * 32 + 2 * (32 + 64 + 1) * 4 * 64 + 4 * (64 + 1) * 64 + (64 + 1) * 1000,
}


@pytest.fixture(scope="session")
def flops_table() -> ModuleType:
    spec = importlib.util.spec_from_file_location("flops_table", ROOT / "ci" / "flops_table.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def exports(flops_table: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> tuple[list, dict]:
    folder = tmp_path_factory.mktemp("whole_models")
    flops_table.unpack(folder)
    return flops_table.open_models(folder)


@pytest.mark.parametrize("name", every(4, MACS))
def test_every_form_has_the_macs_and_parameters_of_the_layers(
    name: str, flops_table: ModuleType, exports: tuple[list, dict]
) -> None:
    (model,) = [each for each in exports[0] if each.name == name]
    counted = {form: model.count(form) for form in flops_table.FORMS}
    statistics = {form: 6 if name == "efficientnet_b0" and form in ("tf1", "called") else 0 for form in counted}
    assert {form: each.macs for form, each in counted.items()} == dict.fromkeys(counted, MACS[name])
    assert {form: each.total("contraction") for form, each in counted.items()} == {
        form: 2 * each.macs for form, each in counted.items()
    }
    params = {form: each.params - statistics[form] for form, each in counted.items() if form != "optimised"}
    assert params == dict.fromkeys(params, PARAMS[name])
    assert {form: dict(each.uncounted) for form, each in counted.items()} == {form: {} for form in counted}


@pytest.mark.thorough
def test_nothing_differs_from_the_layers_and_from_tensorflows_own_profiler(
    flops_table: ModuleType, exports: tuple[list, dict]
) -> None:
    assert list(flops_table.compare(exports[0])) == []


@pytest.mark.thorough
def test_the_page_is_what_the_shipped_exports_give(flops_table: ModuleType, exports: tuple[list, dict]) -> None:
    """Run ``python ci/flops_table.py`` after a change of rules to write it again."""
    assert flops_table.TARGET.read_text(encoding="utf-8") == flops_table.render(*exports)


def test_a_variable_of_unknown_size_is_unknown_and_not_zero(
    flops_table: ModuleType, exports: tuple[list, dict]
) -> None:
    """The convolutions of a function's graph have no figure if neither the graph nor the user gives shapes."""
    model = next(each for each in exports[0] if each.name == "mobilenet_v1")
    facts = model.facts | {"paths": model.facts["paths"] | {"function": {"output": "", "captured": {}}}}
    counted = flops_table.Model(name=model.name, folder=model.folder, facts=facts).count("function", whole=True)
    assert (counted.macs, counted.params) == (0, 0)
    assert (counted.uncounted["Conv2D"], counted.uncounted["DepthwiseConv2dNative"]) == (15, 13)


def test_the_second_signature_of_a_saved_model_is_noticed_and_its_saver_is_not(exports: tuple[list, dict]) -> None:
    model = next(each for each in exports[0] if each.name == "transformer")
    (noticed,) = find_copies(model.table("saved_model"))
    assert (noticed.code, noticed.examples) == ("built_twice", ("StatefulPartitionedCall_1",))
