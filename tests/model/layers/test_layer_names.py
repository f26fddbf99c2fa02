"""The names of layers."""

from __future__ import annotations

import pyarrow as pa

from tfprof_report.model.layers.layer_names import name_scopes
from tfprof_report.model.layers.scopes import build_scopes


def names(owned: dict[str, str | None], *others: str) -> dict[str, str]:
    """Return the names of scopes; `owned` has the path of their variables, None where these have no names."""
    scopes, _ = build_scopes(pa.array([*owned, *others]))
    found = name_scopes(
        scopes, scopes.find(pa.array(list(owned), pa.string())), pa.array(list(owned.values()), pa.string())
    )
    return dict(zip(scopes.paths.to_pylist(), found.to_pylist(), strict=True))


def test_scopes_around_all_layers_are_left_away() -> None:
    found = names({"call/net/a": "a", "call/net/b/c": "b/c"}, "loss/mean")
    assert (found["call/net"], found["call/net/a"], found["call/net/b/c"]) == ("", "a", "b/c")
    assert found["loss/mean"] == "loss/mean"


def test_numbers_of_tracing_go_where_variables_say_so() -> None:
    found = names({"net_1/dense_1": "dense", "net_1/dense_1_2": "dense_1"}, "net_1/re_lu_1", "net_1/re_lu_1_1")
    assert [found[f"net_1/{scope}"] for scope in ("dense_1", "dense_1_2", "re_lu_1", "re_lu_1_1")] == [
        "dense", "dense_1", "re_lu", "re_lu_1",
    ]  # fmt: skip


def test_numbers_that_variables_have_too_stay() -> None:
    found = names({"net/unit_1/conv": "net/unit_1/conv", "net/unit_2/conv": "net/unit_2/conv"}, "net/unit_3")
    assert [found[f"net/unit_{number}"] for number in (1, 2, 3)] == ["unit_1", "unit_2", "unit_3"]


def test_without_names_of_variables_numbers_go_if_every_scope_has_one() -> None:
    found = names({"net_1/dense_1": None, "net_1/dense_1_2": None}, "net_1/pool_1")
    assert [found[f"net_1/{scope}"] for scope in ("dense_1", "dense_1_2", "pool_1")] == ["dense", "dense_1", "pool"]
    assert names({"net/dense_1": None, "net/out": None})["net/dense_1"] == "dense_1"


def test_numbers_stay_where_names_would_be_the_same() -> None:
    found = names({"net/unit_1": None, "net/unit_2": None})
    assert (found["net/unit_1"], found["net/unit_2"]) == ("unit_1", "unit_2")


def test_without_layers_scopes_keep_their_names() -> None:
    assert names({}, "a/b") == {"": "", "a": "a", "a/b": "a/b"}
