from __future__ import annotations

import pyarrow as pa
import pytest

from tfprof_report.errors import OptionError
from tfprof_report.views.patterns import check, is_valid, is_wanted, matches, matches_any

NAMES = ["", "a", "b", "ab", "A", "a+", "a\nb", "é", "a.b", "a\\E"]


def found(pattern: str) -> list[str]:
    return [name for name, hit in zip(NAMES, matches(pa.array(NAMES), pattern), strict=True) if hit]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("a", ["a"]),
        ("", [""]),
        ("a|b", ["a", "b"]),
        ("a.*", ["a", "ab", "a+", "a.b", "a\\E"]),
        ("(?s)a.*", ["a", "ab", "a+", "a\nb", "a.b", "a\\E"]),
        ("(?i)A", ["a", "A"]),
        ("^a$", ["a"]),
        (r"\pL", ["a", "b", "A", "é"]),
        ("[[:alpha:]]", ["a", "b", "A"]),
        (r"\w", ["a", "b", "A"]),
        (".", ["a", "b", "A", "é"]),
        (r"a\.b", ["a.b"]),
        (r"a\z", ["a"]),
    ],
)
def test_a_pattern_matches_whole_names_in_the_dialect_of_re2(pattern: str, expected: list[str]) -> None:
    assert found(pattern) == expected


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [(r"\Qa+", ["a+"]), (r"\Qa+\E", ["a+"]), (r"a\Q", ["a"]), (r"\Qa\E.\Qb", ["a.b"]), (r"a\\E", ["a\\E"])],
)
def test_an_open_quotation_ends_with_the_pattern(pattern: str, expected: list[str]) -> None:
    assert found(pattern) == expected


@pytest.mark.parametrize("pattern", ["(", "a)|(b", "[", "*", "(?=a)", "(?<!a)b", r"(a)\1", "a{1001}", "a++", "(?>a)"])
def test_what_re2_refuses_by_itself_is_invalid_and_matches_nothing(pattern: str) -> None:
    assert not is_valid(pattern)
    assert found(pattern) == []
    with pytest.raises(OptionError) as caught:
        check(["ok", pattern], option="--show-name-regexes")
    assert str(caught.value).startswith(f'--show-name-regexes: "{pattern}" is not a valid regex: ')


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("(a", "missing )"),
        ("b(?=a)", 'invalid perl operator at "(?="'),
        ("x[z-a]y", 'invalid character class range at "z-a"'),
        ("a{1001}", 'invalid repetition size at "{1001}"'),
    ],
)
def test_an_invalid_pattern_is_refused_with_the_reason_and_the_part_that_re2_stumbles_over(
    pattern: str, reason: str
) -> None:
    with pytest.raises(OptionError, match="not a valid regex") as caught:
        check([pattern], option="--show-name-regexes")
    assert f": {reason}; use RE2 syntax, which has no look-around" in str(caught.value)


def test_the_list_of_the_default_alone_matches_all_and_otherwise_the_dot_stops_at_a_newline() -> None:
    names = pa.array(["a", "a\nb"])
    assert is_wanted(names, (".*",)).tolist() == [True, True]
    assert matches_any(names, (".*",)).tolist() == [True, False]  # trim and hide patterns
    assert matches_any(names, (".*", "x")).tolist() == [True, False]
    assert matches_any(names, ()).tolist() == [False, False]
    assert matches_any(names, ("(", "a")).tolist() == [True, False]


def test_a_hostile_pattern_takes_linear_time() -> None:
    assert not matches(pa.array(["a" * 5000 + "b"]), "(a*)*(a*)*c").any()
