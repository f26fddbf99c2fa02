"""A record is what a frozen dataclass with slots is, but that only the type checker keeps its fields as they are."""

from __future__ import annotations

import copy
import pickle
from dataclasses import dataclass, field, fields, replace

import pytest

from tfprof_report.record import record


@record
class Point:
    """A point."""

    x: int
    y: int = 0


@record
class Named(Point):
    """A point with a name of its own."""

    name: str

    def __repr__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """What a point is made like."""

    x: int
    y: int = 0


def test_values_compare_and_hash_by_their_fields_and_class() -> None:
    assert Point(x=1) == Point(x=1, y=0)
    assert Point(x=1) != Point(x=2)
    assert Point(x=1) != Named(x=1, name="a")
    assert Point(x=1) != (1, 0)
    assert {Point(x=1), Point(x=1), Point(x=2)} == {Point(x=1), Point(x=2)}
    assert hash(Point(x=1)) == hash(Model(x=1))
    assert Named(x=1, name="a") == Named(x=1, name="a")
    assert Named(x=1, name="a") != Named(x=1, name="b")


def test_a_value_is_shown_as_a_dataclass_is_unless_the_class_says_how() -> None:
    assert repr(Point(x=1)) == repr(Model(x=1)).replace("Model", "Point") == "Point(x=1, y=0)"
    assert repr(Named(x=1, name="a")) == "a"


def test_the_functions_of_dataclasses_take_it() -> None:
    assert [each.name for each in fields(Named)] == ["x", "y", "name"]
    assert replace(Point(x=1), y=2) == Point(x=1, y=2)


def test_it_has_slots_and_fields_go_by_name_only() -> None:
    assert not hasattr(Point(x=1), "__dict__")
    with pytest.raises(TypeError, match="positional"):
        Point(1)  # type: ignore[misc]  # what mypy refuses, Python has to refuse too


def test_it_is_copied_and_pickled() -> None:
    assert copy.deepcopy(Point(x=1)) == pickle.loads(pickle.dumps(Point(x=1))) == Point(x=1)


@record
class Counted(Point):
    """A point that makes a list of its own, and looks at its fields."""

    seen: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.seen.append(self.x)


def test_defaults_are_made_for_each_value_and_what_comes_after_is_called() -> None:
    first, second = Counted(x=1), Counted(x=2, seen=[1])
    assert (first.seen, second.seen, Counted(x=3).seen) == ([1], [1, 2], [3])


@pytest.mark.parametrize("given", [{}, {"x": 1, "z": 2}], ids=["missing", "unknown"])
def test_fields_that_are_missing_or_unknown_are_refused(given: dict[str, int]) -> None:
    with pytest.raises(TypeError, match=r"Named\.__init__\(\) .* argument"):
        Named(name="a", **given)
    assert Named(name="a", x=1).x == 1
