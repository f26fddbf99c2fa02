"""Many layers in few words."""

from __future__ import annotations

import pytest

from tfprof_report.compare.causes.folded_names import FoldedNames, beginnings

RESNET = [f"unit_{stage}_{unit}/{part}" for stage in (1, 2) for unit in range(3) for part in ("conv1", "conv2")]


def test_a_stage_stands_for_its_units() -> None:
    names = FoldedNames([*RESNET, "logits"])
    assert names.fold([name for name in RESNET if name.startswith("unit_2")]) == "unit_2"
    assert names.fold([*(name for name in RESNET if name.startswith("unit_2")), "logits"]) == "unit_2 and logits"


def test_units_in_a_row_are_the_first_and_the_last() -> None:
    names = FoldedNames([f"block_{number}" for number in range(10)])
    assert names.fold([f"block_{number}" for number in (2, 3, 4, 8)]) == "block_2 to block_4 and block_8"


def test_a_single_layer_keeps_its_name() -> None:
    assert FoldedNames(RESNET).fold(["unit_1_0/conv2"]) == "unit_1_0/conv2"
    assert FoldedNames(["dense"]).fold(["dense"]) == "dense"


def test_more_than_three_names_are_counted() -> None:
    assert FoldedNames("abcdefghij").fold("abcde") == "a, b, c and 2 more"


def test_nearly_all_layers_are_counted_only() -> None:
    assert FoldedNames(["a", "b", "c", "d", "e"]).fold(["a", "b", "c", "d"]) == "4 of 5 layers"


def test_nodes_in_no_layer_have_no_name() -> None:
    assert FoldedNames(["a", None]).fold(["a", None]) == "a"
    assert FoldedNames(["a", None]).fold([None]) == "nothing"


def test_numbers_may_have_any_number_of_digits() -> None:
    first, second = (f"layer/x_{'1' * 5000}{last}" for last in "12")
    assert FoldedNames([first, second, "a", "b"]).fold([first, second]) == "layer"
    assert FoldedNames([first, second, "layer/a", "layer/b"]).fold([first, second]) == f"{first} to {second}"


@pytest.mark.parametrize("long", ["7" * 5000, "1a" * 5000, "a/" * 5000, "a\n" * 5000])
def test_long_names_are_names_like_others(long: str) -> None:
    """Python converts no numbers of more than 4,300 digits, and all beginnings of a name take its length squared."""
    names = [f"d{long}{number}" for number in range(10)]
    assert FoldedNames(names).fold(names[:3]) == f"{names[0]} to {names[2]}"
    assert sum(map(len, beginnings(names[0]))) < 20 * len(names[0])


def test_beginnings_end_with_numbers_and_scopes() -> None:
    assert list(beginnings("unit_1_2/conv1")) == ["unit_1", "unit_1_2", "unit_1_2/conv1"]
    assert list(beginnings("a/b")) == ["a", "a/b"]
    assert list(beginnings("/a")) == ["/a"]
