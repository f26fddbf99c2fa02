from __future__ import annotations

import dataclasses
import importlib.util
import re
from types import ModuleType

import pytest
from repository import ROOT

from tfprof_report.semantics import Semantics

ROWS = 50


@pytest.fixture(scope="module")
def differences() -> ModuleType:
    spec = importlib.util.spec_from_file_location("differences", ROOT / "ci" / "differences.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_what_the_table_of_switches_makes(differences: ModuleType) -> None:
    assert differences.TARGET.read_text(encoding="utf-8") == differences.render()


def test_the_page_has_every_row_in_order(differences: ModuleType) -> None:
    numbers = [int(number) for number in re.findall(r"^\| (\d+) \|", differences.render(), re.MULTILINE)]
    assert numbers == sorted(numbers)
    assert set(numbers) == set(range(1, ROWS + 1))


def test_a_row_has_switches_or_behaves_alike_but_not_both(differences: ModuleType) -> None:
    switched = {switch.metadata["number"] for switch in dataclasses.fields(Semantics)} - {None}
    assert not switched & set(differences.ALIKE)


def test_every_switch_stands_in_the_page_once(differences: ModuleType) -> None:
    page = differences.render()
    assert {switch.name: page.count(f"| `{switch.name}` |") for switch in dataclasses.fields(Semantics)} == {
        switch.name: 1 for switch in dataclasses.fields(Semantics)
    }
