from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfprof_report.compare.gates.globs import check_glob, matches
from tfprof_report.errors import OptionError

NAMES = ["a", "a/b", "a/b/c", "a/bc", "b", "x/a", "x/y/a", "a.b", "a/", "[", "A"]


def found(glob: str, names: list[str] = NAMES) -> list[str]:
    return [name for name, hit in zip(names, matches(pa.array(names), glob), strict=True) if hit]


@pytest.mark.parametrize(
    ("glob", "expected"),
    [
        ("a", ["a"]),
        ("*", ["a", "b", "a.b", "[", "A"]),
        ("**", NAMES),
        ("a/*", ["a/b", "a/bc", "a/"]),
        ("a/**", ["a/b", "a/b/c", "a/bc"]),
        ("**/a", ["a", "x/a", "x/y/a"]),
        ("x/**/a", ["x/a", "x/y/a"]),
        ("a**", ["a", "a/b", "a/b/c", "a/bc", "a.b", "a/"]),
        ("a/?", ["a/b"]),
        ("a?b", ["a.b"]),
        ("[ab]", ["a", "b"]),
        ("[a-z]/b", ["a/b"]),
        ("[!b]", ["a", "[", "A"]),
        ("[[]", ["["]),
        ("a.b", ["a.b"]),
        ("nothing", []),
        ("**/c", ["a/b/c"]),
    ],
)
def test_a_glob_matches_whole_names(glob: str, expected: list[str]) -> None:
    assert found(glob) == expected


@pytest.mark.parametrize("character", ["]", "^", "\\", "-", "!"])
def test_a_set_may_hold_any_character(character: str) -> None:
    assert found(f"x[{character}]", [f"x{character}", "xa", "x/", "x"]) == [f"x{character}"]
    if character != "!":
        assert found(f"x[!{character}]", [f"x{character}", "xa", "x/", "x"]) == ["xa"]


def test_names_are_data() -> None:
    hostile = ["a\nb", "a\x00b", "é/ü", "a|b", "x" * 10_000]
    assert found("**", hostile) == hostile
    assert found("a?b", hostile) == ["a\nb", "a\x00b", "a|b"]
    assert found("?/ü", hostile) == ["é/ü"]
    assert found("a/**\n", ["a/\n", "a/b\n", "a/b"]) == ["a/\n", "a/b\n"]


@given(st.text(st.sampled_from("ab/[]*?!^$.|(){}\\+- \n\0"), min_size=1))
def test_a_name_is_a_glob_of_itself_if_its_special_characters_stand_in_brackets(name: str) -> None:
    glob = "".join(f"[{letter}]" if letter in "[*?" else letter for letter in name)
    check_glob(glob, option="--gate")
    assert found(glob, [name, name + "x", "x" + name]) == [name]


@given(st.text())
def test_any_text_is_a_glob_or_one_clear_line(glob: str) -> None:
    message = ""
    try:
        check_glob(glob, option="--gate")
    except OptionError as error:
        message = str(error)
    assert message.isprintable() if message else len(matches(pa.array(NAMES), glob)) == len(NAMES)


@pytest.mark.parametrize(
    ("glob", "reason"),
    [
        ("", "the glob is empty; ** matches every name"),
        ("a/[b", 'a "[" of the glob "a/[b" has no "]"; write "[[]" for the character'),
        ("[z-a]", 'the glob "[z-a]" cannot be read; check what is in [ ]'),
    ],
)
def test_a_glob_that_is_none_is_refused_with_the_reason(glob: str, reason: str) -> None:
    with pytest.raises(OptionError) as caught:
        check_glob(glob, option="gate 3")
    assert str(caught.value) == f"gate 3: {reason}"
