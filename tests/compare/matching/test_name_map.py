from __future__ import annotations

from pathlib import Path

import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from named_graphs import Graph, dense, matched, nodes_of, renamed

from tfprof_report.compare.comparison import MatchedBy, Rename
from tfprof_report.compare.matching.name_map import NameMap, read_name_map
from tfprof_report.errors import OptionError

MODEL: Graph = {
    "x": ("Placeholder", [], [-1, 4]),
    **dense("model/fc1", "x", 4),
    **dense("model/fc2", "model/fc1/Relu", 4),
}


def name_map(tmp_path: Path, text: str) -> NameMap:
    file = tmp_path / "names.toml"
    file.write_text(text)
    return read_name_map(str(file))


def partners(base: Graph, head: Graph, names: NameMap) -> dict[str, tuple[str, str]]:
    return matched(nodes_of(base), nodes_of(head), names)[0]


def test_a_map_is_read_as_it_is_written(tmp_path: Path) -> None:
    names = name_map(tmp_path, '[nodes]\n"a.b" = "c"\n"old" = false\n[prefixes]\n"model/" = "net"\n"" = "all/"\n')
    assert names.nodes == {"a.b": "c", "old": None}
    assert names.prefixes == {"model": "net", "": "all"}


def test_what_the_map_says_wins_over_names(tmp_path: Path) -> None:
    base: Graph = {"a": ("Relu", [], [2]), "b": ("Relu", [], [2]), "c": ("Relu", [], [2])}
    found = partners(base, base, name_map(tmp_path, '[nodes]\na = "b"\nc = false\n'))
    assert found == {"a": ("b", "map")}  # base's b lost its partner, and c has none


def test_a_prefix_is_for_all_below_it_and_for_the_node_called_so(tmp_path: Path) -> None:
    base: Graph = {name: ("Relu", [], [2]) for name in ("fc", "fc/read", "fc2/read", "x")}
    head: Graph = {name: ("Elu", [], [2]) for name in ("dense", "dense/read", "dense2/read", "x")}
    names = name_map(tmp_path, '[prefixes]\n"fc/" = "dense/"\n')
    pairs, matching = matched(nodes_of(base), nodes_of(head), names)
    assert pairs == {"fc": ("dense", "map"), "fc/read": ("dense/read", "map"), "x": ("x", "name")}
    assert matching.renames == (Rename(base="fc/", head="dense/", nodes=2, matched_by=MatchedBy.MAP),)


@pytest.mark.parametrize(
    ("line", "rename"),
    [('"" = "net/"', lambda name: f"net/{name}"), ('"model/" = ""', lambda name: name.removeprefix("model/"))],
)
def test_a_prefix_may_be_empty(tmp_path: Path, line: str, rename: object) -> None:
    assert callable(rename)
    head = {name: ("Elu", [], [1]) for name in renamed(MODEL, rename)}
    found = partners(MODEL, head, name_map(tmp_path, f"[prefixes]\n{line}\n"))
    assert {name: partner for name, (partner, _) in found.items()} == {name: rename(name) for name in MODEL}


def test_a_node_wins_over_a_prefix_and_a_longer_prefix_over_a_shorter_one(tmp_path: Path) -> None:
    base: Graph = {name: ("Relu", [], [2]) for name in ("m/a", "m/b/x", "m/b/y")}
    head: Graph = {name: ("Elu", [], [2]) for name in ("n/a", "n/b/x", "n/b/y", "deep/x", "one")}
    text = '[nodes]\n"m/b/y" = "one"\n[prefixes]\n"m/" = "n/"\n"m/b/" = "deep/"\n'
    assert partners(base, head, name_map(tmp_path, text)) == {
        "m/a": ("n/a", "map"),
        "m/b/x": ("deep/x", "map"),
        "m/b/y": ("one", "map"),
    }


def test_false_takes_a_suggestion_and_a_rename_back(tmp_path: Path) -> None:
    head = renamed(MODEL, lambda name: name.replace("model/", "net/").replace("x", "input"))
    assert partners(MODEL, head, name_map(tmp_path, '[nodes]\nx = false\n[prefixes]\n"model/" = false\n')) == {}


def test_a_name_that_head_lacks_is_matched_as_usual_and_its_line_is_unused(tmp_path: Path) -> None:
    text = '[nodes]\nx = "y"\ngone = "x"\n[prefixes]\n"nowhere/" = "net/"\n'
    pairs, matching = matched(nodes_of(MODEL), nodes_of(MODEL), name_map(tmp_path, text))
    assert pairs == {name: (name, "name") for name in MODEL}
    assert matching.unused == ('[nodes] "x"', '[nodes] "gone"', '[prefixes] "nowhere/"')


def test_two_nodes_of_base_cannot_become_one(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r'names.toml \(--name-map\): maps both "a" and "b" of base to "c" in head'):
        name_map(tmp_path, '[nodes]\na = "c"\nb = "c"\n')
    names = name_map(tmp_path, '[prefixes]\n"a/" = "c/"\n"b/" = "c/"\n')
    base: Graph = {name: ("Relu", [], [2]) for name in ("a/x", "b/x", "b/y")}
    with pytest.raises(OptionError, match=r'maps both "a/x" and "b/x" of base to "c/x" in head; give each a different'):
        partners(base, {"c/x": ("Relu", [], [2])}, names)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('[nodez]\na = "b"\n', r'"nodez" is not known; did you mean nodes'),
        ("", r"names nothing; add a line to \[nodes\] or \[prefixes\]"),
        ('nodes = "a"\n', r'"nodes" is not a table; begin it with a line \[nodes\]'),
        ("[nodes]\na = 1\n", r'\[nodes\] "a" is not a name in quotes; write false if it has no partner'),
        ("[nodes]\na = true\n", r'\[nodes\] "a" is not a name in quotes'),
        ('[nodes]\na.b = "c"\n', r'\[nodes\] "a" is a table; write names with dots in quotes'),
        ('[prefixes]\n"a" = "b"\n"a/" = "c"\n', r'\[prefixes\] "a" appears twice, with and without a slash'),
        ("[nodes\n", r"is not a TOML file"),
    ],
)
def test_a_file_that_is_no_map_is_one_clear_line(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(OptionError, match=rf"names.toml \(--name-map\): {problem}") as caught:
        name_map(tmp_path, text)
    assert "\n" not in str(caught.value)


names = st.text(st.sampled_from('ab/é\n\0"'), max_size=4)


@settings(max_examples=examples(100), deadline=None)
@given(
    st.dictionaries(names, st.none() | names, max_size=4),
    st.dictionaries(names.map(lambda name: name.removesuffix("/")), st.none() | names, max_size=3),
    st.lists(names, unique=True, max_size=6),
    st.lists(names, unique=True, max_size=6),
)
def test_any_map_gives_pairs_one_to_one_or_is_refused(
    nodes: dict[str, str | None], prefixes: dict[str, str | None], base: list[str], head: list[str]
) -> None:
    given_names = NameMap(path="names.toml", nodes=nodes, prefixes=prefixes)
    try:
        found = partners(
            {name: ("Relu", [], [2]) for name in base}, {name: ("Relu", [], [2]) for name in head}, given_names
        )
    except OptionError:
        return
    assert len({partner for partner, _ in found.values()}) == len(found)
    for old, new in nodes.items():
        if old in base and new in head and new is not None:
            assert found[old] == (new, "map")
        if new is None:
            assert old not in found
